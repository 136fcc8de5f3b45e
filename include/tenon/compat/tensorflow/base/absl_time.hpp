// SPDX-License-Identifier: Apache-2.0
#pragma once
// absl::Time and absl::Duration, by std::chrono.

#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

#include <tenon/compat/tensorflow/base/strings.hpp>

namespace absl {

class Duration {
 public:
  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t ns) : ns_(ns) {}
  constexpr std::int64_t ns() const { return ns_; }
  constexpr Duration& operator+=(Duration other) { return ns_ += other.ns_, *this; }
  constexpr Duration& operator-=(Duration other) { return ns_ -= other.ns_, *this; }
  constexpr Duration operator-() const { return Duration(-ns_); }
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.ns_ + b.ns_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.ns_ - b.ns_); }
  template <class Number>
  friend constexpr Duration operator*(Duration a, Number n) {
    return Duration(static_cast<std::int64_t>(static_cast<double>(a.ns_) * static_cast<double>(n)));
  }
  template <class Number>
  friend constexpr Duration operator/(Duration a, Number n) {
    return Duration(static_cast<std::int64_t>(static_cast<double>(a.ns_) / static_cast<double>(n)));
  }
  friend constexpr auto operator<=>(Duration, Duration) = default;

 private:
  std::int64_t ns_ = 0;
};
constexpr Duration ZeroDuration() { return Duration(); }
constexpr Duration InfiniteDuration() { return Duration(std::numeric_limits<std::int64_t>::max()); }
#define TENON_COMPAT_UNIT(NAME, SINGLE, NS)                                                                 \
  template <class Number>                                                                                   \
  constexpr Duration NAME(Number n) {                                                                       \
    return Duration(static_cast<std::int64_t>(static_cast<long double>(n) * static_cast<long double>(NS))); \
  }                                                                                                         \
  constexpr std::int64_t ToInt64##NAME(Duration d) { return d.ns() / (NS); }                                \
  constexpr double ToDouble##NAME(Duration d) { return static_cast<double>(d.ns()) / static_cast<double>(NS); }
TENON_COMPAT_UNIT(Nanoseconds, Nanos, std::int64_t{1})
TENON_COMPAT_UNIT(Microseconds, Micros, std::int64_t{1000})
TENON_COMPAT_UNIT(Milliseconds, Millis, std::int64_t{1000000})
TENON_COMPAT_UNIT(Seconds, Seconds, std::int64_t{1000000000})
TENON_COMPAT_UNIT(Minutes, Minutes, std::int64_t{60000000000})
TENON_COMPAT_UNIT(Hours, Hours, std::int64_t{3600000000000})
#undef TENON_COMPAT_UNIT
constexpr std::chrono::nanoseconds ToChronoNanoseconds(Duration d) { return std::chrono::nanoseconds(d.ns()); }
inline std::string FormatDuration(Duration d) {
  return tensorflow::strings::StrCat(static_cast<double>(d.ns()) * 1e-9, "s");
}

class Time {
 public:
  constexpr Time() = default;
  constexpr explicit Time(std::int64_t ns) : ns_(ns) {}
  constexpr std::int64_t ns() const { return ns_; }
  constexpr Time& operator+=(Duration d) { return ns_ += d.ns(), *this; }
  constexpr Time& operator-=(Duration d) { return ns_ -= d.ns(), *this; }
  friend constexpr Time operator+(Time t, Duration d) { return Time(t.ns_ + d.ns()); }
  friend constexpr Time operator-(Time t, Duration d) { return Time(t.ns_ - d.ns()); }
  friend constexpr Duration operator-(Time a, Time b) { return Duration(a.ns_ - b.ns_); }
  friend constexpr auto operator<=>(Time, Time) = default;

 private:
  std::int64_t ns_ = 0;
};
constexpr Time UnixEpoch() { return Time(); }
constexpr Time InfiniteFuture() { return Time(std::numeric_limits<std::int64_t>::max()); }
constexpr Time InfinitePast() { return Time(std::numeric_limits<std::int64_t>::min()); }
inline Time Now() {
  return Time(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
                  .count());
}
inline std::int64_t GetCurrentTimeNanos() { return Now().ns(); }
constexpr Time FromUnixNanos(std::int64_t n) { return Time(n); }
constexpr Time FromUnixMicros(std::int64_t n) { return Time(n * 1000); }
constexpr Time FromUnixMillis(std::int64_t n) { return Time(n * 1000000); }
constexpr Time FromUnixSeconds(std::int64_t n) { return Time(n * 1000000000); }
constexpr std::int64_t ToUnixNanos(Time t) { return t.ns(); }
constexpr std::int64_t ToUnixMicros(Time t) { return t.ns() / 1000; }
constexpr std::int64_t ToUnixMillis(Time t) { return t.ns() / 1000000; }
constexpr std::int64_t ToUnixSeconds(Time t) { return t.ns() / 1000000000; }
inline Time FromTimeT(std::time_t t) { return FromUnixSeconds(static_cast<std::int64_t>(t)); }
inline std::time_t ToTimeT(Time t) { return static_cast<std::time_t>(ToUnixSeconds(t)); }
inline void SleepFor(Duration d) { std::this_thread::sleep_for(ToChronoNanoseconds(d)); }

// Zones: UTC alone.
class TimeZone {};
inline TimeZone UTCTimeZone() { return {}; }
inline TimeZone LocalTimeZone() { return {}; }
inline constexpr char RFC3339_full[] = "%Y-%m-%dT%H:%M:%S+00:00";
inline constexpr char RFC3339_sec[] = "%Y-%m-%dT%H:%M:%S+00:00";
// By the formats of strptime; a text that has more is refused.
inline bool ParseTime(std::string_view format, std::string_view text, Time* time, std::string* error) {
  std::tm parts{};
  const std::string input(text);
  const char* const end = ::strptime(input.c_str(), std::string(format).c_str(), &parts);
  if (end == nullptr || *end != '\0') {
    if (error != nullptr) *error = "Failed to parse input";
    return false;
  }
  *time = FromUnixSeconds(static_cast<std::int64_t>(::timegm(&parts)));
  return true;
}
inline std::string FormatTime(std::string_view format, Time time, TimeZone) {
  const std::time_t seconds = ToTimeT(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char out[256];
  return std::string(out, std::strftime(out, sizeof out, std::string(format).c_str(), &parts));
}
inline std::string FormatTime(Time time) { return FormatTime(RFC3339_full, time, {}); }
inline std::ostream& operator<<(std::ostream& out, Duration d) { return out << FormatDuration(d); }
inline std::ostream& operator<<(std::ostream& out, Time time) { return out << FormatTime(time); }

}  // namespace absl
