// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReverseSequence on a GPU: each unit of the output is written once, by lengths from host memory.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/layout/reverse_sequence.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/layout/gather.cuh>
#include <tenon/engine/layout/reverse_sequence.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Steps in units, and sizes, of the two dimensions.
struct CudaSequences {
  FastDivisor seq_step, seq, batch_step, batch;
};
template <class Unit, class Indices>
__global__ void ReverseSequenceKernel(const __grid_constant__ Indices lengths,
                                      const __grid_constant__ CudaSequences plan, const Unit* in, Unit* out,
                                      std::uint32_t units) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  for (std::uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += step) {
    const std::uint32_t s = plan.seq_step.Divide(u), b = plan.batch_step.Divide(u);
    const std::uint32_t at = s - plan.seq.Divide(s) * plan.seq.divisor;
    const auto length =
        static_cast<std::uint32_t>(lengths.At(static_cast<Index>(b - plan.batch.Divide(b) * plan.batch.divisor)));
    const std::uint32_t begin = u - at * plan.seq_step.divisor;
    out[u] = in[at < length ? begin + (length - 1 - at) * plan.seq_step.divisor : u];
  }
}

}  // namespace detail

// As for Cpu, for elements that are plain data; the lengths are in host memory. Returns when it is queued.
// Unimplemented: 2^31 elements or more.
inline Status ReverseSequence(Cuda& device, const ElementMover& mover, const TensorShape& shape, int seq, int batch,
                              Span<const Index> lengths, const void* in, void* out) {
  const Index elements = shape.num_elements();
  if (elements == 0) return OkStatus();
  if (elements > detail::kMostCudaUnits)
    return errors::Unimplemented("ReverseSequence: on a GPU a tensor has at most ", detail::kMostCudaUnits,
                                 " elements, got ", elements);
  Index seq_step = 1, batch_step = 1;
  for (int d = seq + 1; d < shape.dims(); ++d) seq_step *= shape.dim_size(d);
  for (int d = batch + 1; d < shape.dims(); ++d) batch_step *= shape.dim_size(d);
  const Index inner = seq_step < batch_step ? seq_step : batch_step;
  const Index unit = detail::UnitBytes(detail::AddressBits(in) | detail::AddressBits(out) |
                                       static_cast<std::uint64_t>(inner * mover.bytes));
  const auto divisor = [](Index n) { return detail::FastDivisor(static_cast<std::uint32_t>(n)); };
  const Index units = elements * mover.bytes / unit;
  if (units > detail::kMostCudaUnits)
    return errors::Unimplemented("ReverseSequence: on a GPU a tensor has at most ", detail::kMostCudaUnits,
                                 " units of ", unit, " bytes, got ", units);
  const detail::CudaSequences plan{divisor(seq_step * mover.bytes / unit), divisor(shape.dim_size(seq)),
                                   divisor(batch_step * mover.bytes / unit), divisor(shape.dim_size(batch))};
  return detail::WithIndices(device, lengths, [&](const auto& at) {
    return detail::WithUnit(unit, [&]<class Unit>(Unit) {
      return LaunchCuda(device, LinearGrid(device, units),
                        &detail::ReverseSequenceKernel<Unit, std::remove_cvref_t<decltype(at)>>, at, plan,
                        static_cast<const Unit*>(in), static_cast<Unit*>(out), static_cast<std::uint32_t>(units));
    });
  });
}

TENON_DETAIL_NAMESPACE_END
