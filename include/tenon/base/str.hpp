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

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// One argument of StrCat: a string, a number, or an object with a name. It only remembers the value; the string is
// made where all pieces come together, so that a call costs the caller a few stores. Lives for one full expression.
class Piece {
 public:
  constexpr Piece(std::string_view text) : kind_(Kind::kText), size_(text.size()), text_(text.data()) {}
  Piece(const std::string& text) : Piece(std::string_view(text)) {}
  Piece(const char* text) : Piece(std::string_view(text == nullptr ? "(null)" : text)) {}
  Piece(char c) : kind_(Kind::kChar), integer_(static_cast<unsigned char>(c)) {}
  Piece(bool b) : kind_(Kind::kUnsigned), integer_(b ? 1u : 0u) {}
  Piece(float value) : kind_(Kind::kFloat), number_(static_cast<double>(value)) {}
  Piece(double value) : kind_(Kind::kDouble), number_(value) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>)
  Piece(T value)
      : kind_(std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned),
        integer_(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))) {}
  // Enumerations with a Name(), e.g. DataType and Code.
  template <class T>
    requires(std::is_enum_v<T> && requires(T x) { std::string_view(Name(x)); })
  Piece(T value) : Piece(std::string_view(Name(value))) {}
  // Numbers that become floats, e.g. half.
  template <class T>
    requires(__is_class(T) && requires(const T& x) { x.operator float(); })
  Piece(const T& value) : Piece(value.operator float()) {}
  // Other strings, e.g. tstring.
  template <class T>
    requires(__is_class(T) && requires(const T& x) { x.operator std::string_view(); })
  Piece(const T& value) : Piece(value.operator std::string_view()) {}
  // Values with a DebugString(), e.g. shapes.
  template <class T>
    requires(__is_class(T) && requires(const T& x) { std::string(x.DebugString()); })
  Piece(const T& value) : kind_(Kind::kObject), object_(&value), debug_string_(&DebugStringOf<T>) {}

  // Appends the piece as a string.
  inline void AppendTo(std::string* out) const;
  // The size of a text; a guess for other pieces.
  std::size_t SizeHint() const { return kind_ == Kind::kText ? size_ : 4; }

 private:
  enum class Kind : unsigned char { kText, kChar, kSigned, kUnsigned, kFloat, kDouble, kObject };
  template <class T>
  static std::string DebugStringOf(const void* object) {
    return static_cast<const T*>(object)->DebugString();
  }
  // %.`digits`g, or %.`more`g where that does not read back as the same value.
  static void AppendNumber(std::string* out, double value, bool single) {
    char text[32];
    int n = std::snprintf(text, sizeof text, "%.*g", single ? 6 : 15, value);
    const bool same =
        single ? std::strtof(text, nullptr) == static_cast<float>(value) : std::strtod(text, nullptr) == value;
    if (!same && value == value) n = std::snprintf(text, sizeof text, "%.*g", single ? 9 : 17, value);
    out->append(text, static_cast<std::size_t>(n));
  }

  Kind kind_;
  union {
    std::size_t size_;
    std::uint64_t integer_;
    double number_;
    const void* object_;
  };
  union {
    const char* text_;
    std::string (*debug_string_)(const void*);
  };
};

inline void Piece::AppendTo(std::string* out) const {
  char digits[24];
  switch (kind_) {
    case Kind::kText: out->append(text_, size_); return;
    case Kind::kChar: out->push_back(static_cast<char>(integer_)); return;
    case Kind::kSigned:
      out->append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(integer_)).ptr);
      return;
    case Kind::kUnsigned: out->append(digits, std::to_chars(digits, digits + sizeof digits, integer_).ptr); return;
    case Kind::kFloat: AppendNumber(out, number_, true); return;
    case Kind::kDouble: AppendNumber(out, number_, false); return;
    case Kind::kObject: out->append(debug_string_(object_)); return;
  }
}

namespace detail {
TENON_DETAIL_COLD inline void AppendPieces(std::string* out, std::initializer_list<Piece> pieces) {
  for (const Piece& piece : pieces) piece.AppendTo(out);
}
TENON_DETAIL_COLD inline std::string CatPieces(std::initializer_list<Piece> pieces) {
  std::string out;
  std::size_t size = 0;
  for (const Piece& piece : pieces) size += piece.SizeHint();
  out.reserve(size);
  AppendPieces(&out, pieces);
  return out;
}
}  // namespace detail

