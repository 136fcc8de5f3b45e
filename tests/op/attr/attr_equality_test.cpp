// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/attr/attr_equality.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace attr_equality_test {
using namespace tenon;

namespace {

NameAttrList Func(std::string name, AttrMap attrs) {
  NameAttrList function;
  function.name = std::move(name);
  function.attr = std::move(attrs);
  return function;
}
AttrValue FuncList(std::string name) {
  AttrList list;
  list.func.push_back(Func(std::move(name), {{"T", DataType::kFloat}}));
  return AttrValue(std::move(list));
}

// Values that differ from each other, each made anew by every call.
SlimVector<AttrValue> Samples() {
  SlimVector<AttrValue> all;
  all.push_back(AttrValue());
  all.push_back("text");
  all.push_back(AttrValue::Placeholder("text"));
  all.push_back(3);
  all.push_back(3.0f);
  all.push_back(true);
  all.push_back(false);
  all.push_back(DataType::kFloat);
  all.push_back(PartialTensorShape({2, -1}));
  all.push_back(PartialTensorShape());
  all.push_back(TensorShape({}));
  all.push_back(MakeTensor<std::int32_t>({2}, {1, 2}));
  all.push_back(MakeTensor<std::int32_t>({1, 2}, {1, 2}));
  all.push_back(MakeTensor<float>({2}, {1, 2}));
  all.push_back(MakeTensor<tstring>({2}, {"a", "b"}));
  all.push_back(MakeTensor<tstring>({2}, {"a", "c"}));
  all.push_back(Func("f", {}));
  all.push_back(Func("f", {{"T", DataType::kFloat}}));
  all.push_back(Func("f", {{"T", DataType::kHalf}}));
  all.push_back(AttrList());
  all.push_back(std::vector<std::int64_t>{1, 2});
  all.push_back(std::vector<std::int64_t>{2, 1});
  all.push_back(std::vector<float>{1, 2});
  all.push_back(std::vector<std::string>{"ab", "c"});
  all.push_back(std::vector<std::string>{"a", "bc"});
  all.push_back(std::vector<DataType>{DataType::kFloat});
  all.push_back(std::vector<PartialTensorShape>{PartialTensorShape({2})});
  all.push_back(std::vector<Tensor>{MakeTensor<float>({}, {1})});
  all.push_back(std::vector<Tensor>{MakeTensor<float>({}, {2})});
  all.push_back(FuncList("f"));
  all.push_back(FuncList("g"));
  return all;
}

}  // namespace

TEST_SUITE("AreAttrValuesEqual") {
  TEST_CASE("values of every kind equal themselves and nothing else, and so do their hashes") {
    const SlimVector<AttrValue> left = Samples(), right = Samples();
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = 0; j < right.size(); ++j) {
        CAPTURE(SummarizeAttrValue(left[i]));
        CAPTURE(SummarizeAttrValue(right[j]));
        CHECK(AreAttrValuesEqual(left[i], right[j]) == (i == j));
        CHECK((AttrValueHash(left[i]) == AttrValueHash(right[j])) == (i == j));
      }
    }
  }
  TEST_CASE("floats are compared by their bits") {
    CHECK(AreAttrValuesEqual(std::nanf(""), std::nanf("")));
    CHECK_FALSE(AreAttrValuesEqual(0.0f, -0.0f));
    CHECK(AttrValueHash(std::nanf("")) == AttrValueHash(std::nanf("")));
    const std::vector<float> nan{std::nanf("")}, zero{0.0f}, minus{-0.0f};
    CHECK(AreAttrValuesEqual(AttrValue(nan), AttrValue(nan)));
    CHECK_FALSE(AreAttrValuesEqual(AttrValue(zero), AttrValue(minus)));
  }
  TEST_CASE("tensors that cannot be decoded are equal if their bytes are") {
    const AttrValue broken = AttrValue::UndecodedTensor("bytes", errors::InvalidArgument("too short"));
    CHECK(AreAttrValuesEqual(broken, broken));
    CHECK(AreAttrValuesEqual(broken, AttrValue::UndecodedTensor("bytes", errors::InvalidArgument("too short"))));
    CHECK_FALSE(AreAttrValuesEqual(broken, AttrValue::UndecodedTensor("byte", errors::InvalidArgument("too short"))));
    CHECK_FALSE(AreAttrValuesEqual(broken, AttrValue(MakeTensor<float>({1}, {1}))));
    CHECK(broken == broken);
    CHECK(AttrValueHash(broken) == AttrValueHash(broken));
    const AttrValue shape = AttrValue::UndecodedShape("bytes", errors::InvalidArgument("too large"));
    CHECK(AreAttrValuesEqual(shape, shape));  // shapes are compared as they came
  }
  TEST_CASE("large tensors may be told apart without looking at them") {
    const auto elements = static_cast<Index>(kMaxComparedTensorBytes / sizeof(float)) + 1;
    Tensor a(DataType::kFloat, TensorShape({elements})), b(DataType::kFloat, TensorShape({elements}));
    std::memset(a.data<float>(), 0, a.TotalBytes());
    std::memset(b.data<float>(), 0, b.TotalBytes());
    CHECK(AreAttrValuesEqual(a, b));
    CHECK_FALSE(AreAttrValuesEqual(a, b, true));
    CHECK(AreAttrValuesEqual(a, a, true));
  }
}

TEST_SUITE("AreAttrsEqual") {
  TEST_CASE("needs the same names with the same values") {
    const AttrMap attrs{{"T", DataType::kFloat}, {"N", 2}};
    CHECK(AreAttrsEqual(attrs, {{"N", 2}, {"T", DataType::kFloat}}));
    CHECK_FALSE(AreAttrsEqual(attrs, {{"N", 3}, {"T", DataType::kFloat}}));
    CHECK_FALSE(AreAttrsEqual(attrs, {{"M", 2}, {"T", DataType::kFloat}}));
    CHECK_FALSE(AreAttrsEqual(attrs, {{"T", DataType::kFloat}}));
    CHECK(AreAttrsEqual({}, {}));
  }
}
}  // namespace attr_equality_test
