// SPDX-License-Identifier: Apache-2.0
#pragma once
// A NodeDef against an OpDef: is it right, what are the dtypes of its inputs and outputs, which of them belong to which
// argument. For descriptions that are data (functions, files of ops); graph/validate.hpp checks many nodes against ops
// that are registered.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/graph_def/unknown_attr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Attrs that have a default and are absent get it; the others stay.
inline void AddDefaultsToNodeDef(const OpDef& op_def, NodeDef* node) {
  for (const OpDef::AttrDef& attr : op_def.attr)
    if (attr.default_value) node->attr.Insert(attr.name, *attr.default_value);
}

// ------------------------------------------------------------------------------------------------------------- dtypes

namespace detail {

// A node's inputs or outputs may be this many at most: a file that was tampered with must not exhaust memory.
inline constexpr std::int64_t kMaxNodeTensors = std::int64_t{1} << 20;

TENON_DETAIL_COLD inline Status InOpDef(const OpDef& op_def, std::string text) {
  return errors::InvalidArgument(std::move(text), " in ", SummarizeOpDef(op_def));
}

// The dtypes of one argument, appended to *types.
inline Status AppendArgTypes(const NodeDef& node, const OpDef& op_def, const OpDef::ArgDef& arg,
                             SlimVector<DataType>* types) {
  const std::size_t begin = types->size();
  if (!arg.number_attr.empty()) {
    std::int64_t count = 0;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, arg.number_attr, &count));
    if (count > kMaxNodeTensors - static_cast<std::int64_t>(begin))
      return errors::InvalidArgument("Number of outputs is too big: ", count);
    if (count < 0) return errors::InvalidArgument("Value for number_attr() ", count, " < 0");
    DataType type = arg.type;
    if (type == DataType::kInvalid) {
      if (arg.type_attr.empty()) return InOpDef(op_def, StrCat("Missing type or type_attr field of '", arg.name, "'"));
      TENON_RETURN_IF_ERROR(GetNodeAttr(node, arg.type_attr, &type));
    }
    for (std::int64_t i = 0; i < count; ++i) types->push_back(type);
  } else if (arg.type != DataType::kInvalid) {
    types->push_back(arg.type);
  } else if (!arg.type_attr.empty()) {
    DataType type = DataType::kInvalid;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, arg.type_attr, &type));
    types->push_back(type);
  } else if (!arg.type_list_attr.empty()) {
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, arg.type_list_attr, types));
  } else {
    return InOpDef(op_def, StrCat("No type fields for '", arg.name, "'"));
  }
  for (std::size_t i = begin; i < types->size() && arg.is_ref; ++i) {
    if (IsRefType((*types)[i]))
      return InOpDef(op_def, StrCat("Requested reference to a reference type: ", (*types)[i]));
    (*types)[i] = MakeRefType((*types)[i]);
  }
  return OkStatus();
}
inline Status AppendTypes(const NodeDef& node, const OpDef& op_def, const SlimVector<OpDef::ArgDef>& args,
                          SlimVector<DataType>* types) {
  for (const OpDef::ArgDef& arg : args) TENON_RETURN_IF_ERROR(AppendArgTypes(node, op_def, arg, types));
  return OkStatus();
}

}  // namespace detail

// The dtypes of all inputs or outputs, appended to *types; arguments declared Ref give reference types.
inline Status InputTypesForNode(const NodeDef& node, const OpDef& op_def, SlimVector<DataType>* types) {
  return detail::AppendTypes(node, op_def, op_def.input_arg, types);
}
inline Status OutputTypesForNode(const NodeDef& node, const OpDef& op_def, SlimVector<DataType>* types) {
  return detail::AppendTypes(node, op_def, op_def.output_arg, types);
}
inline Status InOutTypesForNode(const NodeDef& node, const OpDef& op_def, SlimVector<DataType>* inputs,
                                SlimVector<DataType>* outputs) {
  TENON_RETURN_IF_ERROR(InputTypesForNode(node, op_def, inputs));
  return OutputTypesForNode(node, op_def, outputs);
}
inline Status NumOutputsForNode(const NodeDef& node, const OpDef& op_def, int* count) {
  SlimVector<DataType> types;
  TENON_RETURN_IF_ERROR(OutputTypesForNode(node, op_def, &types));
  *count = static_cast<int>(types.size());
  return OkStatus();
}

// The tensors [begin, end) of an argument among all inputs or all outputs.
struct NameRange {
  std::string name;
  int begin = 0;
  int end = 0;

  friend bool operator==(const NameRange&, const NameRange&) = default;
};

