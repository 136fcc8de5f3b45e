// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of many matrices on a GPU: cuBLAS for float, double, half and bfloat16, one call for all matrices that lie
// at regular steps; tiles in shared memory for other types.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/gemm/batched.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/engine/gemm/cublas.cuh>
#include <tenon/engine/gemm/tiled.cuh>
#include <tenon/engine/reduce/fold.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Batches whose matrices all lie `x` and `y` matrices apart.
struct RegularBatches {
  Index count = 1, x = 0, y = 0;
  std::size_t dims = 0;  // innermost dimensions of the plan that they make up

  explicit RegularBatches(const BatchMatMulPlan& plan) {
    for (std::size_t d = plan.batch.size(); d-- > 0;) {
      const BatchMatMulPlan::Dim& dim = plan.batch[d];
      if (dims > 0 && (dim.x != x * count || dim.y != y * count)) return;
      if (dims == 0) {
        x = dim.x;
        y = dim.y;
      }
      count *= dim.size;
      ++dims;
    }
  }
};

template <class T>
struct CublasBatchCall {
  const BatchMatMulPlan& plan;
  const RegularBatches& regular;
  const T* x;
  const T* y;
  T* z;
  int ordinal;

  Status operator()(void* handle) const {
    const Index groups = plan.batches / regular.count;
    for (Index group = 0; group < groups; ++group) {
      const BatchPlace at(plan, group * regular.count);
      TENON_RETURN_IF_ERROR(CublasStatus(Run(static_cast<cublasHandle_t>(handle), x + at.x * plan.m * plan.k,
                                             y + at.y * plan.k * plan.n, z + group * regular.count * plan.m * plan.n),
                                         ordinal, "cuBLAS cannot multiply"));
    }
    return OkStatus();
  }

 private:
  // See CublasGemm for the order of the operands.
  cublasStatus_t Run(cublasHandle_t handle, const T* a, const T* b, T* product) const {
    using Scale = std::conditional_t<std::is_same_v<T, double>, double, float>;
    constexpr cudaDataType_t kType = CublasType<T>();
    constexpr cublasComputeType_t kCompute = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    const Scale one = 1, zero = 0;
    const Index m = plan.m, k = plan.k, n = plan.n;
    return cublasGemmStridedBatchedEx_64(
        handle, plan.transpose_y ? CUBLAS_OP_T : CUBLAS_OP_N, plan.transpose_x ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k,
        &one, b, kType, plan.transpose_y ? k : n, regular.y * k * n, a, kType, plan.transpose_x ? m : k,
        regular.x * m * k, &zero, product, kType, n, m * n, regular.count, kCompute, CUBLAS_GEMM_DEFAULT);
  }
};

inline constexpr std::size_t kMaxCudaBatchDims = 8;

template <class T>
struct TiledBatches {
  const T* x;
  const T* y;
  T* z;
  Index m, k, n, batches;
  bool transpose_x, transpose_y, conjugate_x, conjugate_y;
  int rank;
  Index size[kMaxCudaBatchDims], step_x[kMaxCudaBatchDims], step_y[kMaxCudaBatchDims];

  __device__ void Locate(Index batch, const T** a, const T** b) const {
    Index at_x = 0, at_y = 0;
    for (int d = rank; d-- > 0;) {
      const Index outer = batch / size[d], index = batch - outer * size[d];
      at_x += index * step_x[d];
      at_y += index * step_y[d];
      batch = outer;
    }
    *a = x + at_x * m * k;
    *b = y + at_y * k * n;
  }
  __device__ static T Load(const T* from, bool conjugate) {
    T value = *from;
    if constexpr (requires { value.imaginary; })
      if (conjugate) value.imaginary = -value.imaginary;
    return value;
  }
};

template <class T>
TENON_HD T AddProduct(const T& sum, const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(sum) +
                          static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return sum + a * b;
}

template <class T>
__global__ void TiledBatchKernel(const __grid_constant__ TiledBatches<T> work) {
  __shared__ SharedArray<T, kGemmTile*(kGemmTile + 1)> shared_a, shared_b;  // one more: rows begin in other banks
  T* const tile_a = shared_a.data();
  T* const tile_b = shared_b.data();
  constexpr int kPitch = kGemmTile + 1;
  const Index tiles_across = (work.n + kGemmTile - 1) / kGemmTile;
  const Index tiles = (work.m + kGemmTile - 1) / kGemmTile * tiles_across;
  const int row = static_cast<int>(threadIdx.x) / kGemmTile, column = static_cast<int>(threadIdx.x) % kGemmTile;
  for (Index unit = blockIdx.x; unit < tiles * work.batches; unit += gridDim.x) {
    const Index batch = unit / tiles, tile = unit - batch * tiles;
    const T *a, *b;
    work.Locate(batch, &a, &b);
    const Index first_i = tile / tiles_across * kGemmTile, first_j = tile % tiles_across * kGemmTile;
    const Index i = first_i + row, j = first_j + column;
    T sum = T(0);
    for (Index first_p = 0; first_p < work.k; first_p += kGemmTile) {
      const Index ai = first_i + (work.transpose_x ? column : row), ap = first_p + (work.transpose_x ? row : column);
      const Index bp = first_p + (work.transpose_y ? column : row), bj = first_j + (work.transpose_y ? row : column);
      T from_a = T(0), from_b = T(0);
      if (ai < work.m && ap < work.k)
        from_a = work.Load(a + (work.transpose_x ? ap * work.m + ai : ai * work.k + ap), work.conjugate_x);
      if (bp < work.k && bj < work.n)
        from_b = work.Load(b + (work.transpose_y ? bj * work.k + bp : bp * work.n + bj), work.conjugate_y);
      tile_a[work.transpose_x ? column * kPitch + row : row * kPitch + column] = from_a;
      tile_b[work.transpose_y ? column * kPitch + row : row * kPitch + column] = from_b;
      __syncthreads();
      for (int p = 0; p < kGemmTile; ++p) sum = AddProduct(sum, tile_a[row * kPitch + p], tile_b[p * kPitch + column]);
      __syncthreads();
    }
    if (i < work.m && j < work.n) work.z[batch * work.m * work.n + i * work.n + j] = sum;
  }
}

