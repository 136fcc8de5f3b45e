// SPDX-License-Identifier: Apache-2.0
#pragma once
// TextCursor: tokens of protobuf's text format. Blanks, comments, names, numbers and quoted text; and the line and
// column of the first mistake.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/text_runs.hpp>
#include <tenon/wire/text_sink.hpp>
#include <tenon/wire/utf8.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace wire {

// one thread. Borrows the text. The first mistake is kept; functions return false for it.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  // Skips blanks and comments. Returns the next character, '\0' at the end (AtEnd tells it from one in the text).
  char Peek() {
    if (at_ != end_ && *at_ > ' ' && *at_ != '#') return *at_;
    return SkipBlanks();
  }
  bool AtEnd() const { return at_ == end_; }
  bool IsAtBegin() const { return at_ == begin_; }
  bool TryEat(char c) {
    if (Peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  // Letters, digits and '_' from here on; "" when there are none.
  std::string_view Word() {
    const char* const start = at_;
    at_ = detail::BehindWord(at_, end_);
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  const char* at() const { return at_; }
  // Goes back to a place that at() returned.
  void Reset(const char* at) { at_ = at; }

  // A decimal, hexadecimal (0x) or octal (0) number without a sign, of the value `limit` at most.
  bool ReadUnsigned(std::uint64_t limit, std::uint64_t* value) {
    const char* const start = at_;
    const std::string_view word = Word();
    if (word.empty() || !IsDigit(word[0])) return FailToken(start, "an integer");
    if (at_ != end_ && *at_ == '.') return FailNumber(start, "is not an integer");
    int base = 10;
    std::string_view digits = word;
    if (word.size() > 1 && word[0] == '0') {
      base = word[1] == 'x' || word[1] == 'X' ? 16 : 8;
      digits.remove_prefix(base == 16 ? 2 : 1);
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *value, base);
    if (end != digits.data() + digits.size() || digits.empty())
      return FailNumber(start, base == 8 ? "is not an integer: a 0 in front means octal digits" : "is not an integer");
    if (error != std::errc() || *value > limit) return FailNumber(start, StrCat("is out of range; at most ", limit));
    return true;
  }
  // Within -limit - 1 and limit.
  bool ReadSigned(std::uint64_t limit, std::int64_t* value) {
    const bool negative = TryEat('-');
    if (negative) Peek();
    std::uint64_t magnitude;
    if (!ReadUnsigned(negative ? limit + 1 : limit, &magnitude)) return false;
    *value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    return true;
  }
  // Digits with '.' and exponent; inf, infinity and nan in any case. A suffix f is allowed.
  bool ReadDouble(double* value) {
    const bool negative = TryEat('-');
    if (negative) Peek();
    const char* const start = at_;
    if (at_ != end_ && IsLetter(*at_)) {
      if (!NumberFromWord(Word(), value)) return FailToken(start, "a number");
    } else {
      const char* p = at_;
      bool digits = false;
      for (; p != end_ && IsDigit(*p); ++p) digits = true;
      const std::size_t whole = static_cast<std::size_t>(p - at_);
      if (p != end_ && *p == '.')
        for (++p; p != end_ && IsDigit(*p); ++p) digits = true;
      const bool is_octal = whole > 1 && *start == '0';
      if (!digits) return FailToken(start, "a number");
      if (p != end_ && (*p == 'e' || *p == 'E')) {
        ++p;
        if (p != end_ && (*p == '+' || *p == '-')) ++p;
        const char* const exponent = p;
        while (p != end_ && IsDigit(*p)) ++p;
        if (p == exponent) return FailNumber(start, "has no digits behind its exponent");
      }
      const std::string_view number(start, static_cast<std::size_t>(p - start));
      if (p != end_ && (*p == 'f' || *p == 'F')) ++p;
      at_ = p;
      if (p != end_ && (IsLetter(*p) || IsDigit(*p) || *p == '.'))
        return FailNumber(start, "is not a decimal number; a blank would be right before what follows a number");
      if (is_octal) return FailNumber(start, "is octal, and a decimal number is wanted");
      *value = ToDouble(number);
    }
    if (negative) *value = -*value;
    return true;
  }

  // One text in either quotes, without the quotes that follow it. Appends its bytes. Sets *plain to false where they
  // may be other than ASCII.
  bool ReadQuoted(TextSink* sink, bool* plain = nullptr) {
    const char* const start = at_;
    const char quote = *at_++;
    const char* p = detail::BehindPlain(at_, end_);
    if (p != end_ && *p == quote) {  // without escapes
      sink->Bytes({at_, static_cast<std::size_t>(p - at_)});
      at_ = p + 1;
      return true;
    }
    if (plain != nullptr) *plain = false;
    char *to = nullptr, *limit = nullptr;
    for (p = at_;;) {
      if (to >= limit) [[unlikely]] {
        if (to != nullptr) sink->Commit(to);
        to = sink->Room(kRoom + kMostOfEscape);
        limit = to + kRoom;
      }
      if (p == end_ || *p == '\n') [[unlikely]] {
        at_ = p;
        return Fail(start, StrCat("the text that begins here has no ", quote == '"' ? "\"" : "'",
                                  " at its end; a line break inside of it is written \\n"));
      }
      const char c = *p++;
      if (c == quote) {
        at_ = p;
        break;
      }
      if (c != '\\') {
        *to++ = c;
      } else if (end_ - p >= 3 && p[0] >= '0' && p[0] <= '3' && IsOctal(p[1]) && IsOctal(p[2])) {
        *to++ = static_cast<char>((p[0] - '0') << 6 | (p[1] - '0') << 3 | (p[2] - '0'));
        p += 3;
      } else {
        at_ = p - 1;
        char bytes[kMostOfEscape];
        std::size_t count = 0;
        if (!ReadEscape(bytes, &count)) return false;
        for (std::size_t i = 0; i < count; ++i) *to++ = bytes[i];
        p = at_;
      }
    }
    sink->Commit(to);
    return true;
  }

  // Records "line:column: what" and returns false.
  TENON_DETAIL_COLD bool Fail(const char* where, std::string_view what) {
    std::size_t line = 1;
    const char* start = begin_;
    for (const char* p = begin_; p != where; ++p) {
      if (*p == '\n') ++line, start = p + 1;
    }
    status_ = errors::InvalidArgument(line, ":", static_cast<std::size_t>(where - start) + 1, ": ", what);
    return false;
  }
  // The token at `where` is not what was expected.
  TENON_DETAIL_COLD bool FailToken(const char* where, std::string_view expected) {
    return Fail(where, StrCat("found ", TokenAt(where), ", expected ", expected));
  }
  TENON_DETAIL_COLD void SetStatus(Status status) { status_ = static_cast<Status&&>(status); }
  const Status& status() const { return status_; }

 private:
  static constexpr std::size_t kRoom = 256, kMostOfEscape = 4;

  char SkipBlanks() {
    for (; at_ != end_; ++at_) {
      at_ = detail::BehindBlanks(at_, end_);
      if (at_ == end_) break;
      const char c = *at_;
      if (c > ' ') {
        if (c != '#') [[likely]]
          return c;
        while (at_ + 1 != end_ && at_[1] != '\n') ++at_;
      } else if (c != ' ' && (c < '\t' || c > '\r')) {
        return c;
      }
    }
    return '\0';
  }

  static bool IsOctal(char c) { return c >= '0' && c <= '7'; }
  static int HexDigit(char c) {
    return IsDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }
  static bool NumberFromWord(std::string_view word, double* value) {
    if (word.ends_with('f') || word.ends_with('F')) {
      if (word.size() > 3) word.remove_suffix(1);  // "inf" ends with one, too
    }
    const auto is = [word](std::string_view name) {
      if (word.size() != name.size()) return false;
      for (std::size_t i = 0; i < name.size(); ++i)
        if ((word[i] | 0x20) != name[i]) return false;
      return true;
    };
    if (is("inf") || is("infinity")) {
      *value = std::numeric_limits<double>::infinity();
      return true;
    }
    *value = std::numeric_limits<double>::quiet_NaN();
    return is("nan");
  }
  // Too large is infinite, too small zero.
  static double ToDouble(std::string_view digits) {
#if defined(__cpp_lib_to_chars)
    double value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc()) return value;
#endif
    return std::strtod(std::string(digits).c_str(), nullptr);
  }

  // The text at `where` as an error names it: a word, a number, or one character.
  TENON_DETAIL_COLD std::string TokenAt(const char* where) const {
    if (where == end_) return "the end of the text";
    const char* p = where;
    while (p != end_ && (IsLetter(*p) || IsDigit(*p) || *p == '.' || (p != where && (*p == '+' || *p == '-'))) &&
           p - where < 40)
      ++p;
    if (p == where) ++p;
    return StrCat("'", CEscape(std::string_view(where, static_cast<std::size_t>(p - where))), "'");
  }
  TENON_DETAIL_COLD bool FailNumber(const char* where, std::string_view what) {
    return Fail(where, StrCat(TokenAt(where), " ", what));
  }

  // At a backslash.
  TENON_DETAIL_COLD bool ReadEscape(char* bytes, std::size_t* count) {
    constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeanings = "\a\b\f\n\r\t\v\\'\"";
    const char* const start = at_++;
    if (at_ == end_) return Fail(start, "the text ends behind a backslash");
    const char c = *at_;
    if (const std::size_t i = kLetters.find(c); i != std::string_view::npos) {
      ++at_;
      bytes[(*count)++] = kMeanings[i];
      return true;
    }
    if (c == '?') {  // two characters, as TensorFlow's Python API reads it; protobuf's C++ reads one
      ++at_;
      bytes[(*count)++] = '\\';
      bytes[(*count)++] = '?';
      return true;
    }
    std::uint32_t code = 0;
    if (IsOctal(c)) {
      for (int i = 0; i < 3 && at_ != end_ && IsOctal(*at_); ++i)
        code = code << 3 | static_cast<std::uint32_t>(*at_++ - '0');
      if (code > 0xff) return Fail(start, "an octal escape is a byte: at most \\377");
      bytes[(*count)++] = static_cast<char>(code);
      return true;
    }
    ++at_;
    if (c == 'x' || c == 'X') {
      if (ReadHex(2, &code) == 0) return Fail(start, "\\x has one or two hexadecimal digits");
      bytes[(*count)++] = static_cast<char>(code);
      return true;
    }
    if (c != 'u' && c != 'U')
      return Fail(start, StrCat("the escape '\\", CEscape(std::string_view(&c, 1)),
                                "' does not exist; a backslash itself is written \\\\"));
    const int digits = c == 'u' ? 4 : 8;
    if (ReadHex(digits, &code) != digits) return Fail(start, StrCat("\\", c, " has ", digits, " hexadecimal digits"));
    if (code >= 0xd800 && code < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
      std::uint32_t low = 0;
      at_ += 2;
      if (ReadHex(4, &low) == 4 && low >= 0xdc00 && low < 0xe000)
        code = 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return Fail(start, "there is no such Unicode character");
    std::string utf8;
    detail::AppendUtf8(code, &utf8);
    for (const char byte : utf8) bytes[(*count)++] = byte;
    return true;
  }
  // Up to `most` digits; returns how many there were.
  int ReadHex(int most, std::uint32_t* code) {
    int count = 0;
    for (; count < most && at_ != end_ && HexDigit(*at_) >= 0; ++at_, ++count)
      *code = *code << 4 | static_cast<std::uint32_t>(HexDigit(*at_));
    return count;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  Status status_;
};

}  // namespace wire

TENON_DETAIL_NAMESPACE_END
