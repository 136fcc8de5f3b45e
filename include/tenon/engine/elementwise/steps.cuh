// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunSteps on a GPU: one kernel reads the list of steps and runs it for each element. Results of steps stay in shared
// memory.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/elementwise/steps.cuh> only from files that nvcc compiles."
#endif

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/elementwise/steps.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr int kMostCudaSteps = 32, kMostCudaStepRank = 8, kCudaStepThreads = 64;

struct CudaStep {
  std::uint8_t op, a, b;
  bool binary;
  float alpha;
};
// An input, and its strides in elements along the dimensions of the output.
template <class T>
struct CudaStepInput {
  const T* data;
  bool whole;  // element i of the output reads element i
  Index stride[kMostCudaStepRank];
};

template <class Op, class T>
__device__ __forceinline__ T CallStep(T x, [[maybe_unused]] float alpha) {
  if constexpr (requires { Op::map(x); })
    return Op::map(x);
  else
    return Op::map(x, typename Op::Attrs{alpha});
}
// The op of this number.
template <class T, class... Op>
__device__ __forceinline__ T CallUnaryStep(StepOps<Op...>, int number, T x, float alpha) {
  T y{};
  int n = 0;
  ((void)(n++ == number && (y = CallStep<Op>(x, alpha), true)), ...);
  return y;
}
template <class T, class... Op>
__device__ __forceinline__ T CallBinaryStep(StepOps<Op...>, int number, T x, T y) {
  T z{};
  int n = 0;
  ((void)(n++ == number && (z = Op::map(x, y), true)), ...);
  return z;
}

template <class T, class Unary, class Binary>
struct StepsWork {
  T* out;
  Index n;
  int num_inputs, num_steps, rank;
  bool small;  // n is less than 2^31
  CudaStepInput<T> inputs[kMostCudaSteps + 1];
  CudaStep steps[kMostCudaSteps];
  FastDivisor size[kMostCudaStepRank];

  __device__ Index Offset(const CudaStepInput<T>& input, Index i) const {
    Index at = 0;
    for (int d = rank - 1; d > 0; --d) {
      const Index outer = small ? static_cast<Index>(size[d].Divide(static_cast<std::uint32_t>(i)))
                                : i / static_cast<Index>(size[d].divisor);
      at += (i - outer * static_cast<Index>(size[d].divisor)) * input.stride[d];
      i = outer;
    }
    return at + i * input.stride[0];
  }
  __device__ __forceinline__ T Value(int v, Index i, const T* results) const {
    if (v >= num_inputs) return results[(v - num_inputs) * kCudaStepThreads];
    const CudaStepInput<T>& input = inputs[v];
    return input.data[input.whole ? i : Offset(input, i)];
  }
  // `results`: this thread's, one for each step, kCudaStepThreads apart.
  __device__ void Run(Index i, T* results) const {
    T value{};
    for (int s = 0; s < num_steps; ++s) {
      const CudaStep step = steps[s];
      const T x = Value(step.a, i, results);
      value = step.binary ? CallBinaryStep<T>(Binary(), step.op, x, Value(step.b, i, results))
                          : CallUnaryStep<T>(Unary(), step.op, x, step.alpha);
      results[s * kCudaStepThreads] = value;
    }
    out[i] = value;
  }
};

template <class T, class Unary, class Binary>
__global__ void StepsKernel(const __grid_constant__ StepsWork<T, Unary, Binary> work) {
  __shared__ T results[kMostCudaSteps * kCudaStepThreads];
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < work.n; i += step)
    work.Run(i, results + threadIdx.x);
}

