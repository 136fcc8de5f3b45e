// SPDX-License-Identifier: Apache-2.0
#pragma once
// PageRuns: runs as lines of the trace page (runtime/trace/page.hpp), one JSON object each.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/executor/thread_ids.hpp>
#include <tenon/runtime/trace/allocation_log.hpp>
#include <tenon/runtime/trace/edges.hpp>
#include <tenon/runtime/trace/json_writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline std::string ThreadName(int number) {
  const std::string name = TracedThreads::Global().NameOf(number);
  return name.empty() ? StrCat("thread ", number) : StrCat(name, " (", number, ")");
}
// The numbers of the threads of a run, each once.
inline SlimVector<int> ThreadsOf(const RunTrace& trace) {
  SlimVector<int> threads;
  const auto add = [&](int number) {
    for (const int known : threads)
      if (known == number) return;
    threads.push_back(number);
  };
  add(trace.thread);
  for (const NodeTiming& n : trace.nodes) add(n.thread);
  return threads;
}
// "float[2,3]"; empty without an output.
inline std::string ShapeText(const NodeTiming& n) {
  return n.dtype == DataType::kInvalid ? std::string() : StrCat(Name(n.dtype), n.shape.DebugString());
}

// Numbers as text: five bits a digit, least significant first; a digit gets 32 when another one follows.
class NumberText {
 public:
  // Negative numbers count as 0.
  void Add(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value < 0 ? 0 : value);
    for (; rest > 31; rest >>= 5) text_ += kDigits[(rest & 31) | 32];
    text_ += kDigits[rest];
  }
  // Any number below 2^62: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
  void AddSigned(std::int64_t value) { Add(value < 0 ? -2 * value - 1 : 2 * value); }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text_;
};

// Writes the runs of one page. A node's names, shape and bytes are written once, with the first run that has them, as a
// row; executions refer to it by number. one thread.
class PageRuns {
 public:
  // `start_ns`: the run's start on the page's clock; `error`: empty where it went well. `records`: allocations up to
  // its end, on the clock of SteadyNanoseconds(). The session must live.
  std::string Line(const RunTrace& trace, std::string_view title, int session, std::int64_t start_ns,
                   std::string_view error, Span<const AllocationRecord> records = {}) {
    JsonWriter json;
    json.Begin('{');
    json.Add("title", title);
    json.Add("session", session);
    json.Add("start", start_ns);
    json.Add("total", trace.total_ns);
    json.Add("error", error);
    json.Add("thread", trace.thread);
    json.Begin('{', "threads");
    for (const int number : ThreadsOf(trace)) json.Add(StrCat(number), ThreadName(number));
    json.End('}');
    json.Add("count", static_cast<std::int64_t>(trace.nodes.size()));
    NumberText events;
    json.Begin('[', "rows");
    std::int64_t end_ns = 0;
    for (const NodeTiming& n : trace.nodes) {
      events.Add(static_cast<std::int64_t>(RowOf(n, session, &json)));
      events.Add(2 * std::int64_t{n.thread} + (n.wait_ns > 0 ? 1 : 0));
      if (n.wait_ns > 0) events.Add(n.wait_ns);
      events.AddSigned(n.end_ns - end_ns);
      events.Add(n.end_ns - n.start_ns);
      end_ns = n.end_ns;
    }
    json.End(']');
    json.Add("events", events.text());
    AddFlows(trace, &json);
    json.Begin('[', "folded");
    for (const NodeTotal& n : trace.folded) AddFolded(n, &json);
    json.End(']');
    json.Add("dropped", trace.num_dropped);
    json.Add("dropped_time", trace.dropped_ns);
    if (!records.empty()) AddAllocations(records, trace.start_ns, &json);
    json.End('}');
    json.AddLineEnd();
    return json.Take();
  }
  // Says how many runs a full file has left out.
  static std::string LeftOut(std::int64_t runs) { return StrCat("{\"left\":", runs, "}\n"); }

