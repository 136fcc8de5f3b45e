// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlanStridedSlice: the elements that a strided slice with its five masks takes from an input, and the result's shape.
// The shape function and the kernels use it.

#include <bit>
#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

TENON_DETAIL_COLD inline Status stride_must_not_be_zero(std::size_t d) {
  return errors::InvalidArgument("strides[", d, "] must be non-zero");
}
TENON_DETAIL_COLD inline Status only_one_ellipsis_is_allowed() {
  return errors::InvalidArgument("Multiple ellipses in slice spec not allowed");
}
TENON_DETAIL_COLD inline Status slice_has_more_indices_than_the_input_dimensions(std::size_t d, std::size_t rank) {
  if (rank == 0) return errors::InvalidArgument("Attempting to slice scalar input.");
  return errors::InvalidArgument("Index out of range using input dim ", d, "; input has only ", rank, " dims");
}
TENON_DETAIL_COLD inline Status single_index_needs_a_positive_stride() {
  return errors::InvalidArgument("only stride 1 allowed on non-range indexing.");
}
TENON_DETAIL_COLD inline Status slice_index_is_out_of_bounds(std::int64_t index, std::size_t d) {
  return errors::InvalidArgument("slice index ", index, " of dimension ", d, " out of bounds.");
}
TENON_DETAIL_COLD inline Status slice_bounds_must_be_equally_long_vectors(std::size_t begin, std::size_t end,
                                                                          std::size_t strides) {
  return errors::InvalidArgument("Expected begin, end, and strides to be 1D equal size tensors, but got shapes [",
                                 begin, "], [", end, "], and [", strides, "] instead.");
}

}  // namespace detail

// A strided slice with all masks worked in.
struct StridedSlicePlan {
  SlimVector<std::int64_t> begin, end, strides;  // per input dimension; bounds are within the input
  SlimVector<std::int64_t> processing_shape;  // size of each input dimension after slicing; -1: unknown
  SlimVector<std::int64_t> final_shape;  // with new axes, without shrunk ones
  bool is_identity = true;  // the output is the input
  bool slice_dim0 = true;  // only the first dimension is cut, with stride 1
  bool is_simple_slice = true;  // all strides are 1
};

