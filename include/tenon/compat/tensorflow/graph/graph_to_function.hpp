// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphToFunctionDef: a graph of _Arg and _Retval nodes as a function.

#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/function.hpp>
#include <tenon/compat/tensorflow/graph/graph.hpp>

namespace tensorflow {
namespace internal {

// Names within a function: each once.
class FunctionNames {
 public:
  std::string Unique(const std::string& name) {
    std::string candidate = name;
    while (!used_.emplace(candidate, 0).second) candidate = strings::StrCat(name, "_", used_[name]++);
    return candidate;
  }
  // Lower-case letters, digits and '_', from the first letter on.
  std::string UniqueArgument(std::string name) {
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
    const std::size_t letter = name.find_first_of("abcdefghijklmnopqrstuvwxyz");
    return Unique(letter == std::string::npos ? "unknown" : name.substr(letter));
  }

 private:
  std::map<std::string, int> used_;
};

}  // namespace internal

// `control_ret(node)` gives the control output that a node is, if it is one. InvalidArgument: indices of arguments or
// results that are missing or twice; an input without an edge.
inline Status GraphToFunctionDef(const Graph& graph, const std::string& name,
                                 const std::function<std::optional<std::string>(const Node*)>& control_ret,
                                 FunctionDef* function) {
  internal::FunctionNames names;
  std::map<const Node*, std::string> name_of;
  std::map<std::pair<const Node*, int>, std::string> name_of_output;
  std::map<int, const Node*> args, results;
  function->Clear();
  OpDef* const signature = function->mutable_signature();
  signature->set_name(name);
  for (const Node* const node : graph.op_nodes()) {
    const bool is_arg = node->IsArg(), is_argument = is_arg || node->IsRetval();
    const std::string& of = name_of[node] =
        is_argument ? names.UniqueArgument(node->name()) : names.Unique(node->name());
    if (is_argument) {
      int index = 0;
      TF_RETURN_IF_ERROR(GetNodeAttr(node->attrs(), "index", &index));
      if (!(is_arg ? args : results).emplace(index, node).second)
        return errors::InvalidArgument("Multiple ", node->type_string(), " nodes with index ", index);
      name_of_output[{node, 0}] = of;
      continue;
    }
    NameRangeMap outputs;
    TF_RETURN_IF_ERROR(NameRangesForNode(node->def(), node->op_def(), nullptr, &outputs));
    for (const auto& [output, range] : outputs)
      for (int i = range.first; i < range.second; ++i)
        name_of_output[{node, i}] = strings::StrCat(of, ":", output, ":", i - range.first);
  }
  const auto input_of = [&](const Node* node, int i, std::string* input) -> Status {
    const Edge* edge = nullptr;
    if (!node->input_edge(i, &edge).ok())
      return errors::InvalidArgument("Input ", i, " of node '", node->name(),
                                     "' is missing; each input must have an edge");
    *input = name_of_output[{edge->src(), edge->src_output()}];
    return Status();
  };
  for (const auto* const list : {&args, &results}) {
    int expected = 0;
    for (const auto& [index, node] : *list) {
      if (index != expected++)
        return errors::InvalidArgument("Missing ", node->type_string(), " node at index ", expected - 1);
      DataType type = DT_INVALID;
      TF_RETURN_IF_ERROR(GetNodeAttr(node->attrs(), "T", &type));
      OpDef_ArgDef* const argument = list == &args ? signature->add_input_arg() : signature->add_output_arg();
      argument->set_name(name_of[node]);
      argument->set_type(type);
      if (list == &results) TF_RETURN_IF_ERROR(input_of(node, 0, &(*function->mutable_ret())[name_of[node]]));
      for (const auto& [key, value] : node->attrs())
        if (list == &args && key.starts_with('_'))
          (*(*function->mutable_arg_attr())[static_cast<uint32>(index)].mutable_attr())[key] = value;
    }
  }
  for (const Node* const node : graph.op_nodes()) {
    if (node->IsArg() || node->IsRetval()) continue;
    NodeDef* const def = function->add_node_def();
    *def = node->def();
    def->set_name(name_of[node]);
    if (node->has_assigned_device_name()) def->set_device(node->assigned_device_name());
    def->clear_input();
    for (int i = 0; i < node->num_inputs(); ++i) {
      std::string input;
      TF_RETURN_IF_ERROR(input_of(node, i, &input));
      def->add_input(input);
    }
    for (const Edge* const edge : node->in_edges())
      if (edge->IsControlEdge() && edge->src()->IsOp()) def->add_input("^" + name_of[edge->src()]);
    if (node->op_def().is_stateful()) signature->set_is_stateful(true);
    const std::optional<std::string> control = control_ret ? control_ret(node) : std::nullopt;
    if (!control) continue;
    signature->add_control_output(*control);
    (*function->mutable_control_ret())[*control] = name_of[node];
  }
  return Status();
}
inline Status GraphToFunctionDef(const Graph& graph, const std::string& name, FunctionDef* function) {
  return GraphToFunctionDef(graph, name, nullptr, function);
}

}  // namespace tensorflow
