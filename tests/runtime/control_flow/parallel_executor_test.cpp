// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/control_flow/parallel_executor.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace parallel_frames_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Runs what it is given at once, on the thread that asks.
struct InlinePool final : ThreadPoolInterface {
  void Schedule(void (*fn)(void*), void* arg) override { fn(arg); }
  int NumThreads() const override { return 3; }
  void ParallelFor(Index total, Index, void (*fn)(void*, Index, Index), void* arg) override { fn(arg, 0, total); }
};

constexpr DataType kInt = DataType::kInt32;
SessionOptions Threads(int threads) { return {.inter_op_threads = threads, .executor = ExecutorKind::kDataflow}; }

// "exit" counts to n, four chains of additions hang on every iteration; "sum" = 4 * (1 + ... + n).
FlowGraph Chains(std::int64_t parallel) {
  FlowGraph g(kInt);
  g.Feed("n").Count("", "n", parallel).Enter("es", "zero", "frame", false, parallel);
  g.Merge("ms", {"es", "ns"}).Switch("ss", "ms", "cond");
  std::string sum = "ss:1";
  for (const char* chain : {"a", "b", "c", "d"}) {
    std::string last = "add";
    for (int i = 0; i < 5; ++i) {
      const std::string name = StrCat(chain, i);
      g.Node(StrCat("neg", name), "Neg", {last}).Node(name, "Neg", {StrCat("neg", name)});
      last = name;
    }
    g.Node(StrCat("sum", chain), "AddV2", {sum, last});
    sum = StrCat("sum", chain);
  }
  return g.Node("ns", "NextIteration", {sum}).Node("sum", "Exit", {"ss"});
}

}  // namespace

TEST_SUITE("Frames on several threads") {
  TEST_CASE("give the same results, whatever the number of threads and of iterations under way") {
    for (const int threads : {1, 2, 4})
      for (const std::int64_t parallel : {1, 3, 10}) {
        const auto session = Chains(parallel).Load(Threads(threads));
        REQUIRE_MESSAGE(session.ok(), session.status().message());
        for (const int n : {0, 1, 50, 7}) {
          const auto out = session->Run({{"n", Tensor::Scalar(n)}}, {"exit", "sum"});
          REQUIRE_MESSAGE(out.ok(), out.status().message());
          CHECK((*out)[0].scalar<int>()() == n);
          CHECK((*out)[1].scalar<int>()() == 2 * n * (n + 1));
        }
      }
  }
  TEST_CASE("may be run by several callers at once") {
    const auto session = Chains(4).Load(Threads(2));
    REQUIRE(session.ok());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          const int n = (i + t) % 9;
          const auto out = session->Run({{"n", Tensor::Scalar(n)}}, {"sum"});
          if (!out.ok() || (*out)[0].scalar<int>()() != 2 * n * (n + 1)) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
  TEST_CASE("take a pool that runs its tasks at once") {
    InlinePool pool;
    const auto session = Chains(4).Load({.inter_op_pool = &pool, .executor = ExecutorKind::kDataflow});
    REQUIRE(session.ok());
    const auto out = session->Run({{"n", Tensor::Scalar(20)}}, {"sum"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<int>()() == 840);
  }
  TEST_CASE("stop at an error and begin anew") {
    FlowGraph g = Chains(10);
    g.Const("five", Tensor::Scalar(5), {"^pivot"}).Node("small", "Less", {"switch:1", "five"});
    g.Node("check", "Assert", {"small", "switch:1"}, {{"T", AttrValue(SlimVector<DataType>{kInt})}}, false);
    const auto session = g.Load(Threads(3));
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (int i = 0; i < 5; ++i) {
      const Status status = session->Run({{"n", Tensor::Scalar(9)}}, {"sum"}, {"check"}).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK_MESSAGE(Contains(status.message(), "assertion failed: ["), status.message());
      const auto out = session->Run({{"n", Tensor::Scalar(5)}}, {"sum"}, {"check"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<int>()() == 60);
    }
  }
  TEST_CASE("know dead values") {
    FlowGraph g;
    g.Feed("x").Feed("p", DataType::kBool).Switch("s", "x", "p").Node("f", "Neg", {"s"}).Node("t", "Square", {"s:1"});
    g.Merge("m", {"f", "t"});
    const auto session = g.Load(Threads(2));
    REQUIRE(session.ok());
    for (const bool p : {false, true}) {
      const auto out = session->Run({{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(p)}}, {"m"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<float>()() == (p ? 9.0f : -3.0f));
      const Status dead =
          session->Run({{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(p)}}, {p ? "f" : "t"}).status();
      CHECK(dead.code() == Code::kInvalidArgument);
    }
  }
}
}  // namespace parallel_frames_test
