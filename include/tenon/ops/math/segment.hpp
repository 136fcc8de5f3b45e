// SPDX-License-Identifier: Apache-2.0
#pragma once
// Segment ops: the rows of `data` with equal ids become one row. In the Segment ops ids ascend. In the UnsortedSegment
// ops they have any order, negative ids are left out, and data may have more dimensions in place of rows.

#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/reduce/segment.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/segment_ids.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status SegmentShape(InferenceContext* c) {
  ShapeHandle data, ids, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &ids));
  TENON_RETURN_IF_ERROR(c->Subshape(data, 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

// Rows of one element, on this thread. `output` has the elements of segments without rows.
inline void FoldAscendingElements(const SegmentLoops& loops, const void* data, const HostIndices& ids, void* output) {
  IdBlock block;
  OpenSegment open;
  for (Index begin = 0, n = 0; begin < ids.size(); begin += n) {
    n = block.Read(ids, begin);
    loops.fold_ascending(static_cast<const char*>(data) + begin * loops.bytes, block.ids(), &open, output, n);
  }
  if (loops.divide != nullptr && open.id >= 0)
    loops.divide(static_cast<char*>(output) + open.id * loops.bytes, open.rows, 1);
}
inline void FoldElements(const SegmentLoops& loops, const void* data, const HostIndices& ids, void* output) {
  IdBlock block;
  for (Index begin = 0, n = 0; begin < ids.size(); begin += n) {
    n = block.Read(ids, begin);
    loops.fold_each(static_cast<const char*>(data) + begin * loops.bytes, block.ids(), output, n);
  }
}

// Elements of one row.
inline Index RowSize(const TensorShape& shape, int from) { return ProductOfSizes(shape, from, shape.dims()); }

// `starts_in_gaps`: rows that no id names get the start value of the operation, otherwise zeros.
inline Status RunSegments(OpKernelContext& context, Cpu& device, const SegmentLoops& loops, bool starts_in_gaps,
                          const Tensor& data, const HostIndices& ids, Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  if (data.dims() < 1) return errors::InvalidArgument(op, ": input must be at least rank 1 but is rank 0");
  if (ids.shape().dims() != 1)
    return errors::InvalidArgument(op, ": segment_ids should be a vector, got shape ", ids.shape());
  if (ids.size() != data.dim_size(0))
    return errors::InvalidArgument(op, ": segment_ids should be the same size as dimension 0 of input, got ",
                                   ids.size(), " and ", data.dim_size(0));
  const Index count = ids.size(), last = count == 0 ? -1 : ids[count - 1];
  if (last < -1 || (count > 0 && last < 0))
    return errors::InvalidArgument(op, ": segment ids must be >= 0, the last is ", last);
  if (last == std::numeric_limits<Index>::max())
    return errors::InvalidArgument(op, ": segment id ", last, " is too large");
  TENON_RETURN_IF_ERROR(CheckSegmentIds(op, ids, last + 1));
  TensorShape shape = data.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, last + 1));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  const Index columns = RowSize(shape, 1);
  const ElementMover mover = MoverOf(data.dtype());
  if (columns == 1 && loops.fold_ascending != nullptr) {
    if (starts_in_gaps)
      FillRun(mover, loops.start, output->raw_data(), last + 1);
    else
      ZeroRun(mover, output->raw_data(), last + 1);
    FoldAscendingElements(loops, data.raw_data(), ids, output->raw_data());
    return OkStatus();
  }
  ForEachColumnRange(device, count, columns, [&](Index begin, Index end) {
    Index segment = 0;
    for (Index i = 0; i < count;) {
      char* const out = mover.At(output->raw_data(), ids[i] * columns + begin);
      for (; segment < ids[i]; ++segment) {
        char* const gap = mover.At(output->raw_data(), segment * columns + begin);
        if (starts_in_gaps)
          FillRun(mover, loops.start, gap, end - begin);
        else
          ZeroRun(mover, gap, end - begin);
      }
      ++segment;
      const Index first = i;
      CopyRun(mover, mover.At(data.raw_data(), i * columns + begin), out, end - begin);
      for (++i; i < count && ids[i] == ids[first]; ++i)
        loops.fold(mover.At(data.raw_data(), i * columns + begin), out, end - begin);
      if (loops.divide != nullptr) loops.divide(out, i - first, end - begin);
    }
  });
  return OkStatus();
}

