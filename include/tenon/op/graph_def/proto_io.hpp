// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions and op descriptions from and to TensorFlow's serialised messages, graphs and nodes to them. Gives the
// functions' fields to the reader of graphs (op/graph_def/graph_proto.hpp), as an extension (base/extensions.hpp).

#include <cstddef>
#include <string>
#include <utility>

#include <tenon/base/extensions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/function_proto.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {
inline const bool fills_function_library =
    tenon::detail::FillExtension(&tenon::detail::extensions.function_library, &kFunctionDefLibrary);
}  // namespace wire

// Serialised forms are canonical: fields in ascending order, maps sorted. The tensors' memory must be accessible to the
// host.
inline std::string SerializeGraphDef(const GraphDef& graph) { return detail::SerializeProto(graph); }

// The functions below return DataLoss, with the byte's offset, when the bytes are not such a message.
inline Result<NodeDef> ParseNodeDef(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<NodeDef>(bytes, owner);
}
inline std::string SerializeNodeDef(const NodeDef& node) { return detail::SerializeProto(node); }

inline Result<AttrValue> ParseAttrValue(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<AttrValue>(bytes, owner);
}
inline std::string SerializeAttrValue(const AttrValue& value) { return detail::SerializeProto(value); }

inline Result<FunctionDef> ParseFunctionDef(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<FunctionDef>(bytes, owner);
}
inline std::string SerializeFunctionDef(const FunctionDef& function) { return detail::SerializeProto(function); }

inline Result<OpDef> ParseOpDef(Span<const std::byte> bytes) { return detail::ParseProto<OpDef>(bytes); }
inline std::string SerializeOpDef(const OpDef& op_def) { return detail::SerializeProto(op_def); }

inline Result<SlimVector<OpDef>> ParseOpList(Span<const std::byte> bytes) {
  TENON_ASSIGN_OR_RETURN(detail::OpList list, detail::ParseProto<detail::OpList>(bytes));
  return std::move(list.op);
}
inline std::string SerializeOpList(Span<const OpDef> ops) {
  return detail::SerializeProto(detail::OpList{SlimVector<OpDef>(ops.begin(), ops.end())});
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
