// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseSegment ops: rows picked from a table and added up segment by segment, as lookups of embeddings do.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/reduce/segment.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/segment.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The divisor of a sum of n rows: 1, n or sqrt(n).
enum class SegmentScale : std::uint8_t { kSum, kMean, kSqrtN };
inline double ScaleOf(SegmentScale scale, Index n) {
  return scale == SegmentScale::kSum    ? 1
         : scale == SegmentScale::kMean ? static_cast<double>(n)
                                        : std::sqrt(static_cast<double>(n));
}

TENON_DETAIL_SETUP_CODE_BEGIN

// [first, the row's dimensions...]
inline Status SparseSegmentShapeOf(InferenceContext* c, DimensionHandle first) {
  ShapeHandle data, indices, ids, unused, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &ids));
  TENON_RETURN_IF_ERROR(c->Merge(indices, ids, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(data, 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(first), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status SparseSegmentShape(InferenceContext* c) { return SparseSegmentShapeOf(c, c->UnknownDim()); }
// With the number of rows as input 3, which errors call `name`.
inline Status SizedSparseSegmentShape(InferenceContext* c, std::string_view name) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  std::int64_t rows = -1;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(3, &rows, &known));
  if (known && rows < 0) return errors::InvalidArgument("Cannot specify a negative value for ", name, ", got ", rows);
  return SparseSegmentShapeOf(c, known ? c->MakeDim(rows) : c->UnknownDim());
}
inline Status SparseSegmentWithNumSegmentsShape(InferenceContext* c) {
  return SizedSparseSegmentShape(c, "num_segments");
}
inline Status SparseSegmentGradShape(InferenceContext* c) { return SizedSparseSegmentShape(c, "output_dim0"); }

TENON_DETAIL_SETUP_CODE_END

inline Status CheckPicked(std::string_view op, const HostIndices& indices, const HostIndices& ids) {
  if (indices.shape().dims() != 1)
    return errors::InvalidArgument(op, ": indices should be a vector, got shape ", indices.shape());
  if (ids.shape().dims() != 1)
    return errors::InvalidArgument(op, ": segment_ids should be a vector, got shape ", ids.shape());
  if (indices.size() != ids.size())
    return errors::InvalidArgument(op, ": segment_ids and indices should have same size, got ", ids.size(), " and ",
                                   indices.size());
  return OkStatus();
}

// num_segments: null, or the number of output rows.
inline Status RunSparseSegments(OpKernelContext& context, Cpu& device, SegmentScale scale, const Tensor& data,
                                const HostIndices& indices, const HostIndices& ids, const HostIndices* num_segments,
                                Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  if (data.dims() < 1) return errors::InvalidArgument(op, ": Shape must be at least rank 1 but is rank 0");
  TENON_RETURN_IF_ERROR(CheckPicked(op, indices, ids));
  const Index count = ids.size(), rows = data.dim_size(0);
  Index segments = count == 0 ? 0 : ids[count - 1] < std::numeric_limits<Index>::max() ? ids[count - 1] + 1 : -1;
  if (num_segments != nullptr) {
    if (num_segments->shape().dims() != 0)
      return errors::InvalidArgument(op, ": num_segments should be a scalar, not shape ", num_segments->shape());
    const Index wanted = (*num_segments)[0];
    if (wanted < 0) return errors::InvalidArgument(op, ": segment ids must be >= 0; num_segments is ", wanted);
    if (segments > wanted)
      return errors::InvalidArgument(op, ": segment ids must be < num_segments, got ", segments - 1, " and ", wanted);
    segments = wanted;
  }
  if (segments < 0 || (segments == 0 && count > 0))
    return errors::InvalidArgument(op, ": segment ids must be >= 0 and less than 2^63 - 1, the last is ",
                                   ids[count - 1]);
  TENON_RETURN_IF_ERROR(CheckSegmentIds(op, ids, segments));
  for (Index i = 0; i < count; ++i)
    if (indices[i] < 0 || indices[i] >= rows)
      return errors::InvalidArgument(op, ": Bad: indices[", i, "] == ", indices[i], " out of range [0, ", rows, ")");
  TensorShape shape = data.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, segments));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  const Index columns = RowSize(shape, 1);
  const PickedSumLoops loops = PickedSumLoopsFor(data.dtype());
  const ElementMover mover = MoverOf(data.dtype());
  const Scratch sums(device, static_cast<std::size_t>(columns * loops.acc_bytes));
  TENON_RETURN_IF_ERROR(sums.status(op));
  Zero(device, mover, output->raw_data(), shape.num_elements());
  ForEachColumnRange(device, count, columns, [&](Index begin, Index end) {
    char* const acc = sums.As<char>() + begin * loops.acc_bytes;
    for (Index i = 0; i < count;) {
      const Index first = i, segment = ids[i];
      std::memset(acc, 0, static_cast<std::size_t>((end - begin) * loops.acc_bytes));
      for (; i < count && ids[i] == segment; ++i)
        loops.add(mover.At(data.raw_data(), indices[i] * columns + begin), 1, acc, end - begin);
      loops.finish(acc, ScaleOf(scale, i - first), mover.At(output->raw_data(), segment * columns + begin),
                   end - begin);
    }
  });
  return OkStatus();
}

