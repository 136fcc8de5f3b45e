// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention: two products with a softmax between them become one node, with the element-wise nodes before the softmax
// and the transposes around the products.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/guards.hpp>
#include <tenon/optimize/passes/steps.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Reads the parts of an attention backwards from its second product. one thread.
class AttentionFinder {
 public:
  using Axes = SlimVector<std::int64_t>;

  explicit AttentionFinder(const Match& match)
      : graph_(match.graph()), root_(match.root()), softmax_(match["p"].node) {}

  Refusal Make() {
    const DataType type = graph_.type({root_, 0});
    if (type != DataType::kFloat && type != DataType::kDouble) return kNoMatch;
    if (const Refusal why = ReadSecondProduct(); !why.empty()) return why;
    InEdge scores = graph_.node(softmax_).inputs[0];
    TakeMask(&scores);
    if (const Refusal why = TakeSteps(scores); !why.empty()) return why;
    if (const Refusal why = ReadFirstProduct(); !why.empty()) return why;
    if (!first_broadcasts_ != !second_broadcasts_) return "products of two kinds";
    for (const auto& [edge, axes] : {std::pair(&q_, &q_axes_), {&k_, &k_axes_}, {&v_, &v_axes_}}) {
      if (graph_.shape(*edge).dims() != rank_) return "the rank is not known";
      TakeTranspose(edge, axes);
    }
    return Change(type);
  }

