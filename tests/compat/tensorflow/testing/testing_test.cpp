// SPDX-License-Identifier: Apache-2.0
// The utilities of TensorFlow's tests, over GoogleTest where it is installed.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include <tenon/compat/tensorflow/kernels/registered_kernels.hpp>
#include <tenon/compat/tensorflow/testing/benchmark.hpp>

#if defined(TENON_TEST_GTEST)  // both have FAIL
#undef FAIL
#include <tenon/compat/tensorflow/testing/matchers.hpp>
#include <tenon/compat/tensorflow/testing/op_kernel_test_base.hpp>
#include <tenon/compat/tensorflow/testing/ops_testutil.hpp>
#include <tenon/compat/tensorflow/testing/shape_inference_testutil.hpp>
#include <tenon/compat/tensorflow/testing/tensor_matcher.hpp>
#include <tenon/compat/tensorflow/testing/tensor_testutil.hpp>
#include <tenon/compat/tensorflow/testing/test.hpp>
#endif

namespace tensorflow {
namespace {

int runs = 0;
void BM_Loop(::testing::benchmark::State& state) {
  for (auto s : state) {
    (void)s;
    ++runs;
  }
}
BENCHMARK(BM_Loop)->Arg(3)->UseRealTime();

#if defined(TENON_TEST_GTEST)
REGISTER_OP("CtAdd")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {float, int32}")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle out;
      TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
      c->set_output(0, out);
      return OkStatus();
    });
template <class T>
class AddOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor &x = context->input(0), &y = context->input(1);
    OP_REQUIRES(context, x.shape() == y.shape(), errors::InvalidArgument("other shapes"));
    Tensor* z = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &z));
    z->flat<T>() = x.flat<T>() + y.flat<T>();
  }
};
REGISTER_KERNEL_BUILDER(Name("CtAdd").Device(DEVICE_CPU).TypeConstraint<float>("T"), AddOp<float>);

class AddOpTest : public OpsTestBase {
 public:
  void TestBody() override {
    TF_ASSERT_OK(
        NodeDefBuilder("add", "CtAdd").Input(FakeInput(DT_FLOAT)).Input(FakeInput(DT_FLOAT)).Finalize(node_def()));
    TF_ASSERT_OK(InitOp());
    AddInputFromArray<float>(TensorShape({2}), {1, 2});
    AddInput<float>(TensorShape({2}), [](int i) { return static_cast<float>(10 * i); });
    TF_ASSERT_OK(RunOpKernel());
    test::ExpectTensorEqual<float>(*GetOutput(0), test::AsTensor<float>({1, 12}));
    test::ExpectClose(*GetOutput(0), test::AsTensor<float>({1, 12}));
    EXPECT_THAT(RunOpKernel(), testing::IsOk());
    done = true;
  }
  bool done = false;
};
class WrongShapesTest : public OpsTestBase {
 public:
  void TestBody() override {
    TF_ASSERT_OK(
        NodeDefBuilder("add", "CtAdd").Input(FakeInput(DT_FLOAT)).Input(FakeInput(DT_FLOAT)).Finalize(node_def()));
    TF_ASSERT_OK(InitOp());
    AddInputFromArray<float>(TensorShape({2}), {1, 2});
    AddInputFromArray<float>(TensorShape({1}), {1});
    EXPECT_EQ(RunOpKernel().code(), error::INVALID_ARGUMENT);
    TF_ASSERT_OK(
        NodeDefBuilder("add", "CtAdd").Input(FakeInput(DT_INT32)).Input(FakeInput(DT_INT32)).Finalize(node_def()));
    EXPECT_FALSE(InitOp().ok());
    done = true;
  }
  bool done = false;
};

