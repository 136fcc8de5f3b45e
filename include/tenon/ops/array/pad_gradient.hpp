// SPDX-License-Identifier: Apache-2.0
#pragma once
// MirrorPadGrad: what MirrorPad put around is folded back and added.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/reduce/segment.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status MirrorPadGradShape(InferenceContext* c) {
  ShapeHandle paddings, input;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &paddings));
  const DimensionHandle rows = c->Dim(paddings, 0);
  if (!c->ValueKnown(rows)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Value(rows);
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  TENON_RETURN_IF_ERROR(c->Merge(paddings, c->Matrix(rank, 2), &paddings));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &sizes, &known));
  if (!known) {
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t before = sizes[2 * d], after = sizes[2 * d + 1];
    if (before < 0 || after < 0) return errors::InvalidArgument("Paddings must be non-negative");
    TENON_RETURN_IF_ERROR(c->Subtract(c->Dim(input, static_cast<std::int64_t>(d)), before, &dims[d]));
    TENON_RETURN_IF_ERROR(c->Subtract(dims[d], after, &dims[d]));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

}  // namespace detail

// input: [before + a + after]  ->  [a]
struct MirrorPadGrad {
  static constexpr auto signature = Op("MirrorPadGrad")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
                                        .SetShapeFn(detail::MirrorPadGradShape);

  struct Attrs {
    std::string_view mode;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed{kPodTypes.mask & ~ToSet(DataType::kBool).mask};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      fold = ArithmeticSegmentLoops<SegmentSumStep>(c.input_type(0)).fold;
      return ServeOnly(c, c.input_type(0), kServed);
    }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return Run(context.op(), context.device(), this->mode == "REFLECT" ? 1 : 0, fold, input, paddings, &output);
    }
    void (*fold)(const void* row, void* out, Index n) = nullptr;
  };

 private:
  static Status ReadSizes(Index offset, const TensorShape& input, const HostIndices& paddings, TensorShape* output) {
    constexpr int kMostDims = 5;
    const int rank = input.dims();
    if (rank > kMostDims) return errors::Unimplemented("MirrorPadGrad: inputs rank not in [0,", kMostDims, "]: ", rank);
    if (paddings.shape().dims() != 2 || paddings.shape().dim_size(1) != 2)
      return errors::InvalidArgument("MirrorPadGrad: paddings must be a matrix with 2 columns: ", paddings.shape());
    if (paddings.shape().dim_size(0) != rank)
      return errors::InvalidArgument("MirrorPadGrad: The first dimension of paddings must be the rank of inputs",
                                     paddings.shape(), " ", input);
    for (int d = 0; d < rank; ++d) {
      const Index before = paddings[2 * d], after = paddings[2 * d + 1], size = input.dim_size(d);
      if (before < 0 || after < 0)
        return errors::InvalidArgument("MirrorPadGrad: Paddings must be non-negative: ", before, ", ", after);
      if (before >= size || after >= size - before)
        return errors::InvalidArgument("MirrorPadGrad: Total paddings must be less than the input dimension size: ",
                                       before, " + ", after, " was not less than ", size);
      const Index left = size - before - after;
      if (before > left - offset || after > left - offset)
        return errors::InvalidArgument("MirrorPadGrad: paddings must be ",
                                       offset == 1 ? "less than" : "no greater than",
                                       " the output dimension size: ", before, ", ", after,
                                       offset == 1 ? " not less than " : " greater than ", left);
      TENON_RETURN_IF_ERROR(output->AddDimWithStatus(left));
    }
    return OkStatus();
  }
  // `offset`: how many elements at the edge were not repeated.
  static Status Run(OpKernelContext& context, Cpu& device, Index offset, void (*fold)(const void*, void*, Index),
                    const Tensor& input, const HostIndices& paddings, Tensor* output) {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(ReadSizes(offset, input.shape(), paddings, &shape));
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    Tensor folded;
    TENON_RETURN_IF_ERROR(context.allocate_temp(input.dtype(), input.shape(), &folded));
    const ElementMover mover = MoverOf(input.dtype());
    Copy(device, mover, input.raw_data(), folded.raw_data(), input.NumElements());
    const InlinedVector<Index, 8> step = StridesOf(input.shape().dim_sizes());
    NdCopy crop;
    const InlinedVector<Index, 8> to = StridesOf(shape.dim_sizes());
    for (int d = 0; d < input.dims(); ++d) {
      const auto a = static_cast<std::size_t>(d);
      const Index before = paddings[2 * d], after = paddings[2 * d + 1], size = input.dim_size(d);
      const Index blocks = input.NumElements() / (size * step[a]);
      const auto add = [&](Index from, Index place) {
        for (Index b = 0; b < blocks; ++b)
          fold(mover.At(folded.raw_data(), (b * size + from) * step[a]),
               mover.At(folded.raw_data(), (b * size + place) * step[a]), step[a]);
      };
      for (Index i = 0; i < before; ++i) add(i, 2 * before - 1 + offset - i);
      for (Index i = 0; i < after; ++i) add(size - after + i, size - after - 1 - offset - i);
      crop.in_first += before * step[a];
      crop.Add(shape.dim_size(d), step[a], to[a]);
    }
    CopyNd(device, mover, crop, folded.raw_data(), output->raw_data());
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
