// SPDX-License-Identifier: Apache-2.0
#pragma once
// LOG, VLOG, CHECK and DCHECK as streams. Lines go where TENON_LOG sends them. LOG(FATAL) and a CHECK that fails end
// the process, as TensorFlow's do.

#include <cstdlib>
#include <ostream>
#include <sstream>
#include <string>

#include <tenon/base/check.hpp>
#include <tenon/base/log.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>

namespace tensorflow {

namespace internal {

// One line, written when the full expression ends.
class LogLine {
 public:
  LogLine(const char* file, int line, int severity) : file_(file), line_(line), severity_(severity) {}
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;
  ~LogLine() {
    const auto severity = severity_ >= kFatal ? tenon::LogSeverity::kError : static_cast<tenon::LogSeverity>(severity_);
    if (severity_ >= kFatal || tenon::LogEnabled(severity))
      tenon::detail::WriteLog(severity, file_, line_, text_.str());
    if (severity_ >= kFatal) std::abort();
  }
  std::ostream& stream() { return text_; }
  template <class T>
  LogLine& operator<<(const T& value) {
    if constexpr (requires(std::ostream& out) { out << value; }) {
      text_ << value;
    } else {
      text_ << strings::StrCat(value);
    }
    return *this;
  }
  LogLine& operator<<(std::ostream& (*change)(std::ostream&)) {
    text_ << change;
    return *this;
  }

