// SPDX-License-Identifier: Apache-2.0
#pragma once
// SlowRunLog: a TraceSink that logs slow runs with their critical path. CriticalPath finds that of any trace.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/log.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/str.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/trace/edges.hpp>
#include <tenon/runtime/trace/sink.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// The chain of executions that decided when a run ended, as indices of RunTrace::nodes, in their order: the execution
// that ended last, before it the latest of those that it read or waited for, and so on. The trace's session must live.
inline std::vector<std::size_t> CriticalPath(const RunTrace& trace) {
  std::vector<std::size_t> path;
  if (trace.nodes.empty()) return path;
  std::size_t last = 0;
  for (std::size_t i = 1; i < trace.nodes.size(); ++i)
    if (trace.nodes[i].end_ns > trace.nodes[last].end_ns) last = i;
  detail::FlowFinder finder(trace);
  std::vector<TraceFlow> flows;
  while (path.size() < trace.nodes.size()) {
    path.push_back(last);
    flows.clear();
    finder.Find(last, &flows);
    if (flows.empty()) break;
    last = flows[0].from;
    for (const TraceFlow& flow : flows)
      if (trace.nodes[flow.from].end_ns > trace.nodes[last].end_ns) last = flow.from;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

namespace detail {

inline std::string MillisecondsText(std::int64_t ns) {
  const std::int64_t us = ns / 1000;
  const std::string thousandths = StrCat(1000 + us % 1000);
  return StrCat(us / 1000, ".", thousandths.substr(1), " ms");
}

}  // namespace detail

// Describes a run in one line, with the longest executions of its critical path.
inline std::string DescribeSlowRun(const TracedRun& run) {
  constexpr std::size_t kMost = 8;
  const std::vector<std::size_t> path = CriticalPath(run.trace);
  const SlimVector<std::size_t> longest = SortedOrder(path.size(), [&](std::size_t a, std::size_t b) {
    const NodeTiming &first = run.trace.nodes[path[a]], &second = run.trace.nodes[path[b]];
    const std::int64_t ns = first.end_ns - first.start_ns, other = second.end_ns - second.start_ns;
    return ns != other ? ns > other : a < b;
  });
  std::int64_t path_ns = 0, wait_ns = 0;
  for (const std::size_t i : path) {
    path_ns += run.trace.nodes[i].end_ns - run.trace.nodes[i].start_ns;
    wait_ns += run.trace.nodes[i].wait_ns;
  }
  std::string text =
      StrCat("slow run of session ", run.session, ": ", detail::MillisecondsText(run.trace.total_ns), ", ",
             run.trace.nodes.size(), " executions, ", run.status.ok() ? "OK" : run.status.ToString(),
             "; critical path: ", path.size(), " executions, ", detail::MillisecondsText(path_ns), ", of which ",
             detail::MillisecondsText(wait_ns), " waiting");
  for (std::size_t k = 0; k < longest.size() && k < kMost; ++k) {
    const NodeTiming& node = run.trace.nodes[path[longest[k]]];
    StrAppend(&text, k == 0 ? "; longest: " : ", ", node.op, " '", node.name, "' on ", node.device, " ",
              detail::MillisecondsText(node.end_ns - node.start_ns));
  }
  return text;
}

// Logs runs that take `limit_ms` or longer, as warnings. thread-safe.
//
//   tenon::SlowRunLog slow(100);
//   auto session = tenon::Session::FromGraphFile("model.pb", {.trace_sink = &slow});
class SlowRunLog final : public TraceSink {
 public:
  // `limit_ms`: [ms], at least 0.
  explicit SlowRunLog(std::int64_t limit_ms) : limit_ms_(limit_ms) {}
  void OnRun(const TracedRun& run) override {
    if (run.trace.total_ns >= limit_ms_ * 1'000'000) TENON_LOG(kWarning, DescribeSlowRun(run));
  }

 private:
  const std::int64_t limit_ms_;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
