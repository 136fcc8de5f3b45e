// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of matrix products and Einsum.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>
#include <tenon/gradients/functions/reduce.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline void Product2(G& g) {
  const Symbol a = g.Conj(g.input(0)), b = g.Conj(g.input(1)), dy = g.dy();
  const bool ta = g.bool_attr("transpose_a"), tb = g.bool_attr("transpose_b");
  const auto product = [&g](Symbol left, Symbol right, bool t_left, bool t_right) {
    return g.Add("MatMul", {left, right}, {{"transpose_a", t_left}, {"transpose_b", t_right}});
  };
  g.set(0, ta ? product(b, dy, tb, true) : product(dy, b, false, !tb));
  if (g.needs(1)) g.set(1, tb ? product(dy, a, true, ta) : product(a, dy, !ta, false));
}
// Its product is float, whatever its operands are.
inline void MixedProduct(G& g) {
  const Symbol a = g.input(0), b = g.input(1), dy = g.dy();
  const bool ta = g.bool_attr("transpose_a"), tb = g.bool_attr("transpose_b");
  const auto product = [&g](Symbol left, Symbol right, bool t_left, bool t_right, Symbol operand) {
    const Symbol p = g.Add("SparseMatMul", {left, right}, {{"transpose_a", t_left}, {"transpose_b", t_right}});
    return g.Cast(p, operand.dtype());
  };
  g.set(0, ta ? product(b, dy, tb, true, a) : product(dy, b, false, !tb, a));
  g.set(1, tb ? product(dy, a, true, ta, b) : product(a, dy, !ta, false, b));
}
inline void BatchProduct(G& g) {
  const Symbol a = g.input(0), b = g.input(1), dy = g.dy();
  const bool ta = g.bool_attr("adj_x"), tb = g.bool_attr("adj_y");
  const auto product = [&g](Symbol left, Symbol right, bool t_left, bool t_right, DataType type) {
    if (left.dtype() == right.dtype() && left.dtype() == type) return MatMul(g, left, right, t_left, t_right);
    return g.Add("BatchMatMulV3", {left, right}, {{"adj_x", t_left}, {"adj_y", t_right}, {"Tout", type}});
  };
  const Symbol da = ta ? product(b, dy, tb, true, a.dtype()) : product(dy, b, false, !tb, a.dtype());
  const Symbol db = tb ? product(dy, a, true, ta, b.dtype()) : product(a, dy, !ta, false, b.dtype());
  g.set(0, g.SumTo(da, a, da));
  g.set(1, g.SumTo(db, b, db));
}

// ------------------------------------------------------------------------------------------------- Einsum
inline constexpr std::string_view kEllipsis = "...";

