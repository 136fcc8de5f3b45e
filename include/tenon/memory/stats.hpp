// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counters an allocator may report, with TensorFlow's names and its printed form. Sizes are in bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct AllocatorStats {
  std::int64_t num_allocs = 0;
  std::int64_t bytes_in_use = 0;
  std::int64_t peak_bytes_in_use = 0;
  std::int64_t largest_alloc_size = 0;
  std::optional<std::int64_t> bytes_limit;  // absent: no limit but the machine's
  std::int64_t bytes_reserved = 0;          // taken from the system or the base allocator, in use or not
  std::int64_t peak_bytes_reserved = 0;
  std::optional<std::int64_t> bytes_reservable_limit;
  std::int64_t largest_free_block_bytes = 0;
  std::optional<std::int64_t> pool_bytes;
  std::optional<std::int64_t> peak_pool_bytes;

  std::string DebugString() const;  // eight lines: a label padded to 18 columns, the number right-aligned in 20
};

namespace detail {

inline void AppendStatsLine(std::string* out, std::string_view label, std::int64_t value) {
  const std::string digits = StrCat(value);
  out->append(label);
  out->append(18 - label.size() + (digits.size() < 20 ? 20 - digits.size() : 0), ' ');
  out->append(digits);
  out->push_back('\n');
}

}  // namespace detail

inline std::string AllocatorStats::DebugString() const {
  std::string text;
  detail::AppendStatsLine(&text, "Limit:", bytes_limit.value_or(0));
  detail::AppendStatsLine(&text, "InUse:", bytes_in_use);
  detail::AppendStatsLine(&text, "MaxInUse:", peak_bytes_in_use);
  detail::AppendStatsLine(&text, "NumAllocs:", num_allocs);
  detail::AppendStatsLine(&text, "MaxAllocSize:", largest_alloc_size);
  detail::AppendStatsLine(&text, "Reserved:", bytes_reserved);
  detail::AppendStatsLine(&text, "PeakReserved:", peak_bytes_reserved);
  detail::AppendStatsLine(&text, "LargestFreeBlock:", largest_free_block_bytes);
  return text;
}

TENON_DETAIL_NAMESPACE_END
