// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bincount, DenseBincount, RaggedBincount, SparseBincount, Bucketize, HistogramFixedWidth: how many values there are of
// each kind.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using HistogramTypes = TypeList<std::int32_t, std::int64_t, float, double>;

inline Status BincountShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  std::int64_t size = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(1, &size, &known));
  if (known && size < 0) return errors::InvalidArgument("size (", size, ") must be non-negative");
  c->set_output(0, c->Vector(known ? c->MakeDim(size) : c->UnknownDim()));
  return OkStatus();
}
inline Status DenseBincountShape(InferenceContext* c) {
  ShapeHandle input, unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  std::int64_t size = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(1, &size, &known));
  if (known && size < 0) return errors::InvalidArgument("size (", size, ") must be non-negative");
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  if (!known)
    c->set_output(0, c->UnknownShapeOfRank(c->Rank(input)));
  else
    c->set_output(0, c->Rank(input) == 2 ? c->Matrix(c->Dim(input, 0), size) : c->Vector(size));
  return OkStatus();
}
inline Status SparseBincountShape(InferenceContext* c) {
  std::int64_t value = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(3, &value, &known));
  if (known && value < 0) return errors::InvalidArgument("size (", value, ") must be non-negative");
  const DimensionHandle size = known ? c->MakeDim(value) : c->UnknownDim();
  SlimVector<std::int64_t> dense;
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &dense, &known));
  if (!known) return shape_inference::UnknownShape(c);
  c->set_output(0, dense.size() == 1 ? c->Vector(size) : c->Matrix(c->MakeDim(dense.empty() ? 0 : dense[0]), size));
  return OkStatus();
}
inline Status HistogramShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  DimensionHandle two;
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(unused, 0), 2, &two));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  std::int64_t bins = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &bins, &known));
  if (known && bins <= 0) return errors::InvalidArgument("Requires nbins > 0: ", bins);
  c->set_output(0, c->Vector(known ? c->MakeDim(bins) : c->UnknownDim()));
  return OkStatus();
}

// bins[at[i]] += weights[i] (1 where weights is null), i in [begin, end); binary: = 1. What lies outside is left out.
template <class T>
void CountInto(const HostIndices& at, Index begin, Index end, const void* weights, bool binary, void* bins,
               Index size) {
  for (Index i = begin; i < end; ++i) {
    if (at[i] >= size) continue;
    T& bin = static_cast<T*>(bins)[at[i]];
    const T weight = weights == nullptr ? T(1) : static_cast<const T*>(weights)[i];
    if (binary)
      bin = T(1);
    else if constexpr (std::is_integral_v<T>)  // wraps
      bin = static_cast<T>(static_cast<std::uint64_t>(bin) + static_cast<std::uint64_t>(weight));
    else
      bin += weight;
  }
}

inline Status RunBincount(OpKernelContext& context, Cpu& device, const HostIndices& input, const HostIndices& size,
                          const Tensor& weights, bool is_dense, bool binary, Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  const TensorShape& shape = input.shape();
  if (is_dense && shape.dims() > 2)
    return errors::InvalidArgument(op, ": Shape must be at most rank 2 but is rank ", shape.dims());
  if (size.shape().dims() != 0)
    return errors::InvalidArgument(op, ": Shape must be rank 0 but is rank ", size.shape().dims(), " for size");
  if (size[0] < 0) return errors::InvalidArgument(op, ": size (", size[0], ") must be non-negative");
  const bool weighted = weights.NumElements() > 0;
  if (weighted && is_dense && !(weights.shape() == shape))
    return errors::InvalidArgument(op,
                                   ": `weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case "
                                   "it acts as all weights equal to 1. Received ",
                                   weights.shape(), " for input of shape ", shape);
  if (weighted && weights.NumElements() != input.size())
    return errors::InvalidArgument(op, ": Input indices and weights must have the same size. Received ", input.size(),
                                   " and ", weights.NumElements());
  for (Index i = 0; i < input.size(); ++i)
    if (input[i] < 0)
      return errors::InvalidArgument(op, ": Input arr must be non-negative! Negative input value found: ", input[i]);
  const Index rows = is_dense && shape.dims() == 2 ? shape.dim_size(0) : 1;
  TensorShape out_shape;
  if (is_dense && shape.dims() == 2) TENON_RETURN_IF_ERROR(out_shape.AddDimWithStatus(rows));
  TENON_RETURN_IF_ERROR(out_shape.AddDimWithStatus(size[0]));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, out_shape, &output));
  const ElementMover mover = MoverOf(output->dtype());
  Zero(device, mover, output->raw_data(), output->NumElements());
  if (input.size() == 0) return OkStatus();  // however many rows
  return DispatchType<HistogramTypes>(output->dtype(), [&]<class T>() {
    const Index columns = input.size() / rows;
    for (Index r = 0; r < rows; ++r)
      CountInto<T>(input, r * columns, (r + 1) * columns, weighted ? weights.raw_data() : nullptr, binary,
                   mover.At(output->raw_data(), r * size[0]), size[0]);
  });
}

