// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs, ops and attrs from and to protobuf's text format (.pbtxt), with the tables of the binary form.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/wire/text_reader.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/wire/text_writer.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_tables.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Reads a message in protobuf's text format: T is GraphDef, NodeDef, AttrValue, OpDef, FunctionDef,
// FunctionDefLibrary, Tensor, PartialTensorShape or another type with a wire::Schema. Changes *object only when the
// result is OK.
// `tables` are the tables of messages that have functions of their own, and of messages within an Any.
// InvalidArgument: the text is not such a message ("line:column: ..."), or its values make no tensor or shape.
// ResourceExhausted: memory or stack is too short.
template <class T>
Status ParseText(std::string_view text, T* object, wire::TextTables tables = detail::text_tables<T>) {
  return detail::CatchAll("ParseText", [&]() -> Status {
    std::string bytes;
    TENON_RETURN_IF_ERROR(wire::TextToWire(wire::Schema<T>::message, text, &bytes, tables));
    T read;
    TENON_RETURN_IF_ERROR(wire::Parse(wire::AsBytes(bytes), &read));
    *object = std::move(read);
    return OkStatus();
  });
}
// Writes a message as TensorFlow's Python API does: "node {\n  name: \"x\"\n...". Canonical, as SerializeGraphDef is.
// The tensors' memory must be accessible to the host.
template <class T>
std::string ToText(const T& object, wire::TextTables tables = detail::text_tables<T>) {
  std::string bytes, text;
  wire::SerializeTo(object, &bytes);
  wire::WireToText(wire::Schema<T>::message, bytes, &text, tables);
  return text;
}

// Reads a GraphDef; returns the errors of ParseText. A senseless value of a constant or shape is not an error here, as
// in ParseGraphDef.
inline Result<GraphDef> ParseTextGraphDef(std::string_view text) {
  GraphDef graph;
  TENON_RETURN_IF_ERROR(ParseText(text, &graph));
  return graph;
}
// Reads TensorFlow's OpList, "op { name: ... }"; returns the errors of ParseText.
inline Result<SlimVector<OpDef>> ParseTextOpList(std::string_view text) {
  detail::OpList list;
  TENON_RETURN_IF_ERROR(ParseText(text, &list));
  return std::move(list.op);
}
// Writes TensorFlow's OpList, in the layout of ToText.
inline std::string OpListToText(Span<const OpDef> ops) {
  return ToText(detail::OpList{SlimVector<OpDef>(ops.begin(), ops.end())});
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