// Dimensions of the output, and each input's strides along them; neighbours that all inputs read alike are joined.
template <class T, class Work>
Status MakeStepStrides(Span<const StepInput> inputs, const TensorShape& shape, Work* work) {
  const int count = static_cast<int>(inputs.size());
  int rank = 0;
  Index sizes[kMostCudaStepRank];
  const auto stride_of = [&](const TensorShape& of, int d) -> Index {
    const int own = d - (shape.dims() - of.dims());
    if (own < 0 || of.dim_size(own) == 1) return 0;
    Index stride = 1;
    for (int e = own + 1; e < of.dims(); ++e) stride *= of.dim_size(e);
    return stride;
  };
  for (int d = 0; d < shape.dims(); ++d) {
    const Index size = shape.dim_size(d);
    if (size == 1) continue;
    bool joins = rank > 0;
    for (int k = 0; joins && k < count; ++k)
      joins = work->inputs[k].stride[rank - 1] == stride_of(*inputs[ToSize(k)].shape, d) * size;
    if (!joins && rank == kMostCudaStepRank)
      return errors::Unimplemented("Fused steps on a GPU: at most ", kMostCudaStepRank,
                                   " dimensions may remain when neighbours that broadcast alike are joined");
    if (!joins) sizes[rank++] = 1;
    sizes[rank - 1] *= size;
    for (int k = 0; k < count; ++k) work->inputs[k].stride[rank - 1] = stride_of(*inputs[ToSize(k)].shape, d);
  }
  if (rank == 0) {
    sizes[rank++] = 1;
    for (int k = 0; k < count; ++k) work->inputs[k].stride[0] = 0;
  }
  for (int d = 1; d < rank; ++d)
    if (sizes[d] >= Index{1} << 31) return errors::Unimplemented("Fused steps on a GPU: a dimension of 2^31 elements");
  work->rank = rank;
  for (int d = 0; d < rank; ++d) work->size[d] = FastDivisor(d == 0 ? 1u : static_cast<std::uint32_t>(sizes[d]));
  for (int k = 0; k < count; ++k) work->inputs[k].whole = rank == 1 && work->inputs[k].stride[0] == 1;
  return OkStatus();
}

// The work of a list of steps. Errors as of RunSteps.
template <class T, class Work>
Status MakeStepsWork(Span<const ElementwiseStep> steps, Span<const StepInput> inputs, T* out,
                     const TensorShape& out_shape, Work* work) {
  if (steps.size() > ToSize(kMostCudaSteps) || inputs.size() > ToSize(kMostCudaSteps + 1))
    return errors::Unimplemented("Fused steps on a GPU: at most ", kMostCudaSteps, " steps, got ", steps.size());
  work->out = out;
  work->n = out_shape.num_elements();
  work->small = work->n < Index{1} << 31;
  work->num_inputs = static_cast<int>(inputs.size());
  work->num_steps = static_cast<int>(steps.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) work->inputs[k].data = static_cast<const T*>(inputs[k].data);
  for (std::size_t s = 0; s < steps.size(); ++s)
    work->steps[s] = {static_cast<std::uint8_t>(steps[s].number), static_cast<std::uint8_t>(steps[s].a),
                      static_cast<std::uint8_t>(steps[s].b < 0 ? 0 : steps[s].b), steps[s].b >= 0, steps[s].alpha};
  return MakeStepStrides<T>(inputs, out_shape, work);
}

}  // namespace detail

// As the CPU's, for lists of at most 32 steps. Unary and Binary number the ops of the steps. Returns when it is queued.
template <class T, class Unary, class Binary>
Status RunSteps(Cuda& device, Span<const ElementwiseStep> steps, Span<const StepInput> inputs, T* out,
                const TensorShape& out_shape) {
  if (out_shape.num_elements() == 0) return OkStatus();
  detail::StepsWork<T, Unary, Binary> work{};
  TENON_RETURN_IF_ERROR(detail::MakeStepsWork(steps, inputs, out, out_shape, &work));
  const CudaGrid wide = LinearGrid(device, work.n);
  constexpr auto kThreads = static_cast<unsigned>(detail::kCudaStepThreads);
  return LaunchCuda(device, {wide.blocks * (wide.threads / kThreads), kThreads}, &detail::StepsKernel<T, Unary, Binary>,
                    work);
}

TENON_DETAIL_NAMESPACE_END
