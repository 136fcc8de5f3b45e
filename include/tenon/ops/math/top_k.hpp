// SPDX-License-Identifier: Apache-2.0
#pragma once
// TopK, TopKV2, InTopK, InTopKV2, NthElement: the greatest elements of each row.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/reduce/top_k.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status TopKShapeOf(InferenceContext* c, DimensionHandle k) {
  ShapeHandle input, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  const DimensionHandle last = c->Dim(input, -1);
  if (c->ValueKnown(last) && c->ValueKnown(k) && c->Value(last) < c->Value(k))
    return errors::InvalidArgument("input must have last dimension >= k = ", c->Value(k), " but is ", c->Value(last));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, -1, k, &out));
  c->set_output(0, out);
  c->set_output(1, out);
  return OkStatus();
}
inline Status TopKShape(InferenceContext* c) {
  std::int64_t k = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("k", &k));
  return TopKShapeOf(c, c->MakeDim(k));
}
inline Status TopKV2Shape(InferenceContext* c) {
  DimensionHandle k;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &k));
  return TopKShapeOf(c, k);
}
inline Status InTopKShape(InferenceContext* c) {
  ShapeHandle predictions, targets;
  DimensionHandle batch;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &predictions));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &targets));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(predictions, 0), c->Dim(targets, 0), &batch));
  c->set_output(0, c->Vector(batch));
  return OkStatus();
}
inline Status NthElementShape(InferenceContext* c) {
  ShapeHandle input, out;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &n));
  const DimensionHandle last = c->Dim(input, -1);
  if (c->ValueKnown(last) && c->ValueKnown(n) && c->Value(last) <= c->Value(n))
    return errors::InvalidArgument("Input must have last dimension > n = ", c->Value(n), " but is ", c->Value(last));
  TENON_RETURN_IF_ERROR(c->Subshape(input, 0, -1, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline void StorePlace(DataType type, void* out, Index i, std::int32_t place) {
  if (type == DataType::kInt32)
    static_cast<std::int32_t*>(out)[i] = place;
  else if (type == DataType::kInt64)
    static_cast<std::int64_t*>(out)[i] = place;
  else
    static_cast<std::int16_t*>(out)[i] = static_cast<std::int16_t>(place);
}

inline Status RunTopK(OpKernelContext& context, Cpu& device, const Tensor& input, Index k, bool sorted) {
  if (k < 0) return errors::InvalidArgument("TopK: Need k >= 0, got ", k);
  if (input.dims() < 1) return errors::InvalidArgument("TopK: input must be >= 1-D, got shape ", input.shape());
  const Index n = input.dim_size(input.dims() - 1);
  if (n < k) return errors::InvalidArgument("TopK: input must have at least k columns. Had ", n, ", needed ", k);
  const DataType place_type = context.expected_output_dtype(1);
  const Index most = place_type == DataType::kInt16 ? std::numeric_limits<std::int16_t>::max()
                                                    : std::numeric_limits<std::int32_t>::max();
  if (n > most)
    return errors::InvalidArgument("TopK: the last dimension of the input is too large for indices of type ",
                                   Name(place_type), ": got ", n, ", at most ", most, " would be right");
  TensorShape shape = input.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(shape.dims() - 1, k));
  Tensor *values = nullptr, *places = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &values));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, shape, &places));
  if (shape.num_elements() == 0) return OkStatus();
  const Index rows = shape.num_elements() / k, room = static_cast<Index>((TopKScratchBytes(n) + 63) & ~std::size_t{63});
  const WideType type = WideTypeOf(input.dtype());
  const Index parts = tenon::detail::WorthwhileParts(device, 4.0 * static_cast<double>(input.NumElements()));
  const Scratch scratch(device, static_cast<std::size_t>(parts * room));
  TENON_RETURN_IF_ERROR(scratch.status("TopK"));
  tenon::detail::RunParts(device, parts, [&](Index part) {
    const Index end = tenon::detail::PartBegin(rows, parts, 1, part + 1);
    for (Index row = tenon::detail::PartBegin(rows, parts, 1, part); row < end; ++row) {
      const std::int32_t* at = tenon::TopK(type, static_cast<const char*>(input.raw_data()) + row * n * type.bytes, n,
                                           k, sorted, scratch.As<char>(static_cast<std::size_t>(part * room)),
                                           static_cast<char*>(values->raw_data()) + row * k * type.bytes);
      for (Index i = 0; i < k; ++i) StorePlace(place_type, places->raw_data(), row * k + i, at[i]);
    }
  });
  return OkStatus();
}

