// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of sparse and ragged ops: values and dense operands have them, indices and shapes do not.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>
#include <tenon/gradients/functions/index.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline Symbol SumAll(G& g, Symbol s) { return g.Sum(s, g.Range(g.Int(0), g.Rank(s))); }

inline void SparseToDenseGradient(G& g) {
  Symbol indices = g.input(0);
  const int rank = indices.shape().dims();
  if (rank == 1) indices = g.Add("ExpandDims", {indices, g.Int(-1)});
  if (rank == 0) indices = g.Reshape(indices, g.Ints({1, 1}));
  const Symbol dy = g.dy();
  const Symbol picked = g.Add("GatherNd", {dy, indices});
  g.set(0, g.ZerosLike(g.input(0)));
  g.set(1, g.ZerosLike(g.input(1)));
  g.set(2, g.input(2).shape().dims() == 0 ? SumAll(g, picked) : picked);
  g.set(3, SumAll(g, dy) - SumAll(g, picked));
}
inline void SparseReorderGradient(G& g) {
  const Symbol indices = g.input(0), count = g.Item(g.Shape(indices), 0);
  const Symbol ordered = g.Add("SparseReorder", {indices, g.Range(g.Int(0), count), g.input(2)});
  g.set(1, Gather(g, g.grad(1), Un(g, "InvertPermutation", ordered[1])));
}
inline void SparseAddGradient(G& g) {
  const Symbol both = g.Add("SparseAddGrad", {g.grad(1), g.input(0), g.input(3), g.output(0)});
  g.set(1, both[0]);
  g.set(4, both[1]);
}
inline void SparseReduce(G& g) {
  const Symbol indices = g.input(0), shape = g.input(2), axes = Flat(g, g.input(3));
  const Symbol rank = Size(g, shape), positive = g.Add("FloorMod", {axes + rank, rank});
  const Symbol kept = g.Add("DynamicStitch", {G::Input{g.Range(g.Int(0), rank), positive},
                                              G::Input{g.Cast(shape, DataType::kInt32), Un(g, "OnesLike", positive)}});
  const Symbol scale = g.Add("FloorDiv", {shape, g.Cast(kept, DataType::kInt64)});
  g.set(1, g.Add("GatherNd", {g.Reshape(g.dy(), kept), g.Add("FloorDiv", {indices, scale})}));
}
inline Symbol Column(G& g, Symbol matrix, std::int32_t i) {
  return g.Add("StridedSlice", {matrix, g.Ints({0, i}), g.Ints({0, i + 1}), g.Ints({1, 1})},
               {{"begin_mask", 1}, {"end_mask", 1}, {"shrink_axis_mask", 2}});
}
inline void SparseMatMul(G& g) {
  const Symbol indices = g.input(0), values = g.input(1), shape = g.input(2), b = g.input(3), dy = g.dy();
  const bool adj_a = g.bool_attr("adjoint_a"), adj_b = g.bool_attr("adjoint_b");
  const Symbol product = g.Add("SparseTensorDenseMatMul", {indices, values, shape, dy}, {{"adjoint_a", !adj_a}});
  g.set(3, adj_b ? g.Transposed(product, true) : product);
  const Symbol rows = Column(g, indices, 0), columns = Column(g, indices, 1);
  const Symbol of_dy = Gather(g, dy, adj_a ? columns : rows);
  const Symbol of_b = Gather(g, adj_b ? g.Transposed(b) : b, adj_a ? rows : columns);
  const Symbol both = (adj_a ? g.Conj(of_dy) : of_dy) * (adj_a == adj_b ? g.Conj(of_b) : of_b);
  g.set(1, g.Sum(both, g.Ints({1})));
}
inline void SparseSoftmaxGradient(G& g) {
  const Symbol indices = g.input(0), shape = g.input(2), y = g.y(), dy = g.dy();
  const Symbol sums = g.Add("SparseReduceSum", {indices, y * dy, shape, g.Ints({-1})}, {{"keep_dims", true}});
  g.set(1, g.Add("SparseDenseCwiseAdd", {indices, dy, shape, -sums}) * y);
}
inline void SparseDense(G& g, bool product) {
  const Symbol indices = g.input(0), values = g.input(1), shape = g.input(2), dense = g.input(3), dy = g.dy();
  const bool scalar = dense.shape().dims() == 0;
  Symbol places, picked = dense;
  const Symbol sizes = g.Shape(dense, DataType::kInt64);
  if (!scalar) {
    const Symbol added = AsVector(g, Size(g, shape) - Size(g, sizes));
    const Symbol aligned = Concat2(g, g.Fill(added, g.Scalar(DataType::kInt64, 1)), sizes);
    const Symbol scaled = g.Add("FloorDiv", {indices, g.Add("FloorDiv", {shape, aligned})});
    places = g.Add("Slice", {scaled, Concat2(g, g.Ints({0}), added), g.Ints({-1, -1})});
    picked = g.Add("GatherNd", {dense, places});
  }
  g.set(1, product ? dy * picked : dy / picked);
  const Symbol slope = product ? dy * values : dy * (-values / Un(g, "Square", picked));
  g.set(3, scalar ? SumAll(g, slope) : g.Add("ScatterNd", {places, slope, sizes}));
}
inline void SparseFill(G& g) {
  const Symbol both = g.Add("SparseFillEmptyRowsGrad", {g.output(3), g.grad(1)});
  g.set(1, both[0]);
  g.set(3, both[1]);
}

