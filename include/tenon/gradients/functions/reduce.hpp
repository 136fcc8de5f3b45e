// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of reductions, cumulative sums, softmax and the search for the largest items.

#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// The shape of x with 1 for each reduced dimension.
inline Symbol ReducedShape(G& g, Symbol x, Symbol axes) {
  const PartialTensorShape shape = x.shape();
  SlimVector<Index> known;
  if (shape.IsFullyDefined() && KnownIntegers(g, axes, &known)) {
    SlimVector<std::int32_t> sizes;
    for (const Index size : shape) sizes.push_back(static_cast<std::int32_t>(size));
    for (const Index axis : known) {
      const Index d = axis < 0 ? axis + shape.dims() : axis;
      if (d >= 0 && d < shape.dims()) sizes[static_cast<std::size_t>(d)] = 1;
    }
    return g.editor().Ints(sizes);
  }
  const Symbol sizes = g.Shape(x), rank = g.Rank(x), flat = g.Cast(Flat(g, axes), DataType::kInt32);
  const Symbol positive = g.Add("FloorMod", {flat + rank, rank});
  return g.Add("DynamicStitch",
               {G::Input{g.Range(g.Int(0), rank), positive}, G::Input{sizes, Un(g, "OnesLike", positive)}});
}
inline Symbol KeepDims(G& g, Symbol s) {
  return g.bool_attr("keep_dims") ? s : g.Reshape(s, ReducedShape(g, g.x(), g.input(1)));
}
inline Symbol SumGradient(G& g) { return g.Add("BroadcastTo", {KeepDims(g, g.dy()), g.Shape(g.x())}); }
inline void Mean(G& g) {
  const PartialTensorShape in = g.x().shape(), out = g.y().shape();
  const Symbol sum = SumGradient(g);
  if (in.IsFullyDefined() && out.IsFullyDefined()) {
    const Index count = out.num_elements() > 0 ? in.num_elements() / out.num_elements() : in.num_elements();
    return g.set(0, sum / static_cast<double>(count));
  }
  const Symbol count =
      g.Add("FloorDiv", {Product(g, g.Shape(g.x())), g.Add("Maximum", {Product(g, g.Shape(g.y())), g.Int(1)})});
  g.set(0, sum / g.Cast(count, sum.dtype()));
}
inline void ProductGradient(G& g) {
  const Symbol x = g.x(), shape = g.Shape(x), rank = g.Rank(x), dy = SumGradient(g);
  const Symbol axes = g.Cast(Flat(g, g.input(1)), DataType::kInt32);
  const Symbol reduced = g.Add("FloorMod", {axes + rank, rank});
  const Symbol other = g.Add("ListDiff", {g.Range(g.Int(0), rank), reduced});
  const Symbol order = Concat2(g, reduced, other);
  const Symbol rows = Product(g, Gather(g, shape, reduced)), columns = Product(g, Gather(g, shape, other));
  const Symbol moved = g.Add("Transpose", {x, order});
  const Symbol flat = g.Reshape(moved, g.Pack({rows, columns}));
  const Symbol left = g.Add("Cumprod", {flat, g.Int(0)}, {{"exclusive", true}});
  const Symbol right = g.Add("Cumprod", {flat, g.Int(0)}, {{"exclusive", true}, {"reverse", true}});
  const Symbol others = g.Reshape(g.Conj(left) * g.Conj(right), g.Shape(moved));
  g.set(0, g.Reshape(dy * g.Add("Transpose", {others, Un(g, "InvertPermutation", order)}), shape));
}
// Evenly among equals.
inline void Extremum(G& g) {
  const Symbol y = KeepDims(g, g.y()), dy = KeepDims(g, g.dy());
  const Symbol chosen = g.Cast(Equal(g, y, g.x()), dy.dtype());
  g.set(0, chosen / g.Sum(chosen, g.input(1), true) * dy);
}
inline void Cumulate(G& g, std::string_view op, Symbol s, Symbol* result) {
  *result = g.AddLike(op, {s, g.input(1)}, {"exclusive"}, {{"reverse", !g.bool_attr("reverse")}});
}
inline void CumulativeProduct(G& g) {
  Symbol sum;
  Cumulate(g, "Cumsum", g.y() * g.dy(), &sum);
  g.set(0, g.Add("DivNoNan", {sum, g.x()}));
}
inline double LowestOf(DataType type) {
  switch (type) {
    case DataType::kHalf: return -65504.0;
    case DataType::kDouble: return -1.7976931348623157e308;
    case DataType::kBfloat16: return -3.3895313892515355e38;
    default: return -3.4028234663852886e38;
  }
}
inline void LogSumExp(G& g) {
  const Symbol dy = g.dy(), zero = g.Scalar(dy.dtype(), 0), lowest = g.Scalar(dy.dtype(), LowestOf(dy.dtype()));
  Symbol positive, negative;
  Cumulate(g, "CumulativeLogsumexp", g.Where(g.Add("Greater", {dy, zero}), Un(g, "Log", dy), lowest) - g.y(),
           &positive);
  Cumulate(g, "CumulativeLogsumexp", g.Where(g.Add("Less", {dy, zero}), Un(g, "Log", -dy), lowest) - g.y(), &negative);
  g.set(0, Un(g, "Exp", positive + g.x()) - Un(g, "Exp", negative + g.x()));
}
inline void NthElement(G& g) {
  const Symbol dy = ExpandDims(g, g.dy(), -1);
  const Symbol chosen = g.Cast(Equal(g, ExpandDims(g, g.y(), -1), g.x()), dy.dtype());
  g.set(0, chosen / g.Sum(chosen, g.Int(-1), true) * dy);
}
inline void TopItems(G& g) {
  const Symbol x = g.x(), shape = g.Shape(x), indices = g.output(1), dy = g.dy();
  const Symbol kept = g.Item(g.Shape(indices), -1), row = g.Item(shape, -1);
  const Symbol flat = g.Reshape(g.Cast(indices, DataType::kInt32), g.Pack({g.Int(-1), kept}));
  const Symbol rows = g.Item(g.Shape(flat), 0);
  const Symbol first = g.Add("Range", {g.Int(0), rows * row, row});
  const Symbol places = ExpandDims(g, Flat(g, flat + ExpandDims(g, first, -1)), -1);
  const Symbol length = g.Add("ExpandDims", {Product(g, shape), g.Int(0)});
  g.set(0, g.Reshape(g.Add("ScatterNd", {places, Flat(g, dy), length}), shape));
  if (g.num_inputs() > 1) g.set(1, g.Int(0));
}
// The mean of each segment of a row, for all of its elements.
inline void SegmentMeans(G& g) {
  const Symbol dy = g.dy(), segments = g.output(1), shape = g.Shape(dy), row = g.Item(shape, -1), count = Size(g, dy);
  const Symbol first = g.Add("Range", {g.Int(0), count, g.Add("Maximum", {row, g.Int(1)})});
  const Symbol ids = Flat(g, g.Reshape(segments, g.Pack({g.Int(-1), row})) + ExpandDims(g, first, -1));
  const auto sum = [&](Symbol s) { return g.Add("UnsortedSegmentSum", {s, ids, count}); };
  const Symbol flat = Flat(g, dy);
  const Symbol means = g.Add("DivNoNan", {sum(flat), sum(Un(g, "OnesLike", flat))});
  g.set(0, g.Reshape(Gather(g, means, ids), shape));
}
inline void Softmax(G& g) {
  const Symbol y = g.y(), dy = g.dy();
  g.set(0, (dy - g.Sum(dy * y, g.Int(-1), true)) * y);
}
inline void LogSoftmax(G& g) {
  const Symbol dy = g.dy();
  g.set(0, dy - g.Sum(dy, g.Int(-1), true) * Un(g, "Exp", g.y()));
}

inline constexpr GradientRow kReduce[] = {
    {"Sum", [](G& g) { g.set(0, SumGradient(g)); }},
    {"Mean", Mean},
    {"Prod", ProductGradient},
    {"Max", Extremum},
    {"Min", Extremum},
    {"EuclideanNorm", [](G& g) { g.set(0, g.x() / (KeepDims(g, g.y()) / KeepDims(g, g.dy()))); }},
    {"Cumsum",
     [](G& g) {
       Symbol sum;
       Cumulate(g, "Cumsum", g.dy(), &sum);
       g.set(0, sum);
     }},
    {"Cumprod", CumulativeProduct},
    {"CumulativeLogsumexp", LogSumExp},
    {"NthElement", NthElement},
    {"ApproxTopK", TopItems},
    {"IsotonicRegression", SegmentMeans},
    {"TopK", TopItems},
    {"TopKV2", TopItems},
    {"Softmax", Softmax},
    {"LogSoftmax", LogSoftmax},
};

inline const bool registers_reduce = RegisterGradients<kReduce>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
