// SPDX-License-Identifier: Apache-2.0
// JsonToWire, with the table of Example. What is right and what is refused was asked of TensorFlow's DecodeJSONExample.

#include <string>
#include <string_view>

#include <tenon/io/example.hpp>
#include <tenon/wire/json_reader.hpp>
#include <tenon/wire/text_writer.hpp>

#include <doctest/doctest.h>

#include "base/sized_thread.hpp"

namespace json_reader_test {
using namespace tenon;
using namespace std::string_view_literals;

namespace {

Result<std::string> Wire(std::string_view json) {
  std::string bytes;
  TENON_RETURN_IF_ERROR(
      wire::JsonToWire(wire::Schema<Example>::message, json, &bytes, {}, wire::JsonErrors::kProtobuf));
  return bytes;
}
std::string Json(std::string_view feature) { return StrCat("{\"features\": {\"feature\": {\"a\": ", feature, "}}}"); }
std::string Refused(std::string_view json, Code code = Code::kInvalidArgument) {
  const Result<std::string> bytes = Wire(json);
  CHECK_MESSAGE(bytes.status().code() == code, json);
  return std::string(bytes.status().message());
}

}  // namespace

TEST_SUITE("JsonToWire") {
  TEST_CASE("integers are numbers or texts") {
    CHECK(*Wire(Json(R"({"int64List": {"value": [1.0, 1e2, "7.0"]}})")) ==
          "\n\x0f\n\r\n\x01"
          "a\x12\x08\x1a\x06\x08\x01\x08"
          "d\x08\x07");
    CHECK(*Wire(Json(R"({"int64_list": {"value": ["9223372036854775807", -9223372036854775808]}})")) ==
          "\n\x1e\n\x1c\n\x01"
          "a\x12\x17\x1a\x15\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
    CHECK(*Wire(Json(R"({"int64List": {"value": 1}})")) ==
          "\n\x0b\n\t\n\x01"
          "a\x12\x04\x1a\x02\x08\x01");
    CHECK(*Wire(Json(R"({"int64List": {"value": [9007199254740992.0, "-0", -0]}})")) ==
          "\n\x16\n\x14\n\x01"
          "a\x12\x0f\x1a\r\x08\x80\x80\x80\x80\x80\x80\x80\x10\x08\x00\x08\x00"sv);
    for (const char* value : {"[1.5]", "[9223372036854775808]", "[-9223372036854775809]", "[\"-9223372036854775809\"]",
                              "[1e16]", "[9007199254740994.0]", "[true]", "[\" 1\"]", "[\"\\t1\"]", "[01]", "[-]",
                              "[+1]", "[1e400]", "[\"\"]", "[\"abc\"]", "{\"x\": 1}"})
      Refused(Json(StrCat("{\"int64List\": {\"value\": ", value, "}}")));
  }
  TEST_CASE("files may have real numbers for integers up to what the type holds, as Python reads them") {
    std::string bytes;
    const auto status = [&bytes](std::string_view json) {
      bytes.clear();
      return wire::JsonToWire(wire::detail::kTensor, json, &bytes);
    };
    REQUIRE(status(R"({"int64Val": [1e18]})").ok());
    CHECK(bytes == "\x50\x80\x80\x90\xbb\xba\xd6\xad\xf0\r");
    CHECK(status(R"({"uint64Val": [-0, "-0"]})").ok());
    CHECK(status(R"({"int64Val": [-9223372036854775809]})").message() ==
          "1:15: int64_val[0]: JSON number out of range for int");
    CHECK(status(R"({"uint32Val": [4294967296]})").message() ==
          "1:16: uint32_val[0]: JSON number out of range for int");
  }
  TEST_CASE("floats may be named, but not too large") {
    CHECK(*Wire(Json(R"({"floatList": {"value": ["1.5", "-Infinity", 1e-60]}})")) ==
          "\n\x18\n\x16\n\x01"
          "a\x12\x11\x12\x0f\r\x00\x00\xc0?\r\x00\x00\x80\xff\r\x00\x00\x00\x00"sv);
    // The shortest digits of the largest float are above it, and are read as it.
    CHECK(*Wire(Json(R"({"floatList": {"value": [3.4028235e38, 3.4028235677973362e+38, " 1\n", "1e400"]}})")) ==
          "\n\x1d\n\x1b\n\x01"
          "a\x12\x16\x12\x14\r\xff\xff\x7f\x7f\r\xff\xff\x7f\x7f\r\x00\x00\x80?\r\x00\x00\x80\x7f"sv);
    for (const char* value : {"1e39", "-1e39", "\"1e39\"", "1e400", "3.4028236e38", "3.4028235677973366e+38", "\"x\"",
                              "\"\"", "\" \"", "1.", ".5", "NaN", "true"})
      Refused(Json(StrCat("{\"floatList\": {\"value\": [", value, "]}}")));
  }
  TEST_CASE("bytes are base64 of either alphabet") {
    CHECK(*Wire(Json(R"({"bytesList": {"value": ["aGVsbG8", "_-8="]}})")) ==
          "\n\x14\n\x12\n\x01"
          "a\x12\r\n\x0b\n\x05hello\n\x02\xff\xef");
    for (const char* value : {"\"a\"", "\"a!\"", "\"aGVs bG8=\"", "\"aGVsbG8==\"", "\"aGU=bG8=\"", "1"})
      Refused(Json(StrCat("{\"bytesList\": {\"value\": [", value, "]}}")));
  }
  TEST_CASE("null is nothing, and what protobuf's reader overlooks is overlooked") {
    CHECK(*Wire(R"({"features": null})") == "");
    CHECK(*Wire(Json("null")) ==
          "\n\x05\n\x03\n\x01"
          "a");
    CHECK(*Wire(Json("{\"int64List\": null}")) ==
          "\n\x07\n\x05\n\x01"
          "a\x12\x00"sv);
    for (const char* json : {"{\"features\": {},}", "{'features': {}}", "{features: {}}", " {\"features\" : { } } "})
      CHECK(*Wire(json) == "\n\x00"sv);
  }
  TEST_CASE("texts have escapes and are UTF-8") {
    CHECK(*Wire(R"({"features": {"feature": {"\u00e9\n\"": {}}}})") == "\n\n\n\x08\n\x04\xc3\xa9\n\"\x12\x00"sv);
    CHECK(*Wire(R"({"features": {"feature": {"\ud83d\ude00": {}}}})") == "\n\n\n\x08\n\x04\xf0\x9f\x98\x80\x12\x00"sv);
    Refused(R"({"features": {"feature": {"\ud83d": {}}}})");
    Refused(R"({"features": {"feature": {$a: {}}}})");
    Refused(R"({"features": {"feature": {"\x": {}}}})");
    Refused("{\"features\": {\"feature\": {\"\xff\": {}}}}");
    Refused("{\"features\": {\"feature\": {\"\xc0\x80\": {}}}}");
  }
  TEST_CASE("says what is wrong and where") {
    CHECK(Refused(R"({"nothing": 1})") ==
          "invalid JSON in type.googleapis.com/tensorflow.Example, near 1:12 (offset 11): no such field: 'nothing'");
    CHECK(Refused("") == "unexpected EOF");
    CHECK(Refused("{\"features\": ") == "unexpected EOF");
    CHECK(Refused("{} x") == "extraneous characters after end of JSON object");
    CHECK(Refused("{\"features\": 3}").find("(offset 13): unexpected character: '3'; expected '{'") !=
          std::string::npos);
    Refused(R"({"features": {"feature": {"a": {}, "a": {}}}})");
    Refused(Json(R"({"bytesList": {"value": []}, "int64List": {"value": []}})"));
    for (const char* json : {"null", "[]", "1", "{\"features\" {}}", "{\"features\": {}", "{", "{\"Features\": {}}"})
      Refused(json);
  }
  TEST_CASE("errors for people have the path to the value, too") {
    const auto error = [](std::string_view json) {
      std::string bytes;
      return std::string(wire::JsonToWire(wire::detail::kTensor, json, &bytes).message());
    };
    CHECK(error("{\n  \"dtyp\": 1}") == "2:3: no such field: 'dtyp'; did you mean 'dtype'?");
    CHECK(error(R"({"tensorShape": {"dim": [{}, {"size": "x"}]}})") ==
          "1:39: tensor_shape.dim[1].size: invalid number: 'x'");
    CHECK(error(R"({"dtype": "DT_FLOTA"})") == "1:11: dtype: unknown enum value: 'DT_FLOTA'; did you mean 'DT_FLOAT'?");
    CHECK(error(R"({"dtype": 1, "dtype": 1})") ==
          "1:14: 'dtype' has already been set (either directly or as part of a oneof)");
    CHECK(error(R"({"intVal": [1, 2, 3000000000]})") == "1:19: int_val[2]: JSON number out of range for int");
    CHECK(error(R"({"tensorContent": "a"})") == "1:19: tensor_content: corrupt base64");
    CHECK(error("{") == "1:2: unexpected EOF");
    std::string bytes;
    CHECK(wire::JsonToWire(wire::detail::kGraphDebugInfo, R"({"framesById": {"7": {"line": 1}, "x": {}}})", &bytes)
              .message() == "1:35: frames_by_id['x']: invalid map key: 'x'");
    CHECK(
        wire::JsonToWire(wire::detail::kGraphDebugInfo, R"({"traces": {"a": {"fileLineCols": [{"lin": 1}]}}})", &bytes)
            .message() == "1:37: traces['a'].file_line_cols[0]: no such field: 'lin'; did you mean 'line'?");
    CHECK(wire::JsonToWire(wire::detail::kGraphDebugInfo, R"({"traces": {"a": {}, "b": {}, "\u0061": {}}})", &bytes)
              .message() == "1:31: traces['a']: got unexpectedly-repeated repeated map key: 'a'");
  }
  TEST_CASE("enums by name or number, keys of any kind, texts as they are") {
    std::string bytes, again;
    const auto same = [&](const wire::Message& message, std::string_view json, std::string_view text) {
      bytes.clear();
      again.clear();
      const Status s = wire::JsonToWire(message, json, &bytes);
      CHECK_MESSAGE(s.ok(), s.message());
      wire::WireToText(message, bytes, &again);
      CHECK(again == text);
    };
    same(wire::detail::kTensor, R"({"dtype": "DT_INT8"})", "dtype: DT_INT8\n");
    same(wire::detail::kTensor, R"({"dtype": 6})", "dtype: DT_INT8\n");
    same(wire::detail::kTensor, R"({"dtype": "6"})", "dtype: DT_INT8\n");
    same(wire::detail::kTensor, R"({"dtype": 1000})", "dtype: 1000\n");
    same(wire::detail::kTensor, R"({"bool_val": [true, false]})", "bool_val: true\nbool_val: false\n");
    same(wire::detail::kTensor, R"({"stringVal": ["YQ", "Yg=="]})", "string_val: \"a\"\nstring_val: \"b\"\n");
    same(wire::detail::kGraphDebugInfo, R"({"files": ["YQ==", "a\/b"]})", "files: \"YQ==\"\nfiles: \"a/b\"\n");
    same(wire::detail::kGraphDebugInfo, R"({"nameToTraceId": {"k": "18446744073709551615"}})",
         "name_to_trace_id {\n  key: \"k\"\n  value: 18446744073709551615\n}\n");
    same(wire::detail::kGraphDebugInfo, R"({"framesById": {"18446744073709551615": {}}})",
         "frames_by_id {\n  key: 18446744073709551615\n  value {\n  }\n}\n");
  }
  TEST_CASE("a message without a table is refused") {
    std::string bytes;
    CHECK(wire::JsonToWire(wire::Schema<Tensor>::message, "{}", &bytes, {}).code() == Code::kUnimplemented);
  }
  TEST_CASE("depth is limited") {
    std::string nested = "{\"features\": {\"feature\": {\"a\": {\"int64List\": {\"value\": ";
    Refused(nested.append(100000, '['));
    sized_thread::OnShortStack([&nested] {
      CHECK(Wire(Json(R"({"int64List": {"value": [1]}})")).ok());
      CHECK(Refused(nested, Code::kResourceExhausted).find("KiB of stack left") != std::string::npos);
    });
  }
}
}  // namespace json_reader_test
