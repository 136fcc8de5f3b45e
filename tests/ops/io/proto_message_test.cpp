// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/proto_message.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/io/protos.hpp"

namespace io_proto_message_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

namespace {

struct Machine {
  ProtoPool pool;
  Machine() { REQUIRE(pool.Open(TestSource()).ok()); }
  // "REFUSED", or the message as it is written anew.
  std::string Again(std::string_view bytes, std::string_view type = "t.M") const {
    std::string out;
    return ProtoWriter(pool).Write(*pool.FindMessage(type), bytes, &out) ? out : "REFUSED";
  }
};

}  // namespace

TEST_SUITE("ProtoWriter") {
  TEST_CASE("fields come in the order of their numbers, unknown ones last") {
    const Machine m;
    CHECK(m.Again(Sub(2, "s") + Num(1, 4) + Num(50, 1) + Num(1, 5)) == Num(1, 5) + Sub(2, "s") + Num(50, 1));
    CHECK(m.Again(Num(3, 1) + Sub(3, "\x02\x03")) == Num(3, 1) + Num(3, 2) + Num(3, 3));
    CHECK(m.Again(Num(7, 1) + Sub(7, "\x02\x03")) == Sub(7, "\x01\x02\x03"));
    CHECK(m.Again(Num(5, 9) + Num(5, 3)) == Num(5, 3) + Num(5, 9));  // 9 is not a value of the enum
    CHECK(m.Again(Sub(4, Num(1, 4)) + Sub(4, Num(3, 1) + Num(1, 5))) == Sub(4, Num(1, 5) + Num(3, 1)));
    CHECK(m.Again(Group(6, Num(9, 1) + Num(1, 2))) == Group(6, Num(1, 2) + Num(9, 1)));
  }
  TEST_CASE("broken messages are refused") {
    const Machine m;
    for (const std::string& bad : {std::string("\0", 1), Sub(2, "s").substr(0, 2), Group(6, "").substr(0, 1),
                                   Sub(4, "\x80"), Sub(4, "\x80") + Sub(4, ""), std::string("\x34")})
      CHECK(m.Again(bad) == "REFUSED");
    CHECK(m.Again("", "t.Needs") == "REFUSED");
    CHECK(m.Again(Num(1, 1), "t.Needs") == Num(1, 1));
    std::string deep, groups;
    for (int i = 0; i < 200; ++i) {
      deep = Sub(4, deep);
      groups = Group(77, groups);
    }
    CHECK(m.Again(deep) == "REFUSED");
    CHECK(m.Again(groups) == "REFUSED");
  }
  TEST_CASE("merged messages take no longer the deeper they are") {
    const Machine m;
    std::string deep;
    for (int i = 0; i < 60; ++i) deep = Sub(4, deep) + Sub(4, "");
    CHECK(m.Again(deep).size() > 60);
  }
}
}  // namespace io_proto_message_test
