// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/async_run.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/device/executor_pool.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/counters.hpp>

#include "in_child.hpp"
#include "runtime/graphs.hpp"
#include "runtime/heap_counter.hpp"
#include "runtime/loops.hpp"
#include "sanitizers.hpp"

namespace async_run_test {
using namespace tenon;
using namespace runtime_test;
using namespace std::chrono_literals;

namespace {

using Outcome = Result<std::vector<Tensor>>;

// The outcomes of some runs, in the order in which they came.
class Outcomes {
 public:
  RunCallback Next() {
    auto state = state_;
    return [state, number = started_++](Outcome outcome) {
      const std::lock_guard lock(state->mutex);
      state->list.push_back({number, std::move(outcome)});
    };
  }
  std::size_t count() const {
    const std::lock_guard lock(state_->mutex);
    return state_->list.size();
  }
  // Waits for this many, at most a minute.
  bool Wait(std::size_t count) const {
    for (int i = 0; i < 60'000 && this->count() < count; ++i) std::this_thread::sleep_for(1ms);
    return this->count() >= count;
  }
  const Outcome& operator[](std::size_t i) const { return state_->list[i].second; }
  int number(std::size_t i) const { return state_->list[i].first; }
  std::size_t CountCode(Code code) const {
    std::size_t count = 0;
    for (const auto& item : state_->list) count += item.second.status().code() == code ? 1 : 0;
    return count;
  }

 private:
  struct State {
    std::mutex mutex;
    std::vector<std::pair<int, Outcome>> list;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  int started_ = 0;
};

// "sum" is x + 1; "got" waits for what "put" enqueues: x.
GraphBuilder SumAndQueue() {
  GraphBuilder b;
  const SlimVector<DataType> floats{DataType::kFloat};
  const Output x = b.Placeholder("x", DataType::kFloat);
  b.Add("AddV2", "sum", {x, b.Const("one", Tensor::Scalar(1.0f))});
  const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
  const Output got = b.Add("QueueDequeueV2", "got", {q}, {{"component_types", floats}});
  b.Add("Neg", "negative", {got});
  b.Add("QueueEnqueueV2", "put", {q, {x}});
  return b;
}
Session MakeSession(const SessionOptions& options = {}) {
  Result<Session> session = Session::FromGraph(SumAndQueue(), options);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  return *std::move(session);
}
Callable CallableOf(const Session& session, std::vector<std::string> feeds, std::vector<std::string> fetches,
                    std::vector<std::string> targets = {}) {
  Result<Callable> callable =
      session.MakeCallable({.feeds = std::move(feeds), .fetches = std::move(fetches), .targets = std::move(targets)});
  REQUIRE_MESSAGE(callable.ok(), callable.status().message());
  return *std::move(callable);
}
Status Put(const Session& session, float value) {
  return session.Run({{"x", Tensor::Scalar(value)}}, {}, {"put"}).status();
}
int CountThreads() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}
FlowGraph Endless() {
  FlowGraph g(DataType::kInt32);
  g.Const("zero", Tensor::Scalar(0)).Const("ten", Tensor::Scalar(10)).Const("one", Tensor::Scalar(1));
  g.Enter("enter", "zero", "f").Enter("lim", "ten", "f", true).Enter("unit", "one", "f", true);
  g.Merge("merge", {"enter", "next"}).Node("less", "Less", {"merge", "lim"});
  g.Node("cond", "LoopCond", {"less"}, {}, false).Switch("switch", "merge", "cond");
  g.Node("mul", "Mul", {"switch:1", "unit"}).Node("next", "NextIteration", {"mul"}).Node("exit", "Exit", {"switch"});
  return g;
}

}  // namespace

TEST_SUITE("RunAsync") {
  TEST_CASE("gives what Run gives, on another thread") {
    const Session session = MakeSession();
    const Callable sum = CallableOf(session, {"x"}, {"sum"});
    Outcomes outcomes;
    std::thread::id of_callback;
    Notification done;
    const Tensor two = Tensor::Scalar(2.0f);
    sum.RunAsync({&two, 1}, {}, [&](Outcome outcome) {
      of_callback = std::this_thread::get_id();
      CHECK((*outcome)[0].scalar<float>()() == 3);
      done.Notify();
    });
    done.WaitForNotification();
    CHECK(of_callback != std::this_thread::get_id());
    const std::vector<NamedTensor> feeds{{"x", two}};
    const std::vector<std::string> fetches{"sum"};
    session.RunAsync(feeds, fetches, {}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(1));
    CHECK((*outcomes[0])[0].scalar<float>()() == 3);
  }
  TEST_CASE("calls back with every error, once") {
    Session session = MakeSession();
    Callable sum = CallableOf(session, {"x"}, {"sum"});
    Outcomes outcomes;
    const Tensor two = Tensor::Scalar(2.0f), wrong = Tensor::Scalar(2);
    Callable().RunAsync({}, {}, outcomes.Next());
    Session().RunAsync({}, {}, {}, {}, outcomes.Next());
    REQUIRE(outcomes.count() == 2);
    sum.RunAsync({}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(3));
    sum.RunAsync({&wrong, 1}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(4));
    sum.RunAsync({&two, 1}, {.timeout_in_ms = -1}, outcomes.Next());
    sum.RunAsync({&two, 1}, {.inter_op_thread_pool = 7}, outcomes.Next());
    const std::vector<std::string> unknown{"nothing"};
    session.RunAsync({}, unknown, {}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(7));
    CHECK(outcomes.CountCode(Code::kInvalidArgument) == 7);
    CHECK(outcomes[2].status().message() == sum.Run({}, {}).message());
    sum.Release();
    sum.RunAsync({&two, 1}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(8));
    CHECK(errors::IsInvalidArgument(outcomes[7].status()));
    REQUIRE(session.Close().ok());
    CallableOf(MakeSession(), {"x"}, {"sum"}).RunAsync({&two, 1}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(9));
    CHECK(outcomes[8].ok());
    const std::vector<std::string> fetches{"sum"};
    session.RunAsync({}, fetches, {}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(10));
    CHECK(errors::IsCancelled(outcomes[9].status()));
  }
  TEST_CASE("an exception of the callback ends there") {
    const Session session = MakeSession();
    const Callable sum = CallableOf(session, {"x"}, {"sum"});
    const Tensor two = Tensor::Scalar(2.0f);
    std::atomic<int> called{0};
    for (int i = 0; i < 4; ++i)
      sum.RunAsync({&two, 1}, {}, [&](Outcome) {
        ++called;
#if defined(__cpp_exceptions)
        throw std::runtime_error("of the test");
#endif
      });
    while (called < 4) std::this_thread::sleep_for(1ms);
    CHECK(sum({two}).ok());
  }
  TEST_CASE("runs that wait hold no thread") {
    for (const int threads : {0, 3}) {
      const Session session = MakeSession({.inter_op_threads = threads});
      const Callable get = CallableOf(session, {}, {"negative"});
      Outcomes outcomes;
      get.RunAsync({}, {}, outcomes.Next());  // starts the pools
      std::this_thread::sleep_for(20ms);
      const int before = CountThreads();
      for (int i = 0; i < 500; ++i) get.RunAsync({}, {}, outcomes.Next());
      std::this_thread::sleep_for(50ms);
      CHECK(CountThreads() <= before + 1);  // a pool of another test may still start
      CHECK(outcomes.count() == 0);
      for (int i = 0; i <= 500; ++i) REQUIRE(Put(session, 1.0f).ok());
      REQUIRE(outcomes.Wait(501));
      CHECK(outcomes.CountCode(Code::kOk) == 501);
      CHECK((*outcomes[500])[0].scalar<float>()() == -1);
    }
  }
  TEST_CASE("ten thousand runs wait on eight threads, and end with a value or with the session") {
    constexpr std::size_t kRuns = TENON_TEST_TSAN || TENON_TEST_ASAN ? 2'000 : 10'000;
    Session session = MakeSession({.inter_op_threads = 8});
    const Callable get = CallableOf(session, {}, {"negative"});
    Outcomes outcomes;
    get.RunAsync({}, {}, outcomes.Next());  // starts the pools
    std::this_thread::sleep_for(20ms);
    const int before = CountThreads();
    for (std::size_t i = 1; i < kRuns; ++i) get.RunAsync({}, {}, outcomes.Next());
    const auto num_begun = [&] {
      SessionCounters counters;
      REQUIRE(session.GetCounters(&counters));
      return counters.async_begun;
    };
    for (int i = 0; i < 60'000 && num_begun() < static_cast<std::int64_t>(kRuns); ++i) std::this_thread::sleep_for(1ms);
    CHECK(num_begun() == static_cast<std::int64_t>(kRuns));
    CHECK(CountThreads() <= before + 1);
    CHECK(outcomes.count() == 0);
    for (std::size_t i = 0; i < kRuns / 2; ++i) REQUIRE(Put(session, 1.0f).ok());
    REQUIRE(outcomes.Wait(kRuns / 2));
    CHECK(outcomes.CountCode(Code::kOk) == kRuns / 2);
    CHECK(session.Close().ok());
    REQUIRE(outcomes.Wait(kRuns));
    CHECK(outcomes.CountCode(Code::kCancelled) == kRuns / 2);
  }
  TEST_CASE("runs that wait are small") {
    if (!kCountsHeapCalls) return;
    const Session session = MakeSession({.inter_op_threads = 2});
    const Callable get = CallableOf(session, {}, {"negative"});
    Outcomes outcomes;
    const NoMemory& limits = HeapLimits();
    constexpr int kRuns = 1000;
    const auto start = [&] {
      for (int i = 0; i < kRuns; ++i) get.RunAsync({}, {}, outcomes.Next());
      for (long before = -1; before != limits.bytes;) {  // until all of them wait
        before = limits.bytes;
        std::this_thread::sleep_for(50ms);
      }
    };
    start();
    const long first = limits.bytes;
    start();
    const long more = limits.bytes - first;
    CHECK_MESSAGE(more <= (1024 + 144) * kRuns, more, " bytes");  // 144: the slots of three values
    for (int i = 0; i < 2 * kRuns; ++i) REQUIRE(Put(session, 1.0f).ok());
    REQUIRE(outcomes.Wait(2 * kRuns));
    CHECK(outcomes.CountCode(Code::kOk) == 2 * kRuns);
  }
  TEST_CASE("deadlines count from the call, for runs that compute, wait or are queued") {
    const auto seconds_of = [](const Callable& callable, const RunOptions& options, Code code) {
      Outcomes outcomes;
      const auto begin = std::chrono::steady_clock::now();
      callable.RunAsync({}, options, outcomes.Next());
      REQUIRE(outcomes.Wait(1));
      CHECK(outcomes[0].status().code() == code);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const Session session = MakeSession();
    const Callable get = CallableOf(session, {}, {"got"});
    CHECK(seconds_of(get, {.timeout_in_ms = 30}, Code::kDeadlineExceeded) >= 0.03);
    const Session loops = *Session::FromGraphDef(Endless().def);
    const Callable endless = CallableOf(loops, {}, {"exit"});
    CHECK(seconds_of(endless, {.timeout_in_ms = 30}, Code::kDeadlineExceeded) >= 0.03);
    const Session limited = MakeSession({.operation_timeout_in_ms = 40, .async_limits = {.max_concurrent_runs = 1}});
    const Callable of_limited = CallableOf(limited, {}, {"got"});
    Outcomes outcomes;
    for (int i = 0; i < 20; ++i) of_limited.RunAsync({}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(20));
    CHECK(outcomes.CountCode(Code::kDeadlineExceeded) == 20);
    // The queue is empty again.
    Status put = Put(limited, 5.0f);
    of_limited.RunAsync({}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(21));
    CHECK((*outcomes[20])[0].scalar<float>()() == 5);
  }
  TEST_CASE("cancelling and closing end runs that compute, wait or are queued") {
    for (const bool close : {false, true}) {
      CAPTURE(close);
      CancellationManager manager;
      const RunOptions options{.cancellation = close ? nullptr : &manager};
      Session session = MakeSession({.async_limits = {.max_concurrent_runs = 30}});
      const Callable get = CallableOf(session, {}, {"got"});
      Session loops = *Session::FromGraphDef(Endless().def);
      const Callable endless = CallableOf(loops, {}, {"exit"});
      Outcomes outcomes;
      for (int i = 0; i < 100; ++i) get.RunAsync({}, options, outcomes.Next());
      endless.RunAsync({}, options, outcomes.Next());
      std::this_thread::sleep_for(20ms);
      CHECK(outcomes.count() == 0);
      if (close) {
        CHECK(session.Close().ok());
        CHECK(loops.Close().ok());
      } else {
        manager.StartCancel();
      }
      REQUIRE(outcomes.Wait(101));
      CHECK(outcomes.CountCode(Code::kCancelled) == 101);
      get.RunAsync({}, options, outcomes.Next());
      REQUIRE(outcomes.Wait(102));
      CHECK(errors::IsCancelled(outcomes[101].status()));
      if (close) continue;
      REQUIRE(Put(session, 2.0f).ok());  // the session works on
      get.RunAsync({}, {}, outcomes.Next());
      REQUIRE(outcomes.Wait(103));
      CHECK(outcomes[102].ok());
    }
  }
  TEST_CASE("limits queue runs, first come, first served, and refuse more") {
    const Session session =
        MakeSession({.async_limits = {.max_concurrent_runs = 1, .max_queued_runs = 3, .max_queued_bytes = 100}});
    const Callable get = CallableOf(session, {}, {"got"});
    Outcomes outcomes;
    get.RunAsync({}, {}, outcomes.Next());
    std::this_thread::sleep_for(50ms);  // it has begun
    for (int i = 0; i < 5; ++i) get.RunAsync({}, {}, outcomes.Next());
    REQUIRE(outcomes.count() == 2);
    CHECK(outcomes.CountCode(Code::kUnavailable) == 2);
    SessionCounters counters;
    REQUIRE(session.GetCounters(&counters));
    CHECK(counters.async_begun == 1);
    CHECK(counters.async_queued == 3);
    CHECK(counters.async_refused == 2);
    CHECK(outcomes[0].status().message().find("max_queued_runs") != std::string::npos);
    for (int i = 0; i < 4; ++i) REQUIRE(Put(session, static_cast<float>(i)).ok());
    REQUIRE(outcomes.Wait(6));
    // They are served in order: run i gets value i. A callback may come after that of the next run, which begins
    // before it is called.
    for (std::size_t at = 2; at < 6; ++at)
      CHECK((*outcomes[at])[0].scalar<float>()() == static_cast<float>(outcomes.number(at)));
    const Callable sum = CallableOf(session, {"x"}, {"sum"});
    get.RunAsync({}, {}, outcomes.Next());
    std::this_thread::sleep_for(50ms);
    const Tensor small(DataType::kFloat, TensorShape({20})), large(DataType::kFloat, TensorShape({30}));
    sum.RunAsync({&small, 1}, {}, outcomes.Next());
    sum.RunAsync({&small, 1}, {}, outcomes.Next());
    sum.RunAsync({&large, 1}, {}, outcomes.Next());
    REQUIRE(outcomes.count() == 8);
    CHECK(outcomes.CountCode(Code::kUnavailable) == 4);
    REQUIRE(Put(session, 1.0f).ok());
    REQUIRE(outcomes.Wait(10));
    const Result<Session> negative = Session::FromGraph(SumAndQueue(), {.async_limits = {.max_queued_runs = -1}});
    CHECK(errors::IsInvalidArgument(negative.status()));
  }
  TEST_CASE("a callback may start the next run, ten thousand times") {
    const Session session = MakeSession();
    const Callable sum = CallableOf(session, {"x"}, {"sum"});
    Notification done;
    Tensor value = Tensor::Scalar(0.0f);
    std::function<void()> next = [&] {
      sum.RunAsync({&value, 1}, {}, [&](Outcome outcome) {
        value = (*outcome)[0];
        if (value.scalar<float>()() < 10'000)
          next();
        else
          done.Notify();
      });
    };
    next();
    done.WaitForNotification();
    CHECK(value.scalar<float>()() == 10'000);
  }
  TEST_CASE("the last to hold a session may be a callback, on a thread of the session") {
    for (const char* fetch : {"sum", "got"}) {
      std::optional<Session> session = MakeSession({.inter_op_threads = 3});
      std::optional<Callable> callable = CallableOf(*session, {"x"}, {fetch});
      if (fetch == std::string("got")) REQUIRE(Put(*session, 1.0f).ok());
      const Tensor two = Tensor::Scalar(2.0f);
      Notification started, done;
      callable->RunAsync({&two, 1}, {}, [&, last = *callable](Outcome outcome) {
        started.WaitForNotification();
        CHECK(outcome.ok());
        done.Notify();
      });
      session.reset();
      callable.reset();
      started.Notify();
      done.WaitForNotification();
    }
    std::this_thread::sleep_for(20ms);  // the threads end
  }
  TEST_CASE("runs in pools of the session, of the caller and on several devices") {
    std::atomic<int> tasks{0};
    ExecutorPool pool(1, [&](PoolTask task) {
      ++tasks;
      std::thread(task).detach();
    });
    const Session session = MakeSession({.inter_op_pools = {{.num_threads = 1}, {.num_threads = 2}}});
    Outcomes outcomes;
    const Tensor two = Tensor::Scalar(2.0f);
    const Callable sum = CallableOf(session, {"x"}, {"sum"}), get = CallableOf(session, {}, {"got"});
    for (const int number : {-1, 0, 1}) sum.RunAsync({&two, 1}, {.inter_op_thread_pool = number}, outcomes.Next());
    sum.RunAsync({&two, 1}, {.inter_op_pool = &pool}, outcomes.Next());
    for (const int number : {-1, 0, 1}) get.RunAsync({}, {.inter_op_thread_pool = number}, outcomes.Next());
    get.RunAsync({}, {.inter_op_pool = &pool}, outcomes.Next());
    for (int i = 0; i < 4; ++i) REQUIRE(Put(session, 3.0f).ok());
    REQUIRE(outcomes.Wait(8));
    CHECK(outcomes.CountCode(Code::kOk) == 8);
    CHECK(tasks >= 2);
  }
  TEST_CASE("many threads start, cancel and close") {
    for (int round = 0; round < 10; ++round) {
      Session session = MakeSession(
          {.inter_op_threads = round % 2 == 0 ? 0 : 2, .async_limits = {.max_concurrent_runs = round % 3 * 8}});
      std::atomic<int> started{0}, ended{0};
      const Callable get = CallableOf(session, {}, {"negative"}), sum = CallableOf(session, {"x"}, {"sum"});
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
          const Tensor two = Tensor::Scalar(2.0f);
          for (int i = 0; i < 60; ++i) {
            CancellationManager manager;
            const int runs = 3;
            std::atomic<int> mine{0};
            const auto done = [&](Outcome) {
              ++ended;
              ++mine;
            };
            started += runs;
            get.RunAsync({}, {.timeout_in_ms = i % 7 == 0 ? 1 : 0, .cancellation = &manager}, done);
            sum.RunAsync({&two, 1}, {.cancellation = &manager}, done);
            get.RunAsync({}, {.cancellation = &manager}, done);
            if ((i + t) % 3 == 0) (void)Put(session, 1.0f);
            manager.StartCancel();
            while (mine < runs) std::this_thread::yield();
          }
        });
      }
      if (round % 4 == 3) CHECK(session.Close().ok());
      for (std::thread& thread : threads) thread.join();
      CHECK(started == ended);
    }
  }
#if TENON_TEST_FORKS
  TEST_CASE("the child of a fork() runs in its own threads") {
    const Session session = MakeSession();
    const Callable sum = CallableOf(session, {"x"}, {"sum"});
    const Tensor two = Tensor::Scalar(2.0f);
    Outcomes outcomes;
    sum.RunAsync({&two, 1}, {}, outcomes.Next());
    REQUIRE(outcomes.Wait(1));
    std::this_thread::sleep_for(5ms);
    CHECK(test::InChild([&] {
            Outcomes own;
            sum.RunAsync({&two, 1}, {}, own.Next());
            if (!own.Wait(1)) return 1;
            return own[0].ok() && (*own[0])[0].scalar<float>()() == 3 ? 0 : 2;
          }) == 0);
    const Callable get = CallableOf(session, {}, {"got"});
    get.RunAsync({}, {}, outcomes.Next());  // under way: the child cannot go on with it
    std::this_thread::sleep_for(5ms);
    CHECK(test::InChild([&] { return errors::IsFailedPrecondition(sum({two}).status()) ? 0 : 1; }) == 0);
    REQUIRE(Put(session, 1.0f).ok());
    REQUIRE(outcomes.Wait(2));
  }
#endif
}
}  // namespace async_run_test
