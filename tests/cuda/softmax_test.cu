// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/softmax.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace softmax_test {
using tenon::Index;
using tenon::Tensor;

namespace {

template <class T>
void CheckRows(Gpu& gpu, Index rows, Index columns, double tolerance) {
  CAPTURE(rows);
  CAPTURE(columns);
  const Tensor x = Pattern<T>({rows, columns}, 7, 11, -5);
  const Tensor there = gpu.Up(x);
  Tensor soft_there = gpu.New(tenon::dtype_of_v<T>, x.shape()), log_there = gpu.New(tenon::dtype_of_v<T>, x.shape());
  REQUIRE(Softmax(gpu.cuda(), there.data<T>(), soft_there.data<T>(), rows, columns).ok());
  REQUIRE(LogSoftmax(gpu.cuda(), there.data<T>(), log_there.data<T>(), rows, columns).ok());
  const Tensor soft = gpu.Down(soft_there), logarithm = gpu.Down(log_there);
  Index wrong = 0;
  for (Index r = 0; r < rows; ++r) {
    double sum = 0;
    for (Index c = 0; c < columns; ++c) sum += std::exp(static_cast<double>(x.data<T>()[r * columns + c]));
    for (Index c = 0; c < columns; ++c) {
      const Index i = r * columns + c;
      const double expected = std::exp(static_cast<double>(x.data<T>()[i])) / sum;
      wrong += !(std::abs(static_cast<double>(soft.data<T>()[i]) - expected) <= tolerance * (expected + 1e-4));
      wrong += !(std::abs(static_cast<double>(logarithm.data<T>()[i]) - std::log(expected)) <=
                 tolerance * (1 - std::log(expected)));
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("rows of any length and type, by a thread, a warp or a block" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckRows<float>(gpu, 7, 1, 1e-5);
  CheckRows<float>(gpu, 300, 5, 1e-5);
  CheckRows<float>(gpu, 9, 64, 1e-5);
  CheckRows<float>(gpu, 3, 1001, 1e-5);
  CheckRows<float>(gpu, 2, 5000, 1e-5);
  CheckRows<double>(gpu, 5, 130, 1e-12);
  CheckRows<tenon::half>(gpu, 5, 72, 2e-3);
  CheckRows<tenon::bfloat16>(gpu, 5, 33, 1e-2);
}

TEST_CASE("a row with a NaN, with infinity or of minus infinity gives NaN" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Index columns : {Index{3}, Index{40}}) {
    Tensor x = Pattern<float>({4, columns});
    x.data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
    x.data<float>()[columns + 2] = kInfinity;
    for (Index c = 0; c < columns; ++c) x.data<float>()[2 * columns + c] = -kInfinity;
    x.data<float>()[3 * columns] = -kInfinity;
    Tensor there = gpu.Up(x);
    REQUIRE(Softmax(gpu.cuda(), there.data<float>(), there.data<float>(), 4, columns).ok());  // in place
    const Tensor y = gpu.Down(there);
    Index wrong = 0;
    for (Index i = 0; i < 3 * columns; ++i) wrong += !std::isnan(y.data<float>()[i]);
    for (Index i = 3 * columns; i < 4 * columns; ++i) wrong += !(y.data<float>()[i] <= 1);
    CHECK(wrong == 0);
    CHECK(y.data<float>()[3 * columns] == 0);
  }
}
}  // namespace softmax_test
