// SPDX-License-Identifier: Apache-2.0
#pragma once
// StepBuilder: the view that a part of an optimizer has of a whole step: all variables and their gradients.

#include <cstddef>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/training_nodes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A training step. one thread.
class StepBuilder {
 public:
  // All outlive this.
  StepBuilder(TrainingNodes* nodes, Symbol loss, SlimVector<TensorGradient>* gradients)
      : nodes_(*nodes), loss_(loss), gradients_(*gradients) {}

  // The loss that the caller named.
  Symbol loss() const { return loss_; }
  // The number of variables; 0 before the derivation.
  std::size_t size() const { return gradients_.size(); }
  // The gradient of a variable.
  const TensorGradient& gradient(std::size_t i) const { return gradients_[i]; }
  // The numbers of a gradient: a tensor, or the values of slices.
  Symbol values(std::size_t i) const {
    return nodes_.editor->At(gradients_[i].is_slices() ? gradients_[i].values : gradients_[i].dense);
  }
  // Replaces the numbers of a gradient. Slices keep their indices.
  void set_values(std::size_t i, Symbol values) {
    (gradients_[i].is_slices() ? gradients_[i].values : gradients_[i].dense) = values.edge();
  }
  // The step changes no variable and no slot where this boolean scalar is false. Nodes of Always run nonetheless.
  void set_condition(Symbol condition) { condition_ = condition; }
  // The scalar that decides whether the step updates; empty: it always does.
  Symbol condition() const { return condition_; }
  // All updates run after the node.
  void Before(Symbol node) {
    if (node) before_.push_back(node.node);
  }
  // Nodes that run before any update.
  const SlimVector<int>& before() const { return before_; }
  // The node runs in each step.
  void Always(Symbol node) {
    if (node) nodes_.always.push_back(node.node);
  }
  // The nodes that all variables share.
  TrainingNodes& nodes() { return nodes_; }
  // Editor of the graph that the parts add nodes to; lives as long as this.
  GraphEditor& editor() { return *nodes_.editor; }

 private:
  TrainingNodes& nodes_;
  Symbol loss_, condition_;
  SlimVector<TensorGradient>& gradients_;
  SlimVector<int> before_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
