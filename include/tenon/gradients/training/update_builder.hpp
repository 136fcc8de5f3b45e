// SPDX-License-Identifier: Apache-2.0
#pragma once
// UpdateBuilder: the view that an optimizer has of one variable: its gradient, its slots, and the nodes that update it.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/learning_rate.hpp>
#include <tenon/gradients/training/training_nodes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// One variable. one thread.
class UpdateBuilder {
 public:
  // For a variable and its gradient. `nodes` outlives this.
  UpdateBuilder(TrainingNodes* nodes, Symbol variable, const TensorGradient& gradient)
      : nodes_(*nodes), editor_(*nodes->editor), variable_(variable), gradient_(gradient), ready_(nodes->ready) {
    type_ = editor_.At(gradient.is_slices() ? gradient.values : gradient.dense).dtype();
    if (gradient.is_slices()) SumRows();
  }

  // The handle of the variable, or its reference in TensorFlow 1.
  Symbol variable() const { return variable_; }
  // Whether a variable or a slot is a reference of TensorFlow 1 (VariableV2).
  bool is_reference(Symbol handle) const { return TrainingNodes::IsReference(editor_, handle); }
  // The type of the variable.
  DataType type() const { return type_; }
  // Whether the gradient is rows of the variable.
  bool is_sparse() const { return gradient_.is_slices(); }
  // The gradient: a tensor, or the rows of slices, each row of the variable once.
  Symbol gradient() { return editor_.At(is_sparse() ? gradient_.values : gradient_.dense); }
  // The numbers of the rows.
  Symbol indices() { return editor_.At(gradient_.indices); }
  // Makes slices dense: for rules that change every row.
  void MakeDense() {
    if (is_sparse()) gradient_ = {DenseOf(editor_, gradient_).edge(), {}, {}, {}};
  }
  // A constant of the type of the variable.
  Symbol number(double value) { return editor_.Scalar(type_, value); }
  // The learning rate of this step, in the type of the variable.
  Symbol number(const LearningRate& rate) { return nodes_.RateOf(rate, type_); }
  // The number of steps before this one: an int64.
  Symbol iteration() { return nodes_.Iteration(); }
  // The name of the variable's node.
  const std::string& name() const { return editor_.graph().node(variable_.node).name(); }

  // A variable like this one, "variable/name", which begins with the value everywhere.
  Symbol slot(std::string_view name, double value) {
    const Symbol shape = editor_.Add(is_reference(variable_) ? "Shape" : "VariableShape", {variable_});
    return slot(name, editor_.Add("Fill", {shape, number(value)}));
  }
  // Does so for a variable that begins with a tensor of the shape of this one.
  Symbol slot(std::string_view name, Symbol start) {
    const auto* const held = editor_.refiner().Held(variable_.edge());
    PartialTensorShape shape = held != nullptr && !held->empty() ? (*held)[0].shape : PartialTensorShape();
    if (is_reference(variable_)) shape = variable_.shape();
    const Symbol handle = nodes_.AddVariable(StrCat(this->name(), "/", name), type_, shape, is_reference(variable_));
    nodes_.Initialize(handle, start);
    return handle;
  }
  // A scalar that all variables of the type share, which begins with `start`. *made says whether it is new.
  TrainingNodes::Shared shared(std::string_view name, double start, bool* made) {
    return nodes_.Scalar(name, type_, start, made);
  }
  // The value of a variable or of a slot, after the updates before the last Then().
  Symbol Read(Symbol handle) {
    const Symbol value = First(handle);
    if (value) editor_.graph().AddControlEdge(ready_, value.node);
    return value;
  }
  // The value of a variable or of a slot when the step begins, or when the slots get their first values.
  Symbol First(Symbol handle) {
    return is_reference(handle) ? editor_.Add("Identity", {handle})
                                : editor_.Add("ReadVariableOp", {handle}, {{"dtype", type_}});
  }
  // The variable or the slot becomes the value.
  void Assign(Symbol handle, Symbol value) {
    Update(editor_.Add(is_reference(handle) ? "Assign" : "AssignVariableOp", {handle, value}));
  }
  // Takes a tensor off a variable or a slot.
  void Subtract(Symbol handle, Symbol value) {
    Update(editor_.Add(is_reference(handle) ? "AssignSub" : "AssignSubVariableOp", {handle, value}));
  }
  // Takes rows off the variable: those of indices().
  void SubtractRows(Symbol values) {
    Update(editor_.Add(is_reference(variable_) ? "ScatterSub" : "ResourceScatterSub", {variable_, indices(), values}));
  }

  // Adds ResourceApply... or, for rows, ResourceSparseApply..., whose inputs have the indices after the gradient.
  // References of TensorFlow 1 have Apply... and SparseApply...
  void Apply(std::string_view rule, std::initializer_list<Symbol> inputs,
             std::initializer_list<GraphEditor::Attr> attrs = {}) {
    SlimVector<GraphEditor::Input> all;
    const Symbol gradient = this->gradient();
    for (const Symbol input : inputs) {
      all.push_back(input);
      if (is_sparse() && input == gradient) all.push_back(indices());
    }
    const std::string op =
        StrCat(is_reference(variable_) ? "" : "Resource", is_sparse() ? "SparseApply" : "Apply", rule);
    Update(editor_.AddNode(op, all, {attrs.begin(), attrs.size()}));
  }
  // The node changes a variable: it waits until all gradients are there.
  void Update(Symbol node) {
    if (!node) return;
    editor_.graph().AddControlEdge(ready_, node.node);
    nodes_.updates.push_back(node.node);
    own_.push_back(node.node);
  }
  // Later reads and updates of this variable wait for the updates so far.
  void Then() {
    if (own_.empty()) return;
    if (own_.size() == 1) {
      ready_ = own_[0];
    } else if (const Symbol group = editor_.Add("NoOp", {}); group) {
      for (const int node : own_) editor_.graph().AddControlEdge(node, group.node);
      ready_ = group.node;
    }
    own_.clear();
  }
  // The node runs after all updates.
  void Last(Symbol node) {
    if (node) nodes_.last.push_back(node.node);
  }
  // The editor of the graph.
  GraphEditor& editor() { return editor_; }

 private:
  // Sums rows of the same index.
  void SumRows() {
    const Symbol unique = editor_.Add("Unique", {editor_.At(gradient_.indices)});
    GradientBuilder builder(&editor_, nullptr, variable_.node, {});
    const Symbol count = builder.Item(editor_.Add("Shape", {unique}), 0);
    gradient_.values = editor_.Add("UnsortedSegmentSum", {editor_.At(gradient_.values), unique[1], count}).edge();
    gradient_.indices = unique.edge();
  }

  TrainingNodes& nodes_;
  GraphEditor& editor_;
  Symbol variable_;
  TensorGradient gradient_;
  DataType type_;
  int ready_;  // reads and updates wait for this node
  SlimVector<int> own_;  // updates since the last Then()
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
