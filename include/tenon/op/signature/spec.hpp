// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contents of a spec string: AttrSpec for "preserve_index: int >= 0 = 0", ArgSpec for "to_zero: T", and SpecIssue
// for the mistake in it. They point into the text. op/signature/spec_reader.hpp makes them.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

enum class AttrKind : std::uint8_t { kString, kInt, kFloat, kBool, kType, kShape, kTensor, kFunc };

// The word in a spec: "string", "int", ...
constexpr std::string_view Name(AttrKind kind) {
  constexpr std::string_view kNames[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
  return kNames[static_cast<std::size_t>(kind)];
}

// The mistake in a spec string.
enum class SpecError : std::uint8_t {
  kNone,
  kNameNotIdentifier,
  kNoColon,
  kUnknownAttrKind,
  kNotACompoundType,
  kUnknownTypeInList,
  kNoTypeInList,
  kBadStringInList,
  kBadEscapeInList,
  kNoCommaAfterString,
  kNoCommaAfterType,
  kListNotClosed,
  kBadMinimum,
  kBadDefault,
  kNoType,
  kRefNotClosed,
  kTextLeftOver,
  kTooLong,
};

struct SpecIssue {
  SpecError error = SpecError::kNone;
  bool word_runs_on = false;  // the attr kind goes on with letters: "integer"
  std::size_t begin = 0;      // the message quotes text[begin, end)
  std::size_t end = 0;

  constexpr bool ok() const { return error == SpecError::kNone; }
};

// One input or output: "name: T", "name: N * T", "name: Ref(float)", "name: list_attr". Points into its text, which
// outlives it (string literals, or an OwnedOp's own storage). The attr indices are filled by Signature as attrs and
// arguments meet: positions in the op's attr list, -1 for none.
struct ArgSpec {
  std::string_view text;
  DataType type = DataType::kInvalid;  // the fixed type; kInvalid when an attr says it
  std::uint16_t name_size = 0;         // the name is at the start of the text
  std::uint16_t type_begin = 0;
  std::uint16_t number_begin = 0;      // 0: no "N *"
  std::int16_t type_attr_index = -1;   // the attr of kind type or list(type)
  std::int16_t number_attr_index = -1;
  bool is_ref = false;
  bool is_type_list = false;           // the type attr is a list(type)

  constexpr std::string_view name() const { return text.substr(0, name_size); }
  constexpr std::string_view type_attr() const {
    return type == DataType::kInvalid && !is_type_list ? Word(type_begin) : "";
  }
  constexpr std::string_view type_list_attr() const { return is_type_list ? Word(type_begin) : ""; }
  constexpr std::string_view number_attr() const { return number_begin == 0 ? "" : Word(number_begin); }
  constexpr bool is_list() const { return is_type_list || number_begin != 0; }  // any number of tensors
  constexpr std::string_view Word(std::size_t begin) const {
    const char* data = text.data();
    const std::size_t size = text.size();
    std::size_t end = begin;
    while (end < size && ((data[end] >= 'a' && data[end] <= 'z') || (data[end] >= 'A' && data[end] <= 'Z') ||
                          (data[end] >= '0' && data[end] <= '9') || data[end] == '_'))
      ++end;
    return {data + begin, end - begin};
  }
};

// How the allowed values of an attr are written.
enum class AllowedForm : std::uint8_t {
  kNone,
  kTypeSet,
  kTypes,
  kStrings
};  // "numbertype"; "{float, int32}"; "{'a', 'b'}"

// One attr: "name: kind", "name: list(kind) >= 1 = []", ... Points into its text as ArgSpec does.
struct AttrSpec {
  std::string_view text;
  std::int64_t minimum = 0;         // smallest value of an int, smallest length of a list
  DataTypeSet allowed_types;        // empty: any type
  std::uint32_t default_begin = 0;
  std::uint32_t allowed_begin = 0;  // begin of "numbertype" or of the first item in braces
  std::uint16_t name_size = 0;
  AttrKind kind = AttrKind::kInt;
  AllowedForm allowed = AllowedForm::kNone;
  bool is_list = false;
  bool has_default = false;
  bool has_minimum = false;

  TENON_DETAIL_COLD_CODE_END
  constexpr std::string_view name() const { return text.substr(0, name_size); }
  TENON_DETAIL_COLD_CODE_BEGIN
  // Text behind the last '=': "false", "[1, 2]", "'SAME'", "DT_FLOAT", "{ unknown_rank: true }".
  constexpr std::string_view default_text() const { return has_default ? text.substr(default_begin) : ""; }
  // From the first allowed value on, in the order of the source; read it with AllowedReader.
  constexpr std::string_view allowed_text() const {
    return allowed == AllowedForm::kNone ? "" : text.substr(allowed_begin);
  }
  constexpr bool is_type() const { return kind == AttrKind::kType && !is_list; }
  constexpr bool is_type_list() const { return kind == AttrKind::kType && is_list; }
};
static_assert(sizeof(ArgSpec) == 32 && sizeof(AttrSpec) == 48);

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
