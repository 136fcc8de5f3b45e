// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/op_def.hpp>

#include <doctest/doctest.h>

namespace op_def_test {
using namespace tenon;

TEST_SUITE("OpDef") {
  TEST_CASE("attrs are found by name") {
    OpDef op;
    op.attr.resize(2);
    op.attr[0].name = "T";
    op.attr[1].name = "N";
    CHECK(FindAttr("N", op) == &op.attr[1]);
    CHECK(FindAttr("M", op) == nullptr);
  }
  TEST_CASE("two are equal when all their fields are") {
    OpDef a;
    a.name = "Add";
    a.input_arg.push_back({.name = "x",
                           .description = "",
                           .type = DataType::kFloat,
                           .type_attr = "",
                           .number_attr = "",
                           .type_list_attr = "",
                           .handle_data = {},
                           .is_ref = false,
                           .full_type = ""});
    OpDef b = a;
    CHECK(a == b);
    b.deprecation = OpDeprecation{8, "use AddV2"};
    CHECK(!(a == b));
    b = a;
    b.input_arg[0].is_ref = true;
    CHECK(!(a == b));
    b = a;
    b.attr.emplace_back().default_value = AttrValue(1);
    a.attr.emplace_back().default_value = AttrValue(2);
    CHECK(!(a == b));
    a.attr[0].default_value = 1;
    CHECK(a == b);
  }
}
}  // namespace op_def_test
