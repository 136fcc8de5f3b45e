// SPDX-License-Identifier: Apache-2.0
#pragma once
// The line that is logged of nodes with attrs that their op does not have: newer programs write such graphs.

#include <atomic>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string_view>

#include <tenon/base/log.hpp>
#include <tenon/op/graph_def/node_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Not before this time, in seconds of std::time.
inline constinit std::atomic<std::int64_t> next_line_of_unknown_attr{std::numeric_limits<std::int64_t>::min()};

// At most one line in five seconds, whatever the number of nodes; `summarize_op` is called only for a line that is
// logged. thread-safe.
template <class SummarizeOp>
TENON_DETAIL_COLD void LogUnknownAttr(std::string_view attr, std::string_view node, SummarizeOp summarize_op) {
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  std::int64_t due = next_line_of_unknown_attr.load(std::memory_order_relaxed);
  if (now < due || !next_line_of_unknown_attr.compare_exchange_strong(due, now + 5, std::memory_order_relaxed)) return;
  TENON_LOG(kError, "NodeDef mentions attribute ", attr, " which is not in the op definition: ", summarize_op(),
            " This may be expected if your graph generating binary is newer than this binary. ",
            "Unknown attributes will be ignored. NodeDef: ", FormatNodeForError(node));
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
