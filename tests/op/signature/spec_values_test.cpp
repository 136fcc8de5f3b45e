// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/spec_values.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/signature/spec_reader.hpp>

namespace spec_values_test {
namespace {
using namespace tenon;

constexpr AttrSpec Attr(std::string_view text) {
  AttrSpec spec;
  (void)ReadAttrSpec(text, &spec);
  return spec;
}
constexpr int CountDefaults(AttrKind kind, bool is_list, std::string_view text) {
  DefaultReader reader(kind, is_list, text);
  int n = 0;
  for (SpecValue value; reader.Next(&value);) ++n;
  return reader.failed() ? -1 : n;
}

TEST_SUITE("spec_values") {
  TEST_CASE("sets of types keep to the source's order, named sets to the numbers'") {
    const AttrSpec listed = Attr("T: list({int32, numbertype, bool,}) >= 1");
    CHECK(listed.is_type_list());
    AllowedReader reader(listed);
    REQUIRE(reader.Next());
    CHECK(reader.types() == ToSet(DataType::kInt32));
    REQUIRE(reader.Next());
    CHECK(reader.types() == kNumberTypes);
    REQUIRE(reader.Next());
    CHECK(reader.types() == ToSet(DataType::kBool));
    CHECK_FALSE(reader.Next());
    CHECK(listed.allowed_types == (kNumberTypes | ToSet(DataType::kBool)));

    const AttrSpec named = Attr("T: realnumbertype = DT_HALF");
    AllowedReader all(named);
    REQUIRE(all.Next());
    CHECK(all.types() == kRealNumberTypes);
    CHECK_FALSE(all.Next());
    CHECK(named.default_text() == "DT_HALF");
  }
  TEST_CASE("sets of strings may mix the quotes and hold escapes") {
    const AttrSpec spec = Attr(R"(p: { 'SAME', "VA\"LID" , '\x41\101\n' } = 'SAME')");
    REQUIRE(spec.kind == AttrKind::kString);
    AllowedReader reader(spec);
    std::vector<std::string> all;
    while (reader.Next()) all.emplace_back(reader.string());
    CHECK(all == std::vector<std::string>{"SAME", "VA\\\"LID", "\\x41\\101\\n"});
    CHECK(detail::SameUnescaped(all[2], "AA\\012"));
    CHECK_FALSE(detail::SameUnescaped(all[2], "AA"));
  }
  TEST_CASE("defaults are read as TensorFlow's text reader reads them") {
    CHECK(CountDefaults(AttrKind::kInt, false, "-9223372036854775808") == 1);
    CHECK(CountDefaults(AttrKind::kInt, false, "9223372036854775808") == -1);
    CHECK(CountDefaults(AttrKind::kInt, false, "010") == 1);   // decimal
    CHECK(CountDefaults(AttrKind::kInt, false, "00") == -1);
    CHECK(CountDefaults(AttrKind::kInt, false, "0x10") == -1);
    CHECK(CountDefaults(AttrKind::kInt, false, "3 4") == 1);   // an unknown field's name is skipped
    CHECK(CountDefaults(AttrKind::kInt, false, "3 i: 4") == -1);
    CHECK(CountDefaults(AttrKind::kInt, false, "3 # comment") == 1);
    CHECK(CountDefaults(AttrKind::kFloat, false, ".5") == 1);
    CHECK(CountDefaults(AttrKind::kFloat, false, "5.") == 1);
    CHECK(CountDefaults(AttrKind::kFloat, false, "0x1p3") == 1);
    CHECK(CountDefaults(AttrKind::kFloat, false, "-Infinity") == 1);
    CHECK(CountDefaults(AttrKind::kFloat, false, "1e") == -1);
    CHECK(CountDefaults(AttrKind::kFloat, false, "1f") == -1);
    CHECK(CountDefaults(AttrKind::kFloat, false, ".") == -1);
    CHECK(CountDefaults(AttrKind::kBool, false, "True") == 1);
    CHECK(CountDefaults(AttrKind::kBool, false, "TRUE") == -1);
    CHECK(CountDefaults(AttrKind::kString, true, "['a', \"b\"]") == 2);
    CHECK(CountDefaults(AttrKind::kString, true, "['a' 'b']") == -1);
    CHECK(CountDefaults(AttrKind::kType, false, "int32") == -1);
    CHECK(CountDefaults(AttrKind::kType, false, "3") == 1);
    CHECK(CountDefaults(AttrKind::kType, true, "[DT_INT32 ]") == -1);  // no blank behind a type in a list
    CHECK(CountDefaults(AttrKind::kInt, true, " [ ] ") == 0);
    CHECK(CountDefaults(AttrKind::kInt, true, "[1, 2 ,3]") == 3);
    CHECK(CountDefaults(AttrKind::kInt, true, "[1,]") == -1);
    CHECK(CountDefaults(AttrKind::kInt, true, "[") == -1);
    CHECK(CountDefaults(AttrKind::kInt, true, "1") == -1);
    CHECK(CountDefaults(AttrKind::kShape, false, "{ dim { size: 1 } }") == 1);
    CHECK(CountDefaults(AttrKind::kShape, true, "[{}, < dim { name: \"}\" } >]") == 2);
    CHECK(CountDefaults(AttrKind::kShape, false, "{ dim { size: 1 }") == -1);
    CHECK(CountDefaults(AttrKind::kShape, false, "{ dim { size: 1 > }") == -1);
    CHECK(CountDefaults(AttrKind::kShape, false, "[1]") == -1);
    CHECK(CountDefaults(AttrKind::kTensor, false, std::string(200, '{') + std::string(200, '}')) == -1);
  }
}
}  // namespace
}  // namespace spec_values_test
