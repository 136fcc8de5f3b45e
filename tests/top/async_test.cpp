// SPDX-License-Identifier: Apache-2.0
#include <tenon/async.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <coroutine>
#include <exception>
#include <future>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace async_test {
using namespace tenon;

namespace {

// A coroutine that nobody awaits.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// y is x + 1; "got" waits for what "put" enqueues: x.
Session MakeSession() {
  GraphBuilder b;
  const SlimVector<DataType> floats{DataType::kFloat};
  const Output x = b.Placeholder("x", DataType::kFloat);
  b.Add("AddV2", "y", {x, b.Const("one", Tensor::Scalar(1.0f))});
  const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
  b.Add("QueueDequeueV2", "got", {q}, {{"component_types", floats}});
  b.Add("QueueEnqueueV2", "put", {q, {x}});
  Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  return *std::move(session);
}

// Adds 1, `times` times.
Detached Count(Callable add, int times, float* last, Notification* done) {
  std::vector<Tensor> value{Tensor::Scalar(0.0f)};
  for (int i = 0; i < times; ++i) {
    RunResult sum = co_await RunAwait(add, value);
    if (!sum.ok()) break;
    value = *std::move(sum);
  }
  *last = value[0].scalar<float>()();
  done->Notify();
}
Detached Await(Callable callable, std::vector<Tensor> feeds, Status* status, Notification* done) {
  *status = (co_await RunAwait(callable, feeds)).status();
  done->Notify();
}

// g++ 12 refuses a list in braces within the operand of co_await: the run is made before.
Detached AwaitList(Callable add, Tensor value, float* sum, Notification* done) {
  auto run = RunAwait(add, {value});
  const RunResult result = co_await run;
  if (result.ok()) *sum = (*result)[0].scalar<float>()();
  done->Notify();
}

}  // namespace

TEST_SUITE("async") {
  TEST_CASE("a future gets the fetches or the error") {
    const Session session = MakeSession();
    const Callable add = *session.MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    const Tensor two = Tensor::Scalar(2.0f);
    std::future<RunResult> sum = RunFuture(add, {&two, 1}), wrong = RunFuture(add, {}), listed = RunFuture(add, {two});
    CHECK((*sum.get())[0].scalar<float>()() == 3);
    CHECK((*listed.get())[0].scalar<float>()() == 3);
    CHECK(errors::IsInvalidArgument(wrong.get().status()));
    const Callable get = *session.MakeCallable({.fetches = {"got"}});
    std::future<RunResult> got = RunFuture(get, {});
    CHECK(got.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    {
      const std::future<RunResult> dropped = RunFuture(get, {}, {.timeout_in_ms = 60'000});
    }
    for (int i = 0; i < 2; ++i) REQUIRE(session.Run({{"x", two}}, {}, {"put"}).ok());
    CHECK(got.get().ok());
    CHECK(errors::IsDeadlineExceeded(RunFuture(get, {}, {.timeout_in_ms = 20}).get().status()));
  }
  TEST_CASE("a coroutine waits for runs") {
    const Session session = MakeSession();
    const Callable add = *session.MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    float last = 0;
    Notification counted, failed, empty;
    Count(add, 2000, &last, &counted);
    Status status, of_empty;
    Await(add, {}, &status, &failed);
    Await(Callable(), {}, &of_empty, &empty);  // refused in the call: the coroutine goes on at once
    CHECK(empty.HasBeenNotified());
    float sum = 0;
    Notification listed;
    AwaitList(add, Tensor::Scalar(4.0f), &sum, &listed);
    listed.WaitForNotification();
    CHECK(sum == 5);
    counted.WaitForNotification();
    failed.WaitForNotification();
    CHECK(last == 2000);
    CHECK(errors::IsInvalidArgument(status));
    CHECK(errors::IsInvalidArgument(of_empty));
  }
}
}  // namespace async_test
