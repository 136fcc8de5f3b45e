// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax cross entropy and its gradient, row by row, on a GPU. A thread, a warp or a block works on a row. half and
// bfloat16 are computed in float.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/cross_entropy.cuh> only from files that nvcc compiles."
#endif

#include <cmath>
#include <concepts>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/nn/cross_entropy.hpp>
#include <tenon/engine/nn/softmax.cuh>
#include <tenon/engine/reduce/fold.cuh>
#include <tenon/engine/reduce/loops.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T>
struct CrossEntropyWork {
  StridedMatrix<T> logits, labels;
  T* loss;
  T* backprop;
  Index rows, classes;
  unsigned group;
};

template <class T>
__global__ void CrossEntropyKernel(const __grid_constant__ CrossEntropyWork<T> work) {
  using A = RowNumber<T>;
  __shared__ SharedArray<ExpSum<A>, kWarp> shared_sums;
  __shared__ SharedArray<A, kWarp> shared_losses;
  const unsigned per_block = blockDim.x / work.group, lane = threadIdx.x % work.group;
  for (Index r = static_cast<Index>(blockIdx.x) * per_block + threadIdx.x / work.group; r < work.rows;
       r += static_cast<Index>(gridDim.x) * per_block) {
    ExpSum<A> row = ExpSum<A>::None();
    for (Index c = lane; c < work.classes; c += work.group) row.Add(static_cast<A>(work.logits(r, c)));
    row = FoldGroup<JoinExpSums>(row, ExpSum<A>::None(), work.group, shared_sums.data());
    const A log_sum = std::log(row.sum);
    A loss = 0;
    for (Index c = lane; c < work.classes; c += work.group) {
      const A shifted = static_cast<A>(work.logits(r, c)) - row.largest, label = static_cast<A>(work.labels(r, c));
      loss += label * (log_sum - shifted);
      work.backprop[r * work.classes + c] = static_cast<T>(std::exp(shifted - log_sum) - label);
    }
    loss = FoldGroup<AddStep>(loss, A(0), work.group, shared_losses.data());
    if (lane == 0) work.loss[r] = static_cast<T>(loss);
  }
}

template <class T>
Status RunCrossEntropy(Cuda& device, Index rows, Index classes, const StridedMatrix<void>& logits,
                       const StridedMatrix<void>& labels, void* loss, void* backprop) {
  if (rows == 0) return OkStatus();
  const RowGrid plan(device, rows, classes);
  const CrossEntropyWork<T> work{{static_cast<const T*>(logits.data), logits.row, logits.column},
                                 {static_cast<const T*>(labels.data), labels.row, labels.column},
                                 static_cast<T*>(loss),
                                 static_cast<T*>(backprop),
                                 rows,
                                 classes,
                                 plan.group};
  return LaunchCuda(device, plan.grid, &CrossEntropyKernel<T>, work);
}

template <class T>
struct SparseCrossEntropyWork {
  const T* logits;
  const Index* labels;
  T* loss;
  T* backprop;
  Index rows, classes;
  unsigned group;
};

template <class T>
__global__ void SparseCrossEntropyKernel(const __grid_constant__ SparseCrossEntropyWork<T> work) {
  using A = RowNumber<T>;
  __shared__ SharedArray<ExpSum<A>, kWarp> shared;
  const unsigned per_block = blockDim.x / work.group, lane = threadIdx.x % work.group;
  for (Index r = static_cast<Index>(blockIdx.x) * per_block + threadIdx.x / work.group; r < work.rows;
       r += static_cast<Index>(gridDim.x) * per_block) {
    const T* const logits = work.logits + r * work.classes;
    ExpSum<A> row = ExpSum<A>::None();
    for (Index c = lane; c < work.classes; c += work.group) row.Add(static_cast<A>(logits[c]));
    row = FoldGroup<JoinExpSums>(row, ExpSum<A>::None(), work.group, shared.data());
    const A log_sum = std::log(row.sum);
    const Index label = work.labels[r];
    for (Index c = lane; c < work.classes; c += work.group) {
      const A shifted = static_cast<A>(logits[c]) - row.largest;
      if (c == label) work.loss[r] = static_cast<T>(log_sum - shifted);
      work.backprop[r * work.classes + c] = static_cast<T>(std::exp(shifted - log_sum) - (c == label ? A(1) : A(0)));
    }
  }
}

template <class T>
Status RunSparseCrossEntropy(Cuda& device, Index rows, Index classes, const void* logits, const Index* host_labels,
                             void* loss, void* backprop) {
  if (rows == 0) return OkStatus();
  const std::size_t bytes = static_cast<std::size_t>(rows) * sizeof(Index);
  const Scratch labels(*device.allocator, bytes);
  TENON_RETURN_IF_ERROR(labels.status("SparseSoftmaxCrossEntropyWithLogits"));
  {
    const CudaDeviceScope scope(device.ordinal);  // pageable memory: it has been read when the call returns
    TENON_RETURN_IF_ERROR(
        CudaStatus(cudaMemcpyAsync(labels.As<Index>(), host_labels, bytes, cudaMemcpyHostToDevice, device.stream),
                   device.ordinal, "cannot copy labels"));
  }
  const RowGrid plan(device, rows, classes);
  const SparseCrossEntropyWork<T> work{static_cast<const T*>(logits),
                                       labels.As<Index>(),
                                       static_cast<T*>(loss),
                                       static_cast<T*>(backprop),
                                       rows,
                                       classes,
                                       plan.group};
  return LaunchCuda(device, plan.grid, &SparseCrossEntropyKernel<T>, work);
}

}  // namespace detail

// CrossEntropy of engine/nn/cross_entropy.hpp on a GPU, for elements of half, bfloat16, float or double. Returns when
// it is queued.
template <std::same_as<Cuda> Device>
Status CrossEntropy(Device& device, DataType type, Index rows, Index classes, const StridedMatrix<void>& logits,
                    const StridedMatrix<void>& labels, void* loss, void* backprop) {
  switch (type) {
    case DataType::kHalf: return detail::RunCrossEntropy<half>(device, rows, classes, logits, labels, loss, backprop);
    case DataType::kBfloat16:
      return detail::RunCrossEntropy<bfloat16>(device, rows, classes, logits, labels, loss, backprop);
    case DataType::kDouble:
      return detail::RunCrossEntropy<double>(device, rows, classes, logits, labels, loss, backprop);
    default: return detail::RunCrossEntropy<float>(device, rows, classes, logits, labels, loss, backprop);
  }
}

// SparseCrossEntropy on a GPU; the labels are in pageable host memory, which may be freed at once.
template <std::same_as<Cuda> Device>
Status SparseCrossEntropy(Device& device, DataType type, Index rows, Index classes, const void* logits,
                          const Index* labels, void* loss, void* backprop) {
  switch (type) {
    case DataType::kHalf:
      return detail::RunSparseCrossEntropy<half>(device, rows, classes, logits, labels, loss, backprop);
    case DataType::kBfloat16:
      return detail::RunSparseCrossEntropy<bfloat16>(device, rows, classes, logits, labels, loss, backprop);
    case DataType::kDouble:
      return detail::RunSparseCrossEntropy<double>(device, rows, classes, logits, labels, loss, backprop);
    default: return detail::RunSparseCrossEntropy<float>(device, rows, classes, logits, labels, loss, backprop);
  }
}

TENON_DETAIL_NAMESPACE_END
