// SPDX-License-Identifier: Apache-2.0
// The utilities of TensorFlow's tests, over GoogleTest where it is installed.
#include <doctest/doctest.h>

#include <tenon/compat/tensorflow/testing/benchmark.hpp>

#if defined(TENON_TEST_GTEST)  // both have FAIL
#undef FAIL
#include <tenon/compat/tensorflow/testing/matchers.hpp>
#include <tenon/compat/tensorflow/testing/ops_testutil.hpp>
#include <tenon/compat/tensorflow/testing/shape_inference_testutil.hpp>
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
#endif

}  // namespace

TEST_SUITE("utilities of TensorFlow's tests") {
  TEST_CASE("benchmarks are accepted; a loop runs once") {
    ::testing::benchmark::State state;
    BM_Loop(state);
    CHECK(runs == 1);
  }
#if defined(TENON_TEST_GTEST)
  TEST_CASE("a kernel by OpsTestBase") {
    AddOpTest good;
    good.TestBody();
    CHECK(good.done);
    WrongShapesTest bad;
    bad.TestBody();
    CHECK(bad.done);
  }
  TEST_CASE("shape functions by texts") {
    const ShapeInferenceTestOp op("CtAdd");
    using shape_inference::InferredError;
    CHECK(InferredError(op, "[?,2];[3,?]", "[d1_0,d0_1]").empty());
    CHECK(InferredError(op, "?;[3]", "in1").empty());
    CHECK(InferredError(op, "[2];[3]", "e").find("Dimension 0 in both shapes must be equal") != std::string::npos);
    CHECK_FALSE(InferredError(op, "[?,2];[3,?]", "[?,2]").empty());
    CHECK_FALSE(InferredError(op, "[2]", "e").empty());
  }
#endif
}
}  // namespace tensorflow
