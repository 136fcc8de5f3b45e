// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the values of a step lie in one arena: blocks with a size and a span of time each get an offset so that no two
// that live at the same time overlap.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Bytes that are in use from the beginning of node `first` to the end of node `last`, positions in the order of
// execution.
struct PlanBlock {
  std::size_t bytes = 0;
  int first = 0, last = 0;
  std::size_t offset = 0;  // the answer

  bool Meets(const PlanBlock& other) const { return first <= other.last && other.first <= last; }
};

inline constexpr std::size_t kPlanAlignment = 64;
constexpr std::size_t AlignedForPlan(std::size_t bytes) { return (bytes + kPlanAlignment - 1) & ~(kPlanAlignment - 1); }

// The most bytes that live at one time: no arena can be smaller.
inline std::size_t MostLiveBytes(Span<const PlanBlock> blocks) {
  int end = 0;
  for (const PlanBlock& block : blocks) end = std::max(end, block.last + 1);
  SlimVector<std::int64_t> growth(static_cast<std::size_t>(end) + 1);  // per time: how many more bytes live
  for (const PlanBlock& block : blocks) {
    const auto bytes = static_cast<std::int64_t>(AlignedForPlan(block.bytes));
    growth[static_cast<std::size_t>(block.first)] += bytes;
    growth[static_cast<std::size_t>(block.last) + 1] -= bytes;
  }
  std::int64_t live = 0, most = 0;
  for (const std::int64_t bytes : growth) most = std::max(most, live += bytes);
  return static_cast<std::size_t>(most);
}

// One block after the other, in the order of `order`, each in the smallest gap between those it meets that is large
// enough. Returns the bytes of the arena. Time: number of blocks squared.
inline std::size_t PlaceInOrder(Span<PlanBlock> blocks, Span<const int> order) {
  SlimVector<int> placed;  // by offset
  placed.reserve(blocks.size());
  std::size_t arena = 0;
  for (const int number : order) {
    PlanBlock& block = blocks[static_cast<std::size_t>(number)];
    const std::size_t bytes = AlignedForPlan(block.bytes);
    std::size_t end = 0, best = SIZE_MAX, best_gap = SIZE_MAX;
    for (const int other_number : placed) {
      const PlanBlock& other = blocks[static_cast<std::size_t>(other_number)];
      if (!block.Meets(other)) continue;
      if (other.offset >= end + bytes && other.offset - end < best_gap) {
        best = end;
        best_gap = other.offset - end;
      }
      end = std::max(end, other.offset + AlignedForPlan(other.bytes));
    }
    block.offset = best == SIZE_MAX ? end : best;
    arena = std::max(arena, block.offset + bytes);
    const auto above = [&](int other) { return blocks[static_cast<std::size_t>(other)].offset >= block.offset; };
    placed.insert(std::find_if(placed.begin(), placed.end(), above), number);
  }
  return arena;
}

// Gives every block its offset and returns the bytes of the arena. The largest blocks are placed first (Pisarchyk and
// Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, greedy by size). Where that wastes memory,
// the block that lies highest is placed first the next time, a few times over; the best of all is taken. Of many
// blocks, where placing takes too long, the small ones get places of their own.
inline std::size_t PackBlocks(Span<PlanBlock> blocks) {
  constexpr std::size_t kMostCompared = 4096, kMostTriedAgain = 1024;
  constexpr int kTries = 32;
  SlimVector<int> order;
  order.reserve(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) order.push_back(static_cast<int>(i));
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const PlanBlock &x = blocks[static_cast<std::size_t>(a)], &y = blocks[static_cast<std::size_t>(b)];
    return x.bytes != y.bytes ? x.bytes > y.bytes : a < b;
  });
  const std::size_t compared = std::min(order.size(), kMostCompared);
  std::size_t arena = PlaceInOrder(blocks, {order.data(), compared});
  for (std::size_t i = compared; i < order.size(); ++i) {
    PlanBlock& block = blocks[static_cast<std::size_t>(order[i])];
    block.offset = arena;
    arena += AlignedForPlan(block.bytes);
  }
  if (blocks.size() > kMostTriedAgain) return arena;
  const std::size_t least = MostLiveBytes(blocks);
  SlimVector<PlanBlock> tried(blocks.begin(), blocks.end());
  const auto end = [&](int number) {
    const PlanBlock& block = tried[static_cast<std::size_t>(number)];
    return block.offset + AlignedForPlan(block.bytes);
  };
  for (int i = 0; i < kTries && arena > least; ++i) {
    const auto highest = std::max_element(order.begin(), order.end(), [&](int a, int b) { return end(a) < end(b); });
    std::rotate(order.begin(), highest, highest + 1);
    if (const std::size_t bytes = PlaceInOrder(tried, order); bytes < arena) {
      arena = bytes;
      std::copy(tried.begin(), tried.end(), blocks.begin());
    }
  }
  return arena;
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