// Counts values in `rows` rows, of which row_of(i) says that of value i; -1: in no row. rows == -1: no rows, a vector.
// Negative values of no row are no error.
template <class RowOf>
Status CountRows(OpKernelContext& context, Cpu& device, const HostIndices& values, const HostIndices& size,
                 const Tensor& weights, bool binary, Index rows, RowOf row_of) {
  const std::string_view op = context.op_kernel().type_string();
  if (size.shape().dims() != 0)
    return errors::InvalidArgument(op, ": Shape must be rank 0 but is rank ", size.shape().dims());
  if (size[0] < 0) return errors::InvalidArgument(op, ": size (", size[0], ") must be non-negative");
  const bool weighted = weights.NumElements() > 0;
  if (weighted && weights.NumElements() != values.size())
    return errors::InvalidArgument(op, ": `weights` must have as many elements as `values` or none; got ",
                                   weights.NumElements(), " weights for ", values.size(), " values");
  for (Index i = 0; i < values.size(); ++i)
    if (values[i] < 0 && row_of(i) >= 0)
      return errors::InvalidArgument(op, ": Input must be non-negative; values[", i, "] is ", values[i]);
  TensorShape shape;
  if (rows >= 0) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(rows));
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(size[0]));
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  const ElementMover mover = MoverOf(output->dtype());
  Zero(device, mover, output->raw_data(), output->NumElements());
  return DispatchType<HistogramTypes>(output->dtype(), [&]<class T>() {
    for (Index i = 0; i < values.size(); ++i) {
      const Index row = row_of(i);
      if (row >= 0)
        CountInto<T>(values, i, i + 1, weighted ? weights.raw_data() : nullptr, binary,
                     mover.At(output->raw_data(), row * size[0]), size[0]);
    }
  });
}

inline Status RunRaggedBincount(OpKernelContext& context, Cpu& device, const HostIndices& splits,
                                const HostIndices& values, const HostIndices& size, const Tensor& weights,
                                bool binary) {
  const std::string_view op = context.op_kernel().type_string();
  if (splits.shape().dims() != 1 || splits.size() == 0)
    return errors::InvalidArgument(op, ": splits must be a vector with at least one element, got shape ",
                                   splits.shape());
  const Index rows = splits.size() - 1;
  if (splits[0] != 0) return errors::InvalidArgument(op, ": Splits must start with 0, not with ", splits[0]);
  if (splits[rows] != values.size())
    return errors::InvalidArgument(op, ": Splits must end with the number of values, got ", splits[rows],
                                   " instead of ", values.size());
  for (Index i = 1; i <= rows; ++i)
    if (splits[i] < splits[i - 1])
      return errors::InvalidArgument(op, ": Splits must not decrease; splits[", i, "] is ", splits[i], " after ",
                                     splits[i - 1]);
  Index row = 0;
  return CountRows(context, device, values, size, weights, binary, rows, [&](Index i) {
    if (i == 0) row = 0;
    while (i >= splits[row + 1]) ++row;
    return row;
  });
}

