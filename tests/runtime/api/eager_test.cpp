// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/eager.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <tenon/devices.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/variable/resource_variable.hpp>

#include "graph/function_graphs.hpp"

namespace eager_test {
using namespace tenon;

namespace {

std::string Text(const Status& status) { return status.ToString(); }

// Its Attrs have the defaults as initialisers: a zero is meant.
struct TopTestAffine {
  static constexpr auto signature = Op("TopTestAffine")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .Attr("factor: float = 3")
                                        .Attr("offset: int = 1")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float factor = 3;
    std::int64_t offset = 1;
  };
  template <class Device>
  struct kernel : Attrs {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = factor * x[i] + static_cast<float>(offset);
      return OkStatus();
    }
  };
};
TENON_REGISTER(TopTestAffine);

// A device that nobody has kernels for.
class BareDevice final : public Device {
 public:
  explicit BareDevice(const std::string& name) : Device(name), cpu_(name, nullptr, nullptr) {}
  std::string_view type() const override { return "BARE"; }
  Allocator* allocator() const override { return cpu_.allocator(); }
  void* kernel_device() override { return nullptr; }
  bool uses_host_memory() const override { return true; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override { return cpu_.CopyToDevice(host, to); }
  Status CopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) override {
    return cpu_.CopyToHost(from, host_allocator, to);
  }
  Status Synchronize() override { return OkStatus(); }

 private:
  CpuDevice cpu_;
};
Result<Owned<Device>> MakeBareDevice(const std::string& name, int) { return Owned<Device>(new BareDevice(name)); }
DeviceFactory bare_factory{"BARE", &MakeBareDevice};
[[maybe_unused]] const bool bare_is_linked = tenon::detail::LinkDeviceFactory(&bare_factory);

Tensor Floats(std::initializer_list<float> values, const TensorShape& shape) { return Tensor::From(values, shape); }

}  // namespace

