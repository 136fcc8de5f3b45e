// SPDX-License-Identifier: Apache-2.0
#pragma once
// Split, SplitV, Unpack: a tensor cut along one axis.

#include <cstddef>
#include <cstdint>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kUnpackTypes =
    kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);
inline constexpr DataTypeSet kSplitTypes =
    kUnpackTypes | ToSet(DataType::kQuint8) | ToSet(DataType::kInt4) | ToSet(DataType::kUint4);

// Output i is the next sizes[i] of axis `axis`; the sizes add up to the whole. Unpack: every size is 1 and the axis
// vanishes.
template <class Device>
Status CutAlong(OpKernelContext& context, Device& device, const Tensor& value, int axis, std::span<const Index> sizes,
                bool drop_axis, std::span<Tensor> output) {
  // Sharing a part takes a small block of the heap and keeps the whole alive: for large parts only.
  constexpr Index kWorthSharingBytes = 32768;
  const ElementMover mover = MoverOf(value.dtype());
  const TensorShape& whole = value.shape();
  const Index outer = ProductOfSizes(whole, 0, axis), inner = ProductOfSizes(whole, axis + 1, whole.dims());
  const Index row = MultiplySizes(whole.dim_size(axis), inner);
  Index begin = 0;
  InlinedVector<SplitPart, 8> parts;
  bool copies = false;
  for (std::size_t i = 0; i < output.size(); ++i) {
    TensorShape shape = whole;
    if (drop_axis)
      TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(axis));
    else
      TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(axis, sizes[i]));
    Tensor* out = &output[i];
    if (value.NumElements() == 0) {  // its other sizes may be anything
      TENON_RETURN_IF_ERROR(context.allocate_output(static_cast<int>(i), shape, &out));
      continue;
    }
    const Index size = drop_axis ? 1 : sizes[i], run = size * inner;
    if (run == row || (axis == 0 && run * mover.bytes >= kWorthSharingBytes)) {
      *out = Tensor(value.dtype());
      (void)out->CopyFrom(run == row ? value : value.Slice(begin, begin + size), shape);  // the element counts agree
      parts.push_back({nullptr, run});
    } else {
      TENON_RETURN_IF_ERROR(context.allocate_output(static_cast<int>(i), shape, &out));
      parts.push_back({out->raw_data(), run});
      copies = copies || run > 0;
    }
    begin += size;
  }
  if (!copies) return OkStatus();
  return tenon::Split(device, mover, {parts.data(), parts.size()}, outer, value.raw_data());
}

inline Status CheckSplitAxis(const Tensor& value, Index axis, int* at) {
  const int rank = value.dims();
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Split: -input rank(-", rank, ") <= split_dim < input rank (", rank, "), but got ",
                                   axis);
  *at = static_cast<int>(axis < 0 ? axis + rank : axis);
  return OkStatus();
}

}  // namespace detail

namespace detail {
TENON_DETAIL_COLD inline Status SplitShape(InferenceContext* c) {
  ShapeHandle input = c->input(1), out;
  DimensionHandle axis, size;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(0, c->Rank(input), &axis));
  if (!c->ValueKnown(axis)) {
    out = c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape();
  } else {
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, c->Value(axis) + 1, &input));
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(input, c->Value(axis)), c->num_outputs(), true, &size));
    TENON_RETURN_IF_ERROR(c->ReplaceDim(input, c->Value(axis), size, &out));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}
}  // namespace detail

