// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/thread_ids.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/base/thread.hpp>

namespace traced_threads_test {
using namespace tenon;

TEST_SUITE("TracedThreads") {
  TEST_CASE("a thread has one number and the name it had first") {
    struct Worker {
      int first = 0, second = 0;
      void Main() {
        Thread::NameThis("a-worker");
        first = detail::TracedThreads::NumberOfThis();
        Thread::NameThis("another");
        second = detail::TracedThreads::NumberOfThis();
      }
    } worker;
    Thread thread;
    REQUIRE(thread.Start<&Worker::Main>(&worker));
    thread.Join();
    CHECK(worker.first > 0);
    CHECK(worker.first == worker.second);
    CHECK(worker.first != detail::TracedThreads::NumberOfThis());
#if defined(__linux__)
    CHECK(detail::TracedThreads::Global().NameOf(worker.first) == "a-worker");
#endif
  }
  TEST_CASE("numbers of nobody have no name") {
    CHECK(detail::TracedThreads::Global().NameOf(0).empty());
    CHECK(detail::TracedThreads::Global().NameOf(1'000'000).empty());
  }
}
}  // namespace traced_threads_test
