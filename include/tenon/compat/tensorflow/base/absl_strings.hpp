// SPDX-License-Identifier: Apache-2.0
#pragma once
// Abseil's functions of texts, by the standard library: splitting, formats, substitution, escapes.

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/absl.hpp>

namespace absl {

// ---------------------------------------------------------------------------------------------------------- splitting
class ByString {
 public:
  explicit ByString(std::string_view text) : text_(text) {}
  std::pair<std::size_t, std::size_t> Find(std::string_view in, std::size_t from) const {
    if (text_.empty()) return {from + 1 < in.size() ? from + 1 : in.size(), 0};
    return {in.find(text_, from), text_.size()};
  }

 private:
  std::string text_;
};
class ByChar {
 public:
  explicit ByChar(char c) : c_(c) {}
  std::pair<std::size_t, std::size_t> Find(std::string_view in, std::size_t from) const {
    return {in.find(c_, from), 1};
  }

 private:
  char c_;
};
class ByAnyChar {
 public:
  explicit ByAnyChar(std::string_view set) : set_(set) {}
  std::pair<std::size_t, std::size_t> Find(std::string_view in, std::size_t from) const {
    return {in.find_first_of(set_, from), 1};
  }

 private:
  std::string set_;
};
template <class Delimiter>
class MaxSplitsOf {
 public:
  MaxSplitsOf(Delimiter delimiter, int limit) : delimiter_(std::move(delimiter)), left_(limit) {}
  std::pair<std::size_t, std::size_t> Find(std::string_view in, std::size_t from) const {
    if (left_ == 0) return {std::string_view::npos, 0};
    --left_;
    return delimiter_.Find(in, from);
  }

 private:
  Delimiter delimiter_;
  mutable int left_;
};
inline ByChar DelimiterOf(char c) { return ByChar(c); }
inline ByString DelimiterOf(std::string_view text) { return ByString(text); }
inline ByString DelimiterOf(const char* text) { return ByString(text); }
inline ByString DelimiterOf(const std::string& text) { return ByString(text); }
template <class Delimiter>
  requires requires(const Delimiter& d) { d.Find(std::string_view(), 0); }
Delimiter DelimiterOf(Delimiter delimiter) {
  return delimiter;
}
template <class Delimiter>
auto MaxSplits(Delimiter delimiter, int limit) {
  return MaxSplitsOf(DelimiterOf(delimiter), limit);
}
using tensorflow::str_util::AllowEmpty;

// The parts of a text; becomes any container of texts, a pair, or a map of them.
class SplitViews {
 public:
  explicit SplitViews(std::vector<std::string_view> parts) : parts_(std::move(parts)) {}
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }
  template <class List>
    requires requires(List list, std::string_view text) { list.insert(list.end(), typename List::value_type(text)); }
  operator List() const {
    List list;
    for (const std::string_view part : parts_) list.insert(list.end(), typename List::value_type(part));
    return list;
  }
  template <class Map>
    requires requires { typename Map::mapped_type; }
  operator Map() const {
    Map map;
    for (std::size_t i = 0; i < parts_.size(); i += 2)
      map.emplace(typename Map::key_type(parts_[i]),
                  typename Map::mapped_type(i + 1 < parts_.size() ? parts_[i + 1] : std::string_view()));
    return map;
  }
  template <class A, class B>
  operator std::pair<A, B>() const {
    const auto part = [this](std::size_t i) { return i < parts_.size() ? parts_[i] : std::string_view(); };
    return {A(part(0)), B(part(1))};
  }

 private:
  std::vector<std::string_view> parts_;
};
template <class Delimiter, class Keep = AllowEmpty>
SplitViews StrSplit(std::string_view text, const Delimiter& delimiter, Keep keep = Keep()) {
  const auto by = DelimiterOf(delimiter);
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const auto [at, length] = by.Find(text, begin);
    const bool last = at == std::string_view::npos || (length == 0 && at >= text.size());
    const std::string_view part = text.substr(begin, last ? std::string_view::npos : at - begin);
    if (keep(part)) parts.push_back(part);
    if (last) return SplitViews(std::move(parts));
    begin = at + length;
  }
}

