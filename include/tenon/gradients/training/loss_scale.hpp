// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loss scaling for gradients in half or bfloat16: parts of a Chain that stand before all others.

#include <cstddef>
#include <cstdint>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/clipping.hpp>
#include <tenon/gradients/training/step_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
// The type in which a tensor is multiplied by a float scale.
inline DataType ScaledType(Symbol s) { return s.dtype() == DataType::kDouble ? DataType::kDouble : DataType::kFloat; }
inline Symbol ScaleLoss(Symbol loss, Symbol scale) {
  const DataType type = ScaledType(loss);
  return Casted(loss, type) * Casted(scale, type);
}
// Divides all gradients by the scale. They keep their types.
inline void Unscale(StepBuilder& step, Symbol scale) {
  for (std::size_t i = 0; i < step.size(); ++i) {
    const Symbol g = step.values(i);
    const DataType type = ScaledType(g);
    step.set_values(i, Casted(Casted(g, type) / Casted(scale, type), g.dtype()));
  }
}
}  // namespace detail

// The loss times a number is derived, and the gradients are divided by it: loss_scale_factor of Keras.
struct LossScale {
  double factor = 32768;

  // The tensor to derive.
  Symbol Loss(StepBuilder& step, Symbol loss) const {
    return detail::ScaleLoss(loss, step.editor().Scalar(DataType::kFloat, factor));
  }
  // Divides all gradients.
  void Gradients(StepBuilder& step) const { detail::Unscale(step, step.editor().Scalar(DataType::kFloat, factor)); }
};

// Finds the largest factor, as keras.optimizers.LossScaleOptimizer. A step with a gradient that is not finite changes
// nothing and halves the factor. After growth_steps other steps one after the other the factor doubles. The variables
// are "step_counter" and "dynamic_scale".
struct DynamicLossScale {
  double initial = 32768;
  std::int64_t growth_steps = 2000;

  // The tensor to derive.
  Symbol Loss(StepBuilder& step, Symbol loss) const { return detail::ScaleLoss(loss, Scale(step).value); }
  // Divides all gradients, and makes the step depend on them.
  void Gradients(StepBuilder& step) const {
    GraphEditor& e = step.editor();
    const TrainingNodes::Shared scale = Scale(step);
    SlimVector<Symbol> each;
    for (std::size_t i = 0; i < step.size(); ++i) {
      const Symbol finite = e.Add("IsFinite", {step.values(i)});
      each.push_back(e.Add("All", {finite, detail::AllAxes(finite)}));
    }
    const Symbol finite = e.Add("All", {e.Add("Pack", {GraphEditor::Input(each)}), e.Int(0)});
    detail::Unscale(step, scale.value);
    bool made = false;
    const TrainingNodes::Shared count = step.nodes().Scalar("step_counter", DataType::kInt64, 0, &made);
    const auto number = [&e](std::int64_t n) { return e.Const(Tensor::Scalar(n)); };
    const Symbol full = e.Add("LogicalAnd", {finite, e.Add("Equal", {count.value, number(growth_steps - 1)})});
    const Symbol again = e.Add("LogicalOr", {full, e.Add("LogicalNot", {finite})});
    const Symbol next = e.Add("SelectV2", {again, number(0), count.value + number(1)});
    const Symbol kept = e.Add("SelectV2", {full, scale.value * 2.0, scale.value});
    step.Always(e.Add("AssignVariableOp", {count.handle, next}));
    step.Always(e.Add("AssignVariableOp", {scale.handle, e.Add("SelectV2", {finite, kept, scale.value * 0.5})}));
    step.set_condition(finite);
  }

 private:
  TrainingNodes::Shared Scale(StepBuilder& step) const {
    bool made = false;
    return step.nodes().Scalar("dynamic_scale", DataType::kFloat, initial, &made);
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
