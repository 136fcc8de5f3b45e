// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddGradients: adds nodes to a GraphDef that compute gradients, as tf.gradients does. <tenon/gradients.hpp> includes
// it with the gradients of all standard ops.

#include <cstddef>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/gradients/edited_graph.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/gradient_kernels.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/recompute.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/walk.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Options of AddGradients.
struct GradientOptions {
  SlimVector<std::string> grad_ys = {};         // empty: ones; else one per y, "" for ones
  SlimVector<std::string> stop_gradients = {};  // tensors that are constants for the derivation
  GradientAggregation aggregation = GradientAggregation::kAddN;  // kTree: one by one, for less memory
  bool zero_if_unconnected = false;             // an x that no y depends on gets zeros
  bool dense = false;                           // slices become dense tensors
  std::string scope = "gradients";              // new nodes are "scope/...", made unique
  const OpRegistry* ops = nullptr;              // null: the ops that TENON_REGISTER put into this process
};

// Tensors that hold the gradient of one x. All names are empty where x is not connected.
struct GradientNames {
  std::string tensor;                        // the gradient; empty for slices
  std::string indices, values, dense_shape;  // slices

  // Whether the gradient is slices.
  bool is_slices() const { return !values.empty(); }
  // Whether some y depends on the x.
  bool connected() const { return !tensor.empty() || is_slices(); }
};

namespace detail {

// Gradients of ones, or of the tensors that the options name.
class GradientStart {
 public:
  GradientStart(EditedGraph* graph, const GradientOptions& options) : graph_(*graph), options_(options) {}

  Status Find(const SlimVector<InEdge>& ys, SlimVector<TensorGradient>* gradients) {
    if (!options_.grad_ys.empty() && options_.grad_ys.size() != ys.size())
      return errors::InvalidArgument("Passed ", options_.grad_ys.size(), " grad_ys for ", ys.size(), " ys");
    for (std::size_t i = 0; i < ys.size(); ++i) {
      const bool given = !options_.grad_ys.empty() && !options_.grad_ys[i].empty();
      TENON_RETURN_IF_ERROR(given ? Given(ys[i], options_.grad_ys[i], gradients) : Ones(ys[i], gradients));
    }
    return graph_.editor().status();
  }

 private:
  Status Ones(InEdge y, SlimVector<TensorGradient>* gradients) {
    const DataType type = graph_.editor().At(y).dtype();
    if (kComplexTypes.contains(type))
      return errors::InvalidArgument("Gradients of complex tensors (", graph_.Name(y),
                                     ") must set grad_ys (y.dtype = ", type, ")");
    if (!IsReal(type) && type != DataType::kBool)
      return errors::InvalidArgument("Gradients of a tensor of type ", type, " (", graph_.Name(y),
                                     ") must set grad_ys");
    GradientBuilder builder(&graph_.editor(), nullptr, y.node, {});
    const Symbol one = builder.Scalar(type, 1);
    const PartialTensorShape shape = graph_.editor().At(y).shape();
    gradients->push_back(
        {shape.dims() == 0 ? one.edge() : builder.Fill(builder.Shape(graph_.editor().At(y)), one).edge(), {}, {}, {}});
    return OkStatus();
  }
  Status Given(InEdge y, const std::string& name, SlimVector<TensorGradient>* gradients) {
    SlimVector<InEdge> edges;
    TENON_RETURN_IF_ERROR(graph_.Find("AddGradients", Span<const std::string>(&name, 1), &edges));
    const DataType type = graph_.editor().At(y).dtype(), given = graph_.editor().At(edges[0]).dtype();
    if (Kind(given) != Kind(type))
      return errors::InvalidArgument("Gradient type ", given, " generated for tensor ", graph_.Name(y), " with type ",
                                     type, " must be of the same kind");
    gradients->push_back({edges[0], {}, {}, {}});
    return OkStatus();
  }
  static bool IsReal(DataType type) { return (kFloatingTypes | kIntegerTypes).contains(type); }
  // Real and complex numbers do not mix, nor do handles and variants.
  static int Kind(DataType type) {
    return IsReal(type)                   ? 0
           : kComplexTypes.contains(type) ? 1
           : type == DataType::kResource  ? 2
           : type == DataType::kVariant   ? 3
                                          : 4;
  }

