// SPDX-License-Identifier: Apache-2.0
#pragma once
// Strings about spec strings: TensorFlow's sentences for their mistakes, the type of an attr, a text without escapes.

#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/spec.hpp>
#include <tenon/op/signature/spec_text.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline std::string Unescape(std::string_view raw) {
  std::string out;
  EscapeReader escapes(raw);
  for (char c = 0; escapes.Next(&c);) out += c;
  return out;
}

// "int", "list(type)".
inline std::string AttrTypeText(const AttrSpec& attr) {
  return attr.is_list ? StrCat("list(", Name(attr.kind), ")") : std::string(Name(attr.kind));
}

// TensorFlow's sentence for a mistake in a spec.
inline std::string SpecIssueText(const SpecIssue& issue, std::string_view spec, bool is_attr) {
  const std::string_view quoted = spec.substr(issue.begin, issue.end - issue.begin);
  switch (issue.error) {
    case SpecError::kNone: return {};
    case SpecError::kNameNotIdentifier:
    case SpecError::kNoColon: return is_attr ? "Trouble parsing '<name>:'" : "Trouble parsing 'name:'";
    case SpecError::kUnknownAttrKind:
    case SpecError::kNoTypeInList: return StrCat("Trouble parsing type string at '", quoted, "'");
    case SpecError::kNotACompoundType: return StrCat("Expected to see a compound type, saw: ", quoted);
    case SpecError::kUnknownTypeInList: return StrCat("Unrecognized type string '", quoted, "'");
    case SpecError::kBadStringInList: return StrCat("Trouble parsing allowed string at '", quoted, "'");
    case SpecError::kBadEscapeInList: return StrCat("Trouble unescaping \"", quoted, "\", got error: not a C escape");
    case SpecError::kNoCommaAfterString: return StrCat("Expected , or } after strings in list, not: '", quoted, "'");
    case SpecError::kNoCommaAfterType: return StrCat("Expected , or } after types in list, not: '", quoted, "'");
    case SpecError::kListNotClosed: return StrCat("Expected ) to close 'list(', not: '", quoted, "'");
    case SpecError::kBadMinimum:
      return StrCat("Could not parse integer lower limit after '>=', found '", quoted, "' instead");
    case SpecError::kBadDefault: return StrCat("Could not parse default value '", quoted, "'");
    case SpecError::kNoType: return StrCat("Trouble parsing either a type or an attr name at '", quoted, "'");
    case SpecError::kRefNotClosed: return StrCat("Did not find closing ')' for 'Ref(', instead found: '", quoted, "'");
    case SpecError::kTextLeftOver: return StrCat("Extra '", quoted, "' unparsed at the end");
    case SpecError::kTooLong: return "The spec is longer than 65535 characters";
  }
  return {};
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
