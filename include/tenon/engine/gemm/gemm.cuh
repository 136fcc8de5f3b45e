// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gemm on a GPU: cuBLAS for float, double, half and bfloat16, a template for other types. A program without cuBLAS
// includes tiled_gemm.cuh instead and calls TiledGemm.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/gemm/gemm.cuh> only from files that nvcc compiles."
#endif

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/result_epilogue.cuh>
#include <tenon/engine/gemm/cublas.cuh>
#include <tenon/engine/gemm/cublas_lt.cuh>
#include <tenon/engine/gemm/tiled.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
template <class T>
struct CublasGemmCall {
  In<T, 2> a;
  bool transpose_a;
  In<T, 2> b;
  bool transpose_b;
  Out<T, 2> product;
  int ordinal;
  Status operator()(void* handle) const {
    return CublasStatus(CublasGemm(static_cast<cublasHandle_t>(handle), a, transpose_a, b, transpose_b, product),
                        ordinal, "cuBLAS cannot multiply");
  }
};
// A product with the device's epilogue by cuBLASLt; *done stays false where cuBLASLt has no such product.
template <class T>
Status GemmWithEpilogue(Cuda& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> product,
                        bool* done) {
  const CudaEpilogue& steps = *device.epilogue;
  if (steps.clamps_above() || (steps.clamps_below() && steps.low != 0)) return OkStatus();
  return device.libraries->With(
      kCublasLt, CublasLtCall<T>{a, transpose_a, b, transpose_b, static_cast<const T*>(steps.offset),
                                 steps.clamps_below(), product, done, static_cast<const T*>(steps.added)});
}
}  // namespace detail

// product = a * b, an operand read as its transpose where told so; all row-major. InvalidArgument if the shapes do not
// fit. Takes the device's epilogue if cuBLASLt can. Returns when it is queued. `device` is one that a session hands
// out: it has the handle of cuBLAS.
template <class T>
Status Gemm(Cuda& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> product) {
  if constexpr (CublasElement<T>) {
    TENON_RETURN_IF_ERROR(detail::CheckGemm(a, transpose_a, b, transpose_b, product));
    if (product.size() == 0) return OkStatus();
    if (a.size() != 0) {  // cuBLAS knows no matrices without columns
      if (device.libraries == nullptr)
        return errors::FailedPrecondition(
            "Gemm: this Cuda has no library handles; take the one of a CudaDevice, or call TiledGemm");
      if (device.epilogue != nullptr) {
        bool& done = device.epilogue->done;
        TENON_RETURN_IF_ERROR(detail::GemmWithEpilogue<T>(device, a, transpose_a, b, transpose_b, product, &done));
        if (done) return OkStatus();
      }
      return device.libraries->With(detail::kCublas,
                                    detail::CublasGemmCall<T>{a, transpose_a, b, transpose_b, product, device.ordinal});
    }
  }
  return TiledGemm(device, a, transpose_a, b, transpose_b, product);
}

TENON_DETAIL_NAMESPACE_END
