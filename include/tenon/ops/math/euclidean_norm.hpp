// SPDX-License-Identifier: Apache-2.0
#pragma once
// EuclideanNorm: the square root of a sum of squares.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/reduction.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The type that squares of T are added up in: the real type of complex numbers, unsigned for integers, which wrap.
template <class T>
constexpr auto NormAccumulator() {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return float{};
  else if constexpr (std::is_integral_v<T>)
    return std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>{};
  else if constexpr (std::is_floating_point_v<T>)
    return T{};
  else
    return typename T::value_type{};
}
template <class T, class A>
TENON_HD A SquareOf(const T& x) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    return x.real() * x.real() + x.imag() * x.imag();
  } else if constexpr (std::is_same_v<T, tenon::detail::PlainComplex<A>>) {
    return x.real * x.real + x.imaginary * x.imaginary;
  } else {
    const A wide = static_cast<A>(x);
    return wide * wide;
  }
}
template <class T, class A>
void SquareRows(const void* px, Index rows, Index stride, Index n, void* acc) {
  const T* x = static_cast<const T*>(px);
  for (; rows > 0; --rows, x += stride)
    for (Index j = 0; j < n; ++j) static_cast<A*>(acc)[j] += SquareOf<T, A>(x[j]);
}
template <class T, class A>
void SquareRuns(const void* px, Index count, Index step, Index n, void* acc) {
  const T* x = static_cast<const T*>(px);
  for (Index k = 0; k < count; ++k, x += step) {
    A sum = static_cast<A*>(acc)[k];
    for (Index i = 0; i < n; ++i) sum += SquareOf<T, A>(x[i]);
    static_cast<A*>(acc)[k] = sum;
  }
}
template <class T>
inline constexpr T kNoRoot = sizeof(T) < 4 ? T(0) : std::numeric_limits<T>::min();
// The root of a sum. For a sum that wrapped to a negative number it is NaN as TensorFlow converts it to T.
template <class T>
TENON_HD T RootOf(T sum) {
  if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> && sum < T(0)) return kNoRoot<T>;
    return static_cast<T>(std::sqrt(static_cast<double>(sum)));
  } else {
    return static_cast<T>(std::sqrt(sum));
  }
}
template <class T, class A>
TENON_HD T NormOf(const A& sum) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return static_cast<T>(std::sqrt(static_cast<float>(static_cast<T>(sum))));
  else if constexpr (requires { typename T::value_type; })
    return T(RootOf(sum));
  else
    return RootOf(static_cast<T>(sum));
}
template <class T, class A>
void FinishNorm(const void* acc, Index, void* out, Index n) {
  for (Index j = 0; j < n; ++j) static_cast<T*>(out)[j] = NormOf<T>(static_cast<const A*>(acc)[j]);
}
// The reduction in the form that a GPU runs.
struct NormReducer : SumReducer {
  static constexpr bool ignores_sign = false;
  template <class T>
  static constexpr auto Accumulator() {
    return NormAccumulator<T>();
  }
  template <class A, class T>
  TENON_HD static A Term(const T& x) {
    return SquareOf<T, A>(x);
  }
  template <class T, class A>
  TENON_HD static T Finish(const A& sum) {
    return NormOf<T>(sum);
  }
};

template <class T>
constexpr ReduceLoops NormLoops() {
  using A = decltype(NormAccumulator<T>());
  ReduceLoops loops = kReduceLoops<SumReducer, A>;
  loops.runs_may_be_long = false;
  loops.rows = &SquareRows<T, A>;
  loops.runs = &SquareRuns<T, A>;
  loops.finish = &FinishNorm<T, A>;
  loops.in_bytes = static_cast<int>(sizeof(T));
  loops.cost_ns = 0.3f * static_cast<float>(sizeof(T));
  return loops;
}
template <class T>
inline constexpr ReduceLoops kNormLoops = NormLoops<T>();

template <class T>
const ReduceLoops& NormLoopsFor(const Cpu&) {
  return kNormLoops<T>;
}
template <class T, class Device>
auto NormLoopsFor(const Device& device) {
  return ReduceLoopsFor<NormReducer, T>(device);
}

template <class Device, class Loops>
Status RunNorm(OpKernelContext& context, Device& device, const Loops& loops, bool keep_dims, const Tensor& input,
               const HostIndices& indices, Tensor* output) {
  AxisSet axes;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadAxes("EuclideanNorm", input.shape(), indices, keep_dims, &axes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  return Reduce(device, loops, input.raw_data(), input.shape(), axes, output->raw_data());
}

}  // namespace detail

struct EuclideanNorm {
  static constexpr auto signature =
      Op("EuclideanNorm")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices reduction_indices,
                      Tensor& output) const {
      return detail::RunNorm(context.op(), context.device(), detail::NormLoopsFor<T>(context.device()), this->keep_dims,
                             input, reduction_indices, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
