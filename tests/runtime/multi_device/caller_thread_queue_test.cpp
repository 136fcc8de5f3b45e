// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/caller_thread_queue.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <tenon/base/notification.hpp>

namespace callers_queue_test {
using namespace tenon;
using tenon::detail::CallersQueue;

namespace {

struct Job {
  CallersQueue* queue;
  std::vector<int>* order;
  int number;
  bool last = false;
  std::thread::id thread = {};
};
void Note(void* argument) {
  auto* job = static_cast<Job*>(argument);
  job->order->push_back(job->number);
  job->thread = std::this_thread::get_id();
  if (job->last) job->queue->Stop();
}

struct Shared {
  CallersQueue queue;
  Notification woken[2];
  std::atomic<int> running{0}, most{0}, left{3};
  void Enter() {
    const int now = ++running;
    if (now > most) most = now;
  }
  void Leave() {
    --running;
    if (--left == 0) queue.Stop();
  }
};
// A task that says that it waits, until the last has run.
template <int kWhich>
void WaitForLast(void* argument) {
  auto* all = static_cast<Shared*>(argument);
  {
    const ThreadPool::Waiting waiting;
    all->woken[kWhich].WaitForNotification();
  }
  all->Enter();
  all->Leave();
}

}  // namespace

TEST_SUITE("CallersQueue") {
  TEST_CASE("tasks run on the thread that serves, in their order, until Stop") {
    CallersQueue queue;
    std::vector<int> order;
    constexpr int kJobs = 5000;  // more than are kept before their places are used again
    std::vector<Job> jobs;
    for (int i = 0; i < kJobs; ++i) jobs.push_back({&queue, &order, i, i == 0});
    for (Job& job : jobs) queue.Schedule(&Note, &job);
    queue.Serve();  // what was there when the first said Stop runs, too
    REQUIRE(order.size() == kJobs);
    for (int i = 0; i < kJobs; ++i) {
      REQUIRE(order[static_cast<std::size_t>(i)] == i);
      REQUIRE(jobs[static_cast<std::size_t>(i)].thread == std::this_thread::get_id());
    }
    CHECK(queue.NumThreads() == 1);
  }
  TEST_CASE("other threads give it tasks and stop it") {
    CallersQueue queue;
    std::vector<int> order;
    Job one{&queue, &order, 1}, two{&queue, &order, 2, true};
    std::thread other([&] {
      queue.Schedule(&Note, &one);
      queue.Schedule(&Note, &two);
    });
    queue.Serve();
    other.join();
    CHECK(order == std::vector<int>{1, 2});
    CHECK(two.thread == std::this_thread::get_id());
  }
  TEST_CASE("a task that says so may wait for one behind it, but two never run at once") {
    Shared shared;
    shared.queue.Schedule(&WaitForLast<0>, &shared);
    shared.queue.Schedule(&WaitForLast<1>, &shared);
    shared.queue.Schedule(
        [](void* argument) {
          auto* all = static_cast<Shared*>(argument);
          all->Enter();
          all->woken[0].Notify();
          all->woken[1].Notify();
          all->Leave();
        },
        &shared);
    shared.queue.Serve();
    CHECK(shared.left == 0);
    CHECK(shared.most == 1);
  }
  TEST_CASE("loops run where they are called") {
    CallersQueue queue;
    std::vector<Index> ranges;
    const auto note = [](void* argument, Index begin, Index end) {
      auto* all = static_cast<std::vector<Index>*>(argument);
      all->push_back(begin);
      all->push_back(end);
    };
    queue.ParallelFor(7, 1, note, &ranges);
    queue.ParallelFor(0, 1, note, &ranges);
    CHECK(ranges == std::vector<Index>{0, 7});
  }
}
}  // namespace callers_queue_test
