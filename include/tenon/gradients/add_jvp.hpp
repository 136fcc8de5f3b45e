// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddJvp: forward mode. It adds nodes to a GraphDef that compute products of a Jacobian and a vector.

#include <cstddef>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/gradients/add_gradients.hpp>
#include <tenon/gradients/edited_graph.hpp>
#include <tenon/gradients/graph_editor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Zeros like each y, whose values do not matter: the gradient is linear in them.
inline Status AddDummies(GraphDef* def, Span<const std::string> ys, const GradientOptions& options,
                         SlimVector<std::string>* names) {
  EditedGraph graph(def, options.ops != nullptr ? *options.ops : Registry::Global().ops());
  TENON_RETURN_IF_ERROR(graph.Open(true));
  SlimVector<InEdge> edges;
  TENON_RETURN_IF_ERROR(graph.Find("AddJvp", ys, &edges));
  (void)graph.UseScope(options.scope);
  SlimVector<int> roots;
  for (const InEdge edge : edges) {
    const Symbol zeros = graph.editor().Add("ZerosLike", {graph.editor().At(edge)});
    TENON_RETURN_IF_ERROR(graph.editor().status());
    names->push_back(graph.Name(zeros.edge()));
    roots.push_back(zeros.node);
  }
  graph.Store(roots);
  return OkStatus();
}

inline Status AddJvpTo(GraphDef* def, Span<const std::string> ys, Span<const std::string> xs,
                       Span<const std::string> tangents, GradientOptions options, SlimVector<std::string>* names) {
  if (tangents.size() != xs.size())
    return errors::InvalidArgument("AddJvp: ", tangents.size(), " tangents for ", xs.size(), " xs");
  SlimVector<std::string> dummies;
  TENON_RETURN_IF_ERROR(AddDummies(def, ys, options, &dummies));
  options.dense = true;
  options.grad_ys.assign(dummies.begin(), dummies.end());
  TENON_ASSIGN_OR_RETURN(const auto backward, AddGradients(def, ys, xs, options));
  SlimVector<std::string> connected;
  options.grad_ys.clear();
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (!backward[i].connected()) continue;
    connected.push_back(backward[i].tensor);
    options.grad_ys.push_back(tangents[i]);
  }
  names->resize(ys.size());
  if (connected.empty()) return OkStatus();
  TENON_ASSIGN_OR_RETURN(const auto forward, AddGradients(def, connected, dummies, options));
  for (std::size_t i = 0; i < ys.size(); ++i) (*names)[i] = forward[i].tensor;
  return OkStatus();
}

}  // namespace detail

// Adds nodes that compute, for each of `ys`, the sum over `xs` of its Jacobian times the tensor of `tangents`, which
// has the shape of that x. Returns the names of these tensors, "" where a y does not depend on any x. The nodes are a
// gradient of a gradient: what has no second order has no product. options.grad_ys is not used. Errors and safety as
// AddGradients. InvalidArgument: there is not one tangent per x.
inline Result<SlimVector<std::string>> AddJvp(GraphDef* graph, Span<const std::string> ys, Span<const std::string> xs,
                                              Span<const std::string> tangents, const GradientOptions& options = {}) {
  Result<SlimVector<std::string>> names = SlimVector<std::string>();
  const Status status = detail::CatchAll("AddJvp", [&]() -> Status {
    GraphDef added = *graph;
    TENON_RETURN_IF_ERROR(detail::AddJvpTo(&added, ys, xs, tangents, options, &*names));
    *graph = std::move(added);
    return OkStatus();
  });
  if (!status.ok()) return status;
  return names;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
