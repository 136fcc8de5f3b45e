// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/attr/attr_members.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/op/attr/attr_value.hpp>

namespace attr_members_test {
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
    CHECK(value.undecoded_shape().unknown_rank());
    CHECK(AttrValue::UndecodedTensor("proto", errors::Internal(""), PartialTensorShape({2})).undecoded_shape().dims() ==
          1);
    CHECK(AttrValue(3).undecoded_shape().unknown_rank());
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
}  // namespace attr_members_test
