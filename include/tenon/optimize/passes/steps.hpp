// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise nodes that fused nodes hold as steps.

#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Steps of _FusedElementwise (ops/nn/fused_elementwise.hpp).
inline constexpr std::string_view kUnarySteps =
    "|Abs|Ceil|Elu|Erf|Erfc|Exp|Expm1|Floor|LeakyRelu|Log|Log1p|Neg|Reciprocal|Relu|Relu6|Rsqrt|Selu|Sigmoid|Softplus|"
    "Softsign|Sqrt|Square|Tanh|";
inline constexpr std::string_view kBinarySteps =
    "|Add|AddV2|BiasAdd|Div|Maximum|Minimum|Mul|RealDiv|SquaredDifference|Sub|";

inline bool IsListed(std::string_view list, std::string_view op) {
  for (std::size_t at = list.find(op); at != std::string_view::npos; at = list.find(op, at + 1))
    if (list[at - 1] == '|' && list[at + op.size()] == '|') return true;
  return false;
}

// A BiasAdd refuses what an Add would broadcast.
inline bool IsBiasLikeAdd(const IndexedGraph& graph, const Node& node) {
  const PartialTensorShape x = graph.shape(node.inputs[0]), bias = graph.shape(node.inputs[1]);
  const AttrValue* const format = node.def.attr.Find("data_format");
  if (format == nullptr || format->s() != "NHWC" || x.unknown_rank() || x.dims() < 2 || bias.dims() != 1) return false;
  return bias.dim_size(0) > 0 && bias.dim_size(0) == x.dim_size(x.dims() - 1);
}

// The node computes each element of its float or double output from elements of such inputs.
inline bool IsStepNode(const IndexedGraph& graph, int id) {
  const Node& node = graph.node(id);
  if (!graph.is_pure(id) || node.output_types.size() != 1) return false;
  const DataType type = node.output_types[0];
  if (type != DataType::kFloat && type != DataType::kDouble) return false;
  for (const DataType input : node.input_types)
    if (input != type) return false;
  const std::size_t inputs = node.inputs.size();
  if (inputs < 1 || inputs > 2 || !IsListed(inputs == 1 ? kUnarySteps : kBinarySteps, node.op_name())) return false;
  if (node.def.attr.Find("_kernel") != nullptr) return false;  // a kernel that the node asks for by its label
  return node.op_name() != "BiasAdd" || IsBiasLikeAdd(graph, node);
}

// The constant order of a Transpose's axes; false: it is not known, or not an order.
inline bool ReadOrder(const IndexedGraph& graph, InEdge edge, int rank, SlimVector<std::int64_t>* order) {
  const Tensor* const tensor = graph.constant(edge);
  Integers read;
  if (tensor == nullptr || tensor->dims() != 1 || !ReadIntegers(*tensor, &read) || read.size() != rank) return false;
  SlimVector<char> seen(ToSize(rank), 0);
  for (Index i = 0; i < read.size(); ++i) {
    const std::int64_t axis = read.at(i) < 0 ? read.at(i) + rank : read.at(i);
    if (axis < 0 || axis >= rank || seen[ToSize(static_cast<int>(axis))]++ != 0) return false;
    order->push_back(axis);
  }
  return true;
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