// In the op's order. Either list may be null.
inline Status NameRangesForNode(const NodeDef& node, const OpDef& op_def, SlimVector<NameRange>* inputs,
                                SlimVector<NameRange>* outputs) {
  const auto ranges = [&](const SlimVector<OpDef::ArgDef>& args, SlimVector<NameRange>* to) -> Status {
    SlimVector<DataType> types;
    for (const OpDef::ArgDef& arg : args) {
      const int begin = static_cast<int>(types.size());
      TENON_RETURN_IF_ERROR(detail::AppendArgTypes(node, op_def, arg, &types));
      to->push_back({arg.name, begin, static_cast<int>(types.size())});
    }
    return OkStatus();
  };
  if (inputs != nullptr) TENON_RETURN_IF_ERROR(ranges(op_def.input_arg, inputs));
  if (outputs != nullptr) TENON_RETURN_IF_ERROR(ranges(op_def.output_arg, outputs));
  return OkStatus();
}

// --------------------------------------------------------------------------------------------------------- validation

namespace detail {

// "NodeDef: {{node x}}; Op<name=...>", which ends the messages about a node and its op.
TENON_DETAIL_COLD inline std::string OfNode(const NodeDef& node) {
  return StrCat("NodeDef: ", FormatNodeForError(node.name));
}

inline Status CheckInputOrder(const NodeDef& node, std::size_t* data_inputs) {
  bool control = false;
  for (const std::string& input : node.input) {
    if (StartsWith(input, "^")) {
      control = true;
      if (input.find(':') != std::string::npos)
        return errors::InvalidArgument("Control input '", input, "' must not have ':' in ", OfNode(node));
    } else if (control) {
      return errors::InvalidArgument("Non-control input '", input, "' after control input in ", OfNode(node));
    } else {
      ++*data_inputs;
    }
  }
  return OkStatus();
}

inline Status CheckAttrsArePresent(const NodeDef& node, const OpDef& op_def, bool default_will_do) {
  std::string missing;
  int count = 0;
  for (const OpDef::AttrDef& attr : op_def.attr)
    if (!node.attr.contains(attr.name) && !(default_will_do && attr.default_value.has_value()))
      StrAppend(&missing, count++ == 0 ? "'" : ", '", attr.name, "'");
  if (count == 0) return OkStatus();
  return errors::InvalidArgument("NodeDef missing attr", count == 1 ? " " : "s ", missing, " from ",
                                 SummarizeOpDef(op_def), "; ", OfNode(node));
}

inline Status CheckAttrs(const NodeDef& node, const OpDef& op_def) {
  for (const auto& [name, value] : node.attr) {
    if (StartsWith(name, "_")) continue;  // the runtime's own, of any value
    const OpDef::AttrDef* attr = FindAttr(name, op_def);
    if (attr == nullptr) {
      LogUnknownAttr(name, node.name, [&op_def] { return SummarizeOpDef(op_def); });
      continue;
    }
    if (!value.placeholder().empty()) continue;  // a function body: the caller's value will be checked
    const Status status = ValidateAttrValue(value, *attr);
    if (!status.ok()) return status.WithAppended(StrCat("\n\t; ", OfNode(node), "; ", SummarizeOpDef(op_def)));
  }
  return CheckAttrsArePresent(node, op_def, false);
}

}  // namespace detail

// All that can be said of a node by itself: the op's name, attrs present, of the right kind and allowed, inputs as many
// as the op takes, control inputs last. Attrs that the op does not have are logged and ignored. InvalidArgument with
// TensorFlow's text.
inline Status ValidateNodeDef(const NodeDef& node, const OpDef& op_def) {
  if (node.op != op_def.name)
    return errors::InvalidArgument("NodeDef op '", node.op, "' does not match ", SummarizeOpDef(op_def), "; ",
                                   detail::OfNode(node));
  std::size_t data_inputs = 0;
  TENON_RETURN_IF_ERROR(detail::CheckInputOrder(node, &data_inputs));
  TENON_RETURN_IF_ERROR(detail::CheckAttrs(node, op_def));
  SlimVector<DataType> inputs, outputs;
  TENON_RETURN_IF_ERROR(InOutTypesForNode(node, op_def, &inputs, &outputs));
  if (inputs.size() == data_inputs) return OkStatus();
  const std::string expected = inputs.size() > 1000 ? StrCat(inputs.size(), " tensors") : StrJoin(inputs, ", ");
  return errors::InvalidArgument("NodeDef expected inputs '", expected, "' do not match ", data_inputs,
                                 " inputs specified; ", SummarizeOpDef(op_def), "; ", detail::OfNode(node));
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
