// SPDX-License-Identifier: Apache-2.0
#pragma once
// Marks of convolutions and their gradients whose algorithm the kernel may choose: those that Winograd's may be faster
// for. The kernel knows the size of the images and chooses then. The rounding of results changes.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/engine/conv/winograd_choice.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/passes/steps.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline bool AreOnes(const NodeDef& def, std::string_view attr) {
  SlimVector<std::int64_t> values;
  if (!TryGetNodeAttr(def, attr, &values)) return false;
  for (const std::int64_t value : values)
    if (value != 1) return false;
  return true;
}
// The node is a convolution of floats in NHWC by steps of one, without groups, or a gradient of one, and its filter is
// known to be of 3 x 3 with enough channels.
inline bool MayFavourWinograd(const IndexedGraph& graph, int id) {
  const Node& node = graph.node(id);
  if (!IsListed("|Conv2D|_FusedConv2D|Conv2DBackpropInput|Conv2DBackpropFilter|", node.op_name())) return false;
  if (node.def.attr.Find("_kernel") != nullptr || node.inputs.size() < 2) return false;
  if (graph.type({id, 0}) != DataType::kFloat) return false;
  const AttrValue* const format = node.def.attr.Find("data_format");
  if (format != nullptr && format->s() != "NHWC") return false;
  if (!AreOnes(node.def, "strides") || !AreOnes(node.def, "dilations")) return false;
  const bool of_filter = node.op_name() == "Conv2DBackpropFilter", of_input = node.op_name() == "Conv2DBackpropInput";
  const PartialTensorShape filter = graph.shape(of_filter ? InEdge{id, 0} : node.inputs[1]);
  if (filter.dims() != 4 || filter.dim_size(0) != 3 || filter.dim_size(1) != 3) return false;
  const std::int64_t in_depth = filter.dim_size(2), out_depth = filter.dim_size(3);
  if (of_input) return MayFavourWinograd(out_depth, in_depth);  // has no groups
  const PartialTensorShape input = graph.shape(node.inputs[0]);
  return input.dims() == 4 && input.dim_size(3) == in_depth && MayFavourWinograd(in_depth, out_depth);
}

}  // namespace detail

inline void MarkConvolutions(PassRun* run) {
  IndexedGraph& graph = run->graph();
  for (int id = 0; id < graph.num_nodes() && run->MayGoOn(); ++id) {
    if (!graph.is_alive(id) || !detail::MayFavourWinograd(graph, id)) continue;
    if (graph.node(id).def.attr.Find(detail::kMayReassociateAttr) != nullptr) continue;
    const std::string_view algorithm = run->Choose(graph.node(id).def.name);
    if (algorithm == "direct") continue;
    const SlimVector<InEdge> inputs(graph.node(id).inputs.begin(), graph.node(id).inputs.end());
    SlimVector<IndexedGraph::Attr> attrs;
    attrs.push_back({detail::kMayReassociateAttr, true});
    if (algorithm == "winograd") attrs.push_back({detail::kAlgorithmAttr, AttrValue(std::string(algorithm))});
    const std::string op(graph.node(id).op_name());
    constexpr std::string_view kRule = "convolutions by Winograd's algorithm";
    graph.Change(id, op, inputs, attrs).ok() ? run->Apply(kRule) : run->Refuse(kRule, "no kernel");
  }
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