inline Status RunUnsortedSegments(OpKernelContext& context, Cpu& device, const SegmentLoops& loops, const Tensor& data,
                                  const HostIndices& ids, const HostIndices& num_segments, Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  if (num_segments.shape().dims() != 0)
    return errors::InvalidArgument(op, ": num_segments should be a scalar, not shape ", num_segments.shape());
  const int id_dims = ids.shape().dims();
  bool fits = id_dims <= data.dims();
  for (int d = 0; fits && d < id_dims; ++d) fits = data.dim_size(d) == ids.shape().dim_size(d);
  if (!fits)
    return errors::InvalidArgument(op, ": data.shape = ", data.shape(),
                                   " does not start with segment_ids.shape = ", ids.shape());
  const Index segments = num_segments[0];
  if (segments < 0) return errors::InvalidArgument(op, ": Input num_segments == ", segments, " must not be negative.");
  if (context.input_dtype(1) == DataType::kInt32 && segments > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument(op, ": num_segments must be of the type of segment_ids, int32, got ", segments);
  TensorShape shape;
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(segments));
  for (int d = id_dims; d < data.dims(); ++d) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(data.dim_size(d)));
  for (Index i = data.NumElements() > 0 ? FirstBlockAbove(ids, segments) : ids.size(); i < ids.size(); ++i)
    if (ids[i] >= segments) {
      return errors::InvalidArgument(op, ": segment_ids", PlaceText(ids.shape(), i), " = ", ids[i],
                                     " is out of range [0, ", segments, ")");
    }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  const Index columns = RowSize(shape, 1);
  const ElementMover mover = MoverOf(data.dtype());
  tenon::Fill(device, mover, loops.start, output->raw_data(), shape.num_elements());
  if (data.NumElements() == 0) return OkStatus();
  if (columns == 1 && loops.fold_each != nullptr) {
    FoldElements(loops, data.raw_data(), ids, output->raw_data());
    return OkStatus();
  }
  ForEachColumnRange(device, ids.size(), columns, [&](Index begin, Index end) {
    for (Index i = 0; i < ids.size(); ++i)
      if (ids[i] >= 0)
        loops.fold(mover.At(data.raw_data(), i * columns + begin),
                   mover.At(output->raw_data(), ids[i] * columns + begin), end - begin);
  });
  return OkStatus();
}

// TensorFlow's kernels serve all numbers but the quantised ones.
template <class Op, class Device>
  requires(Device::type == "CPU")
struct SegmentKernel {
  Status Init(OpKernelConstruction& c) {
    loops = Op::Loops(c.input_type(0));
    return ServeOnly(c, c.input_type(0), kPodTypes);
  }
  Status operator()(Context<Device>& context, const Tensor& data, HostIndices segment_ids, Tensor& output) const {
    return RunSegments(context.op(), context.device(), loops, Op::kStartsInGaps, data, segment_ids, &output);
  }
  SegmentLoops loops;
};
template <class Op, class Device>
  requires(Device::type == "CPU")
struct UnsortedSegmentKernel {
  Status Init(OpKernelConstruction& c) {
    loops = Op::Loops(c.input_type(0));
    return ServeOnly(c, c.input_type(0), kPodTypes);
  }
  Status operator()(Context<Device>& context, const Tensor& data, HostIndices segment_ids, HostIndices num_segments,
                    Tensor& output) const {
    return RunUnsortedSegments(context.op(), context.device(), loops, data, segment_ids, num_segments, &output);
  }
  SegmentLoops loops;
};
// TensorFlow describes the V2 ops, but has no kernels for the CPU.
template <class Device>
  requires(Device::type == "CPU")
struct NoSegmentKernel {
  Status Init(OpKernelConstruction& c) {
    return errors::InvalidArgument("no kernel for op '", c.op().name, "' on ", c.device_type(),
                                   ", as in TensorFlow; UnsortedSegment ops have num_segments too");
  }
  Status operator()(Context<Device>&, const Tensor&, HostIndices, HostIndices, Tensor&) const { return OkStatus(); }
};

}  // namespace detail

