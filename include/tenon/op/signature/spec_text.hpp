// SPDX-License-Identifier: Apache-2.0
#pragma once
// The characters and words of spec strings: a cursor, names of dtypes, texts in quotes with their escapes, numbers. All
// constexpr, without allocation.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Compilers run the reader for every signature, slowly: about 10 microseconds per function call. So the loops over
// characters below go through plain pointers and tables.
inline constexpr unsigned kLowerChar = 1, kUpperChar = 2, kDigitChar = 4, kUnderscore = 8, kSignChar = 16, kDot = 32,
                          kSpaceChar = 64, kDash = 128;
inline constexpr unsigned kLetterChars = kLowerChar | kUpperChar;
inline constexpr unsigned kWordChars = kLetterChars | kDigitChar | kUnderscore;
inline constexpr unsigned kNumberChars = kLetterChars | kDigitChar | kSignChar | kDot;

struct CharClasses {
  unsigned char of[256] = {};

  constexpr CharClasses() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = kLowerChar;
    for (int c = 'A'; c <= 'Z'; ++c) of[c] = kUpperChar;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigitChar;
    for (int c = '\t'; c <= '\r'; ++c) of[c] = kSpaceChar;
    of[' '] = kSpaceChar;
    of['_'] = kUnderscore;
    of['+'] = kSignChar;
    of['-'] = kSignChar | kDash;
    of['.'] = kDot;
  }
};
inline constexpr CharClasses kCharClasses;

constexpr bool Is(char c, unsigned classes) { return (kCharClasses.of[static_cast<unsigned char>(c)] & classes) != 0; }
constexpr bool IsLetter(char c) { return Is(c, kLetterChars); }
constexpr bool IsDigit(char c) { return Is(c, kDigitChar); }
constexpr bool IsWordChar(char c) { return Is(c, kWordChars); }
constexpr bool IsSpace(char c) { return Is(c, kSpaceChar); }
constexpr int HexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

constexpr bool SameText(std::string_view a, const char* b, std::size_t b_size) {
  const std::size_t n = a.size();
  if (n != b_size) return false;
  const char* data = a.data();
  std::size_t i = 0;
  while (i < n && data[i] == b[i]) ++i;
  return i == n;
}

// A position in a text. Every Eat... moves on only if it returns true.
struct TextCursor {
  const char* data;
  std::size_t size;
  std::size_t at = 0;

  constexpr explicit TextCursor(std::string_view text) : data(text.data()), size(text.size()) {}

  constexpr bool done() const { return at >= size; }
  constexpr char peek() const { return at < size ? data[at] : '\0'; }
  constexpr std::string_view text() const { return {data, size}; }
  constexpr std::string_view rest() const { return {data + at, size - at}; }
  constexpr void SkipSpace() {
    while (at < size && (kCharClasses.of[static_cast<unsigned char>(data[at])] & kSpaceChar) != 0) ++at;
  }
  constexpr void SkipSpaceAndComments() {
    for (;;) {
      SkipSpace();
      if (at >= size || data[at] != '#') return;
      while (at < size && data[at] != '\n') ++at;
    }
  }
  constexpr bool Eat(char c) {
    if (at >= size || data[at] != c) return false;
    ++at;
    return true;
  }
  constexpr bool Eat(const char* token) {
    std::size_t i = at;
    for (; *token != '\0'; ++token, ++i)
      if (i >= size || data[i] != *token) return false;
    at = i;
    return true;
  }
  // All characters from here on that are of the classes.
  constexpr std::string_view EatWhile(unsigned classes) {
    const std::size_t begin = at;
    while (at < size && (kCharClasses.of[static_cast<unsigned char>(data[at])] & classes) != 0) ++at;
    return {data + begin, at - begin};
  }
};

// The names of all dtypes for quick comparisons, chained by their first letter; aliases at the end.
struct TypeWords {
  static constexpr int kCount = kDataTypeCount + 3;

  const char* text[kCount] = {};
  unsigned char size[kCount] = {};
  unsigned char type[kCount] = {};
  unsigned char next[kCount] = {};  // the word before with the same first letter; 0: none
  unsigned char last[256] = {};  // by first letter, small or capital

