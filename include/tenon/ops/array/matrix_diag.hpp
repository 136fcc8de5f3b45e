// SPDX-License-Identifier: Apache-2.0
#pragma once
// Diagonals of matrices: MatrixDiag, MatrixDiagPart, MatrixSetDiag in both versions, MatrixBandPart, Diag, DiagPart.
//
// Diagonal d of a matrix holds its elements [r, r + d]. Several diagonals are the rows of a matrix, the highest first,
// each at the left or the right end of its row as `align` says.

#include <algorithm>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/diagonal_shape_fns.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The diagonals of one op call.
struct Diagonals {
  Index lower = 0, upper = 0;
  bool left_above = false, left_below = true;  // where superdiagonals and subdiagonals begin in their rows
  Index rows = 0, columns = 0, length = 0;     // rows, columns of a matrix; length of the longest diagonal

  void Align(std::string_view align) {  // "RIGHT_LEFT": superdiagonals, subdiagonals
    left_above = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
    left_below = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  }
  Status Read(const char* op, const HostIndices& k) {
    if (k.shape().dims() > 1)
      return errors::InvalidArgument(op, ": diag_index must be a scalar or vector, received shape: ", k.shape());
    if (k.size() < 1 || k.size() > 2)
      return errors::InvalidArgument(op, ": diag_index must have only one or two elements, received ", k.size(),
                                     " elements.");
    lower = k[0];
    upper = k[k.size() - 1];
    if (lower > upper)
      return errors::InvalidArgument(op, ": lower_diag_index must not be larger than upper_diag_index: ", lower, " > ",
                                     upper);
    return OkStatus();
  }
  // The matrices that the input holds.
  Status ReadMatrix(const char* op, const TensorShape& shape) {
    if (shape.dims() < 2) return errors::InvalidArgument(op, ": input must be at least 2-dim, received shape: ", shape);
    rows = shape.dim_size(shape.dims() - 2);
    columns = shape.dim_size(shape.dims() - 1);
    for (const Index d : {lower, upper})
      if (d != 0 && (d <= -rows || d >= columns))
        return errors::InvalidArgument(op, ": ", d == lower ? "lower" : "upper", "_diag_index is out of bound: ", d,
                                       ". It must be between ", -rows, " and ", columns);
    length = std::min(rows + std::min<Index>(upper, 0), columns - std::max<Index>(lower, 0));
    return OkStatus();
  }
  Index count() const { return upper - lower + 1; }
  Index LengthOf(Index d) const { return std::min(rows + std::min<Index>(d, 0), columns - std::max<Index>(d, 0)); }
  // Where in its row of `length` diagonal d begins.
  Index OffsetOf(Index d) const {
    const bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : length - LengthOf(d);
  }
  Index FirstOf(Index d) const { return d >= 0 ? d : -d * columns; }  // element of the matrix
};

// Copies between `batch` matrices and their diagonals, all at once.
inline void CopyDiagonals(Cpu& device, const ElementMover& mover, const Diagonals& k, Index batch, bool to_matrix,
                          const void* from, void* to) {
  const Index matrix = k.rows * k.columns, packed = k.count() * k.length;
  ParallelFor(device, batch, mover.cost_ns() * 4 * static_cast<double>(packed) + 5, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      for (Index d = k.lower; d <= k.upper; ++d) {
        const Index n = k.LengthOf(d), step = k.columns + 1, in_matrix = b * matrix + k.FirstOf(d);
        const Index in_packed = b * packed + (k.upper - d) * k.length + k.OffsetOf(d);
        if (n <= 0) continue;
        if (to_matrix)
          CopyPieces(mover, 1, mover.At(from, in_packed), 1, mover.At(to, in_matrix), step, n);
        else
          CopyPieces(mover, 1, mover.At(from, in_matrix), step, mover.At(to, in_packed), 1, n);
      }
    }
  });
}

TENON_DETAIL_COLD inline Status BadPaddingValue(const char* op, const Tensor& value) {
  return errors::InvalidArgument(op, ": padding_value must be a scalar, received shape: ", value.shape());
}
inline void FillOrZero(Cpu& device, const ElementMover& mover, const Tensor* value, Tensor* out) {
  if (value == nullptr)
    Zero(device, mover, out->raw_data(), out->NumElements());
  else
    tenon::Fill(device, mover, value->raw_data(), out->raw_data(), out->NumElements());
}

