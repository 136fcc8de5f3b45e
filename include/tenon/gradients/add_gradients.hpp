// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddGradients: adds nodes to a GraphDef that compute gradients, as tf.gradients does. <tenon/gradients.hpp> includes
// it with the gradients of all standard ops.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/raise_loops.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/walk.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct GradientOptions {
  SlimVector<std::string> grad_ys = {};         // empty: ones; else one per y, "" for ones
  SlimVector<std::string> stop_gradients = {};  // tensors that are constants for the derivation
  bool zero_if_unconnected = false;             // an x that no y depends on gets zeros
  bool dense = false;                           // slices become dense tensors
  std::string scope = "gradients";              // new nodes are "scope/...", made unique
  const OpRegistry* ops = nullptr;              // null: the ops that TENON_REGISTER put into this process
};

// Tensors that hold the gradient of one x. All names are empty where x is not connected.
struct GradientNames {
  std::string tensor;                        // the gradient; empty for slices
  std::string indices, values, dense_shape;  // slices

  bool is_slices() const { return !values.empty(); }
  bool connected() const { return !tensor.empty() || is_slices(); }
};

namespace detail {

class GradientAddition {
 public:
  GradientAddition(GraphDef* graph, const GradientOptions& options)
      : def_(*graph), options_(options), ops_(options.ops != nullptr ? *options.ops : Registry::Global().ops()) {}

  Result<SlimVector<GradientNames>> Add(Span<const std::string> ys, Span<const std::string> xs) {
    ImportOptions import;
    import.ops = &ops_;
    import.refiner = &refiner_;
    import.ignore_shape_errors = true;
    if (HasLoops(def_)) {
      raised_ = def_;
      TENON_RETURN_IF_ERROR(RaiseLoops(&raised_, &raised_.library, ops_.registry(), import));
    }
    const GraphDef& source = raised_.node.empty() ? def_ : raised_;
    TENON_ASSIGN_OR_RETURN(graph_, ImportGraphDef(GraphDef(source), ops_.registry(), import));
    refiner_->set_graph(&graph_);
    const int old_nodes = graph_.num_nodes();
    GraphEditor editor(&graph_, refiner_.get(), &ops_);
    editor_ = &editor;
    std::string scope = editor.UniqueName(options_.scope);
    for (int n = 1; HasScope(scope); ++n) scope = StrCat(options_.scope, "_", n);
    editor.set_scope(scope);
    SlimVector<InEdge> y, x, stops;
    TENON_RETURN_IF_ERROR(Find(ys, &y));
    TENON_RETURN_IF_ERROR(Find(xs, &x));
    TENON_RETURN_IF_ERROR(Find(options_.stop_gradients, &stops));
    SlimVector<TensorGradient> grad_y;
    TENON_RETURN_IF_ERROR(FindGradYs(y, &grad_y));
    const GradientIndex functions;
    GradientWalk walk(&editor, &functions, scope);
    TENON_ASSIGN_OR_RETURN(SlimVector<TensorGradient> gradients, walk.Run(y, x, grad_y, stops));
    editor.set_scope(scope);
    SlimVector<GradientNames> names;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      TensorGradient& gradient = gradients[i];
      if (!gradient && options_.zero_if_unconnected)
        gradient.dense = GradientBuilder(&editor, &functions, x[i].node, {}).ZerosLike(editor.At(x[i])).edge();
      if (gradient.is_slices() && options_.dense) gradient = {DenseOf(editor, gradient).edge(), {}, {}, {}};
      names.push_back({Name(gradient.dense), Name(gradient.indices), Name(gradient.values), Name(gradient.dense_shape)});
    }
    TENON_RETURN_IF_ERROR(editor.status());
    Store(old_nodes, gradients);
    return names;
  }

