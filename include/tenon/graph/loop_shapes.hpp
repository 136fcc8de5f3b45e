// SPDX-License-Identifier: Apache-2.0
#pragma once
// RefineLoopShapes: the shapes of what loops of Merge and NextIteration nodes carry round. Import leaves them unknown,
// as TensorFlow does; here the shapes at the loop's entry are assumed and given up again where the loop's body changes
// them.

#include <cstddef>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/shape_refinement.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/shape_refiner.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

class LoopShapes {
 public:
  explicit LoopShapes(Graph* graph) : graph_(graph) {}

  Status Run() {
    FindHeaders();
    if (headers_.empty()) return OkStatus();
    FindOrder();
    for (const Node& node : graph_->nodes()) first_.push_back(node.output_shapes);
    Status status = Settle();
    if (!status.ok()) {  // what was known before contradicts an assumption: none is made then
      for (Header& header : headers_) header.assumed = PartialTensorShape();
      status = Settle();
    }
    if (!status.ok())
      for (int id = 0; id < graph_->num_nodes(); ++id) graph_->mutable_node(id).output_shapes = first_[ToSize(id)];
    return status;
  }

 private:
  struct Header {
    int merge;
    PartialTensorShape assumed;
  };
  static constexpr int kMaxPasses = 20;  // sizes are given up one by one at worst

  bool IsBackEdge(const Node& to, const InEdge& edge) const {
    return to.node_class == NodeClass::kMerge && edge.node >= 0 &&
           graph_->node(edge.node).node_class == NodeClass::kNextIteration;
  }
  PartialTensorShape ShapeOf(const InEdge& edge) const {
    return edge.node < 0 ? PartialTensorShape() : graph_->node(edge.node).output_shape(edge.output);
  }
  // Shape of a value that enters the loop: Enter hands its input on, whatever its shape function says.
  PartialTensorShape EntryShape(const InEdge& edge) const {
    if (edge.node < 0 || graph_->node(edge.node).node_class != NodeClass::kEnter) return ShapeOf(edge);
    return ShapeOf(graph_->node(edge.node).input(0));
  }

  void FindHeaders() {
    header_of_.resize(ToSize(graph_->num_nodes()), -1);
    for (const Node& node : graph_->nodes()) {
      int entry = -1;
      bool loops = false;
      for (int i = 0; i < node.num_inputs(); ++i) {
        if (IsBackEdge(node, node.input(i)))
          loops = true;
        else
          entry = i;
      }
      if (!loops || entry < 0) continue;
      header_of_[ToSize(node.id)] = static_cast<int>(headers_.size());
      headers_.push_back({node.id, EntryShape(node.input(entry))});
    }
  }
  void FindOrder() {
    SlimVector<int> pending(ToSize(graph_->num_nodes()), 0);
    SlimVector<SlimVector<int>> successors(ToSize(graph_->num_nodes()));
    for (const Node& node : graph_->nodes()) {
      for (const InEdge& edge : node.inputs) {
        if (edge.node < 0 || IsBackEdge(node, edge)) continue;
        ++pending[ToSize(node.id)];
        successors[ToSize(edge.node)].push_back(node.id);
      }
    }
    order_ = OrderByDependencies(std::move(pending), [&](int id, auto&& visit) {
      for (const int next : successors[ToSize(id)]) visit(next);
    });
  }

  // Passes over the graph until what comes round is what was assumed.
  Status Settle() {
    for (int pass = 0;; ++pass) {
      TENON_RETURN_IF_ERROR(Pass());
      bool changed = false;
      for (Header& header : headers_) {
        const Node& merge = graph_->node(header.merge);
        for (const InEdge& edge : merge.inputs) {
          if (!IsBackEdge(merge, edge)) continue;
          PartialTensorShape relaxed = Relax(header.assumed, ShapeOf(edge));
          if (pass >= kMaxPasses) relaxed = PartialTensorShape();
          if (relaxed.IsIdenticalTo(header.assumed)) continue;
          header.assumed = std::move(relaxed);
          changed = true;
        }
      }
      if (!changed) return OkStatus();
    }
  }
  Status Pass() {
    ShapeRefiner refiner(graph_);
    for (const int id : order_) {
      Node& node = graph_->mutable_node(id);
      if (AnyItem(node.inputs, [](const InEdge& edge) { return edge.node < 0; })) continue;  // it is fed
      TENON_RETURN_IF_ERROR(refiner.AddNode(id));
      if (const int header = header_of_[ToSize(id)]; header >= 0)
        node.output_shapes[0] = headers_[ToSize(header)].assumed;
      if (node.node_class == NodeClass::kEnter) node.output_shapes[0] = ShapeOf(node.input(0));
      const SlimVector<PartialTensorShape>& first = first_[ToSize(id)];
      for (std::size_t i = 0; i < first.size(); ++i)
        TENON_RETURN_IF_ERROR(refiner.MergeOutputShape(id, static_cast<int>(i), first[i]));
    }
    return OkStatus();
  }

  Graph* graph_;
  SlimVector<Header> headers_;
  SlimVector<int> header_of_;  // per node: its header, or -1
  SlimVector<int> order_;
  SlimVector<SlimVector<PartialTensorShape>> first_;  // per node: what was known before
};

}  // namespace detail

// Node::output_shapes of an imported graph, made better inside of its loops. What is written is true of every
// iteration. A node without one of its inputs keeps its shapes. externally synchronised.
inline Status RefineLoopShapes(Graph* graph) { return detail::LoopShapes(graph).Run(); }

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
