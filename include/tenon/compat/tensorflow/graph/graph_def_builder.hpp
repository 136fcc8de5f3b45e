// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphDefBuilder and ops::SourceOp, UnaryOp and so on: a GraphDef node by node.

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/function_library.hpp>
#include <tenon/compat/tensorflow/graph/graph.hpp>

namespace tensorflow {

// The first mistake is ToGraphDef's; nodes after it are null. one thread.
class GraphDefBuilder {
 public:
  class Options {
   public:
    // Without a status, mistakes end the program.
    Options(Graph* graph, Status* status) : graph_(graph), status_(status) {}
    Options WithName(StringPiece name) const {
      return With([&](Options& o) { o.name_ = std::string(name); });
    }
    Options WithDevice(StringPiece device) const {
      return With([&](Options& o) { o.device_ = std::string(device); });
    }
    Options WithControlInput(Node* input) const {
      return With([&](Options& o) { o.control_inputs_.push_back(input); });
    }
    Options WithControlInputs(gtl::ArraySlice<Node*> inputs) const {
      return With([&](Options& o) { o.control_inputs_.insert(o.control_inputs_.end(), inputs.begin(), inputs.end()); });
    }
    template <class T>
    Options WithAttr(StringPiece name, T&& value) const {
      AttrValue made;
      SetAttrValue(std::forward<T>(value), &made);
      return With([&](Options& o) { o.attrs_.emplace_back(std::string(name), made); });
    }
    template <class T>
    Options WithAttr(StringPiece name, std::initializer_list<T> value) const {
      return WithAttr<std::initializer_list<T>>(name, std::move(value));
    }
    bool HaveError() const { return status_ != nullptr && !status_->ok(); }
    std::string StatusToString() const { return status_->ok() ? "OK" : std::string(status_->message()); }
    std::string GetNameForOp(StringPiece op) const { return name_.empty() ? graph_->NewName(op) : name_; }
    void UpdateStatus(const Status& status) const {
      if (status_ == nullptr)
        TF_CHECK_OK(status);
      else
        status_->Update(status);
    }
    const OpRegistryInterface* op_registry() const { return graph_->op_registry(); }
    // Null after a mistake.
    Node* FinalizeBuilder(NodeBuilder* builder) const {
      builder->ControlInputs(control_inputs_);
      if (!device_.empty()) builder->Device(device_);
      for (const auto& [name, value] : attrs_) builder->Attr(name, value);
      Node* node = nullptr;
      if (!HaveError()) UpdateStatus(builder->Finalize(graph_, &node));
      return node;
    }

   private:
    template <class Change>
    Options With(const Change& change) const {
      Options changed = *this;
      change(changed);
      return changed;
    }
    Graph* graph_;
    Status* status_;
    std::string name_, device_;
    std::vector<Node*> control_inputs_;
    std::vector<std::pair<std::string, AttrValue>> attrs_;
  };

  explicit GraphDefBuilder(const OpRegistryInterface* registry = OpRegistry::Global())
      : graph_(registry), functions_(registry), options_(&graph_, &status_) {}
  enum TestFailImmediatelyType { kFailImmediately };
  explicit GraphDefBuilder(TestFailImmediatelyType, const OpRegistryInterface* registry = OpRegistry::Global())
      : graph_(registry), functions_(registry), options_(&graph_, nullptr) {}

  const Options& opts() const { return options_; }
  Status ToGraphDef(GraphDef* graph) const {
    TF_RETURN_IF_ERROR(status_);
    graph_.ToGraphDef(graph);
    if (functions_.num_functions() > 0) *graph->mutable_library() = functions_.ToProto();
    return Status();
  }
  Status AddFunctionLibrary(const FunctionDefLibrary& library) { return functions_.AddLibrary(library); }
  bool HasFunction(const std::string& name) { return functions_.Contains(name); }

 private:
  Graph graph_;
  FunctionLibraryDefinition functions_;
  Status status_;
  Options options_;
};
inline Status GraphDefBuilderToGraph(const GraphDefBuilder& builder, Graph* graph) {
  GraphDef graph_def;
  TF_RETURN_IF_ERROR(builder.ToGraphDef(&graph_def));
  return ConvertGraphDefToGraph({}, graph_def, graph);
}

namespace ops {
using NodeOut = NodeBuilder::NodeOut;

namespace internal {
inline Node* NodeOf(const std::string& op, std::initializer_list<NodeOut> inputs,
                    const GraphDefBuilder::Options& options) {
  if (options.HaveError()) return nullptr;
  NodeBuilder builder(options.GetNameForOp(op), op, options.op_registry());
  for (const NodeOut& input : inputs) builder.Input(input);
  return options.FinalizeBuilder(&builder);
}
}  // namespace internal
inline Node* SourceOp(const std::string& op, const GraphDefBuilder::Options& options) {
  return internal::NodeOf(op, {}, options);
}
inline Node* UnaryOp(const std::string& op, NodeOut a, const GraphDefBuilder::Options& options) {
  return internal::NodeOf(op, {a}, options);
}
inline Node* BinaryOp(const std::string& op, NodeOut a, NodeOut b, const GraphDefBuilder::Options& options) {
  return internal::NodeOf(op, {a, b}, options);
}
inline Node* TernaryOp(const std::string& op, NodeOut a, NodeOut b, NodeOut c,
                       const GraphDefBuilder::Options& options) {
  return internal::NodeOf(op, {a, b, c}, options);
}
}  // namespace ops

}  // namespace tensorflow
