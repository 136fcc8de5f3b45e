// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/notification.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "child_process.hpp"

namespace notification_test {
using tenon::Notification;

TEST_CASE("a notification happens once and stays") {
  Notification done;
  CHECK_FALSE(done.HasBeenNotified());
  CHECK_FALSE(done.WaitForNotificationWithTimeout(0));
  CHECK_FALSE(done.WaitForNotificationWithTimeout(2000));
  done.Notify();
  CHECK(done.HasBeenNotified());
  done.WaitForNotification();
  CHECK(done.WaitForNotificationWithTimeout(0));
}

TEST_CASE("waiting threads see what was written before Notify") {
  Notification done;
  int value = 0;
  std::vector<std::thread> waiting;
  for (int t = 0; t < 3; ++t) {
    waiting.emplace_back([&done, &value, t] {
      if (t == 0) {
        while (!done.WaitForNotificationWithTimeout(1000)) {
        }
      } else {
        done.WaitForNotification();
      }
      if (value != 42) std::abort();
    });
  }
  value = 42;
  done.Notify();
  for (std::thread& t : waiting) t.join();
  CHECK(value == 42);
}

TEST_CASE("whoever waited may destroy the notification at once") {
  for (int i = 0; i < 300; ++i) {
    auto done = std::make_unique<Notification>();
    std::thread other([raw = done.get()] { raw->Notify(); });
    done->WaitForNotification();
    done.reset();
    other.join();
  }
}

TEST_CASE("a second Notify is a mistake of the program") {
  const ChildResult child = RunInChild([] {
    Notification done;
    done.Notify();
    done.Notify();
  });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "Notification::Notify: called twice."));
}
}  // namespace notification_test
