// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/attr_def.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/status.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/tensor/tensor.hpp>

namespace attr_def_test {
using namespace tenon;

namespace {

struct Sample {
  static constexpr auto signature = Op("Sample")
                                        .Attr("T: {float, int32} = DT_INT32")
                                        .Attr("n: int >= 2 = 3")
                                        .Attr("modes: list({'a', 'b'}) >= 1 = ['a']")
                                        .Attr("types: list({half, float}) >= 0 = []")
                                        .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
                                        .Attr("name: string")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .SetShapeFn(shape_inference::UnknownShape);
};
constexpr OpView kSample = Sample::signature.view();

OpDef::AttrDef Def(std::string_view name) {
  for (const AttrSpec& spec : kSample.attrs) {
    if (spec.name() != name) continue;
    OpDef::AttrDef def;
    REQUIRE(detail::ToAttrDef(spec, &def));
    return def;
  }
  FAIL("no attr '", std::string(name), "'");
  return {};
}
// What is wrong with the value; "" if nothing is.
std::string Refusal(const AttrValue& value, std::string_view name) {
  const Status status = ValidateAttrValue(value, Def(name));
  if (!status.ok()) CHECK(status.code() == Code::kInvalidArgument);
  return std::string(status.message());
}
AttrValue Parsed(AttrKind kind, bool is_list, std::string_view text) {
  AttrValue value;
  REQUIRE_MESSAGE(ParseAttrText(kind, is_list, text, &value), std::string(text));
  return value;
}
bool Parses(AttrKind kind, bool is_list, std::string_view text) {
  AttrValue value;
  return ParseAttrText(kind, is_list, text, &value);
}

}  // namespace

TEST_SUITE("Attr declarations") {
  TEST_CASE("a spec's texts become values") {
    const OpDef::AttrDef type = Def("T"), number = Def("n"), modes = Def("modes"), shape = Def("shape");
    CHECK(type.type == "type");
    CHECK(type.default_value->type() == DataType::kInt32);
    CHECK(type.allowed_values.list().type == std::vector<DataType>{DataType::kFloat, DataType::kInt32});
    CHECK(number.type == "int");
    CHECK(number.has_minimum);
    CHECK(number.minimum == 2);
    CHECK(number.default_value->i() == 3);
    CHECK(modes.type == "list(string)");
    CHECK(modes.allowed_values.list().s == std::vector<std::string>{"a", "b"});
    CHECK(modes.default_value->list().s == std::vector<std::string>{"a"});
    CHECK(shape.default_value->shape().DebugString() == "[2,?]");
    CHECK_FALSE(Def("name").default_value.has_value());
    CHECK_FALSE(Def("name").allowed_values.has_value());
  }
  TEST_CASE("defaults of every kind are read") {
    CHECK(Parsed(AttrKind::kInt, false, "-7").i() == -7);
    CHECK(Parsed(AttrKind::kFloat, false, "1e-3").f() == 1e-3f);
    CHECK(Parsed(AttrKind::kBool, false, "true").b());
    CHECK(Parsed(AttrKind::kString, false, R"('a\tb')").s() == "a\tb");
    CHECK(Parsed(AttrKind::kType, false, "DT_HALF").type() == DataType::kHalf);
    CHECK(Parsed(AttrKind::kInt, true, "[1, -2]").list().i == std::vector<std::int64_t>{1, -2});
    CHECK(Parsed(AttrKind::kFloat, true, "[0.5]").list().f == std::vector<float>{0.5f});
    CHECK(Parsed(AttrKind::kBool, true, "[false, true]").list().b == std::vector<char>{0, 1});
    CHECK(Parsed(AttrKind::kShape, false, "{ unknown_rank: true }").shape().unknown_rank());
    CHECK(Parsed(AttrKind::kShape, true, "[{ dim { size: 3 } }]").list().shape.size() == 1);
    const AttrValue tensor =
        Parsed(AttrKind::kTensor, false, "{ dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [3, 4] }");
    REQUIRE(tensor.tensor().NumElements() == 2);
    CHECK(tensor.tensor().flat<std::int32_t>()[1] == 4);
    const AttrValue function =
        Parsed(AttrKind::kFunc, false, R"({ name: "F" attr { key: "T" value { type: DT_FLOAT } } })");
    CHECK(function.func().name == "F");
    CHECK(function.func().attr.size() == 1);
  }
  TEST_CASE("a short text cannot ask for a large tensor") {
    constexpr std::string_view kText = "{ dtype: DT_HALF tensor_shape { dim { size: 4000000000 } } half_val: 15360 }";
    const AttrValue value = Parsed(AttrKind::kTensor, false, kText);
    CHECK(value.kind() == AttrValue::Kind::kTensor);
    CHECK(value.decode_status().code() == Code::kResourceExhausted);
    CHECK(value.undecoded_shape() == PartialTensorShape({4000000000}));
    AttrValue list;
    CHECK_FALSE(ParseAttrText(AttrKind::kTensor, true, "[" + std::string(kText) + "]", &list));
  }
  TEST_CASE("texts that stand for no value of the kind are refused") {
    CHECK_FALSE(Parses(AttrKind::kInt, false, "one"));
    CHECK_FALSE(Parses(AttrKind::kInt, false, "99999999999999999999"));
    CHECK_FALSE(Parses(AttrKind::kInt, true, "[1, x]"));
    CHECK_FALSE(Parses(AttrKind::kType, false, "DT_NONE"));
    CHECK(Parses(AttrKind::kShape, false, "{ foo: 3 }"));  // TensorFlow's reader skips names it does not know
    CHECK_FALSE(Parses(AttrKind::kShape, false, "{ dim { size: 2 }"));
    CHECK_FALSE(Parses(AttrKind::kTensor, false, "{ dtype: DT_INT32 int_val: 'x' }"));
  }
  TEST_CASE("a value of the right kind within its limits is right") {
    CHECK(Refusal(DataType::kFloat, "T") == "");
    CHECK(Refusal(2, "n") == "");
    CHECK(Refusal(std::vector<std::string>{"b", "a", "b"}, "modes") == "");
    CHECK(Refusal(std::vector<DataType>{}, "types") == "");
    CHECK(Refusal("anything", "name") == "");
  }
  TEST_CASE("what is wrong is said in TensorFlow's words") {
    CHECK(Refusal(1, "n") == "Value for attr 'n' of 1 must be at least minimum 2");
    CHECK(Refusal(std::vector<std::string>{}, "modes") == "Length for attr 'modes' of 0 must be at least minimum 1");
    CHECK(Refusal(DataType::kDouble, "T") ==
          "Value for attr 'T' of double is not in the list of allowed values: float, int32");
    CHECK(Refusal(std::vector<std::string>{"a", "c"}, "modes") ==
          "Value for attr 'modes' of \"c\" is not in the list of allowed values: \"a\", \"b\"");
    CHECK(Refusal(std::vector<DataType>{DataType::kInt8}, "types") ==
          "Value for attr 'types' of int8 is not in the list of allowed values: half, float");
    const std::string wrong_kind = Refusal("three", "n");
    CHECK(wrong_kind.find("'string' when 'int' expected") != std::string::npos);
    CHECK(wrong_kind.find("for attr 'n'") != std::string::npos);
  }
  TEST_CASE("attrs and flags as messages show them") {
    SlimVector<OpDef::AttrDef> defs{Def("n"), Def("T")};
    std::string text;
    detail::SummarizeAttrDefs(defs, &text);
    CHECK(text == "; attr=n:int,default=3,min=2; attr=T:type,default=DT_INT32,allowed=[DT_FLOAT, DT_INT32]");
    text.clear();
    OpFlags flags;
    detail::SummarizeOpFlags(flags, &text);
    CHECK(text == "");
    flags.is_stateful = flags.is_commutative = true;
    detail::SummarizeOpFlags(flags, &text);
    CHECK(text == "; is_commutative=true; is_stateful=true");
  }
}
}  // namespace attr_def_test
