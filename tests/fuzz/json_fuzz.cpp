// SPDX-License-Identifier: Apache-2.0
// Any bytes as a GraphDef in JSON, as an OpList and as a SavedModel. What is read is written, and reads as the same;
// errors have a line and a column. The bytes are also messages in binary form, whose JSON must be readable.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/base/log.hpp>
#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

constexpr tenon::wire::TextTables kTables = tenon::detail::kMetaGraphTextTables;

// The JSON of wire bytes, read and written again. Empty: it cannot be read.
std::string Rewritten(const tenon::wire::Message& message, const std::string& json) {
  std::string bytes, again;
  if (!tenon::wire::JsonToWire(message, json, &bytes, kTables).ok()) return again;
  tenon::wire::WireToJson(message, bytes, &again, kTables);
  return again;
}

// Wire bytes have a JSON that reads as bytes with that JSON. Keys that are not UTF-8 stand in the order of their bytes.
// They become U+FFFD, so that the second JSON may have another order: the third has the order of the second.
void CheckJson(const tenon::wire::Message& message, const std::string& bytes, bool must_read) {
  std::string json;
  tenon::wire::WireToJson(message, bytes, &json, kTables);
  const std::string second = Rewritten(message, json);
  if (second.empty() && !must_read) return;  // two members of a oneof, an Any without a type
  if (second == json) return;
  Expect(!second.empty() && json.find("\\ufffd") != json.npos);
  Expect(Rewritten(message, second) == second);
}

void Check(const tenon::wire::Message& message, const std::string& input) {
  std::string bytes;
  const tenon::Status status = tenon::wire::JsonToWire(message, input, &bytes, kTables);
  if (status.ok()) {
    CheckJson(message, bytes, true);
  } else {
    const std::string_view text = status.message();
    Expect(!text.empty() && text[0] >= '1' && text[0] <= '9' && text.find(": ") != std::string_view::npos);
  }
  CheckJson(message, input, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenon::SetMinLogSeverity(tenon::LogSeverity::kNone);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const tenon::wire::Message& graph = tenon::wire::Schema<tenon::GraphDef>::message;
  Check(graph, input);
  Check(tenon::wire::Schema<tenon::detail::OpList>::message, input);
  Check(tenon::wire::Schema<tenon::SavedModelDef>::message, input);
  std::string bytes;
  if (!tenon::wire::JsonToWire(graph, input, &bytes, kTables).ok()) return 0;
  tenon::wire::ParseContext context;
  context.repeat_bytes = 1 << 12;  // so that a run is short
  tenon::GraphDef read;
  if (!tenon::wire::Parse(tenon::wire::AsBytes(bytes), &read, context).ok()) return 0;
  std::string written;
  tenon::wire::SerializeTo(read, &written);
  CheckJson(graph, written, true);
  return 0;
}
