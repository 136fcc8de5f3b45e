// SPDX-License-Identifier: Apache-2.0
#pragma once
// Movement simplification: transposes, reshapes, slices, pads and lists that move nothing or undo each other.

#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/guards.hpp>
#include <tenon/optimize/passes/lists.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Reads a permutation of the axes of `x`; false: it is not known, or not one.
inline bool ReadPermutation(const Match& match, std::string_view name, SlimVector<std::int64_t>* axes) {
  if (!ReadVector(match, name, axes)) return false;
  const std::int64_t rank = static_cast<std::int64_t>(axes->size());
  SlimVector<char> seen(axes->size(), 0);
  for (std::int64_t& axis : *axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || seen[static_cast<std::size_t>(axis)]++ != 0) return false;
  }
  return match.shape("x").dims() == rank;
}
inline Refusal TransposesBack(const Match& match) {
  SlimVector<std::int64_t> first, second;
  if (!ReadPermutation(match, "p", &first) || !ReadPermutation(match, "q", &second))
    return "the permutation is not known";
  for (std::size_t i = 0; i < second.size(); ++i)
    if (first[static_cast<std::size_t>(second[i])] != static_cast<std::int64_t>(i)) return kNoMatch;
  return {};
}
inline Refusal TransposesNothing(const Match& match) {
  SlimVector<std::int64_t> axes;
  if (!ReadPermutation(match, "p", &axes)) return kNoMatch;
  const PartialTensorShape shape = match.shape("x");  // axes of size 1 may move freely
  std::int64_t last = -1;
  for (const std::int64_t axis : axes) {
    if (shape.dim_size(static_cast<int>(axis)) == 1) continue;
    if (axis < last) return kNoMatch;
    last = axis;
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (shape.dim_size(static_cast<int>(axes[i])) != shape.dim_size(static_cast<int>(i))) return kNoMatch;
  return {};
}
// The product of the known sizes, with at most one unknown size; -1: more are unknown.
inline std::int64_t KnownProduct(const PartialTensorShape& shape, int* unknown) {
  std::int64_t product = 1;
  *unknown = 0;
  if (shape.unknown_rank()) return -1;
  for (const Index size : shape) {
    if (size < 0)
      ++*unknown;
    else
      product *= size;
  }
  return *unknown <= 1 ? product : -1;
}
// The first reshape fits every x, so nothing is lost with it.
inline Refusal FirstReshapeFits(const Match& match) {
  int before = 0, after = 0;
  const std::int64_t from = KnownProduct(match.shape("x"), &before), to = KnownProduct(match.shape("inner"), &after);
  return from > 0 && from == to && before == after ? Refusal() : Refusal("the first reshape may fail");
}
inline Refusal ReshapesNothing(const Match& match) {
  const PartialTensorShape before = match.shape("x"), after = match.graph().shape({match.root(), 0});
  if (before.IsFullyDefined() && after.IsFullyDefined())
    return before.IsIdenticalTo(after) ? Refusal() : Refusal(kNoMatch);
  SlimVector<std::int64_t> sizes;
  if (before.unknown_rank() || !ReadVector(match, "s", &sizes)) return kNoMatch;
  if (static_cast<std::int64_t>(sizes.size()) != before.dims()) return kNoMatch;
  int unknown = 0;
  for (int d = 0; d < before.dims(); ++d) {
    const std::int64_t size = sizes[ToSize(d)];
    if (before.dim_size(d) < 0 ? size != -1 : size != before.dim_size(d) || size == 0) return kNoMatch;
    unknown += before.dim_size(d) < 0 ? 1 : 0;
  }
  return unknown <= 1 ? Refusal() : Refusal(kNoMatch);
}
// Reads which size of `x` a node gives: "Shape(x)[k]" as a scalar; -1: it gives another value.
inline int SizeOfAxis(const IndexedGraph& graph, InEdge edge, InEdge x) {
  const Node& slice = graph.node(edge.node);
  const int rank = graph.shape(x).dims();
  const std::int64_t at = graph.is_pure(edge.node) ? ItemOf(graph, slice, rank) : -1;
  if (at < 0) return -1;
  const Node& shape = graph.node(slice.inputs[0].node);
  if (shape.op_name() != "Shape" || !graph.is_pure(shape.id) || shape.inputs[0] != x) return -1;
  return static_cast<int>(at);
}
// Reshape(x, [Shape(x)[k], 7, 64]), where the other sizes fit the other axes of x: the first is as good as -1.
inline Refusal ReshapeByOwnSize(const Match& match) {
  IndexedGraph& graph = match.graph();
  const Node& pack = match.node("sizes");
  const PartialTensorShape shape = match.shape("x");
  std::int64_t axis = -1;
  if (shape.unknown_rank() || !TryGetNodeAttr(pack.def, "axis", &axis) || axis != 0) return kNoMatch;
  SlimVector<std::int32_t> sizes;
  int own = -1;
  std::int64_t product = 1, wanted = 1;
  for (const InEdge& edge : pack.inputs) {
    const Tensor* const value = graph.constant(edge);
    Integers read;
    if (value == nullptr) {
      if (own >= 0 || (own = SizeOfAxis(graph, edge, match["x"])) < 0) return "sizes are not known";
      sizes.push_back(-1);
      continue;
    }
    if (!ReadIntegers(*value, &read) || read.size() != 1 || read.at(0) < 1 || read.at(0) > 1 << 30) return kNoMatch;
    sizes.push_back(static_cast<std::int32_t>(read.at(0)));
    product *= read.at(0);
    if (product > std::int64_t{1} << 40) return kNoMatch;
  }
  for (int d = 0; d < shape.dims(); ++d) {
    if (d == own) continue;
    if (shape.dim_size(d) < 1) return "sizes are not known";
    wanted *= shape.dim_size(d);
  }
  if (own < 0 || product != wanted) return "sizes are not known";
  if (graph.frame(match.root()) != 0) return "in a loop";
  const Result<int> constant =
      graph.AddConstant(Tensor::From<std::int32_t>(sizes, TensorShape{static_cast<Index>(sizes.size())}), match.root());
  if (!constant.ok()) return "no Const of the type";
  graph.SetInput(match.root(), 1, {*constant, 0});
  return {};
}
// Each value of `name` is this one, and there are as many as x has axes, `columns` times.
inline bool AllAre(const Match& match, std::string_view name, std::int64_t value, int columns = 1) {
  const Tensor* const tensor = match.constant(name);
  Integers read;
  if (tensor == nullptr || !ReadIntegers(*tensor, &read)) return false;
  const int rank = match.shape("x").dims();
  if (rank < 0 || tensor->dims() != columns || tensor->NumElements() != Index{rank} * columns) return false;
  for (Index i = 0; i < read.size(); ++i)
    if (read.at(i) != value) return false;
  return true;
}
inline Refusal SlicesAll(const Match& match) {
  if (!AllAre(match, "begin", 0)) return kNoMatch;
  if (AllAre(match, "size", -1)) return {};
  SlimVector<std::int64_t> sizes;
  const PartialTensorShape shape = match.shape("x");
  if (!ReadVector(match, "size", &sizes) || static_cast<int>(sizes.size()) != shape.dims()) return kNoMatch;
  for (int d = 0; d < shape.dims(); ++d)
    if (sizes[ToSize(d)] != -1 && sizes[ToSize(d)] != shape.dim_size(d)) return kNoMatch;
  return {};
}
inline Refusal PadsNothing(const Match& match) { return AllAre(match, "p", 0, 2) ? Refusal() : Refusal(kNoMatch); }
inline Refusal TilesOnce(const Match& match) { return AllAre(match, "m", 1) ? Refusal() : Refusal(kNoMatch); }
// The axis `axis` is one of x.
inline Refusal HasAxis(const Match& match) {
  SlimVector<std::int64_t> axis;
  const int rank = match.shape("x").dims();
  if (!ReadVector(match, "axis", &axis) || axis.size() != 1 || match.constant("axis")->dims() != 0) return kNoMatch;
  return rank > 0 && axis[0] >= -rank && axis[0] < rank ? Refusal() : Refusal("the axis may not exist");
}
// Reverses by no axis, or expands and squeezes the same axis.
inline Refusal SqueezesExpanded(const Match& match) {
  SlimVector<std::int64_t> axis;
  const int rank = match.shape("x").dims();
  const AttrValue* const dims = match.graph().node(match.root()).def.attr.Find("squeeze_dims");
  if (rank < 0 || dims == nullptr || dims->list().i.size() != 1) return kNoMatch;
  if (!ReadVector(match, "axis", &axis) || axis.size() != 1) return kNoMatch;
  const std::int64_t expanded = axis[0] < 0 ? axis[0] + rank + 1 : axis[0], squeezed = dims->list().i[0];
  if (expanded < 0 || expanded > rank) return kNoMatch;
  return (squeezed < 0 ? squeezed + rank + 1 : squeezed) == expanded ? Refusal() : Refusal(kNoMatch);
}

// A slice of a slice that is known to lie within x.
inline Refusal JoinSlices(const Match& match) {
  IndexedGraph& graph = match.graph();
  SlimVector<std::int64_t> begin, size, second, sizes;
  const PartialTensorShape shape = match.shape("x"), inner = match.shape("inner");
  if (!ReadVector(match, "b", &begin) || !ReadVector(match, "s", &size) || !ReadVector(match, "c", &second) ||
      !ReadVector(match, "t", &sizes))
    return "the place is not known";
  const int rank = shape.dims();
  if (rank < 1 || inner.dims() != rank || graph.frame(match.root()) != 0) return "the shapes are not known";
  for (const auto* list : {&begin, &size, &second, &sizes})
    if (static_cast<int>(list->size()) != rank) return kNoMatch;
  SlimVector<std::int64_t> from, count;
  for (int d = 0; d < rank; ++d) {
    const std::size_t at = ToSize(d);
    const Index all = shape.dim_size(d), part = inner.dim_size(d);
    if (all < 0 || part < 0 || begin[at] < 0 || begin[at] + part > all || second[at] < 0) return "may lie beyond";
    const std::int64_t taken = sizes[at] == -1 ? part - second[at] : sizes[at];
    if (taken < 0 || second[at] + taken > part) return "may lie beyond";
    from.push_back(begin[at] + second[at]);
    count.push_back(taken);
  }
  const TensorShape vector{Index{rank}};
  const Result<int> first = graph.AddConstant(Tensor::From<std::int64_t>(from, vector), match.root()),
                    length = graph.AddConstant(Tensor::From<std::int64_t>(count, vector), match.root());
  if (first.ok() && length.ok()) {
    const InEdge inputs[] = {match["x"], {*first, 0}, {*length, 0}};
    if (graph.Change(match.root(), "Slice", inputs, {}).ok()) return {};
  }
  for (const Result<int>* added : {&first, &length})
    if (added->ok()) graph.RemoveIfUnused(**added);
  return "no kernel";
}
// A pad of a pad, both with zeros.
inline Refusal JoinPads(const Match& match) {
  IndexedGraph& graph = match.graph();
  const Tensor *const p = match.constant("p"), *const q = match.constant("q");
  Integers first, second;
  if (p == nullptr || q == nullptr || p->dims() != 2 || p->shape() != q->shape() || !ReadIntegers(*p, &first) ||
      !ReadIntegers(*q, &second) || match.shape("x").dims() != p->dim_size(0))
    return "paddings are not known";
  if (graph.frame(match.root()) != 0) return "in a loop";
  SlimVector<std::int64_t> sums;
  for (Index i = 0; i < first.size(); ++i) {
    if (first.at(i) < 0 || second.at(i) < 0 || first.at(i) > 1 << 30 || second.at(i) > 1 << 30)
      return "paddings are not known";
    sums.push_back(first.at(i) + second.at(i));
  }
  const Result<int> paddings = graph.AddConstant(Tensor::From<std::int64_t>(sums, p->shape()), match.root());
  if (!paddings.ok()) return "no Const of the type";
  const InEdge inputs[] = {match["x"], {*paddings, 0}};
  if (graph.Change(match.root(), "Pad", inputs, {}).ok()) return {};
  graph.RemoveIfUnused(*paddings);
  return "no kernel";
}

}  // namespace detail

