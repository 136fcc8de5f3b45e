// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_LOG(kWarning, "pieces ", 1, " of text"): one line to stderr, or to the sink set by SetLogSink.
// The environment variable TENON_MIN_LOG_LEVEL (0 info, 1 warning, 2 error, 3 nothing) or SetMinLogSeverity says from
// which severity on; a line below it costs one load, its pieces are not evaluated.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class LogSeverity : int { kInfo = 0, kWarning = 1, kError = 2, kNone = 3 };  // kNone: a threshold only

struct LogEntry {
  LogSeverity severity;
  std::string_view file;  // without folders
  int line;
  std::string_view text;  // without a line end
};

// Where lines go instead of stderr. Send is called from any thread, several at a time.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Send(const LogEntry& entry) = 0;
};

namespace detail {

inline int LogSeverityFromEnvironment() {
  const char* text = std::getenv("TENON_MIN_LOG_LEVEL");
  int level = 0;
  if (text == nullptr || !ParseInt(text, &level) || level < 0) return 0;
  return level < 3 ? level : 3;
}

inline std::atomic<int>& MinLogSeverity() {
  static std::atomic<int> severity{LogSeverityFromEnvironment()};
  return severity;
}

inline constinit std::atomic<LogSink*> log_sink{nullptr};

TENON_DETAIL_COLD inline void WriteLog(LogSeverity severity, std::string_view file, int line, const std::string& text) {
  const std::size_t slash = file.find_last_of("/\\");
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  if (LogSink* sink = log_sink.load(std::memory_order_acquire); sink != nullptr) {
    sink->Send(LogEntry{severity, file, line, text});
    return;
  }
  const char letter = severity == LogSeverity::kInfo ? 'I' : severity == LogSeverity::kWarning ? 'W' : 'E';
  const std::string whole = StrCat(letter, " ", file, ":", line, "] ", text, '\n');
  std::fwrite(whole.data(), 1, whole.size(), stderr);  // one call: lines of two threads do not mix
}

}  // namespace detail

inline bool LogEnabled(LogSeverity severity) {
  return static_cast<int>(severity) >= detail::MinLogSeverity().load(std::memory_order_relaxed);
}
inline LogSeverity MinLogSeverity() {
  return static_cast<LogSeverity>(detail::MinLogSeverity().load(std::memory_order_relaxed));
}
inline void SetMinLogSeverity(LogSeverity severity) {
  detail::MinLogSeverity().store(static_cast<int>(severity), std::memory_order_relaxed);
}
// The sink must live until it is replaced and no line is on its way; null: stderr again. Returns the one before.
inline LogSink* SetLogSink(LogSink* sink) { return detail::log_sink.exchange(sink, std::memory_order_acq_rel); }

TENON_DETAIL_NAMESPACE_END

// severity: kInfo, kWarning or kError. Prints e.g. "W cpu_allocator.hpp:88] Allocation of ...".
#define TENON_LOG(severity, ...)                                                                                   \
  do {                                                                                                             \
    if (::tenon::LogEnabled(::tenon::LogSeverity::severity))                                                       \
      ::tenon::detail::WriteLog(::tenon::LogSeverity::severity, __FILE__, __LINE__, ::tenon::StrCat(__VA_ARGS__)); \
  } while (false)
