// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/validate.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "op/unknown_attr_lines.hpp"
#include "test_ops.hpp"

namespace validate_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
std::string Problem(const OpView& op, const NodeDef& node) {
  NodeDef copy = node;
  AddDefaultsToNodeDef(op, &copy);
  const Status status = ValidateNodeDef(copy, op);
  CHECK((status.ok() || status.code() == Code::kInvalidArgument));
  return std::string(status.message());
}
bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
}  // namespace

TEST_SUITE("node validation") {
  TEST_CASE("node names follow TensorFlow's grammar") {
    for (const char* good : {"a", "A9", ".hidden", "0", "scope/a_b-c.d", "ns>a", "a>b>c"})
      CHECK_MESSAGE(IsValidNodeName(good), good);
    for (const char* bad : {"", "_a", "-a", "^a", "/a", "a b", "a:0", "a>", ">a", "a>_b", "a\n", "\xc3\xa4"})
      CHECK_FALSE_MESSAGE(IsValidNodeName(bad), bad);
    CHECK(IsValidNodeName("_recv_x", true));
    CHECK_FALSE(IsValidNodeName("a>_b", true));
  }
  TEST_CASE("accepts a complete node and gives its dtypes") {
    const OpInfo info(&testing::ops::kConcatV2);
    NodeDef node = MakeNode("c", "ConcatV2", {"x", "y", "axis", "^z"},
                            {{"N", 2}, {"T", DataType::kHalf}, {"Tidx", DataType::kInt64}});
    OpInfo::Types inputs, outputs;
    REQUIRE(info.Resolve(node, &inputs, &outputs).ok());
    CHECK(inputs == OpInfo::Types{DataType::kHalf, DataType::kHalf, DataType::kInt64});
    CHECK(outputs == OpInfo::Types{DataType::kHalf});
  }
  TEST_CASE("takes the number of inputs of a node whose edges are elsewhere") {
    const OpInfo info(&testing::ops::kConcatV2);
    const NodeDef node = MakeNode("c", "ConcatV2", {}, {{"N", 2}, {"T", DataType::kHalf}, {"Tidx", DataType::kInt64}});
    OpInfo::Types inputs, outputs;
    CHECK(info.Resolve(node, 2, &inputs, &outputs).code() == Code::kInvalidArgument);
    REQUIRE(info.Resolve(node, 3, &inputs, &outputs).ok());
    CHECK(inputs == OpInfo::Types{DataType::kHalf, DataType::kHalf, DataType::kInt64});
  }
  TEST_CASE("reference arguments have reference types") {
    OpInfo::Types inputs, outputs;
    REQUIRE(OpInfo(&testing::ops::kAssign).Resolve(MakeFloat("a", "Assign", {"v", "x"}), &inputs, &outputs).ok());
    CHECK(inputs == OpInfo::Types{MakeRefType(DataType::kFloat), DataType::kFloat});
    CHECK(outputs == OpInfo::Types{MakeRefType(DataType::kFloat)});
  }
  TEST_CASE("lists of types give one tensor each") {
    OpInfo::Types inputs, outputs;
    const NodeDef node =
        MakeNode("i", "IdentityN", {"x", "y"}, {{"T", AttrValue(std::vector{DataType::kInt32, DataType::kString})}});
    REQUIRE(OpInfo(&testing::ops::kIdentityN).Resolve(node, &inputs, &outputs).ok());
    CHECK(outputs == OpInfo::Types{DataType::kInt32, DataType::kString});
  }
  TEST_CASE("defaults are added where an attr is absent, and only there") {
    NodeDef node = MakeNode("m", "MatMul", {"a", "b"}, {{"T", DataType::kFloat}, {"transpose_b", true}, {"_other", 3}});
    AddDefaultsToNodeDef(testing::ops::kMatMul, &node);
    CHECK(node.attr.size() == 4);
    CHECK(node.attr.Find("transpose_a")->b() == false);
    CHECK(node.attr.Find("transpose_b")->b() == true);
  }
  TEST_CASE("missing attrs are named") {
    CHECK(Contains(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"})),
                   "NodeDef missing attr 'T' from Op<name=Neg;"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"})), "; NodeDef: {{node y}}"));
    CHECK(Contains(Problem(testing::ops::kMaxPool, MakeNode("y", "MaxPool", {"x"})),
                   "NodeDef missing attrs 'ksize', 'strides', 'padding' from Op<"));
  }
  TEST_CASE("an attr of another kind is refused") {
    CHECK(Contains(
        Problem(testing::ops::kMatMul,
                MakeNode("y", "MatMul", {"x", "x"}, {{"T", DataType::kFloat}, {"transpose_a", "true"}})),
        "AttrValue had value with type 'string' when 'bool' expected\n\t for attr 'transpose_a'\n\t; NodeDef: {{node y}}; Op<name=MatMul;"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"}, {{"T", DataType::kInvalid}})),
                   "AttrValue has invalid DataType"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"}, {{"T", static_cast<DataType>(77)}})),
                   "AttrValue has invalid DataType enum: 77"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"}, {{"T", MakeRefType(DataType::kFloat)}})),
                   "AttrValue must not have reference type value of float_ref"));
    CHECK(Contains(Problem(testing::ops::kPlaceholder,
                           MakeNode("y", "Placeholder", {}, {{"dtype", DataType::kFloat}, {"shape", 1}})),
                   "AttrValue had value with type 'int' when 'shape' expected"));
    CHECK(Contains(Problem(testing::ops::kApply, MakeNode("y", "Apply", {}, {{"f", "sq"}})),
                   "AttrValue had value with type 'string' when 'func' expected"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"}, {{"T", AttrValue::Placeholder("T")}})),
                   "AttrValue had value with unexpected type 'placeholder'"));
  }
  TEST_CASE("values outside the limits are refused") {
    CHECK(Contains(
        Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"}, {{"T", DataType::kBool}})),
        "Value for attr 'T' of bool is not in the list of allowed values: bfloat16, half, float, double, int32, int64\n\t; NodeDef: {{node y}}"));
    CHECK(Contains(Problem(testing::ops::kAddN, MakeNode("y", "AddN", {}, {{"N", 0}, {"T", DataType::kFloat}})),
                   "Value for attr 'N' of 0 must be at least minimum 1"));
    const std::vector<int> three{1, 2, 2}, four{1, 2, 2, 1};
    const auto pool = [&](const std::vector<int>& ksize, const char* padding) {
      return Problem(testing::ops::kMaxPool,
                     MakeNode("y", "MaxPool", {"x"},
                              {{"ksize", AttrValue(ksize)}, {"strides", AttrValue(four)}, {"padding", padding}}));
    };
    CHECK(pool(four, "SAME") == "");
    CHECK(Contains(pool(three, "SAME"), "Length for attr 'ksize' of 3 must be at least minimum 4"));
    CHECK(Contains(pool(four, "same"),
                   "Value for attr 'padding' of \"same\" is not in the list of allowed values: \"SAME\", \"VALID\""));
    CHECK(Contains(
        Problem(testing::ops::kIdentityN, MakeNode("y", "IdentityN", {}, {{"T", AttrValue(std::vector<DataType>())}})),
        "Length for attr 'T' of 0 must be at least minimum 1"));
  }
  TEST_CASE("attrs that the op does not have are logged, once in a while, and ignored") {
    UnknownAttrLines lines;
    CHECK(Problem(testing::ops::kNeg, MakeNode("y", "Neg", {"x"}, {{"T", DataType::kFloat}, {"_class", 3}})) == "");
    CHECK(lines.text == "");
    const NodeDef node = MakeNode("y", "Neg", {"x"}, {{"T", DataType::kFloat}, {"tea", true}, {"_class", 3}});
    CHECK(Problem(testing::ops::kNeg, node) == "");
    CHECK(lines.text.find("NodeDef mentions attribute tea which is not in the op definition: Op<name=Neg;") == 0);
    CHECK(Contains(lines.text, "Unknown attributes will be ignored. NodeDef: {{node y}}"));
    lines.text.clear();
    CHECK(Problem(testing::ops::kNeg, node) == "");
    CHECK(lines.text == "");
  }
  TEST_CASE("inputs are counted and control inputs come last") {
    CHECK(Contains(Problem(testing::ops::kAddV2, MakeFloat("y", "AddV2", {"x"})),
                   "NodeDef expected inputs 'float, float' do not match 1 inputs specified; Op<name=AddV2;"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeFloat("y", "Neg", {"^x"})),
                   "NodeDef expected inputs 'float' do not match 0 inputs specified"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeFloat("y", "Neg", {"^x", "x"})),
                   "Non-control input 'x' after control input in NodeDef: {{node y}}"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeFloat("y", "Neg", {"x", "^x:1"})),
                   "Control input '^x:1' must not have ':' in NodeDef: {{node y}}"));
    CHECK(Contains(Problem(testing::ops::kNeg, MakeFloat("y", "Abs", {"x"})),
                   "NodeDef op 'Abs' does not match Op<name=Neg;"));
  }
  TEST_CASE("one attr cannot ask for memory without end") {
    CHECK(Contains(Problem(testing::ops::kUnpack,
                           MakeNode("y", "Unpack", {"x"}, {{"num", std::int64_t{1} << 30}, {"T", DataType::kFloat}})),
                   "Number of outputs is too big: 1073741824 (at most 1048576 are allowed); NodeDef: {{node y}}"));
    CHECK(Contains(Problem(testing::ops::kUnpack,
                           MakeNode("y", "Unpack", {"x"}, {{"num", std::int64_t{1} << 40}, {"T", DataType::kFloat}})),
                   "Number of outputs is too big"));
    CHECK(Contains(Problem(testing::ops::kAddN,
                           MakeNode("y", "AddN", {"x"}, {{"N", std::int64_t{1} << 30}, {"T", DataType::kFloat}})),
                   "NodeDef expected inputs '1073741824 tensors' do not match 1 inputs specified"));
    CHECK(Problem(testing::ops::kAddN,
                  MakeNode("y", "AddN", {"x"}, {{"N", std::int64_t{1} << 40}, {"T", DataType::kFloat}})) ==
          "Number of outputs is too big: 1099511627776 (at most 2147483647 are allowed); NodeDef: {{node y}}");
    static constexpr auto kPairs = Op("Pairs").Input("a: N * float").Input("b: N * float").Attr("N: int >= -5");
    static constexpr OpView kPairsOp = kPairs.view();
    const auto refusal = [](std::int64_t n) { return Problem(kPairsOp, MakeNode("y", "Pairs", {}, {{"N", n}})); };
    CHECK(refusal(std::int64_t{1} << 30) ==
          "Number of outputs is too big: 2147483648 (at most 2147483647 are allowed); NodeDef: {{node y}}");
    CHECK(refusal(-3) == "Value for number_attr() -3 < 0; NodeDef: {{node y}}");
  }
}
}  // namespace validate_test
