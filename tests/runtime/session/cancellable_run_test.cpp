// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/cancellable_run.hpp>

#include <chrono>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/base/notification.hpp>
#include <tenon/kernel/cancellation.hpp>

namespace bounded_run_test {
using namespace tenon;

namespace {

// Ends when it is given up.
Status WaitForEnd(CancellationManager* control) {
  Notification ended;
  const auto token = control->NewToken();
  if (control->Register(token, [&] { ended.Notify(); })) ended.WaitForNotification();
  (void)control->Deregister(token);
  return errors::Cancelled("given up");
}
Status EndAtOnce(CancellationManager* control) {
  CHECK(!control->IsCancelled());
  return OkStatus();
}

}  // namespace

TEST_SUITE("RunBounded") {
  TEST_CASE("says what the run says while nobody gives it up") {
    CancellationManager users;
    CHECK(detail::RunBounded(nullptr, 0, nullptr, EndAtOnce).ok());
    CHECK(detail::RunBounded(nullptr, 1'000'000'000'000, &users, EndAtOnce).ok());
    CHECK(detail::RunBounded(&users, 0, nullptr, [](CancellationManager*) { return errors::DataLoss("x"); }).code() ==
          Code::kDataLoss);
    CHECK(users.TryDeregister(0));  // still to be cancelled
  }
  TEST_CASE("ends at its deadline") {
    const Status status = detail::RunBounded(nullptr, 2, nullptr, WaitForEnd);
    CHECK(status.code() == Code::kDeadlineExceeded);
    CHECK(status.message() ==
          "Timed out waiting for notification: the run did not end within 2 ms; it stopped at: given up");
  }
  TEST_CASE("ends when its caller or its parent is cancelled, and does not begin afterwards") {
    for (const bool by_parent : {false, true}) {
      CancellationManager parent, users;
      int runs = 0;
      const auto run = [&](CancellationManager* control) {
        ++runs;
        (by_parent ? parent : users).StartCancel();
        return WaitForEnd(control);
      };
      CHECK(detail::RunBounded(&parent, 60'000, &users, run).code() == Code::kCancelled);
      CHECK(detail::RunBounded(&parent, 0, &users, run).code() == Code::kCancelled);
      CHECK(runs == (by_parent ? 2 : 1));
    }
  }
  TEST_CASE("refuses a negative timeout") {
    const Status status = detail::RunBounded(nullptr, -3, nullptr, EndAtOnce);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() == "RunOptions: timeout_in_ms must not be negative, got -3");
  }
}
}  // namespace bounded_run_test
