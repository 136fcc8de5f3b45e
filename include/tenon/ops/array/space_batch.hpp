// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of space moved to the depth or to the batch, and back: DepthToSpace, SpaceToDepth, SpaceToBatch,
// SpaceToBatchND, BatchToSpace, BatchToSpaceND.

#include <algorithm>
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
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// ---- shapes
// `to_depth`: SpaceToDepth; else DepthToSpace.
TENON_DETAIL_COLD inline Status DepthShape(InferenceContext* c, bool to_depth) {
  std::string_view format;
  std::int64_t block = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  TENON_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  const bool channels_first = format != "NHWC", vect = format == "NCHW_VECT_C";
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), vect ? 5 : 4, &in));
  const int h = channels_first ? 2 : 1, w = h + 1, d = channels_first ? 1 : 3;
  DimensionHandle height, width, depth;
  const std::int64_t blocks = MultiplyWithoutOverflow(block, block);
  if (to_depth) {
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(in, h), block, true, &height));
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(in, w), block, true, &width));
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(in, d), blocks, &depth));
  } else {
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(in, h), block, &height));
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(in, w), block, &width));
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(in, d), blocks, true, &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(in, h, height, &out));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(out, w, width, &out));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(out, d, depth, &out));
  if (vect) TENON_RETURN_IF_ERROR(c->ReplaceDim(out, 4, c->MakeDim(4), &out));  // a vector of four channels
  c->set_output(0, out);
  return OkStatus();
}

// The shape of SpaceToBatchND (to_batch) and BatchToSpaceND; blocks and edges (paddings or crops) may be unknown.
inline Status BatchShape(InferenceContext* c, bool to_batch, ShapeHandle input, ShapeHandle block_shape,
                         const SlimVector<std::int64_t>* blocks, ShapeHandle edges_shape,
                         const SlimVector<std::int64_t>* edges) {
  if (c->Rank(block_shape) != 1) return errors::InvalidArgument("block_shape must have rank 1.");
  const DimensionHandle count = c->Dim(block_shape, 0);
  if (!c->ValueKnown(count)) return errors::InvalidArgument("block_shape must have known size.");
  const std::int64_t n = c->Value(count);
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, n + 1, &input));
  TENON_RETURN_IF_ERROR(c->Merge(edges_shape, c->Matrix(count, 2), &edges_shape));
  DimensionHandle batch = c->Dim(input, 0);
  if (blocks != nullptr) {
    for (const std::int64_t block : *blocks) {
      if (block < 1) return errors::InvalidArgument("block_shape must be positive");
      if (to_batch)
        TENON_RETURN_IF_ERROR(c->Multiply(batch, block, &batch));
      else
        TENON_RETURN_IF_ERROR(c->Divide(batch, block, true, &batch));
    }
  } else if (n > 0) {
    batch = c->UnknownDim();
  }
  SlimVector<DimensionHandle> dims;
  dims.push_back(batch);
  for (std::int64_t d = 0; d < n; ++d) {
    dims.push_back(c->UnknownDim());
    if (edges == nullptr) continue;
    const auto i = static_cast<std::size_t>(d);
    const std::int64_t before = (*edges)[2 * i], after = (*edges)[2 * i + 1];
    if (before < 0 || after < 0) return errors::InvalidArgument(to_batch ? "paddings" : "crops", " cannot be negative");
    if (blocks == nullptr) continue;
    DimensionHandle size = c->Dim(input, d + 1);
    if (to_batch) {
      TENON_RETURN_IF_ERROR(c->Add(size, before, &size));
      TENON_RETURN_IF_ERROR(c->Add(size, after, &size));
      TENON_RETURN_IF_ERROR(c->Divide(size, (*blocks)[i], true, &size));
    } else {
      TENON_RETURN_IF_ERROR(c->Multiply(size, (*blocks)[i], &size));
      TENON_RETURN_IF_ERROR(c->Subtract(size, before, &size));
      TENON_RETURN_IF_ERROR(c->Subtract(size, after, &size));
    }
    dims.back() = size;
  }
  ShapeHandle rest, out;
  TENON_RETURN_IF_ERROR(c->Subshape(input, n + 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->MakeShape(dims), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}
TENON_DETAIL_COLD inline Status BatchNdShape(InferenceContext* c, bool to_batch) {
  SlimVector<std::int64_t> blocks, edges;
  bool blocks_known = false, edges_known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &blocks, &blocks_known));
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &edges, &edges_known));
  // A block_shape or edges of another shape than they must have are refused before their values are looked at.
  return BatchShape(c, to_batch, c->input(0), c->input(1), blocks_known ? &blocks : nullptr, c->input(2),
                    edges_known ? &edges : nullptr);
}
inline Status BatchSquareShape(InferenceContext* c, bool to_batch) {
  ShapeHandle input;
  std::int64_t block = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  SlimVector<std::int64_t> blocks(2, block), edges;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &edges, &known));
  return BatchShape(c, to_batch, input, c->Vector(2), &blocks, c->input(1), known ? &edges : nullptr);
}

