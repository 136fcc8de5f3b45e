// SPDX-License-Identifier: Apache-2.0
#pragma once
// FusedGemm: a product with a bias and an activation on a GPU. cuBLASLt adds the bias and computes ReLU; one more
// kernel computes other activations.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/fused_gemm.cuh> only from files that nvcc compiles."
#endif

#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/gemm/cublas_lt.cuh>
#include <tenon/engine/gemm/gemm.cuh>
#include <tenon/engine/nn/epilogue.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// In place: x becomes activation(x + bias). A null bias is zero.
template <class T>
struct FinishGemmBody {
  using A = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const T* bias;
  Index columns;
  FusedActivation activation;
  float alpha;
  T* x;

  TENON_HD void operator()(Index i) const {
    const A value = static_cast<A>(x[i]) + (bias == nullptr ? A(0) : static_cast<A>(bias[i % columns]));
    x[i] = static_cast<T>(FusedActivate(activation, static_cast<A>(alpha), value));
  }
};

}  // namespace detail

// product = activation(a * b + bias), an operand read as its transpose where told so; all row-major, `bias` one element
// a column. An empty sum is zero without a bias, as in TensorFlow. Errors as of Gemm. Returns when it is queued.
template <CublasElement T>
Status FusedGemm(Cuda& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, const T* bias,
                 FusedActivation activation, float leaky_alpha, Out<T, 2> product) {
  TENON_RETURN_IF_ERROR(detail::CheckGemm(a, transpose_a, b, transpose_b, product));
  if (product.size() == 0) return OkStatus();
  if (a.size() == 0) return Gemm<T>(device, a, transpose_a, b, transpose_b, product);
  const bool relu = activation == FusedActivation::kRelu;
  bool done = false;
  if (device.libraries != nullptr)
    TENON_RETURN_IF_ERROR(device.libraries->With(
        detail::kCublasLt, detail::CublasLtCall<T>{a, transpose_a, b, transpose_b, bias, relu, product, &done}));
  if (!done) TENON_RETURN_IF_ERROR(Gemm<T>(device, a, transpose_a, b, transpose_b, product));
  if (done && (relu || activation == FusedActivation::kNone)) return OkStatus();
  return ForEach(
      device, product.size(),
      detail::FinishGemmBody<T>{done ? nullptr : bias, product.dim(1), activation, leaky_alpha, product.data});
}

TENON_DETAIL_NAMESPACE_END
