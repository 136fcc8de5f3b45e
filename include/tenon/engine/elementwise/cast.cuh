// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of one numeric type as another, on a GPU. The frequent pairs have kernels that read and write packs; one
// kernel does all others through the widest type of their kind, as the CPU does.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/elementwise/cast.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/convert.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/elementwise/cast.hpp>
#include <tenon/engine/elementwise/elementwise.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class To>
struct ConvertTo {
  static constexpr bool takes_small_floats = true;
  template <class T>
  TENON_HD static To map(const T& x) {
    return ConvertScalar<To>(x);
  }
};
template <class From, class To>
Status RunCudaCast(Cuda& device, const void* from, void* to, Index n) {
  const TensorShape shape{n};
  return MapUnary<ConvertTo<To>, From, To>(device, nullptr, In<From>(static_cast<const From*>(from), n, &shape),
                                           Out<To>(static_cast<To*>(to), n, &shape));
}

struct ToComplex {
  TENON_HD static PlainComplex<float> map(float x) { return PlainComplex<float>(x); }
};
template <std::same_as<Cuda> Device>
Status RunFloatToComplex(Device& device, const void* from, void* to, Index n) {
  using C = PlainComplex<float>;
  const TensorShape shape{n};
  return MapUnary<ToComplex, float, C>(device, nullptr, In<float>(static_cast<const float*>(from), n, &shape),
                                       Out<C>(static_cast<C*>(to), n, &shape));
}

using CudaCast = Status (*)(Cuda& device, const void* from, void* to, Index n);
// The frequent pairs; null for the others.
template <std::same_as<Cuda> Device>
CudaCast DirectCudaCast(DataType from, DataType to) {
  if (from == DataType::kFloat) {
    switch (to) {
      case DataType::kHalf: return &RunCudaCast<float, half>;
      case DataType::kBfloat16: return &RunCudaCast<float, bfloat16>;
      case DataType::kInt32: return &RunCudaCast<float, std::int32_t>;
      case DataType::kInt64: return &RunCudaCast<float, std::int64_t>;
      case DataType::kDouble: return &RunCudaCast<float, double>;
      case DataType::kBool: return &RunCudaCast<float, bool>;
      case DataType::kComplex64: return &RunFloatToComplex<Device>;  // denormals pass
      default: return nullptr;
    }
  }
  if (to == DataType::kFloat) {
    switch (from) {
      case DataType::kHalf: return &RunCudaCast<half, float>;
      case DataType::kBfloat16: return &RunCudaCast<bfloat16, float>;
      case DataType::kInt32: return &RunCudaCast<std::int32_t, float>;
      case DataType::kInt64: return &RunCudaCast<std::int64_t, float>;
      case DataType::kUint8:
      case DataType::kBool: return &RunCudaCast<std::uint8_t, float>;  // true is 1
      case DataType::kInt8: return &RunCudaCast<std::int8_t, float>;
      case DataType::kDouble: return &RunCudaCast<double, float>;
      default: return nullptr;
    }
  }
  if (from == DataType::kInt32 && to == DataType::kInt64) return &RunCudaCast<std::int32_t, std::int64_t>;
  if (from == DataType::kInt64 && to == DataType::kInt32) return &RunCudaCast<std::int64_t, std::int32_t>;
  return nullptr;
}

// An element as int64, uint64 or double, whichever its kind says.
struct WideNumber {
  CastKind kind = CastKind::kNone;
  std::int64_t integer = 0;
  double real = 0;
};
template <class T>
inline constexpr CastKind kWideKind = std::is_same_v<T, std::uint64_t>                        ? CastKind::kUnsigned
                                      : IsFloating(dtype_of_v<T>) || IsComplex(dtype_of_v<T>) ? CastKind::kFloat
                                                                                              : CastKind::kSigned;
