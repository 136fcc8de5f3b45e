// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the linear algebra ops: tensors as batches of matrices, their shapes, loops over them.

#include <atomic>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/linalg/blocked.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

using LinalgTypes = TypeList<float, double, complex64, complex128>;
inline constexpr DataTypeSet kLinalgTypes = dtypes_of<LinalgTypes>::value;

// [..., rows, columns]
struct MatrixBatch {
  Index count = 1, rows = 0, columns = 0;
  TensorShape batch;

  static Status Of(std::string_view op, const TensorShape& shape, int input, MatrixBatch* out) {
    const int rank = shape.dims();
    if (rank < 2) return errors::InvalidArgument(op, ": Input tensor ", input, " must have rank >= 2, got ", rank);
    out->rows = shape.dim_size(rank - 2);
    out->columns = shape.dim_size(rank - 1);
    out->batch = shape;
    TENON_RETURN_IF_ERROR(out->batch.RemoveLastDimsWithStatus(2));
    out->count = out->batch.num_elements();
    return OkStatus();
  }
  static Status OfSquare(std::string_view op, const TensorShape& shape, MatrixBatch* out) {
    TENON_RETURN_IF_ERROR(Of(op, shape, 0, out));
    if (out->rows == out->columns) return OkStatus();
    return errors::InvalidArgument(op, ": Input matrix must be square, got shape ", shape);
  }
  // The batch dimensions and [a, b].
  Status With(Index a, Index b, TensorShape* out) const {
    *out = batch;
    TENON_RETURN_IF_ERROR(out->AddDimWithStatus(a));
    return out->AddDimWithStatus(b);
  }
  Status With(Index a, TensorShape* out) const {
    *out = batch;
    return out->AddDimWithStatus(a);
  }
};

// body(device, i) for every matrix, on several threads; false if it was false for one. One matrix has all threads of
// the device to itself, and each of several matrices has one.
template <class Body>
bool ForEachMatrix(Cpu& device, Index count, Index rows, Index columns, const Body& body) {
  if (count == 1) return body(device, 0);
  std::atomic<bool> good{true};
  const double ns = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
                    static_cast<double>(rows < columns ? rows : columns);
  ParallelFor(device, count, 200 + ns, [&](Index begin, Index end) {
    Cpu one;
    for (Index i = begin; i < end; ++i)
      if (!body(one, i)) good.store(false, std::memory_order_relaxed);
  });
  return good.load();
}

// The type that elements are computed in: as they are (small floats as float), or double.
template <class T>
struct WorkOf {
  using type = T;
};
template <>
struct WorkOf<half> {
  using type = float;
};
template <class T>
struct WideOf {
  using type = double;
};
template <class R>
struct WideOf<std::complex<R>> {
  using type = complex128;
};
template <class From, class To>
void CopyAs(const From* from, To* to, Index n) {
  if constexpr (std::is_same_v<To, half>)
    for (Index i = 0; i < n; ++i) to[i] = static_cast<half>(static_cast<float>(from[i]));
  else
    for (Index i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}
template <class T>
SlimVector<T> Numbers(Index n) {
  return SlimVector<T>(static_cast<std::size_t>(n), T(0));
}

TENON_DETAIL_COLD inline Status NotInvertible(std::string_view op) {
  return errors::InvalidArgument(op, ": Input is not invertible.");
}

TENON_DETAIL_SETUP_CODE_BEGIN

// input: [..., n, n]  ->  batch: [...], n
inline Status SquareShape(InferenceContext* c, ShapeHandle input, ShapeHandle* batch, DimensionHandle* n) {
  ShapeHandle matrices;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, 2, &matrices));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(matrices, -2), c->Dim(matrices, -1), n));
  return c->Subshape(matrices, 0, -2, batch);
}
inline Status SquareUnchangedShape(InferenceContext* c) {
  ShapeHandle batch, out;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(SquareShape(c, c->input(0), &batch, &n));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(n, n), &out));
  c->set_output(0, out);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
