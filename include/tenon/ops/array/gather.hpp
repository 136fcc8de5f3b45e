// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gather, GatherV2, GatherNd: parts of a tensor picked by index.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/gather.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/places.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kGatherNdTypes = kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) |
                                              ToSet(DataType::kFloat8E4M3FN) | ToSet(DataType::kQint8) |
                                              ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);
inline constexpr DataTypeSet kGatherTypes = kGatherNdTypes | kQuantizedTypes;

inline Status GatherShape(InferenceContext* c) {
  ShapeHandle params, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  TENON_RETURN_IF_ERROR(c->Subshape(params, 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(1), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

TENON_DETAIL_COLD inline Status GatherV2Shape(InferenceContext* c) {
  ShapeHandle params, unused, indices = c->input(1), out, part;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  std::int64_t axis = 0, batch_dims = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &axis, &known));
  TENON_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  if (!known) {
    // As in TensorFlow, batch_dims counts as it is written.
    const bool in_range = batch_dims >= -kMaxTensorRank && batch_dims <= kMaxTensorRank;
    const std::int64_t rank = c->Rank(params) + c->Rank(indices) - 1 - (in_range ? batch_dims : 0);
    const bool ranks = in_range && c->RankKnown(params) && c->RankKnown(indices) && rank >= 0;
    c->set_output(0, ranks ? c->UnknownShapeOfRank(rank) : c->UnknownShape());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithAxis(params, axis, &unused));
  if (batch_dims != 0)
    TENON_RETURN_IF_ERROR(c->WithAxis(indices, batch_dims > 0 ? batch_dims - 1 : batch_dims, &unused));
  if (batch_dims >= 0 || c->RankKnown(indices))
    TENON_RETURN_IF_ERROR(
        c->WithRankAtLeast(params, batch_dims < 0 ? batch_dims + c->Rank(indices) + 1 : batch_dims + 1, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(params, 0, axis, &out));
  TENON_RETURN_IF_ERROR(c->Subshape(indices, batch_dims, &part));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, part, &out));
  if (axis != -1) {
    TENON_RETURN_IF_ERROR(c->Subshape(params, axis + 1, &part));
    TENON_RETURN_IF_ERROR(c->Concatenate(out, part, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

using shape_inference::GatherNdShape;
using shape_inference::GatherNdShapeOf;

// "[1,0]": where element i of a tensor is.
inline std::string PlaceText(const TensorShape& shape, Index i) {
  std::string text;
  for (int d = shape.dims() - 1; d >= 0; i /= std::max<Index>(1, shape.dim_size(d--)))
    text = StrCat(i % std::max<Index>(1, shape.dim_size(d)), text.empty() ? "" : ",", text);
  return StrCat("[", text, "]");
}

// The least rank that has this axis.
constexpr std::uint64_t RankFor(Index axis) {
  const auto bits = static_cast<std::uint64_t>(axis);
  return axis < 0 ? 0 - bits : bits + 1;
}

template <class Device>
Status RunGather(OpKernelContext& context, Device& device, const Tensor& params, const Tensor& indices, Index axis,
                 Index batch_dims, Tensor* output) {
  const int rank = params.dims(), index_rank = indices.dims();
  if (rank < 1) return errors::InvalidArgument("Gather: params must be at least 1 dimensional");
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Gather: Shape must be at least rank ", RankFor(axis), " but is rank ", rank);
  if (axis < 0) axis += rank;
  if (batch_dims < -index_rank || batch_dims > index_rank)
    return errors::InvalidArgument("Gather: Expected batch_dims in the range [", -index_rank, ", ", index_rank,
                                   "], but got ", batch_dims);
  if (batch_dims < 0) batch_dims += index_rank;
  if (batch_dims >= rank)
    return errors::InvalidArgument("Gather: batch_dims (", batch_dims, ") must be less than rank(params) (", rank,
                                   ").");
  if (batch_dims > axis)
    return errors::InvalidArgument("Gather: batch_dims (", batch_dims, ") must be less than or equal to axis (", axis,
                                   ").");
  GatherPlan plan;
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < rank; ++d) {
    const Index size = params.dim_size(d);
    if (d < batch_dims && size != indices.dim_size(d))
      return errors::InvalidArgument("Gather: params.shape[", d, "]: ", size, " should be equal to indices.shape[", d,
                                     "]: ", indices.dim_size(d));
    if (d != axis) sizes.push_back(size);
  }
  const auto at = static_cast<int>(axis), batch = static_cast<int>(batch_dims);
  plan.batch = ProductOfSizes(params.shape(), 0, batch);
  plan.outer = ProductOfSizes(params.shape(), batch, at);
  plan.limit = params.dim_size(at);
  plan.run = ProductOfSizes(params.shape(), at + 1, rank);
  plan.count = ProductOfSizes(indices.shape(), batch, index_rank);
  for (Index d = batch_dims; d < index_rank; ++d) {
    const Index size = indices.dim_size(static_cast<int>(d));
    sizes.insert(sizes.begin() + axis + (d - batch_dims), size);
  }
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();  // as in TensorFlow, with any indices
  Index bad = -1;
  TENON_RETURN_IF_ERROR(
      tenon::Gather(device, MoverOf(params.dtype()), plan, params.raw_data(), indices, output->raw_data(), &bad));
  if (bad < 0) return OkStatus();
  return errors::InvalidArgument("Gather: indices", PlaceText(indices.shape(), bad), " = ",
                                 HostIndices(indices.any_view(), indices.dtype())[bad], " is not in [0, ", plan.limit,
                                 ")");
}

inline Status BadGatherNdIndex(const Tensor& indices, const HostIndices& at, Index bad, Index depth,
                               const TensorShape& params) {
  TensorShape rows = indices.shape();
  TENON_RETURN_IF_ERROR(rows.RemoveLastDimsWithStatus(1));
  std::string index;
  for (Index d = 0; d < depth; ++d) StrAppend(&index, d == 0 ? "" : ", ", at[bad * depth + d]);
  return errors::InvalidArgument("GatherNd: indices", PlaceText(rows, bad), " = [", index,
                                 "] does not index into param shape ", params);
}

template <class Device>
Status RunGatherNd(OpKernelContext& context, Device& device, const Tensor& params, const Tensor& indices,
                   bool ignore_bad, Tensor* output) {
  constexpr Index kMaxDepth = 7;
  if (params.dims() < 1) return errors::InvalidArgument("GatherNd: params must be at least a vector");
  if (indices.dims() < 1) return errors::InvalidArgument("GatherNd: indices must be at least a vector");
  const Index depth = indices.dim_size(indices.dims() - 1);
  if (depth > params.dims())
    return errors::InvalidArgument("GatherNd: index innermost dimension length must be <= params rank; saw: ", depth,
                                   " vs. ", params.dims());
  if (depth > kMaxDepth)
    return errors::InvalidArgument("GatherNd: Only indices.shape[-1] values between 1 and ", kMaxDepth,
                                   " are currently supported.  Requested rank: ", depth);
  TensorShape shape = indices.shape();
  TENON_RETURN_IF_ERROR(shape.RemoveLastDimsWithStatus(1));
  const Index count = shape.num_elements();
  for (int d = static_cast<int>(depth); d < params.dims(); ++d)
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(params.dim_size(d)));
  if (count > 0 && params.NumElements() == 0)
    return errors::InvalidArgument("GatherNd: Requested more than 0 entries, but params is empty.  Params shape: ",
                                   params.shape());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (count == 0) return OkStatus();
  const Index run = shape.num_elements() / count;
  SlimVector<Index> places(static_cast<std::size_t>(count), 0);
  const HostIndices at(indices.any_view(), indices.dtype());
  const Index bad = FindPlaces(at, params.shape().dim_sizes().first(static_cast<std::size_t>(depth)), &places);
  if (bad >= 0 && !ignore_bad) return BadGatherNdIndex(indices, at, bad, depth, params.shape());
  return GatherPlaces(device, MoverOf(params.dtype()), {places.data(), places.size()}, run, params.raw_data(),
                      output->raw_data());
}

}  // namespace detail

// params: [n, a], indices: [b]  ->  [b, a]
struct Gather {
  static constexpr auto signature = Op("Gather")
                                        .Input("params: Tparams")
                                        .Input("indices: Tindices")
                                        .Output("output: Tparams")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("Tparams: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .SetShapeFn(detail::GatherShape);

  static constexpr std::string_view unused[] = {"validate_indices"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kGatherTypes); }
    Status operator()(Context<Device>& context, const Tensor& params, HostIndices, Tensor& output) const {
      return detail::RunGather(context.op(), context.device(), params, context.op().input(1), 0, 0, &output);
    }
  };
};