// grad: a row for each segment  ->  rows [0, output_dim0): each the sum of the (scaled) rows whose segments it went
// into.
inline Status RunSparseSegmentGrad(OpKernelContext& context, Cpu& device, SegmentScale scale, const Tensor& grad,
                                   const HostIndices& indices, const HostIndices& ids, const HostIndices& output_dim0,
                                   Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  if (output_dim0.shape().dims() != 0)
    return errors::InvalidArgument(op, ": output_dim0 should be a scalar, got shape ", output_dim0.shape());
  if (grad.dims() < 1) return errors::InvalidArgument(op, ": Shape must be at least rank 1 but is rank 0");
  TENON_RETURN_IF_ERROR(CheckPicked(op, indices, ids));
  const Index count = ids.size(), rows = output_dim0[0], segments = grad.dim_size(0);
  if (rows < 0) return errors::InvalidArgument(op, ": Expected a non-negative size, got ", rows);
  if (rows > 0 && count > 0 && ids[count - 1] >= segments)
    return errors::InvalidArgument(op, ": Invalid number of segments: the last id is ", ids[count - 1], ", grad has ",
                                   segments, " rows");
  for (Index i = 0; rows > 0 && i < count; ++i) {
    if (ids[i] < 0 || ids[i] >= segments)
      return errors::InvalidArgument(op, ": Segment id ", ids[i], " out of range [0, ", segments, ").");
    if (indices[i] < 0 || indices[i] >= rows)
      return errors::InvalidArgument(op, ": Index ", indices[i], " out of range [0, ", rows, ").");
  }
  TensorShape shape = grad.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  SlimVector<Index> sizes(static_cast<std::size_t>(segments), 0);  // only now: rows without columns may be too many
  for (Index i = 0; i < count; ++i) ++sizes[static_cast<std::size_t>(ids[i])];
  const Index columns = RowSize(shape, 1);
  const PickedSumLoops loops = PickedSumLoopsFor(grad.dtype());
  const ElementMover mover = MoverOf(grad.dtype());
  const Scratch sums(device, static_cast<std::size_t>(shape.num_elements() * loops.acc_bytes));
  TENON_RETURN_IF_ERROR(sums.status(op));
  std::memset(sums.As<char>(), 0, static_cast<std::size_t>(shape.num_elements() * loops.acc_bytes));
  ForEachColumnRange(device, count, columns, [&](Index begin, Index end) {
    for (Index i = 0; i < count; ++i)
      loops.add(mover.At(grad.raw_data(), ids[i] * columns + begin),
                1 / ScaleOf(scale, sizes[static_cast<std::size_t>(ids[i])]),
                sums.As<char>() + (indices[i] * columns + begin) * loops.acc_bytes, end - begin);
  });
  loops.finish(sums.As<char>(), 1, output->raw_data(), shape.num_elements());
  return OkStatus();
}

template <class Op, class Device>
  requires(Device::type == "CPU")
struct SparseSegmentKernel {
  Status operator()(Context<Device>& context, const Tensor& data, HostIndices indices, HostIndices segment_ids,
                    Tensor& output) const {
    return RunSparseSegments(context.op(), context.device(), Op::kScale, data, indices, segment_ids, nullptr, &output);
  }
};
template <class Op, class Device>
  requires(Device::type == "CPU")
struct SparseSegmentWithNumSegmentsKernel {
  Status operator()(Context<Device>& context, const Tensor& data, HostIndices indices, HostIndices segment_ids,
                    HostIndices num_segments, Tensor& output) const {
    return RunSparseSegments(context.op(), context.device(), Op::kScale, data, indices, segment_ids, &num_segments,
                             &output);
  }
};
template <class Op, class Device>
  requires(Device::type == "CPU")
struct SparseSegmentGradKernel {
  Status operator()(Context<Device>& context, const Tensor& grad, HostIndices indices, HostIndices segment_ids,
                    HostIndices output_dim0, Tensor& output) const {
    return RunSparseSegmentGrad(context.op(), context.device(), Op::kScale, grad, indices, segment_ids, output_dim0,
                                &output);
  }
};

}  // namespace detail

