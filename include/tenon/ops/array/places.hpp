// SPDX-License-Identifier: Apache-2.0
#pragma once
// Index vectors: which place of a tensor each one names. For GatherNd, ScatterNd and the TensorScatter ops. And
// StoreIndex, for outputs that are indices.

#include <cstddef>
#include <cstdint>
#include <span>

#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/params.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// places[i] = the number, in a tensor with these leading sizes, of the place that the i-th vector of `indices` ([...,
// leading.size()]) names; -1 when it is outside. Returns the first i outside, or -1.
inline Index FindPlaces(const HostIndices& indices, std::span<const Index> leading, SlimVector<Index>* places) {
  const auto depth = static_cast<Index>(leading.size());
  Index first_bad = -1;
  for (std::size_t i = 0; i < places->size(); ++i) {
    Index place = 0;
    bool inside = true;
    for (Index d = 0; d < depth; ++d) {
      const Index at = indices[static_cast<Index>(i) * depth + d], size = leading[static_cast<std::size_t>(d)];
      inside = inside && at >= 0 && at < size;
      place = inside ? place * size + at : -1;
    }
    (*places)[i] = place;
    if (!inside && first_bad < 0) first_bad = static_cast<Index>(i);
  }
  return first_bad;
}

// to[i] = value, in an output of int32 or int64.
inline void StoreIndex(Tensor* to, Index i, Index value) {
  if (to->dtype() == DataType::kInt32)
    to->data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
  else
    to->data<std::int64_t>()[i] = value;
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
