// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseSoftmax: over the stored elements of each row of the last dimension.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SparseSoftmaxShape(InferenceContext* c) {
  ShapeHandle unused, values;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  c->set_output(0, values);
  return OkStatus();
}

// out[k] = softmax of values[which[k]], k in [0, n). Half computes in float and is rounded at the end.
template <class T>
void SoftmaxOf(const T* values, const std::size_t* which, Index n, T* out) {
  using Step = std::conditional_t<std::is_same_v<T, double>, double, float>;
  Step most = -std::numeric_limits<Step>::infinity(), sum = 0;
  bool nan = false;
  for (Index k = 0; k < n; ++k) {
    const Step x = static_cast<Step>(values[which[k]]);
    nan = nan || std::isnan(x);
    most = std::max(most, x);
  }
  if (nan) most = std::numeric_limits<Step>::quiet_NaN();
  for (Index k = 0; k < n; ++k) sum += std::exp(static_cast<Step>(values[which[k]]) - most);
  for (Index k = 0; k < n; ++k) out[k] = static_cast<T>(std::exp(static_cast<Step>(values[which[k]]) - most) / sum);
}

inline Status CheckSparseSoftmax(const SparseInput& x) {
  constexpr const char* kOp = "SparseSoftmax";
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(kOp,
                                   ": Input sp_indices should be a matrix but received shape: ", x.indices->shape());
  if (x.values->dims() != 1 || x.shape->dims() != 1)
    return errors::InvalidArgument(kOp, ": Inputs sp_values and sp_shape should be vectors but received shapes: ",
                                   x.values->shape(), " and ", x.shape->shape());
  if (x.rank() < 2)
    return errors::InvalidArgument(
        kOp, ": Input should have rank >= 2, but received shape: ", SizesText(x.sizes(), x.rank()));
  if (x.indices->dim_size(0) != x.values->dim_size(0))
    return errors::InvalidArgument(kOp, ": indices and values rows (indexing dimension) must match. (indices = ",
                                   x.indices->dim_size(0), ", values = ", x.values->dim_size(0), ")");
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(kOp, x.sizes(), x.rank(), &shape));
  if (x.indices->dim_size(1) != x.rank())
    return errors::InvalidArgument(kOp, ": Order length must be SparseTensor rank, got indices of shape ",
                                   x.indices->shape(), " for rank ", x.rank());
  return OkStatus();
}

}  // namespace detail

// The values in row-major order of their places, whatever order they came in.
struct SparseSoftmax {
  static constexpr auto signature = Op("SparseSoftmax")
                                        .Input("sp_indices: int64")
                                        .Input("sp_values: T")
                                        .Input("sp_shape: int64")
                                        .Output("output: T")
                                        .Attr("T: {half, float, double}")
                                        .SetShapeFn(detail::SparseSoftmaxShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor& output) const {
      return Run(context.op(), &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Tensor* output) {
    const detail::SparseInput x = detail::SparseInputAt(context, 0);
    TENON_RETURN_IF_ERROR(detail::CheckSparseSoftmax(x));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, x.values->shape(), &output));
    const SparseRows rows = x.rows();
    const SlimVector<std::size_t> order = RowOrder(rows, AllColumns(rows.rank));
    const auto row = [&](Index k) { return rows.Row(static_cast<Index>(order[static_cast<std::size_t>(k)])); };
    for (Index begin = 0, end = 0; begin < rows.n; begin = end) {
      while (end < rows.n && CompareRows(row(end), row(begin), rows.rank - 1) == 0) ++end;
      const std::size_t* const which = order.data() + begin;
      if (x.values->dtype() == DataType::kFloat)
        detail::SoftmaxOf(x.values->data<float>(), which, end - begin, output->data<float>() + begin);
      else if (x.values->dtype() == DataType::kDouble)
        detail::SoftmaxOf(x.values->data<double>(), which, end - begin, output->data<double>() + begin);
      else
        detail::SoftmaxOf(x.values->data<half>(), which, end - begin, output->data<half>() + begin);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