// data: [n, ...]  segment_ids: [n]  ->  [last id + 1, ...]; 0 where there are no rows.
struct SegmentSum {
  static constexpr auto signature =
      Op("SegmentSum")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .SetShapeFn(detail::SegmentShape);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return ArithmeticSegmentLoops<SegmentSumStep>(type); }
  static constexpr bool kStartsInGaps = false;

  template <class Device>
  using kernel = detail::SegmentKernel<SegmentSum, Device>;
};

// The mean of integers is the (wrapped) sum, divided towards zero.
struct SegmentMean {
  static constexpr auto signature =
      Op("SegmentMean")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .SetShapeFn(detail::SegmentShape);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return MeanSegmentLoops(type); }
  static constexpr bool kStartsInGaps = false;

  template <class Device>
  using kernel = detail::SegmentKernel<SegmentMean, Device>;
};

// 1 where there are no rows.
struct SegmentProd {
  static constexpr auto signature =
      Op("SegmentProd")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .SetShapeFn(detail::SegmentShape);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return ArithmeticSegmentLoops<SegmentProdStep>(type); }
  static constexpr bool kStartsInGaps = true;

  template <class Device>
  using kernel = detail::SegmentKernel<SegmentProd, Device>;
};

// 0 where there are no rows.
struct SegmentMax {
  static constexpr auto signature =
      Op("SegmentMax")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .SetShapeFn(detail::SegmentShape);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return OrderSegmentLoops<SegmentMaxStep>(type); }
  static constexpr bool kStartsInGaps = false;

  template <class Device>
  using kernel = detail::SegmentKernel<SegmentMax, Device>;
};

// 0 where there are no rows.
struct SegmentMin {
  static constexpr auto signature =
      Op("SegmentMin")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .SetShapeFn(detail::SegmentShape);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return OrderSegmentLoops<SegmentMinStep>(type); }
  static constexpr bool kStartsInGaps = false;

  template <class Device>
  using kernel = detail::SegmentKernel<SegmentMin, Device>;
};

// data: [a, b, ...]  segment_ids: [a] or [a, b]  ->  [num_segments, ...]
struct UnsortedSegmentSum {
  static constexpr auto signature =
      Op("UnsortedSegmentSum")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int16, int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return ArithmeticSegmentLoops<SegmentSumStep>(type); }

  template <class Device>
  using kernel = detail::UnsortedSegmentKernel<UnsortedSegmentSum, Device>;
};

// 1 where there are no rows.
struct UnsortedSegmentProd {
  static constexpr auto signature =
      Op("UnsortedSegmentProd")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return ArithmeticSegmentLoops<SegmentProdStep>(type); }

  template <class Device>
  using kernel = detail::UnsortedSegmentKernel<UnsortedSegmentProd, Device>;
};

// The lowest finite number where there are no rows.
struct UnsortedSegmentMax {
  static constexpr auto signature =
      Op("UnsortedSegmentMax")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return OrderSegmentLoops<SegmentMaxStep>(type); }

  template <class Device>
  using kernel = detail::UnsortedSegmentKernel<UnsortedSegmentMax, Device>;
};

// The highest finite number where there are no rows.
struct UnsortedSegmentMin {
  static constexpr auto signature =
      Op("UnsortedSegmentMin")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  static SegmentLoops Loops(DataType type) { return OrderSegmentLoops<SegmentMinStep>(type); }

  template <class Device>
  using kernel = detail::UnsortedSegmentKernel<UnsortedSegmentMin, Device>;
};

// The V2 ops belong to graphs for accelerators.
struct SegmentSumV2 {
  static constexpr auto signature =
      Op("SegmentSumV2")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::NoSegmentKernel<Device>;
};

struct SegmentProdV2 {
  static constexpr auto signature =
      Op("SegmentProdV2")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::NoSegmentKernel<Device>;
};

struct SegmentMaxV2 {
  static constexpr auto signature =
      Op("SegmentMaxV2")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::NoSegmentKernel<Device>;
};

struct SegmentMinV2 {
  static constexpr auto signature =
      Op("SegmentMinV2")
          .Input("data: T")
          .Input("segment_ids: Tindices")
          .Input("num_segments: Tnumsegments")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tnumsegments: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::NoSegmentKernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