// Matrices with these diagonals (k.lower, k.upper and the alignment are set); -1 rows or columns: as few as possible.
inline Status MakeMatrices(OpKernelContext& context, Cpu& device, Diagonals k, Index rows, Index columns,
                           const Tensor& diagonal, const Tensor* padding, Tensor* out) {
  const int rank = diagonal.dims();
  if (rank < 1)
    return errors::InvalidArgument("MatrixDiag: diagonal must be at least 1-dim, received shape: ", diagonal.shape());
  const bool one = k.lower == k.upper;
  if (!one && (rank < 2 || diagonal.dim_size(rank - 2) != k.count()))
    return errors::InvalidArgument(
        "MatrixDiag: The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range: ",
        diagonal.shape(), " for ", k.lower, " to ", k.upper);
  k.length = diagonal.dim_size(rank - 1);
  TENON_RETURN_IF_ERROR(shape_inference::internal::MatrixSizes(k.lower, k.upper, k.length, &rows, &columns));
  k.rows = rows;
  k.columns = columns;
  TensorShape shape = diagonal.shape();
  TENON_RETURN_IF_ERROR(shape.RemoveLastDimsWithStatus(one ? 1 : 2));
  const Index batch = shape.num_elements();
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(rows));
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(columns));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const ElementMover mover = MoverOf(diagonal.dtype());
  FillOrZero(device, mover, padding, out);
  if (diagonal.NumElements() > 0 && shape.num_elements() > 0)
    CopyDiagonals(device, mover, k, batch, true, diagonal.raw_data(), out->raw_data());
  return OkStatus();
}

inline Status TakeDiagonals(OpKernelContext& context, Cpu& device, Diagonals k, const Tensor& input,
                            const Tensor* padding, Tensor* out) {
  TENON_RETURN_IF_ERROR(k.ReadMatrix("MatrixDiagPart", input.shape()));
  TensorShape shape = input.shape();
  TENON_RETURN_IF_ERROR(shape.RemoveLastDimsWithStatus(2));
  const Index batch = shape.num_elements();
  if (k.count() > 1) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(k.count()));
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(k.length));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const ElementMover mover = MoverOf(input.dtype());
  if (k.count() > 1) FillOrZero(device, mover, padding, out);
  if (shape.num_elements() > 0) CopyDiagonals(device, mover, k, batch, false, input.raw_data(), out->raw_data());
  return OkStatus();
}

inline Status ReplaceDiagonals(OpKernelContext& context, Cpu& device, Diagonals k, const Tensor& input,
                               const Tensor& diagonal, Tensor* out) {
  TENON_RETURN_IF_ERROR(k.ReadMatrix("MatrixSetDiag", input.shape()));
  TensorShape wanted = input.shape();
  TENON_RETURN_IF_ERROR(wanted.RemoveLastDimsWithStatus(2));
  const Index batch = wanted.num_elements();
  if (k.count() > 1) TENON_RETURN_IF_ERROR(wanted.AddDimWithStatus(k.count()));
  TENON_RETURN_IF_ERROR(wanted.AddDimWithStatus(k.length));
  if (!(diagonal.shape() == wanted))
    return errors::InvalidArgument(
        "MatrixSetDiag: Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is "
        "not equal to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: ",
        input.shape(), "\nDiagonal shape: ", diagonal.shape(), "\nExpected diagonal shape: ", wanted);
  const void* before = input.raw_data();
  const TensorShape shape = input.shape();
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &out));
  const ElementMover mover = MoverOf(out->dtype());
  if (out->raw_data() != before) Copy(device, mover, before, out->raw_data(), shape.num_elements());
  if (wanted.num_elements() > 0) CopyDiagonals(device, mover, k, batch, true, diagonal.raw_data(), out->raw_data());
  return OkStatus();
}

