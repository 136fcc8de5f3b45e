// SPDX-License-Identifier: Apache-2.0
#include <tenon/compat/register.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/log.hpp>
#include <tenon/compat/op_requires.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/kernel/kernel_list.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/session.hpp>

// Written as for TensorFlow.
namespace compat_register_test {
using namespace tenon;

namespace {

class CrZeroOutOp : public OpKernel {
 public:
  explicit CrZeroOutOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("preserve_index", &preserve_index_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    OP_REQUIRES(context, preserve_index_ < input.NumElements(), errors::InvalidArgument("preserve_index is too large"));
    auto y = output->flat<std::int32_t>();
    for (Index i = 0; i < y.size(); ++i) y(i) = 0;
    y(preserve_index_) = input.flat<std::int32_t>()(preserve_index_);
  }

 private:
  std::int64_t preserve_index_ = 0;
};
template <class T>
class CrTypedOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<std::int32_t>()() = static_cast<std::int32_t>(sizeof(T));
  }
};

// A kernel before its op.
REGISTER_KERNEL_BUILDER(Name("CrZeroOut").Device(DEVICE_CPU), CrZeroOutOp);
REGISTER_OP("CrZeroOut")
    .Attr("preserve_index: int >= 0 = 0")
    .Input("to_zero: int32")
    .Output("zeroed: int32")
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->input(0));
      return OkStatus();
    });

REGISTER_OP("CrTyped")
    .Attr("T: {float, double, int64}")
    .Input("x: T")
    .Output("size: int32")
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_KERNEL_BUILDER(Name("CrTyped").Device(DEVICE_CPU).TypeConstraint<float>("T").HostMemory("size"),
                        CrTypedOp<float>);
REGISTER_KERNEL_BUILDER(Name("CrTyped").Device(DEVICE_CPU).TypeConstraint<double>("T"), CrTypedOp<double>);
REGISTER_KERNEL_BUILDER(Name("CrTyped").Device(DEVICE_CPU).TypeConstraint<double>("T").Priority(2), CrTypedOp<char>);
REGISTER_KERNEL_BUILDER(Name("CrTyped").Device(DEVICE_CPU).TypeConstraint<float>("T").Label("other"), CrTypedOp<char>);

template <class T>
Result<std::vector<Tensor>> Size(const Tensor& x) {
  GraphBuilder b;
  b.Add("CrTyped", "y", {b.Placeholder("x", x.dtype())});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  return session.Run({{"x", x}}, {"y"});
}
OpKernel* CreateNothing(OpKernelConstruction*) { return nullptr; }
Status Added(register_kernel::Name name) {
  Result<register_kernel::RegisteredKernel*> made =
      register_kernel::MakeKernel(std::move(name), "CrNothing", &CreateNothing);
  if (!made.ok()) return made.status();
  static auto* const kept = new SlimVector<register_kernel::RegisteredKernel*>;  // a registry does not own its rows
  kept->push_back(*made);
  static auto* const registry = new Registry;
  static auto* const op =
      *register_op::MakeOp(register_op::OpBuilder("CrOwn").Attr("T: {float, int32}").Input("x: T").Output("y: T"));
  TENON_RETURN_IF_ERROR(registry->Add(op->batch));
  return registry->Add((*made)->batch);
}

}  // namespace

TEST_SUITE("REGISTER_OP and REGISTER_KERNEL_BUILDER") {
  TEST_CASE("an op runs") {
    GraphBuilder b;
    b.Add("CrZeroOut", "y", {b.Placeholder("x", DataType::kInt32)});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto out = session->Run({{"x", MakeTensor<std::int32_t>({3}, {5, 6, 7})}}, {"y"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<std::int32_t>()(0) == 5);
    CHECK((*out)[0].flat<std::int32_t>()(1) == 0);
    CHECK(session->Run({{"x", Tensor::Zeros<std::int32_t>({0})}}, {"y"}).status().ToString() ==
          "INVALID_ARGUMENT: preserve_index is too large [node 'y', CPU:0]");
  }
  TEST_CASE("kernels by type, priority and label") {
    CHECK((*Size<float>(Tensor::Scalar(1.0f)))[0].scalar<std::int32_t>()() == 4);
    CHECK((*Size<double>(Tensor::Scalar(1.0)))[0].scalar<std::int32_t>()() == 1);  // of the higher priority
    const Status none = Size<std::int64_t>(Tensor::Scalar(std::int64_t{1})).status();
    CHECK(none.message().find("no kernel for op 'CrTyped' on CPU") == 0);
    CHECK(none.message().find("(OpKernel was found, but attributes didn't match)") != std::string::npos);
    const KernelList list = GetRegisteredKernelsForOp("CrTyped");
    REQUIRE(list.kernel.size() == 4);
    CHECK(list.kernel[0].host_memory_arg.size() + list.kernel[1].host_memory_arg.size() +
              list.kernel[2].host_memory_arg.size() + list.kernel[3].host_memory_arg.size() ==
          1);
  }
  TEST_CASE("what is wrong is a status") {
    using register_kernel::Name;
    struct Lines : LogSink {
      Lines() { SetLogSink(this); }
      ~Lines() override { SetLogSink(nullptr); }
      void Send(const LogEntry& entry) override { text += entry.text; }
      std::string text;
    } lines;
    CHECK(Added(Name("CrOwn").Device(DEVICE_CPU)).ok());
    CHECK(
        Added(Name("CrOwn").Device(DEVICE_CPU).HostMemory("z")).ToString() ==
        "INVALID_ARGUMENT: HostMemory arg 'z' not found in OpDef: op 'CrOwn' has the arguments 'x', 'y' and the attrs "
        "'T'");
    CHECK(Added(Name("CrOwn").Device(DEVICE_CPU).TypeConstraint<float>("dtype")).ToString() ==
          "INVALID_ARGUMENT: kernel constraint attr 'dtype' not found in OpDef: op 'CrOwn' has the arguments 'x', 'y' "
          "and the attrs 'T'");
    CHECK(lines.text.empty());
    CHECK(Added(Name("CrOwn")).ToString() ==
          "INVALID_ARGUMENT: REGISTER_KERNEL_BUILDER: a kernel of op 'CrOwn' has no Device");
    Name many("CrOwn");
    for (int i = 0; i < 5; ++i) many.Device(DEVICE_CPU).AttrConstraint("n", {1, 2});
    CHECK(Added(many).ToString() ==
          "INVALID_ARGUMENT: REGISTER_KERNEL_BUILDER: a kernel of op 'CrOwn' has more than 4 constraints, 8 values of "
          "one, or 8 HostMemory arguments");
    lines.text.clear();
    CHECK(register_op::MakeOp(register_op::OpBuilder("CrBad").Input("x float")).status().code() ==
          Code::kInvalidArgument);
    CHECK(lines.text.find("REGISTER_OP(\"CrBad\"): Trouble parsing 'name:' from Input(\"x float\") for Op CrBad") == 0);
  }
}
}  // namespace compat_register_test