 private:
  static Axes InOrder(int rank) {
    Axes axes;
    for (int d = 0; d < rank; ++d) axes.push_back(d);
    return axes;
  }
  static Axes LastSwapped(int rank) {
    Axes axes = InOrder(rank);
    std::swap(axes[ToSize(rank - 1)], axes[ToSize(rank - 2)]);
    return axes;
  }
  // Only the match reads the node, and nothing else holds it where it is.
  bool IsOwn(int id) const {
    const Node& node = graph_.node(id);
    return graph_.is_pure(id) && !graph_.is_pinned(id) && graph_.num_waiting(id) == 0 && graph_.num_readers(id) == 1 &&
           node.control_inputs.empty() && graph_.frame(id) == graph_.frame(root_) &&
           node.def.device == graph_.node(root_).def.device;
  }
  bool BoolAttr(const Node& node, std::string_view name) const {
    bool value = false;
    return TryGetNodeAttr(node.def, name, &value) && value;
  }
  // Labels of "ab,bc->ac"; false: another form, or an ellipsis.
  static bool ReadEquation(const Node& node, std::string_view* a, std::string_view* b, std::string_view* out) {
    const AttrValue* const equation = node.def.attr.Find("equation");
    if (equation == nullptr || node.inputs.size() != 2) return false;
    const std::string_view text = equation->s();
    const std::size_t comma = text.find(','), arrow = text.find("->");
    if (comma == std::string_view::npos || arrow == std::string_view::npos || comma > arrow) return false;
    *a = text.substr(0, comma);
    *b = text.substr(comma + 1, arrow - comma - 1);
    *out = text.substr(arrow + 2);
    for (const std::string_view labels : {*a, *b, *out})
      for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == '.' || labels[i] == ' ' || labels.find(labels[i], i + 1) != std::string_view::npos)
          return false;
    return true;
  }
  // Where each label of `wanted` stands; false: the labels are others.
  static bool Places(const std::string& wanted, std::string_view labels, Axes* axes) {
    if (wanted.size() != labels.size()) return false;
    for (const char label : wanted) {
      const std::size_t at = labels.find(label);
      if (at == std::string_view::npos) return false;
      axes->push_back(static_cast<std::int64_t>(at));
    }
    return true;
  }

  Refusal ReadSecondProduct() {
    const Node& product = graph_.node(root_);
    rank_ = graph_.shape({softmax_, 0}).dims();
    const int input = product.inputs[0].node == softmax_ ? 0 : 1;
    v_ = product.inputs[ToSize(1 - input)];
    if (rank_ < 3 || rank_ > 8) return "the rank is not known";
    if (product.op_name() != "Einsum") {
      if (input != 0 || BoolAttr(product, "adj_x")) return "the softmax is transposed";
      second_broadcasts_ = product.op_name() == "BatchMatMulV2";
      v_axes_ = BoolAttr(product, "adj_y") ? LastSwapped(rank_) : InOrder(rank_);
      y_axes_ = InOrder(rank_);
      return {};
    }
    std::string_view a, b, out;
    if (!ReadEquation(product, &a, &b, &out)) return "another equation";
    const std::string_view probabilities = input == 0 ? a : b, values = input == 0 ? b : a;
    if (static_cast<int>(probabilities.size()) != rank_) return "another equation";
    const std::string batch(probabilities.substr(0, probabilities.size() - 2));
    const char query = probabilities[probabilities.size() - 2], key = probabilities[probabilities.size() - 1];
    if (out.empty() || probabilities.find(out[out.size() - 1]) != std::string_view::npos) return "another equation";
    const char depth = out[out.size() - 1];
    return Places(batch + key + depth, values, &v_axes_) && Places(batch + query + depth, out, &y_axes_)
               ? Refusal()
               : Refusal("another equation");
  }
  Refusal ReadFirstProduct() {
    const Node& product = graph_.node(product_);
    if (product.inputs.size() != 2) return kNoMatch;
    if (product.op_name() != "Einsum") {
      q_ = product.inputs[0];
      k_ = product.inputs[1];
      first_broadcasts_ = product.op_name() == "BatchMatMulV2";
      q_axes_ = BoolAttr(product, "adj_x") ? LastSwapped(rank_) : InOrder(rank_);
      k_axes_ = BoolAttr(product, "adj_y") ? InOrder(rank_) : LastSwapped(rank_);
      return {};
    }
    std::string_view a, b, out;
    if (!ReadEquation(product, &a, &b, &out) || static_cast<int>(out.size()) != rank_) return "another equation";
    const std::string batch(out.substr(0, out.size() - 2));
    const char query = out[out.size() - 2], key = out[out.size() - 1];
    const bool swapped = a.find(query) == std::string_view::npos;
    const std::string_view queries = swapped ? b : a, keys = swapped ? a : b;
    q_ = product.inputs[swapped ? 1 : 0];
    k_ = product.inputs[swapped ? 0 : 1];
    char depth = 0;
    for (const char label : queries)
      if (out.find(label) == std::string_view::npos) depth = label;
    return depth != 0 && Places(batch + query + depth, queries, &q_axes_) && Places(batch + key + depth, keys, &k_axes_)
               ? Refusal()
               : Refusal("another equation");
  }
  // SelectV2(mask, scores, c)
  void TakeMask(InEdge* scores) {
    const Node& node = graph_.node(scores->node);
    if (node.op_name() != "SelectV2" || node.inputs.size() != 3 || !IsOwn(node.id)) return;
    const Tensor* const masked = graph_.constant(node.inputs[2]);
    const int rank = graph_.shape(node.inputs[0]).dims();
    if (masked == nullptr || masked->NumElements() != 1 || masked->dims() > rank_ || rank < 0 || rank > rank_) return;
    if (masked->dtype() == DataType::kFloat) {
      masked_ = masked->data<float>()[0];
    } else if (masked->dtype() == DataType::kDouble) {
      masked_ = static_cast<float>(masked->data<double>()[0]);
      if (static_cast<double>(masked_) != masked->data<double>()[0]) return;
    }
    mask_.push_back(node.inputs[0]);
    *scores = node.inputs[1];
  }
  static bool IsProduct(const Node& node) {
    return node.op_name() == "BatchMatMulV2" || node.op_name() == "BatchMatMul" || node.op_name() == "Einsum";
  }
  // The steps from `edge` back to a product, the last first.
  bool FindSteps(InEdge edge, int left) {
    const Node& node = graph_.node(edge.node);
    if (edge.output != 0 || !IsOwn(node.id)) return false;
    if (IsProduct(node)) return product_ = node.id, true;
    if (left == 0 || !IsStepNode(graph_, node.id) || node.op_name() == "BiasAdd") return false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const int other = node.inputs.size() == 1 ? 0 : graph_.shape(node.inputs[1 - i]).dims();
      if (other < 0 || other > rank_) continue;
      chain_.push_back({node.id, i});
      if (FindSteps(node.inputs[i], left - 1)) return true;
      chain_.pop_back();
    }
    return false;
  }
  Refusal TakeSteps(InEdge scores) {
    if (!FindSteps(scores, 8)) return "other nodes before the softmax, or they stay";
    const std::int64_t none = -1;
    for (const auto& [id, input] : chain_)  // operands first: their numbers are below those of the results
      if (const Node& node = graph_.node(id); node.inputs.size() == 2) others_.push_back(node.inputs[1 - input]);
    std::int64_t value = 0, other = static_cast<std::int64_t>(others_.size());
    for (std::size_t i = chain_.size(); i-- > 0;) {
      const Node& node = graph_.node(chain_[i].first);
      float alpha = 0;
      if (node.op_name() == "LeakyRelu") has_alpha_ = TryGetNodeAttr(node.def, "alpha", &alpha);
      alphas_.push_back(alpha);
      steps_.push_back(std::string(node.op_name()));
      if (node.inputs.size() == 2) --other;
      for (std::size_t k = 0; k < 2; ++k)
        operands_.push_back(k >= node.inputs.size() ? none : k == chain_[i].second ? value : other + 1);
      value = static_cast<std::int64_t>(others_.size() + chain_.size() - i);
    }
    return {};
  }
  void TakeTranspose(InEdge* edge, Axes* axes) const {
    const Node& node = graph_.node(edge->node);
    SlimVector<std::int64_t> order;
    if (node.op_name() != "Transpose" || !IsOwn(node.id) || !ReadOrder(graph_, node.inputs[1], rank_, &order)) return;
    for (std::int64_t& axis : *axes) axis = order[static_cast<std::size_t>(axis)];
    *edge = node.inputs[0];
  }
  Refusal Change(DataType type) {
    SlimVector<InEdge> inputs{q_, k_, v_};
    inputs.append(mask_.begin(), mask_.end());
    inputs.append(others_.begin(), others_.end());
    const IndexedGraph::Attr attrs[] = {{"T", type},
                                        {"M", static_cast<std::int64_t>(mask_.size())},
                                        {"N", static_cast<std::int64_t>(others_.size())},
                                        {"q_axes", AttrValue(q_axes_)},
                                        {"k_axes", AttrValue(k_axes_)},
                                        {"v_axes", AttrValue(v_axes_)},
                                        {"y_axes", AttrValue(y_axes_)},
                                        {"steps", AttrValue(steps_)},
                                        {"operands", AttrValue(operands_)},
                                        {"alphas", AttrValue(has_alpha_ ? alphas_ : SlimVector<float>())},
                                        {"masked", masked_},
                                        {"broadcast", second_broadcasts_}};
    return graph_.Change(root_, "_FusedAttention", inputs, attrs).ok() ? Refusal() : Refusal("no kernel");
  }

  IndexedGraph& graph_;
  const int root_, softmax_;
  int product_ = -1, rank_ = 0;
  InEdge q_, k_, v_;
  Axes q_axes_, k_axes_, v_axes_, y_axes_;
  SlimVector<InEdge> mask_, others_;
  float masked_ = 0;
  SlimVector<std::pair<int, std::size_t>> chain_;  // nodes, and which input comes from the scores
  SlimVector<std::string> steps_;
  SlimVector<std::int64_t> operands_;
  SlimVector<float> alphas_;
  bool has_alpha_ = false, first_broadcasts_ = false, second_broadcasts_ = false;
};

