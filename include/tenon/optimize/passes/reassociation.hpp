// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums, products and reductions in another order: constants meet each other, a common factor is multiplied once, two
// reductions are one. TensorFlow's ArithmeticOptimizer and ConstantFolding have these rules.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
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

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Larger results may stay unfolded, and would be computed in each run.
inline constexpr std::size_t kMostJoinedBytes = 1 << 20;

// op(op(x, c), d) -> op(x, op(c, d)) for constants c and d.
inline Refusal JoinConstants(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  const InEdge x = match["x"], c = match["c"], d = match["d"];
  const Tensor *const a = graph.constant(c), *const b = graph.constant(d);
  if (graph.constant(x) != nullptr) return kNoMatch;
  if (graph.frame(id) != 0) return "in a loop";
  // No more numbers than one of the constants has: they have one shape, or one is a scalar.
  if (a->shape() != b->shape() && a->NumElements() != 1 && b->NumElements() != 1) return "the constants broadcast";
  if (a->TotalBytes() + b->TotalBytes() > kMostJoinedBytes) return "large constants";
  const std::string op = graph.node(id).op_name();
  const InEdge constants[] = {c, d};
  const Result<int> joined = graph.Add(op, id, constants, {});
  if (!joined.ok()) return "no kernel";
  const InEdge inputs[] = {x, {*joined, 0}};
  if (graph.Change(id, op, inputs, {}).ok()) return {};
  graph.RemoveIfUnused(*joined);
  return "no kernel";
}
// a b + a c -> a (b + c), also for differences.
inline Refusal TakeFactorOut(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  const InEdge a[] = {match["a"], match["b"]}, b[] = {match["c"], match["d"]};
  for (int i = 0; i < 4; ++i) {
    const InEdge common = a[i / 2], left = a[1 - i / 2], right = b[1 - i % 2];
    if (common != b[i % 2]) continue;
    const PartialTensorShape shape = graph.shape(left);
    if (!shape.IsFullyDefined() || !shape.IsIdenticalTo(graph.shape(right))) return "the shapes may differ";
    const std::string op = graph.node(id).op_name();
    const InEdge terms[] = {left, right};
    const Result<int> sum = graph.Add(op, id, terms, {});
    if (!sum.ok()) return "no kernel";
    const InEdge inputs[] = {common, {*sum, 0}};
    if (graph.Change(id, "Mul", inputs, {}).ok()) return {};
    graph.RemoveIfUnused(*sum);
    return "no kernel";
  }
  return kNoMatch;
}

// The axes of a reduction of `rank` axes as flags; false: they are not known, or some twice or beyond.
inline bool ReadAxes(const Match& match, std::string_view name, int rank, SlimVector<char>* reduced) {
  SlimVector<std::int64_t> axes;
  if (rank < 0 || !ReadVector(match, name, &axes)) return false;
  reduced->assign(ToSize(rank), 0);
  for (const std::int64_t axis : axes) {
    const std::int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank || (*reduced)[ToSize(static_cast<int>(at))]++ != 0) return false;
  }
  return true;
}
// A reduction of a reduction, of one op: of all axes at once.
inline Refusal JoinReductions(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root(), inner = match["inner"].node;
  if (graph.node(inner).op != graph.node(id).op) return kNoMatch;
  bool keeps = false, inner_keeps = false;
  if (!TryGetNodeAttr(graph.node(id).def, "keep_dims", &keeps) ||
      !TryGetNodeAttr(graph.node(inner).def, "keep_dims", &inner_keeps) || keeps != inner_keeps)
    return "one keeps its axes, the other does not";
  if (graph.frame(id) != 0) return "in a loop";
  const int rank = match.shape("x").dims();
  SlimVector<char> first, second;
  if (!ReadAxes(match, "p", rank, &first)) return "the axes are not known";
  int left = 0;  // axes behind the first reduction
  for (const char reduced : first) left += keeps || reduced == 0 ? 1 : 0;
  if (!ReadAxes(match, "q", left, &second)) return "the axes are not known";
  SlimVector<std::int32_t> axes;
  for (int axis = 0, at = 0; axis < rank; ++axis) {
    const bool stays = keeps || first[ToSize(axis)] == 0;
    if (first[ToSize(axis)] != 0 || second[ToSize(at)] != 0) axes.push_back(axis);
    if (stays) ++at;
  }
  const Result<int> constant =
      graph.AddConstant(Tensor::From<std::int32_t>(axes, TensorShape{static_cast<Index>(axes.size())}), id);
  if (!constant.ok()) return "no Const of the type";
  const std::string op = graph.node(id).op_name();
  const InEdge inputs[] = {match["x"], {*constant, 0}};
  if (graph.Change(id, op, inputs, {}).ok()) return {};
  graph.RemoveIfUnused(*constant);
  return "no kernel";
}

