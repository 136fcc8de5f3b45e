// SPDX-License-Identifier: Apache-2.0
#pragma once
// absl::Notification and absl::BlockingCounter.

#include <chrono>

#include <tenon/compat/tensorflow/base/absl_time.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>

namespace absl {

class Notification : public tensorflow::Notification {
 public:
  bool WaitForNotificationWithTimeout(Duration time) {
    const auto end = std::chrono::steady_clock::now() + ToChronoNanoseconds(time);
    while (!HasBeenNotified() && std::chrono::steady_clock::now() < end) SleepFor(Microseconds(100));
    return HasBeenNotified();
  }
};
// Waits until it was counted down to zero.
class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : counter_(count), left_(count) {}
  // True: the count is zero now.
  bool DecrementCount() {
    tensorflow::mutex_lock lock(mutex_);
    counter_.DecrementCount();
    return --left_ == 0;
  }
  void Wait() { counter_.Wait(); }

 private:
  tensorflow::mutex mutex_;
  tensorflow::BlockingCounter counter_;
  int left_;
};

}  // namespace absl
