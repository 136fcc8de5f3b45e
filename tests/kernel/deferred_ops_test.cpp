// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/deferred_ops.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace deferred_ops_test {
using namespace tenon;

TEST_SUITE("DeferredOps") {
  TEST_CASE("waits until the last is done") {
    DeferredOps deferred;
    deferred.Wait();
    std::atomic<int> done{0};
    deferred.Inc();
    deferred.Inc();
    std::thread first([&] { ++done, deferred.Dec(); }), second([&] { ++done, deferred.Dec(); });
    deferred.Wait();
    CHECK(done == 2);
    first.join();
    second.join();
  }
}
}  // namespace deferred_ops_test
