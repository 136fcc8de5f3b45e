// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of factorisations and solvers of matrices.

#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline Symbol Adjoint(G& g, Symbol s) { return g.Transposed(s, true); }
inline Symbol Diagonal(G& g, Symbol s) { return g.Add("MatrixDiagPart", {s}); }
inline Symbol WithDiagonal(G& g, Symbol s, Symbol diagonal) { return g.Add("MatrixSetDiag", {s, diagonal}); }
inline Symbol Band(G& g, Symbol s, std::int64_t lower, std::int64_t upper) {
  return g.Add("MatrixBandPart", {s, g.Scalar(DataType::kInt64, static_cast<double>(lower)),
                                  g.Scalar(DataType::kInt64, static_cast<double>(upper))});
}
inline Symbol LowerPart(G& g, Symbol s) { return Band(g, s, -1, 0); }
inline Symbol HalfDiagonal(G& g, Symbol s) { return WithDiagonal(g, s, 0.5 * Diagonal(g, s)); }
inline Symbol SafeReciprocal(G& g, Symbol s) { return s * Un(g, "Reciprocal", s * s + 1e-20); }
// An identity matrix for each matrix of `like`, which is square.
inline Symbol IdentityLike(G& g, Symbol like) {
  const Symbol zeros = g.ZerosLike(like);
  return WithDiagonal(g, zeros, Un(g, "OnesLike", Diagonal(g, like)));
}
// s[..., begin:end], or to the end of the last dimension.
inline Symbol Columns(G& g, Symbol s, std::int32_t begin, std::int32_t end, bool to_end = false) {
  return g.Add("StridedSlice", {s, g.Ints({0, begin}), g.Ints({0, end}), g.Ints({1, 1})},
               {{"ellipsis_mask", 1}, {"end_mask", to_end ? 2 : 0}});
}
// s[..., begin:end, :]
inline Symbol Rows(G& g, Symbol s, std::int32_t begin, std::int32_t end, bool to_end = false) {
  return g.Add("StridedSlice", {s, g.Ints({0, begin, 0}), g.Ints({0, end, 0}), g.Ints({1, 1, 1})},
               {{"ellipsis_mask", 1}, {"begin_mask", 4}, {"end_mask", to_end ? 6 : 4}});
}
inline Symbol Row(G& g, Symbol s, std::int32_t i) {  // s[..., i, :]
  return g.Add("StridedSlice", {s, g.Ints({0, i, 0}), g.Ints({0, i + 1, 0}), g.Ints({1, 1, 1})},
               {{"ellipsis_mask", 1}, {"begin_mask", 4}, {"end_mask", 4}, {"shrink_axis_mask", 2}});
}
inline Symbol TriangularSolve(G& g, Symbol a, Symbol b, bool lower, bool adjoint) {
  return g.Add("MatrixTriangularSolve", {a, b}, {{"lower", lower}, {"adjoint", adjoint}});
}
// Factors as matrices of one element.
inline Symbol AsMatrices(G& g, Symbol s) { return ExpandDims(g, ExpandDims(g, s, -1), -1); }
inline void SetReduced(G& g, int i, Symbol gradient) { g.set(i, g.SumTo(gradient, g.input(i), gradient)); }