// ------------------------------------------------------------------------------------------------------------ formats
namespace format_internal {
inline const char* Argument(const std::string& text) { return text.c_str(); }
template <class T>
  requires(std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>)
T Argument(T value) {
  return value;
}
inline std::string Held(std::string_view text) { return std::string(text); }
template <class T>
  requires(!std::is_convertible_v<const T&, std::string_view>)
const T& Held(const T& value) {
  return value;
}
// The conversions of `format` with the length that the arguments have.
template <class T>
const char* LengthOf() {
  if constexpr (std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long>) return "ll";
  if constexpr (std::is_same_v<T, long> || std::is_same_v<T, unsigned long>) return "l";
  return "";
}
template <class... T>
std::string WithLengths(std::string_view format) {
  const char* const lengths[] = {LengthOf<T>()..., ""};
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    out += format[i];
    if (format[i] != '%') continue;
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += format[++i];
      continue;
    }
    for (++i; i < format.size() && !std::isalpha(static_cast<unsigned char>(format[i])); ++i) {
      out += format[i];
      if (format[i] == '*') ++next;
    }
    while (i < format.size() && (format[i] == 'l' || format[i] == 'h' || format[i] == 'z' || format[i] == 'j')) ++i;
    if (i == format.size()) break;
    const std::string_view whole = "diouxXcv";
    if (next < sizeof...(T) && whole.find(format[i]) != std::string_view::npos && format[i] != 'c')
      out += lengths[next];
    out += format[i] == 'v' ? 'd' : format[i];
    ++next;
  }
  return out;
}
}  // namespace format_internal
template <class... T>
std::string StrFormat(std::string_view format, const T&... values) {
  const auto call = [&](const auto&... held) {
    const std::string with =
        format_internal::WithLengths<std::remove_cvref_t<decltype(format_internal::Argument(held))>...>(format);
    return tensorflow::strings::Printf(with.c_str(), format_internal::Argument(held)...);
  };
  return call(format_internal::Held(values)...);
}
template <class... T>
std::string& StrAppendFormat(std::string* out, std::string_view format, const T&... values) {
  return out->append(StrFormat(format, values...));
}
template <class... T>
int PrintF(std::string_view format, const T&... values) {
  return std::fputs(StrFormat(format, values...).c_str(), stdout);
}
template <class... T>
int FPrintF(std::FILE* to, std::string_view format, const T&... values) {
  return std::fputs(StrFormat(format, values...).c_str(), to);
}
using FormatArg = std::string;
// "$0 and $1" with the values in their places; "$$" is a dollar.
template <class... T>
std::string Substitute(std::string_view format, const T&... values) {
  const std::string texts[] = {tensorflow::strings::StrCat(values)..., std::string()};
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '$' || i + 1 == format.size()) {
      out += format[i];
      continue;
    }
    const char c = format[++i];
    const std::size_t n = static_cast<std::size_t>(c - '0');
    if (c == '$') out += c;
    if (c >= '0' && c <= '9' && n < sizeof...(T)) out += texts[n];
  }
  return out;
}
template <class... T>
void SubstituteAndAppend(std::string* out, std::string_view format, const T&... values) {
  out->append(Substitute(format, values...));
}

// -------------------------------------------------------------------------------------------------- changes of texts
inline std::string StrReplaceAll(std::string_view text,
                                 std::initializer_list<std::pair<std::string_view, std::string_view>> changes) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::pair<std::string_view, std::string_view>* best = nullptr;
    for (const auto& change : changes)
      if (text.substr(i).starts_with(change.first) && !change.first.empty() &&
          (best == nullptr || change.first.size() > best->first.size()))
        best = &change;
    if (best == nullptr) {
      out += text[i++];
    } else {
      out += best->second;
      i += best->first.size();
    }
  }
  return out;
}
inline int StrReplaceAll(std::initializer_list<std::pair<std::string_view, std::string_view>> changes,
                         std::string* text) {
  *text = StrReplaceAll(*text, changes);
  return 0;
}
inline std::string CEscape(std::string_view text) { return tenon::CEscape(text); }
inline std::string CHexEscape(std::string_view text) { return tenon::CEscape(text); }
inline std::string Utf8SafeCEscape(std::string_view text) { return tenon::CEscape(text); }
inline std::string BytesToHexString(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}
inline std::string HexStringToBytes(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return out;
}
inline std::string_view StripPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}
inline std::string_view StripSuffix(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}
inline std::string_view ClippedSubstr(std::string_view text, std::size_t at,
                                      std::size_t count = std::string_view::npos) {
  return text.substr(std::min(at, text.size()), count);
}
inline std::string_view StripLeadingAsciiWhitespace(std::string_view text) {
  tensorflow::str_util::RemoveLeadingWhitespace(&text);
  return text;
}
inline std::string_view StripTrailingAsciiWhitespace(std::string_view text) {
  tensorflow::str_util::RemoveTrailingWhitespace(&text);
  return text;
}
inline void StripAsciiWhitespace(std::string* text) {
  *text = std::string(StripAsciiWhitespace(std::string_view(*text)));
}
inline void StripTrailingAsciiWhitespace(std::string* text) { tensorflow::str_util::StripTrailingWhitespace(text); }
inline void RemoveExtraAsciiWhitespace(std::string* text) {
  std::string out;
  for (const char c : StripAsciiWhitespace(std::string_view(*text)))
    if (!std::isspace(static_cast<unsigned char>(c)) || !std::isspace(static_cast<unsigned char>(out.back()))) out += c;
  *text = out;
}
inline void AsciiStrToLower(std::string* text) { *text = tensorflow::str_util::Lowercase(*text); }
inline void AsciiStrToUpper(std::string* text) { *text = tensorflow::str_util::Uppercase(*text); }
inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return tensorflow::str_util::Lowercase(a) == tensorflow::str_util::Lowercase(b);
}
inline bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}
inline bool EndsWithIgnoreCase(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && EqualsIgnoreCase(text.substr(text.size() - suffix.size()), suffix);
}
inline bool StrContains(std::string_view text, char part) { return text.find(part) != std::string_view::npos; }
inline bool StrContainsIgnoreCase(std::string_view text, std::string_view part) {
  return StrContains(tensorflow::str_util::Lowercase(text), tensorflow::str_util::Lowercase(part));
}
#define TENON_COMPAT_ASCII(NAME, CALL) \
  inline bool NAME(unsigned char c) { return c < 128 && std::CALL(c) != 0; }
