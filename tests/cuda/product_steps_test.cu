// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/product_steps.cuh>

#include <doctest/doctest.h>

#include <cmath>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/special.hpp>

namespace product_steps_test {
using tenon::ElementwiseStep;
using tenon::In;
using tenon::Index;
using tenon::Span;
using tenon::StepInput;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

using Unary = tenon::StepOps<tenon::ops::Erf>;
using Binary = tenon::StepOps<tenon::ops::Mul, tenon::ops::AddV2>;

// y = x / 2 (1 + erf(x / sqrt(2))) of x = a b + bias, as nodes have it.
template <class T>
void CheckGelu(Gpu& gpu, Index m, Index n, Index k, bool transpose_a, bool transpose_b, double tolerance) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const Tensor a = Pattern<T>(transpose_a ? TensorShape{k, m} : TensorShape{m, k}, 3, 5, -2),
               b = Pattern<T>(transpose_b ? TensorShape{n, k} : TensorShape{k, n}, 5, 7, -3),
               bias = Pattern<T>({n}, 7, 11, -5);
  Tensor constants = Pattern<T>({3}, 0, 1, 1);
  constants.data<T>()[0] = T(0.5);
  constants.data<T>()[1] = T(0.70710678118654752440);
  const Tensor a_there = gpu.Up(a), b_there = gpu.Up(b), bias_there = gpu.Up(bias), there = gpu.Up(constants);
  Tensor out = gpu.New(tenon::dtype_of_v<T>, {m, n});
  const TensorShape one;
  const T* const c = there.data<T>();
  StepInput inputs[] = {
      {nullptr, &out.shape()}, {bias_there.raw_data(), &bias.shape()}, {c, &one}, {c + 1, &one}, {c + 2, &one}};
  const ElementwiseStep steps[] = {{.a = 0, .b = 1, .number = 1}, {.a = 5, .b = 2, .number = 0},
                                   {.a = 5, .b = 3, .number = 0}, {.a = 7, .number = 0},
                                   {.a = 8, .b = 4, .number = 1}, {.a = 6, .b = 9, .number = 0}};
  bool done = false;
  tenon::Cuda device = gpu.cuda();
  const tenon::Status status =
      MultiplyWithSteps(device, Unary(), Binary(), a_there.matrix<T>(), transpose_a, b_there.matrix<T>(), transpose_b,
                        Span<const ElementwiseStep>(steps, 6), Span<StepInput>(inputs, 5), out.data<T>(), &done);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  REQUIRE(done == (m * n > 0));
  const Tensor got = gpu.Down(out);
  Index wrong = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      double x = static_cast<double>(bias.data<T>()[j]);
      for (Index p = 0; p < k; ++p)
        x += static_cast<double>(a.data<T>()[transpose_a ? p * m + i : i * k + p]) *
             static_cast<double>(b.data<T>()[transpose_b ? j * k + p : p * n + j]);
      const double wanted = x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
      wrong += !(std::abs(static_cast<double>(got.data<T>()[i * n + j]) - wanted) <= tolerance * (1 + std::abs(x)));
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a product with GELU is one kernel" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      CheckGelu<float>(gpu, 33, 40, 19, transpose_a, transpose_b, 1e-6);
      CheckGelu<double>(gpu, 5, 70, 3, transpose_a, transpose_b, 1e-12);
      CheckGelu<float>(gpu, 1, 1, 1, transpose_a, transpose_b, 1e-6);
      CheckGelu<float>(gpu, 3, 2, 0, transpose_a, transpose_b, 1e-6);  // an empty sum is zero
      CheckGelu<float>(gpu, 0, 2, 4, transpose_a, transpose_b, 1e-6);
    }
}
TEST_CASE("large products and other shapes are left to cuBLAS") {
  tenon::Cuda device;
  const auto takes = [&](Index m, Index n, Index k, Index k2, const TensorShape& shape) {
    const Index a[] = {m, k}, b[] = {k2, n};
    StepInput inputs[] = {{nullptr, &shape}};
    bool done = true;
    CHECK(MultiplyWithSteps(device, Unary(), Binary(), In<float, 2>(nullptr, a), false, In<float, 2>(nullptr, b), false,
                            {}, Span<StepInput>(inputs, 1), static_cast<float*>(nullptr), &done)
              .ok());
    return done;
  };
  CHECK(!takes(1 << 10, 1 << 10, 17, 17, {1 << 10, 1 << 10}));
  CHECK(!takes(Index{1} << 31, Index{1} << 31, 4, 4, {Index{1} << 31, Index{1} << 31}));
  CHECK(!takes(3, 4, 5, 6, {3, 4}));
  CHECK(!takes(3, 4, 5, 5, {4, 3}));
}
}  // namespace product_steps_test
