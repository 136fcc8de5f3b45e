// SPDX-License-Identifier: Apache-2.0
#pragma once
// Map1, Map2: an element-wise op is its scalar function. The kernel around it - loops, broadcasting, threads,
// sharing of the input's buffer - is the engine's; device/cuda.cuh adds the overloads for GPUs.
//
//   struct Relu {
//     static constexpr auto signature = ...;
//     template <class T> TENON_HD static T map(T x) { return x > T(0) ? x : T(0); }
//     template <class Device, class T> using kernel = Map1<Relu, Device, T>;
//   };

#include <cstdint>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/op_types.hpp>
#include <tenon/kernel/params.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// `static constexpr bool ignores_sign = true;`: for integers, the bits of the result follow from the bits of the
// operands alone, so that one loop serves the signed and the unsigned type.
template <class Op>
concept IgnoresSign = requires { requires Op::ignores_sign; };

template <class Op, class T>
struct LoopTypeOf {
  using type = T;
};
template <class Op, class T>
  requires(IgnoresSign<Op> && std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct LoopTypeOf<Op, T> {
  using type = std::make_unsigned_t<T>;
};
// The element type that the loop for T is compiled for.
template <class Op, class T>
using LoopType = typename LoopTypeOf<Op, T>::type;
template <class Op, class T, class R>
using LoopResult = std::conditional_t<std::is_same_v<T, R>, LoopType<Op, T>, R>;
// The result type of the float loop that stands in for one over half or bfloat16.
template <class T, class R>
using FloatLoopResult = std::conditional_t<std::is_same_v<T, R>, float, R>;

// `static constexpr bool keeps_int32_on_host = true;`: int32 tensors of the op are sizes and numbers of elements. They
// stay in host memory, as in TensorFlow: the op has no kernel for them on a GPU.
template <class Op, class Device, class T>
concept KeptOnHost =
    Device::type != "CPU" && std::is_same_v<T, std::int32_t> && requires { requires Op::keeps_int32_on_host; };
template <class Op, class Device, class T>
concept MapsOpOn = MapsOn<Device, T> && !KeptOnHost<Op, Device, T>;

}  // namespace detail

// y[i] = Op::map(x[i][, attrs]).
template <class Op, class T, class R>
Status MapUnary(Cpu& device, const void* attrs, In<T> x, Out<R> y) {
  if constexpr (detail::MapsInFloat<Op, T>)
    return UnaryInFloat<T, R>(device, kUnaryLoop<Op, float, detail::FloatLoopResult<T, R>>, attrs, x.data, y.data,
                              y.size());
  else
    return Unary(device, kUnaryLoop<Op, detail::LoopType<Op, T>, detail::LoopResult<Op, T, R>>, attrs, x.data, y.data,
                 y.size());
}
// y = Op::map(a, b[, attrs]) with the operands broadcast against each other.
template <class Op, class T, class R>
Status MapBinary(Cpu& device, const void* attrs, In<T> a, In<T> b, Out<R> y) {
  if constexpr (detail::MapsInFloat<Op, T>)
    return BinaryInFloat<T, R>(device, kBinaryLoops<Op, float, detail::FloatLoopResult<T, R>>, attrs, a.data, a.shape(),
                               b.data, b.shape(), y.data, y.shape());
  else
    return BinaryBroadcast(device, kBinaryLoops<Op, detail::LoopType<Op, T>, detail::LoopResult<Op, T, R>>, attrs,
                           a.data, a.shape(), b.data, b.shape(), y.data, y.shape());
}

// One input, one output. `map` takes a T and, if Op has Attrs, these as its second argument.
template <class Op, class Device, class T>
  requires detail::MapsOpOn<Op, Device, T>
struct Map1 : detail::AttrsOf<Op>::type {
  static constexpr bool for_gpu = true;
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0>, Out<R>>;

  Status operator()(Device& device, In<T> x, Output y) const {
    return MapUnary<Op, T, R>(device, static_cast<const Attrs*>(this), x, y);
  }
};

// Two inputs of one type, broadcast against each other; the shape function must say so
// (shape_inference::BroadcastBinaryOpShapeFn). An op whose map may not be called with every operand has
// `template <class T> static Status check(In<T> a, In<T> b)`, which looks for such elements before the loop; every
// element of a and b is an operand then. Such a kernel is for the CPU.
template <class Op, class Device, class T>
  requires detail::MapsOpOn<Op, Device, T>
struct Map2 : detail::AttrsOf<Op>::type {
  static constexpr bool for_gpu = true;
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0, 1>, Out<R>>;

  Status operator()(Device& device, In<T> a, In<T> b, Output y) const {
    if constexpr (requires { Op::template check<T>(a, b); }) {
      static_assert(Device::type == "CPU", "tenon: check reads the operands' elements: only a CPU kernel may have it");
      if (y.size() > 0) TENON_RETURN_IF_ERROR(Op::template check<T>(a, b));
    }
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), a, b, y);
  }
};

// The kernel of an op that is Op with its inputs the other way round, and shares its loops.
template <class Op, class Device, class T>
  requires detail::MapsOpOn<Op, Device, T>
struct Map2Swapped : detail::AttrsOf<Op>::type {
  static constexpr bool for_gpu = true;
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;

  Status operator()(Device& device, In<T> a, In<T> b, Out<R> y) const {
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), b, a, y);
  }
};

// Two inputs of the same number of elements, whatever their shapes; the output has the first one's. Gradients are such.
template <class Op, class Device, class T>
  requires detail::MapsOpOn<Op, Device, T>
struct MapPairs : detail::AttrsOf<Op>::type {
  static constexpr bool for_gpu = true;
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0, 1>, Out<R>>;

  Status operator()(Device& device, In<T> a, In<T> b, Output y) const {
    if (a.size() != b.size()) return Mismatch(a.size(), b.size());
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), a, In<T>(b.data, a.size(), &a.shape()), y);
  }

 private:
  TENON_DETAIL_COLD static Status Mismatch(Index a, Index b) {
    return errors::InvalidArgument(Op::signature.name, ": the two arguments to a cwise op must have same number of ",
                                   "elements, got ", a, " and ", b);
  }
};

TENON_DETAIL_NAMESPACE_END
