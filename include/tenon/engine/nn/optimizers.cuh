// SPDX-License-Identifier: Apache-2.0
#pragma once
// Training on a GPU: one thread for each element of a variable, its slots and the gradient.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/optimizers.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/nn/optimizers.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A TrainingRun as a kernel takes it: what it points to lies in the GPU's memory.
template <class Rule, class T>
struct CudaTraining {
  T* slots[4];
  const T* grad;
  const T* scalars[Rule::kScalars + 1];  // one more: CUDA has no arrays of nothing
  T global_step;
  bool flag;
};

template <class Rule, class T>
__global__ void TrainingRuleKernel(const __grid_constant__ CudaTraining<Rule, T> work, Index n) {
  training::Given<T> p;
  for (int k = 0; k < Rule::kScalars; ++k) p.s[k] = *work.scalars[k];
  p.global_step = work.global_step;
  p.flag = work.flag;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    training::StepElement<Rule>(work.slots, work.grad, i, p);
}

template <class Rule, class T>
Status LaunchTrainingRule(void* device, const TrainingRun& run) {
  Cuda& gpu = *static_cast<Cuda*>(device);
  CudaTraining<Rule, T> work{};
  for (int k = 0; k < Rule::kSlots; ++k) work.slots[k] = static_cast<T*>(run.slots[k]);
  work.grad = static_cast<const T*>(run.grad);
  for (int k = 0; k < Rule::kScalars; ++k) work.scalars[k] = static_cast<const T*>(run.scalars[k]);
  work.global_step = static_cast<T>(static_cast<float>(run.global_step));
  work.flag = run.flag;
  return LaunchCuda(gpu, LinearGrid(gpu, run.n), &TrainingRuleKernel<Rule, T>, work, run.n);
}

}  // namespace detail

// Returns the launch of a rule for one element type; null where the rule has none.
template <class Rule>
TrainingLaunch TrainingLaunchFor(const Cuda&, DataType type) {
  switch (type) {
    case DataType::kFloat: return &detail::LaunchTrainingRule<Rule, float>;
    case DataType::kDouble: return &detail::LaunchTrainingRule<Rule, double>;
    case DataType::kHalf: return &detail::LaunchTrainingRule<Rule, half>;
    case DataType::kBfloat16: return &detail::LaunchTrainingRule<Rule, bfloat16>;
    case DataType::kInt64:
      if constexpr (Rule::kScalars == 0) return &detail::LaunchTrainingRule<Rule, std::int64_t>;
    default: return nullptr;
  }
}

TENON_DETAIL_NAMESPACE_END
