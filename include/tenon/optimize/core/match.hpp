// SPDX-License-Identifier: Apache-2.0
#pragma once
// Match: nodes of an IndexedGraph that a Pattern fits, and the reason where they nearly do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pattern.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

template <class T>
bool AllElementsAre(const Tensor& tensor, double number) {
  const T* const values = tensor.data<T>();
  const T wanted = static_cast<T>(static_cast<float>(number));
  if (static_cast<double>(wanted) != number) return false;
  for (std::int64_t i = 0; i < tensor.NumElements(); ++i)
    if (!(values[i] == wanted)) return false;
  return tensor.NumElements() > 0;
}

}  // namespace detail

// True: the tensor has elements, and each has this value. 0 means both zeros, or false; 1 means true, too.
inline bool AllElementsAre(const Tensor& tensor, double number) {
  switch (tensor.dtype()) {
    case DataType::kFloat: return detail::AllElementsAre<float>(tensor, number);
    case DataType::kDouble: return detail::AllElementsAre<double>(tensor, number);
    case DataType::kHalf: return detail::AllElementsAre<half>(tensor, number);
    case DataType::kBfloat16: return detail::AllElementsAre<bfloat16>(tensor, number);
    case DataType::kInt32: return detail::AllElementsAre<std::int32_t>(tensor, number);
    case DataType::kInt64: return detail::AllElementsAre<std::int64_t>(tensor, number);
    case DataType::kInt16: return detail::AllElementsAre<std::int16_t>(tensor, number);
    case DataType::kInt8: return detail::AllElementsAre<std::int8_t>(tensor, number);
    case DataType::kUint8: return detail::AllElementsAre<std::uint8_t>(tensor, number);
    case DataType::kBool: return detail::AllElementsAre<bool>(tensor, number);
    default: return false;
  }
}

// True: the attr reads like the text: 3, true, DT_FLOAT, NHWC.
inline bool AttrIs(const AttrValue& value, std::string_view text) {
  switch (value.kind()) {
    case AttrValue::Kind::kBool: return text == (value.b() ? "true" : "false");
    case AttrValue::Kind::kInt: return text == StrCat(value.i());
    case AttrValue::Kind::kType: return text == EnumName(value.type());
    case AttrValue::Kind::kString: return text == value.s();
    default: return false;
  }
}

// A pattern laid over a graph. The graph outlives it; a change of the graph makes it void. externally synchronised.
//
//   Match match(&graph, &pattern);
//   if (match.Fits({id, 0})) Use(match["x"]);
class Match {
 public:
  // Both outlive this.
  Match(IndexedGraph* graph, const Pattern* pattern) : graph_(graph), pattern_(pattern) {}

  // True: the pattern fits the nodes that compute `root`.
  bool Fits(InEdge root) {
    refused_ = {};
    std::fill(slots_, slots_ + Pattern::kMostNames, InEdge{});
    root_ = root.node;
    return FitsTerm(root, 0);
  }
  // The reason why nodes that have the form of the pattern do not fit; empty: they do not have its form.
  std::string_view refused() const { return refused_; }

  IndexedGraph& graph() const { return *graph_; }
  int root() const { return root_; }
  // The value or node of that name in the pattern.
  InEdge operator[](std::string_view name) const { return slots_[pattern_->SlotOf(name)]; }
  bool has(std::string_view name) const { return pattern_->SlotOf(name) >= 0; }
  const Node& node(std::string_view name) const { return graph_->node((*this)[name].node); }
  const Tensor* constant(std::string_view name) const { return graph_->constant((*this)[name]); }
  PartialTensorShape shape(std::string_view name) const { return graph_->shape((*this)[name]); }
  DataType type(std::string_view name) const { return graph_->type((*this)[name]); }

 private:
  bool FitsTerm(InEdge edge, int at) {
    const PatternTerm term = pattern_->term(at);
    if (edge.node < 0) return false;
    switch (term.kind) {
      case PatternTerm::Kind::kAny: return true;
      case PatternTerm::Kind::kValue: return (!term.constant || graph_->constant(edge) != nullptr) && Bind(term, edge);
      case PatternTerm::Kind::kNumber: {
        const Tensor* const value = graph_->constant(edge);
        return value != nullptr && AllElementsAre(*value, term.number) && Bind(term, edge);
      }
      case PatternTerm::Kind::kOp: return FitsOp(edge, at) && Bind(term, edge);
    }
    return false;
  }
  bool Bind(const PatternTerm& term, InEdge edge) {
    if (term.slot < 0) return true;
    InEdge& slot = slots_[term.slot];
    if (slot.node < 0) slot = edge;
    return slot == edge;
  }
  bool FitsOp(InEdge edge, int at) {
    const PatternTerm term = pattern_->term(at);
    const Node& node = graph_->node(edge.node);
    if (edge.output != 0) return false;
    if (!AnyPart(term.ops, '|', [&](std::string_view op) { return op == node.op_name(); })) return false;
    const int inputs = static_cast<int>(node.inputs.size());
    if (term.more_inputs ? inputs < term.num_inputs : inputs != term.num_inputs) return false;
    if (!term.attrs.empty() && AnyPart(term.attrs, ',', [&](std::string_view part) { return !HasAttr(node, part); }))
      return false;
    if (!FitsInputs(node, at)) return false;
    refused_ = Refusal(node, term, at == 0);
    return refused_.empty();
  }
  bool FitsInputs(const Node& node, int at) {
    const PatternTerm term = pattern_->term(at);
    const auto fits = [&](bool swapped) {
      int next = at + 1;
      for (int i = 0; i < term.num_inputs; ++i) {
        const int input = swapped && i < 2 ? 1 - i : i;
        if (!FitsTerm(node.inputs[ToSize(input)], next)) return false;
        next = pattern_->term(next).end;
      }
      return true;
    };
    InEdge before[Pattern::kMostNames];
    std::copy(slots_, slots_ + Pattern::kMostNames, before);
    if (fits(false)) return true;
    if (!term.commutes || !refused_.empty()) return false;
    std::copy(before, before + Pattern::kMostNames, slots_);
    return fits(true);
  }
  // "name=value|value": one of them.
  static bool HasAttr(const Node& node, std::string_view part) {
    const std::size_t equals = part.find('=');
    const AttrValue* const value = node.def.attr.Find(part.substr(0, equals));
    return value != nullptr &&
           AnyPart(part.substr(equals + 1), '|', [&](std::string_view text) { return AttrIs(*value, text); });
  }
  std::string_view Refusal(const Node& node, const PatternTerm& term, bool is_root) const {
    if (graph_->is_fed(node.id)) return "fed";
    if (!graph_->is_pure(node.id)) return "stateful";
    if (is_root) return {};
    if (graph_->frame(node.id) != graph_->frame(root_)) return "in another frame";
    if (!node.control_inputs.empty()) return "waits for a node";
    if (!term.only_reader) return {};
    if (graph_->is_pinned(node.id)) return "its name must stay";
    if (graph_->num_waiting(node.id) > 0) return "a node waits for it";
    return graph_->num_readers(node.id) == 1 ? "" : "another node reads it";
  }

  IndexedGraph* graph_;
  const Pattern* pattern_;
  int root_ = -1;
  InEdge slots_[Pattern::kMostNames];
  std::string_view refused_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
