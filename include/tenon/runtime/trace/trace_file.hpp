// SPDX-License-Identifier: Apache-2.0
#pragma once
// TraceFile: a TraceSink that writes runs to one file.

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/platform.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/runtime/trace/allocation_log.hpp>
#include <tenon/runtime/session/counters.hpp>
#include <tenon/runtime/trace/export.hpp>
#include <tenon/runtime/trace/page.hpp>
#include <tenon/runtime/trace/page_runs.hpp>
#include <tenon/runtime/trace/sink.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// thread-safe. A page (runtime/trace/export.hpp) when the name ends in ".html", otherwise a Chrome trace in which a
// session is a process, with its counters after each run. The file is whole after every run, however the process
// ends. A run that ends when the file has `most_bytes` or more is only counted, at the end of the file. The first
// error is logged once and ends the writing, but fails no run. A fork ends the writing in the child, too.
//
//   tenon::TraceFile file("runs.json");
//   auto session = tenon::Session::FromGraphFile("model.pb", {.trace_sink = &file});
class TraceFile final : public TraceSink {
 public:
  static constexpr std::int64_t kUsualBytes = 64 << 20;

  // `log`: allocations to show with the runs of the sessions that allocate from it; null: none. Outlives the file.
  explicit TraceFile(std::string path, AllocationLog* log = nullptr, std::int64_t most_bytes = kUsualBytes)
      : path_(std::move(path)),
        log_(log),
        most_bytes_(most_bytes),
        is_page_(EndsWith(path_, ".html")),
        process_(detail::ProcessId()),
        start_ns_(SteadyNanoseconds()),
        file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr)
      Fail(detail::CannotOpenForWriting(path_, errno));
    else
      Write(is_page_ ? detail::TracePage() : std::string(detail::kChromeTraceHead));
  }

  void OnRun(const TracedRun& run) override {
    if (detail::ProcessId() != process_) return;  // the parent may have forked while a thread of its had the lock
    const MutexLock lock(mutex_);
    if (file_ == nullptr) return;
    const std::int64_t at_ns = run.trace.start_ns - start_ns_;
    if (written_ >= most_bytes_) return LeaveOut(at_ns);
    const std::string error = run.status.ok() ? std::string() : run.status.ToString();
    const auto records = log_ == nullptr ? std::vector<AllocationRecord>() : log_->Take();
    if (is_page_) return Write(runs_.Line(run.trace, path_, run.session, at_ns, error, records));
    NameSession(run.session);
    events_.AddRun(run.session, run.trace, at_ns, error);
    AddCounters(run, at_ns + run.trace.total_ns);
    events_.AddAllocations(run.session, records, start_ns_);
    Write(events_.Take());
  }
  // The first error.
  Status status() const {
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  void NameSession(int session) {
    for (const int known : sessions_)
      if (known == session) return;
    sessions_.push_back(session);
    events_.NameProcess(session, StrCat("session ", session));
  }
  void AddCounters(const TracedRun& run, std::int64_t at_ns) {
    const SessionCounters& now = run.counters;
    const auto add = [&](std::string_view name, std::initializer_list<detail::ChromeEvents::Count> counts) {
      events_.AddCounter(run.session, name, at_ns, counts);
    };
    add("runs", {{"planned", now.planned_runs}, {"unplanned", now.runs - now.planned_runs}});
    add("programs", {{"kept", now.programs}, {"evicted", now.programs_evicted}});
    add("step bytes", {{"arenas", now.plan_arena_bytes}, {"blocks", now.step_bytes}});
    add("wake-ups", {{"inter-op", now.inter_op_wakeups}, {"intra-op", now.intra_op_wakeups}});
    for (const AllocatorCounters& memory : now.allocators)
      add(StrCat("bytes of ", memory.device), {{"in use", memory.bytes_in_use}, {"peak", memory.peak_bytes_in_use}});
  }

  // Counts the run in the tail, which never gets shorter.
  void LeaveOut(std::int64_t at_ns) {
    if (num_left_out_++ == 0) first_left_out_ns_ = at_ns;
    if (is_page_) return Write({}, StrCat(detail::PageRuns::LeftOut(num_left_out_), detail::kTracePageTail));
    detail::ChromeEvents event = events_;
    event.AddRunsLeftOut(first_left_out_ns_, num_left_out_);
    Write({}, StrCat(event.Take(), detail::kChromeTraceTail));
  }
  void Write(std::string_view text) { Write(text, is_page_ ? detail::kTracePageTail : detail::kChromeTraceTail); }
  // Writes over the tail that the file has now.
  void Write(std::string_view text, std::string_view tail) {
    std::FILE* const file = file_.get();
    const auto put = [file](std::string_view bytes) {
      return bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    };
    if (std::fseek(file, written_, SEEK_SET) != 0 || !put(text) || !put(tail) || std::fflush(file) != 0)
      return Fail(errors::ResourceExhausted("cannot write ", text.size() + tail.size(), " bytes to '", path_, "'"));
    written_ += static_cast<long>(text.size());
  }
  void Fail(Status status) {
    status_ = std::move(status);
    file_.reset();
    TENON_LOG(kError, "TraceFile: ", status_.message(), "; no runs are written");
  }

  const std::string path_;
  AllocationLog* const log_;  // may be null
  const std::int64_t most_bytes_;
  const bool is_page_;
  const std::int64_t process_;  // its number in the system
  const std::int64_t start_ns_;  // SteadyNanoseconds(), the file's zero
  mutable Mutex mutex_;  // guards the members below
  Owned<std::FILE, detail::CloseFile> file_;  // null: after an error
  long written_ = 0;  // bytes, without the tail
  std::int64_t num_left_out_ = 0, first_left_out_ns_ = 0;  // runs that found the file full: count, first start
  Status status_;
  detail::ChromeEvents events_;
  detail::PageRuns runs_;
  SlimVector<int> sessions_;  // sessions that have their name
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