inline Status RunSparseBincount(OpKernelContext& context, Cpu& device, const HostIndices& indices,
                                const HostIndices& values, const HostIndices& dense_shape, const HostIndices& size,
                                const Tensor& weights, bool binary) {
  const std::string_view op = context.op_kernel().type_string();
  const Index rank = dense_shape.size();
  if (indices.shape().dims() != 2 || indices.shape().dim_size(0) != values.size() ||
      indices.shape().dim_size(1) != rank || dense_shape.shape().dims() != 1 || rank < 1)
    return errors::InvalidArgument(op,
                                   ": Input indices must be a 2-dimensional tensor of a row for each value and a "
                                   "column for each dimension; got shape ",
                                   indices.shape(), " for ", values.size(), " values and dense_shape of shape ",
                                   dense_shape.shape());
  const Index rows = rank == 1 ? -1 : dense_shape[0];
  if (rank > 1 && rows < 0)
    return errors::InvalidArgument(op, ": dense_shape must not be negative, got ", rows, " rows");
  for (Index i = 0; rank > 1 && i < values.size(); ++i)
    if (indices[i * rank] < 0 || indices[i * rank] >= rows)
      return errors::InvalidArgument(op, ": Index out of bound. `batch` (", indices[i * rank],
                                     ") must be less than the dimension size (", rows, ").");
  // As TensorFlow, which looks for negative values in vectors only.
  return CountRows(context, device, values, size, weights, binary, rows, [&](Index i) {
    return rank == 1 ? Index{0} : values[i] < 0 ? Index{-1} : indices[i * rank];
  });
}

template <class T>
void BucketRun(const T* in, Index n, const float* bounds, const float* end, std::int32_t* out) {
  using Compared = std::conditional_t<std::is_same_v<T, double>, double, float>;
  for (Index i = 0; i < n; ++i) {
    const auto value = static_cast<Compared>(in[i]);
    const float* at =
        std::upper_bound(bounds, end, value, [](Compared v, float bound) { return v < static_cast<Compared>(bound); });
    out[i] = static_cast<std::int32_t>(at - bounds);
  }
}

// The number of values in each of `bins` equal parts of [low, high); what lies outside counts in the first or the last.
template <class T>
Status HistogramRun(const T* values, Index n, T low, T high, Index bins, Tensor* out) {
  const double step = (std::is_integral_v<T> ? static_cast<double>(high) - static_cast<double>(low)
                                             : static_cast<double>(static_cast<T>(high - low))) /
                      static_cast<double>(bins);
  for (Index i = 0; i < n; ++i) {
    const T value = values[i] > low ? values[i] : low;
    double place = 0;
    if constexpr (std::is_integral_v<T>) {
      place = (static_cast<double>(value) - static_cast<double>(low)) / step;
    } else {
      if (values[i] != values[i])
        return errors::InvalidArgument("HistogramFixedWidth: Histogram values must not contain NaN; values[", i,
                                       "] is NaN");
      place = static_cast<double>(value - low) / step;
    }
    const Index bin = place < static_cast<double>(bins) ? static_cast<Index>(place) : place > 0 ? bins - 1 : 0;
    if (out->dtype() == DataType::kInt32)
      ++out->data<std::int32_t>()[bin];
    else
      ++out->data<std::int64_t>()[bin];
  }
  return OkStatus();
}

}  // namespace detail

// arr: any shape of numbers >= 0, weights: as many, or none  ->  bins: [size], how often each number is there.
struct Bincount {
  static constexpr auto signature = Op("Bincount")
                                        .Input("arr: int32")
                                        .Input("size: int32")
                                        .Input("weights: T")
                                        .Output("bins: T")
                                        .Attr("T: {int32, int64, float, double}")
                                        .SetShapeFn(detail::BincountShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices arr, HostIndices size, const Tensor& weights,
                      Tensor& bins) const {
      return detail::RunBincount(context.op(), context.device(), arr, size, weights, false, false, &bins);
    }
  };
};

// input: [n] or [b, n]  ->  [size] or [b, size]; binary_output: whether a number is there.
struct DenseBincount {
  static constexpr auto signature = Op("DenseBincount")
                                        .Input("input: Tidx")
                                        .Input("size: Tidx")
                                        .Input("weights: T")
                                        .Output("output: T")
                                        .Attr("Tidx: {int32, int64}")
                                        .Attr("T: {int32, int64, float, double}")
                                        .Attr("binary_output: bool = false")
                                        .SetShapeFn(detail::DenseBincountShape);

  struct Attrs {
    bool binary_output;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices input, HostIndices size, const Tensor& weights,
                      Tensor& output) const {
      return detail::RunBincount(context.op(), context.device(), input, size, weights, true, this->binary_output,
                                 &output);
    }
  };
};

