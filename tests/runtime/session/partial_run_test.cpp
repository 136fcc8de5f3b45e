// SPDX-License-Identifier: Apache-2.0
// Session::PRunSetup and PRun. The messages are those TensorFlow 2.21 gives.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <tenon/kernel/cancellation.hpp>
#include <tenon/runtime/api/session.hpp>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace partial_run_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// m = x + 1, q = m * y.
GraphBuilder Parts() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), y = b.Placeholder("y", DataType::kFloat);
  const Output m = b.Add("AddV2", "m", {x, b.Const("one", Tensor::Scalar(1.0f))});
  b.Add("Mul", "q", {m, y});
  b.Placeholder("p", DataType::kFloat);
  return b;
}
// m = x + 1, and a "get" that waits for ever.
GraphBuilder Endless() {
  GraphBuilder b = Parts();
  const SlimVector<DataType> floats{DataType::kFloat};
  b.Add("QueueDequeueV2", "get", {b.Add("FIFOQueueV2", "queue", {}, {{"component_types", floats}})},
        {{"component_types", floats}});
  return b;
}
float Scalar(const Result<std::vector<Tensor>>& out) {
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  return (*out)[0].scalar<float>()();
}
NamedTensor F(const char* name, float value) { return {name, Tensor::Scalar(value)}; }

}  // namespace

