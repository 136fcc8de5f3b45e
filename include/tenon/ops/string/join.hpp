// SPDX-License-Identifier: Apache-2.0
#pragma once
// StringJoin, ReduceJoin, UnsortedSegmentJoin: texts put together.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status StringJoinShape(InferenceContext* c) {
  bool all_scalars = true;
  for (int i = 0; i < c->num_inputs(); ++i) all_scalars = all_scalars && c->Rank(c->input(i)) == 0;
  ShapeHandle out = all_scalars ? c->Scalar() : c->UnknownShape();
  // Inputs of unknown rank may be scalars, which fit every shape.
  for (int i = 0; i < c->num_inputs(); ++i)
    if (c->RankKnown(c->input(i)) && c->Rank(c->input(i)) != 0) TENON_RETURN_IF_ERROR(c->Merge(out, c->input(i), &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status SegmentJoinShape(InferenceContext* c) {
  const ShapeHandle data = c->input(0), ids = c->input(1);
  ShapeHandle count, out, rest;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &count));
  out = c->UnknownShape();
  if (c->RankKnown(ids)) {
    DimensionHandle segments;
    TENON_RETURN_IF_ERROR(c->MergePrefix(data, ids, &rest, &rest));
    TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &segments));
    TENON_RETURN_IF_ERROR(c->Subshape(data, c->Rank(ids), &rest));
    TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(segments), rest, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace detail

// Element by element; scalars go with every element.
struct StringJoin {
  static constexpr auto signature = Op("StringJoin")
                                        .Input("inputs: N * string")
                                        .Output("output: string")
                                        .Attr("N: int >= 0")
                                        .Attr("separator: string = ''")
                                        .SetShapeFn(detail::StringJoinShape);

  struct Attrs {
    std::string_view separator;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, std::span<const Tensor> inputs, Tensor&) const {
      return Run(context.op(), inputs, this->separator);
    }
  };

 private:
  static Status Run(OpKernelContext& context, std::span<const Tensor> inputs, std::string_view separator) {
    TensorShape shape;
    for (const Tensor& input : inputs) {
      if (input.dims() == 0) continue;
      if (shape.dims() != 0 && !(shape == input.shape()))
        return errors::InvalidArgument("StringJoin: Input shapes do not match: ", shape, " vs. ", input.shape());
      shape = input.shape();
    }
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    for (Index i = 0; i < shape.num_elements(); ++i) {
      tstring& text = out->data<tstring>()[i];
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (k > 0) text.append(separator);
        text.append(inputs[k].data<tstring>()[inputs[k].dims() == 0 ? 0 : i].view());
      }
    }
    return OkStatus();
  }
};

// inputs: [a, b, c], reduction_indices: [2, 0]  ->  [b]; joined in the order that the indices say, the first one
// fastest
struct ReduceJoin {
  static constexpr auto signature = Op("ReduceJoin")
                                        .Input("inputs: string")
                                        .Input("reduction_indices: int32")
                                        .Attr("keep_dims: bool = false")
                                        .Attr("separator: string = ''")
                                        .Output("output: string")
                                        .SetShapeFn(shape_inference::ReductionShape);

