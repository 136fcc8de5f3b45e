// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/layer_norm.cuh>

#include <doctest/doctest.h>

#include <cmath>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace layer_norm_test {
using tenon::Index;
using tenon::Tensor;

namespace {

template <class T>
void CheckRows(Gpu& gpu, Index rows, Index columns, bool scaled, double tolerance) {
  using A = typename tenon::detail::LayerNormRows<T>::A;
  CAPTURE(rows);
  CAPTURE(columns);
  const Tensor x = Pattern<T>({rows, columns}, 7, 11, -5), scale = Pattern<A>({columns}, 3, 7, 1),
               shift = Pattern<A>({columns}, 5, 9, -4);
  const Tensor scale_there = gpu.Up(scale), shift_there = gpu.Up(shift);
  Tensor there = gpu.Up(x);
  const A* const by = scaled ? scale_there.data<A>() : nullptr;
  const A* const plus = scaled ? shift_there.data<A>() : nullptr;
  REQUIRE(LayerNorm(gpu.cuda(), there.data<T>(), by, plus, A(0.5), there.data<T>(), rows, columns).ok());  // in place
  const Tensor y = gpu.Down(there);
  Index wrong = 0;
  for (Index r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    const T* const row = x.data<T>() + r * columns;
    for (Index c = 0; c < columns; ++c) mean += static_cast<double>(row[c]);
    mean /= static_cast<double>(columns);
    for (Index c = 0; c < columns; ++c) variance += std::pow(static_cast<double>(row[c]) - mean, 2);
    variance /= static_cast<double>(columns);
    for (Index c = 0; c < columns; ++c) {
      double expected = (static_cast<double>(row[c]) - mean) / std::sqrt(variance + 0.5);
      if (scaled)
        expected = expected * static_cast<double>(scale.data<A>()[c]) + static_cast<double>(shift.data<A>()[c]);
      const double got = static_cast<double>(y.data<T>()[r * columns + c]);
      wrong += !(std::abs(got - expected) <= tolerance * (1 + std::abs(expected)));
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("rows of any length and type have mean 0 and variance 1" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool scaled : {false, true}) {
    CheckRows<float>(gpu, 7, 1, scaled, 1e-5);
    CheckRows<float>(gpu, 300, 5, scaled, 1e-5);
    CheckRows<float>(gpu, 3, 1001, scaled, 1e-5);
    CheckRows<float>(gpu, 2, 3000, scaled, 1e-5);
    CheckRows<double>(gpu, 5, 130, scaled, 1e-12);
    CheckRows<tenon::half>(gpu, 5, 72, scaled, 2e-3);
  }
  Tensor nothing = gpu.New(tenon::DataType::kFloat, {0, 4});
  CHECK(LayerNorm<float>(gpu.cuda(), nothing.data<float>(), nullptr, nullptr, 0.5f, nothing.data<float>(), 0, 4).ok());
}

}  // namespace layer_norm_test
