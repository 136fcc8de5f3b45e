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
using BlockingCounter = tensorflow::BlockingCounter;

}  // namespace absl