TENON_COMPAT_ASCII(ascii_isalpha, isalpha)
TENON_COMPAT_ASCII(ascii_isalnum, isalnum)
TENON_COMPAT_ASCII(ascii_isspace, isspace)
TENON_COMPAT_ASCII(ascii_isdigit, isdigit)
TENON_COMPAT_ASCII(ascii_isxdigit, isxdigit)
TENON_COMPAT_ASCII(ascii_isupper, isupper)
TENON_COMPAT_ASCII(ascii_islower, islower)
TENON_COMPAT_ASCII(ascii_ispunct, ispunct)
TENON_COMPAT_ASCII(ascii_isprint, isprint)
TENON_COMPAT_ASCII(ascii_isgraph, isgraph)
TENON_COMPAT_ASCII(ascii_iscntrl, iscntrl)
#undef TENON_COMPAT_ASCII
inline bool ascii_isblank(unsigned char c) { return c == ' ' || c == '\t'; }
inline bool ascii_isascii(unsigned char c) { return c < 128; }
inline char ascii_tolower(unsigned char c) { return static_cast<char>(c < 128 ? std::tolower(c) : c); }
inline char ascii_toupper(unsigned char c) { return static_cast<char>(c < 128 ? std::toupper(c) : c); }
inline bool SimpleAtob(std::string_view text, bool* value) {
  const std::string lower = tensorflow::str_util::Lowercase(text);
  *value = lower == "true" || lower == "t" || lower == "yes" || lower == "y" || lower == "1";
  return *value || lower == "false" || lower == "f" || lower == "no" || lower == "n" || lower == "0";
}
inline std::string NullSafeStringView(const char* text) { return text == nullptr ? std::string() : std::string(text); }

// A text; Abseil's is in pieces.
class Cord {
 public:
  Cord() = default;
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  Cord(const Text& text) : text_(std::string_view(text)) {}
  void Append(std::string_view text) { text_.append(text); }
  template <class Other>
    requires std::is_same_v<Other, Cord>
  void Append(const Other& other) {
    text_.append(other.text_);
  }
  void Prepend(std::string_view text) { text_.insert(0, text); }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  void Clear() { text_.clear(); }
  std::string_view Flatten() { return text_; }
  std::optional<std::string_view> TryFlat() const { return text_; }
  explicit operator std::string() const { return text_; }
  std::vector<std::string_view> Chunks() const { return {text_}; }
  const std::string& CharRange() const { return text_; }
  Cord Subcord(std::size_t at, std::size_t count) const { return Cord(std::string_view(text_).substr(at, count)); }
  bool StartsWith(std::string_view prefix) const { return text_.starts_with(prefix); }
  bool EndsWith(std::string_view suffix) const { return text_.ends_with(suffix); }
  friend bool operator==(const Cord& a, const Cord& b) { return a.text_ == b.text_; }
  friend std::ostream& operator<<(std::ostream& out, const Cord& cord) { return out << cord.text_; }

 private:
  std::string text_;
};
inline void CopyCordToString(const Cord& cord, std::string* out) { *out = std::string(cord); }

}  // namespace absl
