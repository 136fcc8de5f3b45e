// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/attr/attr_get.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/op/attr/attr_value.hpp>

namespace attr_get_test {
using namespace tenon;

namespace {

NameAttrList MakeFunction(std::string name) { return {std::move(name), AttrMap{{"T", DataType::kFloat}, {"N", 2}}}; }

template <class T>
T Get(const AttrValue& value) {
  T out{};
  const Status s = value.Get("a", &out);
  CHECK_MESSAGE(s.ok(), s.message());
  return out;
}
template <class T>
Status GetError(const AttrValue& value) {
  T out{};
  return value.Get("a", &out);
}

}  // namespace

TEST_SUITE("AttrValue::Get") {
  TEST_CASE("gives single values") {
    CHECK(Get<std::int64_t>(5) == 5);
    CHECK(Get<int>(-5) == -5);
    CHECK(Get<float>(1.5f) == 1.5f);
    CHECK(Get<bool>(true));
    CHECK(Get<std::string>("x") == "x");
    CHECK(Get<DataType>(DataType::kFloat) == DataType::kFloat);
    CHECK(Get<PartialTensorShape>(PartialTensorShape({-1})) == PartialTensorShape({-1}));
    CHECK(Get<TensorShape>(PartialTensorShape({3})) == TensorShape({3}));
    CHECK(Get<Tensor>(Tensor::Scalar(1.0f)).NumElements() == 1);
    CHECK(Get<NameAttrList>(MakeFunction("f")).name == "f");
    const AttrValue text = "text", function = MakeFunction("f");
    CHECK(Get<std::string_view>(text).data() == text.s().data());
    CHECK(Get<const NameAttrList*>(function) == &function.func());
  }
  TEST_CASE("gives lists; vectors are appended to") {
    const AttrValue ints = std::vector<std::int64_t>{1, 2};
    std::vector<std::int64_t> values{9};
    CHECK(ints.Get("a", &values).ok());
    CHECK(values == std::vector<std::int64_t>{9, 1, 2});
    CHECK(Get<std::vector<int>>(ints) == std::vector<int>{1, 2});
    CHECK(Get<std::span<const std::int64_t>>(ints).data() == ints.list().i.data());
    const AttrValue bools = std::vector<bool>{true, false};
    CHECK(Get<std::vector<bool>>(bools) == std::vector<bool>{true, false});
    CHECK(Get<std::span<const char>>(bools)[0] == 1);
    const AttrValue texts = std::vector<std::string>{"a", "b"};
    CHECK(Get<std::vector<std::string>>(texts)[1] == "b");
    CHECK(Get<std::vector<std::string_view>>(texts)[1] == "b");
    CHECK(Get<std::span<const std::string>>(texts).size() == 2);
    CHECK(Get<std::vector<float>>(std::vector<float>{1.5f})[0] == 1.5f);
    CHECK(Get<std::vector<DataType>>(std::vector<DataType>{DataType::kHalf})[0] == DataType::kHalf);
    const AttrValue shapes = std::vector<PartialTensorShape>{PartialTensorShape({2})};
    CHECK(Get<std::vector<PartialTensorShape>>(shapes).size() == 1);
    CHECK(Get<std::vector<TensorShape>>(shapes)[0] == TensorShape({2}));
    CHECK(Get<std::vector<Tensor>>(std::vector<Tensor>{Tensor::Scalar(1.0f)}).size() == 1);
    const AttrValue functions = std::vector<NameAttrList>{MakeFunction("f")};
    CHECK(Get<std::vector<const NameAttrList*>>(functions)[0]->name == "f");
    CHECK(Get<std::vector<NameAttrList>>(functions)[0].name == "f");
  }
  TEST_CASE("an unset value and an empty list are any empty list") {
    CHECK(Get<std::vector<std::int64_t>>(AttrValue()).empty());
    CHECK(Get<std::span<const std::string>>(AttrValue(AttrList())).empty());
  }
  TEST_CASE("says what the value is when it is something else") {
    const Status s = GetError<std::int64_t>(DataType::kFloat);
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == "AttrValue had value with type 'type' when 'int' expected for attr 'a'");
    CHECK(GetError<std::int64_t>(std::vector<float>{1}).message() ==
          "AttrValue had value with type 'list(float)' when 'int' expected for attr 'a'");
    CHECK(GetError<std::vector<int>>(5).message() ==
          "AttrValue had value with type 'int' when 'list(int)' expected for attr 'a'");
    CHECK(GetError<float>(AttrValue()).message() == "AttrValue missing value with expected type 'float' for attr 'a'");
    CHECK(GetError<float>(AttrValue(AttrList())).message() ==
          "AttrValue missing value with expected type 'float' for attr 'a'");
    CHECK(GetError<float>(AttrValue::Placeholder("T")).message() ==
          "AttrValue had value with unexpected type 'placeholder' for attr 'a'");
  }
  TEST_CASE("says when a value does not fit") {
    CHECK(GetError<int>(std::int64_t{1} << 31).message() == "Attr a has value 2147483648 out of range for an int32");
    CHECK(GetError<std::vector<int>>(std::vector<std::int64_t>{-(std::int64_t{1} << 40)})
              .message()
              .find("out of range for an int32") != std::string_view::npos);
    CHECK(GetError<TensorShape>(PartialTensorShape({2, -1})).message() ==
          "Attr a has Shape [2,?] is not fully defined");
  }
}

TEST_SUITE("AttrValueHasType") {
  TEST_CASE("dtypes must be valid and no references") {
    CHECK(AttrValueHasType(DataType::kFloat, "type").ok());
    CHECK(AttrValueHasType(DataType::kInvalid, "type").message() == "AttrValue has invalid DataType");
    CHECK(AttrValueHasType(MakeRefType(DataType::kFloat), "type").message() ==
          "AttrValue must not have reference type value of float_ref");
    CHECK(AttrValueHasType(static_cast<DataType>(77), "type").message() == "AttrValue has invalid DataType enum: 77");
    CHECK(AttrValueHasType(std::vector<DataType>{DataType::kFloat}, "list(type)").ok());
    CHECK(AttrValueHasType(std::vector<DataType>{DataType::kInvalid}, "list(type)").message() ==
          "AttrValue contains invalid DataType");
    CHECK(AttrValueHasType(std::vector<DataType>{static_cast<DataType>(-1)}, "list(type)").message() ==
          "AttrValue has invalid DataType enum: -1");
  }
  TEST_CASE("a list must have items of its type only") {
    AttrList mixed;
    mixed.i = {1};
    mixed.s = {"a"};
    CHECK(AttrValueHasType(mixed, "list(int)").message() ==
          "AttrValue had value with type 'list(string)' when 'list(int)' expected");
  }
}
}  // namespace attr_get_test
