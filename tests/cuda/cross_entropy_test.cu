// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/cross_entropy.cuh>

#include <doctest/doctest.h>

#include <cmath>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace cross_entropy_test {
using tenon::Index;
using tenon::Tensor;

namespace {

template <class T>
void CheckLoss(Gpu& gpu, Index rows, Index classes, bool one_label_row, double tolerance) {
  CAPTURE(classes);
  const tenon::DataType type = tenon::dtype_of_v<T>;
  const Tensor x = Pattern<T>({rows, classes}, 7, 11, -5), y = Pattern<T>({rows, classes}, 3, 2, 0);
  const Tensor x_there = gpu.Up(x), y_there = gpu.Up(y);
  Tensor loss(type, {rows}), backprop(type, x.shape());
  Tensor loss_there = gpu.New(type, {rows}), backprop_there = gpu.New(type, x.shape());
  const Index label_row = one_label_row ? 0 : classes;
  tenon::Cpu cpu;
  REQUIRE(CrossEntropy(cpu, type, rows, classes, {x.raw_data(), classes, 1}, {y.raw_data(), label_row, 1},
                       loss.raw_data(), backprop.raw_data())
              .ok());
  REQUIRE(CrossEntropy(gpu.cuda(), type, rows, classes, {x_there.raw_data(), classes, 1},
                       {y_there.raw_data(), label_row, 1}, loss_there.raw_data(), backprop_there.raw_data())
              .ok());
  const Tensor got_loss = gpu.Down(loss_there), got = gpu.Down(backprop_there);
  Index wrong = 0;
  const auto is_far = [&](T a, T b) {
    const double p = static_cast<double>(a), q = static_cast<double>(b);
    return !(std::abs(p - q) <= tolerance * (1 + std::abs(q)));
  };
  for (Index i = 0; i < rows; ++i) wrong += is_far(got_loss.data<T>()[i], loss.data<T>()[i]);
  for (Index i = 0; i < rows * classes; ++i) wrong += is_far(got.data<T>()[i], backprop.data<T>()[i]);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("losses and gradients are those of the CPU" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckLoss<float>(gpu, 20, 3, false, 1e-5);
  CheckLoss<float>(gpu, 3, 50, true, 1e-5);
  CheckLoss<float>(gpu, 2, 2000, false, 1e-4);
  CheckLoss<double>(gpu, 3, 40, false, 1e-12);
  CheckLoss<tenon::half>(gpu, 3, 40, true, 2e-3);
}

TEST_CASE("labels that are one class each" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const Index classes : {Index{5}, Index{70}}) {
    const Tensor x = Pattern<float>({3, classes}, 7, 11, -5), there = gpu.Up(x);
    const Index labels[] = {2, 0, 4};
    Tensor loss(x.dtype(), {3}), backprop(x.dtype(), x.shape());
    Tensor loss_there = gpu.New(x.dtype(), {3}), backprop_there = gpu.New(x.dtype(), x.shape());
    tenon::Cpu cpu;
    REQUIRE(SparseCrossEntropy(cpu, x.dtype(), 3, classes, x.raw_data(), labels, loss.raw_data(), backprop.raw_data())
                .ok());
    REQUIRE(SparseCrossEntropy(gpu.cuda(), x.dtype(), 3, classes, there.raw_data(), labels, loss_there.raw_data(),
                               backprop_there.raw_data())
                .ok());
    const Tensor got_loss = gpu.Down(loss_there), got = gpu.Down(backprop_there);
    Index wrong = 0;
    for (Index i = 0; i < 3; ++i) wrong += !(std::abs(got_loss.data<float>()[i] - loss.data<float>()[i]) < 1e-5f);
    for (Index i = 0; i < 3 * classes; ++i)
      wrong += !(std::abs(got.data<float>()[i] - backprop.data<float>()[i]) < 1e-6f);
    CHECK(wrong == 0);
  }
}
}  // namespace cross_entropy_test
