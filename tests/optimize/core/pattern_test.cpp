// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/pattern.hpp>

#include <doctest/doctest.h>

#include <string>

namespace pattern_test {
using namespace tenon;

TEST_SUITE("Pattern") {
  TEST_CASE("terms lie before their inputs") {
    constexpr Pattern kPattern = "!c:Conv2D[data_format=NHWC|NCHW,T=DT_FLOAT](x, Add|AddV2~(_, -0.5), x, ...)";
    static_assert(kPattern.size == 6);
    static_assert(kPattern.num_names == 2);
    CHECK(kPattern.term(0).kind == PatternTerm::Kind::kOp);
    CHECK(kPattern.term(0).only_reader);
    CHECK(kPattern.term(0).ops == "Conv2D");
    CHECK(kPattern.term(0).attrs == "data_format=NHWC|NCHW,T=DT_FLOAT");
    CHECK(kPattern.term(0).num_inputs == 3);
    CHECK(kPattern.term(0).more_inputs);
    CHECK(kPattern.term(0).end == 6);
    CHECK(kPattern.term(1).kind == PatternTerm::Kind::kValue);
    CHECK(kPattern.term(2).ops == "Add|AddV2");
    CHECK(kPattern.term(2).commutes);
    CHECK(kPattern.term(2).end == 5);
    CHECK(kPattern.term(3).kind == PatternTerm::Kind::kAny);
    CHECK(kPattern.term(4).number == -0.5);
    CHECK(kPattern.term(5).slot == kPattern.term(1).slot);
    CHECK(kPattern.SlotOf("c") >= 0);
    CHECK(kPattern.SlotOf("z") == -1);
  }

  TEST_CASE("ops with a leading '_', no inputs, named numbers, and nothing at all") {
    constexpr Pattern kFused = "_FusedMatMul(...)", kAny = "_", kNone = "NoOp()", kNumber = "Mul(x, one:1)",
                      kEmpty = "";
    CHECK(kFused.term(0).ops == "_FusedMatMul");
    CHECK(kFused.term(0).num_inputs == 0);
    CHECK(kAny.term(0).kind == PatternTerm::Kind::kAny);
    CHECK(kNone.term(0).num_inputs == 0);
    CHECK_FALSE(kNone.term(0).more_inputs);
    CHECK(kNumber.term(2).kind == PatternTerm::Kind::kNumber);
    CHECK(kNumber.name(1) == "one");
    CHECK_FALSE(kNumber.term(1).constant);
    constexpr Pattern kConstant = "Mul(!x, #c)";
    CHECK(kConstant.term(2).constant);
    CHECK(kConstant.term(2).kind == PatternTerm::Kind::kValue);
    CHECK(kConstant.name(1) == "c");
    CHECK(kEmpty.empty());
    CHECK(Pattern().empty());
  }

  TEST_CASE("AnyPart takes a list apart") {
    std::string parts;
    CHECK_FALSE(AnyPart("a|bc|", '|', [&](std::string_view part) {
      parts += part;
      parts += ';';
      return false;
    }));
    CHECK(parts == "a;bc;");
    CHECK(AnyPart("a|b", '|', [](std::string_view part) { return part == "b"; }));
    CHECK_FALSE(AnyPart("", '|', [](std::string_view) { return true; }));
  }
}

}  // namespace pattern_test
