// SPDX-License-Identifier: Apache-2.0
#pragma once
// InstantiateFunction, DebugString, Canonicalize and FunctionCallFrame: functions of a library with their attrs bound.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/function.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/function_runtime.hpp>
#include <tenon/compat/tensorflow/graph/function.hpp>
#include <tenon/compat/tensorflow/graph/function_library.hpp>
#include <tenon/compat/tensorflow/base/device_names.hpp>

namespace tensorflow {

// Finds the signature of an op or function.
typedef std::function<Status(const std::string&, const OpDef**)> GetFunctionSignature;

struct InstantiationResult {
  DataTypeVector arg_types, ret_types;
  std::vector<NodeDef> nodes;  // arguments, body, results
};

// `signature` finds functions that the body calls; ops are those of the process. Errors: as Tenon's
// InstantiateFunction.
inline Status InstantiateFunction(const FunctionDef& function, AttrSlice attrs, const GetFunctionSignature& signature,
                                  InstantiationResult* result) {
  const tenon::OpRegistry& ops = tenon::Registry::Global().ops();
  FunctionDefLibrary callees;
  std::map<std::string, const NodeDef*> calls;
  for (const NodeDef& node : function.node_def()) {
    const tenon::OpView* op = nullptr;
    const OpDef* found = nullptr;
    if (ops.LookUp(node.op(), &op).ok() || !signature(node.op(), &found).ok()) continue;
    *callees.add_function()->mutable_signature() = *found;
    calls[node.name()] = &node;
  }
  tenon::AttrMap bound;
  for (const auto& [name, value] : attrs) {
    if (value.has_placeholder())
      return errors::InvalidArgument("AttrValue had value with unexpected type 'placeholder'\n\tfor attr '", name, "'");
    bound.Set(name, ToTenon(value));
  }
  TF_ASSIGN_OR_RETURN(tenon::FunctionGraph made,
                      tenon::InstantiateFunction(StructOf<tenon::FunctionDef>(function), bound,
                                                 StructOf<tenon::FunctionDefLibrary>(callees), ops));
  result->arg_types = FromTenonTypes(made.arg_types);
  result->ret_types = FromTenonTypes(made.result_types);
  result->nodes.clear();
  std::map<std::string, const NodeDef*> originals;
  for (const NodeDef& node : function.node_def()) originals[node.name()] = &node;
  for (const tenon::NodeDef& node : made.graph.node) {
    result->nodes.push_back(FromTenon(node));
    const auto original = originals.find(node.name);
    if (original == originals.end()) continue;
    if (original->second->has_experimental_debug_info())
      *result->nodes.back().mutable_experimental_debug_info() = original->second->experimental_debug_info();
    if (calls.count(node.name) == 0) continue;  // Tenon calls functions by an op
    result->nodes.back().set_op(original->second->op());
    const tenon::AttrValue* const f = node.attr.Find("f");
    result->nodes.back().clear_attr();
    if (f == nullptr) continue;
    for (const auto& [name, value] : f->func().attr) (*result->nodes.back().mutable_attr())[name] = FromTenon(value);
  }
  const auto on_device = function.attr().find(FunctionLibraryDefinition::kIntsOnDeviceAttr);
  const bool ints_on_device = on_device != function.attr().end() && on_device->second.b();
  for (std::size_t i = 0; i < made.results.size(); ++i) {
    const DataType type = result->ret_types[i];
    NodeDef& node = result->nodes.emplace_back();
    node.set_name(strings::StrCat(made.results[i].node, "_RetVal", i == 0 ? "" : strings::StrCat("_", i)));
    node.set_op(ints_on_device && type == DT_INT32 ? FunctionLibraryDefinition::kDeviceRetOp
                                                   : FunctionLibraryDefinition::kRetOp);
    node.add_input(made.results[i].index == 0 ? made.results[i].node
                                              : strings::StrCat(made.results[i].node, ":", made.results[i].index));
    AddNodeAttr("T", type, &node);
    AddNodeAttr("index", static_cast<int64_t>(i), &node);
  }
  return Status();
}

// --------------------------------------------------------------------------------------------------------------- text
namespace internal {
inline std::string Print(const AttrValue& value) {
  std::vector<std::string> parts;
  if (value.value_case() == AttrValue::kType) return DataTypeString(value.type());
  if (value.value_case() == AttrValue::kList && value.list().type_size() > 0) {
    for (const auto type : value.list().type()) parts.push_back(DataTypeString(static_cast<DataType>(type)));
    return "{" + str_util::Join(parts, ", ") + "}";
  }
  if (value.value_case() != AttrValue::kFunc) return SummarizeAttrValue(value);
  for (const auto& [name, of] : value.func().attr()) parts.push_back(name + "=" + Print(of));
  std::sort(parts.begin(), parts.end());
  return parts.empty() ? value.func().name() : value.func().name() + "[" + str_util::Join(parts, ", ") + "]";
}
inline std::string Print(const OpDef_ArgDef& arg) {
  std::string type = arg.type() != DT_INVALID  ? DataTypeString(arg.type())
                     : arg.type_attr().empty() ? arg.type_list_attr()
                                               : arg.type_attr();
  if (!arg.number_attr().empty()) type = arg.number_attr() + "*" + type;
  return arg.name() + ":" + (arg.is_ref() ? "Ref(" + type + ")" : type);
}
inline std::string Print(const OpDef_AttrDef& attr) {
  std::string out = attr.name() + ":" + (attr.has_allowed_values() ? Print(attr.allowed_values()) : attr.type());
  if (attr.has_default_value()) out += " = " + Print(attr.default_value());
  return out;
}
inline std::string Print(const NodeDef& node) {
  std::vector<std::string> attrs, inputs, controls;
  for (const auto& [name, value] : node.attr()) attrs.push_back(name + "=" + Print(value));
  std::sort(attrs.begin(), attrs.end());
  if (DeviceNameUtils::ParsedName device; !attrs.empty() && !node.device().empty())
    attrs.push_back(DeviceNameUtils::ParseFullName(node.device(), &device)
                        ? strings::StrCat("device=", device.type, ":", device.id)
                        : "device=<FAILED_TO_PARSE>");
  for (const std::string& input : node.input())
    if (input.starts_with('^'))
      controls.push_back(input.substr(1));
    else
      inputs.push_back(input);
  return node.name() + " = " + node.op() + (attrs.empty() ? "" : "[" + str_util::Join(attrs, ", ") + "]") + "(" +
         str_util::Join(inputs, ", ") + ")" + (controls.empty() ? "" : " @ " + str_util::Join(controls, ", "));
}
template <class Items>
std::string PrintAll(const Items& items) {
  std::vector<std::string> parts;
  for (const auto& item : items) parts.push_back(Print(item));
  return str_util::Join(parts, ", ");
}
}  // namespace internal

// "\nname[attrs](arguments) -> (results) {\n  node = Op[attrs](inputs) @ controls\n  return result = node:out:0\n}\n"
inline std::string DebugString(const FunctionDef& function) {
  const OpDef& op = function.signature();
  std::string out = "\n" + op.name();
  if (op.attr_size() > 0) out += "[" + internal::PrintAll(op.attr()) + "]";
  out += "(" + internal::PrintAll(op.input_arg()) + ") -> (" + internal::PrintAll(op.output_arg()) + ") {\n";
  for (const NodeDef& node : function.node_def()) out += "  " + internal::Print(node) + "\n";
  for (const auto& [name, node] : function.control_ret()) out += "  @return " + name + " = " + node + "\n";
  for (const auto& [name, value] : function.ret()) out += "  return " + name + " = " + value + "\n";
  return out + "}\n";
}
// The nodes of InstantiateFunction: "\n(x:float) -> (y:float) {\n  y = ...\n}\n"
inline std::string DebugString(gtl::ArraySlice<NodeDef> nodes) {
  std::vector<std::string> args, results;
  std::string body;
  for (const NodeDef& node : nodes) {
    const auto type = [&node] { return DataTypeString(AttrSlice(node).Find("T")->type()); };
    if (node.op() == FunctionLibraryDefinition::kArgOp || node.op() == FunctionLibraryDefinition::kDeviceArgOp)
      args.push_back(node.name() + ":" + type());
    else if (node.op() == FunctionLibraryDefinition::kRetOp || node.op() == FunctionLibraryDefinition::kDeviceRetOp)
      results.push_back(node.input(0) + ":" + type());
    else
      body += "  " + internal::Print(node) + "\n";
  }
  return "\n(" + str_util::Join(args, ", ") + ") -> (" + str_util::Join(results, ", ") + ") {\n" + body + "}\n";
}
inline std::string DebugString(const std::vector<NodeDef>& nodes) {
  return DebugString(gtl::ArraySlice<NodeDef>(nodes));
}
inline std::string DebugString(const GraphDef& graph) {
  return DebugString(std::vector<NodeDef>(graph.node().begin(), graph.node().end()));
}
inline std::string DebugStringWhole(const GraphDef& graph) {
  std::string out;
  for (const FunctionDef& function : graph.library().function()) out += DebugString(function);
  return out + DebugString(graph);
}

// "MatMul[T=float,transpose_a=false]"; texts are hashed.
inline std::string Canonicalize(const std::string& name, AttrSlice attrs,
                                const FunctionLibraryRuntime::InstantiateOptions& options = {}) {
  std::vector<std::string> parts;
  for (const auto& [attr, value] : attrs)
    parts.push_back(value.value_case() == AttrValue::kS ? strings::StrCat(attr, "=", Fingerprint64(value.s()))
                                                        : attr + "=" + internal::Print(value));
  if (!options.target.empty()) parts.push_back("_target=" + str_util::CEscape(options.target));
  if (!options.state_handle.empty()) parts.push_back("_state_handle=" + options.state_handle);
  if (!options.executor_type.empty()) parts.push_back("_executor_type=" + options.executor_type);
  std::sort(parts.begin(), parts.end());
  return name + "[" + str_util::Join(parts, ",") + "]";
}

inline uint64_t FunctionDefHash(const FunctionDef& function) {
  FunctionDef sorted = function;
  std::sort(sorted.mutable_node_def()->begin(), sorted.mutable_node_def()->end(),
            [](const NodeDef& a, const NodeDef& b) { return a.name() < b.name(); });
  return Hash64(sorted.SerializeAsString());
}

// The types of an argument's tensors. NotFound: an attr is missing.
inline Status ArgNumType(AttrSlice attrs, const OpDef_ArgDef& arg, bool* is_type_list, DataTypeVector* types) {
  types->clear();
  *is_type_list = !arg.type_list_attr().empty();
  const auto find = [&](const std::string& attr, const char* what, const AttrValue** value) {
    *value = attrs.Find(attr);
    return *value != nullptr ? Status() : errors::NotFound(what, attr);
  };
  const AttrValue* value = nullptr;
  if (*is_type_list) {
    TF_RETURN_IF_ERROR(find(arg.type_list_attr(), "type list attr not found: ", &value));
    for (const auto type : value->list().type()) types->push_back(static_cast<DataType>(type));
    return Status();
  }
  int64_t count = 1;
  if (!arg.number_attr().empty()) {
    TF_RETURN_IF_ERROR(find(arg.number_attr(), "type attr not found: ", &value));
    count = value->i();
  }
  DataType type = arg.type();
  if (type == DT_INVALID && !arg.type_attr().empty()) {
    TF_RETURN_IF_ERROR(find(arg.type_attr(), "type attr not found: ", &value));
    type = value->type();
  }
  if (count < 0 || count > tenon::kMaxNodeOutputs)
    return errors::InvalidArgument("Value for number_attr() ", count, " is out of range");
  types->resize(static_cast<std::size_t>(count), arg.is_ref() ? MakeRefType(type) : type);
  return Status();
}

// The device of a resource argument. Handles on several devices: the composite device that the function's argument
// names; its devices go into *devices.
template <class Devices>
std::string GetFunctionResourceInputDevice(const Tensor& input, int arg_index, const FunctionDef& function,
                                           Devices* devices) {
  const auto handles = input.flat<ResourceHandle>();
  const auto found = function.arg_attr().find(static_cast<uint32>(arg_index));
  if (found != function.arg_attr().end())
    if (const auto attr = found->second.attr().find("_composite_device"); attr != found->second.attr().end()) {
      auto& parts = (*devices)[attr->second.s()];
      if (parts.empty())
        for (int64_t i = 0; i < handles.size(); ++i) parts.push_back(handles(i).device());
      return attr->second.s();
    }
  return handles.size() == 0 ? std::string() : handles(0).device();
}

// --------------------------------------------------------------------------------------------------------------- calls
class CallFrameInterface {
 public:
  virtual ~CallFrameInterface() = default;
  virtual size_t num_args() const = 0;
  virtual size_t num_retvals() const = 0;
  virtual Status GetArg(int index, const Tensor** value) = 0;
  virtual void ConsumeArg(int, Tensor*) {}
  virtual bool CanConsumeArg(int) const { return false; }
  virtual Status SetRetval(int index, const Tensor& value) = 0;
};

// The arguments and results of a call. externally synchronised.
class FunctionCallFrame : public CallFrameInterface {
 public:
  FunctionCallFrame(DataTypeSlice args, DataTypeSlice results)
      : arg_types_(args.begin(), args.end()), ret_types_(results.begin(), results.end()), results_(ret_types_.size()) {}
  FunctionCallFrame(const FunctionCallFrame&) = delete;
  FunctionCallFrame& operator=(const FunctionCallFrame&) = delete;

