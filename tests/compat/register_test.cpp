// SPDX-License-Identifier: Apache-2.0
#include <tenon/compat/register.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/log.hpp>
#include <tenon/compat/op_requires.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/kernel/registry/kernel_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/runtime/api/session.hpp>

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

// Constraints of every kind, and more of them and of their values than a KernelMatch holds.
REGISTER_OP("CrMany")
    .Attr("i: int")
    .Attr("s: string")
    .Attr("b: bool")
    .Attr("c: bool = true")
    .Attr("T: type")
    .Input("x: T")
    .SetShapeFn(shape_inference::NoOutputs);
REGISTER_KERNEL_BUILDER(Name("CrMany")
                            .Device(DEVICE_CPU)
                            .AttrConstraint("i", std::int64_t{3})
                            .AttrConstraint("i", {3, 4})
                            .AttrConstraint("s", "x")
                            .AttrConstraint("s", {"x", "y"})
                            .AttrConstraint("b", true)
                            .AttrConstraint("c", {true, false})
                            .TypeConstraint("T",
                                            {DataType::kHalf, DataType::kFloat, DataType::kDouble, DataType::kInt8,
                                             DataType::kInt16, DataType::kInt32, DataType::kInt64, DataType::kUint8,
                                             DataType::kUint16, DataType::kUint32, DataType::kUint64, DataType::kBool,
                                             DataType::kComplex64, DataType::kQint8, DataType::kQint16,
                                             DataType::kQint32, DataType::kString, DataType::kBfloat16}),
                        CrTypedOp<float>);

// The same class with other priorities, and two classes of one name.
REGISTER_OP("CrTwice").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("CrTwice").Device(DEVICE_CPU), CrZeroOutOp);
REGISTER_KERNEL_BUILDER(Name("CrTwice").Device(DEVICE_CPU).Priority(2).HostMemory("x"), CrZeroOutOp);
REGISTER_KERNEL_BUILDER(Name("CrTwice").Device(DEVICE_CPU).Priority(1), CrZeroOutOp);
REGISTER_OP("CrNamesakes").Input("x: float").SetShapeFn(shape_inference::NoOutputs);
namespace one {
using Namesake = CrTypedOp<float>;
REGISTER_KERNEL_BUILDER(Name("CrNamesakes").Device(DEVICE_CPU), Namesake);
}  // namespace one
namespace other {
using Namesake = CrTypedOp<double>;
REGISTER_KERNEL_BUILDER(Name("CrNamesakes").Device(DEVICE_CPU), Namesake);
}  // namespace other

