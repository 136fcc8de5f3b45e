// SPDX-License-Identifier: Apache-2.0
#pragma once
// TrainingNodes: the nodes of a training step that several variables share.

#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/learning_rate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Nodes of one training step. one thread.
struct TrainingNodes {
  // A scalar variable that the optimizer adds, and its value before the step.
  struct Shared {
    std::string name;
    DataType type = DataType::kInvalid;
    Symbol handle, value;
  };
  // The value of a schedule in the type of a variable.
  struct Rate {
    const void* schedule = nullptr;
    DataType type = DataType::kInvalid;
    Symbol value;
  };
  GraphEditor* editor = nullptr;
  int ready = -1;  // a node that waits for the loss and all gradients
  SlimVector<Shared> shared;
  SlimVector<Rate> rates;
  SlimVector<int> initializers;  // nodes that set the slots
  SlimVector<int> updates;  // nodes that change variables and slots
  SlimVector<int> last;  // nodes that run after all `updates`
  SlimVector<int> always;  // nodes that run in each step, also in one that a loss scale leaves out

  // Whether the tensor is a reference of TensorFlow 1.
  static bool IsReference(GraphEditor& editor, Symbol s) {
    return s && IsRefType(editor.graph().node(s.node).output_type(s.edge().output));
  }
  // Adds a variable, whose name is made unique: its handle, or a reference of TensorFlow 1.
  Symbol AddVariable(std::string_view name, DataType type, const PartialTensorShape& shape, bool reference = false) {
    const std::string unique = editor->UniqueName(name);
    return editor->Add(reference ? "VariableV2" : "VarHandleOp", {},
                       {{"dtype", type}, {"shape", shape}, {"shared_name", unique}});
  }
  // The variable begins with the value.
  void Initialize(Symbol handle, Symbol value) {
    const std::string_view op = IsReference(*editor, handle) ? "Assign" : "AssignVariableOp";
    if (const Symbol set = editor->Add(op, {handle, value}); set) initializers.push_back(set.node);
  }
  // A scalar variable for all variables of a type, made when first asked for. *made says whether it is new. The
  // reference is valid until the next call.
  const Shared& Scalar(std::string_view name, DataType type, double start, bool* made) {
    for (const Shared& one : shared)
      if (one.name == name && one.type == type) return *made = false, one;
    const Symbol handle = AddVariable(name, type, PartialTensorShape(TensorShape()));
    Initialize(handle, editor->Scalar(type, start));
    const Symbol value = editor->Add("ReadVariableOp", {handle}, {{"dtype", type}});
    *made = true;
    return shared.emplace_back(Shared{std::string(name), type, handle, value});
  }
  // The number of steps before this one: an int64.
  Symbol Iteration() {
    bool made = false;
    const Shared count = Scalar("iteration", DataType::kInt64, 0, &made);
    if (made) {
      const Symbol add = editor->Add("AssignAddVariableOp", {count.handle, editor->Scalar(DataType::kInt64, 1)});
      if (add) last.push_back(add.node);
    }
    return count.value;
  }
  // A learning rate of this step.
  Symbol RateOf(const LearningRate& rate, DataType type) {
    if (rate.is_number()) return editor->Scalar(type, rate.value());
    for (const Rate& one : rates)
      if (one.schedule == rate.schedule() && one.type == type) return one.value;
    Symbol value = rate.At(*editor, Iteration());
    if (value.dtype() != type) value = editor->Add("Cast", {value}, {{"DstT", type}});
    rates.push_back({rate.schedule(), type, value});
    return value;
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