// ---- kernels
TENON_DETAIL_COLD_CODE_BEGIN
template <class Device>
Status RunDepth(OpKernelContext& context, Device& device, bool to_depth, Index block, const Tensor& input,
                Tensor* output) {
  const char* const op = to_depth ? "SpaceToDepth" : "DepthToSpace";
  if (input.dims() != 4) return errors::InvalidArgument(op, ": Input rank should be: 4 instead of: ", input.dims());
  const Index n = input.dim_size(0);
  Index h = input.dim_size(1), w = input.dim_size(2), d = input.dim_size(3);  // size of the smaller image, of one pixel
  const Index blocks = MultiplyWithoutOverflow(block, block);
  if (to_depth ? h % block != 0 || w % block != 0 : blocks < 0 || d % blocks != 0)
    return errors::InvalidArgument(op,
                                   to_depth ? ": Image height and width should be divisible by "
                                            : ": Input depth dimension should be divisible by the square of ",
                                   block, ", got shape ", input.shape());
  if (to_depth) {
    h /= block;
    w /= block;
  } else {
    d /= blocks;
  }
  TensorShape shape;
  const Index deep[4] = {n, h, w, MultiplyWithoutOverflow(d, blocks)};
  const Index wide[4] = {n, MultiplyWithoutOverflow(h, block), MultiplyWithoutOverflow(w, block), d};
  TENON_RETURN_IF_ERROR(TensorShape::Build(to_depth ? deep : wide, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  NdCopy copy;
  const auto add = [&](Index size, Index in_deep, Index in_wide) {
    copy.Add(size, to_depth ? in_wide : in_deep, to_depth ? in_deep : in_wide);
  };
  const Index row = w * block * d;  // elements of a row of the wide image
  if (to_depth) {  // in the order of the output
    add(n * h, w * blocks * d, block * row);
    add(w, blocks * d, block * d);
    add(block, block * d, row);
    add(block, d, d);
  } else {
    add(n * h, w * blocks * d, block * row);
    add(block, block * d, row);
    add(w, blocks * d, block * d);
    add(block, d, d);
  }
  add(d, 1, 1);
  return CopyNd(device, MoverOf(input.dtype()), copy, input.raw_data(), output->raw_data());
}

// One dimension of space.
struct BlockDim {
  Index block, before, after;  // before, after: padding or crop
  Index wide = 0, narrow = 0;  // its size on the space side (without padding, after the crop) and on the batch side
};

// Copies all blocks between the space side and the batch side. `batch` is the space side's, `inner` the product of the
// dimensions behind the blocked ones. Every block is a copy of its own. Positions outside of the space side are left
// out.
template <class Device>
Status CopyBlocks(Device& device, const ElementMover& mover, bool to_batch, Index batch, Index inner,
                  const SlimVector<BlockDim>& dims, const void* in, void* out) {
  Index blocks = 1, wide_size = inner, narrow_size = inner;
  for (const BlockDim& d : dims) {
    blocks *= d.block;
    wide_size *= d.wide;
    narrow_size *= d.narrow;
  }
  for (Index b = 0; b < blocks; ++b) {
    NdCopy copy;
    Index& wide_first = to_batch ? copy.in_first : copy.out_first;
    Index& narrow_first = to_batch ? copy.out_first : copy.in_first;
    const auto add = [&](Index size, Index wide, Index narrow) {
      copy.Add(size, to_batch ? wide : narrow, to_batch ? narrow : wide);
    };
    narrow_first = b * batch * narrow_size;
    add(batch, wide_size, narrow_size);
    InlinedVector<Index, 8> offset(dims.size(), 0);
    for (std::size_t d = dims.size(), left = static_cast<std::size_t>(b); d-- > 0;) {
      offset[d] = static_cast<Index>(left % static_cast<std::size_t>(dims[d].block));
      left /= static_cast<std::size_t>(dims[d].block);
    }
    Index wide_step = wide_size, narrow_step = narrow_size;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const BlockDim& d = dims[i];
      wide_step /= d.wide;
      narrow_step /= d.narrow;
      // Position p on the batch side is p * block + offset - before on the space side.
      const Index shift = offset[i] - d.before;
      const Index first = shift >= 0 ? 0 : (-shift + d.block - 1) / d.block;
      const Index end = d.wide - shift <= 0 ? 0 : std::min(d.narrow, (d.wide - shift - 1) / d.block + 1);
      add(std::max<Index>(0, end - first), d.block * wide_step, narrow_step);
      wide_first += (first * d.block + shift) * wide_step;
      narrow_first += first * narrow_step;
    }
    add(inner, 1, 1);
    if (copy.elements > 0) TENON_RETURN_IF_ERROR(CopyNd(device, mover, copy, in, out));
  }
  return OkStatus();
}

template <class Device>
Status RunBatch(OpKernelContext& context, Device& device, const char* op, bool to_batch, const Tensor& input,
                const SlimVector<Index>& blocks, const HostIndices& edges, Tensor* output) {
  constexpr int kMaxBlocked = 4;  // TensorFlow's
  const auto n = static_cast<int>(blocks.size());
  if (input.dims() < n + 1)
    return errors::InvalidArgument(op, ": input rank should be >= ", n + 1, " instead of ", input.dims());
  if (edges.shape().dims() != 2 || edges.shape().dim_size(0) != n || edges.shape().dim_size(1) != 2)
    return errors::InvalidArgument(op, ": ", to_batch ? "paddings" : "crops", " should have shape [", n,
                                   ", 2] instead of ", edges.shape());
  SlimVector<BlockDim> dims;
  InlinedVector<Index, 8> sizes(input.shape().begin(), input.shape().end());
  Index product = 1;
  int blocked = 0;
  for (int d = 0; d < n; ++d) {
    const auto i = static_cast<std::size_t>(d);
    BlockDim dim{blocks[i], edges[2 * d], edges[2 * d + 1]};
    if (dim.block < 1)
      return errors::InvalidArgument(op, ": All values in block_shape must be positive, got value, ", dim.block,
                                     " at index ", d, ".");
    if (dim.before < 0 || dim.after < 0)
      return errors::InvalidArgument(op, ": ", to_batch ? "Paddings" : "Crops", " must be non-negative");
    product = MultiplyWithoutOverflow(product, dim.block);
    if (product < 0) return errors::InvalidArgument(op, ": the product of block_shape overflows int64");
    if (dim.block != 1 || dim.before != 0 || dim.after != 0) ++blocked;
    Index& size = sizes[i + 1];
    constexpr Index kMost = Index{1} << 60;
    if (dim.before > kMost || dim.after > kMost || size > std::numeric_limits<Index>::max() - dim.before - dim.after)
      return errors::InvalidArgument(op, ": sizes overflow: ", dim.before, ", ", size, ", ", dim.after);
    if (to_batch) {
      const Index padded = size + dim.before + dim.after;
      if (padded % dim.block != 0)
        return errors::InvalidArgument(op, ": padded_shape[", d, "]=", padded, " is not divisible by block_shape[", d,
                                       "]=", dim.block);
      dim.wide = size;
      size = dim.narrow = padded / dim.block;
    } else {
      dim.narrow = size;
      const Index whole = MultiplyWithoutOverflow(size, dim.block);
      if (whole < 0) return errors::InvalidArgument(op, ": sizes overflow: ", size, " times ", dim.block);
      if (whole - dim.before - dim.after < 0)
        return errors::InvalidArgument(op, ": cropped_shape[", d, "]=", whole - dim.before - dim.after,
                                       " must be non-negative");
      size = dim.wide = whole - dim.before - dim.after;
    }
    dims.push_back(dim);
  }
  // Leading and trailing dimensions that are not blocked do not count.
  int first = 0, last = n;
  const auto is_plain = [&](int d) {
    const BlockDim& dim = dims[static_cast<std::size_t>(d)];
    return dim.block == 1 && dim.before == 0 && dim.after == 0;
  };
  while (first < last && is_plain(first)) ++first;
  while (last > first && is_plain(last - 1)) --last;
  if (last - first > kMaxBlocked)
    return errors::InvalidArgument(op, ": Maximum number of non-combined block dimensions is ", last - first,
                                   " but must not exceed ", kMaxBlocked);
  if (!to_batch && sizes[0] % product != 0)
    return errors::InvalidArgument(op, ": Input batch dimension (", sizes[0],
                                   ") is not divisible by product of block sizes (", product, ")");
  sizes[0] = to_batch ? MultiplyWithoutOverflow(sizes[0], product) : sizes[0] / product;
  if (blocked == 0) {
    *output = input;
    return OkStatus();
  }
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  const ElementMover mover = MoverOf(input.dtype());
  if (to_batch) TENON_RETURN_IF_ERROR(Zero(device, mover, output->raw_data(), output->NumElements()));
  if (input.NumElements() == 0) return OkStatus();
  const Index inner = ProductOfSizes(input.shape(), n + 1, input.dims());
  return CopyBlocks(device, mover, to_batch, to_batch ? input.dim_size(0) : sizes[0], inner, dims, input.raw_data(),
                    output->raw_data());
}
TENON_DETAIL_COLD_CODE_END

template <class Device>
Status RunBatchNd(OpKernelContext& context, Device& device, const char* op, bool to_batch, const Tensor& input,
                  const HostIndices& block_shape, const HostIndices& edges, Tensor* output) {
  if (block_shape.shape().dims() != 1)
    return errors::InvalidArgument(op, ": block_shape rank should be 1 instead of ", block_shape.shape().dims());
  SlimVector<Index> blocks;
  for (Index i = 0; i < block_shape.size(); ++i) blocks.push_back(block_shape[i]);
  return RunBatch(context, device, op, to_batch, input, blocks, edges, output);
}
template <class Device>
Status RunBatchSquare(OpKernelContext& context, Device& device, const char* op, bool to_batch, const Tensor& input,
                      Index block, const HostIndices& edges, Tensor* output) {
  if (input.dims() != 4) return errors::InvalidArgument(op, ": Input rank should be: 4 instead of: ", input.dims());
  return RunBatch(context, device, op, to_batch, input, SlimVector<Index>(2, block), edges, output);
}

inline constexpr DataTypeSet kBatchTypes = kRealNumberTypes;

}  // namespace detail

