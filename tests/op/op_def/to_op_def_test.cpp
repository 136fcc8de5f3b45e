// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/to_op_def.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "op/spec_ops.hpp"

namespace to_op_def_test {
namespace {
using namespace tenon;
using namespace op_test;

TEST_SUITE("ToOpDef") {
  TEST_CASE("gives arguments, attrs, defaults and flags") {
    const OpDef def = ToOpDef(kZeroOut);
    CHECK(def.name == "ZeroOut");
    REQUIRE(def.input_arg.size() == 2);
    CHECK(def.input_arg[0].number_attr == "N");
    CHECK(def.input_arg[0].type_attr == "T");
    CHECK(def.input_arg[1].is_ref);
    CHECK(def.input_arg[1].type == DataType::kFloat);
    CHECK(def.output_arg[0].type_attr == "T");
    CHECK(def.control_output == std::vector<std::string>{"done"});
    CHECK(def.is_commutative);
    CHECK_FALSE(def.is_stateful);
    REQUIRE(def.deprecation);
    CHECK(def.deprecation->version == 7);
    REQUIRE(def.attr.size() == 8);
    CHECK(def.attr[0].has_minimum);
    CHECK(*def.attr[0].default_value == AttrValue(0));
    CHECK(def.attr[1].allowed_values.list().type == std::vector<DataType>{DataType::kFloat, DataType::kInt32});
    CHECK(def.attr[2].type == "list(string)");
    CHECK(def.attr[2].default_value->list().s == std::vector<std::string>{"a", "b\n"});
    CHECK(*def.attr[3].default_value == AttrValue(1e-3f));
    CHECK(*def.attr[4].default_value == AttrValue(PartialTensorShape({2, -1})));
    REQUIRE(def.attr[5].default_value->kind() == AttrValue::Kind::kTensor);
    CHECK(SameTensor(def.attr[5].default_value->tensor(), MakeTensor<std::int32_t>({2}, {3, 4})));
    CHECK(def.attr[6].default_value->func().name == "F");
    CHECK(*def.attr[6].default_value->func().attr.Find("T") == AttrValue(DataType::kFloat));
    CHECK(def.attr[7].minimum == 1);  // it counts tensors
    CHECK(ValidateOpDef(def).ok());
  }
  TEST_CASE("splits the documentation") {
    const OpDef def = ToOpDef(kZeroOut);
    CHECK(def.summary == "Zeroes out.");
    CHECK(def.description == "Keeps one\nelement.");
    CHECK(def.input_arg[0].description == "The input,\non several\n  lines.");
    CHECK(def.attr[0].description == "Which one.");
    CHECK(Finalize(OpDefBuilder("X").Doc("Text.\nnobody: here")) ==
          "No matching input/output/attr for name 'nobody' from Doc() for Op X");
  }
  TEST_CASE("an op is summarised as in messages") {
    OpDef def;
    REQUIRE(OpDefBuilder("X")
                .Attr("N: int")
                .Attr("T: {float, int32} = DT_FLOAT")
                .Input("a: Ref(N * int32)")
                .Output("b: T")
                .SetIsStateful()
                .Finalize(&def)
                .ok());
    CHECK(SummarizeOpDef(def) ==
          "Op<name=X; signature=a:Ref(N*int32) -> b:T; attr=N:int,min=1; attr=T:type,default=DT_FLOAT,allowed="
          "[DT_FLOAT, DT_INT32]; is_stateful=true>");
  }
}

}  // namespace
}  // namespace to_op_def_test
