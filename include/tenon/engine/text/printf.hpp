// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers written as C's printf does.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <tenon/tensor/string_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// How printf writes one number; `flag` 0: none.
struct NumberFormat {
  char flag = 0, conversion = 'f';
  int width = -1, precision = -1;  // -1: none

  bool is_plain() const { return flag == 0 && width < 0; }
};

// The widest text that is written.
inline constexpr int kLongestNumber = 1 << 26;

namespace detail {

// Writes the digits of `number` in front of `end`, at least `least` of them, and returns their begin.
inline char* DigitsBefore(char* end, std::uint64_t number, int least) {
  for (; number != 0 || least > 0; number /= 10, --least) *--end = static_cast<char>('0' + number % 10);
  return end;
}

}  // namespace detail

// Appends `value` as "%.*f" writes it and returns true, or returns false for a value or a precision that is too large.
inline bool AppendFixed(double value, int precision, tstring* out) {
  constexpr int kMostDigits = 15;  // their power of ten, and the fraction times that, are whole doubles
  constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  const double magnitude = std::abs(value);
  if (!(magnitude < kLargest) || precision < 0 || precision > kMostDigits) return false;
  auto whole = static_cast<std::uint64_t>(magnitude);
  const double fraction = magnitude - static_cast<double>(whole), power = kPowers[precision];
  // The product is scaled + error, exactly. It is rounded to the nearest, and to the even one of two.
  const double scaled = fraction * power, error = std::fma(fraction, power, -scaled);
  auto digits = static_cast<std::uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(digits);
  const bool is_odd = (precision == 0 ? whole : digits) % 2 != 0;
  if (rest > 0.5 || (rest == 0.5 && (error > 0 || (error == 0 && is_odd)))) ++digits;
  if (digits >= static_cast<std::uint64_t>(power)) {
    digits = 0;
    ++whole;
  }
  char text[40], *const end = text + sizeof text, *begin = end;
  if (precision > 0) {
    begin = detail::DigitsBefore(end, digits, precision);
    *--begin = '.';
  }
  begin = detail::DigitsBefore(begin, whole, 1);
  if (std::signbit(value)) *--begin = '-';
  out->append({begin, static_cast<std::size_t>(end - begin)});
  return true;
}
// Appends `value` as "%d" writes it.
inline void AppendInteger(std::int64_t value, tstring* out) {
  char text[24], *const end = text + sizeof text;
  const auto bits = static_cast<std::uint64_t>(value);
  char* begin = detail::DigitsBefore(end, value < 0 ? ~bits + 1 : bits, 1);
  if (value < 0) *--begin = '-';
  out->append({begin, static_cast<std::size_t>(end - begin)});
}

// "%", flag, width, ".", precision, `length` and conversion, as a format for printf.
struct PrintfFormat {
  char text[48];

  PrintfFormat(const NumberFormat& f, const char* length) {
    char* at = text;
    const auto number = [&at](int n) {
      char digits[12];
      int count = 0;
      for (; n > 0 || count == 0; n /= 10) digits[count++] = static_cast<char>('0' + n % 10);
      while (count > 0) *at++ = digits[--count];
    };
    *at++ = '%';
    if (f.flag != 0) *at++ = f.flag;
    if (f.width >= 0) number(f.width);
    if (f.precision >= 0) {
      *at++ = '.';
      number(f.precision);
    }
    while (*length != 0) *at++ = *length++;
    *at++ = f.conversion;
    *at = 0;
  }
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
// Appends the number to *out.
template <class Value>
void PrintNumber(const PrintfFormat& format, Value value, tstring* out) {
  char buffer[512];
  const int size = std::snprintf(buffer, sizeof buffer, format.text, value);
  if (size < 0) return out->clear();
  if (static_cast<std::size_t>(size) < sizeof buffer) {
    out->append({buffer, static_cast<std::size_t>(size)});
    return;
  }
  std::string longer(static_cast<std::size_t>(size) + 1, 0);
  std::snprintf(longer.data(), longer.size(), format.text, value);
  out->append({longer.data(), static_cast<std::size_t>(size)});
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

TENON_DETAIL_NAMESPACE_END
