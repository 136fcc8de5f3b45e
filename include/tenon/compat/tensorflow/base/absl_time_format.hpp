// SPDX-License-Identifier: Apache-2.0
#pragma once
// absl::ParseTime and absl::FormatTime: times by formats, as Abseil documents them. There is one time zone, UTC.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

#include <tenon/compat/tensorflow/base/absl_time.hpp>

namespace absl {

class TimeZone {};
inline TimeZone UTCTimeZone() { return {}; }
inline TimeZone LocalTimeZone() { return {}; }
inline constexpr char RFC3339_full[] = "%Y-%m-%d%ET%H:%M:%E*S%Ez";
inline constexpr char RFC3339_sec[] = "%Y-%m-%d%ET%H:%M:%S%Ez";
inline constexpr char RFC1123_full[] = "%a, %d %b %E4Y %H:%M:%S %z";
inline constexpr char RFC1123_no_wday[] = "%d %b %E4Y %H:%M:%S %z";

namespace tenon_detail {

inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// An item of a format, behind its `%`: the letter, and what an E or O before it asks for.
struct TimeItem {
  enum Kind { kPlain, kFraction, kSecondsWithFraction, kYearOfFour, kOffset, kLetterT } kind = kPlain;
  char letter = 0;  // for kPlain
  int digits = -1;  // for a fraction; -1: `*`
  int colons = 0;  // for kOffset: `%:z` one, `%::z` two, `%:::z` three
  std::string_view text;  // with the `%`
};
// Takes the item that `format` starts with.
inline TimeItem TakeTimeItem(std::string_view* format) {
  const std::string_view f = *format;
  TimeItem item;
  std::size_t end = std::min<std::size_t>(2, f.size());
  item.letter = f.size() > 1 ? f[1] : '\0';
  if (item.letter == 'z') item.kind = TimeItem::kOffset;
  if (item.letter == ':') {
    const std::size_t z = f.find_first_not_of(':', 1);
    if (z != f.npos && z <= 4 && f[z] == 'z') {
      item.kind = TimeItem::kOffset;
      item.colons = static_cast<int>(z) - 1;
      end = z + 1;
    }
  } else if (item.letter == 'O') {
    end = std::min<std::size_t>(3, f.size());
  } else if (item.letter == 'E') {
    end = std::min<std::size_t>(3, f.size());
    std::size_t at = 2;
    while (at < f.size() && IsDigit(f[at])) ++at;
    const bool star = f.substr(2, 1) == "*";
    const char letter = star ? (f.size() > 3 ? f[3] : '\0') : at < f.size() ? f[at] : '\0';
    if (f.substr(2, 1) == "T") {
      item.kind = TimeItem::kLetterT;
    } else if (letter == 'z' && (star || at == 2)) {
      item.kind = TimeItem::kOffset;
      item.colons = star ? 2 : 1;
      end = star ? 4 : 3;
    } else if (f.substr(2, 2) == "4Y") {
      item.kind = TimeItem::kYearOfFour;
      end = 4;
    } else if ((letter == 'S' || letter == 'f') && (star || (at > 2 && at <= 6))) {
      item.kind = letter == 'S' ? TimeItem::kSecondsWithFraction : TimeItem::kFraction;
      if (!star) {
        item.digits = 0;
        for (std::size_t i = 2; i < at; ++i) item.digits = item.digits * 10 + (f[i] - '0');
      }
      if (item.digits > 1024)
        item.kind = TimeItem::kPlain;
      else
        end = (star ? 3 : at) + 1;
    }
  }
  item.text = f.substr(0, end);
  format->remove_prefix(end);
  return item;
}

// Reads times. Every function takes what it reads from `text`, or returns false.
struct TimeParser {
  std::string_view text;
  std::tm parts{};
  std::int64_t year = 1970, offset = 0, ns = 0, unix_seconds = 0, week = -1;
  bool saw_year = false, saw_unix_seconds = false, twelve_hours = false, afternoon = false, week_from_monday = false;

