// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/placeholders.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace placeholders_test {
using namespace tenon;

namespace {

NameAttrList Call(AttrMap attrs) {
  NameAttrList function;
  function.name = "f";
  function.attr = std::move(attrs);
  return function;
}
bool Lookup(std::string_view name, AttrValue* to) {
  if (name == "T") *to = DataType::kHalf;
  if (name == "N") *to = 4;
  return name == "T" || name == "N";
}

}  // namespace

TEST_SUITE("Placeholders") {
  TEST_CASE("are found at any depth") {
    CHECK(HasPlaceholder(AttrValue::Placeholder("T")));
    CHECK(HasPlaceholder(Call({{"T", AttrValue::Placeholder("T")}})));
    CHECK(HasPlaceholder(Call({{"g", Call({{"T", AttrValue::Placeholder("T")}})}})));
    AttrList list;
    list.func.push_back(Call({{"T", AttrValue::Placeholder("T")}}));
    CHECK(HasPlaceholder(AttrValue(list)));
    CHECK_FALSE(HasPlaceholder(AttrValue()));
    CHECK_FALSE(HasPlaceholder("$T"));
    CHECK_FALSE(HasPlaceholder(Call({{"T", DataType::kFloat}})));
    CHECK_FALSE(HasPlaceholder(AttrValue(AttrList())));
  }
  TEST_CASE("get the values that are looked up") {
    AttrValue value = AttrValue::Placeholder("T");
    CHECK(SubstitutePlaceholders(Lookup, &value));
    CHECK(value.type() == DataType::kHalf);
    const AttrValue call =
        Call({{"T", AttrValue::Placeholder("T")}, {"g", Call({{"n", AttrValue::Placeholder("N")}})}});
    value = call;
    CHECK(SubstitutePlaceholders(Lookup, &value));
    CHECK(value == AttrValue(Call({{"T", DataType::kHalf}, {"g", Call({{"n", 4}})}})));
    CHECK(HasPlaceholder(call));  // copies share their values until one is changed
    AttrList list;
    list.func.push_back(Call({{"n", AttrValue::Placeholder("N")}}));
    value = list;
    CHECK(SubstitutePlaceholders(Lookup, &value));
    CHECK(value.list().func[0].attr.Find("n")->i() == 4);
  }
  TEST_CASE("other values stay as they are") {
    AttrValue value = 3;
    CHECK(SubstitutePlaceholders(Lookup, &value));
    CHECK(value.i() == 3);
    value = AttrList();
    CHECK(SubstitutePlaceholders(Lookup, &value));
  }
  TEST_CASE("what has no value fails") {
    AttrValue value = AttrValue::Placeholder("U");
    CHECK_FALSE(SubstitutePlaceholders(Lookup, &value));
    value = AttrValue();
    CHECK_FALSE(SubstitutePlaceholders(Lookup, &value));
    value = Call({{"T", AttrValue()}});
    CHECK_FALSE(SubstitutePlaceholders(Lookup, &value));
    value = Call({{"T", AttrValue::Placeholder("U")}});
    CHECK_FALSE(SubstitutePlaceholders(Lookup, &value));
  }
}
}  // namespace placeholders_test
