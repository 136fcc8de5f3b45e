// SPDX-License-Identifier: Apache-2.0
// Layouts are tested with the writers: tests/wire/text_writer_test.cpp, tests/wire/json_writer_test.cpp.
#include <tenon/wire/text_walk.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/base/str.hpp>
#include <tenon/wire/text_reader.hpp>

namespace text_walk_test {
using namespace tenon;
using namespace std::string_view_literals;
using wire::Field;
using wire::Message;

namespace {
// Writes down the calls.
class Log : public wire::detail::TextWalk<Log> {
 public:
  Log() : TextWalk(wire::kTensorTextTables) {}

  void BeginValue(const Field& field, std::size_t count) { StrAppend(&text, field.name, count, "="); }
  void EndField(const Field&, std::size_t count) { StrAppend(&text, "#", count, " "); }
  void ShowMessage(const Message& message, std::string_view bytes) {
    text += '{';
    WriteFields(message, bytes);
    text += '}';
  }
  void ShowBytes(const Field&, std::string_view value) { StrAppend(&text, "'", value, "' "); }
  void ShowNumber(const Field&, std::uint64_t bits) { StrAppend(&text, bits, " "); }
  void OpenMap(const Field&) { text += '<'; }
  void CloseMap(const Field&) { text += '>'; }
  void ShowEntry(const Field&, const Message& entry, std::string_view bytes, bool is_last) {
    StrAppend(&text, is_last ? "last " : "hidden ", KeyOf(entry, bytes).text, " ");
  }

  std::string text;
};
std::string Walk(const Message& message, std::string_view bytes) {
  Log log;
  log.WriteFields(message, bytes);
  return log.text;
}
}  // namespace

TEST_CASE("fields come by number, packed or not, and messages merge") {
  // int_val: 7, int_val packed [1, 2], tensor_shape twice, dtype twice.
  CHECK(Walk(wire::detail::kTensor, "\x38\x07\x3a\x02\x01\x02\x12\x02\x18\x01\x12\x02\x12\x00\x08\x01\x08\x02"sv) ==
        "dtype0=2 #1 tensor_shape0={dim0={}#1 unknown_rank0=1 #1 }#1 int_val0=7 int_val1=1 int_val2=2 #3 ");
}
TEST_CASE("entries come by key, the last one of a key marked") {
  std::string bytes;
  REQUIRE(wire::TextToWire(wire::detail::kGraphDebugInfo,
                           "traces { key: 'b' } traces { key: 'a' } traces { key: 'b' value { } }", &bytes)
              .ok());
  CHECK(Walk(wire::detail::kGraphDebugInfo, bytes) == "<last a hidden b last b >");
}
}  // namespace text_walk_test