NodeDef NodeOf(std::string_view op, const AttrMap& attrs = {}) {
  NodeDef node;
  node.name = "n";
  node.op = op;
  node.attr = attrs;
  return node;
}
template <class T>
Result<std::vector<Tensor>> Size(const Tensor& x) {
  GraphBuilder b;
  b.Add("CrTyped", "y", {b.Placeholder("x", x.dtype())});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  return session.Run({{"x", x}}, {"y"});
}
struct Lines : LogSink {
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  std::string text;
};
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
  TEST_CASE("constraints of every kind, any number of them") {
    const AttrMap attrs = {{"i", 3}, {"s", "x"}, {"b", true}, {"c", false}, {"T", DataType::kBfloat16}};
    const auto found = [&attrs](std::string_view attr, const AttrValue& value) {
      NodeDef node = NodeOf("CrMany", attrs);
      node.attr.Set(std::string(attr), value);
      return Registry::Global().FindForNode(node, "CPU").status().code();
    };
    CHECK(found("i", 3) == Code::kOk);
    CHECK(found("i", 4) == Code::kNotFound);
    CHECK(found("s", "y") == Code::kNotFound);
    CHECK(found("b", false) == Code::kNotFound);
    CHECK(found("c", true) == Code::kOk);
    CHECK(found("b", 1) == Code::kInvalidArgument);
    CHECK(found("T", DataType::kVariant) == Code::kNotFound);
    const KernelList list = GetRegisteredKernelsForOp("CrMany");
    REQUIRE(list.kernel.size() == 1);
    REQUIRE(list.kernel[0].constraint.size() == 7);
    CHECK(SummarizeAttrValue(list.kernel[0].constraint[1].allowed_values) == "[3, 4]");
    CHECK(SummarizeAttrValue(list.kernel[0].constraint[3].allowed_values) == "[\"x\", \"y\"]");
    CHECK(SummarizeAttrValue(list.kernel[0].constraint[4].allowed_values) == "[true]");
    CHECK(SummarizeAttrValue(list.kernel[0].constraint[5].allowed_values) == "[true, false]");
    CHECK(list.kernel[0].constraint[6].allowed_values.list().type.size() == 18);
  }
  TEST_CASE("of one class the highest priority; two classes of one name are two") {
    const auto twice = Registry::Global().FindForNode(NodeOf("CrTwice"), "CPU");
    REQUIRE_MESSAGE(twice.ok(), twice.status().message());
    CHECK(twice->row->op->match->priority == 2);
    CHECK(twice->row->op->match->host_count == 1);
    const Status status = Registry::Global().FindForNode(NodeOf("CrNamesakes"), "CPU").status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Multiple OpKernel registrations match NodeDef at the same priority '{{node n}}': "
                                "'Namesake at ") == 0);
    CHECK(status.message().find("register_test.cpp:") != std::string::npos);
  }
  TEST_CASE("a kernel whose op does not come is logged once") {
    using register_kernel::Name;
    Lines lines;
    auto* const kernel = *register_kernel::MakeKernel(Name("CrNever").Device(DEVICE_CPU).AttrConstraint("n", {1}),
                                                      "CrNothing", &CreateNothing);
    static auto* const kept = kernel;  // a registry does not own its rows
    Registry registry;
    CHECK(registry.Add(kept->batch).ok());
    CHECK(lines.text.empty());
    CHECK(registry.status().ok());
    CHECK(lines.text == "OpKernel ('device='CPU'; n in [1]') for unknown op: CrNever");
    CHECK(registry.status().ok());
    CHECK(lines.text == "OpKernel ('device='CPU'; n in [1]') for unknown op: CrNever");
  }
  TEST_CASE("what is wrong is a status") {
    using register_kernel::Name;
    CHECK(Added(Name("CrOwn").Device(DEVICE_CPU)).ok());
    CHECK(
        Added(Name("CrOwn").Device(DEVICE_CPU).HostMemory("z")).ToString() ==
        "INVALID_ARGUMENT: HostMemory arg 'z' not found in OpDef: op 'CrOwn' has the arguments 'x', 'y' and the attrs "
        "'T'");
    CHECK(Added(Name("CrOwn").Device(DEVICE_CPU).TypeConstraint<float>("dtype")).ToString() ==
          "INVALID_ARGUMENT: kernel constraint attr 'dtype' not found in OpDef: op 'CrOwn' has the arguments 'x', 'y' "
          "and the attrs 'T'");
    CHECK(Added(Name("CrOwn")).ToString() ==
          "INVALID_ARGUMENT: REGISTER_KERNEL_BUILDER: a kernel of op 'CrOwn' has no Device");
    CHECK(
        Added(Name("CrOwn").Device(DEVICE_CPU).Label("a").Label("b")).ToString() ==
        "INVALID_ARGUMENT: REGISTER_KERNEL_BUILDER: Trying to set a kernel's label a second time: 'b' in a kernel of op "
        "'CrOwn'");
    const auto message = [](const register_op::OpBuilder& builder) { return register_op::MakeOp(builder).status(); };
    CHECK(message(register_op::OpBuilder("CrBad").Input("x float")).ToString() ==
          "INVALID_ARGUMENT: REGISTER_OP(\"CrBad\"): Trouble parsing 'name:' from Input(\"x float\") for Op CrBad");
    CHECK(message(register_op::OpBuilder("CrBad")
                      .SetShapeFn(shape_inference::NoOutputs)
                      .SetShapeFn(shape_inference::NoOutputs))
              .ToString() == "INVALID_ARGUMENT: REGISTER_OP(\"CrBad\"): SetShapeFn called twice for Op CrBad");
  }
  TEST_CASE("a registry says what a registration failed for") {
    const register_op::Failure failure(errors::InvalidArgument("REGISTER_OP(\"CrBad\"): why"));
    Registry registry;
    CHECK(registry.Add(failure.batch).message() == "REGISTER_OP(\"CrBad\"): why");
  }
}
}  // namespace compat_register_test
