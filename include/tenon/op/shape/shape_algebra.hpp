// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShapeAlgebra: shapes made from other shapes and from values, and arithmetic on dimensions. Between ShapeArena and
// InferenceContext.

#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/shape_arena.hpp>
#include <tenon/op/shape/shape_errors.hpp>
#include <tenon/op/shape/shape_handles.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// externally synchronised.
class ShapeAlgebra : public ShapeArena {
 public:
  // --- shapes from shapes
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, ShapeHandle* out) {
    return Subshape(s, start, std::numeric_limits<std::int64_t>::max(), 1, out);
  }
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, std::int64_t end, ShapeHandle* out) {
    return Subshape(s, start, end, 1, out);
  }
  // Dimensions start, start + stride, ... before end; negative positions count from the end.
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, std::int64_t end, std::int64_t stride,
                            ShapeHandle* out) {
    const std::int64_t start_in = start, end_in = end, rank = Rank(s);
    if (start == 0 && stride == 1 && (end == std::numeric_limits<std::int64_t>::max() || (rank >= 0 && end >= rank)))
      return Done(out, s);
    if (rank == kUnknownRank) return Done(out, UnknownShape());
    if (start > rank) start = rank;
    if (end > rank) end = rank;
    if (stride < 0 && start == rank) --start;
    if (start < 0 && (start += rank) < 0)
      return Failed(out, detail::subshape_is_out_of_bounds("start", start_in, rank));
    if (end < 0 && (end += rank) < 0) return Failed(out, detail::subshape_is_out_of_bounds("end", end_in, rank));
    if (stride > 0 ? start > end : start < end)
      return Failed(out, detail::subshape_ends_before_it_starts(start, end, start_in, end_in, rank, stride));
    SlimVector<DimensionHandle> dims;
    for (std::int64_t i = start; stride > 0 ? i < end : i > end; i += stride) dims.push_back(DimKnownRank(s, i));
    return Done(out, MakeShape(dims));
  }
  constexpr Status Concatenate(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (!RankKnown(a) || !RankKnown(b)) return Done(out, UnknownShape());
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(Rank(a)) + static_cast<std::size_t>(Rank(b)));
    for (std::int32_t i = 0; i < Rank(a); ++i) dims.push_back(DimKnownRank(a, i));
    for (std::int32_t i = 0; i < Rank(b); ++i) dims.push_back(DimKnownRank(b, i));
    return Done(out, MakeShape(dims));
  }
  constexpr Status ReplaceDim(ShapeHandle s, std::int64_t index, DimensionHandle dim, ShapeHandle* out) {
    if (!RankKnown(s)) return Done(out, UnknownShape());
    const std::int64_t i = index < 0 ? index + Rank(s) : index;
    if (i < 0 || i >= Rank(s)) return Failed(out, detail::dimension_index_is_out_of_range(index, Rank(s)));
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(Rank(s)));
    for (std::int32_t d = 0; d < Rank(s); ++d) dims.push_back(d == i ? dim : DimKnownRank(s, d));
    return Done(out, MakeShape(dims));
  }

  // --- arithmetic: unknown where an operand is, apart from the neutral and absorbing numbers
  constexpr Status Divide(DimensionHandle d, DimensionOrConstant divisor, bool evenly, DimensionHandle* out) {
    const std::int64_t k = Value(divisor);
    if (k == 1) return Done(out, d);
    if (!ValueKnown(d) || (divisor.dim.IsSet() && k == kUnknownDim)) return Done(out, UnknownDim());
    if (k <= 0) return Failed(out, detail::divisor_must_be_positive(k));
    if (evenly && Value(d) % k != 0) return Failed(out, detail::dimension_must_be_divisible(k, Value(d)));
    return Done(out, MakeDim(Value(d) / k));
  }
  constexpr Status Add(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, MakeDim(second));
    if (b == 0) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    if (b > std::numeric_limits<std::int64_t>::max() - a)
      return Failed(out, detail::dimension_overflows_in_a_sum(a, b));
    return Done(out, MakeDim(a + b));
  }
  constexpr Status Subtract(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (b == 0) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    if (a < b) return Failed(out, detail::dimension_becomes_negative(a, b));
    return Done(out, MakeDim(a - b));
  }
  constexpr Status Multiply(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, first);
    if (b == 0) return Done(out, MakeDim(second));
    if (a == 1) return Done(out, MakeDim(second));
    if (b == 1) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    const std::int64_t product = MultiplyWithoutOverflow(a, b);
    if (product < 0) return Failed(out, detail::dimension_overflows_in_a_product(a, b));
    return Done(out, MakeDim(product));
  }
  constexpr Status Min(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, first);
    if (b == 0) return Done(out, MakeDim(second));
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    return Done(out, a <= b ? first : MakeDim(second));
  }
  constexpr Status Max(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    return Done(out, a >= b ? first : MakeDim(second));
  }

  // --- shapes from values
  // `tensor` may be null; then only its shape counts.
  Status MakeShapeFromTensor(const Tensor* tensor, ShapeHandle tensor_shape, ShapeHandle* out) {
    TENON_RETURN_IF_ERROR(WithRank(tensor_shape, 1, &tensor_shape));
    return tensor == nullptr ? UnknownShapeOfLength(tensor_shape, out) : ShapeFromTensor(*tensor, out);
  }
  Status MakeShapeFromPartialTensorShape(const PartialTensorShape& shape, ShapeHandle* out) {
    return Done(out, shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes()));
  }
  Status MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out) {
    return Done(out, MakeShape(shape.dim_sizes()));
  }

  static Status GetScalarFromTensor(const Tensor* tensor, std::int64_t* value) {
    if (tensor->dims() != 0) return errors::InvalidArgument("Input must be scalar but has rank ", tensor->dims());
    if (tensor->dtype() == DataType::kInt32)
      *value = *tensor->data<std::int32_t>();
    else if (tensor->dtype() == DataType::kInt64)
      *value = *tensor->data<std::int64_t>();
    else if (tensor->dtype() == DataType::kInt16)
      *value = *tensor->data<std::int16_t>();
    else
      return errors::InvalidArgument("Scalar input must be int32 or int64.");
    return OkStatus();
  }
  static Status GetScalarFromTensor(const Tensor* tensor, std::int64_t index, std::int64_t* value) {
    if (tensor->dims() != 1) return errors::InvalidArgument("Input must be 1D but has rank ", tensor->dims());
    const std::int64_t n = tensor->NumElements();
    if (index < 0 || index >= n) return errors::InvalidArgument("Invalid index ", index, " for Tensor of size ", n);
    if (tensor->dtype() == DataType::kInt32)
      *value = tensor->data<std::int32_t>()[index];
    else if (tensor->dtype() == DataType::kInt64)
      *value = tensor->data<std::int64_t>()[index];
    else
      return errors::InvalidArgument("Tensor input must be int32 or int64.");
    return OkStatus();
  }

 protected:
  constexpr ShapeAlgebra() = default;

  constexpr Status UnknownShapeOfLength(ShapeHandle vector, ShapeHandle* out) {
    constexpr std::int64_t kMax = 1 << 25;
    const std::int64_t n = Value(Dim(vector, 0));
    if (n == kUnknownDim) return Done(out, UnknownShape());
    if (n >= kMax) return Failed(out, detail::too_many_dimensions(n, kMax));
    return Done(out, UnknownShapeOfRank(n));
  }
  constexpr Status ShapeFromValues(Span<const std::int64_t> values, ShapeHandle* out) {
    for (const std::int64_t v : values)
      if (v < -1) return Failed(out, detail::shape_value_is_invalid(v));
    return Done(out, MakeShape(values));
  }
  static Status ReadTensor(const Tensor& t, SlimVector<std::int64_t>* values) {
    values->clear();
    const auto n = static_cast<std::size_t>(t.NumElements());
    if (t.dtype() == DataType::kInt32)
      values->assign(t.data<std::int32_t>(), t.data<std::int32_t>() + n);
    else if (t.dtype() == DataType::kInt64)
      values->assign(t.data<std::int64_t>(), t.data<std::int64_t>() + n);
    else if (t.dtype() == DataType::kInt16)
      values->assign(t.data<std::int16_t>(), t.data<std::int16_t>() + n);
    else
      return errors::InvalidArgument("Input tensor must be int32 or int64, but was ", t.dtype());
    return OkStatus();
  }
  Status ShapeFromTensor(const Tensor& t, ShapeHandle* out) {
    if (t.dims() > 1)
      return Failed(out, errors::InvalidArgument("Input tensor must be rank 1, but was rank ", t.dims()));
    if (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64)
      return Failed(out, errors::InvalidArgument("Input tensor must be int32 or int64, but was ", t.dtype()));
    SlimVector<std::int64_t> values;
    TENON_RETURN_IF_ERROR(ReadTensor(t, &values));
    if (t.dims() == 1) return ShapeFromValues(values, out);
    if (values.front() != -1) return Failed(out, detail::scalar_shape_must_be_minus_one(values.front()));
    return Done(out, UnknownShape());
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
