// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuBLAS for the emulation, as far as Tenon calls it: products of float, double, half and bfloat16, computed on the host
// in the order of the stream.

#include <cstdint>

#include "cuda_runtime.h"

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16 };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
using cudaDataType = cudaDataType_t;
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };

namespace emulation {
struct Cublas {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};
}  // namespace emulation
using cublasHandle_t = emulation::Cublas*;

const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);

// c = alpha * op(a) * op(b) + beta * c, column by column: op(a) is m by k, op(b) k by n. alpha and beta are of the
// compute type and read during the call.
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                             std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,
                                             const void* a, cudaDataType_t type_a, std::int64_t lda, long long stride_a,
                                             const void* b, cudaDataType_t type_b, std::int64_t ldb, long long stride_b,
                                             const void* beta, void* c, cudaDataType_t type_c, std::int64_t ldc,
                                             long long stride_c, std::int64_t batches, cublasComputeType_t compute,
                                             cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                               std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType_t type_a,
                               std::int64_t lda, const void* b, cudaDataType_t type_b, std::int64_t ldb,
                               const void* beta, void* c, cudaDataType_t type_c, std::int64_t ldc,
                               cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
