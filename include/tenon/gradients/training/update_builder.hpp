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

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Nodes of a training step that several variables share. one thread.
struct TrainingNodes {
  // A variable that the optimizer adds, by name.
  struct Slot {
    std::string name;
    Symbol handle;
  };
  GraphEditor* editor = nullptr;
  int ready = -1;  // a node that waits for all gradients
  SlimVector<Slot> slots;
  SlimVector<int> initializers;  // nodes that set the slots
  SlimVector<int> updates;  // nodes that change variables and slots
  SlimVector<int> last;  // nodes that run after all `updates`
};

// One variable. one thread.
class UpdateBuilder {
 public:
  // For a variable and its gradient. `nodes` outlives this.
  UpdateBuilder(TrainingNodes* nodes, Symbol variable, const TensorGradient& gradient)
      : nodes_(*nodes), editor_(*nodes->editor), variable_(variable), gradient_(gradient) {
    type_ = editor_.At(gradient.is_slices() ? gradient.values : gradient.dense).dtype();
    if (gradient.is_slices()) SumRows();
  }

  // The handle of the variable.
  Symbol variable() const { return variable_; }
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

  // A variable like this one, "variable/name", which begins with the value everywhere.
  Symbol slot(std::string_view name, double value) {
    const auto* const held = editor_.refiner().Held(variable_.edge());
    const PartialTensorShape shape = held != nullptr && !held->empty() ? (*held)[0].shape : PartialTensorShape();
    const Symbol handle = AddVariable(StrCat(editor_.graph().node(variable_.node).name(), "/", name), shape);
    const Symbol start = editor_.Add("Fill", {editor_.Add("VariableShape", {variable_}), number(value)});
    Initialize(handle, start);
    return handle;
  }
  // A scalar that all variables share, which begins with the value. *made says whether it is new.
  Symbol shared(std::string_view name, double value, bool* made) {
    for (const TrainingNodes::Slot& slot : nodes_.slots)
      if (slot.name == name) return *made = false, slot.handle;
    const Symbol handle = AddVariable(std::string(name), PartialTensorShape(TensorShape()));
    Initialize(handle, number(value));
    nodes_.slots.push_back({std::string(name), handle});
    *made = true;
    return handle;
  }
  // The value of a variable.
  Symbol Read(Symbol handle) { return editor_.Add("ReadVariableOp", {handle}, {{"dtype", type_}}); }

  // Adds ResourceApply... or, for rows, ResourceSparseApply..., whose inputs have the indices after the gradient.
  void Apply(std::string_view rule, std::initializer_list<Symbol> inputs,
             std::initializer_list<GraphEditor::Attr> attrs = {}) {
    SlimVector<GraphEditor::Input> all;
    const Symbol gradient = this->gradient();
    for (const Symbol input : inputs) {
      all.push_back(input);
      if (is_sparse() && input == gradient) all.push_back(indices());
    }
    const std::string op = StrCat(is_sparse() ? "ResourceSparseApply" : "ResourceApply", rule);
    Update(editor_.AddNode(op, all, {attrs.begin(), attrs.size()}));
  }
  // The node changes a variable: it waits until all gradients are there.
  void Update(Symbol node) {
    if (!node) return;
    editor_.graph().AddControlEdge(nodes_.ready, node.node);
    nodes_.updates.push_back(node.node);
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
  Symbol AddVariable(const std::string& name, const PartialTensorShape& shape) {
    const std::string unique = editor_.UniqueName(name);
    return editor_.Add("VarHandleOp", {}, {{"dtype", type_}, {"shape", shape}, {"shared_name", unique}});
  }
  void Initialize(Symbol handle, Symbol value) {
    if (const Symbol set = editor_.Add("AssignVariableOp", {handle, value}); set)
      nodes_.initializers.push_back(set.node);
  }

  TrainingNodes& nodes_;
  GraphEditor& editor_;
  Symbol variable_;
  TensorGradient gradient_;
  DataType type_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
