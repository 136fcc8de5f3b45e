// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/json_writer.hpp>

#include <doctest/doctest.h>

namespace trace_json_writer_test {
using namespace tenon;

TEST_SUITE("JsonWriter") {
  TEST_CASE("times and texts are written exactly") {
    detail::JsonWriter json;
    json.Begin('{');
    json.AddTime("a", 1'234'567);
    json.AddTime("b", -1'005);
    json.AddTime("c", 7);
    json.Add("d", "x<\"\\\n<y");
    json.Add("e", "");
    json.End('}');
    CHECK(json.text() ==
          "{\"a\":1234.567,\"b\":-1.005,\"c\":0.007,\"d\":\"x\\u003c\\\"\\\\\\u000a\\u003cy\",\"e\":\"\"}");
  }
  TEST_CASE("items of arrays have commas between them, lines have none") {
    detail::JsonWriter json;
    json.Begin('[');
    json.Item(1);
    json.Item("a");
    json.Begin('[');
    json.Item(-2);
    json.End(']');
    json.Begin('{', "");
    json.Add("b", 3);
    json.End('}');
    json.End(']');
    json.AddLineEnd();
    json.Begin('{');
    json.End('}');
    CHECK(json.text() == "[1,\"a\",[-2],{\"b\":3}]\n{}");
    CHECK(json.Take().size() == 23);
    CHECK(json.text().empty());
  }
}
}  // namespace trace_json_writer_test
