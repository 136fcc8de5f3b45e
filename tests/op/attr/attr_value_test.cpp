// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/attr/attr_value.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace attr_value_test {
using namespace tenon;

namespace {

NameAttrList MakeFunction(std::string name) { return {std::move(name), AttrMap{{"T", DataType::kFloat}, {"N", 2}}}; }

}  // namespace

TEST_SUITE("SummarizeAttrValue") {
  TEST_CASE("prints every kind as TensorFlow does") {
    CHECK(SummarizeAttrValue(AttrValue()) == "<Unknown AttrValue type>");
    CHECK(SummarizeAttrValue("a\"b\n") == "\"a\\\"b\\n\"");
    CHECK(SummarizeAttrValue(-3) == "-3");
    CHECK(SummarizeAttrValue(0.1f) == "0.1");
    CHECK(SummarizeAttrValue(true) == "true");
    CHECK(SummarizeAttrValue(DataType::kBfloat16) == "DT_BFLOAT16");
    CHECK(SummarizeAttrValue(static_cast<DataType>(99)) == "99");
    CHECK(SummarizeAttrValue(PartialTensorShape()) == "<unknown>");
    CHECK(SummarizeAttrValue(PartialTensorShape({2, -1})) == "[2,?]");
    CHECK(SummarizeAttrValue(MakeTensor<float>({2}, {1, 2})) == "Tensor<type: float shape: [2] values: 1 2>");
    CHECK(SummarizeAttrValue(MakeFunction("f")) == "f[N=2, T=DT_FLOAT]");
    CHECK(SummarizeAttrValue(NameAttrList{"g", {}}) == "g[]");
    CHECK(SummarizeAttrValue(AttrValue::Placeholder("T")) == "$T");
    CHECK(SummarizeAttrValue(AttrList()) == "[]");
    CHECK(SummarizeAttrValue(std::vector<int>{1, 2}) == "[1, 2]");
    CHECK(SummarizeAttrValue(std::vector<bool>{true, false}) == "[true, false]");
    CHECK(SummarizeAttrValue(std::vector<std::string>{"a", "b"}) == "[\"a\", \"b\"]");
    CHECK(SummarizeAttrValue(std::vector<DataType>{DataType::kFloat}) == "[DT_FLOAT]");
  }
  TEST_CASE("cuts long strings and lists in the middle") {
    CHECK(SummarizeAttrValue(std::string(79, 'x')) == "\"" + std::string(79, 'x') + "\"");
    CHECK(SummarizeAttrValue("0123456789" + std::string(60, 'x') + "abcdefghij") == "\"0123456789...abcdefghij\"");
    std::vector<int> numbers;
    for (int i = 0; i < 49; ++i) numbers.push_back(i);
    CHECK(SummarizeAttrValue(numbers).find("...") == std::string::npos);
    for (int i = 49; i < 60; ++i) numbers.push_back(i);
    CHECK(SummarizeAttrValue(numbers) == "[0, 1, 2, 3, 4, ..., 55, 56, 57, 58, 59]");
  }
}

TEST_SUITE("NestsAtMost") {
  TEST_CASE("counts functions in the attrs of functions, in lists too") {
    AttrValue value(3);
    CHECK(NestsAtMost(value, 0));
    for (int depth = 1; depth <= 40; ++depth) {
      NameAttrList around{"f", {}};
      around.attr.Insert("a", value);
      around.attr.Insert("b", AttrValue(2));
      AttrList list;
      list.func.push_back(around);
      value = depth % 2 == 0 ? AttrValue(std::move(list)) : AttrValue(std::move(around));
      CHECK(NestsAtMost(value, depth));
      CHECK_FALSE(NestsAtMost(value, depth - 1));
    }
  }
}
}  // namespace attr_value_test
