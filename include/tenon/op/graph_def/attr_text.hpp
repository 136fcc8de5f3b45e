// SPDX-License-Identifier: Apache-2.0
#pragma once
// An attr's value from its text, by the name of its type: what a command line or a configuration file holds.

#include <string_view>
#include <utility>

#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/signature/spec_reader.hpp>
#include <tenon/wire/utf8.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The kind that an OpDef spells as `type`: "int", "list(shape)". False when there is none of that name.
constexpr bool AttrKindFromName(std::string_view type, AttrKind* kind, bool* is_list) {
  *is_list = type.size() > 6 && type.substr(0, 5) == "list(" && type.back() == ')';
  if (*is_list) type = type.substr(5, type.size() - 6);
  for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k) {
    *kind = static_cast<AttrKind>(k);
    if (Name(*kind) == type) return true;
  }
  return false;
}

// Reads "3" as an "int", "[DT_FLOAT]" as a "list(type)", "'x'" as a "string" or as a "placeholder", with the grammar of
// defaults in spec strings. False when the text is no value of the type, or names a placeholder in bytes that are not
// UTF-8; *out is then what it was.
inline bool ParseAttrValue(std::string_view type, std::string_view text, AttrValue* out) {
  const bool placeholder = type == "placeholder";
  AttrKind kind = AttrKind::kString;
  bool is_list = false;
  if (!placeholder && !AttrKindFromName(type, &kind, &is_list)) return false;
  AttrValue value;
  if (!ParseAttrText(kind, is_list, text, &value)) return false;
  if (placeholder && !wire::detail::IsUtf8(value.s())) return false;
  *out = placeholder ? AttrValue::Placeholder(value.s()) : std::move(value);
  return true;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