// data: [n, ...]  indices, segment_ids: [m]  ->  [last id + 1, ...]: row i is the sum of data[indices[j]],
// segment_ids[j] = i
struct SparseSegmentSum {
  static constexpr auto signature =
      Op("SparseSegmentSum")
          .Input("data: T")
          .Input("indices: Tidx")
          .Input("segment_ids: Tsegmentids")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr("Tsegmentids: {int32, int64} = DT_INT32")
          .Attr("sparse_gradient: bool = false")
          .SetShapeFn(detail::SparseSegmentShape);

  static constexpr std::string_view unused[] = {"sparse_gradient"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSum;

  template <class Device>
  using kernel = detail::SparseSegmentKernel<SparseSegmentSum, Device>;
};

// SparseSegmentSum, divided by the number of rows.
struct SparseSegmentMean {
  static constexpr auto signature = Op("SparseSegmentMean")
                                        .Input("data: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .Attr("sparse_gradient: bool = false")
                                        .SetShapeFn(detail::SparseSegmentShape);

  static constexpr std::string_view unused[] = {"sparse_gradient"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kMean;

  template <class Device>
  using kernel = detail::SparseSegmentKernel<SparseSegmentMean, Device>;
};

// SparseSegmentSum, divided by the root of the number of rows.
struct SparseSegmentSqrtN {
  static constexpr auto signature = Op("SparseSegmentSqrtN")
                                        .Input("data: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .Attr("sparse_gradient: bool = false")
                                        .SetShapeFn(detail::SparseSegmentShape);

  static constexpr std::string_view unused[] = {"sparse_gradient"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSqrtN;

  template <class Device>
  using kernel = detail::SparseSegmentKernel<SparseSegmentSqrtN, Device>;
};

// The number of output rows is given.
struct SparseSegmentSumWithNumSegments {
  static constexpr auto signature =
      Op("SparseSegmentSumWithNumSegments")
          .Input("data: T")
          .Input("indices: Tidx")
          .Input("segment_ids: Tsegmentids")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .Attr("Tsegmentids: {int32, int64} = DT_INT32")
          .Attr("sparse_gradient: bool = false")
          .SetShapeFn(detail::SparseSegmentWithNumSegmentsShape);

  static constexpr std::string_view unused[] = {"sparse_gradient"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSum;

  template <class Device>
  using kernel = detail::SparseSegmentWithNumSegmentsKernel<SparseSegmentSumWithNumSegments, Device>;
};

// The number of output rows is given.
struct SparseSegmentMeanWithNumSegments {
  static constexpr auto signature = Op("SparseSegmentMeanWithNumSegments")
                                        .Input("data: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Input("num_segments: Tnumsegments")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tnumsegments: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .Attr("sparse_gradient: bool = false")
                                        .SetShapeFn(detail::SparseSegmentWithNumSegmentsShape);

  static constexpr std::string_view unused[] = {"sparse_gradient"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kMean;

  template <class Device>
  using kernel = detail::SparseSegmentWithNumSegmentsKernel<SparseSegmentMeanWithNumSegments, Device>;
};

// The number of output rows is given.
struct SparseSegmentSqrtNWithNumSegments {
  static constexpr auto signature = Op("SparseSegmentSqrtNWithNumSegments")
                                        .Input("data: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Input("num_segments: Tnumsegments")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tnumsegments: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .Attr("sparse_gradient: bool = false")
                                        .SetShapeFn(detail::SparseSegmentWithNumSegmentsShape);

  static constexpr std::string_view unused[] = {"sparse_gradient"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSqrtN;

  template <class Device>
  using kernel = detail::SparseSegmentWithNumSegmentsKernel<SparseSegmentSqrtNWithNumSegments, Device>;
};

// The gradients, with respect to data.
struct SparseSegmentSumGrad {
  static constexpr auto signature = Op("SparseSegmentSumGrad")
                                        .Input("grad: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Input("output_dim0: int32")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::SparseSegmentGradShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSum;

  template <class Device>
  using kernel = detail::SparseSegmentGradKernel<SparseSegmentSumGrad, Device>;
};

// Of SparseSegmentMean.
struct SparseSegmentMeanGrad {
  static constexpr auto signature = Op("SparseSegmentMeanGrad")
                                        .Input("grad: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Input("output_dim0: int32")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::SparseSegmentGradShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kMean;

  template <class Device>
  using kernel = detail::SparseSegmentGradKernel<SparseSegmentMeanGrad, Device>;
};

// Of SparseSegmentSqrtN.
struct SparseSegmentSqrtNGrad {
  static constexpr auto signature = Op("SparseSegmentSqrtNGrad")
                                        .Input("grad: T")
                                        .Input("indices: Tidx")
                                        .Input("segment_ids: Tsegmentids")
                                        .Input("output_dim0: int32")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .Attr("Tsegmentids: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::SparseSegmentGradShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSqrtN;

  template <class Device>
  using kernel = detail::SparseSegmentGradKernel<SparseSegmentSqrtNGrad, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