 private:
  static constexpr int kFatal = 3;
  const char* file_;
  int line_, severity_;
  std::ostringstream text_;
};
// The names of such lines in macros of sources.
using LogMessage = LogLine;
class LogMessageFatal : public LogLine {
 public:
  LogMessageFatal(const char* file, int line) : LogLine(file, line, 3) {}
};
// Makes a stream expression void, so that it fits behind a colon.
struct Voidifier {
  template <class T>
  void operator&(T&&) {}
};
inline int MaxVlogLevel() {
  static const int level = [] {
    const char* const text = std::getenv("TF_CPP_MAX_VLOG_LEVEL");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return level;
}
// The text of a comparison that failed, or null.
template <class A, class B>
std::string FailedOp(const A& a, const B& b, const char* text) {
  std::ostringstream out;
  out << "Check failed: " << text << " (" << strings::StrCat(a) << " vs. " << strings::StrCat(b) << ") ";
  return out.str();
}
template <class T>
T&& CheckNotNull(const char* file, int line, const char* text, T&& pointer) {
  if (pointer == nullptr) LogLine(file, line, 3) << text;
  return static_cast<T&&>(pointer);
}
template <class T>
T SubtleMustCopy(const T& value) {
  return *const_cast<const volatile T*>(&value);
}

}  // namespace internal
using internal::SubtleMustCopy;
inline constexpr int INFO = 0, WARNING = 1, ERROR = 2, FATAL = 3, NUM_SEVERITIES = 4;
}  // namespace tensorflow

#define TENON_COMPAT_LOG_INFO 0
#define TENON_COMPAT_LOG_WARNING 1
#define TENON_COMPAT_LOG_ERROR 2
#define TENON_COMPAT_LOG_FATAL 3
#define TENON_COMPAT_LOG_QFATAL 3
#define TENON_COMPAT_LOG_DFATAL 2
#define TENON_COMPAT_LINE(NUMBER) ::tensorflow::internal::LogLine(__FILE__, __LINE__, NUMBER)
#define TENON_COMPAT_CHECK(OK, TEXT) \
  (OK) ? (void)0 : ::tensorflow::internal::Voidifier() & TENON_COMPAT_LINE(3) << "Check failed: " TEXT " "
#define TENON_COMPAT_CHECK_OP(A, OP, B)              \
  ((A)OP(B)) ? (void)0                               \
             : ::tensorflow::internal::Voidifier() & \
                   TENON_COMPAT_LINE(3) << ::tensorflow::internal::FailedOp((A), (B), #A " " #OP " " #B)
#define TENON_COMPAT_NO_CHECK(...) \
  true || ((__VA_ARGS__), true) ? (void)0 : ::tensorflow::internal::Voidifier() & TENON_COMPAT_LINE(3)

#if !defined(LOG)
#define LOG(SEVERITY) TENON_COMPAT_LINE(TENON_COMPAT_LOG_##SEVERITY)
#define LOG_IF(SEVERITY, CONDITION) !(CONDITION) ? (void)0 : ::tensorflow::internal::Voidifier() & LOG(SEVERITY)
#define TENON_COMPAT_LOG_TIMES(SEVERITY, CONDITION) \
  for (bool tenon_again =                           \
           [] {                                     \
             static int tenon_count = 0;            \
             const int tenon_n = ++tenon_count;     \
             return CONDITION;                      \
           }();                                     \
       tenon_again; tenon_again = false)            \
  LOG(SEVERITY)
#define LOG_FIRST_N(SEVERITY, N) TENON_COMPAT_LOG_TIMES(SEVERITY, tenon_n <= (N))
#define LOG_EVERY_N(SEVERITY, N) TENON_COMPAT_LOG_TIMES(SEVERITY, (tenon_n - 1) % (N) == 0)
#define LOG_EVERY_POW_2(SEVERITY) TENON_COMPAT_LOG_TIMES(SEVERITY, (tenon_n & (tenon_n - 1)) == 0)
#define LOG_EVERY_N_SEC(SEVERITY, N) LOG_EVERY_POW_2(SEVERITY)
#define VLOG_IS_ON(LEVEL) ((LEVEL) <= ::tensorflow::internal::MaxVlogLevel())
#define VLOG(LEVEL) !VLOG_IS_ON(LEVEL) ? (void)0 : ::tensorflow::internal::Voidifier() & LOG(INFO)
#define DVLOG(LEVEL) VLOG(LEVEL)
#define DLOG(SEVERITY) LOG(SEVERITY)
#define QCHECK(CONDITION) TENON_COMPAT_CHECK(CONDITION, #CONDITION)
#define QCHECK_EQ(A, B) TENON_COMPAT_CHECK_OP(A, ==, B)
#define QCHECK_NE(A, B) TENON_COMPAT_CHECK_OP(A, !=, B)
#define QCHECK_LT(A, B) TENON_COMPAT_CHECK_OP(A, <, B)
#define QCHECK_LE(A, B) TENON_COMPAT_CHECK_OP(A, <=, B)
#define QCHECK_GT(A, B) TENON_COMPAT_CHECK_OP(A, >, B)
#define QCHECK_GE(A, B) TENON_COMPAT_CHECK_OP(A, >=, B)
#if defined(NDEBUG)
#define DCHECK(CONDITION) TENON_COMPAT_NO_CHECK(CONDITION)
#define DCHECK_EQ(A, B) TENON_COMPAT_NO_CHECK((A) == (B))
#define DCHECK_NE(A, B) TENON_COMPAT_NO_CHECK((A) != (B))
#define DCHECK_LT(A, B) TENON_COMPAT_NO_CHECK((A) < (B))
#define DCHECK_LE(A, B) TENON_COMPAT_NO_CHECK((A) <= (B))
#define DCHECK_GT(A, B) TENON_COMPAT_NO_CHECK((A) > (B))
#define DCHECK_GE(A, B) TENON_COMPAT_NO_CHECK((A) >= (B))
#else
#define DCHECK(CONDITION) QCHECK(CONDITION)
#define DCHECK_EQ(A, B) QCHECK_EQ(A, B)
#define DCHECK_NE(A, B) QCHECK_NE(A, B)
#define DCHECK_LT(A, B) QCHECK_LT(A, B)
#define DCHECK_LE(A, B) QCHECK_LE(A, B)
#define DCHECK_GT(A, B) QCHECK_GT(A, B)
#define DCHECK_GE(A, B) QCHECK_GE(A, B)
#endif
#define DCHECK_NOTNULL(POINTER) CHECK_NOTNULL(POINTER)
#define CHECK_NOTNULL(POINTER) \
  ::tensorflow::internal::CheckNotNull(__FILE__, __LINE__, "'" #POINTER "' Must be non NULL", (POINTER))
#endif
#if !defined(CHECK)  // a test framework's CHECK stays
#define CHECK(CONDITION) TENON_COMPAT_CHECK(CONDITION, #CONDITION)
#define CHECK_EQ(A, B) TENON_COMPAT_CHECK_OP(A, ==, B)
#define CHECK_NE(A, B) TENON_COMPAT_CHECK_OP(A, !=, B)
#define CHECK_LT(A, B) TENON_COMPAT_CHECK_OP(A, <, B)
#define CHECK_LE(A, B) TENON_COMPAT_CHECK_OP(A, <=, B)
#define CHECK_GT(A, B) TENON_COMPAT_CHECK_OP(A, >, B)
#define CHECK_GE(A, B) TENON_COMPAT_CHECK_OP(A, >=, B)
#endif
#define TF_CHECK_OK(...)                                                                     \
  for (::tenon::Status tf_check_status = (__VA_ARGS__); !tf_check_status.ok(); std::abort()) \
  TENON_COMPAT_LINE(3) << "Non-OK-status: " #__VA_ARGS__ " status: " << tf_check_status.ToString() << " "
#define TF_QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#define TF_DCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#if !defined(CHECK_OK)
#define CHECK_OK(STATUS) TF_CHECK_OK(STATUS)
#define QCHECK_OK(STATUS) TF_CHECK_OK(STATUS)
#endif
#if !defined(ABSL_LOG)
#define ABSL_LOG(SEVERITY) LOG(SEVERITY)
#define ABSL_CHECK(CONDITION) CHECK(CONDITION)
#define ABSL_CHECK_EQ(A, B) CHECK_EQ(A, B)
#define ABSL_CHECK_NE(A, B) CHECK_NE(A, B)
#define ABSL_CHECK_LT(A, B) CHECK_LT(A, B)
#define ABSL_CHECK_LE(A, B) CHECK_LE(A, B)
#define ABSL_CHECK_GT(A, B) CHECK_GT(A, B)
#define ABSL_CHECK_GE(A, B) CHECK_GE(A, B)
#define ABSL_CHECK_OK(STATUS) TF_CHECK_OK(STATUS)
#define ABSL_DCHECK(CONDITION) DCHECK(CONDITION)
#define ABSL_DCHECK_EQ(A, B) DCHECK_EQ(A, B)
#define ABSL_DCHECK_NE(A, B) DCHECK_NE(A, B)
#define ABSL_DCHECK_LT(A, B) DCHECK_LT(A, B)
#define ABSL_DCHECK_LE(A, B) DCHECK_LE(A, B)
#define ABSL_DCHECK_GT(A, B) DCHECK_GT(A, B)
#define ABSL_DCHECK_GE(A, B) DCHECK_GE(A, B)
#endif
