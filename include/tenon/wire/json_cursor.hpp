// SPDX-License-Identifier: Apache-2.0
#pragma once
// JsonCursor: tokens of JSON, and the place of the first mistake.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/str.hpp>
#include <tenon/wire/text_runs.hpp>
#include <tenon/wire/utf8.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace wire {
namespace detail {

struct JsonMistake {
  std::size_t line = 1, column = 1;  // a column is a byte
  std::size_t offset = 0;
  bool has_place = true;  // false where protobuf does not name the place
  std::string what;
};

// one thread. Borrows the text. The first mistake is kept; functions return false for it.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  // Skips blanks. Returns the next character, '\0' at the end.
  char Peek() {
    if (at_ != end_ && *at_ > ' ') return *at_;
    for (; (at_ = BehindBlanks(at_, end_)) != end_; ++at_) {
      if (*at_ != ' ' && *at_ != '\n' && *at_ != '\t' && *at_ != '\r') return *at_;
    }
    return '\0';
  }
  bool TryEat(char c) {
    if (Peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  bool Eat(char c) {
    if (TryEat(c)) return true;
    if (at_ == end_) return FailEnd();
    if (at_ == begin_ && *at_ == kByteOrderMark)
      return Fail(at_, "unexpected byte order mark in front of the text; write the text without it");
    return Fail(at_,
                StrCat("unexpected character: '", std::string_view(at_, 1), "'; expected '", std::string(1, c), "'"));
  }
  bool EatWord(std::string_view word) {
    if (Peek() != word[0] || !rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // Eats a comma, or is at the bracket that closes the list.
  bool EndsItem(char close) {
    const char next = Peek();
    if (next == ',') ++at_;
    return next == ',' || next == close || (at_ == end_ ? FailEnd() : Fail(at_, "expected ','"));
  }
  // Is the rest blank?
  bool Ends() {
    Peek();
    return at_ == end_ || Fail(at_, "extraneous characters after end of JSON object", "", false);
  }
  const char* at() const { return at_; }
  void Reset(const char* at) { at_ = at; }

  // Reads a text in either quotes. *text is a view of the input, or of the cursor until the next call.
  bool ReadText(std::string_view* text) {
    const char quote = Peek();
    const char* const start = at_;
    if (quote != '"' && quote != '\'') return Eat('"');
    const char* plain = ++at_;  // up to here it is in `decoded_`
    decoded_.clear();
    for (;;) {
      at_ = BehindPlain(at_, end_);
      if (at_ == end_) return FailEnd();
      if (*at_ == quote) break;
      if (*at_ == '\\') {
        decoded_.append(plain, at_);
        if (!ReadEscape()) return false;
        plain = at_;
        continue;
      }
      const std::size_t size = Utf8Size(rest());
      if (size == 0) return Fail(start, "invalid UTF-8 in string");
      at_ += size;
    }
    *text = {plain, static_cast<std::size_t>(at_ - plain)};
    if (plain != start + 1) *text = decoded_.append(*text);
    ++at_;
    return true;
  }
  // Reads a text, or a word without quotes.
  bool ReadName(std::string_view* name) {
    const char first = Peek();
    if (first == '"' || first == '\'') return ReadText(name);
    const char* const start = at_;
    while (at_ != end_ && (IsLetter(*at_) || (at_ != start && IsDigit(*at_)))) ++at_;
    *name = {start, static_cast<std::size_t>(at_ - start)};
    if (at_ == end_) return FailEnd();
    return (!name->empty() && *name != "null" && *name != "true" && *name != "false") ||
           Fail(start, "expected bare word");
  }
  // Reads the digits of a number, or a text that should be one.
  bool ReadNumberText(std::string_view* text) {
    const char first = Peek();
    const char* const start = at_;
    if (first == '"' || first == '\'') return ReadText(text);
    if (at_ == end_) return FailEnd();
    if (first == 't' || first == 'f' || first == '{' || first == 'n') return Fail(at_, "expected number or string");
    if (first != '-' && !IsDigit(first))
      return Fail(at_, StrCat("unexpected character: '", std::string_view(at_, 1), "'"));
    if (first == '-') ++at_;
    const char* const whole = at_;
    if (!SkipDigits()) return Fail(start, "expected a number");
    if (*whole == '0' && at_ > whole + 1) return Fail(start, "number cannot have extraneous leading zero");
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!SkipDigits()) return Fail(start, "number cannot have trailing period");
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!SkipDigits()) return Fail(start, "number has an empty exponent");
    }
    *text = {start, static_cast<std::size_t>(at_ - start)};
    return true;
  }
  // False: the text is not a number. Too large is infinite, too small zero.
  static bool ToDouble(std::string_view text, double* value) {
#if defined(__cpp_lib_to_chars)
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error == std::errc() && end == text.data() + text.size()) return true;
#endif
    return ParseDouble(text, value);
  }

  // Records the mistake and returns false. `hint` stands behind it.
  TENON_DETAIL_COLD bool Fail(const char* where, std::string_view what, std::string_view hint = "",
                              bool has_place = true) {
    mistake_ = {1, 1, static_cast<std::size_t>(where - begin_), has_place, StrCat(what, hint)};
    for (const char* p = begin_; p != where; ++p) {
      mistake_.column = *p == '\n' ? 1 : mistake_.column + 1;
      mistake_.line += *p == '\n' ? 1 : 0;
    }
    return false;
  }
  const JsonMistake& mistake() const { return mistake_; }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool SkipDigits() {
    const char* const start = at_;
    while (at_ != end_ && IsDigit(*at_)) ++at_;
    return at_ != start;
  }
  TENON_DETAIL_COLD bool FailEnd() { return Fail(end_, "unexpected EOF", "", false); }

  // At a backslash. Appends to `decoded_`.
  bool ReadEscape() {
    constexpr std::string_view kLetters = "\"\\/bfnrt'", kMeanings = "\"\\/\b\f\n\r\t'";
    if (++at_ == end_) return FailEnd();
    const char c = *at_++;
    if (const std::size_t i = kLetters.find(c); i != std::string_view::npos) {
      decoded_.push_back(kMeanings[i]);
      return true;
    }
    std::uint32_t code = 0, low = 0;
    if (c != 'u') return Fail(at_ - 1, StrCat("invalid escape char: '", std::string(1, c), "'"));
    if (!ReadHex(&code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return Fail(at_, "unpaired low surrogate");
    if (code >= 0xd800 && code < 0xdc00) {
      if (!rest().starts_with("\\u")) return Fail(at_, "unpaired high surrogate; expected '\\u'");
      at_ += 2;
      if (!ReadHex(&low)) return false;
      if (low < 0xdc00 || low >= 0xe000) return Fail(at_, "invalid low surrogate");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(code, &decoded_);
    return true;
  }
  bool ReadHex(std::uint32_t* code) {
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ == end_) return FailEnd();
      const char c = *at_;
      const int digit = IsDigit(c)             ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return Fail(at_, "invalid Unicode escape");
      *code = *code << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string decoded_;
  JsonMistake mistake_;
};

}  // namespace detail
}  // namespace wire

TENON_DETAIL_NAMESPACE_END
