// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reverse, ReverseV2, ReverseSequence, Roll: the same elements in another order along some dimensions.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/reverse_sequence.hpp>
#include <tenon/engine/layout/roll.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr int kMaxReverseRank = 8;  // TensorFlow's

inline Status ReverseShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), dims;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &dims));
  const DimensionHandle count = c->Dim(dims, 0);
  if (c->ValueKnown(count)) TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(count), &input));
  if (c->Rank(input) > kMaxReverseRank)
    return errors::InvalidArgument("reverse does not work on tensors with more than 8 dimensions");
  c->set_output(0, input);
  return OkStatus();
}

inline Status ReverseV2Shape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const std::int64_t rank = c->Rank(input);
  if (rank > kMaxReverseRank)
    return errors::InvalidArgument("reverse does not work on tensors with more than 8 dimensions");
  SlimVector<std::int64_t> axes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &axes, &known));
  if (known && c->RankKnown(input)) {
    bool seen[kMaxReverseRank] = {};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
      if (axis < 0 || axis >= rank)
        return errors::InvalidArgument("'axis'[", i, "] = ", axes[i], " is out of valid range [0, ", rank - 1);
      if (seen[axis]) return errors::InvalidArgument("axis ", axis, " specified more than once.");
      seen[axis] = true;
    }
  }
  c->set_output(0, input);
  return OkStatus();
}

inline Status ReverseSequenceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle lengths, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  std::int64_t seq_dim = 0, batch_dim = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("seq_dim", &seq_dim));
  TENON_RETURN_IF_ERROR(c->GetAttr("batch_dim", &batch_dim));
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input);
  if (batch_dim >= rank || batch_dim < -rank)
    return errors::InvalidArgument("batch_dim must be < input rank: ", batch_dim, " vs. ", rank);
  if (seq_dim >= rank) return errors::InvalidArgument("seq_dim must be < input rank: ", seq_dim, " vs. ", rank);
  DimensionHandle batch;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, batch_dim), c->Dim(lengths, 0), &batch));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, batch_dim, batch, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status RollShape(InferenceContext* c) {
  ShapeHandle unused, shift, axis;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &shift));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &axis));
  TENON_RETURN_IF_ERROR(c->Merge(shift, axis, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}

template <class Device>
Status RunReverse(OpKernelContext& context, Device& device, const Tensor& tensor, const bool* reversed,
                  Tensor* output) {
  TENON_RETURN_IF_ERROR(context.allocate_output(0, tensor.shape(), &output));
  if (tensor.NumElements() == 0) return OkStatus();
  NdCopy copy;
  const InlinedVector<Index, 8> steps = StridesOf(tensor.shape().dim_sizes());
  for (int d = 0; d < tensor.dims(); ++d) {
    const Index step = steps[static_cast<std::size_t>(d)], size = tensor.dim_size(d);
    if (reversed[d]) copy.in_first += (size - 1) * step;
    copy.Add(size, reversed[d] ? -step : step, step);
  }
  return CopyNd(device, MoverOf(tensor.dtype()), copy, tensor.raw_data(), output->raw_data());
}

}  // namespace detail

// dims says of every dimension whether it is reversed.
struct Reverse {
  static constexpr auto signature =
      Op("Reverse")
          .Input("tensor: T")
          .Input("dims: bool")
          .Output("output: T")
          .Attr(
              "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, complex64, complex128, string}")
          .SetShapeFn(detail::ReverseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor& tensor, HostIn<bool> dims, Tensor& output) const {
      const int rank = tensor.dims();
      if (rank > 0 && tensor.dim_size(0) == 0)
        return errors::InvalidArgument("Reverse: Invalid input first dimension. Found 0.");
      if (rank == 0) {  // for any dims
        output = tensor;
        return OkStatus();
      }
      if (dims.shape().dims() != 1)
        return errors::InvalidArgument("Reverse: 'dims' must be 1-dimension, not ", dims.shape().dims());
      if (dims.size() != rank)
        return errors::InvalidArgument(
            "Reverse: 'dims' must have the same number of values as 'input' has "
            "dimensions. 'input' has ",
            rank, "'dims' has ", dims.size(), " values");
      if (rank > detail::kMaxReverseRank)
        return errors::Unimplemented("reverse is not implemented for tensors of rank > 8.");
      return detail::RunReverse(context.op(), context.device(), tensor, dims.data, &output);
    }
  };
};

// axis names the dimensions that are reversed.
struct ReverseV2 {
  static constexpr auto signature =
      Op("ReverseV2")
          .Input("tensor: T")
          .Input("axis: Tidx")
          .Output("output: T")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr(
              "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string}")
          .SetShapeFn(detail::ReverseV2Shape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor& tensor, HostIndices axis, Tensor& output) const {
      const int rank = tensor.dims();
      if (rank == 0 || tensor.NumElements() == 0) {
        output = tensor;
        return OkStatus();
      }
      if (axis.shape().dims() != 1)
        return errors::InvalidArgument("ReverseV2: 'dims' must be 1-dimension, not ", axis.shape().dims());
      if (rank > detail::kMaxReverseRank)
        return errors::Unimplemented("reverse is not implemented for tensors of rank > 8.");
      if (axis.size() == 0) {
        output = tensor;
        return OkStatus();
      }
      bool reversed[detail::kMaxReverseRank] = {};
      for (Index i = 0; i < axis.size(); ++i) {
        const Index d = axis[i] < 0 ? axis[i] + rank : axis[i];
        if (d < 0 || d >= rank)
          return errors::InvalidArgument("ReverseV2: 'axis'[", i, "] = ", axis[i], " is out of valid range [0, ",
                                         rank - 1, "]");
        if (reversed[d]) return errors::InvalidArgument("ReverseV2: axis ", d, " specified more than once.");
        reversed[d] = true;
      }
      return detail::RunReverse(context.op(), context.device(), tensor, reversed, &output);
    }
  };
};

