// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpDef: the description of an op as plain data, with TensorFlow's fields and field names.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct OpDeprecation {
  int version = 0;  // graph version from which the op is gone
  std::string explanation;

  friend bool operator==(const OpDeprecation&, const OpDeprecation&) = default;
};

struct OpDef {
  // An input or output. Exactly one of type, type_attr and type_list_attr is given.
  struct ArgDef {
    std::string name;
    std::string description;
    DataType type = DataType::kInvalid;
    std::string type_attr;       // name of an attr of type "type"
    std::string number_attr;     // name of an "int" attr: the argument is that many tensors
    std::string type_list_attr;  // name of a "list(type)" attr: one tensor for each
    SlimVector<std::string> handle_data;  // serialised DtypeAndShape, each as it came
    bool is_ref = false;
    std::string full_type;  // serialised FullTypeDef (experimental_full_type), as it came

    friend bool operator==(const ArgDef&, const ArgDef&) = default;
  };

  struct AttrDef {
    std::string name;
    std::string type;  // "int", "list(type)"...
    std::optional<AttrValue> default_value;
    std::string description;
    bool has_minimum = false;
    std::int64_t minimum = 0;   // smallest int, or smallest length of a list
    AttrValue allowed_values;   // a list; kNone: everything is allowed

    friend bool operator==(const AttrDef&, const AttrDef&) = default;
  };

  std::string name;
  SlimVector<ArgDef> input_arg;
  SlimVector<ArgDef> output_arg;
  SlimVector<std::string> control_output;
  SlimVector<AttrDef> attr;
  std::optional<OpDeprecation> deprecation;
  std::string summary;
  std::string description;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool is_stateful = false;
  bool allows_uninitialized_input = false;
  bool is_distributed_communication = false;

  friend bool operator==(const OpDef&, const OpDef&) = default;
};

// The attr of that name, or null.
inline const OpDef::AttrDef* FindAttr(std::string_view name, const OpDef& op_def) {
  for (const OpDef::AttrDef& attr : op_def.attr) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