// Tenon's own kernels, one of which changes a reference.
class OwnKernelsTest : public OpsTestBase {
 public:
  void TestBody() override {
    TF_ASSERT_OK(NodeDefBuilder("g", "GatherV2")
                     .Input(FakeInput(DT_FLOAT))
                     .Input(FakeInput(DT_INT32))
                     .Input(FakeInput(DT_INT32))
                     .Finalize(node_def()));
    TF_ASSERT_OK(InitOp());
    AddInputFromArray<float>(TensorShape({3}), {1, 2, 3});
    AddInputFromArray<int32>(TensorShape({2}), {2, 5});
    AddInputFromArray<int32>(TensorShape({}), {0});
    EXPECT_EQ(RunOpKernel().code(), error::INVALID_ARGUMENT);
    mutable_input(1).tensor->flat<int32>()(1) = 0;
    TF_ASSERT_OK(RunOpKernel());
    Tensor expected(DT_FLOAT, TensorShape({2}));
    test::FillValues<float>(&expected, {3, 1});
    test::ExpectTensorEqual<float>(expected, *GetOutput(0));
    inputs_.clear();
    TF_ASSERT_OK(NodeDefBuilder("s", "ScatterUpdate")
                     .Input(FakeInput(DT_STRING_REF))
                     .Input(FakeInput(DT_INT32))
                     .Input(FakeInput(DT_STRING))
                     .Finalize(node_def()));
    TF_ASSERT_OK(InitOp());
    AddInputFromArray<tstring>(TensorShape({2}), {"a", "b"});
    AddInputFromArray<int32>(TensorShape({1}), {1});
    AddInputFromArray<tstring>(TensorShape({1}), {"c"});
    TF_ASSERT_OK(RunOpKernel());
    EXPECT_EQ(mutable_input(0).tensor->flat<tstring>()(1), "c");
    EXPECT_EQ(GetOutput(0)->flat<tstring>()(1), "c");
    done = true;
  }
  bool done = false;
};

REGISTER_OP("CtSink").Input("a: T").Attr("T: {float, int32}").SetShapeFn(shape_inference::NoOutputs);
class SinkOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("CtSink").Device(DEVICE_CPU).TypeConstraint<float>("T").Priority(3), SinkOp);

#define NAME_OF(NAME, BUILDER, ...) NAME
constexpr const char* kSink = "CtSink";
constexpr const char* kExtracted = TF_EXTRACT_KERNEL_NAME(NAME_OF, Name(kSink).Label("other"), SinkOp);

class SinkTest : public OpKernelBuilderTest {
 public:
  void TestBody() override {
    const auto kernel = ExpectSuccess("CtSink", DEVICE_CPU, {"T|type|DT_FLOAT"}, {DT_FLOAT});
    ASSERT_NE(nullptr, kernel);
    EXPECT_EQ(kernel->name(), "CtSink-op");
    ExpectFailure("CtSink", DEVICE_CPU, {"T|type|DT_STRING"}, error::INVALID_ARGUMENT);
    ExpectFailure("CtNoSink", DEVICE_CPU, {}, error::NOT_FOUND);
    EXPECT_EQ(GetKernelClassName("CtSink", DEVICE_CPU, {"T|type|DT_FLOAT"}, {DT_FLOAT}), "SinkOp");
    EXPECT_EQ(GetKernelClassName("CtSink", DEVICE_CPU, {"T|type|DT_INT32"}, {DT_INT32}), "not found");
    EXPECT_EQ(GetKernelClassName("CtSink", DEVICE_GPU, {"T|type|DT_FLOAT"}, {DT_FLOAT}), "not found");
    EXPECT_EQ(DeviceTypes().back(), DeviceType(DEVICE_CPU));
    NodeDef node = CreateNodeDef("CtSink", {"T|type|DT_FLOAT"});
    node.add_input("ignored");
    std::shared_ptr<const NodeProperties> properties;
    TF_ASSERT_OK(NodeProperties::CreateFromNodeDef(node, OpRegistry::Global(), &properties));
    DeviceBase device(Env::Default());
    OpKernel* made = nullptr;
    TF_ASSERT_OK(CreateOpKernel(DEVICE_CPU, &device, cpu_allocator(), nullptr, nullptr, properties,
                                TF_GRAPH_DEF_VERSION, &made));
    const std::unique_ptr<OpKernel> owned(made);
    EXPECT_EQ(owned->type_string(), "CtSink");
    Tensor tensor;
    TensorProto proto;
    test::AsScalar<float>(2).AsProtoField(&proto);
    TF_ASSERT_OK(device.MakeTensorFromProto(proto, {}, &tensor));
    EXPECT_EQ(tensor.scalar<float>()(), 2);
    proto.set_dtype(DT_INVALID);
    EXPECT_FALSE(device.MakeTensorFromProto(proto, {}, &tensor).ok());
    Status copied;
    device.CopyTensorInSameDevice(&tensor, &tensor, nullptr, [&](const Status& status) { copied = status; });
    EXPECT_EQ(copied.code(), error::INTERNAL);
    done = true;
  }
  bool done = false;
};
#endif

}  // namespace

