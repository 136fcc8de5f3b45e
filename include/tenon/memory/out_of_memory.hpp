// SPDX-License-Identifier: Apache-2.0
#pragma once
// The message about an allocator that had no memory: its name, the requested bytes, and how full it is.

#include <cstddef>
#include <optional>
#include <string>

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/stats.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// "allocator cpu, which was asked for 24 bytes; in use: 0 bytes (peak 64, 3 allocations, limit 1024, largest free
// block 128)": the end of a sentence without its full stop. An AllocationObserver sees it.
TENON_DETAIL_COLD inline std::string NoMemoryFrom(const Allocator& allocator, std::size_t bytes) {
  std::string text = StrCat("allocator ", allocator.Name(), ", which was asked for ", bytes, " bytes; ");
  const std::optional<AllocatorStats> stats = allocator.GetStats();
  if (stats.has_value()) {
    StrAppend(&text, "in use: ", stats->bytes_in_use, " bytes (peak ", stats->peak_bytes_in_use, ", ",
              stats->num_allocs, " allocations");
    if (stats->bytes_limit.has_value()) StrAppend(&text, ", limit ", *stats->bytes_limit);
    if (stats->bytes_reserved > 0) {
      StrAppend(&text, ", reserved ", stats->bytes_reserved, ", largest free block ", stats->largest_free_block_bytes);
    }
    text.push_back(')');
  } else {
    text += "it keeps no statistics";
  }
  CpuAllocator()->TellOfMissingMemory(text);
  return text;
}

}  // namespace detail
TENON_DETAIL_NAMESPACE_END