// Reverses the first seq_lengths[b] entries of dimension seq_dim in entry b of dimension batch_dim.
struct ReverseSequence {
  static constexpr auto signature = Op("ReverseSequence")
                                        .Input("input: T")
                                        .Input("seq_lengths: Tlen")
                                        .Output("output: T")
                                        .Attr("seq_dim: int")
                                        .Attr("batch_dim: int = 0")
                                        .Attr("T: type")
                                        .Attr("Tlen: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::ReverseSequenceShape);

  struct Attrs {
    std::int64_t seq_dim, batch_dim;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices seq_lengths, Tensor& output) const {
      return Run(context.op(), context.device(), *this, input, seq_lengths, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Attrs& attrs, const Tensor& input,
                    const HostIndices& lengths, Tensor* output) {
    const Index rank = input.dims(), seq = attrs.seq_dim, batch = attrs.batch_dim;
    if (lengths.shape().dims() != 1)
      return errors::InvalidArgument("ReverseSequence: seq_lens input must be 1-dim, not ", lengths.shape().dims());
    if (seq == batch) return errors::InvalidArgument("ReverseSequence: batch_dim == seq_dim == ", seq);
    if (seq < 0 || seq >= rank)
      return errors::InvalidArgument("ReverseSequence: Invalid seq_dim ", seq, ": seq_dim must be < input rank (", rank,
                                     ")");
    if (batch < 0 || batch >= rank)
      return errors::InvalidArgument("ReverseSequence: Invalid batch_dim ", batch, ": batch_dim must be < input rank (",
                                     rank, ")");
    const Index batches = input.dim_size(static_cast<int>(batch)), length = input.dim_size(static_cast<int>(seq));
    if (lengths.size() != batches)
      return errors::InvalidArgument("ReverseSequence: Length of seq_lengths != input.dims(", batch, "), (",
                                     lengths.size(), " vs. ", batches, ")");
    for (Index b = 0; b < batches; ++b)
      if (lengths[b] < 0 || lengths[b] > length)
        return errors::InvalidArgument("ReverseSequence: seq_lens(", b, ") = ", lengths[b],
                                       lengths[b] < 0 ? " < 0" : " > input.dims(", lengths[b] < 0 ? "" : StrCat(seq),
                                       lengths[b] < 0 ? "" : ")");
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &output));
    if (input.NumElements() == 0) return OkStatus();
    SlimVector<Index> known;
    for (Index b = 0; b < batches; ++b) known.push_back(lengths[b]);
    return tenon::ReverseSequence(device, MoverOf(input.dtype()), input.shape(), static_cast<int>(seq),
                                  static_cast<int>(batch), {known.data(), known.size()}, input.raw_data(),
                                  output->raw_data());
  }
};

// output[(i + shift) mod n] = input[i] along each axis; shifts for the same axis add up.
struct Roll {
  static constexpr auto signature = Op("Roll")
                                        .Input("input: T")
                                        .Input("shift: Tshift")
                                        .Input("axis: Taxis")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tshift: {int32, int64}")
                                        .Attr("Taxis: {int32, int64}")
                                        .SetShapeFn(detail::RollShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices shift, HostIndices axis,
                      Tensor& output) const {
      return Run(context.op(), context.device(), input, shift, axis, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& input, const HostIndices& shift,
                    const HostIndices& axis, Tensor* output) {
    const int rank = input.dims();
    if (rank < 1) return errors::InvalidArgument("Roll: input must be 1-D or higher");
    if (shift.shape().dims() > 1)
      return errors::InvalidArgument("Roll: shift must be a scalar or a 1-D vector. Found: ", shift.shape());
    if (axis.shape().dims() > 1)
      return errors::InvalidArgument("Roll: axis must be a scalar or a 1-D vector. Found: ", axis.shape());
    if (!(shift.shape() == axis.shape()))
      return errors::InvalidArgument("Roll: shift and axis must have the same size");
    InlinedVector<Index, 8> shifts(static_cast<std::size_t>(rank), 0);
    bool moves = false;
    for (Index i = 0; i < axis.size(); ++i) {
      const Index d = axis[i] < 0 ? axis[i] + rank : axis[i];
      if (d < 0 || d >= rank) return errors::InvalidArgument("Roll: axis ", d, " is out of range");
      if (input.NumElements() == 0) continue;
      const Index size = input.dim_size(static_cast<int>(d));
      Index& sum = shifts[static_cast<std::size_t>(d)];
      const auto by = static_cast<std::int32_t>(shift[i]);  // as TensorFlow
      sum = ((sum + by % size) % size + size) % size;
    }
    for (const Index by : shifts) moves = moves || by != 0;
    if (!moves || input.NumElements() == 0) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &output));
    RollPlan plan;
    for (int d = 0; d < rank; ++d) plan.Add(input.dim_size(d), shifts[static_cast<std::size_t>(d)]);
    return tenon::Roll(device, MoverOf(input.dtype()), plan, input.raw_data(), output->raw_data());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