inline Refusal MakeAttention(const Match& match) { return AttentionFinder(match).Make(); }

// Transpose(attention): the result is written in that order, if its rows stay whole.
inline Refusal TransposeAttention(const Match& match) {
  IndexedGraph& graph = match.graph();
  const Node& node = match.node("a");
  const AttrValue* const before = node.def.attr.Find("y_axes");
  SlimVector<std::int64_t> order, axes;
  if (before == nullptr) return kNoMatch;
  const std::size_t rank = before->list().i.size();
  if (!ReadOrder(graph, match["order"], static_cast<int>(rank), &order)) return "the permutation is not known";
  for (const std::int64_t axis : before->list().i)
    for (std::size_t i = 0; i < rank; ++i)
      if (order[i] == axis) axes.push_back(static_cast<std::int64_t>(i));
  if (axes.size() != rank || axes[rank - 1] != static_cast<std::int64_t>(rank) - 1) return "rows would not stay whole";
  SlimVector<InEdge> inputs(node.inputs.begin(), node.inputs.end());
  SlimVector<IndexedGraph::Attr> attrs;
  const AttrMap copied = node.def.attr;
  for (const auto& [name, value] : copied)
    if (name != "y_axes") attrs.push_back({name, value});
  attrs.push_back({"y_axes", AttrValue(axes)});
  return graph.Change(match.root(), "_FusedAttention", inputs, attrs).ok() ? Refusal() : Refusal("no kernel");
}

}  // namespace detail

inline constexpr Rule kAttentionRules[] = {
    {"attention",
     "BatchMatMul|BatchMatMulV2|Einsum(!p:Softmax(_), _)",
     {},
     nullptr,
     detail::MakeAttention,
     OptimizerLevel::kFast},
    {"attention, values first", "Einsum(_, !p:Softmax(_))", {}, nullptr, detail::MakeAttention, OptimizerLevel::kFast},
    {"transposed attention",
     "Transpose(!a:_FusedAttention(...), order)",
     {},
     nullptr,
     detail::TransposeAttention,
     OptimizerLevel::kFast},
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
