// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuBLASLt: its handle of a stream with our workspace and plans, and one call for a row-major product with a bias. The
// only file that includes cuBLASLt; a program that calls this links with it.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/gemm/cublas_lt.cuh> only from files that nvcc compiles."
#endif

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/gemm/cublas.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A product, to which a matrix, a bias for each column and ReLU are added if told so. Shapes as cuBLASLt reads them,
// column by column.
struct LtProduct {
  cudaDataType_t type;
  bool transpose_first, transpose_second, biased, adds, relu;
  std::int64_t m, n, k;  // cuBLASLt's product is [m, k] * [k, n]
  bool operator==(const LtProduct&) const = default;
};

// How cuBLASLt computes one product. The objects are cuBLASLt's. one thread.
struct LtPlan {
  LtProduct product;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, out = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  bool possible = false;  // cuBLASLt has an algorithm

  LtPlan() = default;
  LtPlan(const LtPlan&) = delete;
  LtPlan& operator=(const LtPlan&) = delete;
  ~LtPlan() {
    if (out != nullptr) (void)cublasLtMatrixLayoutDestroy(out);
    if (second != nullptr) (void)cublasLtMatrixLayoutDestroy(second);
    if (first != nullptr) (void)cublasLtMatrixLayoutDestroy(first);
    if (description != nullptr) (void)cublasLtMatmulDescDestroy(description);
  }
};

// The handle of one stream. All products of the stream share the workspace, one after the other. one thread at a time.
struct CublasLt {
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMostPlans = 128;

  cublasLtHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  int ordinal = 0;
  SlimVector<Owned<LtPlan>> plans;  // the newest last

  CublasLt() = default;
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
  ~CublasLt() {
    plans.clear();
    if (handle != nullptr) (void)cublasLtDestroy(handle);
    if (workspace != nullptr) (void)cudaFree(workspace);
  }

  // Returns the plan of a product, made at the first call.
  Result<LtPlan*> PlanFor(const LtProduct& product, const void* bias) {
    for (const Owned<LtPlan>& plan : plans)
      if (plan->product == product) return plan.get();
    Owned<LtPlan> plan = MakeOwned<LtPlan>();
    plan->product = product;
    const cublasStatus_t made = Make(plan.get(), bias);
    if (made != CUBLAS_STATUS_SUCCESS && made != CUBLAS_STATUS_NOT_SUPPORTED)
      return CublasStatus(made, ordinal, "cannot plan a product");
    if (plans.size() == kMostPlans) plans.erase(plans.begin());
    plans.push_back(std::move(plan));
    return plans.back().get();
  }

 private:
  cublasStatus_t Make(LtPlan* plan, const void* bias) const {
    const LtProduct& p = plan->product;
    const bool doubles = p.type == CUDA_R_64F;
    const cublasOperation_t first = p.transpose_first ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second = p.transpose_second ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasLtEpilogue_t with_bias = p.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    const cublasLtEpilogue_t without = p.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
    const cublasLtEpilogue_t epilogue = p.biased ? with_bias : without;
    const std::size_t most = kWorkspaceBytes;
    cublasStatus_t status = cublasLtMatmulDescCreate(
        &plan->description, doubles ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, doubles ? CUDA_R_64F : CUDA_R_32F);
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const void* value, std::size_t bytes) {
      if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulDescSetAttribute(plan->description, attribute, value, bytes);
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first));
    set(CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    if (p.biased) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
    const auto lay_out = [&](cublasLtMatrixLayout_t* layout, std::int64_t rows, std::int64_t columns) {
      if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatrixLayoutCreate(layout, p.type, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(columns), rows);
    };
    lay_out(&plan->first, p.transpose_first ? p.k : p.m, p.transpose_first ? p.m : p.k);
    lay_out(&plan->second, p.transpose_second ? p.n : p.k, p.transpose_second ? p.k : p.n);
    lay_out(&plan->out, p.m, p.n);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    cublasLtMatmulPreference_t preference = nullptr;
    status = cublasLtMatmulPreferenceCreate(&preference);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    status =
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most));
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    if (status == CUBLAS_STATUS_SUCCESS)
      status = cublasLtMatmulAlgoGetHeuristic(handle, plan->description, plan->first, plan->second, plan->out,
                                              plan->out, preference, 1, &found, &count);
    (void)cublasLtMatmulPreferenceDestroy(preference);
    plan->possible = status == CUBLAS_STATUS_SUCCESS && count > 0 && found.state == CUBLAS_STATUS_SUCCESS;
    if (plan->possible) plan->algorithm = found.algo;
    return status;
  }
};

inline Status CreateCublasLt(cudaStream_t stream, void** handle) {
  Owned<CublasLt> made = MakeOwned<CublasLt>();
  (void)cudaGetDevice(&made->ordinal);
  made->stream = stream;
  TENON_RETURN_IF_ERROR(CublasStatus(cublasLtCreate(&made->handle), made->ordinal, "cannot start cuBLASLt"));
  TENON_RETURN_IF_ERROR(CudaStatus(cudaMalloc(&made->workspace, CublasLt::kWorkspaceBytes), made->ordinal,
                                   "cannot take memory for cuBLASLt"));
  *handle = made.release();
  return OkStatus();
}
inline void DestroyCublasLt(void* handle) { delete static_cast<CublasLt*>(handle); }

inline constexpr CudaLibrary kCublasLt{"cuBLASLt", &CreateCublasLt, &DestroyCublasLt};

// product = a * b + added + bias for each column, and ReLU; all row-major, changing places as for cuBLAS. A null bias
// or matrix is zero. *done is false where cuBLASLt has no algorithm.
template <CublasElement T>
struct CublasLtCall {
  In<T, 2> a;
  bool transpose_a;
  In<T, 2> b;
  bool transpose_b;
  const T* bias;
  bool relu;
  Out<T, 2> product;
  bool* done;
  const T* added = nullptr;

  Status operator()(void* handle) const {
    CublasLt& lt = *static_cast<CublasLt*>(handle);
    const LtProduct wanted{CublasType<T>(), transpose_b,      transpose_a,
                           bias != nullptr, added != nullptr, relu,
                           product.dim(1),  product.dim(0),   transpose_a ? a.dim(0) : a.dim(1)};
    TENON_ASSIGN_OR_RETURN(LtPlan* const plan, lt.PlanFor(wanted, bias));
    *done = plan->possible;
    if (!plan->possible) return OkStatus();
    using Scale = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Scale one = 1, zero = 0;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (bias != nullptr)
      status =
          cublasLtMatmulDescSetAttribute(plan->description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
    if (status == CUBLAS_STATUS_SUCCESS)
      status =
          cublasLtMatmul(lt.handle, plan->description, &one, b.data, plan->first, a.data, plan->second,
                         added != nullptr ? &one : &zero, added != nullptr ? added : product.data, plan->out,
                         product.data, plan->out, &plan->algorithm, lt.workspace, CublasLt::kWorkspaceBytes, lt.stream);
    return CublasStatus(status, lt.ordinal, "cuBLASLt cannot multiply");
  }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