// Plans StridedSlice of an input of these sizes (-1: unknown). `begin` and `end` may be null: not known.
constexpr Status PlanStridedSlice(Span<const std::int64_t> input, const SlimVector<std::int64_t>* begin,
                                  const SlimVector<std::int64_t>* end, const SlimVector<std::int64_t>& strides,
                                  std::int32_t begin_mask, std::int32_t end_mask, std::int32_t ellipsis_mask,
                                  std::int32_t new_axis_mask, std::int32_t shrink_axis_mask, StridedSlicePlan* plan) {
  constexpr std::int64_t kNewAxis = -2, kShrinkAxis = -1;
  const auto bit = [](std::int64_t mask, std::size_t i) { return i < 32 && (mask >> i & 1) != 0; };
  const std::size_t rank = input.size();
  std::size_t n = strides.size();
  const std::size_t begin_size = begin == nullptr ? n : begin->size(), end_size = end == nullptr ? n : end->size();
  if (begin_size != n || end_size != n || n >= 32)
    return detail::slice_bounds_must_be_equally_long_vectors(begin_size, end_size, n);
  if (std::popcount(static_cast<std::uint32_t>(ellipsis_mask)) > 1) return detail::only_one_ellipsis_is_allowed();

  // One entry per input dimension: the ellipsis (one at the end unless there is one) takes the rest.
  std::size_t new_axes_after_ellipsis = 0;
  bool ellipsis_seen = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (ellipsis_seen && bit(new_axis_mask, i)) ++new_axes_after_ellipsis;
    ellipsis_seen = ellipsis_seen || bit(ellipsis_mask, i);
  }
  const std::size_t ellipsis_at_end = ellipsis_seen ? n : n++;
  plan->begin.assign(rank, 0);
  plan->end.assign(rank, 0);
  plan->strides.assign(rank, 1);
  plan->processing_shape.clear();
  plan->final_shape.clear();
  plan->is_identity = plan->slice_dim0 = plan->is_simple_slice = true;
  SlimVector<std::int64_t> gather;  // per output dimension: the input dimension, or one of the constants
  SlimVector<std::int64_t> whole_begin(rank, 0), whole_end(rank, 0), shrink(rank, 0);  // flags
  std::size_t d = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == ellipsis_at_end || bit(ellipsis_mask, i)) {
      const std::size_t stop = rank + 1 + new_axes_after_ellipsis + i;  // + n - ... : kept unsigned
      const std::size_t next = stop < n ? 0 : stop - n < rank ? stop - n : rank;
      for (; d < next; ++d) {
        whole_begin[d] = whole_end[d] = 1;
        gather.push_back(static_cast<std::int64_t>(d));
      }
    } else if (bit(new_axis_mask, i)) {
      gather.push_back(kNewAxis);
    } else {
      if (d == rank) return detail::slice_has_more_indices_than_the_input_dimensions(d, rank);
      if (begin != nullptr) plan->begin[d] = (*begin)[i];
      if (end != nullptr) plan->end[d] = (*end)[i];
      plan->strides[d] = strides[i];
      whole_begin[d] = bit(begin_mask, i);
      whole_end[d] = bit(end_mask, i);
      shrink[d] = bit(shrink_axis_mask, i);
      gather.push_back(shrink[d] != 0 ? kShrinkAxis : static_cast<std::int64_t>(d));
      ++d;
    }
  }

  const bool bounds_known = begin != nullptr && end != nullptr;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = input[i], stride = plan->strides[i];
    if (stride == 0) return detail::stride_must_not_be_zero(i);
    if (size == -1) {
      plan->processing_shape.push_back(shrink[i] ? 1 : -1);
      plan->is_identity = plan->slice_dim0 = plan->is_simple_slice = false;
      continue;
    }
    if (shrink[i] && stride <= 0) return detail::single_index_needs_a_positive_stride();
    plan->is_simple_slice = plan->is_simple_slice && stride == 1;
    const bool whole = whole_begin[i] != 0 && whole_end[i] != 0;
    std::int64_t length = 0;
    bool length_known = true, takes_all = stride == 1 && whole;
    if (bounds_known) {
      const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
      const auto clamp = [&](std::int64_t x) {
        if (x < 0) x += size;
        return x < low ? low : x > high ? high : x;
      };
      std::int64_t& b = plan->begin[i];
      std::int64_t& e = plan->end[i];
      if (shrink[i]) {
        if (b < 0) b += size;
        e = b + 1;
        if (b < 0 || b >= size) return detail::slice_index_is_out_of_bounds(b, i);
      } else {
        b = whole_begin[i] ? (stride > 0 ? low : high) : clamp(b);
        e = whole_end[i] ? (stride > 0 ? high : low) : clamp(e);
      }
      takes_all = stride == 1 && b == 0 && e == size;
      length = e - b;
    } else if (shrink[i]) {
      length = 1;
    } else if (whole) {
      length = stride < 0 ? -size : size;
    } else {
      length_known = false;
    }
    plan->is_identity = plan->is_identity && takes_all;
    plan->slice_dim0 = plan->slice_dim0 && ((i == 0 && stride == 1) || takes_all);
    if (!length_known)
      plan->processing_shape.push_back(-1);
    else if (length == 0 || (length < 0) != (stride < 0))
      plan->processing_shape.push_back(0);
    else
      plan->processing_shape.push_back(length / stride + (length % stride != 0 ? 1 : 0));
  }
  for (const std::int64_t g : gather) {
    if (g >= 0)
      plan->final_shape.push_back(plan->processing_shape[static_cast<std::size_t>(g)]);
    else if (g == kNewAxis)
      plan->final_shape.push_back(1);
  }
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