// ------------------------------------------------------------------------------------------------ ragged tensors
inline void RaggedToTensor(G& g) {
  const Symbol values = g.input(1), fallback = g.input(2), dy = g.dy();
  SlimVector<Symbol> partitions;
  for (int i = 3; i < g.num_inputs(); ++i) partitions.push_back(g.input(i));
  std::int32_t ragged_rank = 0;
  for (const std::string& type : g.attr("row_partition_types").list().s)
    ragged_rank += type == "FIRST_DIM_SIZE" ? 0 : 1;
  const Symbol count = g.Item(g.Shape(values), 0);
  const Symbol places = g.AddLike(
      "RaggedTensorToTensor",
      {g.Part(g.Shape(dy), 0, 1 + ragged_rank), g.Range(g.Int(0), count), g.Int(-1), G::Input(std::move(partitions))},
      {"row_partition_types"});
  const Symbol from_values = g.Add("NotEqual", {places, g.Int(-1)});
  const Symbol chosen = Un(g, "Where", from_values), others = Un(g, "Where", Un(g, "LogicalNot", from_values));
  g.SetSlices(1, g.Add("GatherNd", {places, chosen}), g.Add("GatherNd", {dy, chosen}), g.Shape(values));
  const Symbol rest = g.Add("GatherNd", {dy, others});
  // The default was broadcast to each place that no value has.
  const Symbol one = g.Shape(fallback);
  g.set(2, g.Reshape(g.Sum(rest, g.Add("BroadcastGradientArgs", {one, g.Shape(rest)})), one));
}
inline void RaggedGatherGradient(G& g) {
  const int n = g.num_inputs();
  Symbol splits = g.input(0);
  for (int i = 1; i < n - 2; ++i) splits = Gather(g, g.input(i), splits);
  const Symbol values = g.input(n - 2), indices = Flat(g, g.input(n - 1));
  const Symbol rows =
      g.Add("RaggedRange",
            {Gather(g, splits, indices), Gather(g, g.Part(splits, 1, 0, true), indices), g.Scalar(splits.dtype(), 1)},
            {{"Tsplits", splits.dtype()}});
  g.SetSlices(n - 2, rows[1], g.grad(g.num_outputs() - 1), g.Shape(values));
}
inline void RaggedFromVariant(G& g) {
  const int last = g.num_outputs() - 1;
  SlimVector<Symbol> splits;
  for (int i = 0; i < last; ++i) splits.push_back(g.output(i));
  g.set(0, g.Add("RaggedTensorToVariant", {G::Input(std::move(splits)), g.grad(last)},
                 {{"batched_input", g.input(0).shape().dims() != 0},
                  {"RAGGED_RANK", last},
                  {"Tsplits", g.type_attr("Tsplits")}}));
}
inline void RaggedToVariant(G& g) {
  const int last = g.num_inputs() - 1;
  const bool batched = g.bool_attr("batched_input");
  const Symbol parts = g.Add("RaggedTensorFromVariant", {g.dy()},
                             {{"input_ragged_rank", last - (batched ? 1 : 0)},
                              {"output_ragged_rank", last},
                              {"Tvalues", g.input(last).dtype()},
                              {"Tsplits", g.type_attr("Tsplits")}});
  g.set(last, g.ReshapeLike(parts[last], g.input(last)));
}
inline void NotImplemented(G& g) { g.Fail(errors::Unimplemented("Gradient for ", g.def().op, " is not implemented.")); }
inline void Refused(G& g) {  // TensorFlow's function fails
  g.Fail(errors::InvalidArgument("Gradient for ", g.def().op, " is not defined for its two results."));
}

inline constexpr GradientRow kSparse[] = {
    {"SparseToDense", SparseToDenseGradient},
    {"SparseReorder", SparseReorderGradient},
    {"SparseAdd", SparseAddGradient},
    {"SparseTensorDenseAdd",
     [](G& g) {
       g.set(1, g.Add("GatherNd", {g.dy(), g.input(0)}));
       g.set(3, g.dy());
     }},
    {"SparseReduceSum", SparseReduce},
    {"SparseTensorDenseMatMul", SparseMatMul},
    {"SparseSoftmax", SparseSoftmaxGradient},
    {"SparseDenseCwiseAdd", NotImplemented},
    {"SparseDenseCwiseMul", [](G& g) { SparseDense(g, true); }},
    {"SparseDenseCwiseDiv", [](G& g) { SparseDense(g, false); }},
    {"SparseFillEmptyRows", SparseFill},
    {"SparseSlice", [](G& g) { g.set(1, g.Add("SparseSliceGrad", {g.grad(1), g.input(0), g.input(3), g.output(0)})); }},
    {"SparseSparseMaximum", Refused},
    {"SparseSparseMinimum", Refused},
    {"RaggedFillEmptyRows",
     [](G& g) {
       const Symbol both = g.Add("RaggedFillEmptyRowsGrad", {g.output(3), g.grad(1)});
       g.set(1, both[0]);
       g.set(3, both[1]);
     }},
    {"RaggedTensorToTensor", RaggedToTensor},
    {"RaggedGather", RaggedGatherGradient},
    {"RaggedTensorToSparse",
     [](G& g) {
       const int last = g.num_inputs() - 1;
       g.set(last, g.ReshapeLike(g.grad(1), g.input(last)));
     }},
    {"RaggedTensorFromVariant", RaggedFromVariant},
    {"RaggedTensorToVariant", RaggedToVariant},
};

inline const bool registers_sparse = RegisterGradients<kSparse>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
