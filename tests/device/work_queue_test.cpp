// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/work_queue.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tenon/base/log.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>

#include "in_child.hpp"

namespace work_queue_test {
using namespace tenon;

TEST_SUITE("WorkQueue") {
  TEST_CASE("does everything in order, on one thread that is not the caller's") {
    std::vector<int> order;
    {
      WorkQueue queue("test");
      for (int i = 0; i < 100; ++i)
        queue.Add([&order, &queue, i] {
          CHECK(queue.IsThisThread());
          order.push_back(i);
        });
      CHECK_FALSE(queue.IsThisThread());
    }
    REQUIRE(order.size() == 100);
    for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  }

  TEST_CASE("an event happens after what was before it") {
    WorkQueue queue("test");
    Notification go;
    std::atomic<int> done{0};
    CHECK(WorkQueue::Event().IsDone());
    CHECK(queue.Record().IsDone());
    queue.Add([&] { go.WaitForNotification(); });
    queue.Add([&] { ++done; });
    const WorkQueue::Event event = queue.Record();
    queue.Add([&] { ++done; });
    CHECK_FALSE(event.IsDone());
    go.Notify();
    event.Wait();
    CHECK(event.IsDone());
    CHECK(done >= 1);
    queue.Synchronize();
    CHECK(done == 2);
  }

  TEST_CASE("a queue waits for another") {
    WorkQueue first("first"), second("second");
    Notification go;
    std::atomic<int> value{0};
    first.Add([&] {
      go.WaitForNotification();
      value = 1;
    });
    second.AddWait(first.Record());
    second.Add([&] { value = value == 1 ? 2 : -1; });
    go.Notify();
    second.Synchronize();
    CHECK(value == 2);
  }

  TEST_CASE("work may add work, and what it holds goes before its event") {
    WorkQueue queue("test");
    std::atomic<int> done{0};
    struct Held {
      std::atomic<int>* gone;
      ~Held() { ++*gone; }
    };
    std::atomic<int> gone{0};
    queue.Add([&, held = MakeOwned<Held>(&gone)] {
      queue.Add([&] { ++done; });
      ++done;
    });
    queue.Synchronize();
    CHECK(gone == 1);
    queue.Synchronize();
    CHECK(done == 2);
  }

  TEST_CASE("several threads add and wait") {
    WorkQueue queue("test");
    int sum = 0;  // only the queue's thread writes it
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          queue.Add([&sum] { ++sum; });
          if (i % 50 == 0) queue.Synchronize();
        }
      });
    for (std::thread& thread : threads) thread.join();
    queue.Synchronize();
    CHECK(sum == 800);
  }

  TEST_CASE("work that throws is logged, and the queue goes on") {
    struct Lines : LogSink {
      Lines() { SetLogSink(this); }
      ~Lines() override { SetLogSink(nullptr); }
      void Send(const LogEntry& entry) override { text += entry.text; }
      std::string text;
    } lines;
    WorkQueue queue("test");
    bool after = false;
    queue.Add([] { throw std::runtime_error("out of luck"); });
    queue.Add([&after] { after = true; });
    queue.Synchronize();
    CHECK(after);
    CHECK(lines.text == "a piece of work in a device's queue threw: out of luck");
  }
#if TENON_TEST_FORKS
  TEST_CASE("has a new thread in the child of a fork, which does what the child adds") {
    for (int i = 0; i < 20; ++i) {
      auto* queue = new WorkQueue("forked");
      Notification go;
      std::atomic<int> done{0};
      if (i % 2 != 0) queue->Add([&] { go.WaitForNotification(); });  // under way, with one more behind it
      if (i % 2 != 0) queue->Add([&] { ++done; });
      const WorkQueue::Event parents = queue->Record();
      if (i % 2 == 0) queue->Synchronize();
      CHECK(test::InChild([&] {
              parents.Wait();
              queue->Synchronize();
              int count = 0;
              for (int k = 0; k < 100; ++k) queue->Add([&] { count += queue->IsThisThread() ? 1 : 0; });
              queue->Synchronize();
              delete queue;
              return count == 100 && done == 0 ? 0 : 1;
            }) == 0);
      CHECK(test::InChild([&] {
              delete queue;
              return 0;
            }) == 0);
      go.Notify();
      delete queue;
      CHECK(done == i % 2);
    }
  }
#endif
}
}  // namespace work_queue_test
