// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/waited_threads.hpp>

#include <doctest/doctest.h>

#include <thread>

#include <tenon/device/thread_pool.hpp>

namespace device_waited_threads_test {
using namespace tenon;

namespace {

// Threads that are replaced at the third try.
class Late final : public detail::WaitedThreads {
 public:
  bool BeginWait() noexcept override {
    ++waiting;
    return Replace();
  }
  bool Replace() noexcept override { return ++tries >= 3; }
  void EndWait() noexcept override { --waiting; }
  int waiting = 0, tries = 0;
};

}  // namespace

TEST_SUITE("WaitedThreads") {
  TEST_CASE("belong to a thread while the object lives") {
    Late outer, inner;
    CHECK(detail::WaitedThreads::current == nullptr);
    {
      const detail::WaitedThreads::OfThisThread first(&outer);
      {
        const detail::WaitedThreads::OfThisThread second(&inner);
        CHECK(detail::WaitedThreads::current == &inner);
        std::thread([] { CHECK(detail::WaitedThreads::current == nullptr); }).join();
      }
      CHECK(detail::WaitedThreads::current == &outer);
    }
    CHECK(detail::WaitedThreads::current == nullptr);
  }
  TEST_CASE("a task that waits asks for another thread until there is one") {
    Late threads;
    const detail::WaitedThreads::OfThisThread mine(&threads);
    {
      ThreadPool::Waiting waiting;
      CHECK(threads.waiting == 1);
      CHECK_FALSE(waiting.IsReplaced());
      CHECK(waiting.IsReplaced());
      CHECK(waiting.IsReplaced());
      CHECK(threads.tries == 3);
    }
    CHECK(threads.waiting == 0);
  }
  TEST_CASE("a thread that belongs to no pool needs none") {
    ThreadPool::Waiting waiting;
    CHECK(waiting.IsReplaced());
  }
}

}  // namespace device_waited_threads_test