// Number of the axis of a label, counted from the end when it stands after the ellipsis.
inline std::int32_t AxisOf(std::string_view labels, char label) {
  const std::size_t dots = labels.find(kEllipsis), at = labels.find(label);
  if (dots == labels.npos || at < dots) return static_cast<std::int32_t>(at);
  return static_cast<std::int32_t>(at) - static_cast<std::int32_t>(labels.size());
}
inline bool HasRepeated(std::string_view labels) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] != '.' && labels.find(labels[i], i + 1) != labels.npos) return true;
  return false;
}
inline Symbol Einsum(G& g, std::string equation, SlimVector<Symbol> operands) {
  return g.Add("Einsum", {G::Input(std::move(operands))}, {{"equation", std::move(equation)}});
}
// Labels of `labels` that no other text has, each once.
inline std::string LabelsWithout(std::string_view labels, std::string_view without) {
  std::string out;
  for (const char c : labels)
    if (c != '.' && without.find(c) == without.npos && out.find(c) == out.npos) out += c;
  return out;
}
// Gradient of an operand whose labels `reduced` were summed over: copies along them.
inline Symbol Unreduce(G& g, Symbol dy, const std::string& out_labels, const std::string& labels, Symbol shape,
                       const std::string& reduced) {
  std::string kept;
  for (const char c : labels)
    if (reduced.find(c) == reduced.npos) kept += c;
  SlimVector<std::int32_t> axes;
  for (const char c : reduced) axes.push_back(AxisOf(labels, c));
  if (!HasRepeated(labels) && !HasRepeated(out_labels) && kept == out_labels) {
    const Symbol rank = g.Add("Size", {shape});
    const Symbol positive = g.Add("FloorMod", {g.editor().Ints(axes) + rank, rank});
    const Symbol kept_shape = g.Add(
        "DynamicStitch", {G::Input{g.Range(g.Int(0), rank), positive}, G::Input{shape, Un(g, "OnesLike", positive)}});
    return g.Add("BroadcastTo", {g.Reshape(dy, kept_shape), shape});
  }
  SlimVector<Symbol> sizes;
  for (const std::int32_t axis : axes) sizes.push_back(axis >= 0 ? g.Item(shape, axis) : g.Item(shape, axis));
  const Symbol dy_shape = g.Shape(dy);
  const Symbol ones = g.Fill(g.Ints({static_cast<std::int32_t>(axes.size())}), g.Int(1));
  const Symbol copies =
      g.Add("BroadcastTo", {g.Reshape(dy, Concat2(g, ones, dy_shape)), Concat2(g, g.Pack(std::move(sizes)), dy_shape)});
  return Einsum(g, StrCat(reduced, out_labels, "->", labels), {copies});
}
inline Symbol EinsumOperand(G& g, Symbol dy, Symbol other, Symbol operand, const std::string& labels,
                            const std::string& other_labels, const std::string& out_labels) {
  const std::string reduced = LabelsWithout(labels, StrCat(out_labels, other_labels));
  std::string left;
  for (const char c : labels)
    if (c == '.' || reduced.find(c) == reduced.npos) left += c;
  const Symbol part = Einsum(g, StrCat(out_labels, ",", other_labels, "->", left), {dy, other});
  return reduced.empty() ? part : Unreduce(g, part, left, labels, g.Shape(operand), reduced);
}
// Sums over the dimensions of the ellipsis along which the operand was broadcast.
inline Symbol SumEllipsis(G& g, Symbol gradient, Symbol x, Symbol y, std::string_view x_labels,
                          std::string_view y_labels) {
  if (G::KnownSame(gradient.shape(), x.shape())) return gradient;
  const auto inner = [&g](Symbol s, std::string_view labels, std::int32_t* start) {
    const std::size_t at = labels.find(kEllipsis);
    *start = static_cast<std::int32_t>(at);
    const auto rest = static_cast<std::int32_t>(labels.size() - at - kEllipsis.size());
    return g.Part(g.Shape(s), *start, -rest, rest == 0);
  };
  std::int32_t start = 0, other = 0;
  const Symbol mine = inner(x, x_labels, &start), its = inner(y, y_labels, &other);
  const Symbol axes = g.Add("BroadcastGradientArgs", {mine, its});
  return g.Reshape(g.Sum(gradient, axes + g.Int(start)), g.Shape(x));
}
inline void EinsumGradient(G& g) {
  std::string equation;
  for (const char c : g.string_attr("equation"))
    if (c != ' ') equation += c;
  const std::size_t arrow = equation.find("->");
  if (arrow == equation.npos) return;
  const std::string in = equation.substr(0, arrow), out = equation.substr(arrow + 2);
  const Symbol dy = g.dy();
  if (g.num_inputs() == 1) {
    const std::string reduced = LabelsWithout(in, out);
    g.set(0,
          reduced.empty() ? Einsum(g, StrCat(out, "->", in), {dy}) : Unreduce(g, dy, out, in, g.Shape(g.x()), reduced));
    return;
  }
  const std::size_t comma = in.find(',');
  std::string a = in.substr(0, comma), b = in.substr(comma + 1);
  const bool broadcasts = out.find(kEllipsis) != out.npos;
  if (broadcasts && a.find(kEllipsis) == a.npos) a += kEllipsis;
  if (broadcasts && b.find(kEllipsis) == b.npos) b += kEllipsis;
  const Symbol x = g.Conj(g.input(0)), y = g.Conj(g.input(1));
  const Symbol dx = EinsumOperand(g, dy, y, x, a, b, out), dy2 = EinsumOperand(g, dy, x, y, b, a, out);
  g.set(0, broadcasts ? SumEllipsis(g, dx, x, y, a, b) : dx);
  g.set(1, broadcasts ? SumEllipsis(g, dy2, y, x, b, a) : dy2);
}

inline constexpr GradientRow kMatMul[] = {
    {"MatMul", Product2},
    {"SparseMatMul", MixedProduct},
    {"BatchMatMul", BatchProduct},
    {"BatchMatMulV2", BatchProduct},
    {"BatchMatMulV3", BatchProduct},
    {"Einsum", EinsumGradient},
};

inline const bool registers_matmul = RegisterGradients<kMatMul>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
