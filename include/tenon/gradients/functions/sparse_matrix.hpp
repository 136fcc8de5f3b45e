// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of sparse matrices in variants. The gradient of a matrix has the places of the matrix.

#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// (indices, values, shape) of a sparse matrix.
inline Symbol SparseParts(G& g, Symbol matrix, DataType type) {
  return g.Add("CSRSparseMatrixToSparseTensor", {matrix}, {{"type", type}});
}
inline Symbol FromSparseParts(G& g, Symbol parts, Symbol values) {
  return g.Add("SparseTensorToCSRSparseMatrix", {parts, values, parts[2]});
}

// How an operand of a product is turned.
enum class Turn : char { kPlain, kTransposed, kAdjoint };
inline Turn TurnOf(G& g, bool first) {
  if (g.bool_attr(first ? "adjoint_a" : "adjoint_b")) return Turn::kAdjoint;
  return g.bool_attr(first ? "transpose_a" : "transpose_b") ? Turn::kTransposed : Turn::kPlain;
}

// sparse a, dense b. The product may be turned, too.
inline void SparseTimesDense(G& g) {
  const Turn a = TurnOf(g, true), b = TurnOf(g, false);
  const DataType type = g.input(1).dtype();
  Symbol dy = g.dy();
  if (g.bool_attr("conjugate_output")) dy = g.Conj(dy);
  if (g.bool_attr("transpose_output")) dy = g.Transposed(dy);
  // da, at its places alone: sums of rows of dy times rows of the other operand.
  Symbol right = g.input(1);
  if (b == Turn::kPlain) right = g.Conj(right);
  if (b == Turn::kTransposed) right = g.Transposed(right, true);
  if (b == Turn::kAdjoint) right = g.Transposed(right);
  const Symbol parts = SparseParts(g, g.input(0), type);
  const Symbol rank = Size(g, parts[2]);
  // The numbers of the batch, and one of the last two columns of the indices.
  const auto rows_of = [&](Symbol s, bool is_row) {
    const Symbol column = g.Ints({is_row == (a == Turn::kPlain) ? -2 : -1}) + rank;
    return g.Add("GatherNd", {s, Gather(g, parts, Concat2(g, g.Range(g.Int(0), rank - 2.0), column), 1)});
  };
  const Symbol values = g.Sum(rows_of(dy, true) * rows_of(right, false), g.Int(-1));
  g.set(0, FromSparseParts(g, parts, a == Turn::kAdjoint ? g.Conj(values) : values));
  // db: the turned a times dy, turned back as b. The conjugate of a is that of both sides.
  const bool conjugates = a == Turn::kTransposed;
  g.set(1, g.Add("SparseMatrixMatMul", {g.input(0), conjugates ? g.Conj(dy) : dy},
                 {{"adjoint_a", a == Turn::kPlain},
                  {"transpose_output", b != Turn::kPlain},
                  {"conjugate_output", conjugates != (b == Turn::kAdjoint)}}));
}

// Values of `matrix` at the places of `like`; zeros where it has none.
inline Symbol AtPlaces(G& g, Symbol matrix, Symbol like, DataType type) {
  const Symbol parts = SparseParts(g, matrix, type), wanted = SparseParts(g, like, type);
  const Symbol all = g.Scalar(DataType::kInt64, -1);
  const auto flat = [&](Symbol s) { return Flat(g, g.Add("SparseReshape", {s, s[2], ExpandDims(g, all, 0)})); };
  // An entry behind all others is found where no place is as large.
  const Symbol end = ExpandDims(g, g.Scalar(DataType::kInt64, 9e18), 0);
  const Symbol known = Concat2(g, flat(parts), end), asked = flat(wanted);
  const Symbol at = g.Reshape(g.Add("LowerBound", {ExpandDims(g, known, 0), ExpandDims(g, asked, 0)}), g.Ints({-1}));
  const Symbol zero = g.Fill(g.Ints({1}), g.Scalar(type, 0));
  const Symbol values = Gather(g, Concat2(g, parts[1], zero), at);
  return FromSparseParts(g, wanted, g.Where(Equal(g, Gather(g, known, at), asked), values, g.ZerosLike(values)));
}

