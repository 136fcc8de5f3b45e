// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lists: values that are taken apart and joined again, and one item of a joined list.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/guards.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Which item along axis 0, of `count`, a StridedSlice gives; -1: it gives another value.
inline std::int64_t ItemOf(const IndexedGraph& graph, const Node& slice, std::int64_t count) {
  if (slice.op_name() != "StridedSlice" || slice.inputs.size() != 4) return -1;
  for (const std::string_view mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    std::int64_t value = -1;
    if (!TryGetNodeAttr(slice.def, mask, &value) || value != (mask == "shrink_axis_mask" ? 1 : 0)) return -1;
  }
  const Tensor* const begin = graph.constant(slice.inputs[1]);
  const Tensor* const stride = graph.constant(slice.inputs[3]);
  Integers index, step;
  if (begin == nullptr || !ReadIntegers(*begin, &index) || index.size() != 1) return -1;
  if (stride == nullptr || !ReadIntegers(*stride, &step) || step.size() != 1 || step.at(0) != 1) return -1;
  const std::int64_t at = index.at(0) < 0 ? index.at(0) + count : index.at(0);
  return at >= 0 && at < count ? at : -1;
}

// The node whose outputs, each and in order, are the first `count` inputs of the root; nullptr: there is none.
inline const Node* SourceOfAll(const Match& match, std::size_t count, std::string_view op) {
  const IndexedGraph& graph = match.graph();
  const Node& root = graph.node(match.root());
  const Node& from = graph.node(root.inputs[0].node);
  if (from.op_name() != op || ToSize(from.num_outputs()) != count || graph.is_fed(from.id) || !graph.is_pure(from.id))
    return nullptr;
  if (!from.control_inputs.empty() || graph.frame(from.id) != graph.frame(root.id)) return nullptr;
  for (std::size_t i = 0; i < count; ++i)
    if (root.inputs[i] != InEdge{from.id, static_cast<int>(i)}) return nullptr;
  return &from;
}
// The size of `shape` along an axis that both numbers name; -1: they name two, or it is not known.
inline Index SizeAlong(const PartialTensorShape& shape, std::int64_t a, std::int64_t b) {
  const int rank = shape.dims();
  if (a < 0) a += rank;
  if (b < 0) b += rank;
  return a == b && a >= 0 && a < rank ? shape.dim_size(static_cast<int>(a)) : -1;
}
inline Refusal ForwardRoot(const Match& match, InEdge value) {
  return match.graph().Forward(match.root(), value).ok() ? Refusal() : Refusal("no Identity for the type");
}

// Pack of all outputs of an Unpack.
inline Refusal PacksUnpacked(const Match& match) {
  const Node& root = match.graph().node(match.root());
  const std::size_t count = root.inputs.size();
  const Node* const from = SourceOfAll(match, count, "Unpack");
  std::int64_t packed = 0, unpacked = 0;
  if (from == nullptr || !TryGetNodeAttr(root.def, "axis", &packed) || !TryGetNodeAttr(from->def, "axis", &unpacked))
    return kNoMatch;
  const InEdge x = from->inputs[0];
  if (SizeAlong(match.graph().shape(x), packed, unpacked) != static_cast<Index>(count)) return "other axes or sizes";
  return ForwardRoot(match, x);
}
// ConcatV2 of all outputs of a Split.
inline Refusal ConcatenatesSplit(const Match& match) {
  const IndexedGraph& graph = match.graph();
  const Node& root = graph.node(match.root());
  const std::size_t count = root.inputs.size() - 1;
  const Node* const from = SourceOfAll(match, count, "Split");
  if (from == nullptr) return kNoMatch;
  const Tensor* const joined = graph.constant(root.inputs[count]);
  const Tensor* const split = graph.constant(from->inputs[0]);
  Integers a, b;
  if (joined == nullptr || split == nullptr || joined->dims() != 0 || split->dims() != 0 ||
      !ReadIntegers(*joined, &a) || !ReadIntegers(*split, &b))
    return "the axis is not known";
  const InEdge x = from->inputs[1];
  const Index size = SizeAlong(graph.shape(x), a.at(0), b.at(0));
  if (size < 0 || size % static_cast<Index>(count) != 0) return "other axes or sizes";
  return ForwardRoot(match, x);
}
// One item of a Pack whose items fit.
inline Refusal TakesItem(const Match& match) {
  const IndexedGraph& graph = match.graph();
  const Node& list = match.node("list");
  std::int64_t axis = -1;
  if (!TryGetNodeAttr(list.def, "axis", &axis) || axis != 0) return kNoMatch;
  const std::int64_t item = ItemOf(graph, graph.node(match.root()), static_cast<std::int64_t>(list.inputs.size()));
  if (item < 0) return kNoMatch;
  if (graph.may_be_dead(list.id)) return "a branch may skip it";
  const PartialTensorShape shape = graph.shape(list.inputs[0]);
  for (const InEdge& edge : list.inputs)
    if (!shape.IsFullyDefined() || !shape.IsIdenticalTo(graph.shape(edge))) return "the items may not fit";
  const InEdge value = list.inputs[static_cast<std::size_t>(item)];
  return ForwardRoot(match, value);
}

}  // namespace detail

inline constexpr Rule kListRules[] = {
    {"pack of an unpack", "Pack(_, ...)", {}, nullptr, detail::PacksUnpacked},
    {"concatenation of a split", "ConcatV2(_, _, ...)", {}, nullptr, detail::ConcatenatesSplit},
    {"item of a pack", "StridedSlice(list:Pack(...), _, _, _)", {}, nullptr, detail::TakesItem},
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
