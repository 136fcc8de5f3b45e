// SPDX-License-Identifier: Apache-2.0
// SessionFunctions by itself; what kernels make of it is in tests/ops/flow/functional_test.cpp.
#include <tenon/runtime/function/session_functions.hpp>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/device/cpu_device.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"
#include "growth.hpp"
#include "runtime/graphs.hpp"

namespace functions_test {
using namespace tenon;
using namespace function_test;

namespace {

// The functions of a graph that consists of nothing else.
struct Library {
  explicit Library(SlimVector<FunctionDef> defs)
      : device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr) {
    graph.mutable_library().function = std::move(defs);
    env.step_allocator = env.result_allocator = CpuAllocator();
  }
  CpuDevice device;
  Graph graph;
  StepEnvironment env;
  detail::SessionFunctions functions{&graph, &Registry::Global(), &device, &device, ProgramOptions()};
};

}  // namespace

TEST_SUITE("SessionFunctions") {
  TEST_CASE("one handle for each name and attrs") {
    Library library({Double()});
    const auto find = [&](const AttrValue& call) { return library.functions.Find(call.func()); };
    const AttrValue of_float = Call("double", {{"T", AttrValue(DataType::kFloat)}});
    const AttrValue of_double = Call("double", {{"T", AttrValue(DataType::kDouble)}});
    REQUIRE(find(of_float).ok());
    CHECK(find(of_float)->number == find(of_float)->number);
    CHECK(find(of_float)->number != find(of_double)->number);
    const auto none = find(Call("dubble"));
    CHECK(errors::IsInvalidArgument(none.status()));
    CHECK(runtime_test::Contains(none.status().message(), "did you mean 'double'?"));
  }

  TEST_CASE("threads may make the first call together") {
    Library library({Double()});
    const auto handle = library.functions.Find(Call("double", {{"T", AttrValue(DataType::kFloat)}}).func());
    REQUIRE(handle.ok());
    std::vector<std::thread> threads;
    std::vector<float> sums(4, 0.0f);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i) {
          Tensor arg = Tensor::Scalar(static_cast<float>(i)), result(DataType::kInvalid);
          if (!library.functions.Run(*handle, library.env, std::span<Tensor>(&arg, 1), std::span<Tensor>(&result, 1))
                   .ok())
            return;
          sums[static_cast<std::size_t>(t)] += result.scalar<float>()();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const float sum : sums) CHECK(sum == 9900);
  }

  TEST_CASE("an error in the body names the function; the next call works") {
    Library library(
        {Floats("f", {"x"}, {MakeNode("y", "AddV2", {"x", "x"}, {{"T", AttrValue(DataType::kInt32)}})}, "y:z:0"),
         Double()});
    const auto bad = library.functions.Find(Call("f").func());
    REQUIRE(bad.ok());
    Tensor arg = Tensor::Scalar(1.0f), result(DataType::kInvalid);
    const auto run = [&](FunctionHandle f) {
      arg = Tensor::Scalar(1.0f);
      return library.functions.Run(f, library.env, std::span<Tensor>(&arg, 1), std::span<Tensor>(&result, 1));
    };
    CHECK(errors::IsInvalidArgument(run(*bad)));
    const std::string message(run(*bad).message());
    CHECK(message.find("function 'f'") != std::string::npos);
    CHECK(message.find("function 'f'") == message.rfind("function 'f'"));
    const auto good = library.functions.Find(Call("double", {{"T", AttrValue(DataType::kFloat)}}).func());
    CHECK(run(*good).ok());
    CHECK(result.scalar<float>()() == 2);
    library.env.call_depth = detail::SessionFunctions::kMaxCallDepth;
    CHECK(run(*good).code() == Code::kResourceExhausted);
  }

  TEST_CASE("a shape that the body's own contradict is ignored") {
    FunctionDef wrong = Double();
    wrong.node_def[0].attr.Set("_output_shapes", AttrValue(SlimVector<PartialTensorShape>{PartialTensorShape({2, 3})}));
    wrong.node_def.push_back(
        MakeNode("c", "Const", {},
                 {{"dtype", AttrValue(DataType::kFloat)},
                  {"value", AttrValue(Tensor::Scalar(1.0f))},
                  {"_output_shapes", AttrValue(SlimVector<PartialTensorShape>{PartialTensorShape({2, 3})})}}));
    Library library({wrong});
    const auto handle = library.functions.Find(Call("double", {{"T", AttrValue(DataType::kFloat)}}).func());
    REQUIRE(handle.ok());
    Tensor arg = Tensor::Scalar(2.0f), result(DataType::kInvalid);
    const Status status =
        library.functions.Run(*handle, library.env, std::span<Tensor>(&arg, 1), std::span<Tensor>(&result, 1));
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(result.scalar<float>()() == 4);
  }

  TEST_CASE("finds many functions in linear time") {
    const double growth = growth_test::Growth(2000, [](int n) {
      SlimVector<FunctionDef> defs;
      for (int i = 0; i < n; ++i) {
        defs.push_back(Double());
        defs.back().signature.name = StrCat("f", i);
      }
      Library library(std::move(defs));
      for (int i = 0; i < n; ++i)
        for (const DataType type : {DataType::kFloat, DataType::kInt32}) {
          const auto f = library.functions.Find(Call(StrCat("f", i), {{"T", AttrValue(type)}}).func());
          REQUIRE(f.ok());
          CHECK(f->number == 2 * i + (type == DataType::kInt32 ? 1 : 0));
        }
    });
    CHECK(growth < growth_test::kLinear);
  }
  TEST_CASE("a function whose first run is cancelled is built by the next") {
    Library library({Double()});
    const auto f = library.functions.Find(Call("double", {{"T", AttrValue(DataType::kFloat)}}).func());
    CancellationManager cancellation;
    cancellation.StartCancel();
    RunServices services;
    services.cancellation = &cancellation;
    library.env.services = &services;
    Tensor arg = Tensor::Scalar(1.0f), result(DataType::kInvalid);
    const auto run = [&] {
      arg = Tensor::Scalar(1.0f);
      return library.functions.Run(*f, library.env, std::span<Tensor>(&arg, 1), std::span<Tensor>(&result, 1));
    };
    CHECK(run().code() == Code::kCancelled);
    library.env.services = nullptr;
    CHECK(run().ok());
    CHECK(result.scalar<float>()() == 2);
  }
}
}  // namespace functions_test
