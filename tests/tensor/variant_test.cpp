// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/variant.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/tensor_util.hpp>

namespace variant_test {
using namespace tenon;

namespace {

struct Point {
  std::int32_t x = 0, y = 0;
  static std::string TypeName() { return "Point"; }
  std::string DebugString() const { return StrCat("(", x, ",", y, ")"); }
  friend bool operator==(const Point&, const Point&) = default;
};
// Text and tensors; knows when bytes are not its own.
struct Basket {
  std::string label;
  SlimVector<Tensor> things;
  std::string TypeName() const { return "Basket"; }
  void Encode(VariantTensorData* data) const {
    data->metadata = "b" + label;
    data->tensors = things;
  }
  bool Decode(VariantTensorData data) {
    if (data.metadata.empty() || data.metadata[0] != 'b') return false;
    label = data.metadata.substr(1);
    things = std::move(data.tensors);
    return true;
  }
};
struct Silent {
  std::string text;
};

Variant Serialized(const Variant& value) {
  VariantTensorData data;
  REQUIRE(EncodeVariant(value, &data).ok());
  return Variant(data);
}

}  // namespace

TEST_SUITE("Variant values") {
  TEST_CASE("have the names and texts that their types give them, or those of TensorFlow's built-in ones") {
    CHECK(Variant(Point{1, 2}).DebugString() == "Variant<type: Point value: (1,2)>");
    CHECK(Variant(7).DebugString() == "Variant<type: int value: 7>");
    CHECK(Variant(1.5f).DebugString() == "Variant<type: float value: 1.5>");
    CHECK(Variant(true).DebugString() == "Variant<type: bool value: 1>");
    CHECK(Variant(0.1).DebugString() == "Variant<type: double value: 0.1>");
    CHECK(Variant(Tensor::Scalar(1.0f)).DebugString() ==
          "Variant<type: tensorflow::Tensor value: Tensor<type: float shape: [] values: 1>>");
    CHECK(Variant(Silent{"x"}).SummarizeValue() == "?");
    CHECK(Variant(std::string("abc")).SummarizeValue() == "abc");
  }
  TEST_CASE("are got as what they are only") {
    Variant v = Point{1, 2};
    CHECK(v.is<Point>());
    CHECK(v.get<int>() == nullptr);
    v.get<Point>()->y = 5;
    CHECK(*v.get<Point>() == Point{1, 5});
    const Point lvalue{3, 4};
    v = lvalue;
    CHECK(v == Variant(Point{3, 4}));
    const Variant& c = v;
    CHECK(c.get<Point>()->x == 3);
  }
  TEST_CASE("are got as a value of any type") {
    Variant variant;
    CHECK_FALSE(variant.is<void>());
    CHECK(variant.get<void>() == nullptr);
    variant = 3;
    CHECK(variant.is<void>());
    CHECK(variant.get<void>() == variant.get<int>());
  }
  TEST_CASE("hold variants inside variants") {
    Variant v = Tensor::Scalar(Variant(Tensor::Scalar(Variant(9))));
    const Variant& inner = v.get<Tensor>()->scalar<Variant>()();
    CHECK(*inner.get<Tensor>()->scalar<Variant>()().get<int>() == 9);
    CHECK(v == Variant(v));
    CHECK(v != Variant(Tensor::Scalar(Variant(1))));
  }
  TEST_CASE("share the buffer of a tensor when copied, as tensors do") {
    const Variant a = MakeTensor<float>({2}, {1, 2});
    const Variant b = a;
    CHECK(a.get<Tensor>()->SharesBufferWith(*b.get<Tensor>()));
    CHECK(a == b);
    CHECK(a == Variant(MakeTensor<float>({2}, {1, 2})));
    CHECK(a != Variant(MakeTensor<float>({2}, {1, 3})));
    CHECK(Variant(MakeTensor<tstring>({1}, {"a"})) == Variant(MakeTensor<tstring>({1}, {"a"})));
  }
}

TEST_SUITE("EncodeVariant") {
  TEST_CASE("takes a value apart") {
    VariantTensorData data;
    REQUIRE(EncodeVariant(Variant(5), &data).ok());
    CHECK(data.type_name == "int");
    CHECK(data.metadata == std::string("\5\0\0\0", 4));
    REQUIRE(EncodeVariant(Variant(Basket{"x", {Tensor::Scalar(1.0f)}}), &data).ok());
    CHECK(data.type_name == "Basket");
    CHECK(data.metadata == "bx");
    CHECK(data.tensors.size() == 1);
    REQUIRE(EncodeVariant(Variant(Tensor::Scalar(2.0f)), &data).ok());
    CHECK(data.type_name == "tensorflow::Tensor");
    CHECK(data.metadata.empty());
    REQUIRE(EncodeVariant(Variant(), &data).ok());
    CHECK(data.empty());
  }
  TEST_CASE("refuses a type that cannot be taken apart") {
    VariantTensorData data;
    const Status s = EncodeVariant(Variant(Silent{"x"}), &data);
    CHECK(s.code() == Code::kUnimplemented);
    CHECK(s.message().find("cannot be serialised; it needs void Encode(VariantTensorData*) const") !=
          std::string::npos);
  }
  TEST_CASE("gives a serialised value back as it came, under its own type's name") {
    const Variant v = Serialized(Variant(Basket{"y", {}}));
    CHECK(v.is_serialized());
    CHECK(v.TypeName() == "Basket");
    CHECK(v.DebugString() == "Variant<type: Basket value: type_name: Basket metadata: by>");
    CHECK(v == Serialized(v));
    CHECK(v != Serialized(Variant(Basket{"z", {}})));
    CHECK(Serialized(Variant(Basket{"y", {Tensor::Scalar(1.5f)}})).SummarizeValue() ==
          "type_name: Basket metadata: by tensors: Tensor<type: float shape: [] values: 1.5>");
  }
}

TEST_SUITE("GetVariantValue") {
  TEST_CASE("gives the value, decoding it when it must") {
    Variant v = Serialized(Variant(Point{1, 2}));
    CHECK(v.get<Point>() == nullptr);
    Result<Point*> p = GetVariantValue<Point>(&v);
    REQUIRE(p.ok());
    CHECK(**p == Point{1, 2});
    CHECK(v.is<Point>());
    CHECK(*GetVariantValue<Point>(&v) == *p);
    Variant basket = Serialized(Variant(Basket{"q", {Tensor::Scalar(4.0f)}}));
    const Result<Basket*> b = GetVariantValue<Basket>(&basket);
    REQUIRE(b.ok());
    CHECK((*b)->label == "q");
    CHECK((*b)->things[0].scalar<float>()() == 4);
    Variant tensor = Serialized(Variant(Tensor::Scalar(2.0f)));
    CHECK((*GetVariantValue<Tensor>(&tensor))->scalar<float>()() == 2);
  }
  TEST_CASE("says which type is there instead") {
    Variant v = 3;
    const Status s = GetVariantValue<Point>(&v).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == "GetVariantValue: a variant of type 'Point' expected, got 'int'");
    Variant empty;
    CHECK(GetVariantValue<int>(&empty).status().message() ==
          "GetVariantValue: a variant of type 'int' expected, got an empty one");
    const Variant serialized = Serialized(Variant(Point{1, 2}));
    CHECK(GetVariantValue<Point>(&serialized).status().message() ==
          "GetVariantValue: a variant of type 'Point' expected, got 'Point', which was not decoded");
    const Variant constant = Point{1, 2};
    CHECK((*GetVariantValue<Point>(&constant))->y == 2);
  }
  TEST_CASE("leaves bytes alone that the type cannot decode") {
    Variant basket = VariantTensorData{"Basket", "not mine", {}};
    const Status s = GetVariantValue<Basket>(&basket).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(
        s.message() ==
        "Could not decode variant with type_name: \"Basket\".  The metadata or tensors are not what this type writes");
    CHECK(basket.get<VariantTensorData>()->metadata == "not mine");
    Variant number = VariantTensorData{"int", "abc", {}};
    CHECK_FALSE(GetVariantValue<int>(&number).ok());
    Variant flag = VariantTensorData{"bool", "\x02", {}};
    CHECK_FALSE(GetVariantValue<bool>(&flag).ok());
    Variant two = VariantTensorData{"tensorflow::Tensor", "", {Tensor(), Tensor()}};
    CHECK_FALSE(GetVariantValue<Tensor>(&two).ok());
  }
}

TEST_SUITE("variants in tensor_util") {
  TEST_CASE("are copied, joined and compared element by element") {
    const Tensor a = MakeTensor<Variant>({2}, {Variant(1), Variant(Point{1, 2})});
    Result<Tensor> copy = tensor::DeepCopy(a);
    REQUIRE(copy.ok());
    CHECK(tensor::Equal(a, *copy));
    CHECK_FALSE(copy->SharesBufferWith(a));
    const Tensor parts[] = {a, *copy};
    const Result<Tensor> both = tensor::Concat(parts);
    REQUIRE(both.ok());
    CHECK(*both->flat<Variant>()[3].get<Point>() == Point{1, 2});
    copy->data<Variant>()[1] = Point{1, 3};
    CHECK(tensor::CheckEqual(a, *copy).message() ==
          "CheckEqual: the variant elements at [1] differ, <(1,2)> and <(1,3)>");
  }
}
}  // namespace variant_test
