// SPDX-License-Identifier: Apache-2.0
#pragma once
// tensorflow::strings and str_util: joined, split, printed and parsed text.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdarg>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {
namespace strings {

// Appends a value as StrCat prints it; enumerations as numbers, other values as streams print them.
template <class T>
void AppendTo(std::string* out, const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out->append(std::string_view(value));
  } else if constexpr (std::is_constructible_v<tenon::Piece, const T&>) {
    tenon::StrAppend(out, tenon::Piece(value));
  } else if constexpr (std::is_enum_v<T>) {
    out->append(std::to_string(static_cast<long long>(value)));
  } else {
    std::ostringstream text;
    text << value;
    out->append(text.str());
  }
}
template <class... T>
void StrAppend(std::string* out, const T&... values) {
  (AppendTo(out, values), ...);
}
template <class... T>
std::string StrCat(const T&... values) {
  std::string out;
  (AppendTo(&out, values), ...);
  return out;
}

inline void Appendv(std::string* out, const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  if (size > 0) {
    const std::size_t before = out->size(), added = static_cast<std::size_t>(size);
    out->resize(before + added + 1);
    std::vsnprintf(out->data() + before, added + 1, format, again);
    out->resize(before + added);
  }
  va_end(again);
}
inline std::string Printf(const char* format, ...) {
  std::string out;
  std::va_list arguments;
  va_start(arguments, format);
  Appendv(&out, format, arguments);
  va_end(arguments);
  return out;
}
inline void Appendf(std::string* out, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  Appendv(out, format, arguments);
  va_end(arguments);
}

// Parses a whole text, spaces around it allowed. False: it is not a number, or not one of this type.
template <class T>
bool ParseNumber(std::string_view text, T* value) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}
inline bool safe_strto32(StringPiece text, int32* value) { return ParseNumber(text, value); }
inline bool safe_strto64(StringPiece text, std::int64_t* value) { return ParseNumber(text, value); }
inline bool safe_strto64(StringPiece text, long long* value) { return ParseNumber(text, value); }
inline bool safe_strtou32(StringPiece text, uint32* value) { return ParseNumber(text, value); }
inline bool safe_strtou64(StringPiece text, std::uint64_t* value) { return ParseNumber(text, value); }
inline bool safe_strtof(StringPiece text, float* value) { return ParseNumber(text, value); }
inline bool safe_strtod(StringPiece text, double* value) { return ParseNumber(text, value); }
template <class T>
bool SafeStringToNumeric(StringPiece text, T* value) {
  return ParseNumber(text, value);
}

// A number in hexadecimal digits, filled up with zeros.
enum PadSpec : unsigned {
  kNoPad = 1,
  kZeroPad2,
  kZeroPad3,
  kZeroPad4,
  kZeroPad5,
  kZeroPad6,
  kZeroPad7,
  kZeroPad8,
  kZeroPad9,
  kZeroPad10,
  kZeroPad11,
  kZeroPad12,
  kZeroPad13,
  kZeroPad14,
  kZeroPad15,
  kZeroPad16
};
struct Hex {
  template <std::integral T>
  explicit Hex(T number, PadSpec pad = kNoPad) : value(static_cast<std::make_unsigned_t<T>>(number)), spec(pad) {}
  std::string text() const { return Printf("%0*llx", static_cast<int>(spec), static_cast<unsigned long long>(value)); }
  friend std::ostream& operator<<(std::ostream& out, const Hex& hex) { return out << hex.text(); }
  std::uint64_t value;
  PadSpec spec;
};
inline const char* FpToString(char (&out)[17], std::uint64_t fp) {
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(fp));
  return out;
}
typedef std::uint64_t Fprint;
inline constexpr int kFastToBufferSize = 32;  // characters that hold any number as text
// The number that FpToString wrote. False: the text is none.
inline bool StringToFp(const std::string& text, Fprint* fp) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *fp, 16);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}
inline std::string FpToString(std::uint64_t fp) { return Printf("%016llx", static_cast<unsigned long long>(fp)); }
// False: the text is not of hexadecimal digits alone.
inline bool HexStringToUint64(StringPiece text, std::uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, 16);
  return error == std::errc() && end == text.data() + text.size();
}
// A piece of text, of anything that StrCat prints.
class AlphaNum {
 public:
  template <class T>
  AlphaNum(const T& value) {
    AppendTo(&text_, value);
  }
  StringPiece Piece() const { return text_; }
  const char* data() const { return text_.data(); }
  std::size_t size() const { return text_.size(); }
  operator StringPiece() const { return text_; }

 private:
  std::string text_;
};

}  // namespace strings
using strings::StrAppend;
using strings::StrCat;

