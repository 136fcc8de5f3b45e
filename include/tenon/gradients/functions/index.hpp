// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of ops that read and write by indices. Reads of rows give slices.

#include <cstdint>

#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline Symbol AsVector(G& g, Symbol scalar) { return g.Add("ExpandDims", {scalar, g.Int(0)}); }

// Rows of `shape`d params were read: the gradient has one row per index.
inline void RowSlices(G& g, Symbol shape) {
  const Symbol size = AsVector(g, Size(g, g.input(1)));
  const Symbol values = g.Reshape(g.dy(), Concat2(g, size, g.Part(shape, 1, 0, true)));
  g.SetSlices(0, g.Reshape(g.input(1), size), values, shape);
}
// Indices into the params with their batch dimensions flattened.
inline Symbol BatchIndices(G& g, Symbol shape, Symbol indices, int batch_dims) {
  const Symbol sizes = g.Cast(shape, indices.dtype());
  Symbol stride = g.Scalar(indices.dtype(), 1), sum = indices;
  for (int d = batch_dims; d > 0; --d) {
    const Symbol size = g.Item(sizes, d - 1);
    stride = stride * g.Item(sizes, d);
    const Symbol first = g.Range(g.Scalar(indices.dtype(), 0), size) * stride;
    const Symbol before = g.Fill(g.Ints({d - 1}), g.Int(1));
    const Symbol after = g.Fill(AsVector(g, g.Rank(indices) - static_cast<double>(d)), g.Int(1));
    SlimVector<Symbol> parts{before, AsVector(g, g.Cast(size, DataType::kInt32)), after};
    sum = sum + g.Reshape(first, g.Concat(std::move(parts), g.Int(0)));
  }
  return sum;
}
// The gathered axis is moved behind the batch dimensions, summed by index and moved back.
inline void GatherAlongAxis(G& g, Symbol shape, int batch_dims) {
  const Symbol indices = g.input(1);
  const Symbol rank = g.Rank(g.x());
  const Symbol axis = g.Add("FloorMod", {g.Cast(g.input(2), DataType::kInt32) + rank, rank});
  const Symbol begin = AsVector(g, axis), rest = AsVector(g, axis + 1.0);
  const Symbol outer = g.Add("Slice", {shape, g.Ints({0}), begin});
  const Symbol inner = g.Add("Slice", {shape, rest, g.Ints({-1})});
  const Symbol batch = g.Int(batch_dims);
  SlimVector<Symbol> values_shape{outer, g.Ints({-1}), inner};
  const Symbol values = g.Reshape(g.dy(), g.Concat(std::move(values_shape), g.Int(0)));
  const Symbol batches = g.Range(g.Int(0), batch), between = g.Range(batch, axis), after = g.Range(axis + 1.0, rank);
  SlimVector<Symbol> forward{batches, begin, between, after};
  const Symbol order = g.Concat(std::move(forward), g.Int(0));
  Symbol moved = g.Add("Transpose", {values, order});
  const Symbol moved_shape = Gather(g, shape, order);
  Symbol rows = g.Item(moved_shape, batch_dims), flat_indices = indices;
  if (batch_dims > 0) {
    const Symbol moved_sizes = g.Shape(moved);
    rows = rows * Product(g, g.Part(moved_sizes, 0, batch_dims));
    flat_indices = BatchIndices(g, moved_shape, indices, batch_dims);
    moved = g.Reshape(moved, Concat2(g, g.Ints({-1}), g.Part(moved_sizes, batch_dims + 1, 0, true)));
  }
  Symbol sum = g.Add("UnsortedSegmentSum", {moved, Flat(g, flat_indices), rows});
  if (batch_dims > 0) sum = g.Reshape(sum, moved_shape);
  SlimVector<Symbol> backward{batches, between + 1.0, AsVector(g, batch), after};
  g.set(0, g.Add("Transpose", {sum, g.Concat(std::move(backward), g.Int(0))}));
}
inline void GatherGradient(G& g) {
  SlimVector<Index> axis;
  const Symbol shape = g.Shape(g.x());
  if (g.num_inputs() < 3 || (KnownIntegers(g, g.input(2), &axis) && axis.size() == 1 && axis[0] == 0))
    return RowSlices(g, shape);
  auto batch_dims = static_cast<int>(g.int_attr("batch_dims"));
  if (batch_dims < 0) {
    const int rank = g.input(1).shape().dims();
    if (rank < 0) return g.Fail(errors::InvalidArgument("GatherV2: a negative batch_dims needs indices of known rank"));
    batch_dims += rank;
  }
  GatherAlongAxis(g, shape, batch_dims);
}
// Index vectors of length 1 read rows.
inline void GatherNdGradient(G& g, Symbol shape) {
  const Symbol indices = g.input(1);
  const PartialTensorShape known = indices.shape();
  if (known.dims() == 2 && known.dim_size(1) == 1)
    return g.SetSlices(0, g.Add("Squeeze", {indices}, {{"squeeze_dims", SlimVector<std::int64_t>{-1}}}), g.dy(), shape);
  // One index vector, or empty ones: ScatterNd takes no tensors of rank 0.
  g.set(0, g.Add("ScatterNd", {known.dims() == 1 ? AsVector(g, indices) : indices,
                               known.dims() == 1 ? AsVector(g, g.dy()) : g.dy(), shape}));
}
inline Symbol Picked(G& g) { return g.Add("GatherNd", {g.dy(), g.input(1)}); }
inline void ScatterExtremum(G& g) {
  const Symbol x = g.input(0), indices = g.input(1), updates = g.input(2), y = g.y(), dy = g.dy();
  const Symbol of_x = g.Cast(Equal(g, x, y), dy.dtype());
  const Symbol of_updates = g.Cast(Equal(g, updates, g.Add("GatherNd", {y, indices})), dy.dtype());
  const Symbol count = of_x + g.Add("ScatterNd", {indices, of_updates, g.Shape(x, indices.dtype())});
  g.set(0, dy * of_x / count);
  g.set(2, g.Add("GatherNd", {dy / count, indices}) * of_updates);
}
inline void StitchGradient(G& g) {
  const int n = g.num_inputs() / 2;
  const Symbol dy = g.dy();
  for (int i = 0; i < n; ++i) g.set(n + i, Gather(g, dy, g.input(i)));
}
inline void PartitionGradient(G& g) {
  const Symbol data = g.input(0), partitions = g.input(1), shape = g.Shape(partitions);
  const Symbol places = g.Reshape(g.Range(g.Int(0), Product(g, shape)), shape);
  const Symbol moved = g.Add("DynamicPartition", {places, partitions}, {{"num_partitions", g.num_outputs()}});
  SlimVector<Symbol> indices, values;
  for (int i = 0; i < g.num_outputs(); ++i) {
    indices.push_back(moved[i]);
    values.push_back(g.grad(i));
  }
  const Symbol all = g.Add("ParallelDynamicStitch", {G::Input(std::move(indices)), G::Input(std::move(values))});
  g.set(0, g.Reshape(all, g.Shape(data)));
}
inline Symbol VariableShape(G& g, DataType type) { return g.Add("VariableShape", {g.x()}, {{"out_type", type}}); }

