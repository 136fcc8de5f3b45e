// SPDX-License-Identifier: Apache-2.0
#pragma once
// Common subexpressions: of several nodes that compute one value, one stays.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_equality.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Attrs whose names begin with '_' tell how a node came to be, and do not count.
inline bool SameAttrs(const AttrMap& a, const AttrMap& b) {
  auto at = a.begin(), other = b.begin();
  const auto skip = [](auto* it, const auto& end) {
    while (*it != end && (*it)->first.starts_with('_')) ++*it;
  };
  for (;; ++at, ++other) {
    skip(&at, a.end());
    skip(&other, b.end());
    if (at == a.end() || other == b.end()) return at == a.end() && other == b.end();
    if (at->first != other->first || !AreAttrValuesEqual(at->second, other->second, true)) return false;
  }
}
inline std::uint64_t HashOfNode(const Node& node) {
  std::uint64_t hash = Hash64(node.op_name());
  for (const InEdge& edge : node.inputs) {
    const auto place = (static_cast<std::uint64_t>(edge.node) << 16) + static_cast<std::uint64_t>(edge.output);
    hash = HashCombine(hash, place * 0x9E3779B97F4A7C15u);  // its high bits choose a slot, too
  }
  if (!node.inputs.empty()) return hash;
  const AttrValue* const value = node.def.attr.Find("value");
  if (value == nullptr || value->kind() != AttrValue::Kind::kTensor || !value->decode_status().ok()) return hash;
  const Tensor& tensor = value->tensor();
  hash = HashCombine(hash, tensor.TotalBytes());
  if (tensor.dtype() == DataType::kString || tensor.TotalBytes() == 0) return hash;
  const std::size_t bytes = tensor.TotalBytes() < 256 ? tensor.TotalBytes() : 256;
  return HashCombine(hash, Hash64({static_cast<const char*>(tensor.raw_data()), bytes}));
}
inline bool ComputeTheSame(const IndexedGraph& graph, int a, int b) {
  const Node &x = graph.node(a), &y = graph.node(b);
  const auto same = [](const auto& u, const auto& v) {
    if (u.size() != v.size()) return false;
    for (std::size_t i = 0; i < u.size(); ++i)
      if (!(u[i] == v[i])) return false;
    return true;
  };
  return x.op == y.op && graph.frame(a) == graph.frame(b) && x.def.device == y.def.device && same(x.inputs, y.inputs) &&
         same(x.control_inputs, y.control_inputs) && SameAttrs(x.def.attr, y.def.attr);
}
// A node as small as an empty list of attrs, with a table of the nodes seen by hash.
class SeenNodes {
 public:
  explicit SeenNodes(std::size_t count) {
    std::size_t size = 16;
    while (size < 2 * count) size *= 2;
    slots_.resize(size, -1);
    hashes_.resize(size, 0);
  }
  // The equal node seen before, or -1 after the node was stored.
  int Find(const IndexedGraph& graph, int id) {
    const std::uint64_t hash = HashOfNode(graph.node(id));
    for (std::size_t at = (hash ^ (hash >> 32)) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const int other = slots_[at];
      if (other < 0) {
        slots_[at] = id;
        hashes_[at] = hash;
        return -1;
      }
      if (hashes_[at] == hash && graph.is_alive(other) && ComputeTheSame(graph, other, id)) return other;
    }
  }

 private:
  SlimVector<int> slots_;
  SlimVector<std::uint64_t> hashes_;
};

}  // namespace detail

inline void MergeCommonSubexpressions(PassRun* run) {
  IndexedGraph& graph = run->graph();
  const SlimVector<int> order = graph.Order();
  detail::SeenNodes seen(order.size());
  for (const int id : order) {
    if (!run->MayGoOn()) return;
    if (!graph.is_alive(id) || !graph.is_pure(id) || graph.node(id).num_outputs() == 0) continue;
    const int other = seen.Find(graph, id);
    if (other < 0) continue;
    if (graph.is_pinned(id)) {
      run->Refuse("equal nodes", "its name must stay");
      continue;
    }
    for (int i = 0; i < graph.node(id).num_outputs() && graph.is_alive(id); ++i) graph.Redirect({id, i}, {other, i});
    if (graph.is_alive(id)) graph.RedirectControl(id, other);
    graph.RemoveIfUnused(id);
    run->Apply("equal nodes");
  }
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
