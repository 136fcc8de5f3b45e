// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small helpers that gradient functions of several families share.

#include <initializer_list>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/integers.hpp>
#include <tenon/gradients/gradient_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

using G = GradientBuilder;

inline Symbol Un(G& g, std::string_view op, Symbol s) { return g.Add(op, {s}); }
// For ops that are asked and give nothing.
inline void Nothing(G&) {}
// The gradient of output 0 goes to input 0 as it came.
inline void Pass(G& g) { g.set(0, g.raw_grad(0)); }

inline Symbol Size(G& g, Symbol s) { return g.Add("Size", {s}); }
inline Symbol Flat(G& g, Symbol s) { return g.Reshape(s, g.Ints({-1})); }
inline Symbol ExpandDims(G& g, Symbol s, std::int32_t axis) { return g.Add("ExpandDims", {s, g.Int(axis)}); }
inline Symbol Gather(G& g, Symbol params, Symbol indices, std::int32_t axis = 0) {
  return g.Add("GatherV2", {params, indices, g.Int(axis)});
}
inline Symbol Product(G& g, Symbol vector) { return g.Add("Prod", {vector, g.Ints({0})}); }
inline Symbol Ones(G& g, Symbol shape, DataType type) { return g.Fill(shape, g.Scalar(type, 1)); }
inline Symbol Concat2(G& g, Symbol a, Symbol b, std::int32_t axis = 0) {
  SlimVector<Symbol> both{a, b};
  return g.Concat(std::move(both), g.Int(axis));
}
inline Symbol Equal(G& g, Symbol a, Symbol b) { return g.Add("Equal", {a, b}); }
inline Symbol Permute(G& g, Symbol s, std::initializer_list<std::int32_t> order) {
  return g.Add("Transpose", {s, g.Ints(order)});
}
// MatMul over the last two dimensions; `adj`: of the conjugate transpose.
inline Symbol MatMul(G& g, Symbol a, Symbol b, bool adj_a = false, bool adj_b = false) {
  return g.Add("BatchMatMulV2", {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}});
}
// The integers of a tensor that depends on constants alone. False: they are not known.
inline bool KnownIntegers(G& g, Symbol s, SlimVector<Index>* values) {
  Tensor value;
  if (!g.Value(s, &value)) return false;
  detail::Integers read;
  if (!detail::ReadIntegers(value, &read)) return false;
  for (Index i = 0; i < value.NumElements(); ++i) values->push_back(read.at(i));
  return true;
}

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