  constexpr TypeWords() {
    int n = 1;
    for (int i = 1; i < kDataTypeCount; ++i) Add(n++, Name(static_cast<DataType>(i)), i);
    Add(n++, "float32", static_cast<int>(DataType::kFloat));
    Add(n++, "float64", static_cast<int>(DataType::kDouble));
    Add(n++, "float16", static_cast<int>(DataType::kHalf));
  }
  constexpr void Add(int n, std::string_view name, int value) {
    text[n] = name.data();
    size[n] = static_cast<unsigned char>(name.size());
    type[n] = static_cast<unsigned char>(value);
    const int letter = text[n][0];
    next[n] = last[letter];
    last[letter] = last[letter - 'a' + 'A'] = static_cast<unsigned char>(n);
  }
};
inline constexpr TypeWords kTypeWords;

// "float", "int32_ref" as DataTypeFromName reads them; or, for `upper`, the same in capitals and without aliases, which
// is what stands behind "DT_" in the enumerators' names.
constexpr DataType FindType(const char* data, std::size_t size, bool upper = false) {
  int ref = 0;
  const char* suffix = upper ? "_REF" : "_ref";
  if (size > 4 && data[size - 4] == suffix[0] && data[size - 3] == suffix[1] && data[size - 2] == suffix[2] &&
      data[size - 1] == suffix[3]) {
    ref = kDataTypeRefOffset;
    size -= 4;
  }
  if (size == 0) return DataType::kInvalid;
  for (int n = kTypeWords.last[static_cast<unsigned char>(data[0])]; n != 0; n = kTypeWords.next[n]) {
    if (kTypeWords.size[n] != size || (upper && n >= kDataTypeCount)) continue;
    const char* name = kTypeWords.text[n];
    std::size_t i = 0;
    while (i < size &&
           data[i] == (upper && name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 32) : name[i]))
      ++i;
    if (i == size) return static_cast<DataType>(kTypeWords.type[n] + ref);
  }
  return DataType::kInvalid;
}

// Decodes C escapes one character after the other: \n, \', \101, \x41, \u00e9.
class EscapeReader {
 public:
  constexpr explicit EscapeReader(std::string_view raw) : raw_(raw) {}

  // False at the end and after a bad escape.
  constexpr bool Next(char* c) {
    if (pending_ > 0) {
      *c = utf8_[4 - pending_--];
      return true;
    }
    if (failed_ || at_ >= raw_.size()) return false;
    *c = raw_[at_++];
    if (*c != '\\') return true;
    if (at_ >= raw_.size()) return Fail();
    const char kind = raw_[at_++];
    switch (kind) {
      case 'a': *c = '\a'; return true;
      case 'b': *c = '\b'; return true;
      case 'f': *c = '\f'; return true;
      case 'n': *c = '\n'; return true;
      case 'r': *c = '\r'; return true;
      case 't': *c = '\t'; return true;
      case 'v': *c = '\v'; return true;
      case '\\':
      case '?':
      case '\'':
      case '"': *c = kind; return true;
      case 'x':
      case 'X': return Hex(c);
      case 'u': return Unicode(4, c);
      case 'U': return Unicode(8, c);
      default: return kind >= '0' && kind <= '7' ? Octal(kind, c) : Fail();
    }
  }
  constexpr bool failed() const { return failed_; }

