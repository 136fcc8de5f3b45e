// SPDX-License-Identifier: Apache-2.0
#pragma once
// absl::Time and absl::Duration, by std::chrono.

#include <chrono>
#include <compare>
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

// Seconds since 1970, rounded down, and nanoseconds after them; the two infinities are those of the seconds.
class Time {
 public:
  constexpr Time() = default;
  constexpr explicit Time(std::int64_t ns) : Time(Floor(ns, kSecond), Rest(ns, kSecond)) {}
  constexpr Time(std::int64_t seconds, std::int64_t ns) : s_(seconds), ns_(static_cast<std::int32_t>(ns)) {}
  constexpr std::int64_t seconds() const { return s_; }
  // In units of `ns` nanoseconds, rounded down; the least or greatest number where it does not fit.
  constexpr std::int64_t In(std::int64_t ns) const {
    const std::int64_t per_second = kSecond / ns, most = kMax / per_second - 1;
    if (s_ > most) return kMax;
    return s_ < -most ? kMin : s_ * per_second + ns_ / ns;
  }
  constexpr std::int64_t ns() const { return In(1); }
  constexpr Time& operator+=(Duration d) { return *this = *this + d; }
  constexpr Time& operator-=(Duration d) { return *this = *this + -d; }
  friend constexpr Time operator+(Time t, Duration d) {
    if (t.s_ == kMax || t.s_ == kMin) return t;
    if (d == InfiniteDuration()) return Time(kMax, kSecond - 1);
    if (d == -InfiniteDuration()) return Time(kMin, 0);
    const std::int64_t ns = t.ns_ + Rest(d.ns(), kSecond), whole = Floor(d.ns(), kSecond) + ns / kSecond;
    if (whole > 0 && t.s_ > kMax - whole) return Time(kMax, kSecond - 1);
    if (whole < 0 && t.s_ < kMin - whole) return Time(kMin, 0);
    return Time(t.s_ + whole, ns % kSecond);
  }
  friend constexpr Time operator-(Time t, Duration d) { return t + -d; }
  friend constexpr Duration operator-(Time a, Time b) {
    const double seconds = static_cast<double>(a.s_) - static_cast<double>(b.s_);
    if (seconds > 9.2e9) return InfiniteDuration();
    if (seconds < -9.2e9) return -InfiniteDuration();
    return Duration((a.s_ - b.s_) * kSecond + (a.ns_ - b.ns_));
  }
  friend constexpr auto operator<=>(Time, Time) = default;
  static constexpr std::int64_t Floor(std::int64_t n, std::int64_t d) { return n / d - (n % d < 0); }
  static constexpr std::int64_t Rest(std::int64_t n, std::int64_t d) { return n % d + (n % d < 0 ? d : 0); }

 private:
  static constexpr std::int64_t kSecond = 1000000000;
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  std::int64_t s_ = 0;
  std::int32_t ns_ = 0;
};
constexpr Time UnixEpoch() { return Time(); }
constexpr Time InfiniteFuture() { return Time(std::numeric_limits<std::int64_t>::max(), 999999999); }
constexpr Time InfinitePast() { return Time(std::numeric_limits<std::int64_t>::min(), 0); }
inline Time Now() {
  return Time(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
                  .count());
}
inline std::int64_t GetCurrentTimeNanos() { return Now().ns(); }
constexpr Time FromUnixNanos(std::int64_t n) { return Time(n); }
constexpr Time FromUnixMicros(std::int64_t n) { return Time(Time::Floor(n, 1000000), Time::Rest(n, 1000000) * 1000); }
constexpr Time FromUnixMillis(std::int64_t n) { return Time(Time::Floor(n, 1000), Time::Rest(n, 1000) * 1000000); }
constexpr Time FromUnixSeconds(std::int64_t n) { return Time(n, 0); }
constexpr std::int64_t ToUnixNanos(Time t) { return t.ns(); }
constexpr std::int64_t ToUnixMicros(Time t) { return t.In(1000); }
constexpr std::int64_t ToUnixMillis(Time t) { return t.In(1000000); }
constexpr std::int64_t ToUnixSeconds(Time t) { return t.seconds(); }
inline Time FromTimeT(std::time_t t) { return FromUnixSeconds(static_cast<std::int64_t>(t)); }
inline std::time_t ToTimeT(Time t) { return static_cast<std::time_t>(ToUnixSeconds(t)); }
inline void SleepFor(Duration d) { std::this_thread::sleep_for(ToChronoNanoseconds(d)); }

// Zones: UTC alone.
inline std::ostream& operator<<(std::ostream& out, Duration d) { return out << FormatDuration(d); }

}  // namespace absl