 private:
  // A node of a session by where its strings are, which its session keeps.
  struct Row {
    int session;
    DataType dtype;
    const char *name, *op, *device;
    std::int64_t bytes, temp_bytes, persistent_bytes;
    TensorShape shape;
    friend bool operator==(const Row&, const Row&) = default;
  };

  // The number of a node's row, which it writes if it is new.
  std::size_t RowOf(const NodeTiming& n, int session, JsonWriter* json) {
    if (2 * rows_.size() >= slots_.size()) Grow();
    const Row row{session,        n.dtype,      n.name.data(),      n.op.data(), n.device.data(),
                  n.output_bytes, n.temp_bytes, n.persistent_bytes, n.shape};
    std::uint32_t* const slot = FindSlot(row);
    if (*slot == 0) {
      rows_.push_back(row);
      *slot = static_cast<std::uint32_t>(rows_.size());
      json->Begin('[');
      json->Item(n.name);
      json->Item(n.op);
      json->Item(n.device);
      json->Item(ShapeText(n));
      json->Item(n.output_bytes);
      json->Item(n.temp_bytes);
      json->Item(n.persistent_bytes);
      json->End(']');
    }
    return *slot - 1;
  }
  // The slot of a row, or the free one that it would take. There is always a free one.
  std::uint32_t* FindSlot(const Row& row) {
    std::uint64_t hash = static_cast<std::uint64_t>(row.bytes) + static_cast<std::uint64_t>(row.session);
    for (const char* const text : {row.name, row.op, row.device})
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(text)) * 0x9e3779b97f4a7c15u;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = static_cast<std::size_t>(hash >> 32) & mask;; i = (i + 1) & mask)
      if (slots_[i] == 0 || rows_[slots_[i] - 1] == row) return &slots_[i];
  }
  void Grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) *FindSlot(rows_[i]) = static_cast<std::uint32_t>(i + 1);
  }

  // For each execution the number of its producers, then for each how far back it is, times two, plus one for a control
  // edge.
  static void AddFlows(const RunTrace& trace, JsonWriter* json) {
    const auto flows = FlowsOf(trace);
    NumberText text;
    std::size_t next = 0;
    for (std::size_t to = 0; to < trace.nodes.size(); ++to) {
      std::size_t end = next;
      while (end < flows.size() && flows[end].to == to) ++end;
      text.Add(static_cast<std::int64_t>(end - next));
      for (; next < end; ++next) {
        const auto back = static_cast<std::int64_t>(to) - static_cast<std::int64_t>(flows[next].from);
        const std::int64_t code = back < 0 ? -2 * back - 1 : 2 * back;
        text.Add(2 * code + (flows[next].control ? 1 : 0));
      }
    }
    json->Add("flow_count", static_cast<std::int64_t>(flows.size()));
    json->Add("flows", text.text());
  }
  static void AddFolded(const NodeTotal& n, JsonWriter* json) {
    json->Begin('[');
    json->Item(n.name);
    json->Item(n.op);
    json->Item(n.device);
    for (const std::int64_t number : {n.count, n.total_ns, n.min_ns, n.max_ns, n.output_bytes, n.wait_ns})
      json->Item(number);
    json->End(']');
  }
  // Pairs: time since the one before, of the first since the start of the run, and bytes in use.
  static void AddAllocations(Span<const AllocationRecord> records, std::int64_t origin_ns, JsonWriter* json) {
    NumberText text;
    for (const AllocationRecord& record : records) {
      text.AddSigned(record.at_ns - origin_ns);
      text.Add(record.bytes_in_use);
      origin_ns = record.at_ns;
    }
    json->Add("allocations", text.text());
  }

  SlimVector<Row> rows_;
  SlimVector<std::uint32_t> slots_;  // 1 + index of a row; 0: free. A power of two, twice as many as rows
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
