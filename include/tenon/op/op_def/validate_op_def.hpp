// SPDX-License-Identifier: Apache-2.0
#pragma once
// ValidateOpDef: what TensorFlow asks of an OpDef before it is an op.

#include <algorithm>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

class OpDefValidator {
 public:
  explicit OpDefValidator(const OpDef& def) : def_(def) {}

  Status Run() {
    if (!IsOpName(def_.name)) return errors::InvalidArgument("Invalid name: ", def_.name, " (Did you use CamelCase?)");
    for (const OpDef::AttrDef& attr : def_.attr) TENON_RETURN_IF_ERROR(Attr(attr));
    for (const OpDef::ArgDef& arg : def_.input_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for input '", arg.name, "'")));
    for (const OpDef::ArgDef& arg : def_.output_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for output '", arg.name, "'")));
    return OkStatus();
  }

 private:
  Status NewName(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      return errors::InvalidArgument("Duplicate name: ", name);
    names_.push_back(name);
    return OkStatus();
  }
  Status Attr(const OpDef::AttrDef& attr) {
    TENON_RETURN_IF_ERROR(NewName(attr.name));
    if (DataTypeFromName(attr.name) != DataType::kInvalid)
      return errors::InvalidArgument("Attr can't have name ", attr.name, " that matches a data type");
    std::string_view type = attr.type;
    const bool is_list = StartsWith(type, "list(");
    if (is_list) type.remove_prefix(5);
    bool found = false;
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc) && !found; ++k) {
      const std::string_view word = Name(static_cast<AttrKind>(k));
      found = StartsWith(type, word);
      if (found) type.remove_prefix(word.size());
    }
    if (!found) return errors::InvalidArgument("Unrecognized type '", type, "' in attr '", attr.name, "'");
    if (is_list) {
      if (!StartsWith(type, ")"))
        return errors::InvalidArgument("'list(' is missing ')' in attr ", attr.name, "'s type ", attr.type);
      type.remove_prefix(1);
    }
    if (!type.empty())
      return errors::InvalidArgument("Extra '", type, "' at the end of attr ", attr.name, "'s type ", attr.type);
    if (attr.has_minimum) {
      if (attr.type != "int" && !is_list)
        return errors::InvalidArgument("Attr '", attr.name, "' has minimum for unsupported type ", attr.type);
      if (is_list && attr.minimum < 0)
        return errors::InvalidArgument("Attr '", attr.name, "' with list type must have a non-negative minimum, not ",
                                       attr.minimum);
    } else if (attr.minimum != 0) {
      return errors::InvalidArgument("Attr '", attr.name, "' with has_minimum = false but minimum ", attr.minimum,
                                     " not equal to default of 0");
    }
    if (attr.allowed_values.has_value()) {
      const Status status =
          AttrValueHasType(attr.allowed_values, is_list ? attr.type : StrCat("list(", attr.type, ")"));
      if (!status.ok()) return status.WithAppended(StrCat("\n\t for attr '", attr.name, "' in Op '", def_.name, "'"));
    }
    if (!attr.default_value) return OkStatus();
    return ValidateAttrValue(*attr.default_value, attr).WithAppended(StrCat("\n\t in Op '", def_.name, "'"));
  }
  Status Arg(const OpDef::ArgDef& arg, const std::string& suffix) {
    TENON_RETURN_IF_ERROR(NewName(arg.name));
    const int types = (arg.type != DataType::kInvalid) + !arg.type_attr.empty() + !arg.type_list_attr.empty();
    if (types == 0) return errors::InvalidArgument("Missing type", suffix);
    if (!arg.number_attr.empty()) {
      TENON_RETURN_IF_ERROR(Reference(arg.number_attr, "length", "int", suffix));
      const OpDef::AttrDef& number = *FindAttr(arg.number_attr, def_);
      const std::string used = StrCat("Attr '", number.name, "' used as length", suffix);
      if (!number.has_minimum) return errors::InvalidArgument(used, " must have minimum");
      if (number.minimum < 0) return errors::InvalidArgument(used, " must have minimum >= 0");
      if (!arg.type_list_attr.empty())
        return errors::InvalidArgument("Can't have both number_attr and type_list_attr", suffix);
      if (types != 1) return errors::InvalidArgument("Exactly one of type, type_attr must be set", suffix);
    } else if (types != 1) {
      return errors::InvalidArgument("Exactly one of type, type_attr, type_list_attr must be set", suffix);
    }
    if (!arg.type_attr.empty()) return Reference(arg.type_attr, "type_attr", "type", suffix);
    if (!arg.type_list_attr.empty()) return Reference(arg.type_list_attr, "type_list_attr", "list(type)", suffix);
    if (IsRefType(arg.type))
      return errors::InvalidArgument("Illegal use of ref type '", arg.type, "'. Use 'Ref(type)' instead", suffix);
    return OkStatus();
  }
  Status Reference(const std::string& name, std::string_view use, std::string_view type,
                   const std::string& suffix) const {
    const OpDef::AttrDef* attr = FindAttr(name, def_);
    if (attr == nullptr) return errors::InvalidArgument("No attr with name '", name, "'", suffix);
    if (attr->type != type)
      return errors::InvalidArgument("Attr '", name, "' used as ", use, suffix, " has type ", attr->type, " != ", type);
    return OkStatus();
  }

  const OpDef& def_;
  SlimVector<std::string> names_;
};

}  // namespace detail

// Everything that can be wrong with an OpDef. InvalidArgument with TensorFlow's text.
inline Status ValidateOpDef(const OpDef& def) {
  const Status status = detail::OpDefValidator(def).Run();
  return status.ok() ? status : status.WithAppended(StrCat("; in OpDef: ", SummarizeOpDef(def)));
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
