// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedFillEmptyRows and its gradient: every row gets a value.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/sparse/fill_empty_rows.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status RaggedFillEmptyRowsShape(InferenceContext* c) {
  ShapeHandle rowids, values, unused;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &rowids));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(rowids, 0), c->Dim(values, 0), &n));
  for (int i = 0; i < 3; ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  const Tensor* const nrows = c->input_tensor(2);
  if (nrows != nullptr && nrows->NumElements() == 1 && nrows->data<std::int64_t>()[0] == 0)
    c->set_output(0, c->UnknownShape());  // the kernel gives a matrix
  c->set_output(3, rowids);
  return OkStatus();
}

inline Status CheckRaggedFill(const Tensor& rowids, const Tensor& values, const Tensor& nrows,
                              const Tensor& default_value) {
  constexpr const char* kOp = "RaggedFillEmptyRows";
  if (nrows.dims() != 0) return errors::InvalidArgument(kOp, ": nrows must be a scalar, saw: ", nrows.shape());
  if (rowids.dims() != 1) return errors::InvalidArgument(kOp, ": value_rowids must be a vector, saw: ", rowids.shape());
  if (values.dims() != 1) return errors::InvalidArgument(kOp, ": values must be a vector, saw: ", values.shape());
  if (rowids.NumElements() != values.NumElements())
    return errors::InvalidArgument(kOp, ": The length of `values` (", values.NumElements(),
                                   ") must match the first dimension of `value_rowids` (", rowids.NumElements(), ").");
  if (default_value.dims() != 0)
    return errors::InvalidArgument(kOp, ": default_value must be a scalar, saw: ", default_value.shape());
  const std::int64_t rows = nrows.data<std::int64_t>()[0];
  if (rows < 0)
    return errors::InvalidArgument(kOp, ": Expected shape dimensions to be non-negative, got ", rows, " rows");
  for (Index i = 0; i < rowids.NumElements(); ++i) {
    const std::int64_t row = rowids.data<std::int64_t>()[i];
    if (row < 0 || row >= rows)
      return errors::InvalidArgument(kOp, ": value_rowids[", i, "] is invalid: ", row, " is not in [0, ", rows, ")");
  }
  return OkStatus();
}

inline Status RunRaggedFill(OpKernelContext& context) {
  const Tensor &rowids = context.input(0), &values = context.input(1);
  TENON_RETURN_IF_ERROR(CheckRaggedFill(rowids, values, context.input(2), context.input(3)));
  const Index n = rowids.NumElements(), rows = context.input(2).data<std::int64_t>()[0];
  const std::int64_t* const row_of = rowids.data<std::int64_t>();
  Tensor *out_rows = nullptr, *out_values = nullptr, *empty = nullptr, *map = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({rows}), &empty));
  TENON_RETURN_IF_ERROR(context.allocate_output(3, TensorShape({n}), &map));
  Tensor next_place;  // output slot of the row's next value
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({rows}), &next_place));
  std::int64_t* const next = next_place.data<std::int64_t>();
  for (Index r = 0; r < rows; ++r) next[r] = 0;
  for (Index i = 0; i < n; ++i) ++next[row_of[i]];
  Index count = 0;
  for (Index r = 0; r < rows; ++r) {
    const bool none = next[r] == 0;
    empty->data<bool>()[r] = none;
    const Index own = none ? 1 : next[r];
    next[r] = count;
    count += own;
  }
  // Without rows TensorFlow's row numbers are a matrix.
  TENON_RETURN_IF_ERROR(context.allocate_output(0, rows == 0 ? TensorShape({0, 1}) : TensorShape({count}), &out_rows));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({count}), &out_values));
  const ElementMover mover = MoverOf(values.dtype());
  for (Index r = 0; r < rows; ++r) {
    if (!empty->data<bool>()[r]) continue;
    out_rows->data<std::int64_t>()[next[r]] = r;
    CopyRun(mover, context.input(3).raw_data(), mover.At(out_values->raw_data(), next[r]), 1);
  }
  for (Index i = 0; i < n; ++i) {
    const Index at = next[row_of[i]]++;
    out_rows->data<std::int64_t>()[at] = row_of[i];
    CopyRun(mover, mover.At(values.raw_data(), i), mover.At(out_values->raw_data(), at), 1);
    map->data<std::int64_t>()[i] = at;
  }
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// The values by rows, in their order within a row. A row without values gets default_value. reverse_index_map[i]: where
// value i went.
struct RaggedFillEmptyRows {
  static constexpr auto signature = Op("RaggedFillEmptyRows")
                                        .Input("value_rowids: int64")
                                        .Input("values: T")
                                        .Input("nrows: int64")
                                        .Input("default_value: T")
                                        .Output("output_value_rowids: int64")
                                        .Output("output_values: T")
                                        .Output("empty_row_indicator: bool")
                                        .Output("reverse_index_map: int64")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::RaggedFillEmptyRowsShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&,
                      Tensor&, Tensor&, Tensor&) const {
      return detail::RunRaggedFill(context.op());
    }
  };
};

// d_values[i] = grad_values[reverse_index_map[i]]; d_default_value: the sum of the other grad_values.
struct RaggedFillEmptyRowsGrad {
  static constexpr auto signature = Op("RaggedFillEmptyRowsGrad")
                                        .Input("reverse_index_map: int64")
                                        .Input("grad_values: T")
                                        .Output("d_values: T")
                                        .Output("d_default_value: T")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::FillEmptyRowsGradShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), detail::kSparseNumberTypes); }
    Status operator()(Context<Device>& context, const Tensor& map, const Tensor& grad, Tensor&, Tensor&) const {
      return detail::RunFillEmptyRowsGrad(context.op(), map, grad);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
