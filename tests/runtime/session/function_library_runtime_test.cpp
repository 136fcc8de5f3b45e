// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/function_library_runtime.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/devices.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime.hpp>
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace function_library_runtime_test {
using namespace tenon;
using namespace function_test;
using Handle = FunctionLibraryRuntime::Handle;

namespace {

const AttrValue kFloatType(DataType::kFloat);

// add(a, b) gives the sum and, as it came, b.
FunctionDef AddAndPass() {
  FunctionDef f = Floats("add", {"a", "b"}, {MakeNode("sum", "AddV2", {"a", "b"}, {{"T", kFloatType}})}, "sum:z:0");
  f.signature.output_arg.push_back(Arg("same", DataType::kFloat));
  f.ret.push_back({"same", "b"});
  return f;
}
FunctionDef Forever() { return Floats("forever", {"x"}, {MakeNode("again", "forever", {"x"})}, "again:out:0"); }
// A stream of random numbers: its state is the kernel's.
FunctionDef Dice() {
  FunctionDef f = Floats(
      "dice", {},
      {MakeNode("shape", "Const", {},
                {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(MakeTensor<std::int32_t>({1}, {2}))}}),
       MakeNode("r", "RandomUniform", {"shape:output:0"},
                {{"dtype", kFloatType},
                 {"T", AttrValue(DataType::kInt32)},
                 {"seed", AttrValue(std::int64_t{5})},
                 {"seed2", AttrValue(std::int64_t{7})}})},
      "r:output:0");
  f.signature.is_stateful = true;
  return f;
}
// Adds 1 to a variable and gives its value.
FunctionDef Count() {
  FunctionDef f = Floats(
      "count", {},
      {MakeNode("one", "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(1.0f))}}),
       MakeNode("v", "VarHandleOp", {},
                {{"dtype", kFloatType}, {"shape", AttrValue(PartialTensorShape({}))}, {"shared_name", AttrValue("n")}}),
       MakeNode("is", "VarIsInitializedOp", {"v:resource:0"}),
       MakeNode("add", "AssignAddVariableOp", {"v:resource:0", "one:output:0"}, {{"dtype", kFloatType}}),
       MakeNode("read", "ReadVariableOp", {"v:resource:0", "^add"}, {{"dtype", kFloatType}})},
      "read:value:0");
  f.signature.is_stateful = true;
  return f;
}
FunctionDef Start() {
  FunctionDef f;
  f.signature.name = "start";
  f.signature.is_stateful = true;
  f.node_def = {
      MakeNode("zero", "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(0.0f))}}),
      MakeNode("v", "VarHandleOp", {},
               {{"dtype", kFloatType}, {"shape", AttrValue(PartialTensorShape({}))}, {"shared_name", AttrValue("n")}}),
      MakeNode("set", "AssignVariableOp", {"v:resource:0", "zero:output:0"}, {{"dtype", kFloatType}})};
  return f;
}
// The queue "q" of floats: put(x) gives x on, take() waits for one.
FunctionDef OfQueue(const char* name, const NodeDef& node, const char* result) {
  const AttrValue floats(SlimVector<DataType>{DataType::kFloat});
  FunctionDef f = Floats(
      name, {},
      {MakeNode("q", "FIFOQueueV2", {}, {{"component_types", floats}, {"shared_name", AttrValue("q")}}), node}, result);
  f.signature.is_stateful = true;
  return f;
}
FunctionDef Take() {
  const AttrValue floats(SlimVector<DataType>{DataType::kFloat});
  return OfQueue("take", MakeNode("t", "QueueDequeueV2", {"q:handle:0"}, {{"component_types", floats}}),
                 "t:components:0");
}
FunctionDef Put() {
  const AttrValue floats(SlimVector<DataType>{DataType::kFloat});
  FunctionDef f = OfQueue("put", MakeNode("p", "QueueEnqueueV2", {"q:handle:0", "x"}, {{"Tcomponents", floats}}), "x");
  f.signature.input_arg.push_back(Arg("x", DataType::kFloat));
  return f;
}
FunctionDefLibrary Library() {
  FunctionDefLibrary library;
  library.function = {Double(), AddAndPass(), Forever(), Dice(), Count(), Start(), Take(), Put()};
  return library;
}
struct Functions {
  explicit Functions(SessionOptions options = {})
      : library(Registry::Global().ops(), Library()), runtime(&library, std::move(options)) {}
  Handle Make(std::string_view name, const AttrMap& attrs = {}, const InstantiateOptions& options = {}) {
    Handle handle = 0;
    const Status status = runtime.Instantiate(name, attrs, options, &handle);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    return handle;
  }
  std::vector<Tensor> Call(Handle handle, std::vector<Tensor> args) {
    auto out = runtime.Run(handle, args);
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    return *std::move(out);
  }
  FunctionLibraryDefinition library;
  FunctionLibraryRuntime runtime;
};
float First(const std::vector<Tensor>& out) { return out[0].flat<float>()(0); }

}  // namespace

TEST_SUITE("FunctionLibraryRuntime") {
  TEST_CASE("a function with its attrs bound is called with tensors") {
    Functions f;
    const Handle floats = f.Make("double", {{"T", kFloatType}});
    const Handle ints = f.Make("double", {{"T", AttrValue(DataType::kInt32)}});
    CHECK(floats != ints);
    CHECK(First(f.Call(floats, {Tensor::Scalar(3.0f)})) == 6);
    CHECK(f.Call(ints, {MakeTensor<std::int32_t>({2}, {1, 4})})[0].flat<std::int32_t>()(1) == 8);
    CHECK(*f.runtime.DebugString(floats) == "double[T=DT_FLOAT]");
    CHECK((*f.runtime.GetRetTypes(ints))[0] == DataType::kInt32);
    CHECK((*f.runtime.GetArgTypes(ints)).size() == 1);
    CHECK(f.runtime.GetFunctionBody(floats)->node.size() == 2);
    CHECK(f.runtime.IsStateful("dice"));
    CHECK(!f.runtime.IsStateful("double"));
    CHECK(!f.runtime.IsStateful("AddV2"));
    CHECK(f.runtime.IsStateful("RandomUniform"));
    CHECK(!f.runtime.IsStateful("nothing"));
  }
  TEST_CASE("a result may be an argument") {
    Functions f;
    const Handle add = f.Make("add");
    const Tensor b = MakeTensor<float>({2}, {3, 4});
    const auto out = f.Call(add, {MakeTensor<float>({2}, {1, 2}), b});
    REQUIRE(out.size() == 2);
    CHECK(out[0].flat<float>()(1) == 6);
    CHECK(out[1].SharesBufferWith(b));
    FunctionLibraryDefinition library(Registry::Global().ops());
    REQUIRE(library.AddFunctionDef(Floats("same", {"x"}, {}, "x")).ok());
    FunctionLibraryRuntime runtime(&library);
    Handle same = 0;
    REQUIRE(runtime.Instantiate("same", {}, {}, &same).ok());
    CHECK((*runtime.Run(same, {&b, 1}))[0].SharesBufferWith(b));
  }
  TEST_CASE("one handle for one instance, until it was released as often as asked for") {
    Functions f;
    const Handle once = f.Make("add");
    CHECK(f.Make("add") == once);
    CHECK(f.runtime.num_instances() == 1);
    CHECK(f.Make("add", {}, {.state_handle = "other"}) != once);
    CHECK(f.runtime.num_instances() == 2);
    CHECK(f.runtime.ReleaseHandle(once).ok());
    CHECK(f.runtime.Run(once, std::vector<Tensor>{Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)}).ok());
    CHECK(f.runtime.ReleaseHandle(once).ok());
    CHECK(f.runtime.num_instances() == 1);
    CHECK(f.runtime.ReleaseHandle(once).code() == Code::kNotFound);
    CHECK(f.runtime.Run(once, {}).status().code() == Code::kNotFound);
    CHECK(f.runtime.GetRetTypes(once).status().code() == Code::kNotFound);
    CHECK(f.runtime.DebugString(FunctionLibraryRuntime::kInvalidHandle).status().code() == Code::kNotFound);
    CHECK(f.Make("add") != once);
  }
  TEST_CASE("state handles keep kernels apart, variables are common") {
    Functions f;
    const Handle dice = f.Make("dice");
    const float first = First(f.Call(dice, {}));
    const float second = First(f.Call(dice, {}));
    CHECK(first != second);
    CHECK(First(f.Call(f.Make("dice", {}, {.state_handle = "mine"}), {})) == first);
    f.Call(f.Make("start"), {});
    CHECK(First(f.Call(f.Make("count"), {})) == 1);
    CHECK(First(f.Call(f.Make("count"), {})) == 2);
    CHECK(First(f.Call(f.Make("count", {}, {.state_handle = "mine"}), {})) == 3);
    const auto clone = f.runtime.Clone(&f.library);
    CHECK(clone->num_instances() == 0);
    Handle count = 0;
    REQUIRE(clone->Instantiate("count", {}, {}, &count).ok());
    CHECK(clone->Run(count, {}).status().code() == Code::kNotFound);  // the clone has variables of its own
  }
  TEST_CASE("on another device") {
    Functions f;
    const Tensor x = Tensor::Scalar(3.0f);
    const Handle there = f.Make("double", {{"T", kFloatType}}, {.target = "SIM:0"});
    CHECK(First(f.Call(there, {x})) == 6);
    Functions sim(SessionOptions{.devices = {"/device:SIM:0"}});
    CHECK(First(sim.Call(sim.Make("double", {{"T", kFloatType}}), {x})) == 6);
    CHECK(First(sim.Call(sim.Make("double", {{"T", kFloatType}}, {.target = "CPU:0"}), {x})) == 6);
    Handle handle = 0;
    CHECK(f.runtime.Instantiate("double", {{"T", kFloatType}}, {.target = "GPX:0"}, &handle).code() ==
          Code::kInvalidArgument);
    CHECK(handle == FunctionLibraryRuntime::kInvalidHandle);
  }
  TEST_CASE("over several devices: nodes run where they ask to, variables are common to all instances") {
    auto made = MakeDevices({"CPU:0", "SIM:0", "SIM:1"}, {CpuAllocator(), nullptr});
    REQUIRE_MESSAGE(made.ok(), made.status().ToString());
    const Owned<DeviceMgr> devices(StaticDeviceMgr::Create(*std::move(made)).value().release());
    const auto enqueued = [&](const char* name) {
      return static_cast<SimulatedDevice&>(**devices->LookupDevice(name)).num_enqueued();
    };
    Functions f(SessionOptions{.device_mgr = devices.get()});
    const auto on = [](const char* device, NodeDef node) {
      node.device = StrCat("/device:", device);
      return node;
    };
    REQUIRE(f.library
                .AddFunctionDef(Floats("spread", {"x"},
                                       {on("SIM:0", MakeNode("a", "Neg", {"x"}, {{"T", kFloatType}})),
                                        on("SIM:1", MakeNode("b", "Square", {"a:y:0"}, {{"T", kFloatType}})),
                                        MakeNode("c", "AddV2", {"b:y:0", "x"}, {{"T", kFloatType}})},
                                       "c:z:0"))
                .ok());
    // add(x): n += x on SIM:0, m += n on SIM:1; gives m.
    const auto variable = [&](const char* device, const char* name) {
      return on(device, MakeNode(name, "VarHandleOp", {},
                                 {{"dtype", kFloatType},
                                  {"shape", AttrValue(PartialTensorShape({}))},
                                  {"shared_name", AttrValue(name)}}));
    };
    const std::pair<std::string, AttrValue> of_floats{"dtype", kFloatType};
    FunctionDef add = Floats("add_both", {"x"},
                             {variable("SIM:0", "n"), variable("SIM:1", "m"),
                              MakeNode("n_add", "AssignAddVariableOp", {"n:resource:0", "x"}, {of_floats}),
                              MakeNode("n_read", "ReadVariableOp", {"n:resource:0", "^n_add"}, {of_floats}),
                              MakeNode("m_add", "AssignAddVariableOp", {"m:resource:0", "n_read:value:0"}, {of_floats}),
                              MakeNode("m_read", "ReadVariableOp", {"m:resource:0", "^m_add"}, {of_floats})},
                             "m_read:value:0");
    FunctionDef begin = Floats("begin", {"x"},
                               {variable("SIM:0", "n"), variable("SIM:1", "m"),
                                MakeNode("n_set", "AssignVariableOp", {"n:resource:0", "x"}, {of_floats}),
                                MakeNode("m_set", "AssignVariableOp", {"m:resource:0", "x"}, {of_floats})},
                               "x");
    add.signature.is_stateful = begin.signature.is_stateful = true;
    REQUIRE(f.library.AddFunctionDef(add).ok());
    REQUIRE(f.library.AddFunctionDef(begin).ok());

    const Tensor x = Tensor::Scalar(3.0f);
    const Handle spread = f.Make("spread");
    const auto before = std::pair(enqueued("SIM:0"), enqueued("SIM:1"));
    CHECK(First(f.Call(spread, {x})) == 12);
    CHECK(enqueued("SIM:0") > before.first);
    CHECK(enqueued("SIM:1") > before.second);
    const auto after = std::pair(enqueued("SIM:0"), enqueued("SIM:1"));
    CHECK(First(f.Call(f.Make("double", {{"T", kFloatType}}, {.target = "CPU:0"}), {x})) == 6);
    CHECK(enqueued("SIM:0") == after.first);
    CHECK(First(f.Call(f.Make("spread", {}, {.target = "SIM:1"}), {x})) == 12);  // whole
    CHECK(enqueued("SIM:0") == after.first);
    CHECK(enqueued("SIM:1") > after.second);

    f.Call(f.Make("begin"), {Tensor::Scalar(1.0f)});
    CHECK(First(f.Call(f.Make("add_both"), {Tensor::Scalar(2.0f)})) == 4);  // n = 3, m = 1 + 3
    CHECK(First(f.Call(f.Make("add_both", {}, {.state_handle = "other"}), {Tensor::Scalar(1.0f)})) == 8);
    // "count" adds 1 to what is called "n" on its device.
    CHECK(First(f.Call(f.Make("count", {}, {.target = "SIM:0"}), {})) == 5);
    CHECK(First(f.Call(f.Make("add_both"), {Tensor::Scalar(0.0f)})) == 13);
    Handle handle = 0;
    CHECK(f.runtime.Instantiate("count", {}, {.target = "SIM:7"}, &handle).code() == Code::kInvalidArgument);
    const auto none = f.runtime.Run(f.Make("count", {}, {.target = "SIM:1"}), {});
    CHECK(none.status().code() == Code::kNotFound);
  }
  TEST_CASE("a library that grows, and another one") {
    Functions f;
    Handle handle = 0;
    CHECK(f.runtime.Instantiate("late", {}, {}, &handle).code() == Code::kNotFound);
    REQUIRE(f.library.AddFunctionDef(Floats("late", {"x"}, {MakeNode("y", "Neg", {"x"}, {{"T", kFloatType}})}, "y:y:0"))
                .ok());
    CHECK(First(f.Call(f.Make("late"), {Tensor::Scalar(2.0f)})) == -2);
    FunctionLibraryDefinition other(Registry::Global().ops());
    REQUIRE(other.AddFunctionDef(Floats("late", {"x"}, {MakeNode("y", "Square", {"x"}, {{"T", kFloatType}})}, "y:y:0"))
                .ok());
    CHECK(First(f.Call(f.Make("late", {}, {.lib_def = &other}), {Tensor::Scalar(3.0f)})) == 9);
    CHECK(First(f.Call(f.Make("late"), {Tensor::Scalar(2.0f)})) == -2);
  }
  TEST_CASE("gradients") {
    FunctionDefLibrary functions = Library();
    functions.function.push_back(
        Floats("sqg", {"a", "dy"}, {MakeNode("m", "Mul", {"a", "dy"}, {{"T", kFloatType}})}, "m:z:0"));
    functions.gradient.push_back({"double", "sqg"});
    const FunctionLibraryDefinition library(Registry::Global().ops(), functions);
    FunctionLibraryRuntime runtime(&library);
    Handle handle = 0;
    REQUIRE(runtime.Instantiate("SymbolicGradient", {{"f", Call("double")}}, {}, &handle).ok());
    const auto out = runtime.Run(handle, std::vector<Tensor>{Tensor::Scalar(3.0f), Tensor::Scalar(5.0f)});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK(First(*out) == 15);
    CHECK(runtime.Instantiate("SymbolicGradient", {{"f", Call("add")}}, {}, &handle).code() == Code::kNotFound);
    CHECK(runtime.Instantiate("SymbolicGradient", {}, {}, &handle).message() == "SymbolicGradient is missing attr: f");
    CHECK(runtime.Instantiate("SymbolicGradient", {{"f", Call("SymbolicGradient")}}, {}, &handle).code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("what is wrong") {
    Functions f;
    Handle handle = 0;
    const Status missing = f.runtime.Instantiate("nope", {}, {}, &handle);
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message() == "Function nope is not defined.");
    CHECK(f.runtime.Instantiate("double", {}, {}, &handle).code() == Code::kNotFound);
    CHECK(f.runtime.Instantiate("double", {{"T", AttrValue(std::int64_t{1})}}, {}, &handle).code() ==
          Code::kInvalidArgument);
    const Handle add = f.Make("add");
    const Tensor x = Tensor::Scalar(1.0f);
    CHECK(f.runtime.Run(add, {&x, 1}).status().message().find("Expects 2 arguments, but 1 is provided") == 0);
    CHECK(f.runtime.Run(add, std::vector<Tensor>{x, Tensor::Scalar(std::int32_t{1})})
              .status()
              .message()
              .find("Expects arg[1] to be float but int32 is provided") == 0);
    const Status deep = f.runtime.Run(f.Make("forever"), {&x, 1}).status();
    CHECK(deep.code() == Code::kResourceExhausted);
    FunctionDef reference = Floats("ref", {"x"}, {}, "x");
    reference.signature.input_arg[0].is_ref = true;
    REQUIRE(f.library.AddFunctionDef(reference).ok());
    CHECK(f.runtime.Instantiate("ref", {}, {}, &handle).code() == Code::kInvalidArgument);
  }
  TEST_CASE("options of a run") {
    Functions f;
    const Handle add = f.Make("add");
    const Tensor args[] = {Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)};
    RunMetadata metadata;
    const auto out = f.runtime.Run(add, args, {.trace_level = TraceLevel::kFull}, &metadata);
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK(First(*out) == 3);
    CancellationManager cancelled;
    cancelled.StartCancel();
    CHECK(f.runtime.Run(add, args, {.cancellation = &cancelled}).status().code() == Code::kCancelled);
  }
  TEST_CASE("a callback hears of the end of a run that nobody waits for") {
    std::atomic<int> good{0}, bad{0};
    CancellationManager cancelled;
    cancelled.StartCancel();
    {
      Functions f;
      const Handle add = f.Make("add");
      for (int i = 0; i < 100; ++i)
        f.runtime.RunAsync(add, {Tensor::Scalar(1.0f), Tensor::Scalar(static_cast<float>(i))},
                           [&, i](const Result<std::vector<Tensor>>& out) {
                             good += out.ok() && First(*out) == 1 + static_cast<float>(i);
                           });
      const auto count = [&](const Result<std::vector<Tensor>>& out) {
        bad += out.status().code() == Code::kInvalidArgument;
      };
      f.runtime.RunAsync(add, {Tensor::Scalar(1.0f)}, count);
      f.runtime.RunAsync(add + 1000, {}, [&](const Result<std::vector<Tensor>>& out) {
        bad += out.status().code() == Code::kNotFound;
      });
      f.runtime.RunAsync(
          add, {Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)}, {.cancellation = &cancelled},
          [&](const Result<std::vector<Tensor>>& out) { bad += out.status().code() == Code::kCancelled; });
      // Of an instance that is released meanwhile; from a callback.
      f.runtime.RunAsync(add, {Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)}, [&](const Result<std::vector<Tensor>>&) {
        const Handle again = f.Make("add");
        f.runtime.RunAsync(again, {Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)},
                           [&](const Result<std::vector<Tensor>>& out) { good += out.ok() && First(*out) == 3; });
        CHECK(f.runtime.ReleaseHandle(again).ok());
      });
    }  // waits for them
    CHECK(good == 101);
    CHECK(bad == 3);
  }
  TEST_CASE("more runs may wait for each other than there are threads") {
    std::atomic<int> sum{0};
    {
      Functions f;
      const Handle take = f.Make("take"), put = f.Make("put");
      const int runs = 2 * Thread::HardwareThreads() + 6;
      for (int i = 0; i < runs; ++i)
        f.runtime.RunAsync(take, {}, [&](const Result<std::vector<Tensor>>& out) {
          if (out.ok()) sum += static_cast<int>(First(*out));
        });
      for (int i = 0; i < runs; ++i)
        f.runtime.RunAsync(put, {Tensor::Scalar(1.0f)},
                           [](const Result<std::vector<Tensor>>& out) { CHECK(out.ok()); });
      while (sum < runs) std::this_thread::yield();
    }
    CHECK(sum > 0);
  }
  TEST_CASE("many threads instantiate, call and release") {
    Functions f({.inter_op_threads = 2, .intra_op_threads = 2});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&f, &wrong, t] {
        for (int i = 0; i < 50; ++i) {
          Handle handle = 0;
          const AttrMap attrs{{"T", i % 2 == 0 ? kFloatType : AttrValue(DataType::kInt32)}};
          if (!f.runtime.Instantiate("double", attrs, {.state_handle = StrCat(t % 2)}, &handle).ok()) ++wrong;
          const Tensor x = i % 2 == 0 ? Tensor::Scalar(1.0f) : Tensor::Scalar(std::int32_t{1});
          if (!f.runtime.Run(handle, {&x, 1}).ok()) ++wrong;
          if (!f.runtime.ReleaseHandle(handle).ok()) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(f.runtime.num_instances() == 0);
  }
}
}  // namespace function_library_runtime_test
