// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of ops that move elements: shapes, joins, cuts, pads, diagonals and blocks; also of false quantisation.

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline void ReshapeBack(G& g) { g.set(0, g.ReshapeLike(g.dy(), g.x())); }

// ------------------------------------------------------------------------------------------------ joins and cuts
inline void PackGradient(G& g) {
  const Symbol parts = g.AddLike("Unpack", {g.dy()}, {"axis"}, {{"num", g.num_inputs()}});
  for (int i = 0; i < g.num_inputs(); ++i) g.set(i, parts[i]);
}
inline SlimVector<Symbol> AllGrads(G& g) {
  SlimVector<Symbol> all;
  for (int i = 0; i < g.num_outputs(); ++i) all.push_back(g.grad(i));
  return all;
}
inline void UnpackGradient(G& g) {
  const G::Input parts(AllGrads(g));
  g.set(0, g.AddLike("Pack", {parts}, {"axis"}));
}
// Slices of a concatenation along axis 0: each part has its rows. Along another axis the values are cut.
inline void ConcatSlices(G& g, int first, int count, Symbol axis, const SlimVector<Symbol>& sizes,
                         const SlimVector<Symbol>& begins, bool rows) {
  const TensorGradient whole = g.raw_grad(0);
  const Symbol indices = g.editor().At(whole.indices), values = g.editor().At(whole.values);
  Symbol start = g.Scalar(indices.dtype(), 0);
  for (int i = 0; i < count; ++i) {
    const Symbol size = sizes[ToSize(i)];
    if (rows) {
      const Symbol end = start + g.Cast(Gather(g, size, axis), indices.dtype());
      const Symbol inside =
          g.Add("LogicalAnd", {g.Add("GreaterEqual", {indices, start}), g.Add("Less", {indices, end})});
      const Symbol chosen =
          g.Add("Squeeze", {g.Add("Where", {inside})}, {{"squeeze_dims", SlimVector<std::int64_t>{1}}});
      g.SetSlices(first + i, Gather(g, indices, chosen) - start, Gather(g, values, chosen), size);
      start = end;
    } else {
      const Symbol extent = Concat2(g, g.Ints({-1}), g.Part(size, 1, 0, true));
      g.SetSlices(first + i, indices, g.Add("Slice", {values, begins[ToSize(i)], extent}), size);
    }
  }
}
inline void ConcatGradient(G& g, int axis_input, int first) {
  const int count = g.num_inputs() - 1;
  if (count == 1) return g.set(first, g.raw_grad(0));
  const Symbol rank = g.Rank(g.input(first));
  Symbol axis = g.Cast(g.input(axis_input), DataType::kInt32);
  SlimVector<Index> known;
  const bool rows = KnownIntegers(g, axis, &known) && known.size() == 1 &&
                    (known[0] == 0 || known[0] == -static_cast<Index>(g.input(first).shape().dims()));
  axis = g.Add("FloorMod", {axis + rank, rank});
  SlimVector<Symbol> sizes, begins;
  for (int i = 0; i < count; ++i) sizes.push_back(g.Shape(g.input(first + i)));
  const Symbol offsets = g.Add("ConcatOffset", {axis, G::Input(sizes)});
  for (int i = 0; i < count; ++i) begins.push_back(offsets[i]);
  if (g.raw_grad(0).is_slices()) return ConcatSlices(g, first, count, axis, sizes, begins, rows);
  const Symbol dy = g.dy();
  for (int i = 0; i < count; ++i) g.set(first + i, g.Add("Slice", {dy, begins[ToSize(i)], sizes[ToSize(i)]}));
}
inline void SliceGradient(G& g) {
  const Symbol x = g.x(), begin = g.Cast(g.input(1), DataType::kInt32), rank = g.Rank(x);
  const Symbol column = g.Pack({rank, g.Int(1)});
  const Symbol after = g.Shape(x) - g.Shape(g.y()) - begin;
  g.set(0, g.Add("Pad", {g.dy(), Concat2(g, g.Reshape(begin, column), g.Reshape(after, column), 1)}));
}
inline Symbol Masked(G& g, std::string_view op, std::initializer_list<G::Input> inputs) {
  return g.AddLike(op, inputs, {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"});
}
inline void StridedSliceGradient(G& g) {
  const Symbol begin = g.input(1);
  g.set(0, Masked(g, "StridedSliceGrad", {g.Shape(g.x(), begin.dtype()), begin, g.input(2), g.input(3), g.dy()}));
}
inline void StridedSliceUpdate(G& g) {
  const Symbol begin = g.input(1), end = g.input(2), strides = g.input(3), dy = g.dy();
  const Symbol part = Masked(g, "StridedSlice", {dy, begin, end, strides});
  g.set(0, Masked(g, "TensorStridedSliceUpdate", {dy, begin, end, strides, g.ZerosLike(part)}));
  g.set(4, g.SumTo(part, g.input(4), part));
}

// ------------------------------------------------------------------------------------------------ copies and pads
inline void TileGradient(G& g) {
  const Symbol multiples = g.input(1), sizes = g.Shape(g.x(), multiples.dtype());
  const Symbol split = Flat(g, Permute(g, g.Pack({multiples, sizes}), {1, 0}));
  const Symbol axes = g.Add("Range", {g.Int(0), Size(g, split), g.Int(2)});
  g.set(0, g.Sum(g.Reshape(g.dy(), split), axes));
}
inline void PadGradient(G& g) {
  const Symbol pads = g.input(1);
  const Symbol before = g.Add("Slice", {pads, g.Ints({0, 0}), g.Pack({g.Rank(g.x()), g.Int(1)})});
  g.set(0, g.Add("Slice", {g.dy(), Flat(g, before), g.Shape(g.x(), pads.dtype())}));
}

// ------------------------------------------------------------------------------------------------ diagonals
inline void DiagonalPart(G& g) {
  const PartialTensorShape shape = g.x().shape();
  const int rank = shape.dims();
  const bool square =
      rank >= 2 && shape.dim_size(rank - 1) >= 0 && shape.dim_size(rank - 1) == shape.dim_size(rank - 2);
  g.set(0, square ? g.Add("MatrixDiag", {g.dy()}) : g.Add("MatrixSetDiag", {g.ZerosLike(g.x()), g.dy()}));
}
// V2 of an op aligns to the left, but its gradient to both sides, as in TensorFlow.
inline Symbol DiagonalsOf(G& g, Symbol matrix, Symbol k) {
  return g.AddLike("MatrixDiagPartV3", {matrix, k, g.Scalar(matrix.dtype(), 0)}, {"align"});
}
inline void SetDiagonal(G& g, bool several) {
  const Symbol dy = g.dy(), zeros = g.ZerosLike(g.input(1));
  if (!several) {
    g.set(0, g.Add("MatrixSetDiag", {dy, zeros}));
    return g.set(1, g.Add("MatrixDiagPart", {dy}));
  }
  g.set(0, g.AddLike("MatrixSetDiagV3", {dy, zeros, g.input(2)}, {"align"}));
  g.set(1, DiagonalsOf(g, dy, g.input(2)));
}
inline void DiagonalParts(G& g) {
  g.set(0, g.AddLike("MatrixSetDiagV3", {g.ZerosLike(g.x()), g.dy(), g.input(1)}, {"align"}));
}

// ------------------------------------------------------------------------------------------------ false quantisation
inline void FakeQuantVars(G& g, std::string_view op) {
  const Symbol all = g.AddLike(op, {g.dy(), g.input(0), g.input(1), g.input(2)}, {"num_bits", "narrow_range"});
  for (int i = 0; i < 3; ++i) g.set(i, all[i]);
}
inline void QuantizeV4(G& g) {
  const Symbol all = g.AddLike("QuantizeAndDequantizeV4Grad", {g.dy(), g.input(0), g.input(1), g.input(2)}, {"axis"});
  for (int i = 0; i < 3; ++i) g.set(i, all[i]);
}

inline constexpr GradientRow kArray[] = {
    {"Reshape", ReshapeBack},
    {"ExpandDims", ReshapeBack},
    {"Squeeze", ReshapeBack},
    {"Pack", PackGradient},
    {"Unpack", UnpackGradient},
    {"Concat", [](G& g) { ConcatGradient(g, 0, 1); }},
    {"ConcatV2", [](G& g) { ConcatGradient(g, g.num_inputs() - 1, 0); }},
    {"Split", [](G& g) { g.set(1, g.Concat(AllGrads(g), g.input(0))); }},
    {"SplitV", [](G& g) { g.set(0, g.Concat(AllGrads(g), g.input(2))); }},
    {"Slice", SliceGradient},
    {"StridedSlice", StridedSliceGradient},
    {"StridedSliceGrad",
     [](G& g) { g.set(4, Masked(g, "StridedSlice", {g.dy(), g.input(1), g.input(2), g.input(3)})); }},
    {"TensorStridedSliceUpdate", StridedSliceUpdate},
    {"Transpose", [](G& g) { g.set(0, g.Add("Transpose", {g.dy(), Un(g, "InvertPermutation", g.input(1))})); }},
    {"ConjugateTranspose",
     [](G& g) { g.set(0, g.Add("ConjugateTranspose", {g.dy(), Un(g, "InvertPermutation", g.input(1))})); }},
    {"Fill", [](G& g) { g.set(1, g.Sum(g.dy(), g.Range(g.Int(0), g.Rank(g.dy())))); }},
    {"BroadcastTo", [](G& g) { g.SetSummed(0, g.dy()); }},
    {"Tile", TileGradient},
    {"Pad", PadGradient},
    {"PadV2", PadGradient},
    {"MirrorPad", [](G& g) { g.set(0, g.AddLike("MirrorPadGrad", {g.dy(), g.input(1)}, {"mode"})); }},
    {"MirrorPadGrad", [](G& g) { g.set(0, g.AddLike("MirrorPad", {g.dy(), g.input(1)}, {"mode"})); }},
    {"Reverse", [](G& g) { g.set(0, g.Add("Reverse", {g.dy(), g.input(1)})); }},
    {"ReverseV2", [](G& g) { g.set(0, g.Add("ReverseV2", {g.dy(), g.input(1)})); }},
    {"ReverseSequence",
     [](G& g) { g.set(0, g.AddLike("ReverseSequence", {g.dy(), g.input(1)}, {"seq_dim", "batch_dim"})); }},
    {"Roll", [](G& g) { g.set(0, g.Add("Roll", {g.dy(), -g.input(1), g.input(2)})); }},
    {"MatrixBandPart", [](G& g) { g.set(0, g.Add("MatrixBandPart", {g.dy(), g.input(1), g.input(2)})); }},
    {"Diag", [](G& g) { g.set(0, g.Add("DiagPart", {g.dy()})); }},
    {"DiagPart", [](G& g) { g.set(0, g.Add("Diag", {g.dy()})); }},
    {"MatrixDiag", [](G& g) { g.set(0, g.Add("MatrixDiagPart", {g.dy()})); }},
    {"MatrixDiagPart", DiagonalPart},
    {"MatrixDiagV2", [](G& g) { g.set(0, DiagonalsOf(g, g.dy(), g.input(1))); }},
    {"MatrixDiagV3", [](G& g) { g.set(0, DiagonalsOf(g, g.dy(), g.input(1))); }},
    {"MatrixDiagPartV2", DiagonalParts},
    {"MatrixDiagPartV3", DiagonalParts},
    {"MatrixSetDiag", [](G& g) { SetDiagonal(g, false); }},
    {"MatrixSetDiagV2", [](G& g) { SetDiagonal(g, true); }},
    {"MatrixSetDiagV3", [](G& g) { SetDiagonal(g, true); }},
    {"SpaceToBatch", [](G& g) { g.set(0, g.AddLike("BatchToSpace", {g.dy(), g.input(1)}, {"block_size"})); }},
    {"BatchToSpace", [](G& g) { g.set(0, g.AddLike("SpaceToBatch", {g.dy(), g.input(1)}, {"block_size"})); }},
    {"SpaceToBatchND", [](G& g) { g.set(0, g.Add("BatchToSpaceND", {g.dy(), g.input(1), g.input(2)})); }},
    {"BatchToSpaceND", [](G& g) { g.set(0, g.Add("SpaceToBatchND", {g.dy(), g.input(1), g.input(2)})); }},
    {"SpaceToDepth", [](G& g) { g.set(0, g.AddLike("DepthToSpace", {g.dy()}, {"block_size", "data_format"})); }},
    {"DepthToSpace", [](G& g) { g.set(0, g.AddLike("SpaceToDepth", {g.dy()}, {"block_size", "data_format"})); }},
    {"FakeQuantWithMinMaxArgs",
     [](G& g) {
       g.set(0,
             g.AddLike("FakeQuantWithMinMaxArgsGradient", {g.dy(), g.x()}, {"min", "max", "num_bits", "narrow_range"}));
     }},
    {"FakeQuantWithMinMaxVars", [](G& g) { FakeQuantVars(g, "FakeQuantWithMinMaxVarsGradient"); }},
    {"FakeQuantWithMinMaxVarsPerChannel", [](G& g) { FakeQuantVars(g, "FakeQuantWithMinMaxVarsPerChannelGradient"); }},
    {"QuantizeAndDequantize", Pass},
    {"QuantizeAndDequantizeV2", Pass},
    {"QuantizeAndDequantizeV3", Pass},
    {"QuantizeAndDequantizeV4", QuantizeV4},
    {"QuantizeAndDequantizeV4Grad", QuantizeV4},
};

inline const bool registers_array = RegisterGradients<kArray>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
