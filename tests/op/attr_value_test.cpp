// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/attr_value.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace tenon;
using Kind = AttrValue::Kind;

namespace {

NameAttrList MakeFunction(std::string name) { return {std::move(name), AttrMap{{"T", DataType::kFloat}, {"N", 2}}}; }

// One value of each kind.
std::vector<AttrValue> AllKinds() {
  return {AttrValue(),
          "text",
          3,
          2.5f,
          true,
          DataType::kInt32,
          PartialTensorShape({2, -1}),
          MakeTensor<float>({2}, {1, 2}),
          MakeFunction("f"),
          AttrValue::Placeholder("T"),
          std::vector<std::int64_t>{1, 2},
          AttrValue::UndecodedTensor("abc", errors::InvalidArgument("why")),
          std::string(100, 'x')};
}

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

TEST_SUITE("AttrValue") {
  TEST_CASE("is made from the value itself") {
    CHECK(AttrValue().kind() == Kind::kNone);
    CHECK(AttrValue("x").s() == "x");
    CHECK(AttrValue(std::string_view("xy")).s() == "xy");
    CHECK(AttrValue(7).i() == 7);
    CHECK(AttrValue(std::int64_t{1} << 40).i() == std::int64_t{1} << 40);
    CHECK(AttrValue(true).kind() == Kind::kBool);
    CHECK(AttrValue(1.5).f() == 1.5f);
    CHECK(AttrValue(DataType::kHalf).type() == DataType::kHalf);
    CHECK(AttrValue(TensorShape({2})).shape() == PartialTensorShape({2}));
    CHECK(AttrValue(Tensor::Scalar(3)).tensor().scalar<std::int32_t>()() == 3);
    CHECK(AttrValue(MakeFunction("f")).func().name == "f");
    CHECK(AttrValue(std::vector<std::string>{"a", "b"}).list().s.size() == 2);
    CHECK(AttrValue(std::vector<bool>{true, false}).list().b == std::vector<char>{1, 0});
    CHECK(AttrValue(std::vector<int>{1}).list().i == std::vector<std::int64_t>{1});
    CHECK(AttrValue::Placeholder("T").placeholder() == "T");
  }
  TEST_CASE("copies and moves keep every kind") {
    for (const AttrValue& value : AllKinds()) {
      AttrValue copy = value;
      CHECK(copy == value);
      AttrValue moved = std::move(copy);
      CHECK(moved == value);
      AttrValue assigned(5);
      assigned = moved;
      CHECK(assigned == value);
      assigned = "other";
      assigned = std::move(moved);
      CHECK(assigned == value);
      AttrValue& self = assigned;
      assigned = self;
      CHECK(assigned == value);
    }
  }
  TEST_CASE("values of different kinds or contents differ") {
    const std::vector<AttrValue> all = AllKinds();
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) CHECK((all[i] == all[j]) == (i == j));
    }
    CHECK(!(AttrValue("a") == AttrValue::Placeholder("a")));
    CHECK(!(AttrValue(0.0f) == AttrValue(-0.0f)));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(AttrValue(nan) == AttrValue(nan));
    CHECK(AttrValue(std::vector<float>{nan}) == AttrValue(std::vector<float>{nan}));
    CHECK(AttrValue(MakeTensor<float>({1}, {nan})) == AttrValue(MakeTensor<float>({1}, {nan})));
    CHECK(!(AttrValue(MakeTensor<float>({1}, {1})) == AttrValue(MakeTensor<float>({1, 1}, {1}))));
  }
  TEST_CASE("a value may be assigned from inside itself") {
    AttrValue value = NameAttrList{"outer", AttrMap{{"inner", MakeFunction("inner")}}};
    value = *value.func().attr.Find("inner");
    CHECK(value.func().name == "inner");
    value = std::move(*value.mutable_func()->attr.Find("N"));
    CHECK(value.i() == 2);
  }
  TEST_CASE("changing a copy leaves the other as it was") {
    AttrValue a = std::vector<std::int64_t>{1, 2};
    AttrValue b = a;
    b.mutable_list()->i.push_back(3);
    CHECK(a.list().i.size() == 2);
    CHECK(b.list().i.size() == 3);
    const AttrList* before = &b.list();
    b.mutable_list()->i.push_back(4);
    CHECK(&b.list() == before);
    CHECK(b.mutable_s()->empty());
    CHECK(b.kind() == Kind::kString);
    *b.mutable_shape() = PartialTensorShape({3});
    CHECK(b.shape() == PartialTensorShape({3}));
    b.mutable_func()->name = "f";
    CHECK(b.func().name == "f");
    *b.mutable_placeholder() = "p";
    CHECK(b.placeholder() == "p");
    *b.mutable_tensor() = Tensor::Scalar(1.0f);
    CHECK(b.tensor().dims() == 0);
  }
  TEST_CASE("a getter of another kind gives an empty value") {
    const AttrValue none;
    CHECK(none.s().empty());
    CHECK(none.i() == 0);
    CHECK(none.f() == 0.0f);
    CHECK(!none.b());
    CHECK(none.type() == DataType::kInvalid);
    CHECK(none.shape().unknown_rank());
    CHECK(none.tensor().NumElements() == 0);
    CHECK(none.func().name.empty());
    CHECK(none.placeholder().empty());
    CHECK(none.list().s.empty());
    CHECK(AttrValue("x").placeholder().empty());
  }
  TEST_CASE("an undecoded value keeps its bytes and the reason") {
    AttrValue value = AttrValue::UndecodedTensor("proto", errors::Unimplemented("no variants"));
    CHECK(value.kind() == Kind::kTensor);
    CHECK(value.undecoded() == "proto");
    CHECK(value.decode_status().code() == Code::kUnimplemented);
    CHECK(SummarizeAttrValue(value) == "<Invalid TensorProto: no variants>");
    const Status s = GetError<Tensor>(value);
    CHECK(s.code() == Code::kUnimplemented);
    CHECK(s.message() == "Attr 'a' has a value that can't be converted to a Tensor: no variants");
    *value.mutable_tensor() = Tensor::Scalar(1.0f);
    CHECK(value.decode_status().ok());
    CHECK(value.undecoded().empty());
    CHECK(SummarizeAttrValue(AttrValue::UndecodedShape("", errors::InvalidArgument("bad"))) ==
          "<Invalid TensorShapeProto: bad>");
  }
}

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

