// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of a bias on a GPU: sums over everything but the channels.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/bias.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>

#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/reduce/reduce.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <std::same_as<Cuda> Device>
CudaReduceLoops CudaSumLoops(const Device& device, DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return ReduceLoopsFor<SumReducer, half>(device);
    case DataType::kBfloat16: return ReduceLoopsFor<SumReducer, bfloat16>(device);
    case DataType::kDouble: return ReduceLoopsFor<SumReducer, double>(device);
    case DataType::kComplex64: return ReduceLoopsFor<SumReducer, complex64>(device);
    case DataType::kComplex128: return ReduceLoopsFor<SumReducer, complex128>(device);
    case DataType::kInt8:
    case DataType::kUint8: return ReduceLoopsFor<SumReducer, std::uint8_t>(device);
    case DataType::kInt16:
    case DataType::kUint16: return ReduceLoopsFor<SumReducer, std::uint16_t>(device);
    case DataType::kInt32:
    case DataType::kUint32: return ReduceLoopsFor<SumReducer, std::uint32_t>(device);
    case DataType::kInt64:
    case DataType::kUint64: return ReduceLoopsFor<SumReducer, std::uint64_t>(device);
    default: return ReduceLoopsFor<SumReducer, float>(device);
  }
}

}  // namespace detail

// out[c] = the sum of x[o, c, i]: [outer, channels, inner] -> [channels]. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status SumChannels(Device& device, DataType dtype, const void* x, Index outer, Index channels, Index inner, void* out) {
  if (channels == 0) return OkStatus();
  if (inner == 0) outer = 0;  // which may be very many
  AxisSet axes;
  axes.Add(0);
  axes.Add(2);
  return Reduce(device, detail::CudaSumLoops(device, dtype), x, TensorShape{outer, channels, inner}, axes, out);
}

TENON_DETAIL_NAMESPACE_END
