// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one reader of TensorFlow's spec strings, "to_zero: T" and "preserve_index: int >= 0 = 0". It is constexpr and
// reports where and why it stopped: the op language turns that into a compile error whose name is the message
// (StopOnSpecError below), op_def_builder.hpp into a Status with TensorFlow's text. No allocation, no dependency but
// DataType.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/message_text.hpp>
#include <tenon/op/signature/spec.hpp>
#include <tenon/op/signature/spec_text.hpp>
#include <tenon/op/signature/spec_values.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

class SpecReader {
 public:
  constexpr explicit SpecReader(std::string_view text) : in_(text) {}

  constexpr SpecIssue Attr(AttrSpec* out) {
    out->text = in_.text();
    if (in_.size > UINT32_MAX) return Issue(SpecError::kTooLong, 0);
    if (!NameThenColon(false, &out->name_size)) return issue_;
    out->is_list = EatListPrefix();
    if (!Kind(out)) return issue_;
    const bool runs_on = kind_end_ == in_.at && IsWordChar(in_.peek());
    in_.SkipSpace();
    if (out->is_list) {
      if (!in_.Eat(')')) return Issue(SpecError::kListNotClosed, in_.at, runs_on);
      in_.SkipSpace();
    }
    if ((out->is_list || out->kind == AttrKind::kInt) && in_.Eat(">=")) {
      const std::size_t begin = in_.at;
      if (!Minimum(&out->minimum)) return Issue(SpecError::kBadMinimum, begin);
      out->has_minimum = true;
    }
    if (!in_.Eat('=')) return in_.done() ? issue_ : Issue(SpecError::kTextLeftOver, in_.at, runs_on);
    in_.SkipSpace();
    out->has_default = true;
    out->default_begin = static_cast<std::uint32_t>(in_.at);
    DefaultReader values(*out);
    const bool is_message = TextSchema::Of(out->kind) != nullptr;
    bool fits = true;
    for (SpecValue value; values.Next(&value);) fits = fits && (!is_message || IsMessageText(out->kind, value.text));
    return values.failed() || !fits ? Issue(SpecError::kBadDefault, in_.at) : issue_;
  }

  constexpr SpecIssue Arg(ArgSpec* out) {
    out->text = in_.text();
    if (in_.size > UINT16_MAX) return Issue(SpecError::kTooLong, 0);
    if (!NameThenColon(true, &out->name_size)) return issue_;
    const TextCursor before_ref = in_;
    if (in_.Eat("Ref")) {
      in_.SkipSpace();
      out->is_ref = in_.Eat('(');
      if (out->is_ref)
        in_.SkipSpace();
      else
        in_ = before_ref;
    }
    out->type_begin = static_cast<std::uint16_t>(in_.at);
    std::string_view word = Word();
    if (word.empty()) return Issue(SpecError::kNoType, in_.at);
    const TextCursor before_star = in_;
    if (in_.Eat('*')) {
      in_.SkipSpace();
      const std::size_t second = in_.at;
      const std::string_view type = Word();
      if (type.empty()) {
        in_ = before_star;
      } else {
        out->number_begin = out->type_begin;
        out->type_begin = static_cast<std::uint16_t>(second);
        word = type;
      }
    }
    out->type = FindType(word.data(), word.size());
    if (out->is_ref) {
      if (!in_.Eat(')')) return Issue(SpecError::kRefNotClosed, in_.at);
      in_.SkipSpace();
    }
    return in_.done() ? issue_ : Issue(SpecError::kTextLeftOver, in_.at);
  }

