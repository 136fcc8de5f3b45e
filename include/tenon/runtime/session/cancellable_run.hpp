// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunBounded: a run that a deadline or its caller's CancellationManager may give up.

#include <atomic>
#include <cstdint>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/runtime/session/deadline_timer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A year is as good as forever, and no clock overflows with it.
inline std::int64_t LimitMilliseconds(std::int64_t timeout_in_ms) {
  return timeout_in_ms < 31'536'000'000 ? timeout_in_ms : 31'536'000'000;
}

// The status of a run that its deadline has stopped. `status`: as the run ended.
TENON_DETAIL_COLD inline Status TimedOut(std::int64_t timeout_in_ms, const Status& status) {
  return errors::DeadlineExceeded("Timed out waiting for notification: the run did not end within ", timeout_in_ms,
                                  " ms", status.ok() ? "" : "; it stopped at: ", status.message());
}

// The status of run(control), where whoever wants to stop the run cancels `control`, a child of `parent`: the deadline
// (0: none), `users`, `parent`. Which one it was is found out afterwards: DeadlineExceeded, or what the run says, or
// Cancelled without a run. `parent` and `users` may be null and outlive the call. InvalidArgument: a negative timeout.
// `since_ns`: SteadyNanoseconds() from which the time counts; 0: the call.
template <class Run>
Status RunBounded(CancellationManager* parent, std::int64_t timeout_in_ms, CancellationManager* users, const Run& run,
                  std::int64_t since_ns = 0) {
  if (timeout_in_ms < 0)
    return errors::InvalidArgument("RunOptions: timeout_in_ms must not be negative, got ", timeout_in_ms);
  CancellationManager control(parent);
  CancellationManager::Token token = 0;
  if (users != nullptr) {
    token = users->NewToken();
    if (!users->Register(token, [&control] { control.StartCancel(); }))
      return errors::Cancelled("Run call was cancelled");
  }
  std::atomic<bool> timed_out{false};
  DeadlineTimer::Entry entry = 0;
  const Status status = CatchAll("Run", [&]() -> Status {
    if (timeout_in_ms > 0) {
      const std::int64_t when =
          (since_ns != 0 ? since_ns : SteadyNanoseconds()) + LimitMilliseconds(timeout_in_ms) * 1'000'000;
      entry = DeadlineTimer::Global().Add(when, [&] {
        timed_out.store(true);
        control.StartCancel();
      });
    }
    return run(&control);
  });
  if (entry != 0) (void)DeadlineTimer::Global().Remove(entry);
  if (users != nullptr) (void)users->Deregister(token);
  if (!timed_out.load()) return status;
  return TimedOut(timeout_in_ms, status);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
