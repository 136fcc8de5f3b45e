// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/spec.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace spec_test {
namespace {
using namespace tenon;

TEST_SUITE("spec") {
  TEST_CASE("kinds have the words of OpDefs") {
    CHECK(Name(AttrKind::kString) == "string");
    CHECK(Name(AttrKind::kFunc) == "func");
  }
  TEST_CASE("an argument's words are parts of its text") {
    constexpr std::string_view kText = "values: N * T";
    ArgSpec arg;
    arg.text = kText;
    arg.name_size = 6;
    arg.number_begin = 8;
    arg.type_begin = 12;
    CHECK(arg.name() == "values");
    CHECK(arg.number_attr() == "N");
    CHECK(arg.type_attr() == "T");
    CHECK(arg.type_list_attr().empty());
    CHECK(arg.is_list());
    arg.is_type_list = true;
    CHECK(arg.type_attr().empty());
    CHECK(arg.type_list_attr() == "T");
    arg.is_type_list = false;
    arg.type = DataType::kFloat;
    CHECK(arg.type_attr().empty());
    CHECK(arg.name().data() == kText.data());
  }
  TEST_CASE("an attr's default and allowed values are parts of its text") {
    AttrSpec attr;
    attr.text = "p: {'a'} = 'a'";
    attr.name_size = 1;
    CHECK(attr.default_text().empty());
    CHECK(attr.allowed_text().empty());
    attr.has_default = true;
    attr.default_begin = 11;
    attr.allowed = AllowedForm::kStrings;
    attr.allowed_begin = 4;
    CHECK(attr.name() == "p");
    CHECK(attr.default_text() == "'a'");
    CHECK(attr.allowed_text() == "'a'} = 'a'");
    attr.kind = AttrKind::kType;
    CHECK(attr.is_type());
    attr.is_list = true;
    CHECK_FALSE(attr.is_type());
    CHECK(attr.is_type_list());
  }
}
}  // namespace
}  // namespace spec_test