// value: [a, b], split_dim = 1  ->  num_split times [a, b / num_split]
struct Split {
  static constexpr auto signature = Op("Split")
                                        .Input("split_dim: int32")
                                        .Input("value: T")
                                        .Output("output: num_split * T")
                                        .Attr("num_split: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SplitShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(1), detail::kSplitTypes); }
    Status operator()(Context<Device>& context, HostIndices split_dim, const Tensor& value,
                      std::span<Tensor> output) const {
      return Run(context.op(), context.device(), split_dim, value, output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const HostIndices& split_dim, const Tensor& value,
                    std::span<Tensor> output) {
    if (split_dim.shape().dims() != 0)
      return errors::InvalidArgument("Split: split_dim must be a scalar but has rank ", split_dim.shape().dims());
    int axis = 0;
    TENON_RETURN_IF_ERROR(detail::CheckSplitAxis(value, split_dim[0], &axis));
    const auto parts = static_cast<Index>(output.size());
    if (value.dim_size(axis) % parts != 0)
      return errors::InvalidArgument(
          "Split: Number of ways to split should evenly divide the split dimension, but got split_dim ", axis,
          " (size = ", value.dim_size(axis), ") and num_split ", parts);
    const SlimVector<Index> sizes(output.size(), value.dim_size(axis) / parts);
    return detail::CutAlong(context, device, value, axis, sizes, false, output);
  }
};

namespace detail {
// As in TensorFlow an axis that is not known counts as the last.
TENON_DETAIL_COLD inline Status SplitVKnownShape(InferenceContext* c, ShapeHandle input, std::int64_t axis,
                                                 const SlimVector<std::int64_t>& sizes) {
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, axis + 1, &input));
  if (static_cast<int>(sizes.size()) != c->num_outputs())
    return errors::InvalidArgument("Length of size_splits should be equal to num_outputs");
  std::int64_t total = 0;
  bool open = false;
  for (const std::int64_t size : sizes) {
    if (size == -1 && open) return errors::InvalidArgument("size_splits can only have one -1");
    open = open || size == -1;
    if (size != -1)
      total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(size));
  }
  const std::int64_t whole = c->Value(c->Dim(input, axis));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t size = sizes[i];
    if (size == -1 && whole >= 0)
      size = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) - static_cast<std::uint64_t>(total));
    if (size < -1 || (size == -1 && whole >= 0))
      return errors::InvalidArgument("Split size at index ", i, " must be >= 0. Got: ", size);
    ShapeHandle out;
    TENON_RETURN_IF_ERROR(c->ReplaceDim(input, axis, c->MakeDim(size), &out));
    c->set_output(static_cast<int>(i), out);
  }
  if (whole >= 0 && (open ? total > whole : total != whole))
    return errors::InvalidArgument("can't split axis of size ", whole, " into pieces of size [", StrJoin(sizes, ","),
                                   "]");
  return OkStatus();
}
TENON_DETAIL_COLD inline Status SplitVShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  DimensionHandle axis;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(2, c->Rank(input), &axis));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  if (const Tensor* t = c->input_tensor(1); t != nullptr && t->dtype() == DataType::kInt8) {
    known = true;
    for (Index i = 0; i < t->NumElements(); ++i) sizes.push_back(t->data<std::int8_t>()[i]);
  } else {
    TENON_RETURN_IF_ERROR(c->ReadInput(1, &sizes, &known));
  }
  const int parts = c->num_outputs();
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  if (c->Rank(input) == 0) return errors::InvalidArgument("Can't split scalars");
  if (!known) {
    ShapeHandle out = c->UnknownShapeOfRank(c->Rank(input));
    for (int i = 0; i < parts; ++i) {
      if (c->ValueKnown(axis)) TENON_RETURN_IF_ERROR(c->ReplaceDim(input, c->Value(axis), c->UnknownDim(), &out));
      c->set_output(i, out);
    }
    return OkStatus();
  }
  return SplitVKnownShape(c, input, c->Value(axis), sizes);
}
}  // namespace detail

