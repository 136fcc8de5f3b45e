// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddTraining: adds the nodes of a training step to a GraphDef: gradients of a loss and updates of variables.

#include <cstddef>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/gradients/add_gradients.hpp>
#include <tenon/gradients/edited_graph.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/training/step_builder.hpp>
#include <tenon/gradients/training/training_nodes.hpp>
#include <tenon/gradients/training/update_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Nodes to run: `initialize` once, after the variables have values; `step` for each step, with the loss fetched or not.
struct TrainingNames {
  std::string step, initialize;
};

namespace detail {

inline Symbol AddGroup(EditedGraph* graph, const SlimVector<int>& nodes) {
  const Symbol group = graph->editor().Add("NoOp", {});
  for (const int node : nodes)
    if (group) graph->editor().graph().AddControlEdge(node, group.node);
  return group;
}

// Finds the loss and the handles of the variables.
inline Status FindTrained(EditedGraph* graph, const std::string& loss, Span<const std::string> names, Symbol* y,
                          SlimVector<InEdge>* variables) {
  SlimVector<InEdge> found;
  TENON_RETURN_IF_ERROR(graph->Find("AddTraining", Span<const std::string>(&loss, 1), &found));
  TENON_RETURN_IF_ERROR(graph->Find("AddTraining", names, variables));
  *y = graph->editor().At(found[0]);
  if (!kFloatingTypes.contains(y->dtype()))
    return errors::InvalidArgument("AddTraining: the loss '", loss, "' is of type ", y->dtype(),
                                   ", which has no gradient");
  for (const InEdge edge : *variables) {
    const Symbol variable = graph->editor().At(edge);
    const bool reference = TrainingNodes::IsReference(graph->editor(), variable);
    if (!reference && variable.dtype() != DataType::kResource)
      return errors::InvalidArgument("AddTraining: '", graph->Name(edge),
                                     "' is not the handle of a variable, but a tensor of type ", variable.dtype());
    const DataType held =
        reference ? variable.dtype() : GradientBuilder(&graph->editor(), nullptr, edge.node, {}).HeldType(variable);
    if (!kFloatingTypes.contains(held))
      return errors::InvalidArgument("AddTraining: variable '", graph->Name(edge), "' is of type ", held,
                                     "; only floating-point variables are trained");
  }
  return OkStatus();
}
// All variables have gradients.
inline Status CheckGradients(const EditedGraph& graph, const std::string& loss, const SlimVector<InEdge>& variables,
                             const SlimVector<TensorGradient>& gradients) {
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (!gradients[i])
      return errors::InvalidArgument("AddTraining: the loss '", loss, "' does not depend on variable '",
                                     graph.Name(variables[i]), "'");
  return OkStatus();
}
// A node that waits for the loss and all gradients: updates run after it. It is dead where the condition is false.
inline int AddReady(EditedGraph* graph, const StepBuilder& step) {
  SlimVector<int> all{step.loss().node};  // the loss is that before the step
  for (std::size_t i = 0; i < step.size(); ++i)
    for (const InEdge edge : {step.gradient(i).dense, step.gradient(i).indices, step.gradient(i).values})
      if (edge.node >= 0) all.push_back(edge.node);
  all.append(step.before().begin(), step.before().end());
  const Symbol group = AddGroup(graph, all);
  if (!step.condition() || !group) return group.node;
  const Symbol taken = graph->editor().Add("Switch", {step.condition(), step.condition()})[1];
  const Symbol pivot = graph->editor().Add("Identity", {taken});
  if (pivot) graph->editor().graph().AddControlEdge(group.node, pivot.node);
  return pivot.node;
}
// Groups the nodes and stores them.
inline Result<TrainingNames> StoreTraining(EditedGraph* graph, TrainingNodes* nodes) {
  for (const int last : nodes->last)
    for (const int update : nodes->updates) graph->editor().graph().AddControlEdge(update, last);
  SlimVector<int> all(nodes->updates);
  all.append(nodes->last.begin(), nodes->last.end());
  all.append(nodes->always.begin(), nodes->always.end());
  const Symbol step = AddGroup(graph, all), initialize = AddGroup(graph, nodes->initializers);
  TENON_RETURN_IF_ERROR(graph->editor().status());
  const int roots[] = {step.node, initialize.node};
  TrainingNames names{graph->Name(step.edge()), graph->Name(initialize.edge())};
  graph->Store(roots);
  return names;
}

}  // namespace detail

// Adds nodes that derive `loss` with respect to `variables`, and update all variables at once by the rule of
// `optimizer`. Variables are nodes of VarHandleOp, or VariableV2 of TensorFlow 1. After an error the graph is as it
// was. NotFound: a name is not in the graph, or a gradient is missing. InvalidArgument: the loss or a variable does not
// hold floats, or the loss does not depend on a variable. externally synchronised.
//
//   TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&graph, "loss", variables, Adam{.learning_rate =
//   0.01}));
//
// An optimizer has void Update(UpdateBuilder&) const. It may have Symbol Loss(StepBuilder&, Symbol loss) const, which
// returns the tensor to derive, and void Gradients(StepBuilder&) const, which changes all gradients.
template <class Optimizer>
Result<TrainingNames> AddTraining(GraphDef* graph, const std::string& loss, Span<const std::string> variables,
                                  const Optimizer& optimizer, const GradientOptions& options = {}) {
  Result<TrainingNames> names = TrainingNames();
  const Status status = detail::CatchAll("AddTraining", [&]() -> Status {
    EditedGraph edited(graph, options.ops != nullptr ? *options.ops : Registry::Global().ops());
    TENON_RETURN_IF_ERROR(edited.Open(true));
    TrainingNodes nodes;
    nodes.editor = &edited.editor();
    Symbol y;
    SlimVector<InEdge> found;
    TENON_RETURN_IF_ERROR(detail::FindTrained(&edited, loss, variables, &y, &found));
    SlimVector<TensorGradient> gradients;
    StepBuilder step(&nodes, y, &gradients);
    const std::string scope = edited.UseScope("training");
    if constexpr (requires { optimizer.Loss(step, y); }) y = optimizer.Loss(step, y);
    TENON_RETURN_IF_ERROR(edited.editor().status());
    TENON_ASSIGN_OR_RETURN(gradients, detail::DeriveTensors(&edited, {y.edge()}, found, options));
    TENON_RETURN_IF_ERROR(detail::CheckGradients(edited, loss, found, gradients));
    edited.editor().set_scope(scope);
    if constexpr (requires { optimizer.Gradients(step); }) optimizer.Gradients(step);
    nodes.ready = detail::AddReady(&edited, step);
    TENON_RETURN_IF_ERROR(edited.editor().status());
    for (std::size_t i = 0; i < found.size(); ++i) {
      UpdateBuilder update(&nodes, edited.editor().At(found[i]), gradients[i]);
      optimizer.Update(update);
    }
    names = detail::StoreTraining(&edited, &nodes);
    return names.status();
  });
  if (!status.ok()) return status;
  return names;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
