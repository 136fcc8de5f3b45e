// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/struct_text.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/wire/text_reader.hpp>
#include <tenon/wire/text_writer.hpp>

namespace struct_text_test {
using namespace tenon;

TEST_CASE("a structured value goes through text and bytes") {
  constexpr std::string_view kText =
      "list_value {\n  values {\n    int64_value: -3\n  }\n  values {\n    float64_value: 0.5\n  }\n"
      "  values {\n    named_tuple_value {\n      name: \"P\"\n      values {\n        key: \"x\"\n        value {\n"
      "          bool_value: true\n        }\n      }\n    }\n  }\n"
      "  values {\n    bounded_tensor_spec_value {\n      dtype: DT_INT32\n      minimum {\n        dtype: DT_INT32\n"
      "        int_val: 1\n      }\n    }\n  }\n}\n";
  std::string bytes, text;
  const Status status = wire::TextToWire(wire::StructuredValueTable::message, kText, &bytes);
  REQUIRE_MESSAGE(status.ok(), status.message());
  CHECK(bytes.find(std::string("\x60\x05", 2)) != std::string::npos);  // field 12, zigzag of -3
  wire::WireToText(wire::StructuredValueTable::message, bytes, &text);
  CHECK(text == kText);
}

TEST_CASE("a function's specification") {
  constexpr std::string_view kText =
      "fullargspec {\n  none_value {\n  }\n}\nis_method: true\ninput_signature {\n  tuple_value {\n  }\n}\n"
      "jit_compile: OFF\n";
  std::string bytes, text;
  REQUIRE(wire::TextToWire(wire::kFunctionSpec, kText, &bytes).ok());
  wire::WireToText(wire::kFunctionSpec, bytes, &text);
  CHECK(text == kText);
}
}  // namespace struct_text_test
