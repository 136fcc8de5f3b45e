// SPDX-License-Identifier: Apache-2.0
#pragma once
// Map1, Map2: an element-wise op is its scalar function. The kernel around it - loops, broadcasting, threads, sharing
// of the input's buffer - is the engine's; device/cuda.cuh adds the overloads for GPUs.
//
//   struct Relu {
//     static constexpr auto signature = ...;
//     template <class T> TENON_HD static T map(T x) { return x > T(0) ? x : T(0); }
//     template <class Device, class T> using kernel = Map1<Relu, Device, T>;
//   };

#include <type_traits>

#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/params.hpp>

TENON_NAMESPACE_BEGIN

// y[i] = Op::map(x[i][, attrs]).
template <class Op, class T, class R>
Status MapUnary(Cpu& device, const void* attrs, In<T> x, Out<R> y) {
  return Unary(device, kUnaryLoop<Op, T, R>, attrs, x.data, y.data, y.size());
}
// y = Op::map(a, b[, attrs]) with the operands broadcast against each other.
template <class Op, class T, class R>
Status MapBinary(Cpu& device, const void* attrs, In<T> a, In<T> b, Out<R> y) {
  return BinaryBroadcast(device, kBinaryLoops<Op, T, R>, attrs, a.data, a.shape(), b.data, b.shape(), y.data,
                         y.shape());
}

// One input, one output. `map` takes a T and, if Op has Attrs, those as its second argument.
template <class Op, class Device, class T>
struct Map1 : detail::AttrsOf<Op>::type {
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0>, Out<R>>;

  Status operator()(Device& device, In<T> x, Output y) const {
    return MapUnary<Op, T, R>(device, static_cast<const Attrs*>(this), x, y);
  }
};

// Two inputs of one type, broadcast against each other; the shape function must say so
// (shape_inference::BroadcastBinaryOpShapeFn).
template <class Op, class Device, class T>
struct Map2 : detail::AttrsOf<Op>::type {
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0, 1>, Out<R>>;

  Status operator()(Device& device, In<T> a, In<T> b, Output y) const {
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), a, b, y);
  }
};

TENON_NAMESPACE_END