// input: [n, h, w, b * b * d]  ->  [n, b * h, b * w, d], b = block_size
struct DepthToSpace {
  static constexpr auto signature =
      Op("DepthToSpace")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::DepthShape(c, false); });
  struct Attrs {
    std::int64_t block_size;
    std::string_view data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      if (this->data_format != "NHWC")
        return errors::InvalidArgument("no kernel for op 'DepthToSpace' on ", c.device_type(), " with data_format '",
                                       this->data_format, "'; there is 'NHWC'");
      return ServeOnDevice<Device>(c, c.input_type(0), kPodAndObjectTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      return detail::RunDepth(context.op(), context.device(), false, this->block_size, input, &output);
    }
  };
};

// input: [n, b * h, b * w, d]  ->  [n, h, w, b * b * d], b = block_size
struct SpaceToDepth {
  static constexpr auto signature =
      Op("SpaceToDepth")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::DepthShape(c, true); });
  struct Attrs {
    std::int64_t block_size;
    std::string_view data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      if (this->data_format != "NHWC")
        return errors::InvalidArgument("no kernel for op 'SpaceToDepth' on ", c.device_type(), " with data_format '",
                                       this->data_format, "'; there is 'NHWC'");
      return ServeOnDevice<Device>(c, c.input_type(0), kPodAndObjectTypes | ToSet(DataType::kQint8));
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      return detail::RunDepth(context.op(), context.device(), true, this->block_size, input, &output);
    }
  };
};

