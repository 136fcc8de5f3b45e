// SPDX-License-Identifier: Apache-2.0
// The layout is that of protobuf's json_format.MessageToJson (Python, 7.36), which wrote the texts of this file.
#include <tenon/wire/json_writer.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/wire/text_reader.hpp>

namespace json_writer_test {
using namespace tenon;
using namespace std::string_view_literals;

namespace {
std::string Json(const wire::Message& message, std::string_view text) {
  std::string bytes, json;
  const Status s = wire::TextToWire(message, text, &bytes);
  CHECK_MESSAGE(s.ok(), s.message());
  wire::WireToJson(message, bytes, &json);
  return json;
}
std::string Text(std::string_view text) {
  std::string out;
  wire::detail::AppendJsonText(text, &out);
  return out;
}
}  // namespace

TEST_CASE("one field a line, names in camelCase, 64-bit integers as texts, bytes as base64") {
  CHECK(Json(wire::detail::kTensor,
             R"(dtype: DT_STRING tensor_shape { dim { size: 2 } dim { } } tensor_content: "\000\377")") ==
        R"({
  "dtype": "DT_STRING",
  "tensorShape": {
    "dim": [
      {
        "size": "2"
      },
      {}
    ]
  },
  "tensorContent": "AP8="
})");
  CHECK(Json(wire::detail::kTensor, "dtype: 12345 int_val: [1, -2] uint64_val: 18446744073709551615 bool_val: true") ==
        R"({
  "dtype": 12345,
  "intVal": [
    1,
    -2
  ],
  "boolVal": [
    true
  ],
  "uint64Val": [
    "18446744073709551615"
  ]
})");
  CHECK(Json(wire::detail::kTensor, "") == "{}");
}
TEST_CASE("floats are the shortest, and some are texts") {
  CHECK(Json(wire::detail::kTensor, "float_val: [0.1, 2, 1e-5, inf, -inf, nan] double_val: [0.1, 1e16]") ==
        R"({
  "floatVal": [
    0.1,
    2.0,
    1e-05,
    "Infinity",
    "-Infinity",
    "NaN"
  ],
  "doubleVal": [
    0.1,
    1e+16
  ]
})");
}
TEST_CASE("maps are objects, sorted, with a value for each key") {
  CHECK(
      Json(wire::detail::kGraphDebugInfo,
           "frames_by_id { key: 10 value { line: 1 } } frames_by_id { key: 9 } frames_by_id { key: 10 value { line: 2 "
           "} } name_to_trace_id { key: 'b' } name_to_trace_id { key: 'a' value: 3 }") ==
      R"({
  "framesById": {
    "9": {},
    "10": {
      "line": 2
    }
  },
  "nameToTraceId": {
    "a": "3",
    "b": "0"
  }
})");
}
TEST_CASE("texts are ASCII with escapes") {
  CHECK(Text("a\"\\/\b\f\n\r\t\x01\x7f") == R"("a\"\\/\b\f\n\r\t\u0001\u007f")");
  CHECK(Text("\0"sv) == R"("\u0000")");
  CHECK(Text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == R"("\u00e9\u20ac\ud83d\ude00")");
  CHECK(Text("a\xff\xc3") == R"("a\ufffd\ufffd")");
  CHECK(Text("") == "\"\"");
}
TEST_CASE("bytes behind a mistake are left out") {
  std::string json;
  wire::WireToJson(wire::detail::kTensor, "\x08\x01\x12\x7f", &json);
  CHECK(json == "{\n  \"dtype\": \"DT_FLOAT\"\n}");
}
}  // namespace json_writer_test