// Appends every argument as a string to *out. An overload for each number of pieces: a template would be compiled
// once for every combination of argument types, literals of each length among them, and there are some hundred in the
// runtime.
inline void StrAppend(std::string*) {}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a) { detail::AppendPieces(out, {a}); }
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b) {
  detail::AppendPieces(out, {a, b});
}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b, const Piece& c) {
  detail::AppendPieces(out, {a, b, c});
}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b, const Piece& c,
                                        const Piece& d) {
  detail::AppendPieces(out, {a, b, c, d});
}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b, const Piece& c,
                                        const Piece& d, const Piece& e) {
  detail::AppendPieces(out, {a, b, c, d, e});
}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b, const Piece& c,
                                        const Piece& d, const Piece& e, const Piece& f) {
  detail::AppendPieces(out, {a, b, c, d, e, f});
}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b, const Piece& c,
                                        const Piece& d, const Piece& e, const Piece& f, const Piece& g) {
  detail::AppendPieces(out, {a, b, c, d, e, f, g});
}
TENON_DETAIL_COLD inline void StrAppend(std::string* out, const Piece& a, const Piece& b, const Piece& c,
                                        const Piece& d, const Piece& e, const Piece& f, const Piece& g,
                                        const Piece& h) {
  detail::AppendPieces(out, {a, b, c, d, e, f, g, h});
}
template <class... Args>
  requires(sizeof...(Args) > 8)
void StrAppend(std::string* out, const Args&... args) {
  detail::AppendPieces(out, {Piece(args)...});
}

// The arguments as strings, one after the other: StrCat("rank ", 2, " of ", shape).
inline std::string StrCat() { return std::string(); }
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a) { return detail::CatPieces({a}); }
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b) { return detail::CatPieces({a, b}); }
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b, const Piece& c) {
  return detail::CatPieces({a, b, c});
}
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b, const Piece& c, const Piece& d) {
  return detail::CatPieces({a, b, c, d});
}
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b, const Piece& c, const Piece& d,
                                            const Piece& e) {
  return detail::CatPieces({a, b, c, d, e});
}
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b, const Piece& c, const Piece& d,
                                            const Piece& e, const Piece& f) {
  return detail::CatPieces({a, b, c, d, e, f});
}
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b, const Piece& c, const Piece& d,
                                            const Piece& e, const Piece& f, const Piece& g) {
  return detail::CatPieces({a, b, c, d, e, f, g});
}
TENON_DETAIL_COLD inline std::string StrCat(const Piece& a, const Piece& b, const Piece& c, const Piece& d,
                                            const Piece& e, const Piece& f, const Piece& g, const Piece& h) {
  return detail::CatPieces({a, b, c, d, e, f, g, h});
}
template <class... Args>
  requires(sizeof...(Args) > 8)
std::string StrCat(const Args&... args) {
  return detail::CatPieces({Piece(args)...});
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

// The whole string as a number, or false. Decimal; a sign is allowed where the type has one, blanks are not.
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

// C escapes for bytes that are not printable ASCII, for quotes and backslashes.
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

constexpr bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
constexpr bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

namespace detail {
template <class T>
concept HasName = std::is_enum_v<T> && requires(T x) { std::string_view(Name(x)); };
template <class T>
concept HasToString = __is_class(T) && requires(const T& x) { std::string(x.ToString()); };
template <class T>
concept HasDebugString = __is_class(T) && requires(const T& x) { std::string(x.DebugString()); };
}  // namespace detail

// std::cout << status << dtype << shape: prints a value that has a Name, ToString or DebugString, found by the type's
// namespace. Any standard stream, without <ostream> here.
template <class Stream, class T>
  requires(detail::HasName<T> || detail::HasToString<T> || detail::HasDebugString<T>) &&
          requires { typename Stream::traits_type; }
Stream& operator<<(Stream& stream, const T& value) {
  if constexpr (detail::HasName<T>) {
    stream << std::string_view(Name(value));
  } else if constexpr (detail::HasToString<T>) {
    const std::string text = value.ToString();
    stream << std::string_view(text);
  } else {
    const std::string text = value.DebugString();
    stream << std::string_view(text);
  }
  return stream;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
