// SPDX-License-Identifier: Apache-2.0
#pragma once
// DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput: how often each value stands in each row, as
// a sparse tensor.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct CountAttrs {
  std::int64_t minlength;
  std::int64_t maxlength;
  bool binary_output;
};

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status SetCountShapes(InferenceContext* c, DimensionHandle rank) {
  c->set_output(0, c->Matrix(c->UnknownDim(), rank));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(rank));
  return OkStatus();
}
inline DimensionHandle RankDim(InferenceContext* c, ShapeHandle shape, int more) {
  return c->RankKnown(shape) ? c->MakeDim(c->Rank(shape) + more) : c->UnknownDim();
}
inline Status DenseCountShape(InferenceContext* c) {
  ShapeHandle values = c->input(0);
  const DimensionHandle weights = c->NumElements(c->input(1));
  if (!c->ValueKnown(weights) || c->Value(weights) != 0) TENON_RETURN_IF_ERROR(c->Merge(c->input(1), values, &values));
  return SetCountShapes(c, RankDim(c, values, 0));
}
// Before a run the shape functions of TensorFlow count all dimensions. The kernels, which see the inputs' values, give
// two at most.
inline Status SparseCountShape(InferenceContext* c) {
  ShapeHandle indices;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  const DimensionHandle rank = c->Dim(indices, 1);
  return SetCountShapes(c, c->input_tensor(0) != nullptr && c->Value(rank) > 2 ? c->MakeDim(2) : rank);
}
inline Status RaggedCountShape(InferenceContext* c) {
  return SetCountShapes(c, c->input_tensor(1) != nullptr ? c->MakeDim(2) : RankDim(c, c->input(1), 1));
}

// The values to count.
struct CountInput {
  std::string_view op;
  const HostIndices* values;
  const Tensor* weights;  // without elements: each value counts 1
  Index rows;  // -1: the output is a vector
  SlimVector<Index> row;  // the row of each value; empty: all in row 0

  Index RowOf(std::size_t i) const { return row.empty() ? 0 : row[i]; }
};

inline Status CheckCountWeights(std::string_view op, const TensorShape& values, const Tensor& weights) {
  if (weights.NumElements() == 0 || weights.shape() == values) return OkStatus();
  return errors::InvalidArgument(op, ": Weights and values must have the same shape. Weight shape: ", weights.shape(),
                                 "; values shape: ", values);
}

// out[k] := the sum of the weights of the values that order lists from starts[k] on.
template <class T>
void SumCounts(const Tensor& weights, bool binary, const SlimVector<std::size_t>& order,
               const SlimVector<std::size_t>& starts, void* out) {
  const T* const weight = weights.NumElements() > 0 ? weights.data<T>() : nullptr;
  using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;  // integers wrap around
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t end = k + 1 < starts.size() ? starts[k + 1] : order.size();
    T sum = T(0);
    for (std::size_t i = starts[k]; i < end; ++i)
      sum = static_cast<T>(static_cast<Sum>(sum) + static_cast<Sum>(weight == nullptr ? T(1) : weight[order[i]]));
    static_cast<T*>(out)[k] = binary ? T(1) : sum;
  }
}

// Orders items by key(item), equal ones in their order, keys in [0, keys).
template <class Key>
void CountingSort(Index keys, const Key& key, SlimVector<std::size_t>* items) {
  SlimVector<std::size_t> ends(static_cast<std::size_t>(keys), std::size_t{0}), sorted(items -> size());
  for (const std::size_t item : *items) ++ends[static_cast<std::size_t>(key(item))];
  std::size_t end = 0;
  for (std::size_t& place : ends) {
    const std::size_t count = place;
    place = end;
    end += count;
  }
  for (const std::size_t item : *items) sorted[ends[static_cast<std::size_t>(key(item))]++] = item;
  items->swap(sorted);
}