template <class T>
__device__ WideNumber WidenAt(const void* data, Index i) {
  const T x = static_cast<const T*>(data)[i];
  if constexpr (kWideKind<T> == CastKind::kUnsigned)
    return {CastKind::kUnsigned, static_cast<std::int64_t>(x), 0};
  else if constexpr (kWideKind<T> == CastKind::kFloat)
    return {CastKind::kFloat, 0, ConvertScalar<double>(x)};
  else
    return {CastKind::kSigned, ConvertScalar<std::int64_t>(x), 0};
}
__device__ inline WideNumber ReadWide(DataType type, const void* data, Index i) {
  switch (type) {
    case DataType::kBool: return WidenAt<bool>(data, i);
    case DataType::kInt8: return WidenAt<std::int8_t>(data, i);
    case DataType::kUint8: return WidenAt<std::uint8_t>(data, i);
    case DataType::kInt16: return WidenAt<std::int16_t>(data, i);
    case DataType::kUint16: return WidenAt<std::uint16_t>(data, i);
    case DataType::kInt32: return WidenAt<std::int32_t>(data, i);
    case DataType::kUint32: return WidenAt<std::uint32_t>(data, i);
    case DataType::kInt64: return WidenAt<std::int64_t>(data, i);
    case DataType::kUint64: return WidenAt<std::uint64_t>(data, i);
    case DataType::kInt4: return WidenAt<int4>(data, i);
    case DataType::kUint4: return WidenAt<uint4>(data, i);
    case DataType::kHalf: return WidenAt<half>(data, i);
    case DataType::kBfloat16: return WidenAt<bfloat16>(data, i);
    case DataType::kFloat: return WidenAt<float>(data, i);
    case DataType::kFloat8E5M2: return WidenAt<float8_e5m2>(data, i);
    case DataType::kFloat8E4M3FN: return WidenAt<float8_e4m3fn>(data, i);
    case DataType::kComplex64: return WidenAt<complex64>(data, i);
    case DataType::kComplex128: return WidenAt<complex128>(data, i);
    default: return WidenAt<double>(data, i);
  }
}
template <class T>
__device__ void NarrowAt(const WideNumber& x, void* data, Index i) {
  T* const to = static_cast<T*>(data) + i;
  if (x.kind == CastKind::kFloat)
    *to = ConvertScalar<T>(x.real);
  else if (x.kind == CastKind::kUnsigned)
    *to = ConvertScalar<T>(static_cast<std::uint64_t>(x.integer));
  else
    *to = ConvertScalar<T>(x.integer);
}
__device__ inline void WriteNarrow(DataType type, const WideNumber& x, void* data, Index i) {
  switch (type) {
    case DataType::kBool: return NarrowAt<bool>(x, data, i);
    case DataType::kInt8:
    case DataType::kUint8: return NarrowAt<std::uint8_t>(x, data, i);
    case DataType::kInt16:
    case DataType::kUint16: return NarrowAt<std::uint16_t>(x, data, i);
    case DataType::kInt32: return NarrowAt<std::int32_t>(x, data, i);
    case DataType::kUint32: return NarrowAt<std::uint32_t>(x, data, i);
    case DataType::kInt64: return NarrowAt<std::int64_t>(x, data, i);
    case DataType::kUint64: return NarrowAt<std::uint64_t>(x, data, i);
    case DataType::kInt4: return NarrowAt<int4>(x, data, i);
    case DataType::kUint4: return NarrowAt<uint4>(x, data, i);
    case DataType::kHalf: return NarrowAt<half>(x, data, i);
    case DataType::kBfloat16: return NarrowAt<bfloat16>(x, data, i);
    case DataType::kFloat: return NarrowAt<float>(x, data, i);
    case DataType::kFloat8E5M2: return NarrowAt<float8_e5m2>(x, data, i);
    case DataType::kFloat8E4M3FN: return NarrowAt<float8_e4m3fn>(x, data, i);
    case DataType::kComplex64: return NarrowAt<complex64>(x, data, i);
    case DataType::kComplex128: return NarrowAt<complex128>(x, data, i);
    default: return NarrowAt<double>(x, data, i);
  }
}

// Any pair.
struct CudaCastBody {
  const void* from;
  void* to;
  DataType source, target;
  std::uint64_t mask;  // keeps these bits of the fraction; 0: all

  __device__ void operator()(Index i) const {
    WideNumber x = ReadWide(source, from, i);
    if (mask != 0 && x.real == x.real) x.real = BitCast<double>(BitCast<std::uint64_t>(x.real) & mask);
    WriteNarrow(target, x, to, i);
  }
};

}  // namespace detail

// Cast of engine/elementwise/cast.hpp on a GPU: the same results. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status Cast(Device& device, DataType from_type, const void* from, DataType to_type, void* to, Index n, bool truncate) {
  DataType source = detail::CastType(from_type), target = detail::CastType(to_type);
  if (!detail::HasCast(source, target))
    return errors::Unimplemented("Cast ", from_type, " to ", to_type, " is not supported");
  if (IsComplex(source) && IsComplex(target)) {  // part by part
    n *= 2;
    source = source == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
    target = target == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
  }
  const int kept = truncate && detail::Truncates(source, target) ? detail::FractionBits(target) : 0;
  if (const detail::CudaCast run = detail::DirectCudaCast<Device>(source, target); run != nullptr && kept == 0)
    return run(device, from, to, n);
  const std::uint64_t mask = kept == 0 ? 0 : ~((std::uint64_t{1} << (52 - kept)) - 1);
  return ForEach(device, n, detail::CudaCastBody{from, to, source, target, mask});
}

TENON_DETAIL_NAMESPACE_END
