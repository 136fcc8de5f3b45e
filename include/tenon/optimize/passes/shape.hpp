// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape materialisation: Shape, ShapeN, Size and Rank of known shapes become constants, also where only the part that
// is read is known.

#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/constant_folding.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline Refusal ShapeConstant(const Match& match, const Integers& values, int output) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  const DataType type = graph.type({id, output});
  for (const std::int64_t value : values.values)
    if (type == DataType::kInt32 && value >= std::numeric_limits<std::int32_t>::max()) return "larger than an int32";
  Tensor tensor;
  if (!WriteIntegers(values, type, &tensor)) return kNoMatch;
  if (graph.node(id).num_outputs() == 1) return ReplaceByConstant(&graph, id, std::move(tensor));
  const Result<int> constant = graph.AddConstant(std::move(tensor), id);
  if (!constant.ok()) return "no Const of the type";
  graph.Redirect({id, output}, {*constant, 0});
  graph.RemoveIfUnused(*constant);
  return {};
}
// A node that a branch skips has no shape in that run.
inline Refusal ShapeMayBeTaken(const Match& match) {
  const IndexedGraph& graph = match.graph();
  const int id = match.root();
  if (graph.frame(id) != 0) return "in a loop";
  if (graph.may_be_dead(id)) return "a branch may skip it";
  if (!graph.node(id).control_inputs.empty()) return "waits for a node";
  return graph.is_pinned(id) ? Refusal("its name must stay") : Refusal();
}
inline Refusal MaterialiseShape(const Match& match) {
  const IndexedGraph& graph = match.graph();
  const Node& node = graph.node(match.root());
  const PartialTensorShape shape = graph.shape(node.inputs[0]);
  if (node.op_name() == "Rank" ? shape.unknown_rank() : !shape.IsFullyDefined()) return "the shape is not known";
  if (node.op_name() == "Rank") return ShapeConstant(match, Integers::Scalar(shape.dims()), 0);
  if (node.op_name() == "Size") return ShapeConstant(match, Integers::Scalar(shape.num_elements()), 0);
  return ShapeConstant(match, Integers::Vector({shape.begin(), shape.end()}), 0);
}
inline Refusal MaterialiseShapes(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  bool done = false;
  for (int i = 0; i < graph.node(id).num_outputs() && graph.is_alive(id); ++i) {
    const PartialTensorShape shape = graph.shape(graph.node(id).inputs[ToSize(i)]);
    if (!shape.IsFullyDefined()) continue;
    bool is_read = false;
    graph.ForEachReader(id, [&](const OutEdge& edge) { is_read = is_read || edge.output == i; });
    if (!is_read) continue;
    if (const Refusal why = ShapeConstant(match, Integers::Vector({shape.begin(), shape.end()}), i); !why.empty())
      return why;
    done = true;
  }
  return done ? Refusal() : Refusal("the shape is not known");
}
// shape[i:i+1] as a scalar, where only that size is known.
inline Refusal MaterialiseSize(const Match& match) {
  const Tensor* const begin = match.constant("begin");
  Integers index;
  if (begin == nullptr || !ReadIntegers(*begin, &index) || index.size() != 1) return kNoMatch;
  const PartialTensorShape shape = match.graph().shape(match.node("shape").inputs[0]);
  const std::int64_t rank = shape.dims(), at = index.at(0) < 0 ? index.at(0) + rank : index.at(0);
  if (shape.unknown_rank() || at < 0 || at >= rank || shape.dim_size(static_cast<int>(at)) < 0)
    return "the size is not known";
  return ShapeConstant(match, Integers::Scalar(shape.dim_size(static_cast<int>(at))), 0);
}

}  // namespace detail

inline constexpr Rule kShapeRules[] = {
    {"shape of a known shape", "Shape|Size|Rank(x)", {}, detail::ShapeMayBeTaken, detail::MaterialiseShape},
    {"shapes of known shapes", "ShapeN(x, ...)", {}, detail::ShapeMayBeTaken, detail::MaterialiseShapes},
    {"size of a known size",
     "StridedSlice[begin_mask=0,end_mask=0,ellipsis_mask=0,new_axis_mask=0,shrink_axis_mask=1](shape:Shape(x), begin, _, _)",
     {},
     detail::ShapeMayBeTaken,
     detail::MaterialiseSize},
};

inline void MaterialiseShapes(PassRun* run) { ApplyRules(kShapeRules, run); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