// Whether fewer than k predictions are beyond the target's. False for targets that are not a class, and when a
// prediction met on the way is not finite.
inline bool IsInTopK(const float* predictions, Index classes, Index target, Index k) {
  if (target < 0 || target >= classes || !std::isfinite(predictions[target])) return false;
  Index more = 0;
  for (Index i = 0; i < classes; ++i) {
    if (!std::isfinite(predictions[i])) return false;
    if (predictions[i] > predictions[target] && ++more > k) return false;
  }
  return more < k;
}
inline Status RunInTopK(OpKernelContext& context, const Tensor& predictions, const HostIndices& targets, Index k,
                        Tensor* precision) {
  if (predictions.dims() != 2)
    return errors::InvalidArgument("InTopK: predictions must be 2-dimensional, got shape ", predictions.shape());
  if (targets.shape().dims() != 1)
    return errors::InvalidArgument("InTopK: targets must be 1-dimensional, got shape ", targets.shape());
  const Index rows = predictions.dim_size(0), classes = predictions.dim_size(1);
  if (rows != targets.size())
    return errors::InvalidArgument("InTopK: First dimension of predictions ", rows, " must match length of targets ",
                                   targets.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, targets.shape(), &precision));
  for (Index i = 0; i < rows; ++i)
    precision->data<bool>()[i] = IsInTopK(predictions.data<float>() + i * classes, classes, targets[i], k);
  return OkStatus();
}

}  // namespace detail

// input: [..., n]  ->  values, indices: [..., k], the greatest first; of equal ones the first comes first.
struct TopKV2 {
  static constexpr auto signature =
      Op("TopKV2")
          .Input("input: T")
          .Input("k: Tk")
          .Output("values: T")
          .Output("indices: index_type")
          .Attr("sorted: bool = true")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tk: {int16, int32, int64} = DT_INT32")
          .Attr("index_type: {int16, int32, int64} = DT_INT32")
          .SetShapeFn(detail::TopKV2Shape);

  struct Attrs {
    bool sorted;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices k, Tensor&, Tensor&) const {
      if (k.shape().dims() != 0) return errors::InvalidArgument("TopKV2: k must be scalar, got shape ", k.shape());
      return detail::RunTopK(context.op(), context.device(), input, k[0], this->sorted);
    }
  };
};

// TopKV2 with k as an attr, for old graphs.
struct TopK {
  static constexpr auto signature =
      Op("TopK")
          .Input("input: T")
          .Output("values: T")
          .Output("indices: int32")
          .Attr("k: int >= 0")
          .Attr("sorted: bool = true")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Deprecated(7, "Use TopKV2 instead")
          .SetShapeFn(detail::TopKShape);

  struct Attrs {
    std::int64_t k;
    bool sorted;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&, Tensor&) const {
      return detail::RunTopK(context.op(), context.device(), input, this->k, this->sorted);
    }
  };
};

// predictions: [b, classes]  targets: [b]  ->  [b]
struct InTopK {
  static constexpr auto signature = Op("InTopK")
                                        .Input("predictions: float")
                                        .Input("targets: T")
                                        .Output("precision: bool")
                                        .Attr("k: int")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::InTopKShape);

  struct Attrs {
    std::int64_t k;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& predictions, HostIndices targets,
                      Tensor& precision) const {
      return detail::RunInTopK(context.op(), predictions, targets, this->k, &precision);
    }
  };
};

struct InTopKV2 {
  static constexpr auto signature = Op("InTopKV2")
                                        .Input("predictions: float")
                                        .Input("targets: T")
                                        .Input("k: T")
                                        .Output("precision: bool")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::InTopKShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& predictions, HostIndices targets, HostIndices k,
                      Tensor& precision) const {
      if (k.shape().dims() != 0) return errors::InvalidArgument("InTopKV2: k must be 0-D, got shape ", k.shape());
      return detail::RunInTopK(context.op(), predictions, targets, k[0], &precision);
    }
  };
};

// input: [..., m]  ->  [...]: the n-th smallest (or, reversed, greatest) of each row, counted from 0.
struct NthElement {
  static constexpr auto signature =
      Op("NthElement")
          .Input("input: T")
          .Input("n: int32")
          .Output("values: T")
          .Attr("reverse: bool = false")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(detail::NthElementShape);

  struct Attrs {
    bool reverse;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices n, Tensor& values) const {
      return Run(context.op(), context.device(), input, n, this->reverse, &values);
    }
  };

 private:
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& n,
                                      bool reverse, Tensor* values) {
    if (n.shape().dims() != 0)
      return errors::InvalidArgument("NthElement: N must be scalar but has rank ", n.shape().dims());
    if (n[0] < 0) return errors::InvalidArgument("NthElement: n must be non-negative but is ", n[0]);
    if (input.dims() < 1)
      return errors::InvalidArgument("NthElement: Input must be at least rank 1 but is rank ", input.dims());
    const Index size = input.dim_size(input.dims() - 1);
    if (size <= n[0])
      return errors::InvalidArgument("NthElement: Input must have last dimension > n = ", n[0], ", got shape ",
                                     input.shape());
    TensorShape shape = input.shape();
    TENON_RETURN_IF_ERROR(shape.RemoveLastDimsWithStatus(1));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &values));
    const WideType type = WideTypeOf(input.dtype());
    const Scratch row(device, static_cast<std::size_t>(size) * 8);
    TENON_RETURN_IF_ERROR(row.status("NthElement"));
    for (Index i = 0; i < shape.num_elements(); ++i)
      tenon::NthElement(type, static_cast<const char*>(input.raw_data()) + i * size * type.bytes, size, n[0], reverse,
                        row.As<char>(), static_cast<char*>(values->raw_data()) + i * type.bytes);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