  // InvalidArgument: another number, or a wrong type.
  Status SetArgs(gtl::ArraySlice<Tensor> args) {
    if (args.size() != arg_types_.size())
      return errors::InvalidArgument("Expects ", arg_types_.size(), " arguments, but ", args.size(), " is provided");
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i].dtype() != arg_types_[i])
        return errors::InvalidArgument("Expects arg[", i, "] to be ", DataTypeString(arg_types_[i]), " but ",
                                       DataTypeString(args[i].dtype()), " is provided");
    args_.assign(args.begin(), args.end());
    return Status();
  }
  // Internal: a result was not set.
  Status GetRetvals(std::vector<Tensor>* results) const {
    results->clear();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i]) return errors::Internal("Retval[", i, "] does not have value");
      results->push_back(*results_[i]);
    }
    return Status();
  }
  Status ConsumeRetvals(std::vector<Tensor>* results, bool allow_dead_tensors) {
    results->clear();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i] && !allow_dead_tensors) return errors::Internal("Retval[", i, "] does not have value");
      results->push_back(results_[i] ? std::move(*results_[i]) : Tensor());
      results_[i].reset();
    }
    return Status();
  }
  size_t num_args() const override { return arg_types_.size(); }
  size_t num_retvals() const override { return ret_types_.size(); }
  Status GetArg(int index, const Tensor** value) override {
    if (index < 0 || static_cast<std::size_t>(index) >= args_.size())
      return errors::InvalidArgument("GetArg ", index, " is not within [0, ", args_.size(), ")");
    *value = &args_[static_cast<std::size_t>(index)];
    return Status();
  }
  Status SetRetval(int index, const Tensor& value) override {
    const auto i = static_cast<std::size_t>(index);
    if (index < 0 || i >= results_.size())
      return errors::InvalidArgument("SetRetval ", index, " is not within [0, ", results_.size(), ")");
    if (value.dtype() != ret_types_[i])
      return errors::InvalidArgument("Expects ret[", index, "] to be ", DataTypeString(ret_types_[i]), ", but ",
                                     DataTypeString(value.dtype()), " is provided.");
    if (results_[i]) return errors::Internal("Retval[", index, "] has already been set.");
    results_[i] = value;
    return Status();
  }

 private:
  DataTypeVector arg_types_, ret_types_;
  std::vector<Tensor> args_;
  std::vector<std::optional<Tensor>> results_;
};

}  // namespace tensorflow