TEST_SUITE("eager") {
  TEST_CASE("an op with one output gives a tensor, others a list or a Status") {
    const Tensor a = Floats({1, 2, 3, 4}, {2, 2}), b = Floats({5, 6, 7, 8}, {2, 2});
    const Result<Tensor> product = eager::Call<ops::MatMul>(a, b);
    REQUIRE_MESSAGE(product.ok(), product.status().message());
    CHECK(product->SummarizeValue(4) == "[19 22][43 50]");
    const Result<std::vector<Tensor>> loss = eager::Call<ops::SoftmaxCrossEntropyWithLogits>(a, b);
    REQUIRE_MESSAGE(loss.ok(), loss.status().message());
    CHECK(loss->size() == 2);
    const Result<std::vector<Tensor>> halves = eager::Call("Split", {Tensor::Scalar(1), a}, {{"num_split", 2}});
    REQUIRE_MESSAGE(halves.ok(), halves.status().message());
    REQUIRE(halves->size() == 2);
    CHECK((*halves)[1].SummarizeValue(4) == "[2][4]");
    const Status nothing = eager::Call<ops::NoOp>();
    CHECK_MESSAGE(nothing.ok(), nothing.message());
  }
  TEST_CASE("attrs are given by the members of the op's Attrs, or by their names") {
    const Tensor a = Floats({1, 2, 3, 4}, {2, 2});
    const auto typed = eager::Call<ops::MatMul>({.transpose_b = true}, a, a);
    REQUIRE_MESSAGE(typed.ok(), typed.status().message());
    CHECK(typed->SummarizeValue(4) == "[5 11][11 25]");
    const auto named = eager::Call("MatMul", {a, a}, {{"transpose_a", true}});
    REQUIRE_MESSAGE(named.ok(), named.status().message());
    CHECK((*named)[0].SummarizeValue(4) == "[10 14][14 20]");
  }
  TEST_CASE("an attr that is not given has its default, and a zero that may not have been given is refused") {
    const Tensor x = Floats({-1, 2}, {2});
    const auto usual = eager::Call<ops::LeakyRelu>(x);
    REQUIRE_MESSAGE(usual.ok(), usual.status().message());
    CHECK(usual->flat<float>()(0) == -0.2f);
    const auto given = eager::Call<ops::LeakyRelu>({.alpha = 0.5f}, x);
    CHECK(given->flat<float>()(0) == -0.5f);
    eager::AttrsOf<ops::LeakyRelu> zero{};
    zero.alpha = 0;
    const auto refused = eager::Call<ops::LeakyRelu>(zero, x);
    CHECK(Text(refused.status()) ==
          "INVALID_ARGUMENT: eager::Call<LeakyRelu>: attr 'alpha' is 0 or was not given, and its default is 0.2. Name "
          "every attr whose default is not zero, or call the op by name, with the attrs that are meant: "
          "Call(\"LeakyRelu\", {...}, {{\"alpha\", ...}})");
    const auto by_name = eager::Call("LeakyRelu", {x}, {{"alpha", 0.0f}});
    REQUIRE_MESSAGE(by_name.ok(), by_name.status().message());
    CHECK((*by_name)[0].flat<float>()(0) == 0);
  }
  TEST_CASE("members with initialisers may be zero") {
    const Tensor x = Tensor::Scalar(2.0f);
    CHECK(eager::Call<TopTestAffine>(x)->scalar<float>()() == 7);
    CHECK(eager::Call<TopTestAffine>({}, x)->scalar<float>()() == 7);
    CHECK(eager::Call<TopTestAffine>({.factor = 0}, x)->scalar<float>()() == 1);
    CHECK(eager::Call<TopTestAffine>({.offset = 0}, x)->scalar<float>()() == 6);
  }
  TEST_CASE("lists of tensors") {
    const Tensor a = Floats({1, 2}, {1, 2}), b = Floats({3, 4}, {1, 2});
    const auto rows = eager::Call<ops::ConcatV2>(std::vector<Tensor>{a, b}, Tensor::Scalar(0));
    REQUIRE_MESSAGE(rows.ok(), rows.status().message());
    CHECK(rows->SummarizeValue(4) == "[1 2][3 4]");
    const auto columns = eager::Call("ConcatV2", {{a, b, a}, Tensor::Scalar(1)});
    REQUIRE_MESSAGE(columns.ok(), columns.status().message());
    CHECK((*columns)[0].shape() == TensorShape{1, 6});
  }
  TEST_CASE("a kernel is prepared once for each op with its types and attrs") {
    eager::Context context;
    const Tensor f = Floats({1}, {1}), i = Tensor::From({1}, {1});
    for (int round = 0; round < 3; ++round) {
      CHECK(context.Call<ops::AddV2>(f, f).ok());
      CHECK(context.num_kernels() == (round == 0 ? 1 : 3));
      CHECK(context.Call<ops::AddV2>(i, i).ok());
      CHECK(context.Call("LeakyRelu", {f}, {{"alpha", 0.5f}}).ok());
      CHECK(context.num_kernels() == 3);
    }
    // Shapes do not matter.
    CHECK(context.Call<ops::AddV2>(Floats({1, 2, 3}, {3}), f)->NumElements() == 3);
    CHECK(context.num_kernels() == 3);
  }
  TEST_CASE("variables live in the context from call to call") {
    ResourceMgr resources;
    for (const bool own : {true, false}) {
      eager::Context context(own ? SessionOptions{} : SessionOptions{.resources = &resources});
      const auto handle = context.Call(
          "VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}, {"shared_name", "v"}});
      REQUIRE_MESSAGE(handle.ok(), handle.status().message());
      const Tensor v = (*handle)[0];
      CHECK(context.Call("ReadVariableOp", {v}, {{"dtype", DataType::kFloat}}).status().code() ==
            Code::kFailedPrecondition);
      CHECK(context.Call<ops::AssignVariableOp>(v, Tensor::Scalar(2.0f)).ok());
      const auto read = context.Call("ReadVariableOp", {v}, {{"dtype", DataType::kFloat}});
      REQUIRE_MESSAGE(read.ok(), read.status().message());
      CHECK((*read)[0].scalar<float>()() == 2);
    }
    CHECK(resources.DebugString() != "");
  }
  TEST_CASE("a call may name a device of the context") {
    eager::Context context({.devices = {"CPU:0", "SIM:0", "SIM:1"}});
    const Tensor a = Floats({1, 2, 3, 4}, {2, 2});
    for (const char* device :
         {"CPU:0", "SIM:0", "/device:SIM:1", "/job:localhost/replica:0/task:0/device:SIM:0", "SIM"}) {
      const auto product = context.On(device).Call<ops::MatMul>({.transpose_b = true}, a, a);
      REQUIRE_MESSAGE(product.ok(), product.status().message());
      CHECK(product->SummarizeValue(4) == "[5 11][11 25]");
    }
    CHECK(context.num_kernels() == 3);
    CHECK(Text(context.On("SIM:1").Call<ops::MatMul>(a, Floats({1}, {1})).status()).find("[node 'MatMul', SIM:1]") !=
          std::string::npos);
    CHECK(
        Text(context.On("TPU:0").Call("AddV2", {a, a}).status()) ==
        "INVALID_ARGUMENT: eager call of 'AddV2': Could not satisfy device specification 'TPU:0'. All available devices "
        "[CPU:0, SIM:0, SIM:1]: those that the context was made with");
    eager::Context none({.devices = {"TPU:0"}});
    CHECK(Text(none.Call<ops::AddV2>(a, a).status()).find("no device 'TPU:0'; available: 'CPU:0'") !=
          std::string::npos);
    CHECK(none.On("CPU:0").Call<ops::AddV2>(a, a).ok());
  }
  TEST_CASE("the first device is the usual one, and an op runs where its resource is") {
    eager::Context context({.devices = {"SIM:0"}});
    const std::vector<eager::Attr> variable{
        {"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}, {"shared_name", "v"}};
    const std::vector<eager::Attr> is_float{{"dtype", DataType::kFloat}};
    const auto there = context.Call("VarHandleOp", {}, variable);
    REQUIRE_MESSAGE(there.ok(), there.status().message());
    const auto here = context.On("CPU:0").Call("VarHandleOp", {}, variable);
    REQUIRE_MESSAGE(here.ok(), here.status().message());
    CHECK(context.Call<ops::AssignVariableOp>((*there)[0], Tensor::Scalar(2.0f)).ok());
    CHECK(context.Call<ops::AssignVariableOp>((*here)[0], Tensor::Scalar(3.0f)).ok());
    for (const char* device : {"CPU:0", "SIM:0"}) {
      const auto two = context.On(device).Call("ReadVariableOp", {(*there)[0]}, is_float);
      REQUIRE_MESSAGE(two.ok(), two.status().message());
      CHECK((*two)[0].scalar<float>()() == 2);
      const auto three = context.On(device).Call("ReadVariableOp", {(*here)[0]}, is_float);
      REQUIRE_MESSAGE(three.ok(), three.status().message());
      CHECK((*three)[0].scalar<float>()() == 3);
    }
  }
  TEST_CASE("the CPU runs what a device has no kernel for, with the CPU's resources") {
    eager::Context context({.devices = {"BARE:0"}});
    CHECK(context.Call<ops::AddV2>(Tensor::Scalar(1.0f), Tensor::Scalar(2.0f))->scalar<float>()() == 3);
    const auto v = context.Call("VarHandleOp", {},
                                {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}, {"shared_name", "v"}});
    REQUIRE_MESSAGE(v.ok(), v.status().message());
    CHECK(context.Call<ops::AssignVariableOp>((*v)[0], Tensor::Scalar(2.0f)).ok());
    const auto read = context.On("CPU:0").Call("ReadVariableOp", {(*v)[0]}, {{"dtype", DataType::kFloat}});
    REQUIRE_MESSAGE(read.ok(), read.status().message());
    CHECK((*read)[0].scalar<float>()() == 2);
    CHECK(context.resources()->DebugString() != "");
  }
  TEST_CASE("functions are called by their names, and by the attrs of ops") {
    using function_test::Floats;
    using function_test::MakeNode;
    eager::Context context;
    FunctionDefLibrary library;
    library.function = {Floats(
        "twice", {"x"}, {MakeNode("sum", "AddV2", {"x", "x"}, {{"T", AttrValue(DataType::kFloat)}})}, "sum:z:0")};
    REQUIRE(context.AddFunctions(library).ok());
    CHECK(context.AddFunctions(library).ok());  // the same again
    const auto called = context.Call("twice", {Tensor::Scalar(3.0f)});
    REQUIRE_MESSAGE(called.ok(), called.status().message());
    CHECK((*called)[0].scalar<float>()() == 6);
    const auto by_attr =
        context.Call("PartitionedCall", {{Tensor::Scalar(4.0f)}},
                     {{"f", function_test::Call("twice")}, {"Tout", std::vector<DataType>{DataType::kFloat}}});
    REQUIRE_MESSAGE(by_attr.ok(), by_attr.status().message());
    CHECK((*by_attr)[0].scalar<float>()() == 8);
    library.function[0].node_def[0].op = "Mul";
    CHECK(Text(context.AddFunctions(library)) ==
          "INVALID_ARGUMENT: Cannot add function 'twice' because a different function with the same name already "
          "exists.");
  }
  TEST_CASE("what is wrong is said, and the context goes on") {
    eager::Context context;
    const Tensor f = Floats({1, 2}, {2}), i = Tensor::From({1, 2}, {2});
    CHECK(context.Call("MatMull", {f, f}).status().code() == Code::kNotFound);
    CHECK(context.Call<ops::AddV2>(f, i).status().code() == Code::kInvalidArgument);
    CHECK(context.Call<ops::AddV2>(f).status().code() == Code::kInvalidArgument);
    CHECK(Text(context.Call("AddV2", {f, f}, {{"U", DataType::kFloat}}).status()) ==
          "INVALID_ARGUMENT: eager call of 'AddV2': the op has no attr 'U'; it has 'T'");
    CHECK(context.Call<ops::AddV2>(f, Tensor()).status().code() == Code::kInvalidArgument);
    CHECK(Text(context.Call<ops::MatMul>(f, f).status()) ==
          "INVALID_ARGUMENT: MatMul: input 'a' must have rank 2, got shape [2] [node 'MatMul', CPU:0]");
    const auto reference =
        context.Call("Variable", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
    CHECK(reference.status().code() == Code::kUnimplemented);
    CHECK(context.Call<ops::AddV2>(f, f).ok());
  }
  TEST_CASE("threads share a context") {
    eager::Context context;
    std::vector<std::thread> threads;
    std::vector<Status> ends(4);
    for (std::size_t t = 0; t < ends.size(); ++t)
      threads.emplace_back([&, t] {
        for (int round = 0; round < 200; ++round) {
          const auto sum = context.Call<ops::AddV2>(Tensor::Scalar(static_cast<float>(t)), Tensor::Scalar(1.0f));
          ends[t].Update(sum.status());
          if (sum.ok() && sum->scalar<float>()() != static_cast<float>(t) + 1) ends[t].Update(errors::Internal("sum"));
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const Status& end : ends) CHECK_MESSAGE(end.ok(), end.message());
    CHECK(context.num_kernels() == 1);
  }
}

}  // namespace eager_test
