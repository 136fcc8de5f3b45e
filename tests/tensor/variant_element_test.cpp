// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/variant_element.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>

namespace variant_element_test {
using namespace tenon;

namespace {

// Counts what lives.
int alive = 0;
template <std::size_t kBytes>
struct Counted {
  explicit Counted(int v = 0) : value(v) { ++alive; }
  Counted(const Counted& other) : value(other.value) { ++alive; }
  Counted(Counted&& other) noexcept : value(other.value) {
    other.value = -1;
    ++alive;
  }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  int value;
  char rest[kBytes - sizeof(int)] = {};
};
using Small = Counted<Variant::kInlineBytes>;
using Large = Counted<Variant::kInlineBytes + 8>;

bool IsInside(const Variant& v) {
  const char* const value = static_cast<const char*>(v.value());
  const char* const begin = reinterpret_cast<const char*>(&v);
  return value >= begin && value < begin + sizeof v;
}

template <class T>
void ValuesLiveOnce() {
  alive = 0;
  {
    Variant a = T(7);
    CHECK(alive == 1);
    Variant b = a;
    CHECK(alive == 2);
    CHECK(b.get<T>()->value == 7);
    b.get<T>()->value = 8;
    CHECK(a.get<T>()->value == 7);
    Variant c = std::move(b);
    CHECK(b.is_empty());
    CHECK(alive == 2);
    CHECK(c.get<T>()->value == 8);
    a = c;
    CHECK(a.get<T>()->value == 8);
    a = std::move(c);
    CHECK(alive == 1);
    a = *&a;
    CHECK(a.get<T>()->value == 8);
    Variant& self = a;
    a = std::move(self);
    CHECK(a.get<T>()->value == 8);
    std::swap(a, b);
    CHECK(a.is_empty());
    CHECK(b.get<T>()->value == 8);
    b = 5;
    CHECK(alive == 0);
    b = T(1);
    b.clear();
    CHECK(alive == 0);
    b.clear();
    b = T(2);
  }
  CHECK(alive == 0);
}

}  // namespace

TEST_SUITE("Variant") {
  TEST_CASE("has 64 bytes, is empty at first and never throws when moved") {
    CHECK(sizeof(Variant) == 64);
    CHECK(std::is_nothrow_move_constructible_v<Variant>);
    CHECK(std::is_nothrow_move_assignable_v<Variant>);
    const Variant v;
    CHECK(v.is_empty());
    CHECK_FALSE(v.is_serialized());
    CHECK_FALSE(v.is<int>());
    CHECK(v.get<int>() == nullptr);
    CHECK(v.TypeName() == "");
    CHECK(v.SummarizeValue() == "[empty]");
    CHECK(v.DebugString() == "Variant<type:  value: [empty]>");
  }
  TEST_CASE("holds small values inside and large ones on the heap, each exactly as long as it is needed") {
    CHECK(IsInside(Variant(Small(1))));
    CHECK_FALSE(IsInside(Variant(Large(1))));
    CHECK(IsInside(Variant(Tensor())));
    ValuesLiveOnce<Small>();
    ValuesLiveOnce<Large>();
  }
  TEST_CASE("a value whose move may throw, or that wants more alignment, is on the heap") {
    struct Throws {
      Throws() = default;
      Throws(const Throws&) {}
    };
    struct alignas(32) Wide {
      float x[8] = {};
    };
    CHECK_FALSE(IsInside(Variant(Throws())));
    const Variant wide = Wide();
    CHECK_FALSE(IsInside(wide));
    CHECK(reinterpret_cast<std::uintptr_t>(wide.value()) % 32 == 0);
  }
  TEST_CASE("assigning a part of the own value keeps it") {
    struct Box {
      SlimVector<Variant> items;
    };
    Variant v = Box{{Variant(1), Variant(2)}};
    const Variant& part = v.get<Box>()->items[1];
    v = part;
    REQUIRE(v.is<int>());
    CHECK(*v.get<int>() == 2);
  }
  TEST_CASE("compares types and values") {
    CHECK(Variant() == Variant());
    CHECK(Variant(1) == Variant(1));
    CHECK(Variant(1) != Variant(2));
    CHECK(Variant(1) != Variant(1.0f));
    CHECK(Variant(1) != Variant());
    CHECK(Variant() != Variant(1));
    const Variant uncomparable = Small(1);
    CHECK(uncomparable == uncomparable);
    CHECK(uncomparable != Variant(uncomparable));
  }
  TEST_CASE("tells types of one name in unnamed namespaces and functions apart by their tables") {
    const auto other = [] {
      struct Point {
        int x = 2;
      };
      return Variant(Point());
    }();
    struct Point {
      int x = 1;
    };
    CHECK_FALSE(other.is<Point>());
    CHECK(Variant(Point()).is<Point>());
  }
}

TEST_SUITE("variant tensors") {
  TEST_CASE("construct their elements empty and destroy them with the buffer") {
    alive = 0;
    {
      Tensor t(DataType::kVariant, {2, 3});
      REQUIRE(t.IsInitialized());
      CHECK(t.TotalBytes() == 6 * sizeof(Variant));
      for (const Variant& v : t.flat<Variant>()) CHECK(v.is_empty());
      t.matrix<Variant>()(1, 2) = Small(4);
      t.matrix<Variant>()(0, 0) = Large(5);
      CHECK(alive == 2);
      const Tensor row = t.Slice(1, 2);
      CHECK(row.shape() == TensorShape{1, 3});
      CHECK(row.SharesBufferWith(t));
      CHECK(row.matrix<Variant>()(0, 2).get<Small>()->value == 4);
      CHECK(t.SubSlice(0).vec<Variant>()(0).get<Large>()->value == 5);
      const Tensor copy = t.DeepCopy();
      CHECK(alive == 4);
      t.flat<Variant>()[0].get<Large>()->value = 6;
      CHECK(copy.flat<Variant>()[0].get<Large>()->value == 5);
      t = Tensor();
      CHECK(alive == 4);  // the slice keeps them
    }
    CHECK(alive == 0);
  }
  TEST_CASE("are made from values and by Make") {
    const Tensor t = Tensor::Scalar(Variant(3));
    CHECK(t.dtype() == DataType::kVariant);
    CHECK(*t.scalar<Variant>()().get<int>() == 3);
    const Tensor v = MakeTensor<Variant>({3}, {Variant(1), Variant(), Variant(2.5f)});
    CHECK(v.vec<Variant>()(1).is_empty());
    CHECK(*v.vec<Variant>()(2).get<float>() == 2.5f);
    CHECK(Tensor::Make(DataType::kVariant, {2}).ok());
    CHECK(Tensor::Make(DataType::kVariant, {Index{1} << 60}).status().code() == Code::kResourceExhausted);
  }
  TEST_CASE("print as TensorFlow 2.21 prints them: flat, each value in <>") {
    const Tensor t = MakeTensor<Variant>({3}, {Variant(5), Variant(), Variant()});
    CHECK(t.SummarizeValue(3, true) == "[<5> <[empty]> <[empty]>]");
    CHECK(t.SummarizeValue(1, true) == "[<5>...]");
    CHECK(t.SummarizeValue(3) == "<5> <[empty]> <[empty]>");
    CHECK(t.DebugString(1) == "Tensor<type: variant shape: [3] values: <5>...>");
    CHECK(MakeTensor<Variant>({2, 1}, {Variant(true), Variant(0.0)}).SummarizeValue(3, true) == "[<1> <0>]");
    const Tensor inner = MakeTensor<float>({4}, {1.5f, 2, 3, 4});
    CHECK(Tensor::Scalar(Variant(inner)).SummarizeValue(3, true) ==
          "<Tensor<type: float shape: [4] values: 1.5 2 3...>>");
  }
}
}  // namespace variant_element_test
