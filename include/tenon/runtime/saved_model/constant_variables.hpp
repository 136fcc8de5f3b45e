// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReplaceVariables: variables of a GraphDef become constants.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline bool IsVariableOp(std::string_view op) { return op == "VarHandleOp" || op == "VariableV2" || op == "Variable"; }

// one thread. Follows each handle or reference to the nodes that read it.
class VariablesToConstants {
 public:
  // Returns the value of the variable of a node.
  using Values = Function<Result<Tensor>(const NodeDef& node)>;

  VariablesToConstants(GraphDef* graph, const OpRegistry& ops, Values values)
      : graph_(*graph), ops_(ops), values_(std::move(values)), given_(graph->node.size()) {}

  Status Run() {
    index_.Reserve(given_);
    for (std::size_t i = 0; i < given_; ++i) index_.Insert(graph_.node[i].name, static_cast<int>(i), NameOf{&graph_});
    readers_.resize(given_);
    for (std::size_t i = 0; i < given_; ++i) {
      for (std::size_t k = 0; k < graph_.node[i].input.size(); ++k) {
        const TensorName name = ParseTensorName(graph_.node[i].input[k]);
        const int from = index_.Find(name.node, NameOf{&graph_});
        if (from >= 0 && name.output != kControlSlot) readers_[ToSize(from)].push_back({i, k, name.output});
      }
    }
    for (std::size_t i = 0; i < given_; ++i) {
      if (!IsVariableOp(graph_.node[i].op)) continue;
      TENON_ASSIGN_OR_RETURN(const Tensor value, values_(graph_.node[i]));
      TENON_RETURN_IF_ERROR(Follow(i, value.dtype()));
      ToConst(value, &graph_.node[i]);
    }
    return OkStatus();
  }

 private:
  struct Reader {
    std::size_t node, input;
    int output;  // output of the other node
  };
  struct Passed {
    std::size_t node;
    int output;
  };
  struct NameOf {
    const GraphDef* graph;
    std::string_view operator()(int i) const { return graph->node[ToSize(i)].name; }
  };

  static void ToConst(Tensor value, NodeDef* node) {
    AttrMap attrs;
    attrs.Set("dtype", AttrValue(value.dtype()));
    attrs.Set("value", AttrValue(std::move(value)));
    node->op = "Const";
    node->attr = std::move(attrs);
  }

  // Rewrites all nodes that the handle or reference of `variable` comes to.
  Status Follow(std::size_t variable, DataType dtype) {
    variable_ = variable;
    SlimVector<Passed> todo{{variable, 0}}, seen;
    while (!todo.empty()) {
      const Passed passed = todo.back();
      todo.pop_back();
      bool again = false;
      for (const Passed& known : seen) again |= known.node == passed.node && known.output == passed.output;
      if (again) continue;
      seen.push_back(passed);
      for (const Reader& reader : readers_[passed.node])
        if (reader.output == passed.output) TENON_RETURN_IF_ERROR(Rewrite(reader, dtype, &todo));
    }
    return OkStatus();
  }

  Status Rewrite(const Reader& reader, DataType dtype, SlimVector<Passed>* todo) {
    NodeDef& node = graph_.node[reader.node];
    std::string_view op = node.op;
    if (op == "ReadVariableOp") return Become("Identity", {{"T", AttrValue(dtype)}}, &node);
    if (op == "ResourceGather") return BecomeGather(dtype, &node);
    if (op == "ResourceGatherNd")
      return Become("GatherNd", {{"Tparams", AttrValue(dtype)}, {"Tindices", AttrOf(node, "Tindices")}}, &node);
    if (op == "VariableShape") {
      const AttrValue* const out = node.attr.Find("out_type");
      return Become(
          "Shape", {{"T", AttrValue(dtype)}, {"out_type", out != nullptr ? *out : AttrValue(DataType::kInt32)}}, &node);
    }
    if (op == "VarIsInitializedOp" || op == "IsVariableInitialized") {
      KeepControls(&node);
      ToConst(Tensor::From<bool>({true}, TensorShape()), &node);
      return OkStatus();
    }
    if (op == "DisableCopyOnRead") {
      KeepControls(&node);
      return Become("NoOp", {}, &node);
    }
    const bool was_reference = StartsWith(op, "Ref");
    if (was_reference) op.remove_prefix(3);
    if (op == "Identity" || op == "Switch" || op == "Merge" || op == "Enter" || op == "Exit" || op == "NextIteration") {
      const AttrValue* const type = node.attr.Find("T");
      if (!was_reference && (type == nullptr || type->type() != DataType::kResource)) return OkStatus();
      node.attr.Set("T", AttrValue(dtype));
      if (was_reference) node.op = std::string(op);
      todo->push_back({reader.node, 0});
      if (op == "Switch") todo->push_back({reader.node, 1});
      return OkStatus();
    }
    if (op == "IdentityN") {
      AttrValue* const types = node.attr.Find("T");
      if (types == nullptr || types->kind() != AttrValue::Kind::kList || reader.input >= types->list().type.size())
        return Refused(node);
      types->mutable_list()->type[reader.input] = dtype;
      todo->push_back({reader.node, static_cast<int>(reader.input)});
      return OkStatus();
    }
    // A reference is a value for all but the ops that want a reference.
    const OpView* const known = ops_.Find(node.op);
    if (graph_.node[variable_].op == "VarHandleOp" || known == nullptr || WantsReference(*known, reader.input))
      return Refused(node);
    return OkStatus();
  }
  // Counts arguments: no op has a list before a reference.
  static bool WantsReference(const OpView& op, std::size_t input) {
    return input < op.inputs.size() && op.inputs[input].is_ref;
  }