namespace str_util {

struct AllowEmpty {
  bool operator()(StringPiece) const { return true; }
};
struct SkipEmpty {
  bool operator()(StringPiece part) const { return !part.empty(); }
};
struct SkipWhitespace {
  bool operator()(StringPiece part) const { return part.find_first_not_of(" \t\n\v\f\r") != StringPiece::npos; }
};
// Splits at every character of `delimiters`; an empty text has no parts.
template <class Keep = AllowEmpty>
std::vector<std::string> Split(StringPiece text, StringPiece delimiters, Keep keep = Keep()) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (keep(text.substr(begin, end - begin))) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}
template <class Keep = AllowEmpty>
std::vector<std::string> Split(StringPiece text, char delimiter, Keep keep = Keep()) {
  return Split(text, StringPiece(&delimiter, 1), keep);
}
template <class Items>
std::string Join(const Items& items, const char* separator) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    strings::AppendTo(&out, item);
  }
  return out;
}
template <class Items, class Format>
std::string Join(const Items& items, const char* separator, Format format) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    format(&out, item);
  }
  return out;
}
inline bool StartsWith(StringPiece text, StringPiece prefix) { return text.starts_with(prefix); }
inline bool EndsWith(StringPiece text, StringPiece suffix) { return text.ends_with(suffix); }
inline bool StrContains(StringPiece text, StringPiece part) { return text.find(part) != StringPiece::npos; }
inline bool ConsumePrefix(StringPiece* text, StringPiece prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}
inline bool ConsumeSuffix(StringPiece* text, StringPiece suffix) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}
template <class Change>
std::string Changed(StringPiece text, Change change) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return out;
}
// The text as a name of ops' arguments, "HiThere 2" as "hi_there_2": from the first letter on.
inline std::string ArgDefCase(StringPiece text) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_letter = [&](char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); };
  std::size_t i = 0;
  while (i < text.size() && !is_letter(text[i])) ++i;
  std::string name;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (is_upper(c) && !name.empty() && name.back() != '_') name += '_';
    name += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  }
  return name;
}
inline std::string Lowercase(StringPiece text) {
  return Changed(text, [](int c) { return std::tolower(c); });
}
inline std::string Uppercase(StringPiece text) {
  return Changed(text, [](int c) { return std::toupper(c); });
}
inline std::size_t RemoveLeadingWhitespace(StringPiece* text) {
  std::size_t count = 0;
  while (count < text->size() && std::isspace(static_cast<unsigned char>((*text)[count]))) ++count;
  text->remove_prefix(count);
  return count;
}
inline std::size_t RemoveTrailingWhitespace(StringPiece* text) {
  std::size_t count = 0;
  for (; !text->empty() && std::isspace(static_cast<unsigned char>(text->back())); ++count) text->remove_suffix(1);
  return count;
}
inline std::size_t RemoveWhitespaceContext(StringPiece* text) {
  return RemoveLeadingWhitespace(text) + RemoveTrailingWhitespace(text);
}
inline void StripTrailingWhitespace(std::string* text) {
  StringPiece view(*text);
  RemoveTrailingWhitespace(&view);
  text->resize(view.size());
}
inline bool ConsumeNonWhitespace(StringPiece* text, StringPiece* value) {
  std::size_t count = 0;
  while (count < text->size() && !std::isspace(static_cast<unsigned char>((*text)[count]))) ++count;
  *value = text->substr(0, count);
  text->remove_prefix(count);
  return count > 0;
}
inline std::string StringReplace(StringPiece text, StringPiece old_part, StringPiece new_part, bool all) {
  std::string out(text);
  for (std::size_t at = 0; !old_part.empty() && (at = out.find(old_part, at)) != std::string::npos;) {
    out.replace(at, old_part.size(), new_part);
    at += new_part.size();
    if (!all) break;
  }
  return out;
}
inline StringPiece StripPrefix(StringPiece text, StringPiece prefix) {
  ConsumePrefix(&text, prefix);
  return text;
}
inline StringPiece StripSuffix(StringPiece text, StringPiece suffix) {
  ConsumeSuffix(&text, suffix);
  return text;
}
// A decimal number at the front. False: there is no digit, or the number does not fit.
inline bool ConsumeLeadingDigits(StringPiece* text, std::uint64_t* value) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *value);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}
// Letters behind one of the delimiters become capitals.
inline void TitlecaseString(std::string* text, StringPiece delimiters) {
  bool starts = true;
  for (char& c : *text) {
    if (starts) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    starts = delimiters.find(c) != StringPiece::npos;
  }
}
inline bool CUnescape(StringPiece text, std::string* out, std::string* error) {
  out->clear();
  const auto fail = [error](StringPiece why) {
    if (error != nullptr) error->assign(why);
    return false;
  };
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      *out += text[i];
      continue;
    }
    if (++i == text.size()) return fail("String cannot end with \\");
    const char c = text[i];
    const std::size_t simple = StringPiece("abfnrtv\\?'\"").find(c);
    if (simple != StringPiece::npos) {
      *out += "\a\b\f\n\r\t\v\\?'\""[simple];
    } else if (c >= '0' && c <= '7') {
      int value = 0;
      const std::size_t end = std::min(text.size(), i + 3);
      for (; i < end && text[i] >= '0' && text[i] <= '7'; ++i) value = value * 8 + (text[i] - '0');
      --i;
      if (value > 255) return fail("Value of an octal escape exceeds 0xff");
      *out += static_cast<char>(value);
    } else if (c == 'x' || c == 'X') {
      int value = 0;
      std::size_t digits = 0;
      for (; i + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0; ++i, ++digits) {
        value = value * 16 + digit(text[i + 1]);
        if (value > 255) return fail("Value of a hexadecimal escape exceeds 0xff");
      }
      if (digits == 0) return fail("\\x without hexadecimal digits");
      *out += static_cast<char>(value);
    } else {
      return fail("Unknown escape sequence");
    }
  }
  return true;
}
inline std::string CEscape(StringPiece text) { return tenon::CEscape(text); }

}  // namespace str_util
}  // namespace tensorflow
