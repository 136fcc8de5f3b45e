// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/attr_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attr_text_test {
using namespace tenon;

namespace {
AttrValue Parsed(std::string_view type, std::string_view text) {
  AttrValue value;
  REQUIRE_MESSAGE(ParseAttrValue(type, text, &value), std::string(text));
  return value;
}
bool Parses(std::string_view type, std::string_view text) {
  AttrValue value = "before";
  const bool parsed = ParseAttrValue(type, text, &value);
  if (!parsed) CHECK(value.s() == "before");
  return parsed;
}
}  // namespace

TEST_SUITE("ParseAttrValue") {
  TEST_CASE("reads every type") {
    CHECK(Parsed("string", "'x'") == AttrValue("x"));
    CHECK(Parsed("int", "-3") == AttrValue(-3));
    CHECK(Parsed("float", "1e3") == AttrValue(1e3f));
    CHECK(Parsed("bool", "True") == AttrValue(true));
    CHECK(Parsed("type", "DT_HALF") == AttrValue(DataType::kHalf));
    CHECK(Parsed("shape", "{ dim { size: 2 } }") == AttrValue(PartialTensorShape({2})));
    CHECK(Parsed("tensor", "{ dtype: DT_FLOAT tensor_shape {} float_val: 2 }").tensor().flat<float>()[0] == 2.0f);
    CHECK(Parsed("func", "{ name: 'f' }").func().name == "f");
    CHECK(Parsed("placeholder", "'T'") == AttrValue::Placeholder("T"));
    CHECK(Parsed("list(int)", "[1, 2]") == AttrValue(std::vector<std::int64_t>{1, 2}));
    CHECK(Parsed("list(type)", " [DT_INT8] ") == AttrValue(std::vector<DataType>{DataType::kInt8}));
    CHECK(Parsed("list(string)", "[ ]").kind() == AttrValue::Kind::kList);
  }
  TEST_CASE("gives back what a summary says of numbers, texts and types") {
    for (const AttrValue& value : {AttrValue(7), AttrValue(-0.25f), AttrValue("a\"b\n"), AttrValue(DataType::kQint8)}) {
      const std::string_view type = detail::AttrKindName(value.kind());
      CHECK(Parsed(type, SummarizeAttrValue(value)) == value);
    }
  }
  TEST_CASE("leaves the value alone when the text or the type is wrong") {
    CHECK_FALSE(Parses("int", "x"));
    CHECK_FALSE(Parses("int", ""));
    CHECK_FALSE(Parses("list(int)", "1"));
    CHECK_FALSE(Parses("integer", "1"));
    CHECK_FALSE(Parses("list()", "[1]"));
    CHECK_FALSE(Parses("list(list(int))", "[1]"));
    CHECK_FALSE(Parses("", "1"));
    CHECK_FALSE(Parses("placeholder", "T"));
    CHECK_FALSE(Parses("type", "+1"));
  }
  TEST_CASE("refuses names of placeholders and functions that no message can hold") {
    CHECK(Parsed("placeholder", "'\xc3\xa9'") == AttrValue::Placeholder("\xc3\xa9"));
    CHECK_FALSE(Parses("placeholder", "'\xc7\xd2'"));
    CHECK_FALSE(Parses("placeholder", R"('\307\322')"));
    CHECK_FALSE(Parses("func", "{ name: '\xc7\xd2' }"));
    CHECK(Parses("string", "'\xc7\xd2'"));
  }
  TEST_CASE("messages that are nested too deep are refused") {
    const auto nested = [](int depth) {
      std::string text;
      for (int i = 0; i < depth; ++i) text += "{ a ";
      for (int i = 0; i < depth; ++i) text += "} ";
      return text;
    };
    AttrValue value;
    CHECK_FALSE(ParseAttrValue("tensor", nested(100), &value));
    CHECK_FALSE(ParseAttrValue("tensor", nested(100000), &value));
  }
}

TEST_SUITE("AttrKindFromName") {
  TEST_CASE("knows the words of OpDefs and no others") {
    AttrKind kind{};
    bool is_list = true;
    CHECK(AttrKindFromName("shape", &kind, &is_list));
    CHECK(kind == AttrKind::kShape);
    CHECK_FALSE(is_list);
    CHECK(AttrKindFromName("list(func)", &kind, &is_list));
    CHECK(kind == AttrKind::kFunc);
    CHECK(is_list);
    for (const std::string_view wrong :
         {"", "list", "list(", "list()", "list(int", "ints", "list(ints)", "placeholder"})
      CHECK_FALSE(AttrKindFromName(wrong, &kind, &is_list));
  }
}
}  // namespace attr_text_test