  EditedGraph& graph_;
  const GradientOptions& options_;
};

// Gradients of the tensors in a graph that is edited already. Their nodes have to be stored.
inline Result<SlimVector<TensorGradient>> DeriveTensors(EditedGraph* graph, const SlimVector<InEdge>& ys,
                                                        const SlimVector<InEdge>& xs, const GradientOptions& options) {
  GraphEditor& editor = graph->editor();
  const std::string scope = graph->UseScope(options.scope);
  SlimVector<InEdge> stops;
  TENON_RETURN_IF_ERROR(graph->Find("AddGradients", options.stop_gradients, &stops));
  SlimVector<TensorGradient> grad_ys;
  const int first_new = editor.graph().num_nodes();
  const std::size_t old_functions = editor.library().function.size();
  TENON_RETURN_IF_ERROR(GradientStart(graph, options).Find(ys, &grad_ys));
  const GradientIndex functions;
  TENON_ASSIGN_OR_RETURN(SlimVector<TensorGradient> gradients,
                         GradientWalk(&editor, &functions, scope, options.aggregation).Run(ys, xs, grad_ys, stops));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    TensorGradient& gradient = gradients[i];
    if (!gradient && options.zero_if_unconnected)
      gradient.dense = GradientBuilder(&editor, &functions, xs[i].node, {}).ZerosLike(editor.At(xs[i])).edge();
    if (gradient.is_slices() && options.dense) gradient = {DenseOf(editor, gradient).edge(), {}, {}, {}};
  }
  TENON_RETURN_IF_ERROR(editor.status());
  TENON_RETURN_IF_ERROR(Recomputation(&editor, first_new).Run(scope));
  const SlimVector<FunctionDef>& functions_now = editor.library().function;
  TENON_RETURN_IF_ERROR(
      GradientKernels(editor.ops().registry())
          .Check(Span<const FunctionDef>(functions_now.data() + old_functions, functions_now.size() - old_functions),
                 scope));
  return gradients;
}

inline Result<SlimVector<GradientNames>> AddGradientsTo(GraphDef* def, Span<const std::string> ys,
                                                        Span<const std::string> xs, const GradientOptions& options) {
  EditedGraph graph(def, options.ops != nullptr ? *options.ops : Registry::Global().ops());
  TENON_RETURN_IF_ERROR(graph.Open(true));
  SlimVector<InEdge> y, x;
  TENON_RETURN_IF_ERROR(graph.Find("AddGradients", ys, &y));
  TENON_RETURN_IF_ERROR(graph.Find("AddGradients", xs, &x));
  TENON_ASSIGN_OR_RETURN(const SlimVector<TensorGradient> gradients, DeriveTensors(&graph, y, x, options));
  SlimVector<GradientNames> names;
  SlimVector<int> roots;
  for (const TensorGradient& one : gradients) {
    names.push_back(
        {graph.Name(one.dense), graph.Name(one.indices), graph.Name(one.values), graph.Name(one.dense_shape)});
    for (const InEdge edge : {one.dense, one.indices, one.values, one.dense_shape}) roots.push_back(edge.node);
  }
  graph.Store(roots);
  return names;
}

}  // namespace detail

// Adds nodes that compute the gradients of the sum of `ys` with respect to `xs`, tensors of the graph ("node" means
// "node:0"). Returns the names of the gradients, one per x. After an error the graph is as it was. NotFound: a name is
// not in the graph, or no gradient is defined for nodes between xs and ys, all named, or nodes of new functions have
// no kernel in this program. InvalidArgument: a complex y
// without a grad_y, or shapes and types that do not fit. externally synchronised.
inline Result<SlimVector<GradientNames>> AddGradients(GraphDef* graph, Span<const std::string> ys,
                                                      Span<const std::string> xs, const GradientOptions& options = {}) {
  Result<SlimVector<GradientNames>> names = SlimVector<GradientNames>();
  const Status status = detail::CatchAll("AddGradients", [&]() -> Status {
    names = detail::AddGradientsTo(graph, ys, xs, options);
    return names.status();
  });
  if (!status.ok()) return status;
  return names;
}

TENON_DETAIL_NAMESPACE_END
