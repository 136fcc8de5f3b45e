// SPDX-License-Identifier: Apache-2.0
#pragma once
// The timeline of a run as files: Chrome trace JSON (chrome://tracing, Perfetto) or one self-contained HTML page.
// <tenon/runtime/trace/trace_file.hpp> writes all runs of a session.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/runtime/trace/allocation_log.hpp>
#include <tenon/runtime/trace/edges.hpp>
#include <tenon/runtime/trace/json_writer.hpp>
#include <tenon/runtime/trace/page.hpp>
#include <tenon/runtime/trace/page_runs.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// `error`: a number of <cerrno>.
TENON_DETAIL_COLD inline Status CannotOpenForWriting(const std::string& path, int error) {
  return Status(FileError("", path, error).code(),
                StrCat("cannot open '", path, "' for writing: ", std::strerror(error)));
}
inline Status WriteTextFile(const std::string& path, std::string_view text) {
  const Owned<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return CannotOpenForWriting(path, errno);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    return errors::ResourceExhausted("cannot write ", text.size(), " bytes to '", path, "'");
  return OkStatus();
}

// Executions that a trace holds only as sums.
inline std::int64_t CountFolded(const RunTrace& trace) {
  std::int64_t count = 0;
  for (const NodeTotal& n : trace.folded) count += n.count;
  return count;
}
// The members of an object; times in nanoseconds.
inline void AddTotal(const NodeTotal& n, JsonWriter* json) {
  json->Add("name", n.name);
  json->Add("op", n.op);
  json->Add("device", n.device);
  json->Add("count", n.count);
  json->Add("total", n.total_ns);
  json->Add("min", n.min_ns);
  json->Add("max", n.max_ns);
  json->Add("bytes", n.output_bytes);
  if (n.wait_ns > 0) json->Add("wait", n.wait_ns);
}

// Chrome's trace events, one a line, each after a comma but the first of all. A session is a process there; times come
// in nanoseconds and are shown in microseconds. one thread.
class ChromeEvents {
 public:
  struct Count {
    std::string_view name;
    std::int64_t value;
  };