inline constexpr Rule kMovementRules[] = {
    {"double transpose", "Transpose(Transpose(x, p), q)", "x", detail::TransposesBack},
    {"transpose of nothing", "Transpose(x, p)", "x", detail::TransposesNothing},
    {"reshape of nothing", "Reshape(x, s)", "x", detail::ReshapesNothing},
    {"double reshape", "Reshape(inner:Reshape(x, _), s)", "Reshape(x, s)", detail::FirstReshapeFits},
    {"reshape by the own size", "Reshape(x, sizes:Pack(...))", {}, nullptr, detail::ReshapeByOwnSize},
    {"squeezed expansion", "Squeeze(ExpandDims(x, axis))", "x", detail::SqueezesExpanded},
    {"slice of all", "Slice(x, begin, size)", "x", detail::SlicesAll},
    {"slice of a slice", "Slice(!inner:Slice(x, b, s), c, t)", {}, nullptr, detail::JoinSlices},
    {"pad of a pad", "Pad(!Pad(x, p), q)", {}, nullptr, detail::JoinPads},
    {"pad by nothing", "Pad|MirrorPad(x, p)", "x", detail::PadsNothing},
    {"pad by nothing", "PadV2(x, p, _)", "x", detail::PadsNothing},
    {"tile once", "Tile(x, m)", "x", detail::TilesOnce},
    {"broadcast to its shape", "BroadcastTo(x, _)", "x", detail::SameShape},
    {"concatenation of one", "ConcatV2(x, axis)", "x", detail::HasAxis},
    {"split into one", "Split[num_split=1](axis, x)", "x", detail::HasAxis},
    {"sum of one", "AddN(x)", "x"},
};

inline void SimplifyMovement(PassRun* run) {
  ApplyRules(kMovementRules, run);
  ApplyRules(kListRules, run);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
