// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows picked by number along one axis of a tensor.

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/move.hpp>

TENON_NAMESPACE_BEGIN

// in: [batch, outer, limit, run], indices: [batch, count]  ->  out: [batch, outer, count, run]
struct GatherPlan {
  Index batch = 1, outer = 1, limit = 0, count = 0, run = 1;
};

namespace detail {

// Rows [begin, end) of the output's batch * outer * count.
template <class Int>
void GatherRows(const ElementMover& mover, const GatherPlan& plan, const void* in, const Int* indices, void* out,
                Index begin, Index end) {
  Index block = begin / plan.count, i = begin % plan.count;  // block: which [limit, run] of the input
  const Index run_bytes = plan.run * mover.bytes;
  const bool is_short = mover.assign == nullptr && run_bytes >= 16 && run_bytes <= kMostShortBytes;
  const Int* at = indices + block / plan.outer * plan.count;  // those of the batch
  for (Index row = begin; row < end; ++row) {
    const Index from = static_cast<Index>(at[i]);
    const char* const source = mover.At(in, (block * plan.limit + from) * plan.run);
    char* const target = mover.At(out, row * plan.run);
    if (is_short)
      CopyShortPiece(source, target, run_bytes);
    else if (mover.assign == nullptr && plan.run == 1)
      CopyBytePieces(mover.bytes, source, 0, target, 0, 1);
    else
      CopyRun(mover, source, target, plan.run);
    if (++i == plan.count) {
      i = 0;
      at = indices + ++block / plan.outer * plan.count;
    }
  }
}

// The position of the first of n indices that is not in [0, limit), or -1.
template <class Int>
Index FirstOutside(const Int* indices, Index n, Index limit) {
  bool outside = false;
  for (Index i = 0; i < n; ++i)
    outside |= static_cast<std::uint64_t>(static_cast<std::int64_t>(indices[i])) >= static_cast<std::uint64_t>(limit);
  if (!outside) return -1;
  for (Index i = 0;; ++i)
    if (indices[i] < 0 || static_cast<Index>(indices[i]) >= limit) return i;
}

}  // namespace detail

// The indices (int16, int32 or int64; batch * count of them) must be in [0, limit): otherwise nothing is written and
// the position of the first bad one is returned. -1 when all is well.
inline Index Gather(Cpu& device, const ElementMover& mover, const GatherPlan& plan, const void* in,
                    const Tensor& indices, void* out) {
  const auto run = [&]<class Int>(Int) {
    const Int* at = indices.data<Int>();
    if (const Index bad = detail::FirstOutside(at, plan.batch * plan.count, plan.limit); bad >= 0) return bad;
    if (plan.run > 0 && plan.count > 0)
      ParallelFor(device, plan.batch * plan.outer * plan.count, mover.cost_ns() * static_cast<double>(plan.run) + 2,
                  [&](Index begin, Index end) { detail::GatherRows(mover, plan, in, at, out, begin, end); });
    return Index{-1};
  };
  if (indices.dtype() == DataType::kInt16) return run(std::int16_t{});
  if (indices.dtype() == DataType::kInt32) return run(std::int32_t{});
  return run(std::int64_t{});
}

TENON_NAMESPACE_END