TEST_SUITE("AttrMap") {
  TEST_CASE("stays sorted by name, however it is filled") {
    AttrMap map{{"c", 3}, {"a", 1}};
    map.Set("b", 2);
    map.Set("a", 10);
    CHECK(!map.Insert("c", 30));
    CHECK(map.Insert("d", 4));
    map["e"] = "five";
    std::string names;
    for (const auto& [name, value] : map) names += name;
    CHECK(names == "abcde");
    CHECK(map.size() == 5);
    CHECK(map.Find("a")->i() == 10);
    CHECK(map.Find("c")->i() == 3);
    CHECK(map.Find("e")->s() == "five");
    CHECK(map.Find("x") == nullptr);
    CHECK(map.Find("") == nullptr);
    CHECK(map.contains("b"));
    CHECK(map.erase("b"));
    CHECK(!map.erase("b"));
    CHECK(map.size() == 4);
    CHECK(map == AttrMap{{"e", "five"}, {"d", 4}, {"c", 3}, {"a", 10}});
    CHECK(!(map == AttrMap()));
    map.clear();
    CHECK(map.empty());
  }
  TEST_CASE("sorts what was appended, and keeps the last of equal names") {
    AttrMap map;
    map.SortAppended();
    for (const auto& [name, number] :
         {std::pair{"b", 1}, std::pair{"a", 2}, std::pair{"b", 3}, std::pair{"c", 4}, std::pair{"a", 5}}) {
      AttrMap::value_type* item = map.AppendUnsorted();
      item->first = name;
      item->second = number;
    }
    map.SortAppended();
    CHECK(map == AttrMap{{"a", 5}, {"b", 3}, {"c", 4}});
  }
}
