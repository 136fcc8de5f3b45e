// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/spec_words.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/op/signature/spec_reader.hpp>

namespace spec_words_test {
namespace {
using namespace tenon;

TEST_SUITE("spec_words") {
  TEST_CASE("a text without its escapes") {
    CHECK(detail::Unescape(R"(a\tb\\)") == "a\tb\\");
    CHECK(detail::Unescape("") == "");
    CHECK(detail::Unescape(R"(\303\251)") == "\xc3\xa9");
  }
  TEST_CASE("the type of an attr") {
    const auto type_of = [](std::string_view text) {
      AttrSpec attr;
      REQUIRE(ReadAttrSpec(text, &attr).ok());
      return detail::AttrTypeText(attr);
    };
    CHECK(type_of("a: int >= 2") == "int");
    CHECK(type_of("T: {float, half}") == "type");
    CHECK(type_of("L: list(type) >= 1") == "list(type)");
    CHECK(type_of("modes: list({'a', 'b'})") == "list(string)");
  }
  TEST_CASE("the sentence names the part of the text that is wrong") {
    const auto sentence = [](std::string_view text) {
      AttrSpec attr;
      return detail::SpecIssueText(ReadAttrSpec(text, &attr), text, true);
    };
    CHECK(sentence("a: int") == "");
    CHECK(sentence("a int") == "Trouble parsing '<name>:'");
    CHECK(sentence("a: int = x") == "Could not parse default value 'x'");
    CHECK(sentence("a: int b") == "Extra 'b' unparsed at the end");
    ArgSpec arg;
    const std::string_view open = "x: Ref(float";
    CHECK(detail::SpecIssueText(ReadArgSpec(open, &arg), open, false) ==
          "Did not find closing ')' for 'Ref(', instead found: ''");
  }
}

}  // namespace
}  // namespace spec_words_test
