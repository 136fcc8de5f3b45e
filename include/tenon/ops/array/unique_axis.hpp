// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniqueV2 and UniqueWithCountsV2: the distinct slices along an axis.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/unique.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status UniqueV2Shape(InferenceContext* c) {
  const ShapeHandle x = c->input(0);
  c->set_output(0, c->RankKnown(x) ? c->UnknownShapeOfRank(c->Rank(x)) : c->UnknownShape());
  c->set_output(1, c->Vector(c->UnknownDim()));
  if (c->num_outputs() > 2) c->set_output(2, c->Vector(c->UnknownDim()));
  SlimVector<std::int64_t> axis;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &axis, &known));
  if (!known || !c->RankKnown(x)) return OkStatus();
  if (c->RankKnown(c->input(1)) && c->Rank(c->input(1)) != 1)
    return errors::InvalidArgument("axis expects a 1D vector.");
  const std::int32_t rank = c->Rank(x);
  if (axis.empty()) {
    if (rank != 1) return errors::InvalidArgument("x expects a 1D vector.");
    c->set_output(1, x);
    return OkStatus();
  }
  if (axis.size() > 1) return errors::InvalidArgument("axis does not support input tensors larger than 1 elements.");
  if (axis[0] < -rank || axis[0] >= rank)
    return errors::InvalidArgument("axis expects to be in the range [", -rank, ", ", rank, ")");
  c->set_output(1, c->Vector(c->Dim(x, axis[0])));
  return OkStatus();
}

// The slices of x: [outer, n, inner] along the middle dimension, as keys.
struct SliceKeys {
  const ElementKeys& keys;
  Index outer, n, inner;

  std::uint64_t Hash(Index slice) const {
    std::uint64_t h = 0;
    bool has_nan = false;
    for (Index o = 0; o < outer; ++o) {
      for (Index i = 0; i < inner; ++i) {
        const Index at = (o * n + slice) * inner + i;
        h = (h ^ keys.Hash(at)) * 0xd6e8feb86659fd93 + 1;
        has_nan = has_nan || keys.IsNan(at);
      }
    }
    // A slice with a NaN equals none: many of them must not meet in one place.
    if (has_nan) h = (h ^ static_cast<std::uint64_t>(slice)) * 0xd6e8feb86659fd93;
    return h ^ h >> 32;
  }
  bool Equal(Index a, Index b) const {
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i)
        if (!keys.Equal((o * n + a) * inner + i, keys, (o * n + b) * inner + i)) return false;
    return true;
  }
};

// numbers[i]: which of the distinct slices slice i is; first: where each of these is met first; counts: how often.
// table: `size` places, a power of two above the number of slices.
inline void NumberSlices(const SliceKeys& slices, Index* table, std::size_t size, Tensor* numbers,
                         SlimVector<Index>* first, SlimVector<Index>* counts) {
  std::fill_n(table, size, Index{-1});  // open addressing: numbers of distinct slices
  for (Index i = 0; i < slices.n; ++i) {
    std::size_t at = static_cast<std::size_t>(slices.Hash(i)) & (size - 1);
    while (table[at] >= 0 && !slices.Equal(i, (*first)[static_cast<std::size_t>(table[at])]))
      at = (at + 1) & (size - 1);
    if (table[at] < 0) {
      table[at] = static_cast<Index>(first->size());
      first->push_back(i);
      counts->push_back(0);
    }
    StoreIndex(numbers, i, table[at]);
    ++(*counts)[static_cast<std::size_t>(table[at])];
  }
}

inline Status RunUniqueV2(OpKernelContext& context, Cpu& device, const Tensor& x, const HostIndices& axes,
                          bool with_counts) {
  if (axes.shape().dims() != 1)
    return errors::InvalidArgument("Unique: axis expects a 1D vector, got shape ", axes.shape());
  if (axes.size() > 1)
    return errors::InvalidArgument("Unique: axis does not support input tensors larger than 1 elements, got ",
                                   axes.size());
  if (axes.size() == 0 && x.dims() != 1)
    return errors::InvalidArgument("Unique: unique expects a 1D vector, got shape ", x.shape());
  const int rank = x.dims();
  const Index wanted = axes.size() == 0 ? 0 : axes[0], axis = wanted < 0 ? wanted + rank : wanted;
  if (axis < 0 || axis >= rank)
    return errors::InvalidArgument("Unique: axis has to be between [0, ", rank, "), got ", wanted);
  const Index n = x.dim_size(static_cast<int>(axis));
  Index outer = x.NumElements() == 0 ? 0 : 1, inner = outer;
  for (int d = 0; d < rank && outer > 0; ++d)
    if (d != axis) (d < axis ? outer : inner) *= x.dim_size(d);
  const ElementKeys keys(x);
  // An empty tensor may have more slices than there is memory for their numbers.
  Tensor *y = nullptr, *idx = nullptr, *count = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &idx));
  std::size_t size = 16;
  while (size < 2 * static_cast<std::size_t>(n)) size *= 2;
  const Scratch table(device, size * sizeof(Index));
  TENON_RETURN_IF_ERROR(table.status("Unique"));
  SlimVector<Index> first, counts;
  NumberSlices({keys, outer, n, inner}, table.As<Index>(), size, idx, &first, &counts);
  const auto distinct = static_cast<Index>(first.size());
  TensorShape shape = x.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(static_cast<int>(axis), distinct));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &y));
  const ElementMover mover = MoverOf(x.dtype());
  for (Index o = 0; o < outer; ++o)
    for (Index k = 0; k < distinct; ++k)
      CopyRun(mover, mover.At(x.raw_data(), (o * n + first[static_cast<std::size_t>(k)]) * inner),
              mover.At(y->raw_data(), (o * distinct + k) * inner), inner);
  if (!with_counts) return OkStatus();
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({distinct}), &count));
  for (Index k = 0; k < distinct; ++k) StoreIndex(count, k, counts[static_cast<std::size_t>(k)]);
  return OkStatus();
}

}  // namespace detail

// x: [a, n, b], axis: [1]  ->  y: [a, m, b], idx: [n]; an empty axis means 0 of a vector.
struct UniqueV2 {
  static constexpr auto signature = Op("UniqueV2")
                                        .Input("x: T")
                                        .Input("axis: Taxis")
                                        .Output("y: T")
                                        .Output("idx: out_idx")
                                        .Attr("T: type")
                                        .Attr("Taxis: {int32, int64} = DT_INT64")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UniqueV2Shape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUniqueTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, HostIndices axis, Tensor&, Tensor&) const {
      return detail::RunUniqueV2(context.op(), context.device(), x, axis, false);
    }
  };
};

// And how often each slice is there.
struct UniqueWithCountsV2 {
  static constexpr auto signature = Op("UniqueWithCountsV2")
                                        .Input("x: T")
                                        .Input("axis: Taxis")
                                        .Output("y: T")
                                        .Output("idx: out_idx")
                                        .Output("count: out_idx")
                                        .Attr("T: type")
                                        .Attr("Taxis: {int32, int64} = DT_INT64")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UniqueV2Shape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUniqueTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, HostIndices axis, Tensor&, Tensor&, Tensor&) const {
      return detail::RunUniqueV2(context.op(), context.device(), x, axis, true);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
