// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values that a spec string holds: its default (DefaultReader) and what it allows (AllowedReader), read one by one
// in the order of the source. constexpr, without allocation.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/spec.hpp>
#include <tenon/op/signature/spec_text.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// One value of a default. Which member counts follows from the attr's kind.
struct SpecValue {
  std::int64_t i = 0;  // kInt, and kBool as 0 or 1
  DataType type{};  // kType; any number may stand in a spec
  std::string_view
      text;  // kString: between the quotes, with escapes; kFloat: the digits; kShape, kTensor, kFunc: "{ ... }"
};

// Reads the values of a default one by one, with the grammar of TensorFlow's own text reader. A scalar has one value.
//   DefaultReader values(spec);  SpecValue v;  while (values.Next(&v)) ...;  if (values.failed()) ...
class DefaultReader {
 public:
  constexpr DefaultReader(AttrKind kind, bool is_list, std::string_view text)
      : kind_(kind), is_list_(is_list), in_(text) {}
  constexpr explicit DefaultReader(const AttrSpec& spec)
      : DefaultReader(spec.kind, spec.is_list, spec.default_text()) {}

  constexpr bool Next(SpecValue* value) {
    if (state_ == kEnd) return false;
    if (is_list_ && state_ == kStart) {
      in_.SkipSpace();
      while (in_.size > 0 && detail::IsSpace(in_.data[in_.size - 1])) --in_.size;
      if (in_.peek() != '[' || in_.size < in_.at + 2 || in_.data[in_.size - 1] != ']') return Fail();
      ++in_.at;
      in_.SkipSpace();
      if (in_.at + 1 == in_.size) return End();
    } else if (is_list_) {
      if (in_.Eat(']')) return in_.done() ? End() : Fail();
      if (!in_.Eat(',')) return Fail();
    } else if (state_ != kStart) {
      return TrailingWordsOnly() ? End() : Fail();
    }
    state_ = kMiddle;
    in_.SkipSpaceAndComments();
    return ReadValue(value) || Fail();
  }
  constexpr bool failed() const { return failed_; }

 private:
  enum State : std::uint8_t { kStart, kMiddle, kEnd };

