// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the largest or smallest elements along one axis are, on a GPU: a thread, a warp or a block for each result.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/reduce/arg_reduce.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/reduce/arg_reduce.hpp>
#include <tenon/engine/reduce/fold.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class A>
struct ArgBest {
  A value;
  Index place;
};
// The better of two; of equal ones the first.
template <bool kMax>
struct BetterArg {
  template <class A>
  TENON_HD static ArgBest<A> Combine(const ArgBest<A>& a, const ArgBest<A>& b) {
    if (kMax ? b.value > a.value : b.value < a.value) return b;
    return a.value == b.value && b.place < a.place ? b : a;
  }
};

struct ArgWork {
  const void* x;
  void* out;
  Index outputs, n, inner;
  unsigned group;
  int out_bytes;
};

__device__ inline void StorePlace(const ArgWork& work, Index at, Index place) {
  if (work.out_bytes == 8)
    static_cast<std::int64_t*>(work.out)[at] = place;
  else if (work.out_bytes == 4)
    static_cast<std::int32_t*>(work.out)[at] = static_cast<std::int32_t>(place);
  else
    static_cast<std::uint16_t*>(work.out)[at] = static_cast<std::uint16_t>(place);
}

// Elements that are not better than `start` do not count. `start` itself at place 0 loses to none.
template <class T, bool kMax>
__global__ void ArgKernel(const __grid_constant__ ArgWork work, ArgValue<T> start) {
  using Best = ArgBest<ArgValue<T>>;
  __shared__ SharedArray<Best, kWarp> shared;
  const T* const x = static_cast<const T*>(work.x);
  const unsigned per_block = blockDim.x / work.group, lane = threadIdx.x % work.group;
  const Best none{start, 0};
  for (Index o = static_cast<Index>(blockIdx.x) * per_block + threadIdx.x / work.group; o < work.outputs;
       o += static_cast<Index>(gridDim.x) * per_block) {
    const Index outer = o / work.inner;
    const T* const from = x + outer * work.n * work.inner + (o - outer * work.inner);
    Best best = none;
    for (Index i = lane; i < work.n; i += work.group) {
      const auto value = static_cast<ArgValue<T>>(from[i * work.inner]);
      if (kMax ? value > best.value : value < best.value) best = {value, i};
    }
    best = FoldGroup<BetterArg<kMax>>(best, none, work.group, shared.data());
    if (lane == 0) StorePlace(work, o, best.place);
  }
}

template <class T, bool kMax>
Status RunCudaArg(Cuda& device, ArgWork work) {
  RowGrid plan(device, work.outputs, work.n);
  // Neighbouring threads have neighbouring results: where these are many, a thread each.
  if (work.inner >= static_cast<Index>(kWarp)) plan = RowGrid(device, work.outputs, 1);
  work.group = plan.group;
  return LaunchCuda(device, plan.grid, &ArgKernel<T, kMax>, work, ArgStart<T, kMax>());
}

using CudaArg = Status (*)(Cuda& device, ArgWork work);
template <bool kMax>
CudaArg CudaArgFor(DataType type) {
  switch (type) {
    case DataType::kBool:
    case DataType::kUint8: return &RunCudaArg<std::uint8_t, kMax>;
    case DataType::kInt8: return &RunCudaArg<std::int8_t, kMax>;
    case DataType::kInt16: return &RunCudaArg<std::int16_t, kMax>;
    case DataType::kUint16: return &RunCudaArg<std::uint16_t, kMax>;
    case DataType::kInt32: return &RunCudaArg<std::int32_t, kMax>;
    case DataType::kUint32: return &RunCudaArg<std::uint32_t, kMax>;
    case DataType::kInt64: return &RunCudaArg<std::int64_t, kMax>;
    case DataType::kUint64: return &RunCudaArg<std::uint64_t, kMax>;
    case DataType::kHalf: return &RunCudaArg<half, kMax>;
    case DataType::kBfloat16: return &RunCudaArg<bfloat16, kMax>;
    case DataType::kFloat: return &RunCudaArg<float, kMax>;
    default: return &RunCudaArg<double, kMax>;
  }
}

}  // namespace detail

// ArgReduce of engine/reduce/arg_reduce.hpp on a GPU. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status ArgReduce(Device& device, bool max, DataType type, const void* x, Index outer, Index n, Index inner,
                 DataType out_type, void* out) {
  if (outer == 0 || inner == 0) return OkStatus();
  const detail::CudaArg run = max ? detail::CudaArgFor<true>(type) : detail::CudaArgFor<false>(type);
  return run(device, {x, out, outer * inner, n, inner, 1, static_cast<int>(SizeOf(out_type))});
}

TENON_DETAIL_NAMESPACE_END
