// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pad, PadV2, MirrorPad: a tensor in a frame of one value, or of its own reflection.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/pad.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kPadTypes =
    kPodAndStringTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

TENON_DETAIL_COLD inline Status PadShape(InferenceContext* c) {
  ShapeHandle paddings, input = c->input(0);
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &paddings));
  DimensionHandle unused, rows = c->Dim(paddings, 0);
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(paddings, 1), 2, &unused));
  if (c->ValueKnown(rows))
    TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(rows), &input));
  else if (c->RankKnown(input))
    TENON_RETURN_IF_ERROR(c->WithValue(rows, c->Rank(input), &rows));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &sizes, &known));
  if (!known) {
    c->set_output(0, c->ValueKnown(rows) ? c->UnknownShapeOfRank(c->Value(rows)) : c->UnknownShape());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(input, static_cast<std::int64_t>(sizes.size() / 2), &input));
  SlimVector<DimensionHandle> dims(sizes.size() / 2);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t before = sizes[2 * d], after = sizes[2 * d + 1];
    if (before < 0 || after < 0) return errors::InvalidArgument("Paddings must be non-negative");
    TENON_RETURN_IF_ERROR(c->Add(c->Dim(input, static_cast<std::int64_t>(d)), before, &dims[d]));
    TENON_RETURN_IF_ERROR(c->Add(dims[d], after, &dims[d]));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Numbers of elements added before and after one dimension.
struct PaddingOfDim {
  Index before, after;
};

// `max_rank` is TensorFlow's limit, above which it says UNIMPLEMENTED.
inline Status ReadPaddings(const char* op, const TensorShape& input, const HostIndices& paddings, int max_rank,
                           InlinedVector<PaddingOfDim, 8>* out, TensorShape* padded) {
  const int rank = input.dims();
  if (rank > max_rank) return errors::Unimplemented(op, ": inputs rank not in [0,", max_rank, "]: ", rank);
  if (paddings.shape().dims() != 2 || paddings.shape().dim_size(1) != 2)
    return errors::InvalidArgument(op, ": paddings must be a matrix with 2 columns: ", paddings.shape());
  if (paddings.shape().dim_size(0) != rank)
    return errors::InvalidArgument(op, ": The first dimension of paddings must be the rank of inputs", paddings.shape(),
                                   " ", input);
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < rank; ++d) {
    const PaddingOfDim p{paddings[2 * d], paddings[2 * d + 1]};
    constexpr Index kMost = Index{1} << 60;
    if (p.before < 0 || p.after < 0)
      return errors::InvalidArgument(op, ": Paddings must be non-negative: ", p.before, " ", p.after);
    if (p.before > kMost || p.after > kMost ||
        input.dim_size(d) > std::numeric_limits<Index>::max() - p.before - p.after)
      return errors::InvalidArgument(op, ": paddings of ", p.before, " and ", p.after,
                                     " overflow the output's size, which has ", input.dim_size(d), " without them");
    out->push_back(p);
    sizes.push_back(p.before + input.dim_size(d) + p.after);
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, padded);
}

inline PadPlan PadPlanOf(const TensorShape& middle, const InlinedVector<PaddingOfDim, 8>& paddings) {
  PadPlan plan;
  for (std::size_t d = 0; d < paddings.size(); ++d)
    plan.Add(paddings[d].before, middle.dim_size(static_cast<int>(d)), paddings[d].after);
  return plan;
}

template <class Device>
Status RunPad(OpKernelContext& context, Device& device, const Tensor& input, const HostIndices& sizes,
              const Tensor* value, Tensor* output) {
  InlinedVector<PaddingOfDim, 8> paddings;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadPaddings("Pad", input.shape(), sizes, 8, &paddings, &shape));
  if (value != nullptr && value->dims() != 0)
    return errors::InvalidArgument("Pad: constant_values must be a scalar. Found: ", value->shape());
  if (shape == input.shape()) {
    *output = input;
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  return tenon::Pad(device, MoverOf(input.dtype()), PadPlanOf(input.shape(), paddings),
                    value != nullptr ? value->raw_data() : nullptr, input.raw_data(), output->raw_data());
}

}  // namespace detail

// input: [a, b], paddings: [[1, 0], [2, 3]]  ->  [1 + a, 2 + b + 3], zeros around
struct Pad {
  static constexpr auto signature = Op("Pad")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::PadShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kPadTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return detail::RunPad(context.op(), context.device(), input, paddings, nullptr, &output);
    }
  };
};

// Pad with constant_values around instead of zeros.
struct PadV2 {
  static constexpr auto signature = Op("PadV2")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Input("constant_values: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::PadShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kPadTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings,
                      const Tensor& constant_values, Tensor& output) const {
      return detail::RunPad(context.op(), context.device(), input, paddings, &constant_values, &output);
    }
  };
};

// [1 2 3] with 2 on both sides: [3 2|1 2 3|2 1] (REFLECT), [2 1|1 2 3|3 2] (SYMMETRIC)
struct MirrorPad {
  static constexpr auto signature = Op("MirrorPad")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
                                        .SetShapeFn(detail::PadShape);

  struct Attrs {
    std::string_view mode;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kPadTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return Run(context.op(), context.device(), this->mode == "REFLECT" ? 1 : 0, input, paddings, &output);
    }
  };

 private:
  // `offset`: how many elements at the edge are not repeated.
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, Index offset, const Tensor& input,
                    const HostIndices& sizes, Tensor* output) {
    InlinedVector<detail::PaddingOfDim, 8> paddings;
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::ReadPaddings("MirrorPad", input.shape(), sizes, 5, &paddings, &shape));
    for (int d = 0; d < input.dims(); ++d) {
      const detail::PaddingOfDim p = paddings[static_cast<std::size_t>(d)];
      if (p.before > input.dim_size(d) - offset || p.after > input.dim_size(d) - offset)
        return errors::InvalidArgument("MirrorPad: paddings must be ", offset == 1 ? "less than" : "no greater than",
                                       " the dimension size: ", p.before, ", ", p.after, " for ", input.dim_size(d));
    }
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    const ElementMover mover = MoverOf(input.dtype());
    TENON_RETURN_IF_ERROR(CopyNd(device, mover, detail::PadPlanOf(input.shape(), paddings).Middle(), input.raw_data(),
                                 output->raw_data()));
    const InlinedVector<Index, 8> step = StridesOf(shape.dim_sizes());
    // Mirrors each dimension, from the innermost outwards, for the middle of the dimensions outside of it.
    for (int axis = input.dims() - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const Index begin = paddings[a].before, end = begin + input.dim_size(axis);
      const auto mirror = [&](Index count, Index from, Index to, Index direction) -> Status {
        NdCopy copy;
        copy.in_first = from * step[a];
        copy.out_first = to * step[a];
        for (std::size_t d = 0; d < a; ++d) {
          copy.in_first += paddings[d].before * step[d];
          copy.out_first += paddings[d].before * step[d];
          copy.Add(input.dim_size(static_cast<int>(d)), step[d], step[d]);
        }
        copy.Add(count, direction * step[a], -direction * step[a]);
        copy.Add(step[a], 1, 1);
        return CopyNd(device, mover, copy, output->raw_data(), output->raw_data());
      };
      TENON_RETURN_IF_ERROR(mirror(paddings[a].before, begin + offset, begin - 1, 1));
      TENON_RETURN_IF_ERROR(mirror(paddings[a].after, end - 1 - offset, end, -1));
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