  static AttrValue AttrOf(const NodeDef& node, std::string_view name) {
    const AttrValue* const value = node.attr.Find(name);
    return value != nullptr ? *value : AttrValue();
  }
  static Status Become(std::string_view op, std::initializer_list<std::pair<std::string, AttrValue>> attrs,
                       NodeDef* node) {
    node->op = std::string(op);
    AttrMap kept;
    if (const AttrValue* const group = node->attr.Find("_class"); group != nullptr) kept.Set("_class", *group);
    for (const auto& [name, value] : attrs) kept.Set(name, value);
    node->attr = std::move(kept);
    return OkStatus();
  }
  static void KeepControls(NodeDef* node) {
    SlimVector<std::string> inputs;
    for (std::string& input : node->input)
      if (input.starts_with('^')) inputs.push_back(std::move(input));
    node->input = std::move(inputs);
  }
  Status BecomeGather(DataType dtype, NodeDef* node) {
    const AttrValue* const batch = node->attr.Find("batch_dims");
    const std::int64_t batch_dims = batch != nullptr ? batch->i() : 0;
    NodeDef axis;
    axis.name = node->name + "/axis";
    while (index_.Find(axis.name, NameOf{&graph_}) >= 0) axis.name += '_';
    // In the frame of the node that reads it.
    axis.input.push_back("^" + std::string(ParseTensorName(node->input[1]).node));
    ToConst(Tensor::From<std::int32_t>({static_cast<std::int32_t>(batch_dims)}, TensorShape()), &axis);
    node->input.insert(node->input.begin() + 2, axis.name);
    TENON_RETURN_IF_ERROR(Become("GatherV2",
                                 {{"Tparams", AttrValue(dtype)},
                                  {"Tindices", AttrOf(*node, "Tindices")},
                                  {"Taxis", AttrValue(DataType::kInt32)},
                                  {"batch_dims", AttrValue(batch_dims)}},
                                 node));
    const std::string name = axis.name;
    graph_.node.push_back(std::move(axis));
    index_.Insert(name, static_cast<int>(graph_.node.size()) - 1, NameOf{&graph_});
    return OkStatus();
  }
  TENON_DETAIL_COLD Status Refused(const NodeDef& node) const {
    return errors::FailedPrecondition("ReplaceVariables: node '", node.name, "' of op '", node.op,
                                      "' takes the variable '", graph_.node[variable_].name,
                                      "' itself, not its value, so that it cannot become a constant: a graph that ",
                                      "only reads its variables is wanted");
  }

  GraphDef& graph_;
  const OpRegistry& ops_;
  Values values_;
  const std::size_t given_;  // nodes before
  NameIndex index_;
  SlimVector<SlimVector<Reader>> readers_;  // per node given
  std::size_t variable_ = 0;  // that is followed
};

}  // namespace detail

// Makes each variable of the graph (VarHandleOp, VariableV2, Variable) a constant with the value that `values` gives,
// and the nodes that read it the ops that read tensors. Functions are not changed: inline calls before. Returns the
// errors of `values`. FailedPrecondition: a node writes to a variable, or gives its handle to a function.
inline Status ReplaceVariables(GraphDef* graph, const OpRegistry& ops, detail::VariablesToConstants::Values values) {
  return detail::VariablesToConstants(graph, ops, std::move(values)).Run();
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