  void NameProcess(int process, std::string_view name) { AddName("process_name", process, 0, name); }
  // `start_ns`: of the run on the file's clock; `error`: empty where it went well.
  void AddRun(int process, const RunTrace& trace, std::int64_t start_ns, std::string_view error) {
    json_.Reserve(700 * trace.nodes.size());  // more than most take; pages that nothing is written to cost nothing
    for (const int thread : ThreadsOf(trace)) NameThread(process, thread);
    BeginSpan(process, trace.thread, "run", start_ns, start_ns + trace.total_ns);
    json_.Add("nodes", static_cast<std::int64_t>(trace.nodes.size()));
    if (!error.empty()) json_.Add("error", error);
    if (!trace.folded.empty()) json_.Add("folded", CountFolded(trace));
    if (trace.num_dropped > 0) json_.Add("dropped", trace.num_dropped);
    End();
    for (const NodeTotal& n : trace.folded) AddFolded(process, trace.thread, n, start_ns);
    for (const NodeTiming& n : trace.nodes) {
      BeginSpan(process, n.thread, n.op, start_ns + n.start_ns, start_ns + n.end_ns);
      json_.Add("node", n.name);
      json_.Add("device", n.device);
      if (n.dtype != DataType::kInvalid) json_.Add("shape", ShapeText(n));
      json_.Add("bytes", n.output_bytes);
      json_.Add("temp_bytes", n.temp_bytes);
      json_.Add("persistent_bytes", n.persistent_bytes);
      if (n.wait_ns > 0) json_.Add("wait_ns", n.wait_ns);
      End();
    }
    for (const TraceFlow& flow : FlowsOf(trace)) AddFlow(process, trace, flow, start_ns);
  }
  void AddCounter(int process, std::string_view name, std::int64_t at_ns, std::initializer_list<Count> counts) {
    Begin("C", name, process, 0);
    json_.AddTime("ts", at_ns);
    json_.Begin('{', "args");
    for (const Count& count : counts) json_.Add(count.name, count.value);
    End();
  }
  // Marks the number of runs that a full file leaves out, across all rows.
  void AddRunsLeftOut(std::int64_t at_ns, std::int64_t count) {
    BeginInstant(0, 0, "runs left out: the file is full", "g", at_ns);
    json_.Add("runs", count);
    End();
  }
  // Instants on the threads' rows, and the bytes in use as a counter. `origin_ns`: the file's zero.
  void AddAllocations(int process, Span<const AllocationRecord> records, std::int64_t origin_ns) {
    for (const AllocationRecord& record : records) {
      using Kind = AllocationRecord::Kind;
      const std::string_view what = record.kind == Kind::kAllocated ? "allocate"
                                    : record.kind == Kind::kFreed   ? "free"
                                                                    : "refuse";
      NameThread(process, record.thread);
      BeginInstant(process, record.thread, what, "t", record.at_ns - origin_ns);
      json_.Add("bytes", record.bytes);
      json_.Add("block", static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(record.block)));
      End();
      AddCounter(process, "allocated bytes", record.at_ns - origin_ns, {{"in use", record.bytes_in_use}});
    }
  }
  std::string Take() { return json_.Take(); }

 private:
  void Begin(std::string_view phase, std::string_view name, int process, int thread) {
    if (!is_first_) json_.AddComma();
    is_first_ = false;
    json_.AddLineEnd();
    json_.Begin('{');
    json_.Add("ph", phase);
    json_.Add("pid", process);
    json_.Add("tid", thread);
    json_.Add("name", name);
  }
  // Closes the arguments and the event.
  void End() {
    json_.End('}');
    json_.End('}');
  }
  // Opens a span, up to its arguments.
  void BeginSpan(int process, int thread, std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    Begin("X", name, process, thread);
    json_.AddTime("ts", start_ns);
    json_.AddTime("dur", end_ns - start_ns);
    json_.Begin('{', "args");
  }
  // Opens an instant, up to its arguments. `scope`: "t" for the thread's row, "g" for all rows.
  void BeginInstant(int process, int thread, std::string_view name, std::string_view scope, std::int64_t at_ns) {
    Begin("i", name, process, thread);
    json_.Add("s", scope);
    json_.AddTime("ts", at_ns);
    json_.Begin('{', "args");
  }
  // Where the first of the executions begins that are only summed up.
  void AddFolded(int process, int thread, const NodeTotal& total, std::int64_t start_ns) {
    BeginInstant(process, thread, "folded", "t", start_ns + total.start_ns);
    AddTotal(total, &json_);
    End();
  }
  void AddName(std::string_view what, int process, int thread, std::string_view name) {
    Begin("M", what, process, thread);
    json_.Begin('{', "args");
    json_.Add("name", name);
    End();
  }
  void NameThread(int process, int thread) {
    for (const auto& [known_process, known_thread] : named_)
      if (known_process == process && known_thread == thread) return;
    named_.push_back({process, thread});
    AddName("thread_name", process, thread, ThreadName(thread));
  }
  // From within the span of the producer, a nanosecond before its end, to the start of the consumer's.
  void AddFlow(int process, const RunTrace& trace, const TraceFlow& flow, std::int64_t start_ns) {
    const NodeTiming &from = trace.nodes[flow.from], &to = trace.nodes[flow.to];
    const std::int64_t leaves = from.end_ns > from.start_ns ? from.end_ns - 1 : from.start_ns;
    ++flows_;
    AddFlowEnd("s", process, from.thread, flow.control, start_ns + leaves);
    AddFlowEnd("f", process, to.thread, flow.control, start_ns + to.start_ns);
  }
  void AddFlowEnd(std::string_view phase, int process, int thread, bool control, std::int64_t at_ns) {
    const std::string_view kind = control ? "control" : "data";
    Begin(phase, kind, process, thread);
    json_.Add("cat", kind);
    json_.Add("id", flows_);
    if (phase == "f") json_.Add("bp", "e");
    json_.AddTime("ts", at_ns);
    json_.End('}');
  }

  JsonWriter json_;
  bool is_first_ = true;
  std::int64_t flows_ = 0;  // until now
  SlimVector<std::pair<int, int>> named_;
};
inline constexpr std::string_view kChromeTraceHead = "{\"traceEvents\":[", kChromeTraceTail = "\n]}\n";

}  // namespace detail

// One self-contained page, which loads nothing from elsewhere: rows of bars per thread beside the graph, memory over
// time, tables by node, op and name scope, waiting, the critical path, a flame view, and a comparison with a second
// trace. The trace's session must live.
inline std::string TimelineHtml(const RunTrace& trace, std::string_view title) {
  return StrCat(detail::TracePage(), detail::PageRuns().Line(trace, title, 1, 0, ""), detail::kTracePageTail);
}
// Writes TimelineHtml to a file. PermissionDenied: it cannot be opened. ResourceExhausted: it cannot be written.
inline Status WriteTimelineHtml(const RunTrace& trace, std::string_view title, const std::string& path) {
  return detail::WriteTextFile(path, TimelineHtml(trace, title));
}

// Complete ("X") events for the run and its nodes, one thread id per thread (NodeTiming::thread), flow events ("s",
// "f") for the edges between them (FlowsOf), names of threads ("M"); allocations, from an AllocationLog, as
// instants ("i") and a counter ("C"). Both functions want the trace's session to live.
inline std::string ChromeTraceJson(const RunTrace& trace, Span<const AllocationRecord> allocations = {}) {
  detail::ChromeEvents events;
  events.AddRun(1, trace, 0, "");
  events.AddAllocations(1, allocations, trace.start_ns);
  return StrCat(detail::kChromeTraceHead, events.Take(), detail::kChromeTraceTail);
}
// Writes ChromeTraceJson to a file. PermissionDenied: it cannot be opened. ResourceExhausted: it cannot be written.
inline Status WriteChromeTrace(const RunTrace& trace, const std::string& path) {
  return detail::WriteTextFile(path, ChromeTraceJson(trace));
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