  struct Attrs {
    bool keep_dims;
    std::string_view separator;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& inputs, In<std::int32_t> axes, Tensor&) const {
      return Run(context.op(), *this, inputs, axes);
    }
  };

 private:
  // Dimensions to walk through, the one added first fastest, and their steps in the input.
  struct Walk {
    SlimVector<Index> sizes, strides;
    Index count = 1;

    void Add(Index size, Index stride) {
      sizes.push_back(size);
      strides.push_back(stride);
      count = MultiplySizes(count, size);
    }
    Index At(Index i) const {
      Index offset = 0;
      for (std::size_t d = 0; d < sizes.size(); i /= sizes[d++]) offset += i % sizes[d] * strides[d];
      return offset;
    }
  };
  static Status Run(OpKernelContext& context, const Attrs& attrs, const Tensor& inputs, const In<std::int32_t>& axes) {
    const int rank = inputs.dims();
    const InlinedVector<Index, 8> strides = StridesOf(inputs.shape().dim_sizes());
    SlimVector<char> reduced(static_cast<std::size_t>(rank), 0);
    Walk joined, kept;
    for (Index i = 0; i < axes.size(); ++i) {
      const int axis = axes[i];
      if (axis < -rank || axis >= rank)
        return errors::OutOfRange("ReduceJoin: Invalid reduction dimension ", axis, " for input with ", rank,
                                  " dimension(s)");
      const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
      if (reduced[d] != 0) return errors::InvalidArgument("ReduceJoin: Duplicate reduction dimension ", axis);
      reduced[d] = 1;
      joined.Add(inputs.dim_size(static_cast<int>(d)), strides[d]);
    }
    TensorShape shape;
    for (int d = rank - 1; d >= 0; --d)
      if (const auto k = static_cast<std::size_t>(d); reduced[k] == 0) kept.Add(inputs.dim_size(d), strides[k]);
    for (int d = 0; d < rank; ++d) {
      const bool keeps = reduced[static_cast<std::size_t>(d)] == 0;
      if (keeps || attrs.keep_dims) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(keeps ? inputs.dim_size(d) : 1));
    }
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    for (Index i = 0; i < shape.num_elements(); ++i) {
      const Index base = kept.At(i);
      tstring& text = out->data<tstring>()[i];
      for (Index k = 0; k < joined.count; ++k) {
        if (k > 0) text.append(attrs.separator);
        text.append(inputs.data<tstring>()[base + joined.At(k)].view());
      }
    }
    return OkStatus();
  }
};

// output[s, ...] = all inputs[i, ...] with segment_ids[i] = s, in their order. No separator stands in front of the
// first text that is not empty.
struct UnsortedSegmentJoin {
  static constexpr auto signature = Op("UnsortedSegmentJoin")
                                        .Input("inputs: string")
                                        .Input("segment_ids: Tindices")
                                        .Input("num_segments: Tnumsegments")
                                        .Attr("separator: string = ''")
                                        .Attr("Tindices: {int32,int64}")
                                        .Attr("Tnumsegments: {int32,int64} = DT_INT32")
                                        .Output("output: string")
                                        .SetShapeFn(detail::SegmentJoinShape);

  struct Attrs {
    std::string_view separator;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& inputs, HostIndices segment_ids, HostIndices num_segments,
                      Tensor&) const {
      return Run(context.op(), this->separator, inputs, segment_ids, num_segments);
    }
  };

 private:
  static Status Run(OpKernelContext& context, std::string_view separator, const Tensor& inputs, const HostIndices& ids,
                    const HostIndices& num_segments) {
    if (num_segments.shape().dims() != 0)
      return errors::InvalidArgument("Number of segments must be a scalar, got shape ", num_segments.shape());
    const Index segments = num_segments[0];
    if (segments < 0) return errors::InvalidArgument("Number of segments must be non-negative but got ", segments);
    if (ids.shape().dims() == 0)
      return errors::InvalidArgument("UnsortedSegmentJoin: segment_ids must not be a scalar");
    if (ids.shape().dims() > inputs.dims())
      return errors::OutOfRange("UnsortedSegmentJoin: Invalid segment_id rank ", ids.shape().dims(), " for input with ",
                                inputs.dims(), " dimension(s)");
    if (!StartsWith(inputs.shape(), ids.shape()))
      return errors::InvalidArgument("UnsortedSegmentJoin: the shape of inputs ", inputs.shape(),
                                     " does not start with that of segment_ids ", ids.shape());
    TensorShape shape = inputs.shape();
    TENON_RETURN_IF_ERROR(shape.RemoveDimRangeWithStatus(0, ids.shape().dims()));
    const Index run = shape.num_elements();
    for (Index i = 0; i < ids.size(); ++i)
      if (ids[i] < 0 || ids[i] >= segments)
        return errors::InvalidArgument(
            "segment_ids are not allowed to exceed num_segments or to have negative values. segment_ids[", i,
            "] = ", ids[i], ", num_segments = ", segments);
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, segments));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    for (Index i = 0; i < ids.size(); ++i) {
      for (Index k = 0; k < run; ++k) {
        tstring& text = out->data<tstring>()[ids[i] * run + k];
        if (!text.empty()) text.append(separator);
        text.append(inputs.data<tstring>()[i * run + k].view());
      }
    }
    return OkStatus();
  }
  static bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
    for (int d = 0; d < prefix.dims(); ++d)
      if (shape.dim_size(d) != prefix.dim_size(d)) return false;
    return true;
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
