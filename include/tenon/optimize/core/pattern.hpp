// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pattern: a part of a graph as text, read by the C++ compiler. Match: nodes of a graph that a pattern fits.
//
//   x, scale      any value; one name twice: one value. Names begin with a small letter
//   #c            a value that is constant
//   _             any value
//   0.5           a constant, all of whose elements have this value
//   Neg(x)        output 0 of a Neg; Add|AddV2(x, y): of one of these ops
//   Mul~(x, 2)    inputs in either order
//   !MatMul(...)  only this match reads the node
//   p:MatMul(...), c:1   names the node or the constant
//   MatMul[transpose_a=false](a, b)   attrs that have these values
//   AddN(x, ...)  further inputs of any kind

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The kind and the numbers of a term of a pattern, without its texts.
struct PatternTermFlags {
  enum class Kind : std::uint8_t { kAny, kValue, kNumber, kOp };
  Kind kind = Kind::kAny;
  bool commutes = false;
  bool only_reader = false;
  bool more_inputs = false;
  bool constant = false;
  std::int8_t slot = -1;  // place of its name among the pattern's names; -1: none
  std::int8_t num_inputs = 0;
  std::int8_t end = 0;  // past its inputs
};
// One term of a pattern; its inputs follow it.
struct PatternTerm : PatternTermFlags {
  std::string_view ops;    // "Add|AddV2"
  std::string_view attrs;  // "transpose_a=false,T=DT_FLOAT|DT_HALF"
  double number = 0;
};

namespace detail {
// Not constexpr: calling one of them in a pattern is a compile error that names it.
inline void pattern_error_term_expected() {}
inline void pattern_error_too_large() {}
inline void pattern_error_text_after_the_end() {}
}  // namespace detail

// immutable. A mistake in the text is a compile error.
//
//   constexpr Pattern kTwice = "Neg(Neg(x))";
struct Pattern {
  static constexpr int kMostTerms = 24, kMostNames = 10;

  constexpr Pattern() = default;
  consteval Pattern(const char* text) : Pattern(std::string_view(text), kParse) {}
  // Reads a text that the compiler has checked.
  static constexpr Pattern Read(std::string_view text) { return Pattern(text, kParse); }

  constexpr bool empty() const { return size == 0; }
  constexpr PatternTerm term(int i) const {
    const Stored& at = terms_[i];
    PatternTerm term;
    static_cast<PatternTermFlags&>(term) = at.plain;
    term.ops = at.ops.Of(text_);
    term.attrs = at.attrs.Of(text_);
    if (at.number >= 0) term.number = numbers_[at.number];
    return term;
  }
  constexpr std::string_view name(int slot) const { return names_[slot].Of(text_); }
  // Place of a name; -1: the pattern does not have it.
  constexpr int SlotOf(std::string_view name) const {
    for (int i = 0; i < num_names; ++i)
      if (this->name(i) == name) return i;
    return -1;
  }
  std::string_view text() const { return text_; }

  std::int8_t size = 0, num_names = 0;

 private:
  // A program holds the patterns of all its rules: places in the text take a quarter of the room of views.
  struct Place {
    std::uint16_t begin = 0;
    std::uint8_t size = 0;

    constexpr std::string_view Of(std::string_view text) const { return text.substr(begin, size); }
  };
  struct Stored {
    PatternTermFlags plain;
    std::int8_t number = -1;  // its place among the numbers
    Place ops, attrs;
  };
  static constexpr int kMostNumbers = 8;

