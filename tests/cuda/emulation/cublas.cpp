// SPDX-License-Identifier: Apache-2.0
#include "cublas_v2.h"

#include <utility>
#include <vector>

#include <tenon/types/numeric.hpp>

namespace {

using std::int64_t;

template <class Sum>
Sum Read(const void* data, cudaDataType_t type, int64_t at) {
  switch (type) {
    case CUDA_R_32F: return static_cast<Sum>(static_cast<const float*>(data)[at]);
    case CUDA_R_64F: return static_cast<Sum>(static_cast<const double*>(data)[at]);
    case CUDA_R_16F: return static_cast<Sum>(static_cast<float>(static_cast<const tenon::half*>(data)[at]));
    case CUDA_R_16BF: return static_cast<Sum>(static_cast<float>(static_cast<const tenon::bfloat16*>(data)[at]));
  }
  return 0;
}
template <class Sum>
void Write(void* data, cudaDataType_t type, int64_t at, Sum value) {
  switch (type) {
    case CUDA_R_32F: static_cast<float*>(data)[at] = static_cast<float>(value); break;
    case CUDA_R_64F: static_cast<double*>(data)[at] = static_cast<double>(value); break;
    case CUDA_R_16F: static_cast<tenon::half*>(data)[at] = tenon::half(static_cast<float>(value)); break;
    case CUDA_R_16BF: static_cast<tenon::bfloat16*>(data)[at] = tenon::bfloat16(static_cast<float>(value)); break;
  }
}
int64_t BytesOf(cudaDataType_t type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }

struct Matrix {
  const void* data;
  cudaDataType_t type;
  int64_t leading;
  bool transposed;
};
// Row by row: rows by columns of op(matrix).
template <class Sum>
std::vector<Sum> Load(const Matrix& matrix, int64_t rows, int64_t columns) {
  std::vector<Sum> all(static_cast<std::size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      all[static_cast<std::size_t>(r * columns + c)] =
          Read<Sum>(matrix.data, matrix.type, matrix.transposed ? c + r * matrix.leading : r + c * matrix.leading);
  return all;
}
template <class Sum>
void Multiply(const Matrix& a, const Matrix& b, void* c, cudaDataType_t type, int64_t leading, int64_t m, int64_t n,
              int64_t k, Sum alpha, Sum beta) {
  const std::vector<Sum> left = Load<Sum>(a, m, k), right = Load<Sum>(b, k, n);
  std::vector<Sum> row(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), Sum{0});
    for (int64_t p = 0; p < k; ++p) {
      const Sum x = left[static_cast<std::size_t>(i * k + p)];
      const Sum* const y = right.data() + p * n;
      for (int64_t j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += x * y[j];
    }
    for (int64_t j = 0; j < n; ++j) {
      Sum value = alpha * row[static_cast<std::size_t>(j)];
      if (beta != 0) value += beta * Read<Sum>(c, type, i + j * leading);  // without beta, c is not read
      Write<Sum>(c, type, i + j * leading, value);
    }
  }
}

}  // namespace

#define EMULATION_STATUSES(X)                                                                    \
  X(CUBLAS_STATUS_SUCCESS, "success")                                                            \
  X(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")                            \
  X(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed")                                \
  X(CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function") \
  X(CUBLAS_STATUS_ARCH_MISMATCH, "the requested functionality is not supported on this device")  \
  X(CUBLAS_STATUS_EXECUTION_FAILED, "the GPU program failed to execute")                         \
  X(CUBLAS_STATUS_NOT_SUPPORTED, "the requested functionality is not supported")
const char* cublasGetStatusName(cublasStatus_t status) {
#define X(name, text) \
  if (status == name) return #name;
  EMULATION_STATUSES(X)
#undef X
  return "unknown";
}
const char* cublasGetStatusString(cublasStatus_t status) {
#define X(name, text) \
  if (status == name) return text;
  EMULATION_STATUSES(X)
#undef X
  return "unknown";
}
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new emulation::Cublas;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                             int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
                                             cudaDataType_t type_a, int64_t lda, long long stride_a, const void* b,
                                             cudaDataType_t type_b, int64_t ldb, long long stride_b, const void* beta,
                                             void* c, cudaDataType_t type_c, int64_t ldc, long long stride_c,
                                             int64_t batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const auto least = [](int64_t x) { return x > 1 ? x : 1; };
  if (m < 0 || n < 0 || k < 0 || batches < 0 || lda < least(op_a == CUBLAS_OP_N ? m : k) ||
      ldb < least(op_b == CUBLAS_OP_N ? k : n) || ldc < least(m))
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool doubles = compute == CUBLAS_COMPUTE_64F;
  for (const cudaDataType_t type : {type_a, type_b, type_c})
    if ((type == CUDA_R_64F) != doubles) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (m == 0 || n == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
  const double by =
      doubles ? *static_cast<const double*>(alpha) : static_cast<double>(*static_cast<const float*>(alpha));
  const double plus =
      doubles ? *static_cast<const double*>(beta) : static_cast<double>(*static_cast<const float*>(beta));
  const cudaError_t error = emulation::LaunchLibrary(handle->stream, [=] {
    for (int64_t i = 0; i < batches; ++i) {
      const Matrix left{static_cast<const char*>(a) + i * stride_a * BytesOf(type_a), type_a, lda, op_a != CUBLAS_OP_N};
      const Matrix right{static_cast<const char*>(b) + i * stride_b * BytesOf(type_b), type_b, ldb,
                         op_b != CUBLAS_OP_N};
      void* const product = static_cast<char*>(c) + i * stride_c * BytesOf(type_c);
      if (doubles)
        Multiply<double>(left, right, product, type_c, ldc, m, n, k, by, plus);
      else
        Multiply<float>(left, right, product, type_c, ldc, m, n, k, static_cast<float>(by), static_cast<float>(plus));
    }
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                               int64_t n, int64_t k, const void* alpha, const void* a, cudaDataType_t type_a,
                               int64_t lda, const void* b, cudaDataType_t type_b, int64_t ldb, const void* beta,
                               void* c, cudaDataType_t type_c, int64_t ldc, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta,
                                       c, type_c, ldc, 0, 1, compute, algorithm);
}
