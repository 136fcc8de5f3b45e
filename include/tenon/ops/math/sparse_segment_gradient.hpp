// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseSegmentSumGradV2, SparseSegmentMeanGradV2, SparseSegmentSqrtNGradV2: gradients of the rows that were picked,
// and of no other row.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/reduce/segment.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/array/places.hpp>
#include <tenon/ops/math/segment.hpp>
#include <tenon/ops/math/sparse_segment.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status SparseSegmentGradV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TENON_RETURN_IF_ERROR(SparseSegmentShapeOf(c, c->UnknownDim()));
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

// place[i]: the output row of element i. Returns their number; rows gets the input row of each.
inline Index PlaceRows(const HostIndices& indices, SlimVector<Index>* place, SlimVector<Index>* rows) {
  const auto less = [&](std::size_t a, std::size_t b) {
    return indices[static_cast<Index>(a)] < indices[static_cast<Index>(b)];
  };
  const auto n = static_cast<std::size_t>(indices.size());
  place->resize(n, 0);
  for (const std::size_t i : SortedOrder(n, less)) {
    const Index row = indices[static_cast<Index>(i)];
    if (rows->empty() || rows->back() != row) rows->push_back(row);
    (*place)[i] = static_cast<Index>(rows->size()) - 1;
  }
  return static_cast<Index>(rows->size());
}

inline Status CheckSparseSegmentGradV2(std::string_view op, const Tensor& grad, const HostIndices& indices,
                                       const HostIndices& ids, const HostIndices& dim0) {
  if (dim0.shape().dims() != 0)
    return errors::InvalidArgument(op, ": dense_output_dim0 should be a scalar, got shape ", dim0.shape());
  if (grad.dims() < 1) return errors::InvalidArgument(op, ": Shape must be at least rank 1 but is rank 0");
  TENON_RETURN_IF_ERROR(CheckPicked(op, indices, ids));
  const Index count = ids.size(), rows = dim0[0], segments = grad.dim_size(0);
  if (rows < 0) return errors::InvalidArgument(op, ": Expected a non-negative size, got ", rows);
  if (rows == 0) return OkStatus();  // TensorFlow looks no further
  for (Index i = 0; i < count; ++i) {
    if (ids[i] < 0 || ids[i] >= segments)
      return errors::InvalidArgument(op, ": Segment id ", ids[i], " out of range [0, ", segments, ").");
    if (indices[i] < 0 || indices[i] >= rows)
      return errors::InvalidArgument(op, ": Index ", indices[i], " out of range [0, ", rows, ").");
  }
  return OkStatus();
}

inline Status RunSparseSegmentGradV2(OpKernelContext& context, Cpu& device, SegmentScale scale, const Tensor& grad,
                                     const HostIndices& indices, const HostIndices& ids, const HostIndices& dim0) {
  const std::string_view op = context.op_kernel().type_string();
  TENON_RETURN_IF_ERROR(CheckSparseSegmentGradV2(op, grad, indices, ids, dim0));
  SlimVector<Index> place, rows;
  const Index count = dim0[0] == 0 ? 0 : ids.size(), n = count == 0 ? 0 : PlaceRows(indices, &place, &rows);
  Tensor *output = nullptr, *unique = nullptr;
  TensorShape shape = grad.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, n));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &unique));
  for (Index i = 0; i < n; ++i) StoreIndex(unique, i, rows[static_cast<std::size_t>(i)]);
  if (shape.num_elements() == 0) return OkStatus();
  SlimVector<Index> sizes(static_cast<std::size_t>(grad.dim_size(0)), 0);
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
                sums.As<char>() + (place[static_cast<std::size_t>(i)] * columns + begin) * loops.acc_bytes,
                end - begin);
  });
  loops.finish(sums.As<char>(), 1, output->raw_data(), shape.num_elements());
  return OkStatus();
}

template <class Op, class Device>
  requires(Device::type == "CPU")
struct SparseSegmentGradV2Kernel {
  Status operator()(Context<Device>& context, const Tensor& grad, HostIndices indices, HostIndices segment_ids,
                    HostIndices dense_output_dim0, Tensor&, Tensor&) const {
    return RunSparseSegmentGradV2(context.op(), context.device(), Op::kScale, grad, indices, segment_ids,
                                  dense_output_dim0);
  }
};

constexpr auto SparseSegmentGradV2Op(std::string_view name) {
  return Op(name)
      .Input("grad: T")
      .Input("indices: Tidx")
      .Input("segment_ids: Tsegmentids")
      .Input("dense_output_dim0: int32")
      .Output("output: T")
      .Output("sorted_unique_indices: Tidx")
      .Attr("T: {bfloat16, half, float, double}")
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Attr("Tsegmentids: {int32, int64} = DT_INT32")
      .SetShapeFn(SparseSegmentGradV2Shape);
}

}  // namespace detail

// grad: a row for each segment  ->  a row for each different index, and these indices in order
struct SparseSegmentSumGradV2 {
  static constexpr auto signature = detail::SparseSegmentGradV2Op("SparseSegmentSumGradV2");
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSum;
  template <class Device>
  using kernel = detail::SparseSegmentGradV2Kernel<SparseSegmentSumGradV2, Device>;
};

struct SparseSegmentMeanGradV2 {
  static constexpr auto signature = detail::SparseSegmentGradV2Op("SparseSegmentMeanGradV2");
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kMean;
  template <class Device>
  using kernel = detail::SparseSegmentGradV2Kernel<SparseSegmentMeanGradV2, Device>;
};

struct SparseSegmentSqrtNGradV2 {
  static constexpr auto signature = detail::SparseSegmentGradV2Op("SparseSegmentSqrtNGradV2");
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::SegmentScale kScale = detail::SegmentScale::kSqrtN;
  template <class Device>
  using kernel = detail::SparseSegmentGradV2Kernel<SparseSegmentSqrtNGradV2, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
