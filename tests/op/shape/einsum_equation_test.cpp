// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/einsum_equation.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace einsum_equation_test {
using namespace tenon;

TEST_SUITE("an Einsum's equation") {
  TEST_CASE("one or two inputs, then the output") {
    EinsumTexts texts;
    REQUIRE(SplitEinsum("bij,bjk->bik", &texts).ok());
    CHECK(texts.inputs == SlimVector<std::string_view>{"bij", "bjk"});
    CHECK(texts.output == "bik");
    const auto refusal = [](std::string_view equation) {
      EinsumTexts refused;
      return SplitEinsum(equation, &refused).ToString();
    };
    CHECK(refusal("->") == "OK");
    CHECK(refusal("ij") == "INVALID_ARGUMENT: Expecting exactly one '->' in einsum equation: ij");
    CHECK(refusal("i->j->k") == "INVALID_ARGUMENT: Expecting exactly one '->' in einsum equation: i->j->k");
    CHECK(refusal("a,b,c->") == "INVALID_ARGUMENT: Expecting 1 or 2 input subscripts in equation 'a,b,c->' but got: 3");
  }
  TEST_CASE("periods are an ellipsis, or wrong") {
    const auto found = [](std::string_view subscript) {
      bool ellipsis = false;
      const Status status = CheckEinsumEllipsis(subscript, &ellipsis);
      return status.ok() ? std::string(ellipsis ? "yes" : "no") : std::string(status.message());
    };
    CHECK(found("ab") == "no");
    CHECK(found("a...b") == "yes");
    CHECK(found("a..b") == "Expected at most one ellipsis (...), but found 2 periods (.) in the input subscript: a..b");
    CHECK(found("a.b..") == "Periods found outside of ellipsis in subscript: a.b..");
  }
}
}  // namespace einsum_equation_test