 private:
  constexpr SpecIssue Issue(SpecError error, std::size_t begin, bool runs_on = false) {
    issue_ = {error, runs_on, begin, in_.size};
    return issue_;
  }
  constexpr bool Stop(SpecError error, std::size_t begin) {
    Issue(error, begin);
    return false;
  }
  constexpr bool NameThenColon(bool lower, std::uint16_t* size) {
    if (!Is(in_.peek(), lower ? kLowerChar : kLetterChars)) return Stop(SpecError::kNameNotIdentifier, 0);
    const std::string_view name = in_.EatWhile(lower ? kLowerChar | kDigitChar | kUnderscore : kWordChars);
    if (name.size() > UINT16_MAX) return Stop(SpecError::kTooLong, 0);
    *size = static_cast<std::uint16_t>(name.size());
    in_.SkipSpace();
    if (!in_.Eat(':'))
      return Stop(
          lower && IsLetter(in_.peek()) && in_.at == name.size() ? SpecError::kNameNotIdentifier : SpecError::kNoColon,
          0);
    in_.SkipSpace();
    return true;
  }
  constexpr bool EatListPrefix() {
    const TextCursor before = in_;
    if (in_.Eat("list")) {
      in_.SkipSpace();
      if (in_.Eat('(')) {
        in_.SkipSpace();
        return true;
      }
    }
    in_ = before;
    return false;
  }
  // The words are tried in TensorFlow's order, each as a prefix.
  constexpr bool Kind(AttrSpec* out) {
    constexpr const char* kKinds[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
    constexpr const char* kSets[] = {"numbertype", "numerictype", "quantizedtype", "realnumbertype",
                                     "realnumberictype"};
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k) {
      out->kind = static_cast<AttrKind>(k);
      if (in_.Eat(kKinds[k])) {
        kind_end_ = in_.at;
        return true;
      }
    }
    if (in_.Eat("any")) return Stop(SpecError::kUnknownAttrKind, in_.at);
    out->kind = AttrKind::kType;
    out->allowed_begin = static_cast<std::uint32_t>(in_.at);
    for (const char* word : kSets) {
      if (!in_.Eat(word)) continue;
      out->allowed = AllowedForm::kTypeSet;
      out->allowed_types = AllowedReader::NamedTypes(word);
      kind_end_ = in_.at;
      if (!out->allowed_types.contains(DataType::kInvalid)) return true;
      issue_ = {SpecError::kNotACompoundType, false, out->allowed_begin, in_.at};
      return false;
    }
    if (!in_.Eat('{')) return Stop(SpecError::kUnknownAttrKind, in_.at);
    in_.SkipSpace();
    out->allowed_begin = static_cast<std::uint32_t>(in_.at);
    const bool strings = in_.peek() == '"' || in_.peek() == '\'';
    out->kind = strings ? AttrKind::kString : AttrKind::kType;
    out->allowed = strings ? AllowedForm::kStrings : AllowedForm::kTypes;
    for (;;) {
      if (strings ? !AllowedString() : !AllowedType(out)) return false;
      const bool comma = in_.Eat(',');
      if (comma) in_.SkipSpace();
      if (in_.Eat('}')) return true;
      if (!comma) return Stop(strings ? SpecError::kNoCommaAfterString : SpecError::kNoCommaAfterType, in_.at);
    }
  }
  constexpr bool AllowedString() {
    const std::size_t begin = in_.at;
    std::string_view raw;
    if (!EatQuoted(&in_, &raw)) return Stop(SpecError::kBadStringInList, begin);
    if (!ValidEscapes(raw)) {
      issue_ = {SpecError::kBadEscapeInList, false, begin + 1, begin + 1 + raw.size()};
      return false;
    }
    in_.SkipSpace();
    return true;
  }
  constexpr bool AllowedType(AttrSpec* out) {
    const std::size_t begin = in_.at;
    const std::string_view word = in_.EatWhile(kLowerChar | kDigitChar);
    if (word.empty()) return Stop(SpecError::kNoTypeInList, begin);
    const DataTypeSet types = AllowedReader::NamedTypes(word);
    if (types.contains(DataType::kInvalid)) {
      issue_ = {SpecError::kUnknownTypeInList, false, begin, begin + word.size()};
      return false;
    }
    out->allowed_types = out->allowed_types | types;
    in_.SkipSpace();
    return true;
  }
  constexpr bool Minimum(std::int64_t* value) {
    in_.SkipSpace();
    const std::size_t begin = in_.at;
    (void)in_.Eat('-');
    if (in_.EatWhile(kDigitChar).empty() || !ReadDecimal({in_.data + begin, in_.at - begin}, value)) return false;
    in_.SkipSpace();
    return true;
  }
  constexpr std::string_view Word() {
    if (!IsLetter(in_.peek())) return {};
    const std::string_view word = in_.EatWhile(kWordChars);
    in_.SkipSpace();
    return word;
  }

  TextCursor in_;
  SpecIssue issue_;
  std::size_t kind_end_ = static_cast<std::size_t>(-1);  // just behind "int" and the like
};

// Never constexpr and never defined: reaching one of these while a signature is being read stops the compiler with this
// name in its message.
void op_signature_error_expected_colon_after_name();
void op_signature_error_name_is_not_an_identifier();
void op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
void op_signature_error_unknown_type_in_list();
void op_signature_error_string_in_list_is_not_closed();
void op_signature_error_escape_in_string_is_not_valid();
void op_signature_error_expected_comma_or_closing_brace_in_list();
void op_signature_error_expected_closing_parenthesis_of_list();
void op_signature_error_expected_closing_parenthesis_of_Ref();
void op_signature_error_expected_a_whole_number_after_greater_equal();
void op_signature_error_default_does_not_fit_the_attr();
void op_signature_error_expected_a_type_after_the_colon();
void op_signature_error_text_left_over_after_the_spec();
void op_signature_error_spec_is_too_long();

constexpr void StopOnSpecError(const SpecIssue& issue) {
  if (issue.word_runs_on)
    op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
  switch (issue.error) {
    case SpecError::kNone: return;
    case SpecError::kNameNotIdentifier: return op_signature_error_name_is_not_an_identifier();
    case SpecError::kNoColon: return op_signature_error_expected_colon_after_name();
    case SpecError::kUnknownAttrKind:
    case SpecError::kNotACompoundType:
      op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
      return;
    case SpecError::kUnknownTypeInList:
    case SpecError::kNoTypeInList: return op_signature_error_unknown_type_in_list();
    case SpecError::kBadStringInList: return op_signature_error_string_in_list_is_not_closed();
    case SpecError::kBadEscapeInList: return op_signature_error_escape_in_string_is_not_valid();
    case SpecError::kNoCommaAfterString:
    case SpecError::kNoCommaAfterType: return op_signature_error_expected_comma_or_closing_brace_in_list();
    case SpecError::kListNotClosed: return op_signature_error_expected_closing_parenthesis_of_list();
    case SpecError::kBadMinimum: return op_signature_error_expected_a_whole_number_after_greater_equal();
    case SpecError::kBadDefault: return op_signature_error_default_does_not_fit_the_attr();
    case SpecError::kNoType: return op_signature_error_expected_a_type_after_the_colon();
    case SpecError::kRefNotClosed: return op_signature_error_expected_closing_parenthesis_of_Ref();
    case SpecError::kTextLeftOver: return op_signature_error_text_left_over_after_the_spec();
    case SpecError::kTooLong: return op_signature_error_spec_is_too_long();
  }
}

}  // namespace detail

// Reads one spec into *out. On an issue *out holds what was read so far.
constexpr SpecIssue ReadAttrSpec(std::string_view text, AttrSpec* out) { return detail::SpecReader(text).Attr(out); }
constexpr SpecIssue ReadArgSpec(std::string_view text, ArgSpec* out) { return detail::SpecReader(text).Arg(out); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