// AddN of two values of one shape, which fusion knows as AddV2.
inline Refusal IsSumOfTwo(const Match& match) {
  const PartialTensorShape shape = match.shape("x");
  return shape.IsFullyDefined() && shape.IsIdenticalTo(match.shape("y")) ? Refusal() : Refusal("the shapes may differ");
}
// Adds a node like the root over these inputs, the first `count` of them its list.
inline Result<int> AddOverParts(const Match& match, const SlimVector<InEdge>& inputs, std::size_t count) {
  IndexedGraph& graph = match.graph();
  const std::string op = graph.node(match.root()).op_name();
  const AttrMap copied = graph.node(match.root()).def.attr;
  SlimVector<IndexedGraph::Attr> attrs;
  for (const auto& [name, value] : copied)
    if (!name.starts_with('_') && name != "N") attrs.push_back({name, value});
  attrs.push_back({"N", static_cast<std::int64_t>(count)});
  return graph.Add(op, match.root(), inputs, attrs);
}
// Joins parts [first, end) of a concatenation.
inline Refusal JoinNeighbours(const Match& match, std::size_t first, std::size_t end) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  if (graph.frame(id) != 0) return "in a loop";
  const InlinedVector<InEdge, 4> old = graph.node(id).inputs;
  SlimVector<InEdge> joined, inputs;
  for (std::size_t i = first; i < end; ++i) joined.push_back(old[i]);
  joined.push_back(old[old.size() - 1]);
  const Result<int> made = AddOverParts(match, joined, end - first);
  if (!made.ok()) return "no kernel";
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (i == first) inputs.push_back({*made, 0});
    if (i < first || i >= end) inputs.push_back(old[i]);
  }
  const IndexedGraph::Attr rest[] = {{"N", static_cast<std::int64_t>(inputs.size()) - 1}};
  if (graph.Change(id, "ConcatV2", inputs, rest).ok()) return {};
  graph.RemoveIfUnused(*made);
  return "no kernel";
}
// Neighbours among the inputs of a concatenation that are constants become one.
inline Refusal JoinParts(const Match& match) {
  const IndexedGraph& graph = match.graph();
  const Node& node = graph.node(match.root());
  const std::size_t count = node.inputs.size() - 1;
  if (graph.constant(node.inputs[count]) == nullptr) return "the axis is not known";
  for (std::size_t first = 0; first < count;) {
    std::size_t end = first, bytes = 0;
    for (; end < count; ++end) {
      const Tensor* const part = graph.constant(node.inputs[end]);
      if (part == nullptr || (bytes += part->TotalBytes()) > kMostJoinedBytes) break;
    }
    if (end - first >= 2 && end - first < count) return JoinNeighbours(match, first, end);
    first = end > first ? end : first + 1;
  }
  return kNoMatch;
}
// Two constants or more of an AddN become one, its last term.
inline Refusal JoinTerms(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  const InlinedVector<InEdge, 4> old = graph.node(id).inputs;
  SlimVector<InEdge> others, constants;
  std::size_t bytes = 0;
  for (const InEdge& edge : old) {
    const Tensor* const term = graph.constant(edge);
    if (term != nullptr) bytes += term->TotalBytes();
    (term != nullptr && bytes <= kMostJoinedBytes ? constants : others).push_back(edge);
  }
  if (constants.size() < 2 || others.empty()) return kNoMatch;
  if (graph.frame(id) != 0) return "in a loop";
  const Result<int> made = AddOverParts(match, constants, constants.size());
  if (!made.ok()) return "no kernel";
  others.push_back({*made, 0});
  const IndexedGraph::Attr rest[] = {{"N", static_cast<std::int64_t>(others.size())}};
  if (graph.Change(id, "AddN", others, rest).ok()) return {};
  graph.RemoveIfUnused(*made);
  return "no kernel";
}

}  // namespace detail

inline constexpr Rule kReassociationRules[] = {
    {"constants of a sum of integers",
     "Add|AddV2~[T=DT_INT32|DT_INT64](!Add|AddV2~(x, #c), #d)",
     {},
     nullptr,
     detail::JoinConstants},
    {"constants of a product of integers",
     "Mul~[T=DT_INT32|DT_INT64](!Mul~(x, #c), #d)",
     {},
     nullptr,
     detail::JoinConstants},
    {"constants of a sum",
     "Add|AddV2~[T=DT_FLOAT|DT_DOUBLE](!Add|AddV2~(x, #c), #d)",
     {},
     nullptr,
     detail::JoinConstants,
     OptimizerLevel::kFast},
    {"constants of a product",
     "Mul~[T=DT_FLOAT|DT_DOUBLE](!Mul~(x, #c), #d)",
     {},
     nullptr,
     detail::JoinConstants,
     OptimizerLevel::kFast},
    {"common factor of integers",
     "AddV2|Sub[T=DT_INT32|DT_INT64](!Mul(a, b), !Mul(c, d))",
     {},
     nullptr,
     detail::TakeFactorOut},
    {"common factor",
     "AddV2|Sub[T=DT_FLOAT|DT_DOUBLE](!Mul(a, b), !Mul(c, d))",
     {},
     nullptr,
     detail::TakeFactorOut,
     OptimizerLevel::kFast},
    {"reduction of a reduction",
     "Max|Min|Any|All(!inner:Max|Min|Any|All(x, p), q)",
     {},
     nullptr,
     detail::JoinReductions},
    {"sum of sums",
     "Sum|Prod|Mean[T=DT_FLOAT|DT_DOUBLE](!inner:Sum|Prod|Mean(x, p), q)",
     {},
     nullptr,
     detail::JoinReductions,
     OptimizerLevel::kFast},
    {"sum of two", "AddN(x, y)", "AddV2(x, y)", detail::IsSumOfTwo},
    {"constant parts", "ConcatV2(_, _, _, ...)", {}, nullptr, detail::JoinParts},
    {"constant terms",
     "AddN[T=DT_FLOAT|DT_DOUBLE](_, _, _, ...)",
     {},
     nullptr,
     detail::JoinTerms,
     OptimizerLevel::kFast},
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
