// SPDX-License-Identifier: Apache-2.0
#include "cublas_v2.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <tenon/types/numeric.hpp>

#include "cublasLt.h"

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
// Steps after a product, for each element: a bias of its row, ReLU or GELU.
struct Epilogue {
  const void* bias = nullptr;
  bool relu = false, gelu = false;

  template <class Sum>
  Sum operator()(Sum value, cudaDataType_t type, int64_t row) const {
    if (bias != nullptr) value += Read<Sum>(bias, type, row);
    if (relu) value = value > 0 ? value : Sum{0};  // as on a GPU, NaN becomes 0
    if (gelu)
      value = value / 2 * (1 + std::tanh(Sum(0.7978845608028654) * (value + Sum(0.044715) * value * value * value)));
    return value;
  }
};
template <class Sum>
void Multiply(const Matrix& a, const Matrix& b, const void* c, void* d, cudaDataType_t type, int64_t leading, int64_t m,
              int64_t n, int64_t k, Sum alpha, Sum beta, const Epilogue& epilogue = {}) {
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
      Write<Sum>(d, type, i + j * leading, epilogue(value, type, i));
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
        Multiply<double>(left, right, product, product, type_c, ldc, m, n, k, by, plus);
      else
        Multiply<float>(left, right, product, product, type_c, ldc, m, n, k, static_cast<float>(by),
                        static_cast<float>(plus));
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

// ---- cuBLASLt

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new emulation::LtHandle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *description = new emulation::LtDescription{compute, scale};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete description;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              std::size_t bytes) {
  const auto set = [&](void* to, std::size_t size) {
    if (size != bytes) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(to, value, size);
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return set(&description->transpose_a, sizeof(description->transpose_a));
    case CUBLASLT_MATMUL_DESC_TRANSB: return set(&description->transpose_b, sizeof(description->transpose_b));
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return set(&description->epilogue, sizeof(description->epilogue));
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(&description->bias, sizeof(description->bias));
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, int64_t leading) {
  if (leading < static_cast<int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new emulation::LtLayout{type, rows, columns, leading};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new emulation::LtPreference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t, const void* value,
                                                    std::size_t bytes) {
  if (bytes != sizeof(preference->workspace)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&preference->workspace, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

namespace {
constexpr std::size_t kLtWorkspace = std::size_t{64} << 10;

// The shapes of an operation: op(a) is m by k, op(b) k by n, d m by n.
bool LtFits(const emulation::LtDescription& o, const emulation::LtLayout& a, const emulation::LtLayout& b,
            const emulation::LtLayout& d) {
  const bool ta = o.transpose_a != CUBLAS_OP_N, tb = o.transpose_b != CUBLAS_OP_N;
  const bool doubles = o.compute == CUBLAS_COMPUTE_64F;
  for (const cudaDataType_t type : {a.type, b.type, d.type})
    if ((type == CUDA_R_64F) != doubles) return false;
  return (ta ? a.columns : a.rows) == d.rows && (tb ? b.rows : b.columns) == d.columns &&
         (ta ? a.rows : a.columns) == (tb ? b.columns : b.rows);
}
}  // namespace

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* results, int* count) {
  *count = 0;
  if (most < 1 || !LtFits(*description, *a, *b, *d)) return CUBLAS_STATUS_INVALID_VALUE;
  if (preference->workspace < kLtWorkspace) return CUBLAS_STATUS_NOT_SUPPORTED;
  results[0] = {};
  results[0].algo.data[0] = 1;
  results[0].workspaceSize = kLtWorkspace;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t layout_a, const void* b, cublasLtMatrixLayout_t layout_b,
                              const void* beta, const void* c, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  const emulation::LtDescription o = *description;
  if (!LtFits(o, *layout_a, *layout_b, *layout_d) || algorithm->data[0] != 1 || workspace_bytes < kLtWorkspace ||
      workspace == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool doubles = o.compute == CUBLAS_COMPUTE_64F;
  const double by =
      doubles ? *static_cast<const double*>(alpha) : static_cast<double>(*static_cast<const float*>(alpha));
  const double plus =
      doubles ? *static_cast<const double*>(beta) : static_cast<double>(*static_cast<const float*>(beta));
  const Matrix left{a, layout_a->type, layout_a->leading, o.transpose_a != CUBLAS_OP_N};
  const Matrix right{b, layout_b->type, layout_b->leading, o.transpose_b != CUBLAS_OP_N};
  const auto m = static_cast<int64_t>(layout_d->rows), n = static_cast<int64_t>(layout_d->columns);
  const auto k = static_cast<int64_t>(left.transposed ? layout_a->rows : layout_a->columns);
  const Epilogue epilogue{(o.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 ? o.bias : nullptr,
                          (o.epilogue & CUBLASLT_EPILOGUE_RELU) != 0, (o.epilogue & CUBLASLT_EPILOGUE_GELU) != 0};
  const cudaError_t error = emulation::LaunchLibrary(stream, [=, type = layout_d->type, leading = layout_d->leading] {
    std::memset(workspace, 0xA5, kLtWorkspace);  // what it holds is lost
    if (doubles)
      Multiply<double>(left, right, c, d, type, leading, m, n, k, by, plus, epilogue);
    else
      Multiply<float>(left, right, c, d, type, leading, m, n, k, static_cast<float>(by), static_cast<float>(plus),
                      epilogue);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