inline void Inverse(G& g) {
  const bool adjoint = g.bool_attr("adjoint");
  const Symbol y = g.y();
  g.set(0, -MatMul(g, y, MatMul(g, g.dy(), y, adjoint, !adjoint), !adjoint));
}
inline void Determinant(G& g) {
  g.set(0, AsMatrices(g, g.dy() * g.y()) * g.Add("MatrixInverse", {g.x()}, {{"adjoint", true}}));
}
inline void LogDeterminant(G& g) {
  g.set(0, AsMatrices(g, g.grad(1)) * g.Add("MatrixInverse", {g.x()}, {{"adjoint", true}}));
}
inline void CholeskyGradient(G& g) {
  const Symbol l = g.y(), inverse = TriangularSolve(g, l, IdentityLike(g, l), true, false);
  const Symbol middle = LowerPart(g, HalfDiagonal(g, MatMul(g, l, g.dy(), true)));
  const Symbol half = MatMul(g, MatMul(g, inverse, middle, true), inverse);
  g.set(0, (half + Adjoint(g, half)) * 0.5);
}
// x r^-H for an upper triangular r.
inline Symbol OverUpper(G& g, Symbol x, Symbol r) {
  return Adjoint(g, TriangularSolve(g, r, Adjoint(g, x), false, false));
}
inline Symbol QrDeep(G& g, Symbol q, Symbol r, Symbol dq, Symbol dr) {
  const Symbol qdq = MatMul(g, q, dq, true), rdr = MatMul(g, r, dr, false, true);
  const Symbol lower = LowerPart(g, (qdq - Adjoint(g, qdq)) + (rdr - Adjoint(g, rdr)));
  const Symbol sum = MatMul(g, q, dr + OverUpper(g, lower, r)) + OverUpper(g, dq - MatMul(g, q, qdq), r);
  if (!kComplexTypes.contains(q.dtype())) return sum;
  const Symbol m = rdr - Adjoint(g, qdq), diagonal = WithDiagonal(g, g.ZerosLike(m), Diagonal(g, m));
  const DataType real = q.dtype() == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
  const Symbol correction = diagonal - g.Cast(g.Add("Real", {diagonal}, {{"Tout", real}}), q.dtype());
  return sum + OverUpper(g, MatMul(g, q, Adjoint(g, correction)), r);
}
inline void QrGradient(G& g) {
  const Symbol q = g.output(0), r = g.output(1), dq = g.grad(0), dr = g.grad(1);
  const PartialTensorShape q_shape = q.shape(), r_shape = r.shape();
  const int rank = r_shape.dims();
  if (rank < 2 || r_shape.dim_size(rank - 1) < 0 || r_shape.dim_size(rank - 2) < 0)
    return g.Fail(errors::Unimplemented("QrGrad not implemented with dynamic shapes. Received r.shape: ", r_shape));
  const Index m = q_shape.dim_size(rank - 2), n = r_shape.dim_size(rank - 1);
  if (r_shape.dim_size(rank - 2) > n && q_shape.dim_size(rank - 1) == m)
    return g.Fail(
        errors::Unimplemented("QrGrad not implemented when nrows > ncols and full_matrices is true. Received ",
                              "r.shape=", r_shape, " with nrows=", m, " and ncols=", n, "."));
  if (m >= n) return g.set(0, QrDeep(g, q, r, dq, dr));
  const auto cut = static_cast<std::int32_t>(m);
  const Symbol wide = Columns(g, g.x(), cut, 0, true), dv = Columns(g, dr, cut, 0, true);
  const Symbol left =
      QrDeep(g, q, Columns(g, r, 0, cut), dq + MatMul(g, wide, dv, false, true), Columns(g, dr, 0, cut));
  g.set(0, Concat2(g, left, MatMul(g, q, dv), -1));
}
// Gradient of the matrix of a solver a y = b, where `db` is that of b.
inline Symbol SolverMatrix(G& g, Symbol db, bool adjoint) {
  return -(adjoint ? MatMul(g, g.y(), db, false, true) : MatMul(g, db, g.y(), false, true));
}
inline void Solve(G& g) {
  const bool adjoint = g.bool_attr("adjoint");
  const Symbol db = g.Add("MatrixSolve", {g.x(), g.dy()}, {{"adjoint", !adjoint}});
  g.set(0, SolverMatrix(g, db, adjoint));
  g.set(1, db);
}
inline void SolveTriangular(G& g) {
  const bool adjoint = g.bool_attr("adjoint"), lower = g.bool_attr("lower");
  const Symbol db = TriangularSolve(g, g.x(), g.dy(), lower, !adjoint);
  const Symbol da = SolverMatrix(g, db, adjoint);
  SetReduced(g, 0, lower ? LowerPart(g, da) : Band(g, da, 0, -1));
  SetReduced(g, 1, db);
}
inline void SolveBanded(G& g) {
  const bool adjoint = g.bool_attr("adjoint"), lower = g.bool_attr("lower");
  const Symbol bands = g.Item(g.Shape(g.x()), -2) - 1.0, zero = g.Int(0);
  const Symbol db = g.AddLike("BandedTriangularSolve", {g.x(), g.dy()}, {"lower"}, {{"adjoint", !adjoint}});
  const Symbol da = SolverMatrix(g, db, adjoint);
  const Symbol k = lower ? g.Pack({-bands, zero}) : g.Pack({zero, bands});
  Symbol parts = g.Add("MatrixDiagPartV3", {da, k, g.Scalar(da.dtype(), 0)}, {{"align", "LEFT_RIGHT"}});
  const PartialTensorShape known = g.x().shape();
  if (known.dims() < 2 || known.dim_size(known.dims() - 2) < 2)  // one band has no dimension of its own
    parts = g.Reshape(parts, Concat2(g, g.Part(g.Shape(da), 0, -2), g.Part(g.Shape(g.x()), -2, 0, true)));
  SetReduced(g, 0, parts);
  SetReduced(g, 1, db);
}
inline Symbol CholeskySolve(G& g, Symbol l, Symbol b) {
  return TriangularSolve(g, l, TriangularSolve(g, l, b, true, false), true, true);
}
struct LeastSquares {
  Symbol a, b;
};
inline LeastSquares LeastSquaresOf(G& g, Symbol a, Symbol b, Symbol x, Symbol l2, Symbol dy, bool tall) {
  const Symbol gram = MatMul(g, a, a, tall, !tall);
  const Symbol l = g.Add("Cholesky", {gram + l2 * IdentityLike(g, gram)});
  if (tall) {
    const Symbol z = CholeskySolve(g, l, dy), xz = MatMul(g, x, z, false, true);
    // As in TensorFlow, without a conjugate.
    return {MatMul(g, b, z, false, true) - MatMul(g, a, xz + g.Transposed(xz)), MatMul(g, a, z)};
  }
  const Symbol db = CholeskySolve(g, l, MatMul(g, a, dy)), z = CholeskySolve(g, l, b);
  const Symbol first = MatMul(g, db, MatMul(g, z, a, true));
  return {MatMul(g, z, dy - MatMul(g, a, db, true), false, true) - first, db};
}
inline void SolveLeastSquares(G& g) {
  if (!g.bool_attr("fast")) return g.Fail(errors::InvalidArgument("Gradient not defined for fast=False"));
  Symbol in[5] = {g.input(0), g.input(1), g.y(), g.Cast(g.input(2), g.x().dtype()), g.dy()};
  const PartialTensorShape shape = in[0].shape();
  const int rank = shape.dims();
  LeastSquares out;
  if (rank >= 2 && shape.dim_size(rank - 1) >= 0 && shape.dim_size(rank - 2) >= 0) {
    out = LeastSquaresOf(g, in[0], in[1], in[2], in[3], in[4], shape.dim_size(rank - 2) >= shape.dim_size(rank - 1));
  } else {
    const Symbol sizes = g.Shape(in[0]);
    const Symbol tall = g.Add("GreaterEqual", {g.Item(sizes, -2), g.Item(sizes, -1)});
    LeastSquares sides[2];
    for (int side = 0; side < 2; ++side) {
      Symbol part[5];
      for (int i = 0; i < 5; ++i) part[i] = g.Add("Switch", {in[i], tall})[side];
      sides[side] = LeastSquaresOf(g, part[0], part[1], part[2], part[3], part[4], side == 1);
    }
    out = {g.Add("Merge", {G::Input{sides[0].a, sides[1].a}}), g.Add("Merge", {G::Input{sides[0].b, sides[1].b}})};
  }
  g.set(0, out.a);
  g.set(1, out.b);
}
inline void EigenGradient(G& g) {
  Symbol e = g.output(0), v = g.output(1);
  Symbol inner = g.Add("MatrixDiag", {g.grad(0)});
  if (g.bool_attr("compute_v")) {
    const Symbol f = WithDiagonal(g, SafeReciprocal(g, ExpandDims(g, e, -2) - ExpandDims(g, e, -1)), g.ZerosLike(e));
    inner = inner + f * MatMul(g, v, g.grad(1), true);
  } else {
    v = g.Add("SelfAdjointEigV2", {g.x()}, {{"compute_v", true}})[1];
  }
  const Symbol da = MatMul(g, v, MatMul(g, inner, v, false, true));
  g.set(0, HalfDiagonal(g, LowerPart(g, da + Adjoint(g, da))));
}
inline void SvdGradient(G& g) {
  const Symbol a = g.x();
  const DataType type = a.dtype();
  const Symbol ds = g.Add("MatrixDiag", {g.Cast(g.grad(0), type)});
  if (!g.bool_attr("compute_uv")) {
    const Symbol all = g.Add("Svd", {a}, {{"compute_uv", true}});
    return g.set(0, MatMul(g, all[1], MatMul(g, ds, all[2], false, true)));
  }
  const PartialTensorShape shape = a.shape();
  const int rank = shape.dims();
  if (rank < 2 || shape.dim_size(rank - 1) < 0 || shape.dim_size(rank - 2) < 0)
    return g.Fail(
        errors::Unimplemented("SVD gradient has not been implemented for input with unknown inner matrix shape."));
  Index m = shape.dim_size(rank - 2), n = shape.dim_size(rank - 1);
  Symbol u = g.output(1), v = g.output(2), du = g.grad(1), dv = g.grad(2);
  const bool adjoint = m > n, full = g.bool_attr("full_matrices");
  if (adjoint) {
    std::swap(m, n);
    std::swap(u, v);
    std::swap(du, dv);
  }
  if (full && n - m > 1)
    return g.Fail(
        errors::Unimplemented("svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. ",
                              "Received: m=", m, " and n=", n));
  const Symbol s = g.Cast(g.output(0), type), s_matrix = g.Add("MatrixDiag", {s}), s2 = Un(g, "Square", s);
  const Symbol f = WithDiagonal(g, SafeReciprocal(g, ExpandDims(g, s2, -2) - ExpandDims(g, s2, -1)), g.ZerosLike(s));
  const Symbol s_inverse = g.Add("MatrixDiag", {SafeReciprocal(g, s)});
  const auto cut = static_cast<std::int32_t>(m);
  const Symbol v1 = Columns(g, v, 0, cut), dv1 = Columns(g, dv, 0, cut);
  const Symbol vdv = MatMul(g, v1, dv1, true);
  const Symbol fu = f * MatMul(g, u, du, true), fv = f * vdv;
  const Symbol core = ds + MatMul(g, fu + Adjoint(g, fu), s_matrix) + MatMul(g, s_matrix, fv + Adjoint(g, fv));
  Symbol da = MatMul(g, u, MatMul(g, core, v1, false, true));
  if (m != n) {
    const Symbol rows = Adjoint(g, dv1);
    Symbol rest = rows - MatMul(g, MatMul(g, rows, v1), v1, false, true);
    if (full) {
      const Symbol v2 = Columns(g, v, cut, 0, true), dv2 = Columns(g, dv, cut, 0, true);
      rest = rest - MatMul(g, MatMul(g, v1, dv2, true), v2, false, true);
    }
    da = da + MatMul(g, MatMul(g, u, s_inverse), rest);
  }
  if (kComplexTypes.contains(type)) {
    const Symbol l = IdentityLike(g, vdv) * vdv;
    const Symbol phase = MatMul(g, s_inverse, Adjoint(g, l) - l);
    da = da + 0.5 * MatMul(g, u, MatMul(g, phase, v1, false, true));
  }
  g.set(0, adjoint ? Adjoint(g, da) : da);
}
inline void Tridiagonal(G& g) {
  const Symbol d = g.x(), x = g.y();
  const auto stack = [&g](Symbol up, Symbol middle, Symbol down) {
    return g.Add("Pack", {G::Input{up, middle, down}}, {{"axis", -2}});
  };
  // With a single column there is nothing to shift: both cuts below are empty.
  const Symbol up = Row(g, d, 0), down = Row(g, d, 2), zero = g.ZerosLike(Columns(g, up, 0, 1));
  const Symbol transposed = stack(Concat2(g, Columns(g, down, 1, 0, true), zero, -1), Row(g, d, 1),
                                  Concat2(g, zero, Columns(g, up, 0, -1), -1));
  const Symbol db = g.AddLike("TridiagonalSolve", {transposed, g.dy()}, {"partial_pivoting", "perturb_singular"});
  const Symbol last = g.Int(-1);
  const Symbol middle = g.Sum(db * x, last);
  const Symbol above = g.Sum(Rows(g, db, 0, -1) * Rows(g, x, 1, 0, true), last);
  const Symbol below = g.Sum(Rows(g, db, 1, 0, true) * Rows(g, x, 0, -1), last);
  const Symbol edge = g.ZerosLike(Columns(g, middle, 0, 1));
  g.set(0, -stack(Concat2(g, above, edge, -1), middle, Concat2(g, edge, below, -1)));
  g.set(1, db);
}

