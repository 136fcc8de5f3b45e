// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/spec_reader.hpp>

#include <doctest/doctest.h>

#include <string>

namespace spec_reader_test {
namespace {
using namespace tenon;

constexpr AttrSpec Attr(std::string_view text) {
  AttrSpec spec;
  (void)ReadAttrSpec(text, &spec);
  return spec;
}
constexpr ArgSpec Arg(std::string_view text) {
  ArgSpec spec;
  (void)ReadArgSpec(text, &spec);
  return spec;
}
constexpr SpecError AttrError(std::string_view text) {
  AttrSpec spec;
  return ReadAttrSpec(text, &spec).error;
}
constexpr SpecError ArgError(std::string_view text) {
  ArgSpec spec;
  return ReadArgSpec(text, &spec).error;
}
// What a message about the spec would quote.
std::string Quoted(std::string_view text) {
  AttrSpec spec;
  const SpecIssue issue = ReadAttrSpec(text, &spec);
  return std::string(text.substr(issue.begin, issue.end - issue.begin));
}
std::string QuotedArg(std::string_view text) {
  ArgSpec spec;
  const SpecIssue issue = ReadArgSpec(text, &spec);
  return std::string(text.substr(issue.begin, issue.end - issue.begin));
}
// The reader runs while this file is compiled.
static_assert(AttrError("preserve_index: int >= 0 = 0") == SpecError::kNone);
static_assert(Attr("preserve_index: int >= 0 = 0").minimum == 0 && Attr("preserve_index: int >= 0 = 0").has_minimum);
static_assert(Attr("T: {float, int32}").allowed_types == (ToSet(DataType::kFloat) | ToSet(DataType::kInt32)));
static_assert(Arg("values: N * T").number_attr() == "N" && Arg("values: N * T").type_attr() == "T");

TEST_SUITE("spec_reader") {
  TEST_CASE("reads all kinds of attrs, alone and as lists") {
    const std::string_view kinds[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
    for (int k = 0; k < 8; ++k) {
      const std::string text = "a: " + std::string(kinds[k]), list = "a: list(" + std::string(kinds[k]) + ") >= 2";
      CHECK(AttrError(text) == SpecError::kNone);
      CHECK(Attr(text).kind == static_cast<AttrKind>(k));
      CHECK_FALSE(Attr(text).is_list);
      CHECK(AttrError(list) == SpecError::kNone);
      CHECK(Attr(list).kind == static_cast<AttrKind>(k));
      CHECK(Attr(list).is_list);
      CHECK(Attr(list).minimum == 2);
    }
  }
  TEST_CASE("blanks are free but for those before the name") {
    CHECK(Attr("a :  list ( int )  >=  -3 = []").name() == "a");
    CHECK(AttrError("a :  list ( int )  >=  3 = []") == SpecError::kNone);
    CHECK(AttrError(" a: int") == SpecError::kNameNotIdentifier);
    CHECK(AttrError("a:int>=0=3 ") == SpecError::kNone);
    CHECK(Attr("a: int >= -3").minimum == -3);
    CHECK(ArgError(" x: T") == SpecError::kNameNotIdentifier);
    CHECK(Arg("x :Ref ( N*T )").is_ref);
    CHECK(Arg("x :Ref ( N*T )").number_attr() == "N");
  }
  TEST_CASE("a keyword is matched as a prefix, and what is left over is the mistake") {
    AttrSpec spec;
    const SpecIssue issue = ReadAttrSpec("a: integer = 3", &spec);
    CHECK(issue.error == SpecError::kTextLeftOver);
    CHECK(issue.word_runs_on);
    CHECK(Quoted("a: integer = 3") == "eger = 3");
    CHECK(Quoted("a: int32") == "32");
    CHECK(Quoted("a: any") == "");
    CHECK(AttrError("a: any") == SpecError::kUnknownAttrKind);
    CHECK(AttrError("a: realnumberictype") == SpecError::kNotACompoundType);
    CHECK(Quoted("a: realnumberictype") == "realnumberictype");
    CHECK(AttrError("a: {realnumerictype}") == SpecError::kNone);
  }
  TEST_CASE("each mistake in an attr has its own code, and points at its place") {
    struct Case {
      std::string_view text;
      SpecError error;
      std::string_view quoted;
    };
    const Case cases[] = {
        {"a int", SpecError::kNoColon, "a int"},
        {"1a: int", SpecError::kNameNotIdentifier, "1a: int"},
        {"a: foo", SpecError::kUnknownAttrKind, "foo"},
        {"a: list", SpecError::kUnknownAttrKind, "list"},
        {"a: list(int", SpecError::kListNotClosed, ""},
        {"a: list(int] = []", SpecError::kListNotClosed, "] = []"},
        {"a: {}", SpecError::kNoTypeInList, "}"},
        {"a: {int31}", SpecError::kUnknownTypeInList, "int31"},
        {"a: {float8_e5m2}", SpecError::kUnknownTypeInList, "float8"},
        {"a: {int32 float}", SpecError::kNoCommaAfterType, "float}"},
        {"a: {'x' 'y'}", SpecError::kNoCommaAfterString, "'y'}"},
        {"a: {'x}", SpecError::kBadStringInList, "'x}"},
        {"a: {'\\q'}", SpecError::kBadEscapeInList, "\\q"},
        {"a: int >= x", SpecError::kBadMinimum, " x"},
        {"a: int >= 99999999999999999999", SpecError::kBadMinimum, " 99999999999999999999"},
        {"a: bool >= 1", SpecError::kTextLeftOver, ">= 1"},
        {"a: int = x y", SpecError::kBadDefault, "x y"},
        {"a: bool => false", SpecError::kBadDefault, "> false"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.text);
      CHECK(AttrError(c.text) == c.error);
      CHECK(Quoted(c.text) == c.quoted);
    }
  }
  TEST_CASE("each mistake in an argument has its own code, and points at its place") {
    CHECK(ArgError("x T") == SpecError::kNoColon);
    CHECK(ArgError("X: T") == SpecError::kNameNotIdentifier);
    CHECK(ArgError("xY: T") == SpecError::kNameNotIdentifier);
    CHECK(ArgError("x: ") == SpecError::kNoType);
    CHECK(ArgError("x: 3 * T") == SpecError::kNoType);
    CHECK(ArgError("x: Ref(T") == SpecError::kRefNotClosed);
    CHECK(QuotedArg("x: Ref(T U)") == "U)");
    CHECK(ArgError("x: T, float") == SpecError::kTextLeftOver);
    CHECK(QuotedArg("x: T *") == "*");
    CHECK(Arg("x: Ref").type_attr() == "Ref");
    CHECK(Arg("x: float32").type == DataType::kFloat);
    CHECK(ArgError("x: " + std::string(70000, 'T')) == SpecError::kTooLong);
  }
  TEST_CASE("no text of three characters makes the reader leave it") {
    const std::string_view letters = "a:{}[]<>'\"\\#=*,N 1-";
    for (const char x : letters)
      for (const char y : letters)
        for (const char z : letters)
          for (const std::string_view start :
               {"a: ", "a: {", "a: list(", "a: string = ", "a: list(string) = [", "a: shape = {"}) {
            const std::string text = std::string(start) + x + y + z;
            AttrSpec attr;
            ArgSpec arg;
            const SpecIssue a = ReadAttrSpec(text, &attr), b = ReadArgSpec(text, &arg);
            REQUIRE(a.begin <= a.end);
            REQUIRE(a.end <= text.size());
            REQUIRE(b.end <= text.size());
          }
  }
}
}  // namespace
}  // namespace spec_reader_test
