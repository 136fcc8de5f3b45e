// SPDX-License-Identifier: Apache-2.0
#pragma once
// TraceFile: a TraceSink that writes every run to one file. Links itself in: the environment variable TENON_TRACE names
// one for all sessions of the process. <tenon/runtime.hpp> includes it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/runtime/trace/allocation_log.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/session/counters.hpp>
#include <tenon/runtime/trace/export.hpp>
#include <tenon/runtime/trace/sink.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// thread-safe. A page (runtime/trace/export.hpp) when the name ends in ".html", otherwise a Chrome trace in which a session is
// a process, with its counters after each run. The file is whole after every run, however the process ends. What goes
// wrong is logged once, fails no run, and ends the writing; so does a fork, in the child.
//
//   tenon::TraceFile file("runs.json");
//   auto session = tenon::Session::FromGraphFile("model.pb", {.trace_sink = &file});
class TraceFile final : public TraceSink {
 public:
  // `log`: what is to be shown with the runs of the sessions that allocate from it, in a Chrome trace; null: nothing.
  // Outlives the file.
  explicit TraceFile(std::string path, AllocationLog* log = nullptr)
      : path_(std::move(path)),
        log_(log),
        is_page_(EndsWith(path_, ".html")),
        process_(ProcessId()),
        start_ns_(SteadyNanoseconds()),
        file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr)
      Fail(errors::PermissionDenied("cannot open '", path_, "' for writing"));
    else
      Write(is_page_ ? detail::kTimelinePage : detail::kChromeTraceHead);
  }

  void OnRun(const TracedRun& run) override {
    if (ProcessId() != process_) return;  // the parent may have forked while a thread of its had the lock
    const MutexLock lock(mutex_);
    if (file_ == nullptr) return;
    const std::int64_t at_ns = run.trace.start_ns - start_ns_;
    const std::string error = run.status.ok() ? std::string() : run.status.ToString();
    if (is_page_) return Write(detail::TimelineRun(run.trace, path_, run.session, at_ns, error));
    NameSession(run.session);
    events_.AddRun(run.session, run.trace, at_ns, error);
    AddCounters(run, at_ns + run.trace.total_ns);
    if (log_ != nullptr) events_.AddAllocations(run.session, log_->Take(), start_ns_);
    Write(events_.Take());
  }
  // What went wrong first.
  Status status() const {
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  static std::int64_t ProcessId() {
#if __has_include(<unistd.h>)
    return getpid();
#else
    return 0;
#endif
  }

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

  // Over the tail of what is there, and the tail again.
  void Write(std::string_view text) {
    const std::string_view tail = is_page_ ? std::string_view() : detail::kChromeTraceTail;
    const std::string whole = StrCat(text, tail);
    std::FILE* const file = file_.get();
    if (std::fseek(file, written_, SEEK_SET) != 0 || std::fwrite(whole.data(), 1, whole.size(), file) != whole.size() ||
        std::fflush(file) != 0)
      return Fail(errors::ResourceExhausted("cannot write ", whole.size(), " bytes to '", path_, "'"));
    written_ += static_cast<long>(text.size());
  }
  void Fail(Status status) {
    status_ = std::move(status);
    file_.reset();
    TENON_LOG(kError, "TraceFile: ", status_.message(), "; no runs are written");
  }

  const std::string path_;
  AllocationLog* const log_;  // may be null
  const bool is_page_;
  const std::int64_t process_;  // its number in the system
  const std::int64_t start_ns_;  // SteadyNanoseconds(), the file's zero
  mutable Mutex mutex_;  // of what follows
  Owned<std::FILE, detail::CloseFile> file_;  // null: after an error
  long written_ = 0;  // bytes, without the tail
  Status status_;
  detail::ChromeEvents events_;
  SlimVector<int> sessions_;  // that have their name
};

namespace detail {

// The file that TENON_TRACE names when the first session is made; stays open until the process ends.
inline TraceSink* TraceFileOfEnvironment() {
  static TraceFile* const file = [] {
    const char* path = std::getenv("TENON_TRACE");
    return path == nullptr || *path == '\0' ? nullptr : new TraceFile(path);
  }();
  return file;
}
inline const bool trace_file_linked = LinkPart<TraceSink* (*)()>(&environment_trace_sink, &TraceFileOfEnvironment);

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