 private:
  // Whether some node's name begins with "scope/".
  bool HasScope(std::string_view scope) const {
    const std::string prefix = StrCat(scope, "/");
    for (const Node& node : graph_.nodes())
      if (StartsWith(node.name(), prefix)) return true;
    return false;
  }
  Status Find(Span<const std::string> names, SlimVector<InEdge>* edges) const {
    for (const std::string& text : names) {
      const TensorName name = ParseTensorName(text);
      const Node* const node = graph_.Find(name.node);
      if (node == nullptr)
        return errors::NotFound("AddGradients: the graph has no node '", name.node, "'", graph_.DidYouMeanNode(name.node));
      if (name.output < 0 || name.output >= node->num_outputs())
        return errors::InvalidArgument("AddGradients: '", text, "' is not a tensor: node '", name.node, "' has ",
                                       node->num_outputs(), " outputs");
      edges->push_back({node->id, name.output});
    }
    return OkStatus();
  }
  std::string Name(InEdge edge) const {
    if (edge.node < 0) return "";
    const std::string& node = graph_.node(edge.node).name();
    return edge.output == 0 ? node : StrCat(node, ":", edge.output);
  }
  Status FindGradYs(const SlimVector<InEdge>& ys, SlimVector<TensorGradient>* gradients) {
    if (!options_.grad_ys.empty() && options_.grad_ys.size() != ys.size())
      return errors::InvalidArgument("Passed ", options_.grad_ys.size(), " grad_ys for ", ys.size(), " ys");
    const GradientIndex none;
    for (std::size_t i = 0; i < ys.size(); ++i) {
      const Symbol y = editor_->At(ys[i]);
      if (options_.grad_ys.empty() || options_.grad_ys[i].empty()) {
        if (kComplexTypes.contains(y.dtype()))
          return errors::InvalidArgument("Gradients of complex tensors (", Name(ys[i]), ") must set grad_ys (y.dtype = ",
                                         y.dtype(), ")");
        if (!IsReal(y.dtype()) && y.dtype() != DataType::kBool)
          return errors::InvalidArgument("Gradients of a tensor of type ", y.dtype(), " (", Name(ys[i]),
                                         ") must set grad_ys");
        GradientBuilder builder(editor_, &none, ys[i].node, {});
        gradients->push_back({builder.Fill(builder.Shape(y), builder.Scalar(y.dtype(), 1)).edge(), {}, {}, {}});
        continue;
      }
      SlimVector<InEdge> edges;
      TENON_RETURN_IF_ERROR(Find(Span<const std::string>(&options_.grad_ys[i], 1), &edges));
      const DataType given = editor_->At(edges[0]).dtype();
      if (Kind(given) != Kind(y.dtype()))
        return errors::InvalidArgument("Gradient type ", given, " generated for tensor ", Name(ys[i]), " with type ",
                                       y.dtype(), " must be of the same kind");
      gradients->push_back({edges[0], {}, {}, {}});
    }
    return editor_->status();
  }
  static bool IsReal(DataType type) { return (kFloatingTypes | kIntegerTypes).contains(type); }
  // Real and complex numbers do not mix, nor do handles and variants.
  static int Kind(DataType type) {
    return IsReal(type)                     ? 0
           : kComplexTypes.contains(type)   ? 1
           : type == DataType::kResource    ? 2
           : type == DataType::kVariant     ? 3
                                            : 4;
  }
  // Adds the new nodes that the results read to the GraphDef, and replaces nodes that were changed.
  void Store(int old_nodes, const SlimVector<TensorGradient>& results) {
    SlimVector<char> used(ToSize(graph_.num_nodes()), 0);
    SlimVector<int> stack;
    const auto use = [&](int id) {
      if (id >= old_nodes && std::exchange(used[ToSize(id)], 1) == 0) stack.push_back(id);
    };
    for (const TensorGradient& result : results)
      for (const InEdge edge : {result.dense, result.indices, result.values, result.dense_shape}) use(edge.node);
    for (const int id : editor_->edited())
      for (const InEdge& edge : graph_.node(id).inputs) use(edge.node);
    while (!stack.empty()) {
      const Node& node = graph_.node(stack.back());
      stack.pop_back();
      for (const InEdge& edge : node.inputs) use(edge.node);
      for (const int control : node.control_inputs) use(control);
    }
    if (!raised_.node.empty()) def_ = std::move(raised_);
    for (int id = old_nodes; id < graph_.num_nodes(); ++id)
      if (used[ToSize(id)] != 0) def_.node.push_back(ToNodeDef(id));
    if (editor_->edited().empty()) return;
    for (NodeDef& node : def_.node)
      for (const int id : editor_->edited())
        if (node.name == graph_.node(id).name()) node = ToNodeDef(id);
    def_.library = graph_.library();
  }
  NodeDef ToNodeDef(int id) const {
    NodeDef def = graph_.node(id).def;
    def.input.clear();
    for (const InEdge& edge : graph_.node(id).inputs) def.input.push_back(Name(edge));
    for (const int control : graph_.node(id).control_inputs)
      def.input.push_back(StrCat("^", graph_.node(control).name()));
    return def;
  }

  GraphDef& def_;
  GraphDef raised_;  // with While nodes for the loops of TensorFlow 1; empty where there are none
  const GradientOptions& options_;
  OpInfoCache ops_;
  Graph graph_;
  Owned<ShapeRefiner> refiner_;
  GraphEditor* editor_ = nullptr;
};

}  // namespace detail

// Adds nodes that compute the gradients of the sum of `ys` with respect to `xs`, tensors of the graph ("node" means
// "node:0"). Returns the names of the gradients, one per x. After an error the graph is as it was. NotFound: a name is
// not in the graph, or no gradient is defined for nodes between xs and ys, all named. InvalidArgument: a complex y
// without a grad_y, or shapes and types that do not fit. externally synchronised.
inline Result<SlimVector<GradientNames>> AddGradients(GraphDef* graph, Span<const std::string> ys,
                                                      Span<const std::string> xs, const GradientOptions& options = {}) {
  Result<SlimVector<GradientNames>> names = SlimVector<GradientNames>();
  const Status status = detail::CatchAll("AddGradients", [&]() -> Status {
    names = detail::GradientAddition(graph, options).Add(ys, xs);
    return names.status();
  });
  if (!status.ok()) return status;
  return names;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