TEST_SUITE("utilities of TensorFlow's tests") {
  TEST_CASE("benchmarks are accepted; a loop runs once") {
    ::testing::benchmark::State state;
    BM_Loop(state);
    CHECK(runs == 1);
  }
#if defined(TENON_TEST_GTEST)
  TEST_CASE("a matcher of tensors") {
    const Tensor pair = test::AsTensor<float>({1, 2});
    const ::testing::Matcher<const Tensor&> equal = test::TensorEq(pair);
    CHECK(equal.Matches(test::AsTensor<float>({1, 2})));
    CHECK_FALSE(equal.Matches(test::AsTensor<float>({1, 3})));
    CHECK_FALSE(equal.Matches(test::AsTensor<double>({1, 2})));
    CHECK_FALSE(equal.Matches(test::AsTensor<float>({1, 2}, TensorShape({2, 1}))));
    ::testing::StringMatchResultListener why;
    CHECK_FALSE(::testing::ExplainMatchResult(equal, test::AsTensor<float>({1, 3}), &why));
    CHECK_FALSE(why.str().empty());
  }
  TEST_CASE("a kernel by OpsTestBase") {
    AddOpTest good;
    good.TestBody();
    CHECK(good.done);
    WrongShapesTest bad;
    bad.TestBody();
    CHECK(bad.done);
  }
  TEST_CASE("Tenon's own kernels by OpsTestBase") {
    OwnKernelsTest own;
    own.TestBody();
    CHECK(own.done);
  }
  TEST_CASE("kernels by OpKernelBuilderTest, and as lists") {
    SinkTest test;
    test.TestBody();
    CHECK(test.done);
    const KernelList sinks = GetRegisteredKernelsForOp("CtSink");
    REQUIRE(sinks.kernel_size() == 1);
    CHECK(sinks.kernel(0).device_type() == "CPU");
    CHECK(sinks.kernel(0).priority() == 3);
    CHECK(sinks.kernel(0).constraint(0).allowed_values().list().type(0) == DT_FLOAT);
    CHECK(GetRegisteredKernelsForOp("CtNoSink").kernel_size() == 0);
    CHECK(GetAllRegisteredKernels().kernel_size() > 1);
    const auto is_sink = [](const KernelDef& kernel) { return kernel.op() == "CtSink"; };
    CHECK(GetFilteredRegisteredKernels(is_sink).kernel_size() == 1);
    CHECK(kExtracted == kSink);
    CHECK(KernelsRegisteredForOp("CtSink") == "  device='CPU'; T in [DT_FLOAT]\n");
    CHECK(KernelsRegisteredForOp("CtNoSink") == "  <no registered kernels>\n");
  }
  TEST_CASE("shape functions by texts") {
    const ShapeInferenceTestOp op("CtAdd");
    using shape_inference::InferredError;
    CHECK(InferredError(op, "[?,2];[3,?]", "[d1_0,d0_1]").empty());
    CHECK(InferredError(op, "?;[3]", "in1").empty());
    CHECK(InferredError(op, "[2];[3]", "e").find("Dimension 0 in both shapes must be equal") != std::string::npos);
    CHECK_FALSE(InferredError(op, "[?,2];[3,?]", "[?,2]").empty());
    CHECK_FALSE(InferredError(op, "[2]", "e").empty());
    CHECK(InferredError(op, "[2];[2]", "e") == "Shape inference should have returned error");
    CHECK(InferredError(op, "[?];?", "[?]").find("expected to not match an input shape") != std::string::npos);
    CHECK(InferredError(op, "[?,2];[3,?]", "[8, 2]") ==
          "Output dim 0,0 expected to be 8 but was 3. Output shape was [3,2]");
    CHECK(InferredError(op, "[?,2];[3,?]", "[x,2]").find("'x' failed to parse as int64") != std::string::npos);
    CHECK(InferredError(op, "[?,2];[3,?]", "?") == "Output 0 expected to be unknown. Output shape was [3,2]");
    CHECK(InferredError(op, "[?,2];[3,?]", "[1]") == "Output 0 expected rank 1 but was 2. Output shape was [3,2]");
  }
#endif
}
}  // namespace tensorflow
