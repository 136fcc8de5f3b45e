// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShapeText: a TensorShapeProto in protobuf's text format, as the default of a shape attr holds it, read size by size.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/op/spec_text.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

// "{ dim { size: 2 } dim { size: -1 } }" gives 2 and -1, an unknown size; "{ unknown_rank: true }" gives none.
// constexpr, without allocation.
//   ShapeText shape(text);  std::int64_t size;  while (shape.Next(&size)) ...;  if (shape.failed()) ...
class ShapeText {
 public:
  constexpr explicit ShapeText(std::string_view block) : in_(block) { close_ = Open(); }

  constexpr bool Next(std::int64_t* size) {
    while (close_ != '\0') {
      in_.SkipSpaceAndComments();
      if (in_list_ && in_.Eat(']')) {
        in_list_ = false;
      } else if (in_.Eat(',') || (!in_list_ && in_.Eat(';'))) {
      } else if (in_list_) {
        return Dim(size) || Fail();
      } else if (in_.Eat(close_)) {
        return close_ = '\0', false;
      } else {
        const std::string_view field = Field();
        if (field == "dim") {
          in_list_ = in_.Eat('[');
          if (!in_list_) return Dim(size) || Fail();
        } else if (field.empty() || !(field == "unknown_rank" ? Flag(&unknown_rank_) : Skip())) {
          return Fail();
        }
      }
    }
    return false;
  }
  // Both say so at the end.
  constexpr bool failed() const { return failed_; }
  constexpr bool unknown_rank() const { return unknown_rank_; }

 private:
  constexpr bool Fail() {
    failed_ = true;
    close_ = '\0';
    return false;
  }
  // What closes the message that begins here; a zero when none does.
  constexpr char Open() {
    in_.SkipSpaceAndComments();
    const char close = in_.Eat('{') ? '}' : in_.Eat('<') ? '>' : '\0';
    failed_ = failed_ || close == '\0';
    return close;
  }
  // A name and, if there is one, its colon.
  constexpr std::string_view Field() {
    const std::string_view name = in_.EatWhile(kWordChars);
    in_.SkipSpaceAndComments();
    (void)in_.Eat(':');
    in_.SkipSpaceAndComments();
    return name;
  }
  constexpr bool Flag(bool* flag) {
    const std::string_view word = in_.EatWhile(kWordChars);
    *flag = word == "true" || word == "True" || word == "t" || word == "1";
    return *flag || word == "false" || word == "False" || word == "f" || word == "0";
  }
  constexpr bool Dim(std::int64_t* size) {
    *size = 0;
    const char close = Open();
    while (close != '\0') {
      in_.SkipSpaceAndComments();
      if (in_.Eat(',') || in_.Eat(';')) continue;
      if (in_.Eat(close)) return true;
      const std::string_view field = Field();
      if (field.empty() || !(field == "size" ? Integer(size) : field == "name" ? Text() : Skip())) return false;
    }
    return false;
  }
  constexpr bool Text() {
    std::string_view raw;
    if (!EatQuoted(&in_, &raw)) return false;
    for (in_.SkipSpaceAndComments(); in_.peek() == '"' || in_.peek() == '\''; in_.SkipSpaceAndComments())
      if (!EatQuoted(&in_, &raw)) return false;
    return true;
  }
  // The value of a field that a shape does not have: TensorFlow ignores such fields.
  constexpr bool Skip() {
    if (in_.peek() == '"' || in_.peek() == '\'') return Text();
    const std::size_t begin = in_.at;
    std::size_t depth = 0;
    do {
      const char c = in_.peek();
      if (c == '{' || c == '<' || c == '[') {
        ++depth;
      } else if (depth > 0 && (c == '}' || c == '>' || c == ']')) {
        --depth;
      } else if (depth > 0 && (c == '"' || c == '\'')) {
        if (!Text()) return false;
        continue;
      } else if (depth == 0 || in_.done()) {
        break;
      }
      ++in_.at;
    } while (depth > 0);
    return depth == 0 && (in_.at > begin || !in_.EatWhile(kNumberChars | kWordChars).empty());
  }
  // Decimal, octal or hexadecimal.
  constexpr bool Integer(std::int64_t* out) {
    const bool negative = in_.Eat('-');
    in_.SkipSpaceAndComments();
    std::string_view word = in_.EatWhile(kWordChars);
    const bool hexadecimal = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    const unsigned base = hexadecimal ? 16 : word.size() > 1 && word[0] == '0' ? 8 : 10;
    if (hexadecimal) word.remove_prefix(2);
    const std::uint64_t most = static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    std::uint64_t value = 0;
    for (const char c : word) {
      const unsigned digit = Digit(c);
      if (digit >= base || value > (most - digit) / base) return false;
      value = value * base + digit;
    }
    *out = negative ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
    return !word.empty();
  }
  static constexpr unsigned Digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10 : 99;
  }

  TextCursor in_;
  char close_ = '\0';
  bool in_list_ = false, failed_ = false, unknown_rank_ = false;
};

constexpr bool IsShapeText(std::string_view block) {
  ShapeText shape(block);
  for (std::int64_t size = 0; shape.Next(&size);) {
  }
  return !shape.failed();
}

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