template <class T>
Status MultiplyMatrices(Cuda& device, const BatchMatMulPlan& plan, const void* px, const void* py, void* pz) {
  using E = GpuElement<T>;
  const E* const x = static_cast<const E*>(px);
  const E* const y = static_cast<const E*>(py);
  E* const z = static_cast<E*>(pz);
  if constexpr (CublasElement<E>) {
    if (device.libraries == nullptr)
      return errors::FailedPrecondition("BatchMatMul: this Cuda has no library handles; take the one of a CudaDevice");
    const RegularBatches regular(plan);
    return device.libraries->With(kCublas, CublasBatchCall<E>{plan, regular, x, y, z, device.ordinal});
  } else {
    if (plan.batch.size() > kMaxCudaBatchDims)
      return errors::Unimplemented("BatchMatMul: ", plan.batch.size(), " batch dimensions of type ", dtype_of_v<T>,
                                   " are not supported on a GPU; at most ", kMaxCudaBatchDims, " are");
    TiledBatches<E> work{x,
                         y,
                         z,
                         plan.m,
                         plan.k,
                         plan.n,
                         plan.batches,
                         plan.transpose_x,
                         plan.transpose_y,
                         plan.conjugate_x,
                         plan.conjugate_y,
                         static_cast<int>(plan.batch.size()),
                         {},
                         {},
                         {}};
    for (std::size_t d = 0; d < plan.batch.size(); ++d) {
      work.size[d] = plan.batch[d].size;
      work.step_x[d] = plan.batch[d].x;
      work.step_y[d] = plan.batch[d].y;
    }
    constexpr int kThreads = kGemmTile * kGemmTile;
    const Index rows = (plan.m + kGemmTile - 1) / kGemmTile, columns = (plan.n + kGemmTile - 1) / kGemmTile;
    CudaGrid grid = LinearGrid(device, plan.batches * rows * columns * kThreads);
    grid.threads = kThreads;
    return LaunchCuda(device, grid, &TiledBatchKernel<E>, work);
  }
}

using CudaBatchMatMulFn = Status (*)(Cuda& device, const BatchMatMulPlan& plan, const void* x, const void* y,
                                     void* out);
template <std::same_as<Cuda> Device>
CudaBatchMatMulFn CudaBatchMatMulFor(DataType type) {
  switch (type) {
    case DataType::kHalf: return &MultiplyMatrices<half>;
    case DataType::kBfloat16: return &MultiplyMatrices<bfloat16>;
    case DataType::kFloat: return &MultiplyMatrices<float>;
    case DataType::kDouble: return &MultiplyMatrices<double>;
    case DataType::kInt16: return &MultiplyMatrices<std::int16_t>;
    case DataType::kInt32: return &MultiplyMatrices<std::int32_t>;
    case DataType::kInt64: return &MultiplyMatrices<std::int64_t>;
    case DataType::kComplex64: return &MultiplyMatrices<complex64>;
    case DataType::kComplex128: return &MultiplyMatrices<complex128>;
    default: return nullptr;
  }
}

}  // namespace detail

// BatchMatMul of engine/gemm/batched.hpp on a GPU; `weights` are for the CPU. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status BatchMatMul(Device& device, DataType type, BatchMatMulPlan plan, const void* x, const void* y, void* out,
                   PackedWeights* = nullptr) {
  const detail::CudaBatchMatMulFn run = detail::CudaBatchMatMulFor<Device>(type);
  if (run == nullptr) return errors::Internal("BatchMatMul: no products of type ", Name(type));
  detail::JoinBatches(&plan);
  const Index elements = plan.batches * plan.m * plan.n;
  if (elements == 0) return OkStatus();
  if (plan.k == 0) {  // cuBLAS knows no matrices without columns
    const CudaDeviceScope scope(device.ordinal);
    return CudaStatus(
        cudaMemsetAsync(out, 0, static_cast<std::size_t>(elements) * static_cast<std::size_t>(SizeOf(type)),
                        device.stream),
        device.ordinal, "cannot clear a product");
  }
  return run(device, plan, x, y, out);
}

TENON_DETAIL_NAMESPACE_END
