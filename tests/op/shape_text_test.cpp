// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace shape_text_test {
using namespace tenon;

namespace {
static_assert(detail::IsShapeText("{ dim { size: 2 } dim { size: -1 } }") &&
              !detail::IsShapeText("{ dim { size: x } }"));

// "2,-1", "?" for an unknown rank, "bad".
std::string Read(std::string_view text) {
  std::string sizes;
  detail::ShapeText shape(text);
  for (std::int64_t size = 0; shape.Next(&size);) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
  return shape.failed() ? "bad" : shape.unknown_rank() ? "?" : sizes;
}
}  // namespace

TEST_SUITE("ShapeText") {
  TEST_CASE("reads what protobuf's text format allows for a shape") {
    CHECK(Read("{}") == "");
    CHECK(Read("{ dim { size: 2 } dim { size: -1 } }") == "2,-1");
    CHECK(Read("<dim <size: 2>, dim: {size: 3; name: 'rows' \"two\"};>") == "2,3");
    CHECK(Read("{ dim: [ { size: 4 }, <> ] dim { } # the last\n }") == "4,0,0");
    CHECK(Read("{ dim: [] }") == "");
    CHECK(Read("{ dim { size: 0x1F } dim { size: 010 } dim { size: - 7 } }") == "31,8,-7");
    CHECK(Read("{ dim { size: 9223372036854775807 } dim { size: -9223372036854775808 } }") ==
          "9223372036854775807,-9223372036854775808");
    CHECK(Read("{ unknown_rank: true }") == "?");
    CHECK(Read("{ unknown_rank: f dim { size: 1 } }") == "1");
    CHECK(Read("{ foo: 1.5 bar { x: '}' } dim { size: 2 of: [1, 2] also: 'text' } }") == "2");
  }
  TEST_CASE("anything else is no shape") {
    for (const std::string_view text :
         {"", "dim { size: 2 }", "{ dim { size: x } }", "{ dim { size: } }", "{ foo: }", "{ foo: [1 }",
          "{ dim { size: 2 }", "{ dim { size: 2 > }", "{ dim: 2 }", "{ unknown_rank: maybe }", "{ unknown_rank }",
          "{ dim: [ { size: 2 }", "{ dim { size: 9223372036854775808 } }", "{ dim { size: 0x } }",
          "{ dim { name: x } }", "{ dim { name: 'x } }"})
      CHECK_MESSAGE(Read(text) == "bad", text);
  }
}
}  // namespace shape_text_test
