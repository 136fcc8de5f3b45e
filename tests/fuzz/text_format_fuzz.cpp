// SPDX-License-Identifier: Apache-2.0
// Any bytes as a GraphDef in text form, and as an OpList. What is read is written, and reads as the same; errors have a
// line and a column. The bytes are also a GraphDef in binary form, whose text must be one.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/base/log.hpp>
#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/wire/text_writer.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

constexpr tenon::wire::TextTables kTables = tenon::detail::kGraphTextTables;

// Wire bytes have a text that reads as bytes with that text.
void CheckText(const tenon::wire::Message& message, const std::string& bytes, bool must_read) {
  std::string text, again, second;
  tenon::wire::WireToText(message, bytes, &text, kTables);
  const tenon::Status read = tenon::wire::TextToWire(message, text, &again, kTables);
  if (!must_read && !read.ok()) return;  // two members of a oneof
  Expect(read.ok());
  tenon::wire::WireToText(message, again, &second, kTables);
  Expect(second == text);
}

void Check(const tenon::wire::Message& message, const std::string& input) {
  std::string bytes;
  const tenon::Status status = tenon::wire::TextToWire(message, input, &bytes, kTables);
  if (status.ok()) {
    CheckText(message, bytes, true);
  } else {
    const std::string_view text = status.message();
    Expect(!text.empty() && text[0] >= '1' && text[0] <= '9' && text.find(": ") != std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenon::SetMinLogSeverity(tenon::LogSeverity::kNone);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const tenon::wire::Message& graph = tenon::wire::Schema<tenon::GraphDef>::message;
  Check(graph, input);
  Check(tenon::wire::Schema<tenon::detail::OpList>::message, input);
  CheckText(graph, input, false);
  std::string bytes;
  if (!tenon::wire::TextToWire(graph, input, &bytes, kTables).ok()) return 0;
  tenon::wire::ParseContext context;
  context.repeat_bytes = 1 << 12;  // so that a run is short
  tenon::GraphDef read;
  if (!tenon::wire::Parse(tenon::wire::AsBytes(bytes), &read, context).ok()) return 0;
  std::string written;
  tenon::wire::SerializeTo(read, &written);
  CheckText(graph, written, true);
  return 0;
}
