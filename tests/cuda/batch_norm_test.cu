// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/batch_norm.cuh>

#include <doctest/doctest.h>

#include <cmath>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace batch_norm_test {
using tenon::BatchNormCall;
using tenon::ChannelLayout;
using tenon::Index;
using tenon::Tensor;

namespace {

Index CountFar(const Tensor& a, const Tensor& b, float tolerance) {
  Index far = 0;
  for (Index i = 0; i < a.NumElements(); ++i) {
    const float x = a.data<float>()[i], y = b.data<float>()[i];
    far += !(std::abs(x - y) <= tolerance * (1 + std::abs(y)));
  }
  return far;
}

void CheckNorm(Gpu& gpu, const ChannelLayout& l, bool training, bool blends) {
  CAPTURE(l.channels);
  CAPTURE(l.inner);
  const Tensor x = Pattern<float>({l.outer, l.channels, l.inner}, 7, 26, -12), there = gpu.Up(x);
  const Tensor vectors = Pattern<float>({4, l.channels}, 3, 5, 1), vectors_there = gpu.Up(vectors);
  Tensor y(x.dtype(), x.shape()), moments(x.dtype(), {4, l.channels});
  Tensor y_there = gpu.New(x.dtype(), x.shape()), moments_there = gpu.New(x.dtype(), {4, l.channels});
  const auto call = [&](const Tensor& from, const Tensor& with, Tensor& to, Tensor& and_to) {
    BatchNormCall made;
    const float* const v = with.data<float>();
    made.layout = l;
    made.x = from.raw_data();
    made.scale = v;
    made.offset = v + l.channels;
    made.mean = v + 2 * l.channels;
    made.variance = v + 3 * l.channels;
    made.epsilon = 0.01f;
    made.factor = blends ? 0.25f : 1.0f;
    made.training = training;
    made.blends = blends;
    made.y = to.raw_data();
    for (int i = 0; i < 4; ++i) made.moments[i] = and_to.data<float>() + i * l.channels;
    return made;
  };
  tenon::Cpu cpu;
  REQUIRE(NormalizeBatch(cpu, call(x, vectors, y, moments)).ok());
  const tenon::Status status = NormalizeBatch(gpu.cuda(), call(there, vectors_there, y_there, moments_there));
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  CHECK(CountFar(gpu.Down(y_there), y, 1e-4f) == 0);
  CHECK(CountFar(gpu.Down(moments_there), moments, 1e-5f) == 0);
}

}  // namespace

TEST_CASE("images with the channels last and first, with given moments and their own" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const ChannelLayout& l : {ChannelLayout{60, 8, 1}, ChannelLayout{61, 3, 1}, ChannelLayout{2, 3, 36},
                                 ChannelLayout{2, 3, 35}, ChannelLayout{1, 2, 700}, ChannelLayout{3000, 2, 1}}) {
    CheckNorm(gpu, l, false, false);
    CheckNorm(gpu, l, true, false);
    CheckNorm(gpu, l, true, true);
  }
}

TEST_CASE("half images" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor x = gpu.Up(Pattern<tenon::half>({4, 8}, 7, 26, -12)),
               vectors = gpu.Up(tenon::MakeTensor<float>({8}, {1, 1, 1, 1, 1, 1, 1, 1}));
  Tensor y = gpu.New(x.dtype(), x.shape()), moments = gpu.New(tenon::DataType::kFloat, {4, 8});
  BatchNormCall call;
  call.layout = {4, 8, 1};
  call.type = x.dtype();
  call.x = x.raw_data();
  call.scale = call.offset = call.mean = call.variance = vectors.data<float>();
  call.y = y.raw_data();
  for (int i = 0; i < 4; ++i) call.moments[i] = moments.data<float>() + 8 * i;
  REQUIRE(NormalizeBatch(gpu.cuda(), call).ok());  // (x - 1) / 1 + 1
  const Tensor before = gpu.Down(x), after = gpu.Down(y);
  Index wrong = 0;
  for (Index i = 0; i < 32; ++i)
    wrong += static_cast<float>(before.data<tenon::half>()[i]) != static_cast<float>(after.data<tenon::half>()[i]);
  CHECK(wrong == 0);
}

TEST_CASE("the gradient is that of the CPU" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const ChannelLayout& l : {ChannelLayout{60, 8, 1}, ChannelLayout{2, 3, 36}, ChannelLayout{3000, 2, 1}}) {
    for (const bool training : {false, true}) {
      const tenon::TensorShape shape{l.outer, l.channels, l.inner};
      const Tensor dy = Pattern<float>(shape, 3, 7, -2), x = Pattern<float>(shape, 7, 26, -12);
      const Tensor vectors = Pattern<float>({3, l.channels}, 3, 5, 1);
      const Tensor dy_there = gpu.Up(dy), x_there = gpu.Up(x), vectors_there = gpu.Up(vectors);
      Tensor dx(x.dtype(), shape), sums(x.dtype(), {2, l.channels});
      Tensor dx_there = gpu.New(x.dtype(), shape), sums_there = gpu.New(x.dtype(), {2, l.channels});
      const auto call = [&](const Tensor& a, const Tensor& b, const Tensor& with, Tensor& to, Tensor& and_to) {
        tenon::BatchNormGradCall made;
        made.layout = l;
        made.training = training;
        made.dy = a.raw_data();
        made.x = b.raw_data();
        made.scale = with.data<float>();
        made.mean = made.scale + l.channels;
        made.variance = made.mean + l.channels;
        made.epsilon = 0.01f;
        made.dx = to.raw_data();
        made.dscale = and_to.data<float>();
        made.doffset = made.dscale + l.channels;
        return made;
      };
      tenon::Cpu cpu;
      REQUIRE(NormalizeBatchGrad(cpu, call(dy, x, vectors, dx, sums)).ok());
      REQUIRE(NormalizeBatchGrad(gpu.cuda(), call(dy_there, x_there, vectors_there, dx_there, sums_there)).ok());
      CHECK(CountFar(gpu.Down(dx_there), dx, 1e-4f) == 0);
      CHECK(CountFar(gpu.Down(sums_there), sums, 1e-4f) == 0);
    }
  }
}
}  // namespace batch_norm_test
