// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseFillEmptyRows and its gradient: every row of the first dimension gets an element.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status FillEmptyRowsShape(InferenceContext* c) {
  ShapeHandle indices, values, shape, unused, constant;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  DimensionHandle n = c->Dim(indices, 0), unused_rank;
  TENON_RETURN_IF_ERROR(c->Merge(n, c->Dim(values, 0), &n));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused_rank));
  if (c->Value(c->Dim(shape, 0)) == 0) return errors::InvalidArgument("dense_shape must not be empty");
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &constant));
  c->set_output(0, c->Matrix(c->UnknownDim(), c->Dim(shape, 0)));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(c->RankKnown(constant) ? c->Dim(constant, 0) : c->UnknownDim()));
  c->set_output(3, c->Vector(n));
  return OkStatus();
}
inline Status FillEmptyRowsGradShape(InferenceContext* c) {
  ShapeHandle map, grad;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &map));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &grad));
  c->set_output(0, map);
  c->set_output(1, c->Scalar());
  return OkStatus();
}

inline Status CheckFillEmptyRows(const SparseInput& x, const Tensor& default_value) {
  constexpr const char* kOp = "SparseFillEmptyRows";
  if (x.shape->dims() != 1)
    return errors::InvalidArgument(kOp, ": dense_shape must be a vector, saw: ", x.shape->shape());
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(kOp, ": indices must be a matrix, saw: ", x.indices->shape());
  if (x.values->dims() != 1) return errors::InvalidArgument(kOp, ": values must be a vector, saw: ", x.values->shape());
  if (x.indices->dim_size(0) != x.values->dim_size(0))
    return errors::InvalidArgument(kOp, ": The length of `values` (", x.values->dim_size(0),
                                   ") must match the first dimension of `indices` (", x.indices->dim_size(0), ").");
  if (x.indices->dim_size(1) != x.shape->dim_size(0))
    return errors::InvalidArgument(kOp, ": The length of `dense_shape` (", x.shape->dim_size(0),
                                   ") must match the second dimension of `indices` (", x.indices->dim_size(1), ").");
  if (default_value.dims() != 0)
    return errors::InvalidArgument(kOp, ": default_value must be a scalar, saw: ", default_value.shape());
  if (x.rank() == 0) return errors::InvalidArgument(kOp, ": Dense shape cannot be empty.");
  const std::int64_t rows = x.sizes()[0];
  if (rows < 0) return errors::InvalidArgument(kOp, ": Expected shape dimensions to be non-negative, got ", rows);
  if (rows == 0 && x.indices->dim_size(0) != 0)
    return errors::InvalidArgument(
        kOp, ": Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ", x.indices->dim_size(0));
  return OkStatus();
}

inline Status RunFillEmptyRowsGrad(OpKernelContext& context, const Tensor& map, const Tensor& grad) {
  const std::string_view op = context.op_kernel().type_string();
  if (map.dims() != 1) return errors::InvalidArgument(op, ": reverse_index_map must be a vector, saw: ", map.shape());
  if (grad.dims() != 1) return errors::InvalidArgument(op, ": grad_values must be a vector, saw: ", grad.shape());
  const Index n = map.NumElements(), m = grad.NumElements();
  Tensor *values = nullptr, *rest = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n}), &values));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape(), &rest));
  const ElementMover mover = MoverOf(grad.dtype());
  SlimVector<char> visited(static_cast<std::size_t>(m), 0);
  for (Index i = 0; i < n; ++i) {
    const std::int64_t at = map.data<std::int64_t>()[i];
    if (at < 0 || at >= m)
      return errors::InvalidArgument(op, ": Elements in reverse index must be in [0, ", m, ") but got ", at);
    visited[static_cast<std::size_t>(at)] = 1;
    CopyRun(mover, mover.At(grad.raw_data(), at), mover.At(values->raw_data(), i), 1);
  }
  const ElementMath& math = *ElementMathOf(grad.dtype());
  ZeroRun(mover, rest->raw_data(), 1);
  for (Index i = 0; i < m; ++i)
    if (visited[static_cast<std::size_t>(i)] == 0)
      math.add(rest->raw_data(), mover.At(grad.raw_data(), i), rest->raw_data(), 1);
  return OkStatus();
}

}  // namespace detail

// The elements by their first index, in their order within a row. A row without elements gets default_value at [row, 0,
// 0, ...]. reverse_index_map[i]: where input element i went.
struct SparseFillEmptyRows {
  static constexpr auto signature = Op("SparseFillEmptyRows")
                                        .Input("indices: int64")
                                        .Input("values: T")
                                        .Input("dense_shape: int64")
                                        .Input("default_value: T")
                                        .Output("output_indices: int64")
                                        .Output("output_values: T")
                                        .Output("empty_row_indicator: bool")
                                        .Output("reverse_index_map: int64")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::FillEmptyRowsShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor& default_value, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return Run(context.op(), default_value);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& default_value) {
    const detail::SparseInput x = detail::SparseInputAt(context, 0);
    TENON_RETURN_IF_ERROR(detail::CheckFillEmptyRows(x, default_value));
    const SparseRows in = x.rows();
    const Index rows = x.sizes()[0], rank = in.rank;
    Tensor *indices = nullptr, *values = nullptr, *empty = nullptr, *map = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({rows}), &empty));
    TENON_RETURN_IF_ERROR(context.allocate_output(3, TensorShape({in.n}), &map));
    Tensor next_place;  // output slot of the row's next element
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({rows}), &next_place));
    std::int64_t* const next = next_place.data<std::int64_t>();
    for (Index r = 0; r < rows; ++r) next[r] = 0;
    for (Index i = 0; i < in.n; ++i) {
      const std::int64_t row = in.Row(i)[0];
      if (row < 0 || row >= rows)
        return errors::InvalidArgument("SparseFillEmptyRows: indices(", i, ", 0) is invalid: ", row,
                                       row < 0 ? " < 0, of " : " >= ", rows, row < 0 ? " rows" : "");
      ++next[row];
    }
    Index count = 0;
    for (Index r = 0; r < rows; ++r) {
      const bool none = next[r] == 0;
      empty->data<bool>()[r] = none;
      const Index own = none ? 1 : next[r];
      next[r] = count;
      count += own;
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({count, rank}), &indices));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({count}), &values));
    const ElementMover mover = MoverOf(values->dtype());
    std::int64_t* const to = indices->data<std::int64_t>();
    for (Index r = 0; r < rows; ++r) {
      if (!empty->data<bool>()[r]) continue;
      to[next[r] * rank] = r;
      for (Index d = 1; d < rank; ++d) to[next[r] * rank + d] = 0;
      CopyRun(mover, default_value.raw_data(), mover.At(values->raw_data(), next[r]), 1);
    }
    for (Index i = 0; i < in.n; ++i) {
      const Index at = next[in.Row(i)[0]]++;
      for (Index d = 0; d < rank; ++d) to[at * rank + d] = in.Row(i)[d];
      CopyRun(mover, mover.At(x.values->raw_data(), i), mover.At(values->raw_data(), at), 1);
      map->data<std::int64_t>()[i] = at;
    }
    return OkStatus();
  }
};

// d_values[i] = grad_values[reverse_index_map[i]]; d_default_value: the sum of the other grad_values.
struct SparseFillEmptyRowsGrad {
  static constexpr auto signature = Op("SparseFillEmptyRowsGrad")
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