  enum ParseTag { kParse };
  constexpr Pattern(std::string_view text, ParseTag) : text_(text) {
    if (text_.empty()) return;
    Term();
    if (at_ != text_.size()) detail::pattern_error_text_after_the_end();
  }
  static constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }
  static constexpr bool IsWord(char c) { return IsDigit(c) || IsSmall(c) || (c >= 'A' && c <= 'Z') || c == '_'; }
  constexpr char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  constexpr void SkipSpace() {
    while (peek() == ' ') ++at_;
  }
  constexpr bool Eat(char c) {
    SkipSpace();
    if (peek() != c) return false;
    ++at_;
    SkipSpace();
    return true;
  }
  constexpr std::string_view Word() {
    const std::size_t begin = at_;
    while (IsWord(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  constexpr std::int8_t Name(std::string_view name) {
    int slot = SlotOf(name);
    if (slot < 0) {
      if (num_names == kMostNames) detail::pattern_error_too_large();
      slot = num_names;
      ++num_names;
      names_[slot] = PlaceOf(static_cast<std::size_t>(name.data() - text_.data()), name.size());
    }
    return static_cast<std::int8_t>(slot);
  }
  constexpr double Number() {
    const bool negative = Eat('-');
    double value = 0, unit = 1;
    for (; IsDigit(peek()); ++at_) value = 10 * value + (peek() - '0');
    if (Eat('.'))
      for (; IsDigit(peek()); ++at_) value += (peek() - '0') * (unit /= 10);
    return negative ? -value : value;
  }
  constexpr void Term() {
    if (size == kMostTerms) detail::pattern_error_too_large();
    const std::int8_t number = size++;
    Stored term;
    term.plain.only_reader = Eat('!');
    term.plain.constant = Eat('#');
    if (IsSmall(peek())) {
      term.plain.kind = PatternTerm::Kind::kValue;
      term.plain.slot = Name(Word());
      if (Eat(':')) NumberOrOp(&term);
    } else if (IsDigit(peek()) || peek() == '-') {
      NumberOrOp(&term);
    } else if (peek() == '_' && !IsWord(peek(1))) {
      ++at_;
    } else {
      Op(&term);
    }
    SkipSpace();
    term.plain.end = static_cast<std::int8_t>(size);
    terms_[number] = term;
  }
  constexpr void NumberOrOp(Stored* term) {
    if (!IsDigit(peek()) && peek() != '-') return Op(term);
    term->plain.kind = PatternTerm::Kind::kNumber;
    if (num_numbers_ == kMostNumbers) detail::pattern_error_too_large();
    term->number = num_numbers_++;
    numbers_[term->number] = Number();
  }
  constexpr void Op(Stored* term) {
    term->plain.kind = PatternTerm::Kind::kOp;
    const std::size_t begin = at_;
    do {
      if (Word().empty()) detail::pattern_error_term_expected();
    } while (peek() == '|' && ++at_ != 0);
    term->ops = PlaceOf(begin, at_ - begin);
    term->plain.commutes = Eat('~');
    if (Eat('[')) {
      const std::size_t from = at_;
      while (peek() != ']' && peek() != '\0') ++at_;
      term->attrs = PlaceOf(from, at_ - from);
      if (!Eat(']')) detail::pattern_error_term_expected();
    }
    if (!Eat('(')) return;
    if (Eat(')')) return;
    do {
      if (peek() == '.' && peek(1) == '.' && peek(2) == '.') {
        at_ += 3;
        term->plain.more_inputs = true;
        break;
      }
      ++term->plain.num_inputs;
      Term();
    } while (Eat(','));
    if (!Eat(')')) detail::pattern_error_term_expected();
  }

  static constexpr Place PlaceOf(std::size_t begin, std::size_t size) {
    if (begin > UINT16_MAX || size > UINT8_MAX) detail::pattern_error_too_large();
    return {static_cast<std::uint16_t>(begin), static_cast<std::uint8_t>(size)};
  }

  std::string_view text_;
  Stored terms_[kMostTerms];
  Place names_[kMostNames];
  double numbers_[kMostNumbers] = {};
  std::uint16_t at_ = 0;
  std::int8_t num_numbers_ = 0;
};

// A pattern that a program holds as its text, which the compiler has checked: a pattern takes forty times the room.
struct PatternText {
  constexpr PatternText() = default;
  consteval PatternText(const char* from) : text(from) { static_cast<void>(Pattern(from)); }

  constexpr bool empty() const { return text.empty(); }
  constexpr Pattern Read() const { return Pattern::Read(text); }

  std::string_view text;
};

// Calls visit(part) for the parts of a list like "Add|AddV2"; true: some call returned true.
template <class Visit>
constexpr bool AnyPart(std::string_view list, char separator, Visit&& visit) {
  while (!list.empty()) {
    const std::size_t end = list.find(separator);
    if (visit(list.substr(0, end))) return true;
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
