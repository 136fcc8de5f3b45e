// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseMatrixTranspose, SparseMatrixMatMul, SparseMatrixSparseMatMul: of CSRSparseMatrix values.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/csr_matrix.hpp>
#include <tenon/ops/sparse/matmul.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The loops over values of one type.
struct CsrLoops {
  void (*conjugate)(void* values, Index n);
  // `columns` elements of out from `to` += value i of `values` * elements of b from `at`.
  void (*add_row)(const void* values, Index i, const void* b, Index at, Index step, bool conjugate, void* out, Index to,
                  Index to_step, Index columns);
};
template <class T>
struct CsrLoopsOf {
  static void Conjugate(void* values, Index n) {
    for (Index i = 0; i < n; ++i) static_cast<T*>(values)[i] = Conjugated(static_cast<const T*>(values)[i], true);
  }
  static void AddRow(const void* values, Index i, const void* b, Index at, Index step, bool conjugate, void* out,
                     Index to, Index to_step, Index columns) {
    const T value = static_cast<const T*>(values)[i];
    const T* const row = static_cast<const T*>(b) + at;
    T* const sums = static_cast<T*>(out) + to;
    if (step == 1 && to_step == 1 && !conjugate) return AddNeighbours(value, row, columns, sums);
    for (Index n = 0; n < columns; ++n) sums[n * to_step] += Times(value, Conjugated(row[n * step], conjugate));
  }
  // In pieces that a compiler makes vectors of at -O2, too.
  static void AddNeighbours(const T value, const T* __restrict row, Index columns, T* __restrict sums) {
    constexpr Index kPiece = 8;
    Index n = 0;
    for (; n + kPiece <= columns; n += kPiece)
      for (Index k = 0; k < kPiece; ++k) sums[n + k] += Times(value, row[n + k]);
    for (; n < columns; ++n) sums[n] += Times(value, row[n]);
  }
  static constexpr CsrLoops loops = {&Conjugate, &AddRow};
};
inline const CsrLoops& CsrLoopsFor(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return CsrLoopsOf<float>::loops;
    case DataType::kDouble: return CsrLoopsOf<double>::loops;
    case DataType::kComplex64: return CsrLoopsOf<complex64>::loops;
    default: return CsrLoopsOf<complex128>::loops;
  }
}

TENON_DETAIL_SETUP_CODE_BEGIN

struct CsrProductAttrs {
  bool transpose_a, transpose_b, adjoint_a, adjoint_b;

  Status Check() const {
    for (const bool of_a : {true, false})
      if (of_a ? transpose_a && adjoint_a : transpose_b && adjoint_b)
        return errors::InvalidArgument("Only one of adjoint_", of_a ? "a" : "b", " and transpose_", of_a ? "a" : "b",
                                       " may be true, got both");
    return OkStatus();
  }
  bool turns_a() const { return transpose_a || adjoint_a; }
  bool turns_b() const { return transpose_b || adjoint_b; }
};
inline Status ReadCsrProduct(InferenceContext* c, CsrProductAttrs* to) {
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_a", &to->transpose_a));
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_b", &to->transpose_b));
  TENON_RETURN_IF_ERROR(c->GetAttr("adjoint_a", &to->adjoint_a));
  TENON_RETURN_IF_ERROR(c->GetAttr("adjoint_b", &to->adjoint_b));
  return to->Check();
}