// Split with the sizes as an input. One of several sizes may be -1: it takes the rest.
struct SplitV {
  static constexpr auto signature = Op("SplitV")
                                        .Input("value: T")
                                        .Input("size_splits: Tlen")
                                        .Input("split_dim: int32")
                                        .Output("output: num_split * T")
                                        .Attr("num_split: int >= 1")
                                        .Attr("T: type")
                                        .Attr("Tlen: {int8, int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::SplitVShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kSplitTypes); }
    Status operator()(Context<Device>& context, const Tensor& value, HostIndices size_splits, HostIndices split_dim,
                      std::span<Tensor> output) const {
      return Run(context.op(), context.device(), value, size_splits, split_dim, output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& value, const HostIndices& size_splits,
                    const HostIndices& split_dim, std::span<Tensor> output) {
    const auto parts = static_cast<Index>(output.size());
    if (size_splits.shape().dims() != 1 || size_splits.size() != parts)
      return errors::InvalidArgument(
          "SplitV: size of the split_tensor must be 1-D and have the same elements as outputs (", parts,
          "), got shape ", size_splits.shape());
    if (split_dim.size() != 1)
      return errors::InvalidArgument("SplitV: split_dim_tensor must have exactly one element, got shape ",
                                     split_dim.shape());
    int axis = 0;
    TENON_RETURN_IF_ERROR(detail::CheckSplitAxis(value, split_dim[0], &axis));
    const Index whole = value.dim_size(axis);
    SlimVector<Index> sizes;
    Index sum = 0;
    std::ptrdiff_t open = -1;  // the output that takes the rest
    for (Index i = 0; i < parts; ++i) {
      const Index size = size_splits[i];
      sizes.push_back(size);
      if (size == -1 && parts > 1) {
        if (open >= 0) return errors::InvalidArgument("SplitV: size_splits can only have one -1");
        open = i;
        continue;
      }
      if (size < 0 || size > whole - sum)
        return errors::InvalidArgument("SplitV: ",
                                       size < 0
                                           ? "Split size at index "
                                           : "Determined shape must match input shape along split_dim: size at index ",
                                       i, size < 0 ? " must be >= 0. Got: " : " is too large for what is left: ", size);
      sum += size;
    }
    if (open >= 0)
      sizes[static_cast<std::size_t>(open)] = whole - sum;
    else if (sum != whole)
      return errors::InvalidArgument(
          "SplitV: Determined shape must either match input shape along split_dim exactly if fully specified, or be "
          "less than the size of the input along split_dim if not: the sizes add up to ",
          sum, " of ", whole);
    return detail::CutAlong(context, device, value, axis, sizes, false, output);
  }
};

namespace detail {
TENON_DETAIL_COLD inline Status UnpackShape(InferenceContext* c) {
  const ShapeHandle value = c->input(0);
  if (!c->RankKnown(value)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(value);
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
  if (axis < 0) axis += rank;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(value, axis), c->num_outputs(), &unused));
  SlimVector<DimensionHandle> dims;
  for (std::int32_t d = 0; d < rank; ++d)
    if (d != axis) dims.push_back(c->Dim(value, d));
  const ShapeHandle out = c->MakeShape(dims);
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}
}  // namespace detail

// value: [n, a, b], axis = 0  ->  n times [a, b]
struct Unpack {
  static constexpr auto signature = Op("Unpack")
                                        .Input("value: T")
                                        .Output("output: num * T")
                                        .Attr("num: int >= 0")
                                        .Attr("T: type")
                                        .Attr("axis: int = 0")
                                        .SetShapeFn(detail::UnpackShape);

  struct Attrs {
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kUnpackTypes); }
    Status operator()(Context<Device>& context, const Tensor& value, std::span<Tensor> output) const {
      const int rank = value.dims();
      if (this->axis < -rank || this->axis >= rank)
        return errors::InvalidArgument("Unpack: axis = ", this->axis, " not in [", -rank, ", ", rank, ")");
      const int at = static_cast<int>(this->axis < 0 ? this->axis + rank : this->axis);
      if (value.dim_size(at) != static_cast<Index>(output.size()))
        return errors::InvalidArgument("Unpack: Input shape axis ", at, " must equal ", output.size(), ", got shape ",
                                       value.shape());
      return detail::CutAlong(context.op(), context.device(), value, at, {}, true, output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
