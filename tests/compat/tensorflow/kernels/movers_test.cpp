// SPDX-License-Identifier: Apache-2.0
// Functors that move elements, and what ops that resize images share.
#define EIGEN_USE_THREADS
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/base/absl_random.hpp>
#include <tenon/compat/tensorflow/graph/full_type.hpp>
#include <tenon/compat/tensorflow/kernels/image_resizer.hpp>
#include <tenon/compat/tensorflow/kernels/movers.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace compat_movers_test {
using namespace tensorflow;
namespace {

const Eigen::DefaultDevice kDevice;
template <class T>
Tensor Of(const TensorShape& shape, const std::vector<T>& values) {
  Tensor tensor(DataTypeToEnum<T>::v(), shape);
  std::copy(values.begin(), values.end(), tensor.flat<T>().data());
  return tensor;
}
template <class T>
std::vector<T> ToVector(const Tensor& tensor) {
  const auto flat = tensor.flat<T>();
  return {flat.data(), flat.data() + flat.size()};
}

// Resizes by the nearest pixel; the gradient's output has the size of the images.
class NearestOp : public OpKernel {
 public:
  explicit NearestOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("align_corners", &align_corners_));
    OP_REQUIRES_OK(context, context->GetAttr("half_pixel", &half_));
  }
  void Compute(OpKernelContext* context) override {
    ImageResizerState state(align_corners_, half_);
    state.ValidateAndCreateOutput(context);
    if (!context->status().ok()) return;
    const auto in = context->input(0).tensor<float, 4>();
    auto out = state.output->tensor<float, 4>();
    const LegacyScaler scaler;
    for (int64_t b = 0; b < state.batch_size; ++b)
      for (int y = 0; y < state.out_height; ++y)
        for (int x = 0; x < state.out_width; ++x)
          for (int64_t c = 0; c < state.channels; ++c)
            out(b, y, x, c) = in(b, static_cast<int64_t>(scaler(y, state.height_scale)),
                                 static_cast<int64_t>(scaler(x, state.width_scale)), c);
  }

 private:
  bool align_corners_ = false, half_ = false;
};
REGISTER_OP("CmNearest")
    .Input("images: float")
    .Input("size: int32")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel: bool = false")
    .Output("out: float")
    .SetTypeConstructor(full_type::UnaryGeneric(TFT_TENSOR))
    .SetShapeFn(shape_inference::UnknownShape);
// Without a semicolon behind the macro: lists of types register kernels so.
REGISTER_KERNEL_BUILDER(Name("CmNearest").Device(DEVICE_CPU), NearestOp)

class NearestGradOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    ImageResizerGradientState state(false);
    state.ValidateAndCreateOutput(context);
    if (context->status().ok()) state.output->flat<float>().setConstant(state.height_scale);
  }
};
REGISTER_OP("CmNearestGrad")
    .Input("grad: float")
    .Input("images: float")
    .Output("out: float")
    .SetShapeFn(shape_inference::UnknownShape);
REGISTER_KERNEL_BUILDER(Name("CmNearestGrad").Device(DEVICE_CPU), NearestGradOp);

tenon::Result<std::vector<tenon::Tensor>> Run(std::string_view op, const tenon::AttrMap& attrs, const Tensor& a,
                                              const Tensor& b) {
  tenon::GraphBuilder builder;
  const std::vector<tenon::Output> inputs = {builder.Const("a", a), builder.Const("b", b)};
  builder.Add(op, "n", inputs, attrs);
  TENON_ASSIGN_OR_RETURN(const tenon::Session session, tenon::Session::FromGraph(builder));
  return session.Run({}, {"n"});
}

}  // namespace