// A factor of a product: a matrix, turned, and conjugated or not.
struct SparseFactor {
  Symbol matrix;
  Turn turn = Turn::kPlain;
  bool conjugated = false;

  SparseFactor Turned(Turn by) const {
    SparseFactor out = *this;
    out.conjugated = conjugated != (by == Turn::kAdjoint);
    if (by != Turn::kPlain) out.turn = turn == Turn::kPlain ? Turn::kTransposed : Turn::kPlain;
    return out;
  }
};
inline Symbol SparseProduct(G& g, SparseFactor a, SparseFactor b, DataType type) {
  const bool complex = kComplexTypes.contains(type);
  for (SparseFactor* const f : {&a, &b}) {
    f->conjugated = f->conjugated && complex;
    if (!f->conjugated || f->turn != Turn::kPlain) continue;  // the op has no flag for a conjugate alone
    f->matrix = g.Add("SparseMatrixTranspose", {f->matrix}, {{"type", type}, {"conjugate", true}});
    f->turn = Turn::kTransposed;
    f->conjugated = false;
  }
  const auto transposed = [](const SparseFactor& f) { return f.turn != Turn::kPlain && !f.conjugated; };
  return g.Add("SparseMatrixSparseMatMul", {a.matrix, b.matrix},
               {{"type", type},
                {"transpose_a", transposed(a)},
                {"transpose_b", transposed(b)},
                {"adjoint_a", a.conjugated},
                {"adjoint_b", b.conjugated}});
}
inline void SparseTimesSparse(G& g) {
  const DataType type = g.type_attr("type");
  const Turn ta = TurnOf(g, true), tb = TurnOf(g, false);
  const SparseFactor dy{g.dy()};
  const SparseFactor a = SparseFactor{g.input(0)}.Turned(ta), b = SparseFactor{g.input(1)}.Turned(tb);
  // The gradient of a turned factor is dy b^H or a^H dy. Turned back, a product has its factors in the other order.
  const SparseFactor bh = b.Turned(Turn::kAdjoint), ah = a.Turned(Turn::kAdjoint);
  const Symbol da =
      ta == Turn::kPlain ? SparseProduct(g, dy, bh, type) : SparseProduct(g, bh.Turned(ta), dy.Turned(ta), type);
  const Symbol db =
      tb == Turn::kPlain ? SparseProduct(g, ah, dy, type) : SparseProduct(g, dy.Turned(tb), ah.Turned(tb), type);
  g.set(0, AtPlaces(g, da, g.input(0), type));
  g.set(1, AtPlaces(g, db, g.input(1), type));
}

inline constexpr GradientRow kSparseMatrix[] = {
    {"DenseToCSRSparseMatrix",
     [](G& g) { g.set(0, g.Add("CSRSparseMatrixToDense", {g.dy()}, {{"type", g.type_attr("T")}})); }},
    {"CSRSparseMatrixToDense",
     [](G& g) {
       const Symbol parts = SparseParts(g, g.x(), g.dy().dtype());
       g.set(0, FromSparseParts(g, parts, g.Add("GatherNd", {g.dy(), parts})));
     }},
    {"SparseTensorToCSRSparseMatrix", [](G& g) { g.set(1, SparseParts(g, g.dy(), g.type_attr("T"))[1]); }},
    {"CSRSparseMatrixToSparseTensor", [](G& g) { g.set(0, FromSparseParts(g, g.output(0), g.grad(1))); }},
    {"SparseMatrixTranspose",
     [](G& g) { g.set(0, g.AddLike("SparseMatrixTranspose", {g.dy()}, {"type", "conjugate"})); }},
    {"SparseMatrixMatMul", SparseTimesDense},
    {"SparseMatrixSparseMatMul", SparseTimesSparse},
};

inline const bool registers_sparse_matrix = RegisterGradients<kSparseMatrix>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
