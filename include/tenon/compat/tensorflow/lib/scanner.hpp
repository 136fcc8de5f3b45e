// SPDX-License-Identifier: Apache-2.0
#pragma once
// strings::Scanner: takes text apart from its front.

#include <cctype>
#include <cstddef>

#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {
namespace strings {

// After a mistake, nothing more is read and GetResult is false. one thread.
//
//   StringPiece name, rest;
//   if (Scanner(text).One(Scanner::LETTER).Any(Scanner::LETTER_DIGIT).StopCapture().OneLiteral("=").GetResult(&rest,
//   &name))
class Scanner {
 public:
  enum CharClass {
    ALL,
    DIGIT,
    LETTER,
    LETTER_DIGIT,
    LETTER_DIGIT_DASH_UNDERSCORE,
    LETTER_DIGIT_DASH_DOT_SLASH,
    LETTER_DIGIT_DASH_DOT_SLASH_UNDERSCORE,
    LETTER_DIGIT_DOT,
    LETTER_DIGIT_DOT_PLUS_MINUS,
    LETTER_DIGIT_DOT_UNDERSCORE,
    LETTER_DIGIT_UNDERSCORE,
    LOWERLETTER,
    LOWERLETTER_DIGIT,
    LOWERLETTER_DIGIT_UNDERSCORE,
    NON_ZERO_DIGIT,
    SPACE,
    UPPERLETTER,
    RANGLE
  };
  explicit Scanner(StringPiece text) : rest_(text), capture_(text.data()) {}

  // One character of the class; a mistake if there is none.
  Scanner& One(CharClass kind) {
    if (rest_.empty() || !Matches(kind, rest_.front())) return Fail();
    rest_.remove_prefix(1);
    return *this;
  }
  Scanner& ZeroOrOneLiteral(StringPiece text) {
    if (rest_.starts_with(text)) rest_.remove_prefix(text.size());
    return *this;
  }
  Scanner& OneLiteral(StringPiece text) {
    if (!rest_.starts_with(text)) return Fail();
    rest_.remove_prefix(text.size());
    return *this;
  }
  Scanner& Any(CharClass kind) {
    while (!rest_.empty() && Matches(kind, rest_.front())) rest_.remove_prefix(1);
    return *this;
  }
  Scanner& Many(CharClass kind) { return One(kind).Any(kind); }
  Scanner& AnySpace() { return Any(SPACE); }
  // The text that GetResult gives starts here. It ends at StopCapture, or where reading has come to.
  Scanner& RestartCapture() {
    capture_ = rest_.data();
    capture_end_ = nullptr;
    return *this;
  }
  Scanner& StopCapture() {
    capture_end_ = rest_.data();
    return *this;
  }
  Scanner& Eos() { return rest_.empty() ? *this : Fail(); }
  // Reads up to the character, which stays; a mistake if it does not come.
  Scanner& ScanUntil(char end) { return Until(end, false); }
  // A character behind a backslash is not the end.
  Scanner& ScanEscapedUntil(char end) { return Until(end, true); }
  char Peek(char at_end = '\0') const { return rest_.empty() ? at_end : rest_.front(); }
  bool empty() const { return rest_.empty(); }
  bool GetResult(StringPiece* remaining = nullptr, StringPiece* capture = nullptr) {
    if (failed_) return false;
    if (remaining != nullptr) *remaining = rest_;
    if (capture != nullptr) {
      const char* const end = capture_end_ == nullptr ? rest_.data() : capture_end_;
      *capture = StringPiece(capture_, static_cast<std::size_t>(end - capture_));
    }
    return true;
  }

 private:
  Scanner& Fail() {
    failed_ = true;
    return *this;
  }
  Scanner& Until(char end, bool escaped) {
    while (!rest_.empty() && rest_.front() != end) {
      if (escaped && rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      rest_.remove_prefix(1);
    }
    return rest_.empty() ? Fail() : *this;
  }
  static bool Matches(CharClass kind, char c) {
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9';
    const bool either = lower || upper || digit;
    switch (kind) {
      case ALL: return true;
      case DIGIT: return digit;
      case LETTER: return lower || upper;
      case LETTER_DIGIT: return either;
      case LETTER_DIGIT_DASH_UNDERSCORE: return either || c == '-' || c == '_';
      case LETTER_DIGIT_DASH_DOT_SLASH: return either || c == '-' || c == '.' || c == '/';
      case LETTER_DIGIT_DASH_DOT_SLASH_UNDERSCORE: return either || c == '-' || c == '.' || c == '/' || c == '_';
      case LETTER_DIGIT_DOT: return either || c == '.';
      case LETTER_DIGIT_DOT_PLUS_MINUS: return either || c == '.' || c == '+' || c == '-';
      case LETTER_DIGIT_DOT_UNDERSCORE: return either || c == '.' || c == '_';
      case LETTER_DIGIT_UNDERSCORE: return either || c == '_';
      case LOWERLETTER: return lower;
      case LOWERLETTER_DIGIT: return lower || digit;
      case LOWERLETTER_DIGIT_UNDERSCORE: return lower || digit || c == '_';
      case NON_ZERO_DIGIT: return digit && c != '0';
      case SPACE: return std::isspace(static_cast<unsigned char>(c)) != 0;
      case UPPERLETTER: return upper;
      case RANGLE: return c == '>';
    }
    return false;
  }
  StringPiece rest_;
  const char* capture_;
  const char* capture_end_ = nullptr;
  bool failed_ = false;
};

}  // namespace strings
}  // namespace tensorflow