// With diagonals k[0] to k[1], aligned as `align` says.
inline Status MakeMatricesOf(const char* op, std::string_view align, OpKernelContext& context, Cpu& device,
                             const Tensor& diagonal, const HostIndices& k, const HostIndices& num_rows,
                             const HostIndices& num_cols, const Tensor& padding_value, Tensor* out) {
  Diagonals diagonals;
  diagonals.Align(align);
  TENON_RETURN_IF_ERROR(diagonals.Read(op, k));
  if (num_rows.shape().dims() != 0)
    return errors::InvalidArgument(op, ": num_rows must be a scalar, received shape: ", num_rows.shape());
  if (num_cols.shape().dims() != 0)
    return errors::InvalidArgument(op, ": num_cols must be a scalar, received shape: ", num_cols.shape());
  if (padding_value.dims() != 0) return BadPaddingValue(op, padding_value);
  return MakeMatrices(context, device, diagonals, num_rows[0], num_cols[0], diagonal, &padding_value, out);
}
inline Status TakeDiagonalsOf(const char* op, std::string_view align, OpKernelContext& context, Cpu& device,
                              const Tensor& input, const HostIndices& k, const Tensor& padding_value, Tensor* out) {
  Diagonals diagonals;
  diagonals.Align(align);
  TENON_RETURN_IF_ERROR(diagonals.Read(op, k));
  if (padding_value.NumElements() != 1) return BadPaddingValue(op, padding_value);
  return TakeDiagonals(context, device, diagonals, input, &padding_value, out);
}
inline Status ReplaceDiagonalsOf(const char* op, std::string_view align, OpKernelContext& context, Cpu& device,
                                 const Tensor& input, const Tensor& diagonal, const HostIndices& k, Tensor* out) {
  Diagonals diagonals;
  diagonals.Align(align);
  TENON_RETURN_IF_ERROR(diagonals.Read(op, k));
  return ReplaceDiagonals(context, device, diagonals, input, diagonal, out);
}

}  // namespace detail

// diagonal: [b, n]  ->  [b, n, n], zeros around
struct MatrixDiag {
  static constexpr auto signature = Op("MatrixDiag")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::MatrixDiagShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, Tensor& output) const {
      return detail::MakeMatrices(context.op(), context.device(), {}, -1, -1, diagonal, nullptr, &output);
    }
  };
};

// input: [b, m, n]  ->  [b, min(m, n)]
struct MatrixDiagPart {
  static constexpr auto signature = Op("MatrixDiagPart")
                                        .Input("input: T")
                                        .Output("diagonal: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::MatrixDiagPartShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& diagonal) const {
      return detail::TakeDiagonals(context.op(), context.device(), {}, input, nullptr, &diagonal);
    }
  };
};

// input: [b, m, n], diagonal: [b, min(m, n)]  ->  the input with that diagonal
struct MatrixSetDiag {
  static constexpr auto signature = Op("MatrixSetDiag")
                                        .Input("input: T")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::MatrixSetDiagShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& diagonal, Tensor& output) const {
      return detail::ReplaceDiagonals(context.op(), context.device(), {}, input, diagonal, &output);
    }
  };
};

// MatrixDiag with diagonals k[0] to k[1], the sizes of a matrix and the value around the diagonals.
struct MatrixDiagV3 {
  static constexpr auto signature =
      Op("MatrixDiagV3")
          .Input("diagonal: T")
          .Input("k: int32")
          .Input("num_rows: int32")
          .Input("num_cols: int32")
          .Input("padding_value: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
          .SetShapeFn(shape_inference::MatrixDiagV2Shape);
  struct Attrs {
    std::string_view align;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, HostIndices k, HostIndices num_rows,
                      HostIndices num_cols, const Tensor& padding_value, Tensor& output) const {
      return detail::MakeMatricesOf("MatrixDiagV3", this->align, context.op(), context.device(), diagonal, k, num_rows,
                                    num_cols, padding_value, &output);
    }
  };
};

// MatrixDiagPart of diagonals k[0] to k[1].
struct MatrixDiagPartV3 {
  static constexpr auto signature =
      Op("MatrixDiagPartV3")
          .Input("input: T")
          .Input("k: int32")
          .Input("padding_value: T")
          .Output("diagonal: T")
          .Attr("T: type")
          .Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
          .SetShapeFn(shape_inference::MatrixDiagPartV2Shape);
  struct Attrs {
    std::string_view align;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices k, const Tensor& padding_value,
                      Tensor& diagonal) const {
      return detail::TakeDiagonalsOf("MatrixDiagPartV3", this->align, context.op(), context.device(), input, k,
                                     padding_value, &diagonal);
    }
  };
};

// MatrixSetDiag of diagonals k[0] to k[1].
struct MatrixSetDiagV3 {
  static constexpr auto signature =
      Op("MatrixSetDiagV3")
          .Input("input: T")
          .Input("diagonal: T")
          .Input("k: int32")
          .Output("output: T")
          .Attr("T: type")
          .Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
          .SetShapeFn(shape_inference::MatrixSetDiagV2Shape);
  struct Attrs {
    std::string_view align;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& diagonal, HostIndices k,
                      Tensor& output) const {
      return detail::ReplaceDiagonalsOf("MatrixSetDiagV3", this->align, context.op(), context.device(), input, diagonal,
                                        k, &output);
    }
  };
};