// splits: [n + 1] of a ragged tensor, its flat values  ->  [n, size]
struct RaggedBincount {
  static constexpr auto signature = Op("RaggedBincount")
                                        .Input("splits: int64")
                                        .Input("values: Tidx")
                                        .Input("size: Tidx")
                                        .Input("weights: T")
                                        .Output("output: T")
                                        .Attr("Tidx: {int32, int64}")
                                        .Attr("T: {int32, int64, float, double}")
                                        .Attr("binary_output: bool = false")
                                        .SetShapeFn(shape_inference::UnknownShape);

  struct Attrs {
    bool binary_output;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices splits, HostIndices values, HostIndices size,
                      const Tensor& weights, Tensor&) const {
      return detail::RunRaggedBincount(context.op(), context.device(), splits, values, size, weights,
                                       this->binary_output);
    }
  };
};

// indices: [k, rank], values: [k], dense_shape: [rank] of a sparse tensor  ->  [size], or [dense_shape[0], size] where
// the rank is above 1
struct SparseBincount {
  static constexpr auto signature = Op("SparseBincount")
                                        .Input("indices: int64")
                                        .Input("values: Tidx")
                                        .Input("dense_shape: int64")
                                        .Input("size: Tidx")
                                        .Input("weights: T")
                                        .Output("output: T")
                                        .Attr("Tidx: {int32, int64}")
                                        .Attr("T: {int32, int64, float, double}")
                                        .Attr("binary_output: bool = false")
                                        .SetShapeFn(detail::SparseBincountShape);

  struct Attrs {
    bool binary_output;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices indices, HostIndices values, HostIndices dense_shape,
                      HostIndices size, const Tensor& weights, Tensor&) const {
      return detail::RunSparseBincount(context.op(), context.device(), indices, values, dense_shape, size, weights,
                                       this->binary_output);
    }
  };
};

// How many of the (ascending) boundaries are not above each element; all of them for NaN.
struct Bucketize {
  static constexpr auto signature = Op("Bucketize")
                                        .Input("input: T")
                                        .Output("output: int32")
                                        .Attr("T: {int32, int64, float, double}")
                                        .Attr("boundaries: list(float)")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::span<const float> boundaries;
  };

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      const auto first = std::is_sorted_until(this->boundaries.begin(), this->boundaries.end());
      if (first == this->boundaries.end()) return OkStatus();
      return errors::InvalidArgument("Bucketize: Expected sorted boundaries, but ", *first, " comes after ", first[-1]);
    }
    Status operator()(Device& device, In<T> input, Out<std::int32_t> output) const {
      const float* const bounds = this->boundaries.data();
      const float* const end = bounds + this->boundaries.size();
      ParallelFor(device, input.size(), 10, [&](Index from, Index to) {
        detail::BucketRun(input.data + from, to - from, bounds, end, output.data + from);
      });
      return OkStatus();
    }
  };
};

// values: any shape, value_range: [low, high]  ->  [nbins]
struct HistogramFixedWidth {
  static constexpr auto signature = Op("HistogramFixedWidth")
                                        .Input("values: T")
                                        .Input("value_range: T")
                                        .Input("nbins: int32")
                                        .Output("out: dtype")
                                        .Attr("T: {int32, int64, float, double}")
                                        .Attr("dtype: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::HistogramShape);

  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, In<T> values, In<T> value_range, HostIndices nbins, Tensor& out) const {
      if (value_range.shape().dims() != 1)
        return errors::InvalidArgument("HistogramFixedWidth: value_range should be a vector, got shape ",
                                       value_range.shape());
      if (value_range.size() != 2)
        return errors::InvalidArgument("HistogramFixedWidth: value_range should be a vector of 2 elements, got ",
                                       value_range.size());
      if (nbins.shape().dims() != 0)
        return errors::InvalidArgument("HistogramFixedWidth: nbins should be a scalar, got shape ", nbins.shape());
      const T low = value_range[0], high = value_range[1];
      if (!(low < high))
        return errors::InvalidArgument(
            "HistogramFixedWidth: value_range should satisfy value_range[0] < value_range[1], but got '[", low, ", ",
            high, "]'");
      if (nbins[0] <= 0)
        return errors::InvalidArgument("HistogramFixedWidth: nbins should be a positive number, but got '", nbins[0],
                                       "'");
      Tensor* result = &out;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape({nbins[0]}), &result));
      const ElementMover mover = MoverOf(result->dtype());
      Zero(context.device(), mover, result->raw_data(), nbins[0]);
      return detail::HistogramRun(values.data, values.size(), low, high, nbins[0], result);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