TEST_SUITE("Partial runs") {
  TEST_CASE("feeds and fetches come bit by bit") {
    for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraph(Parts(), {.inter_op_threads = 2, .executor = executor});
      REQUIRE(session.ok());
      const auto handle = session->PRunSetup({"x", "y"}, {"m", "q"});
      REQUIRE_MESSAGE(handle.ok(), handle.status().message());
      CHECK(*handle == "x,y->m,q//1/;0");
      CHECK(Scalar(session->PRun(*handle, {F("x", 1)}, {"m"})) == 2);
      CHECK(Scalar(session->PRun(*handle, {F("y", 3)}, {"q"})) == 6);
      const Status over = session->PRun(*handle, {F("y", 3)}, {"q"}).status();
      CHECK(over.code() == Code::kInvalidArgument);
      CHECK(Contains(over.message(), "Must run 'setup' before performing partial runs!"));
    }
  }
  TEST_CASE("several at once, each with values of its own") {
    const auto session = Session::FromGraph(Parts());
    const auto a = session->PRunSetup({"x", "y"}, {"m", "q"}), b = session->PRunSetup({"x", "y"}, {"m", "q"});
    CHECK(session->PRun(*a, {F("x", 1)}, {}).ok());
    CHECK(session->PRun(*b, {F("x", 10)}, {}).ok());
    CHECK(Scalar(session->PRun(*b, {F("y", 2)}, {"q"})) == 22);
    CHECK(Scalar(session->PRun(*a, {F("y", 2)}, {"q"})) == 4);
    CHECK(Scalar(session->PRun(*a, {}, {"m"})) == 2);
  }
  TEST_CASE("what was not agreed on is refused, and the run goes on") {
    const auto session = Session::FromGraph(Parts());
    const std::string run = *session->PRunSetup({"x", "y"}, {"m", "q"});
    const auto message = [&](std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches) {
      const Status s = session->PRun(run, feeds, fetches).status();
      CHECK(s.code() == Code::kInvalidArgument);
      return std::string(s.message());
    };
    CHECK(message({F("x", 1)}, {"q"}) == "Fetch y:0 can't be computed from the feeds that have been fed so far.");
    CHECK(message({F("p", 1)}, {"m"}) == "The feed p was not specified in partial_run_setup.");
    CHECK(message({F("x", 1)}, {"one"}) == "The fetch one was not specified in partial_run_setup.");
    CHECK(message({{"x", Tensor::Scalar(1)}}, {"m"}) == "Feed 'x:0' must be float, but int32 is provided");
    alignas(64) char bytes[64] = {};
    const std::string odd = message({{"x", Tensor::FromMemory(DataType::kFloat, {}, bytes + 1)}}, {"m"});
    CHECK(Contains(odd, "Feed 'x:0': ptr = "));
    CHECK(Contains(odd, " is not a multiple of 4; unaligned_flat and unaligned_shaped see such elements"));
    CHECK(Scalar(session->PRun(run, {F("x", 1)}, {"m"})) == 2);
    CHECK(message({F("x", 2)}, {"q"}) == "The feed x has already been fed.");
    CHECK(message({}, {"m"}) == "The fetch m has already been fetched.");
    CHECK(Scalar(session->PRun(run, {F("y", 2)}, {"q"})) == 4);
    CHECK(Contains(message({F("y", 2)}, {"q"}), "Must run 'setup'"));
  }
  TEST_CASE("setups that make no sense") {
    const auto session = Session::FromGraph(Parts());
    CHECK(session->PRunSetup({}, {}).status().message() == "Must specify at least one target to fetch or execute.");
    CHECK(session->PRunSetup({"x"}, {"nowhere"}).status().code() == Code::kInvalidArgument);
    CHECK(session->PRunSetup({"x", "x"}, {"m"}).status().message() == "Endpoint \"x\" fed more than once.");
    CHECK(session->PRun("no such run", {}, {}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("an error of a node ends the run") {
    const auto session = Session::FromGraph(Parts());
    const std::string run = *session->PRunSetup({"x", "y"}, {"q"});
    const Status s =
        session->PRun(run, {{"x", Tensor::Zeros<float>({2})}, {"y", Tensor::Zeros<float>({3})}}, {"q"}).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(Contains(s.message(), "[node 'q', CPU:0]"));
    CHECK(Contains(session->PRun(run, {}, {}).status().message(), "Must run 'setup'"));
  }
  TEST_CASE("what needs no feed runs at once; targets run when their feeds are there") {
    GraphBuilder b;
    const SlimVector<DataType> floats{DataType::kFloat};
    const Output q = b.Add("FIFOQueueV2", "queue", {}, {{"component_types", floats}});
    b.Add("QueueEnqueueV2", "put", {q, {b.Placeholder("x", DataType::kFloat)}});
    b.Add("QueueDequeueV2", "get", {q}, {{"component_types", floats}});
    const auto session = Session::FromGraph(b);
    const std::vector<std::string> feeds{"x"}, fetches{"get"}, targets{"put"};
    const std::string run = *session->PRunSetup(feeds, fetches, targets);
    // The dequeue waits for the enqueue, which waits for its feed.
    CHECK(Scalar(session->PRun(run, {F("x", 8)}, {"get"})) == 8);
  }
  TEST_CASE("branches and loops, and a dead fetch") {
    FlowGraph g;
    g.Feed("x").Feed("p", DataType::kBool).Switch("s", "x", "p");
    g.Node("yes", "AddV2", {"s:1", "s:1"}).Node("no", "Mul", {"s:0", "s:0"}).Merge("m", {"yes", "no"});
    const auto session = g.Load();
    const std::string run = *session->PRunSetup({"x", "p"}, {"m", "yes", "no"});
    CHECK(session->PRun(run, {F("x", 5)}, {}).ok());
    CHECK(Scalar(session->PRun(run, {{"p", Tensor::Scalar(false)}}, {"m"})) == 25);
    CHECK(Scalar(session->PRun(run, {}, {"no"})) == 25);
    const Status dead = session->PRun(run, {}, {"yes"}).status();
    CHECK(dead.code() == Code::kInvalidArgument);
    CHECK(dead.message() == "The tensor returned for yes was not valid.");

    FlowGraph loop(DataType::kInt32);
    loop.Feed("n").Count("", "n").Feed("more").Node("sum", "AddV2", {"exit", "more"});
    const auto counting = loop.Load();
    const std::string count = *counting->PRunSetup({"n", "more"}, {"exit", "sum"});
    CHECK((*counting->PRun(count, {{"n", Tensor::Scalar(6)}}, {"exit"}))[0].scalar<int>()() == 6);
    CHECK((*counting->PRun(count, {{"more", Tensor::Scalar(4)}}, {"sum"}))[0].scalar<int>()() == 10);
    CHECK(counting->PRunSetup({"n"}, {"add"}).status().code() == Code::kUnimplemented);
  }
  TEST_CASE("Close ends a partial run, and a session may go with runs that nobody ended") {
    auto session = Session::FromGraph(Parts());
    const std::string run = *session->PRunSetup({"x", "y"}, {"m", "q"});
    CHECK(session->PRun(run, {F("x", 1)}, {}).ok());
    REQUIRE(session->PRunSetup({"x", "y"}, {"m", "q"}).ok());
    CHECK(session->Close().ok());
    CHECK(session->PRun(run, {F("y", 1)}, {"q"}).status().message() == "Session has been closed.");
  }
  TEST_CASE("a deadline ends the run, a waiting PRun or one that comes later") {
    const auto session = Session::FromGraph(Endless());
    const std::string waits = *session->PRunSetup({"x"}, {"m", "get"}, {}, {.timeout_in_ms = 20});
    const Status late = session->PRun(waits, {}, {"get"}).status();
    CHECK(late.code() == Code::kDeadlineExceeded);
    CHECK(Contains(late.message(), "Timed out waiting for notification: the run did not end within 20 ms"));
    CHECK(Contains(session->PRun(waits, {}, {}).status().message(), "Must run 'setup'"));

    const std::string unfed = *session->PRunSetup({"x"}, {"m"}, {}, {.timeout_in_ms = 20});
    Status status;
    while (status.ok()) status = session->PRun(unfed, {}, {}).status();
    CHECK(status.code() == Code::kDeadlineExceeded);
    CHECK(Contains(session->PRun(unfed, {F("x", 1)}, {"m"}).status().message(), "Must run 'setup'"));

    const std::string quick = *session->PRunSetup({"x"}, {"m"}, {}, {.timeout_in_ms = 600'000});
    CHECK(Scalar(session->PRun(quick, {F("x", 1)}, {"m"})) == 2);
  }
  TEST_CASE("the session's operation timeout is that of each PRun") {
    const auto session = Session::FromGraph(Endless(), {.operation_timeout_in_ms = 400});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::string run = *session->PRunSetup({"x"}, {"m", "get"});
    std::this_thread::sleep_for(std::chrono::milliseconds(450));
    CHECK(Scalar(session->PRun(run, {F("x", 1)}, {"m"})) == 2);
    const Status late = session->PRun(run, {}, {"get"}).status();
    CHECK(late.code() == Code::kDeadlineExceeded);
    CHECK(Contains(late.message(), "PRun did not end within 400 ms"));
    // The last PRun waits for the targets.
    const std::string target = *session->PRunSetup({"x"}, {"m"}, {"get"});
    CHECK(session->PRun(target, {F("x", 1)}, {"m"}).status().code() == Code::kDeadlineExceeded);
  }
  TEST_CASE("whoever waits in a PRun may be cancelled, by name or with the session") {
    auto session = Session::FromGraph(Endless());
    const auto wait = [&](const std::string& run, auto stop) {
      Status status;
      std::thread waiter([&] { status = session->PRun(run, {}, {"get"}).status(); });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      stop();
      waiter.join();
      return status;
    };
    CancellationManager mine;
    const std::string run = *session->PRunSetup({"x"}, {"m", "get"}, {}, {.cancellation = &mine});
    const std::string other = *session->PRunSetup({"x"}, {"m", "get"});
    CHECK(wait(run, [&] { mine.StartCancel(); }).code() == Code::kCancelled);
    CHECK(Contains(session->PRun(run, {}, {}).status().message(), "Must run 'setup'"));
    CHECK(Scalar(session->PRun(other, {F("x", 1)}, {"m"})) == 2);
    CHECK(wait(other, [&] { CHECK(session->Close().ok()); }).code() == Code::kCancelled);
    CHECK(session->PRunSetup({"x"}, {"m"}, {}, {.cancellation = &mine}).status().code() == Code::kCancelled);
  }
  TEST_CASE("a run whose manager is cancelled already, and options that do not apply") {
    const auto session = Session::FromGraph(Parts());
    CancellationManager mine;
    mine.StartCancel();
    const std::string run = *session->PRunSetup({"x"}, {"m"}, {}, {.cancellation = &mine});
    CHECK(session->PRun(run, {F("x", 1)}, {"m"}).status().code() == Code::kCancelled);
    const auto refused = [&](const RunOptions& options) {
      return session->PRunSetup({"x"}, {"m"}, {}, options).status();
    };
    CHECK(refused({.timeout_in_ms = -1}).code() == Code::kInvalidArgument);
    CHECK(refused({.trace_level = TraceLevel::kFull}).code() == Code::kUnimplemented);
    CHECK(Contains(refused({.inter_op_thread_pool = -1}).message(), "'inter_op_thread_pool' was given"));
  }
  TEST_CASE("threads may feed and fetch one run") {
    const auto session = Session::FromGraph(Parts());
    for (int i = 0; i < 20; ++i) {
      const std::string run = *session->PRunSetup({"x", "y"}, {"m", "q"});
      std::atomic<int> wrong{0};
      std::thread feeder([&] { wrong += !session->PRun(run, {F("y", 3)}, {}).ok(); });
      wrong += Scalar(session->PRun(run, {F("x", 1)}, {"m"})) != 2;
      feeder.join();
      wrong += Scalar(session->PRun(run, {}, {"q"})) != 6;
      CHECK(wrong == 0);
    }
  }
}
}  // namespace partial_run_test
