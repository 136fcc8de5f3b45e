// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuBLAS: its errors as Status, its handle of a stream, and one call for a row-major matrix product. The only file that
// includes cuBLAS; a program that calls this links with it.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/gemm/cublas.cuh> only from files that nvcc compiles."
#endif

#include <cublas_v2.h>

#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

// Element types whose products cuBLAS computes here; half and bfloat16 are added up in float.
template <class T>
concept CublasElement =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

inline Status CublasStatus(cublasStatus_t status, int ordinal, std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return OkStatus();
  const Code code = status == CUBLAS_STATUS_ALLOC_FAILED    ? Code::kResourceExhausted
                    : status == CUBLAS_STATUS_ARCH_MISMATCH ? Code::kFailedPrecondition
                                                            : Code::kInternal;
  return errors::Make(code, "GPU:", ordinal, ": ", what, ": ", cublasGetStatusString(status), " (",
                      cublasGetStatusName(status), ")");
}

namespace detail {

inline Status CreateCublas(cudaStream_t stream, void** handle) {
  cublasHandle_t made = nullptr;
  int ordinal = 0;
  (void)cudaGetDevice(&ordinal);
  TENON_RETURN_IF_ERROR(CublasStatus(cublasCreate(&made), ordinal, "cannot start cuBLAS"));
  Status status = CublasStatus(cublasSetStream(made, stream), ordinal, "cannot start cuBLAS");
  // Sums of half and bfloat16 stay in float to the end.
  status.Update(CublasStatus(cublasSetMathMode(made, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), ordinal,
                             "cannot start cuBLAS"));
  if (!status.ok()) {
    (void)cublasDestroy(made);
    return status;
  }
  *handle = made;
  return OkStatus();
}
inline void DestroyCublas(void* handle) { (void)cublasDestroy(static_cast<cublasHandle_t>(handle)); }

inline constexpr CudaLibrary kCublas{"cuBLAS", &CreateCublas, &DestroyCublas};

template <class T>
constexpr cudaDataType_t CublasType() {
  if constexpr (std::is_same_v<T, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<T, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<T, half>) return CUDA_R_16F;
  return CUDA_R_16BF;
}

// product = a * b, all row-major. Read column by column, as cuBLAS does, a row-major matrix is its own transpose, and
// product^T = b^T * a^T: so the operands change places and keep their flags. In full precision: no TF32.
template <CublasElement T>
cublasStatus_t CublasGemm(cublasHandle_t handle, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b,
                          Out<T, 2> product) {
  using Scale = std::conditional_t<std::is_same_v<T, double>, double, float>;
  constexpr cudaDataType_t kType = CublasType<T>();
  constexpr cublasComputeType_t kCompute = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  const Scale one = 1, zero = 0;
  return cublasGemmEx_64(handle, transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                         product.dim(1), product.dim(0), transpose_a ? a.dim(0) : a.dim(1), &one, b.data, kType,
                         b.dim(1), a.data, kType, a.dim(1), &zero, product.data, kType, product.dim(1), kCompute,
                         CUBLAS_GEMM_DEFAULT);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
