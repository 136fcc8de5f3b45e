// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/fused_gemm.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace fused_gemm_test {
using tenon::FusedActivation;
using tenon::In;
using tenon::Index;
using tenon::Out;
using tenon::Tensor;

namespace {

template <class T>
void CheckProduct(Gpu& gpu, Index m, Index n, Index k, bool transpose_a, bool transpose_b, FusedActivation activation,
                  bool library = true) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const Tensor a = Pattern<T>(transpose_a ? tenon::TensorShape{k, m} : tenon::TensorShape{m, k}, 3, 5, -2);
  const Tensor b = Pattern<T>(transpose_b ? tenon::TensorShape{n, k} : tenon::TensorShape{k, n}, 5, 7, -3);
  const Tensor bias = Pattern<T>({n}, 7, 11, -5);
  const Tensor a_there = gpu.Up(a), b_there = gpu.Up(b), bias_there = gpu.Up(bias);
  Tensor out = gpu.New(tenon::dtype_of_v<T>, {m, n});
  tenon::Cuda cuda = gpu.cuda();
  if (!library) cuda.libraries = nullptr;
  const tenon::Status status = tenon::FusedGemm<T>(
      cuda, In<T, 2>(a_there.data<T>(), a.shape().begin()), transpose_a, In<T, 2>(b_there.data<T>(), b.shape().begin()),
      transpose_b, bias_there.data<T>(), activation, 0.25f, Out<T, 2>(out.data<T>(), out.shape().begin()));
  if (!library && m * n * k != 0) {
    CHECK(status.code() == tenon::Code::kFailedPrecondition);
    return;
  }
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const Tensor got = gpu.Down(out);
  Index wrong = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index p = 0; p < k; ++p)
        sum += static_cast<double>(a.data<T>()[transpose_a ? p * m + i : i * k + p]) *
               static_cast<double>(b.data<T>()[transpose_b ? j * k + p : p * n + j]);
      const double with_bias = sum + static_cast<double>(bias.data<T>()[j]);
      const double expected = k == 0 ? 0 : tenon::detail::FusedActivate(activation, 0.25, with_bias);
      const double tolerance = sizeof(T) == 2 ? 1e-2 : 1e-5;
      wrong +=
          !(std::abs(static_cast<double>(got.data<T>()[i * n + j]) - expected) <= tolerance * (1 + std::abs(expected)));
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("products with a bias and an activation, of all types and orders" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const FusedActivation activation :
       {FusedActivation::kNone, FusedActivation::kRelu, FusedActivation::kRelu6, FusedActivation::kElu,
        FusedActivation::kLeakyRelu, FusedActivation::kTanh, FusedActivation::kSigmoid})
    CheckProduct<float>(gpu, 5, 7, 11, false, false, activation);
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      CheckProduct<float>(gpu, 3, 9, 4, transpose_a, transpose_b, FusedActivation::kRelu);
      CheckProduct<double>(gpu, 4, 2, 6, transpose_a, transpose_b, FusedActivation::kNone);
      CheckProduct<tenon::half>(gpu, 8, 3, 5, transpose_a, transpose_b, FusedActivation::kRelu);
      CheckProduct<tenon::bfloat16>(gpu, 2, 6, 8, transpose_a, transpose_b, FusedActivation::kTanh);
    }
  }
}
TEST_CASE("empty products" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckProduct<float>(gpu, 0, 3, 2, false, false, FusedActivation::kRelu);
  CheckProduct<float>(gpu, 2, 3, 0, false, false, FusedActivation::kNone);
  CheckProduct<float>(gpu, 2, 3, 4, false, false, FusedActivation::kNone, false);
}
TEST_CASE("a product whose plan is known takes one launch" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (int round = 0; round < 2; ++round) CheckProduct<float>(gpu, 3, 4, 5, false, true, FusedActivation::kRelu);
  for (Index n = 1; n < 140; ++n) CheckProduct<float>(gpu, 1, n, 1, false, false, FusedActivation::kNone);
  CheckProduct<float>(gpu, 3, 4, 5, false, true, FusedActivation::kRelu);  // its plan was dropped
}

}  // namespace fused_gemm_test