// [(batch,) m, k] times [(batch,) k, n], of shapes whose ranks may be unknown. TensorFlow broadcasts the batches of two
// sparse matrices here; kernels refuse batches that differ.
inline Status CsrProductShape(InferenceContext* c, const CsrProductAttrs& attrs, ShapeHandle a, ShapeHandle b,
                              bool turn, bool broadcasts, ShapeHandle* out) {
  if (c->RankKnown(a) && !c->RankKnown(b)) b = c->UnknownShapeOfRank(c->Rank(a));
  if (!c->RankKnown(a) || !c->RankKnown(b)) {
    *out = c->UnknownShape();
    return OkStatus();
  }
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, attrs.turns_a() ? -2 : -1), c->Dim(b, attrs.turns_b() ? -1 : -2), &unused));
  const DimensionHandle m = c->Dim(a, attrs.turns_a() ? -1 : -2);
  const DimensionHandle n = c->Dim(b, attrs.turns_b() ? -2 : -1);
  ShapeHandle of_a, of_b, batch;
  TENON_RETURN_IF_ERROR(c->Subshape(a, 0, -2, &of_a));
  TENON_RETURN_IF_ERROR(c->Subshape(b, 0, -2, &of_b));
  TENON_RETURN_IF_ERROR(broadcasts ? shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, of_a, of_b, true, &batch)
                                   : c->Merge(of_a, of_b, &batch));
  return c->Concatenate(batch, turn ? c->Matrix(n, m) : c->Matrix(m, n), out);
}
inline Status CsrMatMulShape(InferenceContext* c) {
  CsrProductAttrs attrs{};
  ShapeHandle a, b;
  bool turn = false;
  TENON_RETURN_IF_ERROR(ReadCsrProduct(c, &attrs));
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_output", &turn));
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &a));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(b, 3, &b));
  TENON_RETURN_IF_ERROR(CsrProductShape(c, attrs, a, b, turn, false, &a));
  c->set_output(0, a);
  return OkStatus();
}
inline Status CsrSparseMatMulShape(InferenceContext* c) {
  CsrProductAttrs attrs{};
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(ReadCsrProduct(c, &attrs));
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &a));
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 1, &b));
  TENON_RETURN_IF_ERROR(CsrProductShape(c, attrs, a, b, false, true, &a));
  return SetCsrHandle(c, a, "type");
}
inline Status CsrTransposeShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &shape));
  if (c->RankKnown(shape)) {
    const int rank = c->Rank(shape);
    const DimensionHandle rows = c->Dim(shape, rank - 2), columns = c->Dim(shape, rank - 1);
    TENON_RETURN_IF_ERROR(c->ReplaceDim(shape, rank - 2, columns, &shape));
    TENON_RETURN_IF_ERROR(c->ReplaceDim(shape, rank - 1, rows, &shape));
  }
  return SetCsrHandle(c, shape, "type");
}

// Elements of one column keep the order of their rows.
inline Status TransposeCsr(OpKernelContext& context, const CSRSparseMatrix& x, bool conjugate, CSRSparseMatrix* out) {
  std::int64_t sizes[3];
  for (Index d = 0; d < x.dims(); ++d) sizes[d] = x.shape.data<std::int64_t>()[d];
  std::swap(sizes[x.dims() - 2], sizes[x.dims() - 1]);
  TENON_RETURN_IF_ERROR(MakeCsr(context, x.dtype, sizes, x.dims(), out));
  TENON_RETURN_IF_ERROR(MakeCsrElements(context, x.values.NumElements(), out));
  const ElementMover mover = MoverOf(x.dtype);
  for (Index b = 0; b < x.batch(); ++b) {
    out->batch_pointers.data<std::int32_t>()[b + 1] = x.batch_pointers.data<std::int32_t>()[b + 1];
    const std::int32_t* const columns = x.columns_of(b);
    std::int32_t* const starts = out->row_pointers.data<std::int32_t>() + b * (out->rows() + 1);
    for (Index i = 0; i < x.count(b); ++i) ++starts[columns[i] + 1];
    for (Index r = 0; r < out->rows(); ++r) starts[r + 1] += starts[r];
    for (Index r = 0; r < x.rows(); ++r)
      for (Index i = x.row_starts(b)[r]; i < x.row_starts(b)[r + 1]; ++i) {
        const Index to = x.first(b) + starts[columns[i]]++;
        out->columns.data<std::int32_t>()[to] = static_cast<std::int32_t>(r);
        CopyRun(mover, mover.At(x.values.raw_data(), x.first(b) + i), mover.At(out->values.raw_data(), to), 1);
      }
    for (Index r = out->rows(); r > 0; --r) starts[r] = starts[r - 1];
    starts[0] = 0;
  }
  if (conjugate) CsrLoopsFor(x.dtype).conjugate(out->values.raw_data(), out->values.NumElements());
  return OkStatus();
}
// The matrix of `in` := its transpose, of which `turned` is room for.
inline Status TurnCsr(OpKernelContext& context, bool conjugate, CsrInput* in, CSRSparseMatrix* turned) {
  TENON_RETURN_IF_ERROR(TransposeCsr(context, *in->matrix, conjugate, turned));
  in->matrix = turned;
  return OkStatus();
}

