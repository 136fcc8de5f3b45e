// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers written as C's printf does.

#include <cstddef>
#include <cstdio>
#include <string>

#include <tenon/tensor/string_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// How printf writes one number; `flag` 0: none.
struct NumberFormat {
  char flag = 0, conversion = 'f';
  int width = -1, precision = -1;  // -1: none
};

// The widest text that is written.
inline constexpr int kLongestNumber = 1 << 26;

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
