// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/choices.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace choices_test {
using namespace tenon;

TEST_SUITE("choices") {
  TEST_CASE("text and back") {
    const auto read = ParseNodeChoices("# measured\n\n  winograd  a/Conv2D\r\ndirect b # slower\nsize c");
    REQUIRE(read.ok());
    REQUIRE(read->size() == 3);
    CHECK((*read)[0].node == "a/Conv2D");
    CHECK((*read)[0].algorithm == "winograd");
    CHECK((*read)[1].algorithm == "direct");
    CHECK((*read)[2].node == "c");
    CHECK(ToText(*read) == "winograd a/Conv2D\ndirect b\nsize c\n");
    CHECK(ParseNodeChoices("")->empty());
  }
  TEST_CASE("lines that are not choices") {
    for (const char* const text : {"\nwinograd", "\nfast a", "\ndirect a b", "\na direct"}) {
      const Status status = ParseNodeChoices(text).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.message().starts_with("Choices, line 2: expected"));
    }
  }
}
}  // namespace choices_test
