// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/local_response_norm.cuh>

#include <doctest/doctest.h>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/types/numeric.hpp>

namespace local_response_norm_test {
using tenon::Index;
using tenon::LrnParameters;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

template <class T>
void CheckNear(const Tensor& got, const Tensor& wanted, float relative) {
  Index wrong = 0;
  for (Index i = 0; i < got.NumElements(); ++i) {
    const auto x = static_cast<float>(got.flat<T>()[i]), y = wanted.flat<float>()[i];
    const float difference = x < y ? y - x : x - y, size = y < 0 ? -y : y;
    wrong += !(difference <= relative * (size + 1));
  }
  CHECK(wrong == 0);
}

template <class T>
void CheckLrn(Gpu& gpu, float relative) {
  tenon::Cpu cpu;
  for (const Index depth : {Index{1}, Index{4}, Index{37}})
    for (const LrnParameters& p : {LrnParameters{}, LrnParameters{2, 2, 0.25f, 0.75f}, LrnParameters{0, 1, 1, 1}}) {
      CAPTURE(depth);
      CAPTURE(p.radius);
      const TensorShape shape{5, depth};
      const auto float_type = tenon::DataType::kFloat, type = tenon::dtype_of_v<T>;
      const Tensor x = Pattern<float>(shape, 3, 7, -3), dy = Pattern<float>(shape, 5, 11, -5),
                   y = Pattern<float>(shape, 2, 5, -2);
      Tensor wanted(float_type, shape), wanted_grad(float_type, shape);
      REQUIRE(tenon::Lrn(cpu, p, x.data<float>(), 5, depth, wanted.data<float>()).ok());
      REQUIRE(tenon::LrnGrad(cpu, p, dy.data<float>(), x.data<float>(), y.data<float>(), 5, depth,
                             wanted_grad.data<float>())
                  .ok());
      const Tensor x_there = gpu.Up(Pattern<T>(shape, 3, 7, -3)), dy_there = gpu.Up(Pattern<T>(shape, 5, 11, -5)),
                   y_there = gpu.Up(Pattern<T>(shape, 2, 5, -2));
      Tensor got = gpu.New(type, shape), grad = gpu.New(type, shape);
      REQUIRE(tenon::Lrn(gpu.cuda(), p, x_there.data<T>(), 5, depth, got.data<T>()).ok());
      REQUIRE(tenon::LrnGrad(gpu.cuda(), p, dy_there.data<T>(), x_there.data<T>(), y_there.data<T>(), 5, depth,
                             grad.data<T>())
                  .ok());
      CheckNear<T>(gpu.Down(got), wanted, relative);
      CheckNear<T>(gpu.Down(grad), wanted_grad, relative);
    }
}

}  // namespace

TEST_CASE("normalised channels and their gradients are the CPU's" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckLrn<float>(gpu, 1e-5f);
  CheckLrn<tenon::half>(gpu, 1e-3f);
}

TEST_CASE("nothing is started without rows, with or without a GPU") {
  tenon::Cuda device;
  CHECK(tenon::Lrn<float>(device, LrnParameters{}, nullptr, 0, 4, nullptr).ok());
  CHECK(tenon::LrnGrad<float>(device, LrnParameters{}, nullptr, nullptr, nullptr, 0, 4, nullptr).ok());
}
}  // namespace local_response_norm_test
