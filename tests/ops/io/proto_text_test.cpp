// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/proto_text.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/io/protos.hpp"

namespace io_proto_text_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

TEST_SUITE("ProtoTextReader") {
  TEST_CASE("texts become messages") {
    ProtoPool pool;
    REQUIRE(pool.Open(TestSource()).ok());
    const auto read = [&](std::string_view text) {
      std::string out;
      return ProtoTextReader(pool, text).Read(*pool.FindMessage("t.M"), &out) ? out : "REFUSED";
    };
    CHECK(read("a: -1 s: 'x' \"y\" # end") == Num(1, -1) + Sub(2, "xy"));
    CHECK(read("r: [1, 2] r: 3, e: B; p: -1") == Num(3, 1) + Num(3, 2) + Num(3, 3) + Num(5, 1) + Num(7, 1));
    CHECK(read("in { a: 1 in < > } G { b: 2 } [t.x]: 5") ==
          Sub(4, Num(1, 1) + Sub(4, "")) + Group(6, Num(1, 2)) + Num(100, 5));
    CHECK(read("") == "");
    CHECK(read("r: []") == "");
    for (const char* bad : {"b: 1", "a: 1 a: 2", "a", "a 1", "a: x", "e: C", "e: 9", "in { a: 1", "}", "s: x", "r: [1",
                            "[t.y]: 1", "[t.x", "a: 2147483648", "a:", "s: 'a", "in: 3", "1"})
      CHECK_MESSAGE(read(bad) == "REFUSED", bad);
    std::string deep;
    for (int i = 0; i < 200; ++i) deep += "in {";
    CHECK(read(deep) == "REFUSED");
  }
}
}  // namespace io_proto_text_test