TEST_SUITE("functors that move elements") {
  TEST_CASE("transposes") {
    const Tensor in = Of<int32>({2, 3}, {1, 2, 3, 4, 5, 6});
    Tensor out(DT_INT32, {3, 2});
    CHECK(DoTranspose(kDevice, in, {1, 0}, &out).ok());
    CHECK(ToVector<int32>(out) == std::vector<int32>{1, 4, 2, 5, 3, 6});
    CHECK(errors::IsInvalidArgument(DoTranspose(kDevice, in, {0, 0}, &out)));
    CHECK(errors::IsInvalidArgument(DoTranspose(kDevice, in, {0, 1}, &out)));
    CHECK(errors::IsInvalidArgument(DoTranspose(kDevice, in, {0, 5}, &out)));
    Tensor cube(DT_DOUBLE, {2, 2, 3}), moved(DT_DOUBLE, {3, 2, 2});
    for (int i = 0; i < 12; ++i) cube.flat<double>()(i) = i;
    CHECK(DoTranspose(kDevice, cube, {2, 0, 1}, &moved).ok());
    CHECK(moved.tensor<double, 3>()(2, 1, 0) == cube.tensor<double, 3>()(1, 0, 2));
    CHECK(ToVector<double>(moved) == std::vector<double>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
    const Tensor words = Of<tstring>({1, 2}, {"a", "b"});
    Tensor column(DT_STRING, {2, 1});
    CHECK(DoMatrixTranspose(kDevice, words, &column).ok());
    CHECK(column.matrix<tstring>()(1, 0) == "b");
    const Tensor numbers = Of<complex64>({1, 2}, {{1, 2}, {3, -4}});
    Tensor conjugate(DT_COMPLEX64, {2, 1});
    CHECK(DoConjugateMatrixTranspose(kDevice, numbers, &conjugate).ok());
    CHECK(conjugate.flat<complex64>()(0) == complex64(1, -2));
    CHECK(conjugate.flat<complex64>()(1) == complex64(3, 4));
    Tensor variants(DT_VARIANT, {1}), others(DT_VARIANT, {1});
    CHECK(errors::IsUnimplemented(DoTranspose(kDevice, variants, {0}, &others)));
  }
  TEST_CASE("gathers and scatters") {
    Tensor params = Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor rows = params;
    const Tensor indices = Of<int64_t>({2}, {2, 0}), wrong = Of<int64_t>({2}, {1, 3}), low = Of<int64_t>({1}, {-1});
    Tensor out(DT_FLOAT, {2, 2});
    functor::GatherFunctorCPU<float, int64_t> gather;
    CHECK(gather(nullptr, rows.shaped<float, 3>({1, 3, 2}), indices.flat<int64_t>(), out.shaped<float, 3>({1, 2, 2})) ==
          -1);
    CHECK(ToVector<float>(out) == std::vector<float>{5, 6, 1, 2});
    CHECK(gather(nullptr, rows.shaped<float, 3>({1, 3, 2}), wrong.flat<int64_t>(), out.shaped<float, 3>({1, 2, 2})) ==
          1);
    CHECK(gather(nullptr, rows.shaped<float, 3>({1, 3, 2}), low.flat<int64_t>(), out.shaped<float, 3>({1, 1, 4})) == 0);
    const Tensor updates = Of<float>({2, 2}, {10, 20, 30, 40});
    const auto scatter = [&](auto functor, const Tensor& at) {
      Tensor copy = Of<float>({3, 2}, ToVector<float>(params));
      const int64_t bad = functor(nullptr, kDevice, copy.matrix<float>(), updates.matrix<float>(), at.flat<int64_t>());
      return bad >= 0 ? std::vector<float>{static_cast<float>(bad)} : ToVector<float>(copy);
    };
    using D = Eigen::DefaultDevice;
    using scatter_op::UpdateOp;
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::ASSIGN>(), indices) ==
          std::vector<float>{30, 40, 3, 4, 10, 20});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::ADD>(), indices) ==
          std::vector<float>{31, 42, 3, 4, 15, 26});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::SUB>(), indices) ==
          std::vector<float>{-29, -38, 3, 4, -5, -14});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::MUL>(), indices) ==
          std::vector<float>{30, 80, 3, 4, 50, 120});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::DIV>(), indices) ==
          std::vector<float>{1.0f / 30, 0.05f, 3, 4, 0.5f, 0.3f});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::MIN>(), indices) ==
          std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::MAX>(), indices) ==
          std::vector<float>{30, 40, 3, 4, 10, 20});
    CHECK(scatter(functor::ScatterFunctor<D, float, int64_t, UpdateOp::ADD>(), wrong) == std::vector<float>{1});
    const Tensor two = Of<float>({}, {2});
    functor::ScatterScalarFunctor<D, float, int64_t, UpdateOp::MUL> scale;
    CHECK(scale(nullptr, kDevice, params.matrix<float>(), two.scalar<float>(), indices.flat<int64_t>()) == -1);
    CHECK(ToVector<float>(params) == std::vector<float>{2, 4, 3, 4, 10, 12});
  }
  TEST_CASE("tiles and reversals") {
    const Tensor in = Of<int32>({1, 2}, {1, 2});
    Tensor out(DT_INT32, {2, 4});
    functor::Tile<Eigen::DefaultDevice, int32, int32>()(kDevice, &out, in, std::vector<int32>{2, 2});
    CHECK(ToVector<int32>(out) == std::vector<int32>{1, 2, 1, 2, 1, 2, 1, 2});
    Tensor back(DT_INT32, {1, 2});
    functor::Reverse<Eigen::DefaultDevice, int32, 2>()(kDevice, in.matrix<int32>(), {false, true},
                                                       back.matrix<int32>());
    CHECK(ToVector<int32>(back) == std::vector<int32>{2, 1});
  }
  TEST_CASE("images of another size") {
    CHECK(CalculateResizeScale(4, 2, false) == 2);
    CHECK(CalculateResizeScale(4, 2, true) == 3);
    CHECK(CalculateResizeScale(4, 1, true) == 4);
    CHECK(HalfPixelScaler()(1, 2) == 2.5f);
    const Tensor images = Of<float>({1, 2, 2, 1}, {1, 2, 3, 4}), size = Of<int32>({2}, {4, 2});
    const auto out = Run("CmNearest", {}, images, size);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].shape() == TensorShape({1, 4, 2, 1}));
    CHECK(ToVector<float>(Tensor((*out)[0])) == std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4});
    const auto refused = [&](const Tensor& a, const Tensor& b, bool both) {
      return Run("CmNearest", {{"align_corners", both}, {"half_pixel", both}}, a, b).status().code();
    };
    CHECK(refused(images, size, true) == error::INVALID_ARGUMENT);
    CHECK(refused(Of<float>({1, 2}, {1, 2}), size, false) == error::INVALID_ARGUMENT);
    CHECK(refused(Tensor(DT_FLOAT, {1, 0, 2, 1}), size, false) == error::INVALID_ARGUMENT);
    CHECK(refused(Tensor(DT_FLOAT, {1, 2, 2, 0}), size, false) == error::INVALID_ARGUMENT);
    CHECK(refused(images, Of<int32>({2}, {0, 1}), false) == error::INVALID_ARGUMENT);
    CHECK(refused(images, Of<int32>({3}, {1, 1, 1}), false) == error::INVALID_ARGUMENT);
    CHECK(refused(images, Of<int32>({1, 2}, {1, 1}), false) == error::INVALID_ARGUMENT);
    const auto grad = Run("CmNearestGrad", {}, Of<float>({1, 1, 1, 1}, {7}), images);
    REQUIRE_MESSAGE(grad.ok(), grad.status().message());
    CHECK(ToVector<float>(Tensor((*grad)[0])) == std::vector<float>{2, 2, 2, 2});
    CHECK(Run("CmNearestGrad", {}, Tensor(DT_FLOAT, {1, 0, 1, 1}), images).status().code() == error::INVALID_ARGUMENT);
    CHECK(Run("CmNearestGrad", {}, images, size).status().code() != error::OK);
  }
  TEST_CASE("random numbers by Abseil's names") {
    absl::BitGen generator;
    std::set<int> seen;
    for (int i = 0; i < 1000; ++i) {
      const int a = absl::Uniform(generator, 0, 4), b = absl::Uniform(absl::IntervalClosed, generator, 4, 5);
      CHECK(a >= 0);
      CHECK(a < 4);
      seen.insert({a, b});
      const double real = absl::Uniform(generator, -1.0, 1.0);
      CHECK(real >= -1);
      CHECK(real < 1);
    }
    CHECK(seen == std::set<int>{0, 1, 2, 3, 4, 5});
    CHECK(absl::Uniform(generator, 3, 3) == 3);
    CHECK(absl::Bernoulli(generator, 1));
    CHECK(absl::Exponential<double>(generator) >= 0);
    CHECK(absl::Poisson<int>(generator, 0.5) >= 0);
    CHECK(absl::Gaussian<double>(generator, 1e6, 1) > 1e5);
    int called = 0;
    const absl::Overload call{[&](int) { called = 1; }, [&](const char*) { called = 2; }};
    call("x");
    CHECK(called == 2);
  }
}
}  // namespace compat_movers_test