inline Status RunCount(OpKernelContext& context, const CountInput& in, const CountAttrs& attrs) {
  const HostIndices& values = *in.values;
  Index largest = 0;
  SlimVector<std::size_t> kept;
  for (Index i = 0; i < values.size(); ++i) {
    if (values[i] < 0)
      return errors::InvalidArgument(in.op, ": Input values must all be non-negative, got ", values[i]);
    if (attrs.maxlength >= 0 && values[i] >= attrs.maxlength) continue;
    largest = std::max(largest, values[i]);
    kept.push_back(static_cast<std::size_t>(i));
  }
  if (largest == std::numeric_limits<Index>::max())
    return errors::InvalidArgument(in.op, ": value ", largest, " is too large to be counted");
  const auto before = [&](std::size_t a, std::size_t b) {
    const Index row_a = in.RowOf(kept[a]), row_b = in.RowOf(kept[b]);
    if (row_a != row_b) return row_a < row_b;
    return values[static_cast<Index>(kept[a])] < values[static_cast<Index>(kept[b])];
  };
  // Values and rows that are not much more than the elements are counted instead of compared.
  const Index few = 4 * static_cast<Index>(kept.size()) + 64;
  SlimVector<std::size_t> order, starts;
  if (largest < few && in.rows <= few) {
    for (std::size_t k = 0; k < kept.size(); ++k) order.push_back(k);
    CountingSort(largest + 1, [&](std::size_t k) { return values[static_cast<Index>(kept[k])]; }, &order);
    if (in.rows > 1) CountingSort(in.rows, [&](std::size_t k) { return in.RowOf(kept[k]); }, &order);
  } else {
    order = SortedOrder(kept.size(), before);
  }
  for (std::size_t k = 0; k < order.size(); ++k)
    if (k == 0 || before(order[k - 1], order[k])) starts.push_back(k);
  for (std::size_t& place : order) place = kept[place];
  const Index rank = in.rows < 0 ? 1 : 2, n = static_cast<Index>(starts.size());
  Tensor *indices = nullptr, *counts = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, rank}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &counts));
  std::int64_t* to = indices->data<std::int64_t>();
  for (const std::size_t start : starts) {
    if (rank == 2) *to++ = in.RowOf(order[start]);
    *to++ = values[static_cast<Index>(order[start])];
  }
  const Index columns = attrs.maxlength >= 0 ? attrs.maxlength : std::max(largest + 1, attrs.minlength);
  const std::int64_t sizes[] = {in.rows, columns};
  TENON_RETURN_IF_ERROR(SetVector(context, 2, rank == 2 ? sizes : sizes + 1, rank));
  return DispatchType<TypeList<std::int32_t, std::int64_t, float, double>>(counts->dtype(), [&]<class T>() {
    SumCounts<T>(*in.weights, attrs.binary_output, order, starts, counts->raw_data());
  });
}

inline Status RunDenseCount(OpKernelContext& context, const HostIndices& values, const CountAttrs& attrs) {
  CountInput in{"DenseCountSparseOutput", &values, &context.input(1), -1, {}};
  const TensorShape& shape = values.shape();
  if (shape.dims() != 1 && shape.dims() != 2)
    return errors::InvalidArgument(in.op, ": Input must be a 1 or 2-dimensional tensor. Got: ", shape);
  TENON_RETURN_IF_ERROR(CheckCountWeights(in.op, shape, *in.weights));
  if (shape.dims() == 2) {
    in.rows = shape.dim_size(0);
    if (in.rows == 0)
      return errors::InvalidArgument(in.op, ": Invalid input: Shapes dimension cannot be 0, got ", shape);
    for (Index i = 0; i < values.size(); ++i) in.row.push_back(i / shape.dim_size(1));
  }
  return RunCount(context, in, attrs);
}

inline Status RunSparseCount(OpKernelContext& context, const HostIndices& values, const CountAttrs& attrs) {
  CountInput in{"SparseCountSparseOutput", &values, &context.input(3), -1, {}};
  const SparseInput x = SparseInputAt(context, 0);
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(in.op, ": Input indices must be a 2-dimensional tensor. Got: ", x.indices->shape());
  if (x.values->dims() != 1)
    return errors::InvalidArgument(in.op, ": Input values must be a vector. Got: ", x.values->shape());
  if (x.shape->dims() != 1)
    return errors::InvalidArgument(in.op, ": Input shape must be a vector. Got: ", x.shape->shape());
  TENON_RETURN_IF_ERROR(CheckSparse(in.op, x));
  if (x.rank() == 0)
    return errors::InvalidArgument(in.op, ": The shape argument requires at least one element, got ", x.shape->shape());
  const SparseRows rows = x.rows();
  if (const Index bad = FirstOutside(rows, x.sizes()); bad >= 0)
    return errors::InvalidArgument(in.op, ": Invalid index value at ", bad, ": ", SizesText(rows.Row(bad), rows.rank),
                                   " does not lie in the dense shape ", SizesText(x.sizes(), x.rank()));
  TENON_RETURN_IF_ERROR(CheckCountWeights(in.op, x.values->shape(), *in.weights));
  if (x.rank() > 1) {
    in.rows = x.sizes()[0];
    if (in.rows <= 0 || in.rows >= std::numeric_limits<std::int32_t>::max())
      return errors::InvalidArgument(in.op, ": Cannot allocate ", in.rows, " batches, is the dense shape too wide?");
    for (Index i = 0; i < rows.n; ++i) in.row.push_back(rows.Row(i)[0]);
  }
  for (Index d = 0; d < x.rank(); ++d)
    if (x.sizes()[d] < 0)
      return errors::InvalidArgument(
          in.op, ": Elements in dense_shape must be >= 0. Instead got: ", SizesText(x.sizes(), x.rank()));
  return RunCount(context, in, attrs);
}