 private:
  constexpr bool Fail() {
    failed_ = true;
    return false;
  }
  constexpr bool Octal(char first, char* c) {
    unsigned value = static_cast<unsigned>(first - '0');
    for (int i = 0; i < 2 && at_ < raw_.size() && raw_[at_] >= '0' && raw_[at_] <= '7'; ++i)
      value = value * 8 + static_cast<unsigned>(raw_[at_++] - '0');
    *c = static_cast<char>(value & 0xff);
    return value <= 0xff || Fail();
  }
  constexpr bool Hex(char* c) {
    if (at_ >= raw_.size() || HexDigit(raw_[at_]) < 0) return Fail();
    unsigned value = 0;
    for (; at_ < raw_.size() && HexDigit(raw_[at_]) >= 0; ++at_) {
      value = value * 16 + static_cast<unsigned>(HexDigit(raw_[at_]));
      if (value > 0xff) return Fail();
    }
    *c = static_cast<char>(value);
    return true;
  }
  // A code point as UTF-8.
  constexpr bool Unicode(int digits, char* c) {
    std::uint32_t rune = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      if (at_ >= raw_.size() || HexDigit(raw_[at_]) < 0 || rune > 0x10ffff) return Fail();
      rune = rune * 16 + static_cast<std::uint32_t>(HexDigit(raw_[at_]));
    }
    if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return Fail();
    const int size = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    for (int i = 3; i > 4 - size; --i, rune >>= 6) utf8_[i] = static_cast<char>(0x80 | (rune & 0x3f));
    constexpr unsigned char kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    utf8_[4 - size] = static_cast<char>(kLead[size] | rune);
    pending_ = size;
    return Next(c);
  }

  std::string_view raw_;
  std::size_t at_ = 0;
  int pending_ = 0;  // bytes of utf8_ still to give
  char utf8_[4] = {};
  bool failed_ = false;
};

// Whether two texts with escapes mean the same bytes.
constexpr bool SameUnescaped(std::string_view a, std::string_view b) {
  EscapeReader left(a), right(b);
  for (;;) {
    char x = 0, y = 0;
    const bool more_left = left.Next(&x), more_right = right.Next(&y);
    if (more_left != more_right || x != y) return false;
    if (!more_left) return true;
  }
}

// The text between quotes at the cursor, still with its escapes; escapes may hide the quote.
constexpr bool EatQuoted(TextCursor* in, std::string_view* raw) {
  const char quote = in->peek();
  if (quote != '"' && quote != '\'') return false;
  const std::size_t begin = in->at + 1;
  std::size_t end = begin;
  while (end < in->size && in->data[end] != quote) end += in->data[end] == '\\' ? 2 : 1;
  if (end >= in->size) return false;
  *raw = {in->data + begin, end - begin};
  in->at = end + 1;
  return true;
}
constexpr bool ValidEscapes(std::string_view raw) {
  const char* data = raw.data();
  std::size_t i = 0;
  while (i < raw.size() && data[i] != '\\') ++i;
  if (i == raw.size()) return true;
  EscapeReader escapes(raw);
  for (char c = 0; escapes.Next(&c);) {
  }
  return !escapes.failed();
}

constexpr bool ReadDecimal(std::string_view text, std::int64_t* value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p == end) return false;
  const std::uint64_t limit = std::uint64_t{INT64_MAX} + (negative ? 1 : 0);
  std::uint64_t v = 0;
  for (; p != end; ++p) {
    if (*p < '0' || *p > '9') return false;
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (v > (limit - digit) / 10) return false;
    v = v * 10 + digit;
  }
  *value = negative ? static_cast<std::int64_t>(0 - v) : static_cast<std::int64_t>(v);
  return true;
}

// "inf", "-Infinity", "nan": ignoring case, `word` in lower case.
constexpr bool SameIgnoringCase(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((IsLetter(text[i]) ? static_cast<char>(text[i] | 0x20) : text[i]) != word[i]) return false;
  return true;
}

// Whether the text is a float: decimal, hexadecimal ("0x1p3"), infinity or NaN.
constexpr bool LooksLikeFloat(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (SameIgnoringCase(text, "inf") || SameIgnoringCase(text, "infinity") || SameIgnoringCase(text, "nan")) return true;
  TextCursor in(text);
  const bool hex = in.Eat("0x") || in.Eat("0X");
  std::size_t digits = 0;
  for (bool point = false; hex ? HexDigit(in.peek()) >= 0 || (!point && in.peek() == '.')
                               : Is(in.peek(), point ? kDigitChar : kDigitChar | kDot);
       ++in.at) {
    if (in.peek() == '.')
      point = true;
    else
      ++digits;
  }
  if (digits == 0) return false;
  const char mark = in.peek();
  if (hex ? mark == 'p' || mark == 'P' : mark == 'e' || mark == 'E') {
    ++in.at;
    if (in.peek() == '-' || in.peek() == '+') ++in.at;
    if (in.EatWhile(kDigitChar).empty()) return false;
  }
  return in.done();
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