inline Status RunCsrTranspose(OpKernelContext& context, bool conjugate, DataType dtype) {
  CsrInput in;
  CSRSparseMatrix out;
  TENON_RETURN_IF_ERROR(in.Get(context, 0));
  if (in.matrix->dtype != dtype) return WrongCsrType(context, "input", in.matrix->dtype, dtype);
  TENON_RETURN_IF_ERROR(TransposeCsr(context, *in.matrix, conjugate, &out));
  return SetCsrOutput(context, std::move(out));
}

struct CsrDenseProduct {
  const CSRSparseMatrix* a;  // [m, k], after its transposition
  const void* b;
  Index inner, columns, step;  // sizes of b, and the step between its columns
  bool turns_b, conjugate_b, turn_output;
  void* out;

  // Rows [begin, end) of all m * batch.
  void Run(Index begin, Index end) const {
    const CsrLoops& loops = CsrLoopsFor(a->dtype);
    const Index m = a->rows();
    for (Index at = begin; at < end; ++at) {
      const Index matrix = at / m, r = at % m, first = matrix * inner * columns, row_step = turns_b ? 1 : columns;
      const Index to = matrix * m * columns + r * (turn_output ? 1 : columns);
      for (Index i = a->row_starts(matrix)[r]; i < a->row_starts(matrix)[r + 1]; ++i)
        loops.add_row(a->values.raw_data(), a->first(matrix) + i, b, first + a->columns_of(matrix)[i] * row_step, step,
                      conjugate_b, out, to, turn_output ? m : 1, columns);
    }
  }
};
inline Status RunCsrMatMul(OpKernelContext& context, const CsrProductAttrs& attrs, bool turn_output, bool conjugate) {
  constexpr const char* kOp = "SparseMatrixMatMul";
  CsrInput in;
  CSRSparseMatrix turned;
  TENON_RETURN_IF_ERROR(in.Get(context, 0));
  const Tensor& b = context.input(1);
  if (in.matrix->dtype != b.dtype())
    return errors::InvalidArgument(kOp, ": Input types don't match.  a.dtype == ", Name(in.matrix->dtype),
                                   " vs. b.dtype == ", Name(b.dtype()));
  const int rank = b.dims();
  if (in.matrix->dims() != rank)
    return errors::InvalidArgument(kOp, ": Ranks of a and b must match, saw: ", in.matrix->dims(), " vs. ", rank, ".");
  if (rank == 3 && in.matrix->batch() != b.dim_size(0))
    return errors::InvalidArgument(kOp, ": Batch sizes of a and b must match, saw: ", in.matrix->batch(), " vs. ",
                                   b.dim_size(0), ".");
  const Index inner_a = attrs.turns_a() ? in.matrix->rows() : in.matrix->width();
  const Index inner = b.dim_size(rank - (attrs.turns_b() ? 1 : 2)), n = b.dim_size(rank - (attrs.turns_b() ? 2 : 1));
  if (inner_a != inner)
    return errors::InvalidArgument(kOp, ": Inner product dimensions of A and B do not agree. Shapes are: [",
                                   in.matrix->shape.SummarizeValue(3), "] vs. ", b.shape());
  if (attrs.turns_a()) TENON_RETURN_IF_ERROR(TurnCsr(context, attrs.adjoint_a, &in, &turned));
  const Index m = in.matrix->rows(), batch = in.matrix->batch();
  const Index sizes[] = {batch, turn_output ? n : m, turn_output ? m : n};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(kOp, sizes + (3 - rank), rank, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return OkStatus();
  Zero(context.device<Cpu>(), MoverOf(b.dtype()), out->raw_data(), out->NumElements());
  const bool conjugate_b = attrs.adjoint_b && IsComplex(b.dtype());
  const CsrDenseProduct product{
      in.matrix,   b.raw_data(), inner,          n, attrs.turns_b() ? inner : 1, attrs.turns_b(),
      conjugate_b, turn_output,  out->raw_data()};
  const double share = static_cast<double>(in.matrix->values.NumElements()) / static_cast<double>(m * batch);
  ParallelFor(context.device<Cpu>(), m * batch, 2 * (share + 1) * static_cast<double>(n),
              [&](Index begin, Index end) { product.Run(begin, end); });
  if (conjugate && IsComplex(b.dtype())) CsrLoopsFor(b.dtype()).conjugate(out->raw_data(), out->NumElements());
  return OkStatus();
}

// One product of elements: of a and b by their numbers.
struct CsrTerm {
  std::int32_t column;
  Index a, b;
};
// The terms of row r of matrix `at` of the product, by columns and then in the order of a's elements.
inline void FindCsrTerms(const CSRSparseMatrix& a, const CSRSparseMatrix& b, Index at, Index r,
                         SlimVector<CsrTerm>* terms) {
  terms->clear();
  for (Index i = a.row_starts(at)[r]; i < a.row_starts(at)[r + 1]; ++i) {
    const Index row = a.columns_of(at)[i];
    for (Index j = b.row_starts(at)[row]; j < b.row_starts(at)[row + 1]; ++j)
      terms->push_back({b.columns_of(at)[j], a.first(at) + i, b.first(at) + j});
  }
  std::sort(terms->begin(), terms->end(), [](const CsrTerm& x, const CsrTerm& y) {
    return x.column != y.column ? x.column < y.column : x.a != y.a ? x.a < y.a : x.b < y.b;
  });
}
// Row pointers and columns of a b. An element stays even if its terms cancel out.
inline Status FindCsrProduct(OpKernelContext& context, const CSRSparseMatrix& a, const CSRSparseMatrix& b,
                             CSRSparseMatrix* out) {
  SlimVector<CsrTerm> terms;
  Index count = 0;
  for (const bool fill : {false, true}) {
    if (fill) TENON_RETURN_IF_ERROR(MakeCsrElements(context, count, out));
    if (fill) Zero(context.device<Cpu>(), MoverOf(out->dtype), out->values.raw_data(), count);
    count = 0;
    for (Index at = 0; at < a.batch(); ++at) {
      for (Index r = 0; r < a.rows(); ++r) {
        FindCsrTerms(a, b, at, r, &terms);
        for (std::size_t i = 0; i < terms.size(); ++i) {
          count += i == 0 || terms[i].column != terms[i - 1].column;
          if (!fill) continue;
          out->columns.data<std::int32_t>()[count - 1] = terms[i].column;
          CsrLoopsFor(out->dtype)
              .add_row(a.values.raw_data(), terms[i].a, b.values.raw_data(), terms[i].b, 1, false,
                       out->values.raw_data(), count - 1, 1, 1);
        }
        if (fill)
          out->row_pointers.data<std::int32_t>()[at * (a.rows() + 1) + r + 1] =
              static_cast<std::int32_t>(count - out->first(at));
      }
      if (fill) out->batch_pointers.data<std::int32_t>()[at + 1] = static_cast<std::int32_t>(count);
    }
  }
  return OkStatus();
}
inline Status RunCsrSparseMatMul(OpKernelContext& context, const CsrProductAttrs& attrs, DataType dtype) {
  constexpr const char* kOp = "SparseMatrixSparseMatMul";
  CsrInput a, b;
  CSRSparseMatrix turned_a, turned_b, out;
  TENON_RETURN_IF_ERROR(a.Get(context, 0));
  TENON_RETURN_IF_ERROR(b.Get(context, 1));
  if (a.matrix->dtype != dtype) return WrongCsrType(context, "a", a.matrix->dtype, dtype);
  if (b.matrix->dtype != dtype) return WrongCsrType(context, "b", b.matrix->dtype, dtype);
  const bool fits = a.matrix->dims() == b.matrix->dims() && a.matrix->batch() == b.matrix->batch();
  const Index inner_a = attrs.turns_a() ? a.matrix->rows() : a.matrix->width();
  const Index inner_b = attrs.turns_b() ? b.matrix->width() : b.matrix->rows();
  if (!fits || inner_a != inner_b)
    return errors::InvalidArgument(kOp, ": ", fits ? "Inner product dimensions" : "Batch dimensions",
                                   " of A and B do not agree.  Shapes are: [", a.matrix->shape.SummarizeValue(3),
                                   "] vs. [", b.matrix->shape.SummarizeValue(3), "]");
  if (attrs.turns_a()) TENON_RETURN_IF_ERROR(TurnCsr(context, attrs.adjoint_a, &a, &turned_a));
  if (attrs.turns_b()) TENON_RETURN_IF_ERROR(TurnCsr(context, attrs.adjoint_b, &b, &turned_b));
  const std::int64_t sizes[] = {a.matrix->batch(), a.matrix->rows(), b.matrix->width()};
  TENON_RETURN_IF_ERROR(MakeCsr(context, dtype, sizes + (3 - a.matrix->dims()), a.matrix->dims(), &out));
  TENON_RETURN_IF_ERROR(FindCsrProduct(context, *a.matrix, *b.matrix, &out));
  return SetCsrOutput(context, std::move(out));
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// [(batch,) m, n]  ->  [(batch,) n, m]
struct SparseMatrixTranspose {
  static constexpr auto signature = Op("SparseMatrixTranspose")
                                        .Input("input: variant")
                                        .Output("output: variant")
                                        .Attr("conjugate: bool = false")
                                        .Attr("type: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::CsrTransposeShape);
  static constexpr auto kernel_types = TypeAttrs();
  struct Attrs {
    bool conjugate;
    DataType type;
  };
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunCsrTranspose(context.op(), this->conjugate, this->type);
    }
  };
};

// a: [(batch,) m, k] sparse  b: [(batch,) k, n]  ->  [(batch,) m, n]; with transpose_output [(batch,) n, m].
struct SparseMatrixMatMul {
  static constexpr auto signature = Op("SparseMatrixMatMul")
                                        .Input("a: variant")
                                        .Input("b: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("adjoint_a: bool = false")
                                        .Attr("adjoint_b: bool = false")
                                        .Attr("transpose_output: bool = false")
                                        .Attr("conjugate_output: bool = false")
                                        .SetShapeFn(detail::CsrMatMulShape);
  static constexpr auto kernel_types = TypeAttrs();
  struct Attrs {
    bool transpose_a, transpose_b, adjoint_a, adjoint_b, transpose_output, conjugate_output;
  };
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::RegisterCsrMatrix());
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(1), detail::kCsrTypes));
      return Options().Check();
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunCsrMatMul(context.op(), Options(), this->transpose_output, this->conjugate_output);
    }
    detail::CsrProductAttrs Options() const {
      return {this->transpose_a, this->transpose_b, this->adjoint_a, this->adjoint_b};
    }
  };
};

// a: [(batch,) m, k]  b: [(batch,) k, n]  ->  [(batch,) m, n], all sparse
struct SparseMatrixSparseMatMul {
  static constexpr auto signature = Op("SparseMatrixSparseMatMul")
                                        .Input("a: variant")
                                        .Input("b: variant")
                                        .Output("c: variant")
                                        .Attr("type: {float, double, complex64, complex128}")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("adjoint_a: bool = false")
                                        .Attr("adjoint_b: bool = false")
                                        .SetShapeFn(detail::CsrSparseMatMulShape);
  static constexpr auto kernel_types = TypeAttrs();
  struct Attrs {
    bool transpose_a, transpose_b, adjoint_a, adjoint_b;
    DataType type;
  };
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      TENON_RETURN_IF_ERROR(detail::RegisterCsrMatrix());
      return Options().Check();
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunCsrSparseMatMul(context.op(), Options(), this->type);
    }
    detail::CsrProductAttrs Options() const {
      return {this->transpose_a, this->transpose_b, this->adjoint_a, this->adjoint_b};
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