inline Status RunRaggedCount(OpKernelContext& context, const HostIndices& splits, const HostIndices& values,
                             const CountAttrs& attrs) {
  CountInput in{"RaggedCountSparseOutput", &values, &context.input(2), splits.size() - 1, {}};
  TENON_RETURN_IF_ERROR(CheckCountWeights(in.op, values.shape(), *in.weights));
  if (in.rows < 1)
    return errors::InvalidArgument(in.op, ": Must provide at least 2 elements for the splits argument, got ",
                                   splits.size());
  if (splits[0] != 0) return errors::InvalidArgument(in.op, ": Splits must start with 0, not with ", splits[0]);
  if (splits[in.rows] != values.size())
    return errors::InvalidArgument(in.op, ": Splits must end with the number of values, got ", splits[in.rows],
                                   " instead of ", values.size());
  Index next = 0;  // splits that fall are not refused; the last one ends the search
  for (Index i = 0; i < values.size(); ++i) {
    while (i >= splits[next]) ++next;
    in.row.push_back(next - 1);
  }
  return RunCount(context, in, attrs);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// values: [n] or [rows, n]
struct DenseCountSparseOutput {
  static constexpr auto signature = Op("DenseCountSparseOutput")
                                        .Input("values: T")
                                        .Input("weights: output_type")
                                        .Output("output_indices: int64")
                                        .Output("output_values: output_type")
                                        .Output("output_dense_shape: int64")
                                        .Attr("T: {int32, int64}")
                                        .Attr("minlength: int >= -1 = -1")
                                        .Attr("maxlength: int >= -1 = -1")
                                        .Attr("binary_output: bool")
                                        .Attr("output_type: {int32, int64, float, double}")
                                        .SetShapeFn(detail::DenseCountShape);
  using Attrs = detail::CountAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices values, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunDenseCount(context.op(), values, *this);
    }
  };
};

// The first dimension of the sparse tensor are the rows; the others do not matter.
struct SparseCountSparseOutput {
  static constexpr auto signature = Op("SparseCountSparseOutput")
                                        .Input("indices: int64")
                                        .Input("values: T")
                                        .Input("dense_shape: int64")
                                        .Input("weights: output_type")
                                        .Output("output_indices: int64")
                                        .Output("output_values: output_type")
                                        .Output("output_dense_shape: int64")
                                        .Attr("T: {int32, int64}")
                                        .Attr("minlength: int >= -1 = -1")
                                        .Attr("maxlength: int >= -1 = -1")
                                        .Attr("binary_output: bool")
                                        .Attr("output_type: {int32, int64, float, double}")
                                        .SetShapeFn(detail::SparseCountShape);
  using Attrs = detail::CountAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices values, const Tensor&, const Tensor&,
                      Tensor&, Tensor&, Tensor&) const {
      return detail::RunSparseCount(context.op(), values, *this);
    }
  };
};

// splits: [rows + 1]
struct RaggedCountSparseOutput {
  static constexpr auto signature = Op("RaggedCountSparseOutput")
                                        .Input("splits: int64")
                                        .Input("values: T")
                                        .Input("weights: output_type")
                                        .Output("output_indices: int64")
                                        .Output("output_values: output_type")
                                        .Output("output_dense_shape: int64")
                                        .Attr("T: {int32, int64}")
                                        .Attr("minlength: int >= -1 = -1")
                                        .Attr("maxlength: int >= -1 = -1")
                                        .Attr("binary_output: bool")
                                        .Attr("output_type: {int32, int64, float, double}")
                                        .SetShapeFn(detail::RaggedCountShape);
  using Attrs = detail::CountAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices splits, HostIndices values, const Tensor&, Tensor&, Tensor&,
                      Tensor&) const {
      return detail::RunRaggedCount(context.op(), splits, values, *this);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
