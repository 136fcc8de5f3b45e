// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fusion: element-wise nodes that only each other read become one node, and join the product, convolution or reduction
// before them. The bits of the result stay. It runs when the other passes find nothing more.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/passes/steps.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Nodes that compute a new tensor of floats.
inline constexpr std::string_view kProducers =
    "|AvgPool|BatchMatMul|BatchMatMulV2|Conv2D|Conv2DBackpropInput|Conv3D|DepthwiseConv2dNative|Einsum|LogSoftmax|"
    "MatMul|Max|MaxPool|Mean|Softmax|Sum|_FusedConv2D|_FusedMatMul|";

// Finds the nodes that one root can take up, and makes the fused node. one thread.
class Fuser {
 public:
  explicit Fuser(PassRun* run) : run_(run), graph_(run->graph()), order_(graph_.Order()) {
    at_.resize(ToSize(graph_.num_nodes()), -1);
    reads_.resize(at_.size(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) at_[ToSize(order_[i])] = static_cast<int>(i);
    like_.resize(at_.size());
    is_step_.resize(at_.size(), 0);
    for (const int id : order_) is_step_[ToSize(id)] = IsStepNode(graph_, id) ? 1 : 0;
    for (const int id : order_) like_[ToSize(id)] = FindLike(id);
  }
  void Run() {
    for (std::size_t i = order_.size(); i-- > 0 && run_->MayGoOn();) {
      root_ = order_[i];
      if (graph_.is_alive(root_) && IsStep(root_) && !graph_.is_fed(root_)) FuseInto();
    }
  }

 private:
  static constexpr std::size_t kMostSteps = 31;  // with their inputs at most FusedElementwise::kMostValues values

  bool IsStep(int id) const { return is_step_[ToSize(id)] != 0; }
  // Only the group reads the node, and nothing else holds it where it is.
  bool IsOwn(int id) const {
    const Node& node = graph_.node(id);
    return graph_.is_alive(id) && !graph_.is_pinned(id) && graph_.is_pure(id) && graph_.num_waiting(id) == 0 &&
           node.control_inputs.empty() && graph_.frame(id) == graph_.frame(root_) &&
           node.def.device == graph_.node(root_).def.device && reads_[ToSize(id)] == graph_.num_readers(id);
  }
  // The value that gives the node's output its shape, though that may not be known: the first input of a chain.
  InEdge FindLike(int id) const {
    if (!IsStep(id)) return {id, 0};
    const Node& node = graph_.node(id);
    const InEdge a = LikeOf(node.inputs[0]);
    if (node.inputs.size() == 1 || node.op_name() == "BiasAdd" || IsScalar(node.inputs[1])) return a;
    const InEdge b = LikeOf(node.inputs[1]);
    return a == b || IsScalar(node.inputs[0]) ? b : InEdge{id, 0};
  }
  InEdge LikeOf(InEdge edge) const { return edge.output == 0 ? like_[ToSize(edge.node)] : edge; }
  bool IsScalar(InEdge edge) const { return graph_.shape(edge).dims() == 0; }
  bool HasShapeOfRoot(InEdge edge) const {
    if (LikeOf(edge) == LikeOf({root_, 0})) return true;
    const PartialTensorShape shape = graph_.shape(edge);
    return !shape.unknown_rank() && shape.IsIdenticalTo(graph_.shape({root_, 0}));
  }
  bool IsConstant(InEdge edge) const { return graph_.node(edge.node).node_class == NodeClass::kConstant; }

  // An input of the group lies as the result does, repeats by its last axes, or is one element.
  bool Fits(InEdge edge, int* columns) const {
    const PartialTensorShape own = graph_.shape(edge), out = graph_.shape({root_, 0});
    if (own.dims() == 0 || HasShapeOfRoot(edge)) return true;
    if (own.unknown_rank() || out.unknown_rank()) return false;
    int first = 0;
    while (first < own.dims() && own.dim_size(first) == 1) ++first;
    const int rank = own.dims() - first;
    if (rank > out.dims()) return false;
    for (int d = 0; d < rank; ++d)
      if (own.dim_size(first + d) != out.dim_size(out.dims() - rank + d)) return false;
    if (rank == 0 || rank == out.dims()) return true;
    if (*columns != 0 && *columns != rank) return false;
    *columns = rank;
    return true;
  }
  void Take(int id) {
    group_.push_back(id);
    for (const InEdge& edge : graph_.node(id).inputs) ++reads_[ToSize(edge.node)];
  }
  void GiveBack() {
    for (const InEdge& edge : graph_.node(group_[group_.size() - 1]).inputs) --reads_[ToSize(edge.node)];
    group_.pop_back();
  }
  bool IsTaken(int id) const {
    return AnyItem(group_, [id](int taken) { return taken == id; });
  }
  void FindInputs() {
    inputs_.clear();
    for (const int id : group_)
      for (const InEdge& edge : graph_.node(id).inputs)
        if (!IsTaken(edge.node) && !AnyItem(inputs_, [&](const InEdge& known) { return known == edge; }))
          inputs_.push_back(edge);
  }
  bool InputsFit() {
    FindInputs();
    int columns = 0;
    for (const InEdge& edge : inputs_)
      if (!Fits(edge, &columns)) return false;
    return true;
  }
  // The inputs fit, and the fused node keeps no more memory alive than the nodes alone: two tensors of the result's
  // size, or more where no other node runs between its nodes.
  bool MayStay() {
    if (!InputsFit()) return false;
    int held = 0;
    for (const InEdge& edge : inputs_)
      if (!IsConstant(edge) && !graph_.is_fed(edge.node) && HasShapeOfRoot(edge)) ++held;
    if (held <= 2) return true;
    int first = at_[ToSize(root_)];
    for (const int id : group_) first = at_[ToSize(id)] < first ? at_[ToSize(id)] : first;
    for (int i = first; i < at_[ToSize(root_)]; ++i) {
      const int id = order_[ToSize(i)];
      if (graph_.is_alive(id) && !IsTaken(id) && !IsConstant({id, 0})) return false;
    }
    return true;
  }
  // As large as the shapes allow; where that would keep more memory alive, node by node.
  void Grow() {
    GrowBy(&Fuser::InputsFit);
    if (MayStay()) return;
    while (!group_.empty()) GiveBack();
    GrowBy(&Fuser::MayStay);
  }
  void GrowBy(bool (Fuser::*may_grow)()) {
    Take(root_);
    if (!(this->*may_grow)()) return;
    SlimVector<int> refused = others_;
    for (bool grew = true; grew && group_.size() < kMostSteps;) {
      grew = false;
      for (std::size_t i = 0; i < group_.size() && group_.size() < kMostSteps; ++i) {
        const InlinedVector<InEdge, 4> edges = graph_.node(group_[i]).inputs;
        for (const InEdge& edge : edges) {
          const int id = edge.node;
          if (IsTaken(id) || !IsStep(id) || !IsOwn(id) || !HasShapeOfRoot(edge)) continue;
          if (AnyItem(refused, [id](int known) { return known == id; })) continue;
          Take(id);
          if ((this->*may_grow)()) {
            grew = true;
          } else {
            GiveBack();
            refused.push_back(id);
          }
        }
      }
    }
  }
  // A variable's value takes no time and no memory of the step. It may be read before the producer runs, or after it.
  bool IsVariableRead(int id) const { return graph_.node(id).op_name() == "ReadVariableOp"; }
  // The producer that runs last of what the group reads; -1: there is none.
  int FindProducer() const {
    int best = -1, last = -1;
    for (const InEdge& edge : inputs_) {
      const int id = edge.node;
      if (IsConstant(edge) || IsVariableRead(id) || AnyItem(others_, [id](int other) { return other == id; })) continue;
      if (at_[ToSize(id)] <= last) continue;
      last = at_[ToSize(id)];
      const bool fits = edge.output == 0 && graph_.node(id).num_outputs() == 1 &&
                        IsListed(kProducers, graph_.node(id).op_name()) && IsOwn(id) && HasShapeOfRoot(edge) &&
                        graph_.type(edge) == graph_.type({root_, 0});
      best = fits ? id : -1;
    }
    return best;
  }
  // Steps of the group that belong to another product than the producer, which can apply them to its own result.
  SlimVector<int> StepsOfOthers() const {
    SlimVector<int> others;
    const int producer = FindProducer();
    if (producer < 0) return others;
    SlimVector<int> behind{producer};  // what reads the producer
    for (std::size_t i = 0; i < behind.size(); ++i)
      for (const int id : group_)
        if (Reads(id, behind[i]) && !AnyItem(behind, [id](int known) { return known == id; })) behind.push_back(id);
    for (const int id : group_) {
      if (AnyItem(behind, [id](int known) { return known == id; })) continue;
      for (const InEdge& edge : graph_.node(id).inputs)
        if (IsListed("|Conv2D|DepthwiseConv2dNative|MatMul|", graph_.node(edge.node).op_name()) && IsOwn(edge.node))
          others.push_back(id);
    }
    return others;
  }
  bool Reads(int id, int from) const {
    return AnyItem(graph_.node(id).inputs, [from](const InEdge& edge) { return edge.node == from; });
  }
  void FuseInto() {
    others_.clear();
    group_.clear();
    Grow();
    if (MayStay()) others_ = StepsOfOthers();
    if (!others_.empty()) {
      while (!group_.empty()) GiveBack();
      Grow();
    }
    for (std::size_t i = 1; i < group_.size(); ++i)  // by their place in the order
      for (std::size_t k = i; k > 0 && at_[ToSize(group_[k])] < at_[ToSize(group_[k - 1])]; --k)
        std::swap(group_[k], group_[k - 1]);
    const bool may_stay = MayStay();  // finds the inputs, too
    counted_.clear();
    for (const int id : group_)
      for (const InEdge& edge : graph_.node(id).inputs) counted_.push_back(edge);
    const int producer = may_stay ? FindProducer() : -1;
    if (may_stay && (group_.size() > 1 || producer >= 0)) {
      const Status status = producer >= 0 ? FuseWithProducer(producer) : FuseAlone();
      const std::string_view rule = producer >= 0 ? "element-wise nodes of a producer" : "element-wise nodes";
      status.ok() ? run_->Apply(rule) : run_->Refuse(rule, "no kernel");
      if (status.ok()) is_step_[ToSize(root_)] = 0;
    }
    for (const InEdge& edge : counted_) --reads_[ToSize(edge.node)];
  }

  struct Steps {
    SlimVector<std::string> ops;
    SlimVector<std::int64_t> operands;
    SlimVector<float> alphas;
    bool has_alpha = false;
  };
  // values: inputs of the steps, in the order of their numbers.
  Steps MakeSteps(const SlimVector<InEdge>& values) {
    Steps steps;
    const auto number = [&](InEdge edge) {
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] == edge) return static_cast<std::int64_t>(i);
      for (std::size_t i = 0; i < group_.size(); ++i)
        if (group_[i] == edge.node) return static_cast<std::int64_t>(values.size() + i);
      return std::int64_t{-1};
    };
    for (const int id : group_) {
      const Node& node = graph_.node(id);
      steps.ops.push_back(node.op_name() == "BiasAdd" ? "AddV2" : std::string(node.op_name()));
      steps.operands.push_back(number(node.inputs[0]));
      steps.operands.push_back(node.inputs.size() == 2 ? number(node.inputs[1]) : -1);
      float alpha = 0;
      if (node.op_name() == "LeakyRelu") steps.has_alpha = TryGetNodeAttr(node.def, "alpha", &alpha);
      steps.alphas.push_back(alpha);
    }
    return steps;
  }
  static void AddAttrs(const Steps& steps, SlimVector<IndexedGraph::Attr>* attrs) {
    attrs->push_back({"steps", AttrValue(steps.ops)});
    attrs->push_back({"operands", AttrValue(steps.operands)});
    attrs->push_back({"alphas", AttrValue(steps.has_alpha ? steps.alphas : SlimVector<float>())});
  }
  Status FuseAlone() {
    // The first input may give its memory to the result.
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      const auto dies = [&](InEdge edge) {
        return !IsConstant(edge) && HasShapeOfRoot(edge) && reads_[ToSize(edge.node)] == graph_.num_readers(edge.node);
      };
      if (dies(inputs_[i]) && !dies(inputs_[0])) std::swap(inputs_[0], inputs_[i]);
    }
    const Steps steps = MakeSteps(inputs_);
    SlimVector<IndexedGraph::Attr> attrs{{"T", graph_.type({root_, 0})},
                                         {"N", static_cast<std::int64_t>(inputs_.size()) - 1}};
    AddAttrs(steps, &attrs);
    return graph_.Change(root_, "_FusedElementwise", inputs_, attrs);
  }
  Status FuseWithProducer(int producer) {
    const Node& from = graph_.node(producer);
    SlimVector<InEdge> inputs(from.inputs.begin(), from.inputs.end()), values{{producer, 0}};
    for (const InEdge& edge : inputs_) {
      if (edge.node == producer) continue;
      values.push_back(edge);
      inputs.push_back(edge);
    }
    const Steps steps = MakeSteps(values);
    NodeDef def;
    def.op = from.def.op;
    def.attr = from.def.attr;
    SlimVector<DataType> types;
    for (const InEdge& edge : inputs) types.push_back(BaseType(graph_.type(edge)));
    SlimVector<IndexedGraph::Attr> attrs{{"T", graph_.type({root_, 0})},
                                         {"Tin", AttrValue(types)},
                                         {"producer", AttrValue(SerializeNodeDef(def))},
                                         {"num_producer_inputs", static_cast<std::int64_t>(from.inputs.size())}};
    AddAttrs(steps, &attrs);
    return graph_.Change(root_, "_FusedProducer", inputs, attrs);
  }

  PassRun* run_;
  IndexedGraph& graph_;
  SlimVector<int> order_;
  SlimVector<int> at_;  // place of a node in the order
  SlimVector<InEdge> like_;  // FindLike, per node
  SlimVector<char> is_step_;  // per node
  SlimVector<int> reads_;  // inputs of the group that read the node
  int root_ = -1;
  SlimVector<int> group_;
  SlimVector<int> others_;  // steps that stay with another product
  SlimVector<InEdge> inputs_;  // what the group reads, each once
  SlimVector<InEdge> counted_;  // what is counted in reads_
};

}  // namespace detail

inline void FuseElementwise(PassRun* run) { detail::Fuser(run).Run(); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
