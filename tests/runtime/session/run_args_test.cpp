// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/run_args.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace run_settings_test {
using namespace tenon;

TEST_SUITE("RunCounts") {
  TEST_CASE("counts the runs of all threads") {
    detail::RunCounts counts;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&counts] {
        for (int i = 0; i < 1000; ++i) counts.Count(i % 4 == 0);
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(counts.planned() == 1000);
    CHECK(counts.others() == 3000);
  }
}

TEST_SUITE("AddMemoryHint") {
  TEST_CASE("tells how to see the list, where memory is out") {
    Status status = errors::ResourceExhausted("no memory");
    detail::AddMemoryHint(&status);
    CHECK(status.message().find("report_tensor_allocations_upon_oom") != std::string_view::npos);
    Status other = errors::InvalidArgument("bad");
    detail::AddMemoryHint(&other);
    CHECK(other.message() == "bad");
  }
}
}  // namespace run_settings_test
