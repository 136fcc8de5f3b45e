// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of functions: the attrs of a call and their defaults, the types of its arguments, and the PartitionedCall that
// takes the place of a node whose op is a function.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_check.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/validate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The function of that name, or null. Of two the first counts. For more than one look-up take a FunctionIndex.
inline const FunctionDef* FindFunction(const FunctionDefLibrary& library, std::string_view name) {
  for (const FunctionDef& function : library.function)
    if (function.signature.name == name) return &function;
  return nullptr;
}

namespace detail {

// Value that a call gives an attr of the function, or the attr's default; null when there is neither.
inline const AttrValue* FindCallAttr(const OpDef& op, const AttrMap& attrs, std::string_view name) {
  if (const AttrValue* value = attrs.Find(name); value != nullptr) return value;
  const OpDef::AttrDef* def = FindAttr(name, op);
  return def != nullptr && def->default_value.has_value() ? &*def->default_value : nullptr;
}
// A call says every attr of the function, with a value of its type. More attrs than that are ignored.
inline Status CheckCallAttrs(const OpDef& op, const AttrMap& attrs) {
  for (const OpDef::AttrDef& attr : op.attr) {
    const AttrValue* const value = FindCallAttr(op, attrs, attr.name);
    if (value == nullptr) return errors::NotFound("Attr ", attr.name, " is not found from ", SummarizeOpDef(op));
    if (const Status status = AttrValueHasType(*value, attr.type); !status.ok())
      return status.WithAppended(StrCat("\n\tfor attr name '", attr.name, "' of function '", op.name, "'"));
  }
  return OkStatus();
}

// The attrs of a call, with the defaults that the function has for those that are absent.
inline AttrMap WithDefaults(const OpDef& op, const AttrMap& attrs) {
  AttrMap all = attrs;
  for (std::size_t i = op.attr.size(); i-- > 0;) {  // the first of two with one name counts
    if (!op.attr[i].default_value.has_value() || attrs.contains(op.attr[i].name)) continue;
    AttrMap::value_type* const item = all.AppendUnsorted();
    item->first = op.attr[i].name;
    item->second = *op.attr[i].default_value;
  }
  all.SortAppended();
  return all;
}

// The dtypes of an argument under the attrs of a call. NotFound when an attr that it depends on is missing.
inline Status TypesOfArg(const OpDef& op, const OpDef::ArgDef& arg, const AttrMap& attrs, SlimVector<DataType>* types) {
  const auto find = [&](const std::string& name) { return FindCallAttr(op, attrs, name); };
  const auto missing = [&](const std::string& name) {
    return errors::NotFound("Attr ", name, " is not found from function '", op.name, "'; its argument '", arg.name,
                            "' needs it");
  };
  if (!arg.type_list_attr.empty()) {
    const AttrValue* value = find(arg.type_list_attr);
    if (value == nullptr) return missing(arg.type_list_attr);
    types->append(value->list().type.begin(), value->list().type.end());
    return OkStatus();
  }
  std::int64_t count = 1;
  if (!arg.number_attr.empty()) {
    const AttrValue* value = find(arg.number_attr);
    if (value == nullptr) return missing(arg.number_attr);
    count = value->i();
    if (count < 0 || count > kMaxNodeOutputs)
      return errors::InvalidArgument("Value for number_attr() ", count, " < 0 or too big: argument '", arg.name,
                                     "' of function '", op.name, "'");
  }
  DataType type = arg.type;
  if (!arg.type_attr.empty()) {
    const AttrValue* value = find(arg.type_attr);
    if (value == nullptr) return missing(arg.type_attr);
    type = value->type();
  }
  if (arg.is_ref) type = MakeRefType(type);
  types->resize(types->size() + static_cast<std::size_t>(count), type);
  return OkStatus();
}

}  // namespace detail

// On a call op that was a node with a function as its op.
inline constexpr std::string_view kDirectCallAttr = "_direct_call";

// Turns a node whose op is a function of the library into a call op: "PartitionedCall", or "StatefulPartitionedCall"
// when the function has side effects. Attrs of the function stay in the call's `f`.
inline Status MakeFunctionCall(const FunctionDef& function, NodeDef* node) {
  SlimVector<DataType> inputs, outputs;
  const OpDef& op = function.signature;
  TENON_RETURN_IF_ERROR(detail::CheckAttrsArePresent(*node, op, true));
  const AttrMap attrs = detail::WithDefaults(op, node->attr);
  TENON_RETURN_IF_ERROR(detail::CheckCallAttrs(op, attrs));
  for (const OpDef::ArgDef& arg : op.input_arg) TENON_RETURN_IF_ERROR(detail::TypesOfArg(op, arg, attrs, &inputs));
  for (const OpDef::ArgDef& arg : op.output_arg) TENON_RETURN_IF_ERROR(detail::TypesOfArg(op, arg, attrs, &outputs));
  NameAttrList call;
  call.name = node->op;
  AttrMap kept;
  detail::NameIndex known;
  const auto name_of = [&op](int i) -> std::string_view { return op.attr[static_cast<std::size_t>(i)].name; };
  for (std::size_t i = 0; i < op.attr.size(); ++i) known.Insert(op.attr[i].name, static_cast<int>(i), name_of);
  for (const auto& [name, value] : node->attr) {
    if (known.Find(name, name_of) >= 0)
      call.attr.Insert(name, value);
    else if (StartsWith(name, "_"))
      kept.Insert(name, value);
  }
  node->op = op.is_stateful ? "StatefulPartitionedCall" : "PartitionedCall";
  node->attr = std::move(kept);
  node->attr.Insert("Tin", AttrValue(inputs));
  node->attr.Insert("Tout", AttrValue(outputs));
  node->attr.Insert("f", AttrValue(std::move(call)));
  node->attr.Insert(std::string(kDirectCallAttr), AttrValue(true));
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
