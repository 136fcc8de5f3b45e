// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text: StrCat, StrAppend, StrJoin, number parsing, escaping. Numbers print as TensorFlow prints them in its messages.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

// One argument of StrCat: text, a number, or anything that says its name. Lives for one full expression.
class Piece {
 public:
  Piece(std::string_view text) : data_(text.data()), size_(text.size()) {}
  Piece(const std::string& text) : data_(text.data()), size_(text.size()) {}
  Piece(const char* text) : Piece(std::string_view(text == nullptr ? "(null)" : text)) {}
  Piece(char c) : data_(digits_), size_(1) { digits_[0] = c; }
  Piece(bool b) : data_(digits_), size_(1) { digits_[0] = b ? '1' : '0'; }
  Piece(float value) : data_(digits_) { size_ = Float(digits_, static_cast<double>(value), 6, 9, true); }
  Piece(double value) : data_(digits_) { size_ = Float(digits_, value, 15, 17, false); }
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>)
  Piece(T value) : data_(digits_) {
    size_ = static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, value).ptr - digits_);
  }
  // Enumerations with a Name(), e.g. DataType and Code.
  template <class T>
    requires(std::is_enum_v<T> && requires(T x) { std::string_view(Name(x)); })
  Piece(T value) : Piece(std::string_view(Name(value))) {}
  // Values with a DebugString(), e.g. shapes.
  template <class T>
    requires requires(const T& x) { std::string(x.DebugString()); }
  Piece(const T& value) : owned_(value.DebugString()) {
    data_ = owned_.data();
    size_ = owned_.size();
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  std::string_view text() const { return {data_, size_}; }

 private:
  // %.`digits`g, or %.`more`g where that does not read back as the same value.
  static std::size_t Float(char* out, double value, int digits, int more, bool single) {
    int n = std::snprintf(out, sizeof digits_, "%.*g", digits, value);
    const bool same = single ? std::strtof(out, nullptr) == static_cast<float>(value) : std::strtod(out, nullptr) == value;
    if (!same && value == value) n = std::snprintf(out, sizeof digits_, "%.*g", more, value);
    return static_cast<std::size_t>(n);
  }

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  char digits_[32];
  std::string owned_;
};

namespace detail {
inline void AppendPieces(std::string* out, std::initializer_list<std::string_view> pieces) {
  std::size_t size = out->size();
  for (std::string_view p : pieces) size += p.size();
  out->reserve(size);
  for (std::string_view p : pieces) out->append(p);
}
}  // namespace detail

// Appends the text of every argument to *out.
template <class... Args>
void StrAppend(std::string* out, const Args&... args) {
  detail::AppendPieces(out, {Piece(args).text()...});
}

// The text of every argument, one after the other: StrCat("rank ", 2, " of ", shape).
template <class... Args>
std::string StrCat(const Args&... args) {
  std::string out;
  detail::AppendPieces(&out, {Piece(args).text()...});
  return out;
}

// The items of a range with `separator` between them; `append(std::string*, item)` says how an item is written.
template <class Range, class Append>
std::string StrJoin(const Range& range, std::string_view separator, Append append) {
  std::string out;
  bool first = true;
  for (const auto& item : range) {
    if (!first) out.append(separator);
    first = false;
    append(&out, item);
  }
  return out;
}
template <class Range>
std::string StrJoin(const Range& range, std::string_view separator) {
  return StrJoin(range, separator, [](std::string* out, const auto& item) { StrAppend(out, item); });
}

// The whole text as a number, or false. Decimal; a sign is allowed where the type has one, blanks are not.
template <class T>
  requires std::is_integral_v<T>
bool ParseInt(std::string_view text, T* value) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}
inline bool ParseInt64(std::string_view text, std::int64_t* value) { return ParseInt(text, value); }
inline bool ParseDouble(std::string_view text, double* value) {
  const std::string copy(text);
  if (copy.empty() || copy.front() == ' ') return false;
  char* end = nullptr;
  *value = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

// C escapes for what is not printable ASCII, for quotes and backslashes.
inline std::string CEscape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      default:
        if (u >= 0x20 && u < 0x7f) {
          out += c;
        } else {
          out += '\\';
          out += static_cast<char>('0' + (u >> 6));
          out += static_cast<char>('0' + ((u >> 3) & 7));
          out += static_cast<char>('0' + (u & 7));
        }
    }
  }
  return out;
}

constexpr bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
constexpr bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

TENON_NAMESPACE_END
