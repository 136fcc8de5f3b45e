// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionWriter: a part of a graph as a FunctionDef. Any tensors of the graph may become the arguments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Writes one function. one thread.
//
//   FunctionWriter writer(graph, "f");
//   writer.AddArg(x);
//   writer.AddResult(y);
//   TENON_ASSIGN_OR_RETURN(FunctionDef f, writer.Write());
class FunctionWriter {
 public:
  // Nodes before `first_node` may be arguments only, other than constants and those that Allow names. The graph
  // outlives the writer.
  FunctionWriter(const Graph& graph, std::string name, int first_node = 0)
      : graph_(graph), name_(std::move(name)), first_node_(first_node) {
    std::size_t outputs = 0;
    for (const Node& node : graph.nodes()) {
      first_output_.push_back(outputs);
      outputs += ToSize(node.num_outputs());
    }
    arg_of_.resize(outputs, -1);
    replaced_.resize(outputs);
    allowed_.resize(ToSize(graph.num_nodes()), 0);
  }

  // The tensor becomes the next argument. Readers of the tensor read the argument.
  void AddArg(InEdge edge) {
    if (arg_of_[At(edge)] < 0) arg_of_[At(edge)] = static_cast<int>(args_.size());
    args_.push_back(edge);
  }
  bool IsArg(InEdge edge) const { return arg_of_[At(edge)] >= 0; }
  // Readers of `from` read `to`.
  void Replace(InEdge from, InEdge to) { replaced_[At(from)] = to; }
  void AddResult(InEdge edge) { results_.push_back(edge); }
  // The function may have a node before `first_node`, which then runs in it, too.
  void Allow(int node) { allowed_[ToSize(node)] = 1; }
  // The function has the node, whether a result needs it or not, and runs it.
  void Keep(int node) { kept_.push_back(node); }
  void AddControlResult(std::string node) { control_results_.push_back(std::move(node)); }

  // InvalidArgument: a result needs a node before `first_node`.
  Result<FunctionDef> Write() {
    FunctionDef out;
    out.signature.name = name_;
    SlimVector<char> used(ToSize(graph_.num_nodes()), 0);
    SlimVector<int> stack;
    const auto use = [&](int id) {
      if (graph_.node(id).node_class != NodeClass::kArg && std::exchange(used[ToSize(id)], 1) == 0) stack.push_back(id);
    };
    for (const int id : kept_) use(id);
    for (const InEdge edge : results_)
      if (!IsArg(Final(edge))) use(Final(edge).node);
    while (!stack.empty()) {
      const Node& node = graph_.node(stack.back());
      stack.pop_back();
      if (node.id < first_node_ && node.node_class != NodeClass::kConstant && allowed_[ToSize(node.id)] == 0)
        return errors::InvalidArgument("FunctionWriter: '", name_, "' needs node '", node.name(),
                                       "', which is not an argument");
      for (const InEdge& edge : node.inputs)
        if (!IsArg(Final(edge))) use(Final(edge).node);
    }
    NameArgs();
    for (std::size_t i = 0; i < args_.size(); ++i) {
      OpDef::ArgDef& arg = out.signature.input_arg.emplace_back();
      arg.name = arg_names_[i];
      arg.type = TypeOf(args_[i]);
      AttrMap attrs;
      const Node& source = graph_.node(args_[i].node);
      if (source.node_class == NodeClass::kArg)
        for (const auto& [key, value] : source.def.attr)
          if (StartsWith(key, "_") && key != "_output_shapes") attrs.Set(key, value);
      if (!attrs.empty()) out.arg_attr.emplace_back(static_cast<std::uint32_t>(i), std::move(attrs));
    }
    for (const Node& node : graph_.nodes()) {
      if (used[ToSize(node.id)] == 0) continue;
      NodeDef def = node.def;
      def.input.clear();
      for (const InEdge& edge : node.inputs) def.input.push_back(NameOf(Final(edge)));
      for (const int control : node.control_inputs)
        if (used[ToSize(control)] != 0) def.input.push_back(StrCat("^", graph_.node(control).name()));
      out.node_def.push_back(std::move(def));
      out.signature.is_stateful = out.signature.is_stateful || node.op->flags.is_stateful;
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      OpDef::ArgDef& arg = out.signature.output_arg.emplace_back();
      arg.name = StrCat("result", i);
      arg.type = TypeOf(results_[i]);
      out.ret.emplace_back(arg.name, NameOf(Final(results_[i])));
    }
    for (const std::string& node : control_results_) {
      out.signature.control_output.push_back(node);
      out.control_ret.emplace_back(node, node);
    }
    detail::SortByKey(&out.ret);
    detail::SortByKey(&out.control_ret);
    return out;
  }

 private:
  std::size_t At(InEdge edge) const { return first_output_[ToSize(edge.node)] + ToSize(edge.output); }
  InEdge Final(InEdge edge) const { return replaced_[At(edge)].node >= 0 ? replaced_[At(edge)] : edge; }
  DataType TypeOf(InEdge edge) const { return BaseType(graph_.node(edge.node).output_type(edge.output)); }
  void NameArgs() {
    for (std::size_t i = 0; i < args_.size(); ++i) {
      std::string name = StrCat("arg", i);
      while (graph_.Find(name) != nullptr) name += "_";
      arg_names_.push_back(std::move(name));
    }
  }
  // "arg0", or "node:output:1" by the name of an output argument.
  std::string NameOf(InEdge edge) const {
    if (IsArg(edge)) return arg_names_[ToSize(arg_of_[At(edge)])];
    const Node& node = graph_.node(edge.node);
    const auto find = [&node](const AttrSpec& spec, ArgAttrValue* value) {
      const AttrValue* const attr = node.def.attr.Find(spec.name());
      value->number = attr->i();
      value->type = attr->type();
      value->types = attr->list().type;
      return true;
    };
    std::int64_t first = 0;
    for (const ArgSpec& arg : node.op->outputs) {
      const std::int64_t count = node.op->ArgCount(arg, find);
      if (edge.output < first + count) return StrCat(node.name(), ":", arg.name(), ":", edge.output - first);
      first += count;
    }
    return node.name();
  }

  const Graph& graph_;
  std::string name_;
  int first_node_;
  SlimVector<std::size_t> first_output_;  // per node
  SlimVector<int> arg_of_;                // per output of each node
  SlimVector<InEdge> replaced_;           // per output of each node
  SlimVector<InEdge> args_, results_;
  SlimVector<int> kept_;
  SlimVector<char> allowed_;  // per node
  SlimVector<std::string> arg_names_, control_results_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
