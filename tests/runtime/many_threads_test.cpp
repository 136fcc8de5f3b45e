// SPDX-License-Identifier: Apache-2.0
// One session, 64 threads, 10,000 runs each: every answer is that of one run alone, bit by bit.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <tenon/runtime/api/session.hpp>

#include "graphs.hpp"
#include "loops.hpp"
#include "sanitizers.hpp"

namespace many_threads_test {
using namespace tenon;
using namespace runtime_test;

namespace {

constexpr int kThreads = 64;
constexpr int kRuns = TENON_TEST_TSAN ? 100 : TENON_TEST_ASAN ? 1000 : 10000;
constexpr int kInputs = 8;

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.TotalBytes()) == 0;
}

// Every thread feeds the inputs in turn, from one of its own on, and shares the callable with the others.
void CheckManyThreads(const Session& session, const CallableOptions& signature, const std::vector<Tensor>& inputs,
                      int runs) {
  const auto callable = session.MakeCallable(signature);
  REQUIRE_MESSAGE(callable.ok(), callable.status().message());
  std::vector<Tensor> expected;
  for (const Tensor& input : inputs) {
    std::vector<Tensor> out(1);
    const Status status = callable->Run({&input, 1}, out);
    REQUIRE_MESSAGE(status.ok(), status.message());
    expected.push_back(out[0]);
  }
  std::atomic<int> failed{0}, different{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Tensor out;
      for (int i = 0; i < runs; ++i) {
        const auto which = static_cast<std::size_t>(t + i) % inputs.size();
        if (!callable->Run({&inputs[which], 1}, {&out, 1}).ok())
          ++failed;
        else if (!SameBytes(out, expected[which]))
          ++different;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(different == 0);
}

// Of two shapes, so that several plans are in use.
std::vector<Tensor> Floats() {
  std::vector<Tensor> inputs;
  for (int i = 0; i < kInputs; ++i) {
    Tensor x = Tensor::Zeros<float>({i % 2 == 0 ? 5 : 16});
    for (std::int64_t j = 0; j < x.NumElements(); ++j)
      x.flat<float>()[j] = 0.1f * static_cast<float>(i + 1) + static_cast<float>(j) / 3;
    inputs.push_back(std::move(x));
  }
  return inputs;
}

}  // namespace

TEST_SUITE("64 threads run one session") {
  TEST_CASE("in the sequential engine and in plans") {
    for (const int plan_after : {0, 2}) {
      const auto session = Session::FromGraph(WideGraph(3, 3), {.intra_op_threads = 1, .plan_after_runs = plan_after});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      CheckManyThreads(*session, {.feeds = {"x"}, .fetches = {"out"}}, Floats(), kRuns);
    }
  }
  TEST_CASE("on a pool of threads") {
    const auto session = Session::FromGraph(
        WideGraph(3, 3), {.inter_op_threads = 2, .intra_op_threads = 1, .executor = ExecutorKind::kDataflow});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    CheckManyThreads(*session, {.feeds = {"x"}, .fetches = {"out"}}, Floats(), kRuns);
  }
  TEST_CASE("with a loop") {
    FlowGraph graph(DataType::kInt32);
    graph.Feed("n").Count("", "n");
    const auto session = graph.Load({.intra_op_threads = 1});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    std::vector<Tensor> inputs;
    for (std::int32_t i = 0; i < kInputs; ++i) inputs.push_back(Tensor::Scalar(i));
    CheckManyThreads(*session, {.feeds = {"n"}, .fetches = {"exit"}}, inputs, kRuns);
  }
}
}  // namespace many_threads_test
