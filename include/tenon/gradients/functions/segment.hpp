// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of reductions over segments.

#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// Rows of `params` by id, and zeros for ids below 0.
struct DroppedNegatives {
  Symbol rows, clipped, positive;
};
inline Symbol AtLeastZero(G& g, Symbol ids) { return g.Add("Maximum", {ids, g.ZerosLike(ids)}); }
inline DroppedNegatives GatherDropNegatives(G& g, Symbol params, Symbol ids, DroppedNegatives known = {}) {
  DroppedNegatives out = known;
  if (!out.clipped) out.clipped = AtLeastZero(g, ids);
  const Symbol rows = Gather(g, params, out.clipped);
  if (!out.positive) {
    const Symbol positive = g.Add("GreaterEqual", {ids, g.ZerosLike(ids)});
    const Symbol more = g.Fill(g.Add("ExpandDims", {g.Rank(rows) - g.Rank(positive), g.Int(0)}), g.Int(1));
    out.positive = g.Reshape(positive, Concat2(g, g.Shape(positive), more));
  }
  out.rows = g.Where(out.positive, rows, g.ZerosLike(rows));
  return out;
}

inline void SegmentMean(G& g) {
  const Symbol ids = g.input(1), dy = g.dy();
  const Symbol more = g.Fill(g.Add("ExpandDims", {g.Rank(g.x()) - 1.0, g.Int(0)}), g.Int(1));
  const Symbol ones = Ones(g, Concat2(g, g.Shape(ids), more), dy.dtype());
  g.set(0, Gather(g, dy / g.Add("SegmentSum", {ones, ids}), ids));
}
inline void SegmentExtremum(G& g) {
  const Symbol x = g.x(), ids = g.input(1), dy = g.dy();
  const Symbol chosen = Equal(g, x, Gather(g, g.y(), ids));
  const Symbol count = g.Add("SegmentSum", {g.Cast(chosen, dy.dtype()), ids});
  g.set(0, g.Where(chosen, Gather(g, dy / count, ids), g.ZerosLike(x)));
}
// One zero in a segment: its gradient is the product of all other items; more zeros: all gradients are 0.
inline void SegmentProduct(G& g, bool sorted) {
  const Symbol x = g.x(), ids = g.input(1), zero = Equal(g, x, g.Scalar(x.dtype(), 0));
  const Symbol zeros = g.Cast(zero, DataType::kInt32), others = g.Where(zero, Un(g, "OnesLike", x), x);
  const Symbol count =
      sorted ? g.Add("SegmentSum", {zeros, ids}) : g.Add("UnsortedSegmentSum", {zeros, ids, g.input(2)});
  const Symbol dy = g.Where(g.Add("Greater", {count, g.Int(1)}), g.ZerosLike(g.dy()), g.dy());
  const Symbol product =
      sorted ? g.Add("SegmentProd", {others, ids}) : g.Add("UnsortedSegmentProd", {others, ids, g.input(2)});
  const Symbol rows = sorted ? ids : AtLeastZero(g, ids);
  const Symbol quotient = Gather(g, g.y(), rows) / (sorted ? others : x);
  const Symbol slope = g.Where(zero, Gather(g, product, rows), quotient);
  g.set(0, (sorted ? Gather(g, dy, ids) : GatherDropNegatives(g, dy, ids, {{}, rows, {}}).rows) * slope);
}
inline void UnsortedExtremum(G& g) {
  const Symbol ids = g.input(1), dy = g.dy();
  const DroppedNegatives out = GatherDropNegatives(g, g.y(), ids);
  const Symbol chosen = g.Add("LogicalAnd", {Equal(g, g.x(), out.rows), out.positive});
  const Symbol count = g.Add("UnsortedSegmentSum", {g.Cast(chosen, dy.dtype()), ids, g.input(2)});
  const Symbol rows = GatherDropNegatives(g, dy / count, ids, {{}, out.clipped, out.positive}).rows;
  g.set(0, g.Where(chosen, rows, g.ZerosLike(rows)));
}

// SparseSegment...: by its gradient op, or as slices.
inline void SparseSegment(G& g, std::string_view op, bool mean, bool root) {
  const Symbol indices = g.input(1), ids = g.input(2), shape = g.Shape(g.x());
  Symbol dy = g.dy();
  if (!g.bool_attr("sparse_gradient")) return g.set(0, g.Add(op, {dy, indices, ids, g.Item(shape, 0)}));
  if (mean || root) {
    const Symbol ones = Ones(g, g.Shape(ids), dy.dtype()), rows = g.Item(g.Shape(dy), 0);
    Symbol count = g.Add("Maximum", {g.Add("UnsortedSegmentSum", {ones, ids, rows}), g.Scalar(dy.dtype(), 1)});
    if (root) count = Un(g, "Sqrt", count);
    const Symbol more = g.Fill(g.Add("ExpandDims", {g.Rank(dy) - 1.0, g.Int(0)}), g.Int(1));
    dy = dy / g.Reshape(count, Concat2(g, g.Shape(count), more));
  }
  g.SetSlices(0, indices, Gather(g, dy, ids), shape);
}

inline constexpr GradientRow kSegment[] = {
    {"SegmentSum", [](G& g) { g.set(0, Gather(g, g.dy(), g.input(1))); }},
    {"SegmentMean", SegmentMean},
    {"SegmentMax", SegmentExtremum},
    {"SegmentMin", SegmentExtremum},
    {"SegmentProd", [](G& g) { SegmentProduct(g, true); }},
    {"UnsortedSegmentSum", [](G& g) { g.set(0, GatherDropNegatives(g, g.dy(), g.input(1)).rows); }},
    {"UnsortedSegmentMax", UnsortedExtremum},
    {"UnsortedSegmentMin", UnsortedExtremum},
    {"UnsortedSegmentProd", [](G& g) { SegmentProduct(g, false); }},
    {"SparseSegmentSum", [](G& g) { SparseSegment(g, "SparseSegmentSumGrad", false, false); }},
    {"SparseSegmentSumWithNumSegments", [](G& g) { SparseSegment(g, "SparseSegmentSumGrad", false, false); }},
    {"SparseSegmentMean", [](G& g) { SparseSegment(g, "SparseSegmentMeanGrad", true, false); }},
    {"SparseSegmentMeanWithNumSegments", [](G& g) { SparseSegment(g, "SparseSegmentMeanGrad", true, false); }},
    {"SparseSegmentSqrtN", [](G& g) { SparseSegment(g, "SparseSegmentSqrtNGrad", false, true); }},
    {"SparseSegmentSqrtNWithNumSegments", [](G& g) { SparseSegment(g, "SparseSegmentSqrtNGrad", false, true); }},
};

inline const bool registers_segment = RegisterGradients<kSegment>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