// Distinct eigenvalues are assumed, as in TensorFlow.
inline void GeneralEigenGradient(G& g) {
  const Symbol e = g.output(0);
  Symbol v = g.output(1), inner = g.Add("MatrixDiag", {g.grad(0)});
  if (!g.bool_attr("compute_v")) {
    v = g.AddLike("Eig", {g.x()}, {"Tout"})[1];
  } else {
    const Symbol f = WithDiagonal(g, SafeReciprocal(g, ExpandDims(g, e, -2) - ExpandDims(g, e, -1)), g.ZerosLike(e));
    const Symbol vdv = MatMul(g, v, g.grad(1), true);
    const DataType real = v.dtype() == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
    const Symbol lengths = g.Cast(g.Add("Real", {Diagonal(g, vdv)}, {{"Tout", real}}), v.dtype());
    inner = inner + g.Conj(f) * (vdv - MatMul(g, MatMul(g, v, v, true), g.Add("MatrixDiag", {lengths})));
  }
  const Symbol da = g.Add("MatrixSolve", {v, MatMul(g, inner, v, false, true)}, {{"adjoint", true}});
  g.set(0, g.Cast(da, g.x().dtype()));
}
// Products of all elements of two square matrices [..., m, m], as matrices [..., m^2, m^2].
inline Symbol Kronecker(G& g, Symbol a, Symbol b, Symbol shape) {
  const Symbol left = ExpandDims(g, ExpandDims(g, a, -1), -3), right = ExpandDims(g, ExpandDims(g, b, -2), -4);
  return g.Reshape(left * right, shape);
}
// y y = x: dy y + y dy = dx, as one system of m^2 equations.
inline void SquareRoot(G& g) {
  const Symbol y = g.y(), shape = g.Shape(y), m = g.Part(shape, -1, 0, true), square = m * m;
  const Symbol batch = g.Part(shape, 0, -2), unit = IdentityLike(g, y);
  const Symbol wide = g.Concat(SlimVector<Symbol>{batch, square, square}, g.Int(0));
  const Symbol system = Kronecker(g, unit, g.Transposed(y), wide) + Kronecker(g, y, unit, wide);
  const Symbol column = g.Concat(SlimVector<Symbol>{batch, square, g.Ints({1})}, g.Int(0));
  const Symbol solved = g.Add("MatrixSolve", {system, g.Reshape(g.Transposed(g.dy()), column)});
  g.set(0, g.Transposed(g.Reshape(solved, shape)));
}
// Rows one place up (1) or down (-1), with a row of zeros.
inline Symbol ShiftedRows(G& g, Symbol s, int up) {
  const Symbol zero = g.ZerosLike(Rows(g, s, 0, 1));
  return up > 0 ? Concat2(g, Rows(g, s, 1, 0, true), zero, -2) : Concat2(g, zero, Rows(g, s, 0, -1), -2);
}
inline void TridiagonalProduct(G& g) {
  const Symbol dy = g.dy(), rhs = g.Conj(g.input(3));
  const auto column = [&g](int i) { return g.Transposed(g.input(i), true); };
  const auto along = [&](Symbol shifted) { return ExpandDims(g, g.Sum(shifted * dy, g.Int(-1)), -2); };
  g.set(0, along(ShiftedRows(g, rhs, 1)));
  g.set(1, along(rhs));
  g.set(2, along(ShiftedRows(g, rhs, -1)));
  g.set(3, ShiftedRows(g, column(0) * dy, -1) + column(1) * dy + ShiftedRows(g, column(2) * dy, 1));
}

inline constexpr GradientRow kLinalg[] = {
    {"MatrixInverse", Inverse},
    {"MatrixDeterminant", Determinant},
    {"LogMatrixDeterminant", LogDeterminant},
    {"Cholesky", CholeskyGradient},
    {"Qr", QrGradient},
    {"MatrixSolve", Solve},
    {"MatrixTriangularSolve", SolveTriangular},
    {"BandedTriangularSolve", SolveBanded},
    {"MatrixSolveLs", SolveLeastSquares},
    {"SelfAdjointEigV2", EigenGradient},
    {"Svd", SvdGradient},
    {"Eig", GeneralEigenGradient},
    {"MatrixSquareRoot", SquareRoot},
    {"TridiagonalMatMul", TridiagonalProduct},
    {"TridiagonalSolve", Tridiagonal},
};

inline const bool registers_linalg = RegisterGradients<kLinalg>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