  TimeParser() { parts.tm_year = 70, parts.tm_mday = 1, parts.tm_wday = 4; }
  void SkipSpace() {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  }
  bool Take(char c) { return text.starts_with(c) && (text.remove_prefix(1), true); }
  // At most `width` characters, the sign with them; 0: any number of them.
  template <class Number>
  bool Int(std::size_t width, std::int64_t least, std::int64_t greatest, Number* out) {
    std::string_view rest = width == 0 ? text : text.substr(0, width);
    const std::size_t all = rest.size();
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    std::int64_t value = 0;  // not above 0: there is one more negative number
    bool any = false;
    for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1), any = true) {
      const int digit = rest.front() - '0';
      if (value < (std::numeric_limits<std::int64_t>::min() + digit) / 10) return false;
      value = value * 10 - digit;
    }
    if (!any || (negative && value == 0)) return false;
    if (!negative && value == std::numeric_limits<std::int64_t>::min()) return false;
    if (!negative) value = -value;
    if (value < least || value > greatest) return false;
    *out = static_cast<Number>(value);
    text.remove_prefix(all - rest.size());
    return true;
  }
  bool TwoDigits(int greatest, int* out) {
    const TimeParser before = *this;
    if (Int(2, 0, greatest, out) && before.text.size() - text.size() == 2) return true;
    *this = before;
    return false;
  }
  bool Offset(char separator) {
    if (Take('Z') || Take('z')) return offset = 0, true;
    const bool negative = text.starts_with('-');
    if (!negative && !text.starts_with('+')) return false;
    text.remove_prefix(1);
    int hours = 0, minutes = 0, seconds = 0;
    if (!TwoDigits(23, &hours)) return false;
    for (int* const part : {&minutes, &seconds}) {
      const std::string_view before = text;
      if (separator != '\0') Take(separator);
      if (TwoDigits(59, part)) continue;
      text = before;
      break;
    }
    offset = (hours * 60 + minutes) * 60 + seconds;
    if (negative) offset = -offset;
    return true;
  }
  bool Fraction() {
    if (text.empty() || !IsDigit(text.front())) return false;
    ns = 0;
    for (std::int64_t place = 100000000; !text.empty() && IsDigit(text.front()); text.remove_prefix(1), place /= 10)
      ns += (text.front() - '0') * place;
    return true;
  }
  // Reads the other items by the C library.
  bool Other(std::string_view item) {
    const std::string input(text), format(item);
    const char* const end = ::strptime(input.c_str(), format.c_str(), &parts);
    if (end == nullptr) return false;
    const auto taken = static_cast<std::size_t>(end - input.c_str());
    if (format == "%p") {  // am or pm: 1 o'clock becomes 13 o'clock
      std::tm hour{};
      afternoon = ::strptime(("1" + input.substr(0, taken)).c_str(), "%I%p", &hour) != nullptr && hour.tm_hour == 13;
    }
    text.remove_prefix(taken);
    return true;
  }
  bool Plain(const TimeItem& item) {
    switch (item.letter) {
      case 'Y':
        return Int(0, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), &year) &&
               (saw_year = true);
      case 'm': return week = -1, Int(2, 1, 12, &parts.tm_mon) && (--parts.tm_mon, true);
      case 'd':
      case 'e': return week = -1, Int(2, 1, 31, &parts.tm_mday);
      case 'U': return week_from_monday = false, Int(0, 0, 53, &week);
      case 'W': return week_from_monday = true, Int(0, 0, 53, &week);
      case 'u': return Int(0, 1, 7, &parts.tm_wday) && (parts.tm_wday %= 7, true);
      case 'w': return Int(0, 0, 6, &parts.tm_wday);
      case 'F': return Items("%Y-%m-%d");
      case 'T': return Items("%H:%M:%S");
      case 'H': return twelve_hours = false, Int(2, 0, 23, &parts.tm_hour);
      case 'M': return Int(2, 0, 59, &parts.tm_min);
      case 'S': return Int(2, 0, 60, &parts.tm_sec);
      case 's':
        return saw_unix_seconds = true, Int(0, std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::max(), &unix_seconds);
      case 'Z': {
        const auto end = std::find_if(text.begin(), text.end(), IsSpace);
        if (end == text.begin()) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        return true;
      }
      case '%': return Take('%');
      case '\0': return false;
      default: break;
    }
    const std::string_view of = item.text.substr(1);
    if (of == "I" || of == "l" || of == "r" || of == "OI") twelve_hours = true;
    if (of == "R" || of == "c" || of == "X" || of == "Ec" || of == "EX" || of == "OH") twelve_hours = false;
    return Other(item.text);
  }
  bool One(const TimeItem& item) {
    switch (item.kind) {
      case TimeItem::kPlain: return Plain(item);
      case TimeItem::kFraction:  // no digits are none
        if (!text.empty() && IsDigit(text.front())) Fraction();
        return true;
      case TimeItem::kSecondsWithFraction: return Int(2, 0, 60, &parts.tm_sec) && (!Take('.') || Fraction());
      case TimeItem::kYearOfFour: {
        const std::size_t before = text.size();
        return Int(4, -999, 9999, &year) && before - text.size() == 4 && (saw_year = true);
      }
      case TimeItem::kOffset: return Offset(item.colons > 0 ? ':' : '\0');
      case TimeItem::kLetterT: return Take('T') || Take('t');
    }
    return false;
  }
  bool Items(std::string_view format) {
    while (!format.empty()) {
      if (IsSpace(format.front())) {
        SkipSpace();
        while (!format.empty() && IsSpace(format.front())) format.remove_prefix(1);
      } else if (format.front() != '%') {
        if (!Take(format.front())) return false;
        format.remove_prefix(1);
      } else if (!One(TakeTimeItem(&format))) {
        return false;
      }
    }
    return true;
  }
  bool All(std::string_view format) {
    SkipSpace();
    if (!Items(format)) return false;
    if (twelve_hours && afternoon && parts.tm_hour < 12) parts.tm_hour += 12;
    return true;
  }
  // Days from 1970 to that day of the calendar, which may be one that the month does not have.
  static std::int64_t Days(std::int64_t year, int month, int day) {
    year -= month < 2;
    const std::int64_t era = Time::Floor(year, 400), of_era = year - era * 400;
    const std::int64_t of_year = (153 * (month + (month > 1 ? -2 : 10)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
  }
  static bool IsDay(std::int64_t year, int month, int day) {
    return month == 11 || day <= Days(year, month + 1, 1) - Days(year, month, 1);
  }
  const char* Finish(Time* time) {
    SkipSpace();
    if (!text.empty()) return "Illegal trailing data in input string";
    if (saw_unix_seconds) return *time = FromUnixSeconds(unix_seconds), nullptr;
    if (parts.tm_sec == 60) parts.tm_sec = 59, --offset, ns = 0;  // a leap second is the next one
    if (!saw_year) year = parts.tm_year + std::int64_t{1900};
    if (year > 292277026596 || year < -292277022657) return "Out-of-range field";  // more seconds than 64 bits
    std::int64_t days = 0;
    if (week >= 0) {  // the first day of week 1 is the year's first Sunday, or Monday
      const std::int64_t first = Days(year, 0, 1);
      const int start = week_from_monday ? 1 : 0;
      const std::int64_t weekday = Time::Rest(first + 4, 7);
      days = first + Time::Rest(start - weekday, 7) + (week - 1) * 7 + Time::Rest(parts.tm_wday - start, 7);
    } else {
      if (!IsDay(year, parts.tm_mon, parts.tm_mday)) return "Out-of-range field";
      days = Days(year, parts.tm_mon, parts.tm_mday);
    }
    const std::int64_t of_day = parts.tm_hour * 3600 + parts.tm_min * 60 + parts.tm_sec - offset;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 86400 - 2;
    if (days > kMost || days < -kMost) return "Out-of-range field";
    *time = Time(days * 86400 + of_day, ns);
    return nullptr;
  }
};

}  // namespace tenon_detail

