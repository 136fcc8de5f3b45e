// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/control_flow/linked_frames.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/kernel/cancellation.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>

#include "runtime/cpu_devices.hpp"
#include "runtime/looping_graphs.hpp"

namespace linked_frames_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Call;
using function_test::Floats;

namespace {

constexpr ExecutorKind kBoth[] = {ExecutorKind::kAuto, ExecutorKind::kSequential};

Session Lowered(const GraphDef& graph, ExecutorKind executor) {
  SessionOptions options;
  options.devices = {"CPU:0", "CPU:1", "CPU:2", "CPU:3"};
  options.executor = executor;
  options.lower_control_flow = &LowerAllFunctionalOps;
  Result<Session> session = Session::FromGraphDef(OnCpus(graph), options);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}

// While x < limit: x = a loop from x to x + 3 on CPU:3, so that iterations of several loops cross devices.
GraphDef Nested(float limit) {
  GraphDef def = CountingOnFour(limit);
  const auto loop = [](std::string cond, std::string body) {
    return function_test::MakeNode("inner", "While", {"i", "goal:z:0"},
                                   {{"T", AttrValue(SlimVector<DataType>{DataType::kFloat, DataType::kFloat})},
                                    {"cond", Call(std::move(cond))},
                                    {"body", Call(std::move(body))},
                                    {"parallel_iterations", AttrValue(std::int64_t{3})},
                                    {"_lower_using_switch_merge", AttrValue(true)}});
  };
  FunctionDef inner_less =
      Floats("inner_less", {"i", "n"}, {FloatNode("l", "Less", {"i", "n"}, "SIM:1")}, "l:z:0", DataType::kBool);
  FunctionDef inner_step =
      Floats("inner_step", {"i", "n"}, {FloatConst("one", 1), FloatNode("s", "AddV2", {"i", "one:output:0"}, "SIM:1")},
             "s:z:0");
  inner_step.signature.output_arg.push_back(function_test::Arg("n", DataType::kFloat));
  inner_step.ret.push_back({"n", "n"});
  FunctionDef step = Floats("step", {"i"},
                            {FloatConst("three", 3), FloatNode("goal", "AddV2", {"i", "three:output:0"}, "SIM:0"),
                             loop("inner_less", "inner_step")},
                            "inner:output:0");
  for (FunctionDef& function : def.library.function)
    if (function.signature.name == "step") function = step;
  def.library.function.push_back(inner_less);
  def.library.function.push_back(inner_step);
  return def;
}

}  // namespace

TEST_SUITE("Linked runs with frames") {
  TEST_CASE("a loop over four CPUs") {
    for (const ExecutorKind executor : kBoth) {
      const Session session = Lowered(CountingOnFour(40), executor);
      for (const float start : {0.0f, 7.0f, 40.0f, 41.0f}) {
        const auto out = session.Run({{"x", Tensor::Scalar(start)}}, {"out"});
        REQUIRE_MESSAGE(out.ok(), out.status().ToString());
        CHECK((*out)[0].scalar<float>()() == -std::max(start, 40.0f));
      }
    }
  }

  TEST_CASE("a loop in a loop, several callers") {
    for (const ExecutorKind executor : kBoth) {
      const Session session = Lowered(Nested(20), executor);
      std::atomic<int> wrong{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 10; ++i) {
            const auto out = session.Run({{"x", Tensor::Scalar(0.0f)}}, {"out"});
            wrong += !out.ok() || (*out)[0].scalar<float>()() != -21;
          }
        });
      for (std::thread& thread : threads) thread.join();
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("an endless loop ends when its run is late or cancelled") {
    GraphDef graph = CountingOnFour(1e9f);
    for (const ExecutorKind executor : kBoth) {
      const Session session = Lowered(graph, executor);
      RunOptions late;
      late.timeout_in_ms = 30;
      for (int i = 0; i < 3; ++i)
        CHECK(session.Run({{"x", Tensor::Scalar(0.0f)}}, {"out"}, {}, late).status().code() == Code::kDeadlineExceeded);
      CHECK(session.Run({{"x", Tensor::Scalar(1e9f)}}, {"out"}).ok());
    }
  }
}
}  // namespace linked_frames_test
