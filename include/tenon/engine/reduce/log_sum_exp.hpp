// SPDX-License-Identifier: Apache-2.0
#pragma once
// log(sum(exp(x))) over any set of dimensions, for float and double, without overflow: exp of the difference from the
// greatest, log(sum(exp(x - m))) + m, in four passes of the engines for reductions and broadcasts.

#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct ExpOfDifference {
  static constexpr float cost_ns = 5;
  template <class T>
  TENON_HD static T map(T x, T shift) {
    return std::exp(x - shift);
  }
  template <class L>
  TENON_HD static L lanes(const L& x, const L& shift) {
    return simd::Exp(x - shift);
  }
};
struct LogPlus {
  static constexpr float cost_ns = 5;
  template <class T>
  TENON_HD static T map(T sum, T shift) {
    return std::log(sum) + shift;
  }
  template <class L>
  TENON_HD static L lanes(const L& sum, const L& shift) {
    return simd::Log(sum) + shift;
  }
};

}  // namespace detail

// x: `shape`  ->  out: `shape` without `axes`, or with 1 in their place. Over no elements the result is -infinity. NaN
// where an element is; as accurate as the sum (SumReducer) and two roundings. ResourceExhausted when there is no memory
// for a copy of x. The same for any number of threads.
template <class T>
Status LogSumExp(Cpu& device, const T* x, const TensorShape& shape, const AxisSet& axes, T* out) {
  TensorShape kept = shape;
  for (int d = 0; d < shape.dims(); ++d)
    if (axes.contains(d)) kept.set_dim(d, 1);
  const Index outputs = kept.num_elements();
  if (outputs == 0) return OkStatus();
  const std::size_t shift_bytes = detail::ScratchBytes<T>(outputs);
  Scratch scratch(device, shift_bytes + detail::ScratchBytes<T>(shape.num_elements()));
  TENON_RETURN_IF_ERROR(scratch.status("LogSumExp"));
  T* const shift = scratch.As<T>();
  T* const powers = scratch.As<T>(shift_bytes);
  TENON_RETURN_IF_ERROR(Reduce(device, kReduceLoops<MaxReducer, T>, x, shape, axes, shift));
  for (Index i = 0; i < outputs; ++i)
    if (!std::isfinite(shift[i])) shift[i] = T(0);  // the difference of infinities would be NaN
  TENON_RETURN_IF_ERROR(
      BinaryBroadcast(device, kBinaryLoops<detail::ExpOfDifference, T>, nullptr, x, shape, shift, kept, powers, shape));
  TENON_RETURN_IF_ERROR(Reduce(device, kReduceLoops<SumReducer, T>, powers, shape, axes, out));
  return BinaryBroadcast(device, kBinaryLoops<detail::LogPlus, T>, nullptr, out, kept, shift, kept, out, kept);
}

TENON_DETAIL_NAMESPACE_END