  constexpr bool End() {
    state_ = kEnd;
    return false;
  }
  constexpr bool Fail() {
    failed_ = true;
    return End();
  }
  constexpr bool ReadValue(SpecValue* value) {
    switch (kind_) {
      case AttrKind::kString:
        if (!detail::EatQuoted(&in_, &value->text) || !detail::ValidEscapes(value->text)) return false;
        break;
      case AttrKind::kInt: {
        const std::string_view digits = Number();
        if (!OneLeadingZeroAtMost(digits) || !detail::ReadDecimal(digits, &value->i)) return false;
        break;
      }
      case AttrKind::kFloat:
        value->text = Number();
        if (!OneLeadingZeroAtMost(value->text) || !detail::LooksLikeFloat(value->text)) return false;
        break;
      case AttrKind::kBool: {
        const std::string_view word = in_.EatWhile(detail::kLetterChars | detail::kDigitChar);
        value->i =
            detail::SameText(word, "true", 4) || detail::SameText(word, "True", 4) || detail::SameText(word, "1", 1);
        if (value->i == 0 && !detail::SameText(word, "false", 5) && !detail::SameText(word, "False", 5) &&
            !detail::SameText(word, "0", 1))
          return false;
        break;
      }
      case AttrKind::kType: return ReadType(value);  // no blanks are skipped behind it: TensorFlow's reader does not
      default:
        if (!EatBlock(&value->text)) return false;
    }
    in_.SkipSpaceAndComments();
    return true;
  }
  constexpr bool ReadType(SpecValue* value) {
    const std::string_view word = in_.EatWhile(detail::kWordChars | detail::kDash);
    value->type = DataType::kInvalid;
    if (word.size() > 3 && word[0] == 'D' && word[1] == 'T' && word[2] == '_') {
      value->type = detail::FindType(word.data() + 3, word.size() - 3, true);
      return value->type != DataType::kInvalid || word == "DT_INVALID";
    }
    std::int64_t number = 0;
    if (!detail::ReadDecimal(word, &number) || number < INT32_MIN || number > INT32_MAX) return false;
    value->type = static_cast<DataType>(number);
    return true;
  }
  // "{ ... }" or "< ... >" up to its end; what is inside is read at run time.
  constexpr bool EatBlock(std::string_view* block) {
    const std::size_t begin = in_.at;
    char closing[99] = {};  // TensorFlow refuses what is nested 100 times
    std::size_t depth = 0;
    do {
      const char c = in_.peek();
      if (c == '{' || c == '<' || (c == '[' && depth > 0)) {
        if (depth == sizeof closing) return false;
        closing[depth++] = c == '{' ? '}' : c == '<' ? '>' : ']';
      } else if (depth > 0 && c == closing[depth - 1]) {
        --depth;
      } else if (c == '"' || c == '\'') {
        std::string_view raw;
        if (depth == 0 || !detail::EatQuoted(&in_, &raw)) return false;
        continue;
      } else if (depth == 0 || in_.done() || c == '}' || c == '>' || c == ']') {
        return false;
      }
      ++in_.at;
      if (depth > 0) in_.SkipSpaceAndComments();
    } while (depth > 0);
    *block = {in_.data + begin, in_.at - begin};
    return true;
  }
  constexpr std::string_view Number() { return in_.EatWhile(detail::kNumberChars); }
  static constexpr bool OneLeadingZeroAtMost(std::string_view number) {
    int zeros = 0;
    for (const char c : number) {
      if (c == '0') {
        if (++zeros > 1) return false;
      } else if (c != '-') {
        break;
      }
    }
    return true;
  }
  // TensorFlow takes a scalar for a whole message and ignores names of fields that it does not know: "3 4" is 3.
  constexpr bool TrailingWordsOnly() {
    for (;;) {
      in_.SkipSpaceAndComments();
      if (in_.done()) return true;
      const std::string_view word = in_.EatWhile(detail::kWordChars);
      if (word.empty()) return false;
      for (const std::string_view field :
           {"s", "i", "f", "b", "type", "shape", "tensor", "list", "func", "placeholder"})
        if (word == field) return false;
      in_.SkipSpaceAndComments();
      (void)in_.Eat(':');
    }
  }

  AttrKind kind_;
  bool is_list_;
  State state_ = kStart;
  bool failed_ = false;
  detail::TextCursor in_;
};

// The numbers and words behind allowed_text(), in source order: sets give several types ("numbertype" ascending).
//   AllowedReader allowed(spec);  while (allowed.Next()) { allowed.types() or allowed.string() }
class AllowedReader {
 public:
  constexpr explicit AllowedReader(const AttrSpec& spec) : form_(spec.allowed), in_(spec.allowed_text()) {}

  constexpr bool Next() {
    if (form_ == AllowedForm::kNone) return false;
    if (form_ == AllowedForm::kStrings) {
      if (!detail::EatQuoted(&in_, &string_)) return false;
    } else {
      const std::string_view word = in_.EatWhile(detail::kWordChars);
      if (word.empty()) return false;
      types_ = NamedTypes(word);
    }
    in_.SkipSpace();
    if (form_ == AllowedForm::kTypeSet || !in_.Eat(',')) form_ = AllowedForm::kNone;
    in_.SkipSpace();
    return true;
  }
  constexpr DataTypeSet types() const { return types_; }
  constexpr std::string_view string() const { return string_; }  // still with its escapes

  // "float", or "numbertype" and the like; the set of kInvalid for any other word.
  static constexpr DataTypeSet NamedTypes(std::string_view word) {
    if (const DataType type = detail::FindType(word.data(), word.size()); type != DataType::kInvalid)
      return ToSet(type);
    if (word == "numbertype" || word == "numerictype") return kNumberTypes;
    if (word == "quantizedtype") return kQuantizedTypes;
    if (word == "realnumbertype" || word == "realnumerictype") return kRealNumberTypes;
    return ToSet(DataType::kInvalid);
  }

 private:
  AllowedForm form_;
  detail::TextCursor in_;
  DataTypeSet types_;
  std::string_view string_;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