inline constexpr GradientRow kIndex[] = {
    {"Gather", GatherGradient},
    {"GatherV2", GatherGradient},
    {"GatherNd", [](G& g) { GatherNdGradient(g, g.Shape(g.x(), g.input(1).dtype())); }},
    {"ResourceGather", [](G& g) { RowSlices(g, VariableShape(g, DataType::kInt32)); }},
    {"ResourceGatherNd", [](G& g) { GatherNdGradient(g, VariableShape(g, g.input(1).dtype())); }},
    {"ReadVariableOp", Pass},
    {"ScatterNd", [](G& g) { g.set(1, g.Add("GatherNd", {g.dy(), g.input(0)})); }},
    {"ScatterNdNonAliasingAdd",
     [](G& g) {
       g.set(0, g.dy());
       g.set(2, Picked(g));
     }},
    {"TensorScatterUpdate",
     [](G& g) {
       g.set(0, g.Add("TensorScatterUpdate", {g.dy(), g.input(1), g.ZerosLike(g.input(2))}));
       g.set(2, Picked(g));
     }},
    {"TensorScatterAdd",
     [](G& g) {
       g.set(0, g.dy());
       g.set(2, Picked(g));
     }},
    {"TensorScatterSub",
     [](G& g) {
       g.set(0, g.dy());
       g.set(2, -Picked(g));
     }},
    {"TensorScatterMax", ScatterExtremum},
    {"TensorScatterMin", ScatterExtremum},
    {"DynamicStitch", StitchGradient},
    {"ParallelDynamicStitch", StitchGradient},
    {"DynamicPartition", PartitionGradient},
};

inline const bool registers_index = RegisterGradients<kIndex>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
