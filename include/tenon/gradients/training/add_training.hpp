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

// A loss and variables that are found, and their gradients.
struct TrainingGraph {
  SlimVector<InEdge> variables;
  SlimVector<TensorGradient> gradients;
  TrainingNodes nodes;
};
inline Status DeriveLoss(EditedGraph* graph, const std::string& loss, Span<const std::string> variables,
                         const GradientOptions& options, TrainingGraph* out) {
  SlimVector<InEdge> y;
  TENON_RETURN_IF_ERROR(graph->Find("AddTraining", Span<const std::string>(&loss, 1), &y));
  TENON_RETURN_IF_ERROR(graph->Find("AddTraining", variables, &out->variables));
  const DataType type = graph->editor().At(y[0]).dtype();
  if (!kFloatingTypes.contains(type))
    return errors::InvalidArgument("AddTraining: the loss '", loss, "' is of type ", type, ", which has no gradient");
  TENON_ASSIGN_OR_RETURN(out->gradients, DeriveTensors(graph, y, out->variables, options));
  out->nodes.editor = &graph->editor();
  SlimVector<int> all{y[0].node};  // the loss is that before the step
  for (std::size_t i = 0; i < out->variables.size(); ++i) {
    const Symbol variable = graph->editor().At(out->variables[i]);
    if (variable.dtype() != DataType::kResource)
      return errors::InvalidArgument("AddTraining: '", graph->Name(out->variables[i]),
                                     "' is not the handle of a variable, but a tensor of type ", variable.dtype());
    const TensorGradient& gradient = out->gradients[i];
    if (!gradient)
      return errors::InvalidArgument("AddTraining: the loss '", loss, "' does not depend on variable '",
                                     graph->Name(out->variables[i]), "'");
    for (const InEdge edge : {gradient.dense, gradient.indices, gradient.values})
      if (edge.node >= 0) all.push_back(edge.node);
  }
  (void)graph->UseScope("training");
  out->nodes.ready = AddGroup(graph, all).node;
  return graph->editor().status();
}
// Groups the nodes and stores them.
inline Result<TrainingNames> StoreTraining(EditedGraph* graph, TrainingNodes* nodes) {
  for (const int last : nodes->last)
    for (const int update : nodes->updates) graph->editor().graph().AddControlEdge(update, last);
  SlimVector<int> all(nodes->updates);
  all.append(nodes->last.begin(), nodes->last.end());
  const Symbol step = AddGroup(graph, all), initialize = AddGroup(graph, nodes->initializers);
  TENON_RETURN_IF_ERROR(graph->editor().status());
  const int roots[] = {step.node, initialize.node};
  TrainingNames names{graph->Name(step.edge()), graph->Name(initialize.edge())};
  graph->Store(roots);
  return names;
}

}  // namespace detail

// Adds nodes that derive `loss` with respect to `variables`, nodes of VarHandleOp, and update all variables at once by
// the rule of `optimizer`. After an error the graph is as it was. NotFound: a name is not in the graph, or a gradient
// is missing. InvalidArgument: the loss is not of a floating type, or does not depend on a variable. externally
// synchronised.
//
//   TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&graph, "loss", variables, Adam{.learning_rate =
//   0.01}));
template <class Optimizer>
Result<TrainingNames> AddTraining(GraphDef* graph, const std::string& loss, Span<const std::string> variables,
                                  const Optimizer& optimizer, const GradientOptions& options = {}) {
  Result<TrainingNames> names = TrainingNames();
  const Status status = detail::CatchAll("AddTraining", [&]() -> Status {
    EditedGraph edited(graph, options.ops != nullptr ? *options.ops : Registry::Global().ops());
    TENON_RETURN_IF_ERROR(edited.Open(true));
    detail::TrainingGraph training;
    TENON_RETURN_IF_ERROR(detail::DeriveLoss(&edited, loss, variables, options, &training));
    for (std::size_t i = 0; i < training.variables.size(); ++i) {
      UpdateBuilder update(&training.nodes, edited.editor().At(training.variables[i]), training.gradients[i]);
      optimizer.Update(update);
    }
    names = detail::StoreTraining(&edited, &training.nodes);
    return names.status();
  });
  if (!status.ok()) return status;
  return names;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