// Gather along any axis. The first batch_dims dimensions of params and indices go together.
struct GatherV2 {
  static constexpr auto signature = Op("GatherV2")
                                        .Input("params: Tparams")
                                        .Input("indices: Tindices")
                                        .Input("axis: Taxis")
                                        .Output("output: Tparams")
                                        .Attr("batch_dims: int = 0")
                                        .Attr("Tparams: type")
                                        .Attr("Tindices: {int16, int32, int64}")
                                        .Attr("Taxis: {int32, int64}")
                                        .SetShapeFn(detail::GatherV2Shape);

  struct Attrs {
    std::int64_t batch_dims;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kGatherTypes); }
    Status operator()(Context<Device>& context, const Tensor& params, HostIndices, HostIndices axis,
                      Tensor& output) const {
      if (axis.shape().dims() != 0)
        return errors::InvalidArgument("GatherV2: axis must be scalar, not shape ", axis.shape());
      return detail::RunGather(context.op(), context.device(), params, context.op().input(1), axis[0], this->batch_dims,
                               &output);
    }
  };
};

// indices: [..., k] name parts of params' first k dimensions: params: [n, m, a], indices: [b, 2]  ->  [b, a]
struct GatherNd {
  static constexpr auto signature = Op("GatherNd")
                                        .Input("params: Tparams")
                                        .Input("indices: Tindices")
                                        .Output("output: Tparams")
                                        .Attr("Tparams: type")
                                        .Attr("Tindices: {int16, int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::GatherNdShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      const std::string_view policy = this->bad_indices_policy;
      if (policy != "" && policy != "DEFAULT" && policy != "ERROR" && policy != "IGNORE")
        return errors::InvalidArgument("no kernel for op 'GatherNd' on ", c.device_type(), " with bad_indices_policy '",
                                       policy, "'; there are '', 'DEFAULT', 'ERROR' and 'IGNORE'");
      return ServeOnDevice<Device>(c, c.input_type(0), detail::kGatherNdTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& params, HostIndices, Tensor& output) const {
      return detail::RunGatherNd(context.op(), context.device(), params, context.op().input(1),
                                 this->bad_indices_policy == "IGNORE", &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