// Pads dimensions 1, 2, ... and deals their elements out to as many batches as a block has.
struct SpaceToBatchND {
  static constexpr auto signature =
      Op("SpaceToBatchND")
          .Input("input: T")
          .Input("block_shape: Tblock_shape")
          .Input("paddings: Tpaddings")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tblock_shape: {int32, int64} = DT_INT32")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchNdShape(c, true); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices block_shape, HostIndices paddings,
                      Tensor& output) const {
      return detail::RunBatchNd(context.op(), context.device(), "SpaceToBatchND", true, input, block_shape, paddings,
                                &output);
    }
  };
};

// The reverse of SpaceToBatchND, and cuts the edges off.
struct BatchToSpaceND {
  static constexpr auto signature =
      Op("BatchToSpaceND")
          .Input("input: T")
          .Input("block_shape: Tblock_shape")
          .Input("crops: Tcrops")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tblock_shape: {int32, int64} = DT_INT32")
          .Attr("Tcrops: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchNdShape(c, false); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices block_shape, HostIndices crops,
                      Tensor& output) const {
      return detail::RunBatchNd(context.op(), context.device(), "BatchToSpaceND", false, input, block_shape, crops,
                                &output);
    }
  };
};

// SpaceToBatchND on images, [n, h, w, d], with square blocks.
struct SpaceToBatch {
  static constexpr auto signature =
      Op("SpaceToBatch")
          .Input("input: T")
          .Input("paddings: Tpaddings")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Attr("block_size: int >= 2")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchSquareShape(c, true); });
  struct Attrs {
    std::int64_t block_size;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return detail::RunBatchSquare(context.op(), context.device(), "SpaceToBatch", true, input, this->block_size,
                                    paddings, &output);
    }
  };
};

// BatchToSpaceND on images, [n, h, w, d], with square blocks.
struct BatchToSpace {
  static constexpr auto signature =
      Op("BatchToSpace")
          .Input("input: T")
          .Input("crops: Tidx")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchSquareShape(c, false); });
  struct Attrs {
    std::int64_t block_size;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices crops, Tensor& output) const {
      return detail::RunBatchSquare(context.op(), context.device(), "BatchToSpace", false, input, this->block_size,
                                    crops, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
