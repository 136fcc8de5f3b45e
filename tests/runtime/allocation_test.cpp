// SPDX-License-Identifier: Apache-2.0
// The promise of the steady state: a run allocates nothing but its outputs.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/session.hpp>

#include "graphs.hpp"
#include "heap_counter.hpp"
#include "loops.hpp"

namespace allocation_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Ten runs ask the heap for nothing and the session's allocator for one output each. The allocator's own books are on
// the heap: only one of the two can be counted at a time.
void CheckSteadyState(const Callable& callable, const Tensor& input, const TrackingAllocator* allocator) {
  std::vector<Tensor> out(1);
  for (int i = 0; i < 4; ++i) REQUIRE(callable.Run({&input, 1}, out).ok());
  const std::int64_t before = allocator == nullptr ? 0 : allocator->GetStats()->num_allocs;
  HeapCalls() = 0;
  Status status;
  for (int i = 0; i < 10; ++i) status.Update(callable.Run({&input, 1}, out));
  const long calls = HeapCalls();
  CHECK(status.ok());
  if (allocator == nullptr)
    CHECK(calls == 0);
  else
    CHECK(allocator->GetStats()->num_allocs - before <= 10);
}

}  // namespace

TEST_SUITE("Steady state") {
  TEST_CASE("calls of the heap are counted") {
    HeapCalls() = 0;
    const std::string text(100, 'x');
    const bool counted = HeapCalls() > 0;
    CHECK(text.size() == 100);
    CHECK(counted == kCountsHeapCalls);
  }
  TEST_CASE("a run of a callable asks nobody for memory but for its outputs") {
    for (const char* model : {"mlp_digits", "cnn_digits"})
      for (const bool tracked : {false, true}) {
        TrackingAllocator allocator(CpuAllocator());
        const auto session =
            Session::FromGraphFile(std::string(TENON_TEST_DATA "/models/") + model + "/graph.pb",
                                   {.intra_op_threads = 1, .allocator = tracked ? &allocator : nullptr});
        REQUIRE_MESSAGE(session.ok(), session.status().message());
        const auto callable =
            session->MakeCallable({.feeds = {session->inputs()[0].name}, .fetches = {session->outputs().back().name}});
        REQUIRE_MESSAGE(callable.ok(), callable.status().message());
        CheckSteadyState(*callable,
                         Tensor::Zeros<float>(model[0] == 'm' ? TensorShape({1, 784}) : TensorShape({1, 28, 28, 1})),
                         tracked ? &allocator : nullptr);
      }
  }
  TEST_CASE("chains and diamonds too") {
    for (const bool tracked : {false, true}) {
      TrackingAllocator allocator(CpuAllocator());
      const auto session = Session::FromGraph(WideGraph(5, 20), {.allocator = tracked ? &allocator : nullptr});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
      CheckSteadyState(*callable, Tensor::Zeros<float>({64}), tracked ? &allocator : nullptr);
    }
  }
  TEST_CASE("loops too, whatever the number of iterations") {
    TrackingAllocator allocator(CpuAllocator());
    for (const std::int64_t parallel : {1, 10}) {
      FlowGraph graph(DataType::kInt32);
      graph.Feed("n").Count("", "n", parallel);
      const auto session = graph.Load({.allocator = &allocator});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto callable = session->MakeCallable({.feeds = {"n"}, .fetches = {"exit"}});
      const Tensor few = Tensor::Scalar(20), many = Tensor::Scalar(500);
      std::vector<Tensor> out(1);
      for (int i = 0; i < 3; ++i) REQUIRE(callable->Run({&few, 1}, out).ok());
      const auto before = allocator.GetStats()->num_allocs;
      HeapCalls() = 0;
      Status status;
      for (int i = 0; i < 10; ++i) status.Update(callable->Run({&many, 1}, out));
      const long calls = HeapCalls();
      CHECK(status.ok());
      CHECK(calls == 0);
      CHECK(allocator.GetStats()->num_allocs - before <= 10);
      CHECK(out[0].scalar<int>()() == 500);
    }
  }
  TEST_CASE("runs with many shapes leave no more behind than about two of them need") {
    constexpr Index kLargest = 1 << 20;
    const auto held_after = [](Index first) {
      TrackingAllocator allocator(CpuAllocator());
      const auto session =
          Session::FromGraph(WideGraph(3, 4), {.inter_op_threads = 1, .intra_op_threads = 1, .allocator = &allocator});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
      std::vector<Tensor> out(1);
      Status status;
      for (Index n = first; n <= kLargest; n += n / 16 + 1) {
        const Tensor x = Tensor::Zeros<float>({n});
        status.Update(callable->Run({&x, 1}, out));
      }
      CHECK(status.ok());
      out.clear();
      return allocator.GetStats()->bytes_in_use;
    };
    const auto one = held_after(kLargest), many = held_after(1);
    CHECK(one > kLargest);
    CHECK(many <= 2 * one + (2 << 20));
  }
}
}  // namespace allocation_test