// Zeros outside of num_lower subdiagonals and num_upper superdiagonals; a negative number means all of them.
struct MatrixBandPart {
  static constexpr auto signature = Op("MatrixBandPart")
                                        .Input("input: T")
                                        .Input("num_lower: Tindex")
                                        .Input("num_upper: Tindex")
                                        .Output("band: T")
                                        .Attr("T: type")
                                        .Attr("Tindex: {int32, int64} = DT_INT64")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices num_lower, HostIndices num_upper,
                      Tensor& band) const {
      return Run(context.op(), context.device(), input, num_lower, num_upper, &band);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& num_lower,
                    const HostIndices& num_upper, Tensor* band) {
    const int rank = input.dims();
    if (rank < 2)
      return errors::InvalidArgument("MatrixBandPart: input must be at least 2-dim, received shape: ", input.shape());
    if (num_lower.shape().dims() != 0)
      return errors::InvalidArgument("MatrixBandPart: num_lower must be scalar, got shape ", num_lower.shape());
    if (num_upper.shape().dims() != 0)
      return errors::InvalidArgument("MatrixBandPart: num_upper must be scalar, got shape ", num_upper.shape());
    const Index rows = input.dim_size(rank - 2), columns = input.dim_size(rank - 1);
    const Index lower = num_lower[0], upper = num_upper[0];
    if (lower > rows)
      return errors::InvalidArgument("MatrixBandPart: num_lower must be negative or less or equal to number of rows (",
                                     rows, ") got: ", lower);
    if (upper > columns)
      return errors::InvalidArgument(
          "MatrixBandPart: num_upper must be negative or less or equal to number of columns (", columns,
          ") got: ", upper);
    const Index all = input.NumElements();
    const void* before = input.raw_data();
    const ElementMover mover = MoverOf(input.dtype());
    TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, input.shape(), &band));
    if (all == 0) return OkStatus();
    void* const out = band->raw_data();
    ParallelFor(device, all / columns, mover.cost_ns() * static_cast<double>(columns) + 5, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Index r = row % rows, at = row * columns;
        const Index first = lower < 0 ? 0 : std::min(columns, std::max<Index>(0, r - lower));
        const Index last = upper < 0 ? columns : std::min(columns, r + upper + 1);
        if (out != before && last > first)
          CopyRun(mover, mover.At(before, at + first), mover.At(out, at + first), last - first);
        ZeroRun(mover, mover.At(out, at), first);
        ZeroRun(mover, mover.At(out, at + std::max(first, last)), columns - std::max(first, last));
      }
    });
    return OkStatus();
  }
};

// diagonal: [a, b]  ->  [a, b, a, b], zeros but where the two halves of the index are equal
struct Diag {
  static constexpr auto signature = Op("Diag")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
                                        .SetShapeFn(shape_inference::DiagShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble) |
                                         ToSet(DataType::kInt32) | ToSet(DataType::kInt64) | kComplexTypes;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, Tensor& output) const {
      if (diagonal.dims() < 1) return errors::InvalidArgument("Diag: Input must be at least rank 1, got 0");
      TensorShape shape = diagonal.shape();
      TENON_RETURN_IF_ERROR(shape.AppendShapeWithStatus(diagonal.shape()));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      const ElementMover mover = MoverOf(diagonal.dtype());
      const Index n = diagonal.NumElements();
      Zero(context.device(), mover, out->raw_data(), out->NumElements());
      if (n > 0) CopyPieces(mover, 1, diagonal.raw_data(), 1, out->raw_data(), n + 1, n);
      return OkStatus();
    }
  };
};

// input: [a, b, a, b]  ->  [a, b]
struct DiagPart {
  static constexpr auto signature = Op("DiagPart")
                                        .Input("input: T")
                                        .Output("diagonal: T")
                                        .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
                                        .SetShapeFn(shape_inference::DiagPartShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), Diag::kServed); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& diagonal) const {
      const int rank = input.dims();
      if (rank % 2 != 0)
        return errors::InvalidArgument("DiagPart: The rank of the tensor should be even and positive, got shape ",
                                       input.shape());
      TensorShape shape = input.shape();
      TENON_RETURN_IF_ERROR(shape.RemoveLastDimsWithStatus(rank / 2));
      for (int d = 0; d < rank / 2; ++d)
        if (input.dim_size(d) != input.dim_size(d + rank / 2))
          return errors::InvalidArgument("DiagPart: Invalid shape ", input.shape(), ": dimensions ", d, " and ",
                                         d + rank / 2, " do not match.");
      Tensor* out = &diagonal;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      const Index n = out->NumElements();
      if (n > 0) CopyPieces(MoverOf(input.dtype()), 1, input.raw_data(), n + 1, out->raw_data(), 1, n);
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
