// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs, ops and attrs from and to protobuf's JSON mapping, with the tables of the binary form.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/wire/json_reader.hpp>
#include <tenon/wire/json_writer.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_tables.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Reads a message as JSON, of the types of ParseText (op/graph_def/graph_text.hpp). Changes *object only when the
// result is OK. Names are in camelCase or as in the .proto files; bytes are base64, 64-bit integers numbers or texts.
// `tables` are the tables of messages that have functions of their own, and of messages within an Any.
// InvalidArgument: the text is not such a message ("line:column: path: ..."), or its values make no tensor or shape.
// ResourceExhausted: memory or stack is too short.
template <class T>
Status ParseJson(std::string_view json, T* object, wire::TextTables tables = detail::text_tables<T>) {
  return detail::CatchAll("ParseJson", [&]() -> Status {
    std::string bytes;
    TENON_RETURN_IF_ERROR(wire::JsonToWire(wire::Schema<T>::message, json, &bytes, tables));
    T read;
    TENON_RETURN_IF_ERROR(wire::Parse(wire::AsBytes(bytes), &read));
    *object = std::move(read);
    return OkStatus();
  });
}
// Writes a message as protobuf's json_format.MessageToJson does: "{\n  \"node\": [\n...". Maps are sorted. The tensors'
// memory must be accessible to the host.
template <class T>
std::string ToJson(const T& object, wire::TextTables tables = detail::text_tables<T>) {
  std::string bytes, json;
  wire::SerializeTo(object, &bytes);
  wire::WireToJson(wire::Schema<T>::message, bytes, &json, tables);
  return json;
}

// Reads a GraphDef; returns the errors of ParseJson. A senseless value of a constant or shape is not an error here, as
// in ParseGraphDef.
inline Result<GraphDef> ParseJsonGraphDef(std::string_view json) {
  GraphDef graph;
  TENON_RETURN_IF_ERROR(ParseJson(json, &graph));
  return graph;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