// As Abseil: %Y-%m-%d %H:%M:%S and what else strptime knows, %E4Y, %E*S, %E#S, %E*f, %E#f, %z, %Ez, %:z, %ET, %s, %Z
// (ignored), %U and %W with a weekday. What the text does not say is that of 1970-01-01 00:00:00.
inline bool ParseTime(std::string_view format, std::string_view text, TimeZone, Time* time, std::string* error) {
  tenon_detail::TimeParser parser;
  for (const bool future : {true, false}) {
    parser.text = text;
    parser.SkipSpace();
    const std::string_view name = future ? "infinite-future" : "infinite-past";
    if (!parser.text.starts_with(name)) continue;
    parser.text.remove_prefix(name.size());
    parser.SkipSpace();
    if (parser.text.empty()) return *time = future ? InfiniteFuture() : InfinitePast(), true;
  }
  parser.text = text.substr(0, text.find('\0'));
  const char* const wrong = parser.All(format) ? parser.Finish(time) : "Failed to parse input";
  if (wrong != nullptr && error != nullptr) *error = wrong;
  return wrong == nullptr;
}
inline bool ParseTime(std::string_view format, std::string_view text, Time* time, std::string* error) {
  return ParseTime(format, text, UTCTimeZone(), time, error);
}
inline std::string FormatTime(std::string_view format, Time time, TimeZone) {
  using tenon_detail::TimeItem;
  if (time == InfiniteFuture()) return "infinite-future";
  if (time == InfinitePast()) return "infinite-past";
  const std::time_t seconds = ToTimeT(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  const std::int64_t year = parts.tm_year + std::int64_t{1900};
  const std::int64_t ns = (time - FromUnixSeconds(time.seconds())).ns();
  // The digits after the point: all there are but zeros at the end, or as many as are asked for.
  const auto fraction = [&](int digits) {
    char nine[16];
    std::snprintf(nine, sizeof nine, "%09d", static_cast<int>(ns));
    std::string text = nine;
    if (digits >= 0) return text.resize(static_cast<std::size_t>(std::min(digits, 15)), '0'), text;
    return text.erase(text.find_last_not_of('0') + 1), text;
  };
  std::string out, pending;  // pending: for the C library, which knows other items
  const auto flush = [&] {
    std::string text(256 + pending.size() * 32, '\0');
    if (!pending.empty()) out.append(text.data(), std::strftime(text.data(), text.size(), pending.c_str(), &parts));
    pending.clear();
  };
  while (!format.empty()) {
    const std::string_view before = format;
    if (format.front() != '%') {
      pending += format.front();
      format.remove_prefix(1);
      continue;
    }
    const TimeItem item = tenon_detail::TakeTimeItem(&format);
    if (item.kind == TimeItem::kPlain &&
        std::string_view("YmdeFUuWwHMSTZs%").find(item.letter) == std::string_view::npos) {
      pending += before.substr(0, 2);  // the next item may begin behind an E or O
      format = before.substr(std::min<std::size_t>(2, before.size()));
      continue;
    }
    flush();
    switch (item.kind) {
      case TimeItem::kFraction: {
        const std::string digits = fraction(item.digits);
        out += digits.empty() && item.digits < 0 ? "0" : digits;
        break;
      }
      case TimeItem::kSecondsWithFraction: {
        const std::string digits = fraction(item.digits);
        pending = "%S";
        flush();
        if (!digits.empty()) out += "." + digits;
        break;
      }
      case TimeItem::kYearOfFour: {
        char text[32];
        std::snprintf(text, sizeof text, "%04lld", static_cast<long long>(year));
        out += text;
        break;
      }
      case TimeItem::kOffset: {
        static constexpr std::string_view kByColons[] = {"+0000", "+00:00", "+00:00:00", "+00"};
        out += kByColons[item.colons];
        break;
      }
      case TimeItem::kLetterT: out += 'T'; break;
      case TimeItem::kPlain:
        if (item.letter == 's')
          out += std::to_string(time.seconds());
        else if (item.letter == 'Y')
          out += std::to_string(year);
        else if (item.letter == 'Z')
          out += "UTC";
        else
          pending = std::string(item.text), flush();
        break;
    }
  }
  flush();
  return out;
}
inline std::string FormatTime(Time time) { return FormatTime(RFC3339_full, time, {}); }
inline std::ostream& operator<<(std::ostream& out, Time time) { return out << FormatTime(time); }

}  // namespace absl
