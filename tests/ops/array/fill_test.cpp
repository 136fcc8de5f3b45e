// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/fill.hpp>

#include <cstring>

#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_fill_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Fill") {
  TEST_CASE("every element has the value's bits, for elements of any size") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor value = AnyBits(dtype, {}, 3);
      for (const std::int32_t n : {0, 1, 2, 3, 70, 5000}) {
        const Tensor x = Run<ops::Fill>({}, {Ints({n, 1}), value});
        REQUIRE(x.shape() == TensorShape({n, 1}));
        Index same = 0;
        for (Index i = 0; i < n; ++i) {
          Tensor element(dtype);
          REQUIRE(element.CopyFrom(x.Slice(i, i + 1), {}));
          same += SameTensor(element, value);
        }
        CHECK(same == n);
      }
    }
  }
  TEST_CASE("sizes: none, eight, below zero, too many, more than memory has") {
    const Tensor value = Tensor::Scalar<float>(2);
    CHECK(SameTensor(Run<ops::Fill>({}, {Ints({}), value}), value));
    CHECK(Run<ops::Fill>({}, {Longs({1, 2, 1, 2, 1, 2, 1, 2}), value}).NumElements() == 16);
    CHECK(ErrorOf<ops::Fill>({}, {Ints({2, -1}), value}).find("INVALID_ARGUMENT: Fill: Dimension -1 must be >= 0") ==
          0);
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    CHECK(Call<ops::Fill>({}, {Longs({kHalf, kHalf}), value}).status().code() == Code::kInvalidArgument);
    LimitedAllocator memory(CpuAllocator(), 1 << 20, "small");
    const Status status = Call<ops::Fill>({}, {Longs({kHalf}), value}, {.allocator = &memory}).status();
    CHECK_MESSAGE(status.code() == Code::kResourceExhausted, status.ToString());
  }
}

TEST_SUITE("ZerosLike, OnesLike and Empty") {
  TEST_CASE("whatever the bits were") {
    const Tensor x = AnyBits(DataType::kFloat, {3, 5}), text = AnyBits(DataType::kString, {4});
    CHECK(Numbered<float>(Run<ops::ZerosLike>({}, {x})) == std::vector<double>(15, 0));
    CHECK(Numbered<float>(Run<ops::OnesLike>({}, {x})) == std::vector<double>(15, 1));
    const Tensor no_text = Run<ops::ZerosLike>({}, {text});
    for (Index i = 0; i < 4; ++i) CHECK(no_text.data<tstring>()[i] == tstring());
    CHECK(Run<ops::OnesLike>({}, {Tensor(DataType::kBool, {0, 2})}).shape() == TensorShape({0, 2}));
    const AttrArgs zeros{{"dtype", DataType::kDouble}, {"init", true}};
    CHECK(Numbered<double>(Run<ops::Empty>(zeros, {Ints({2, 2})})) == std::vector<double>(4, 0));
  }
  TEST_CASE("take over an input that nobody else reads") {
    bool took_over = false;
    const Tensor x = Make<float>({70}, {3});
    CHECK(Numbered<float>(RunOnOwnInputs<ops::ZerosLike, float>({}, {x}, &took_over)) == std::vector<double>(70, 0));
    CHECK(took_over);
    CHECK(Numbered<float>(RunOnOwnInputs<ops::OnesLike, float>({}, {x}, &took_over)) == std::vector<double>(70, 1));
    CHECK(took_over);
  }
}

TEST_SUITE("OneHot") {
  const Tensor on = Tensor::Scalar<float>(1), off = Tensor::Scalar<float>(-1);

  TEST_CASE("an index outside of the depth is nowhere hot, however far") {
    const Tensor indices =
        Longs({1, -1, 3, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 2});
    const Tensor hot = Run<ops::OneHot>({}, {indices, Int(3), on, off});
    REQUIRE(hot.shape() == TensorShape({6, 3}));
    for (Index i = 0; i < 6; ++i)
      for (Index k = 0; k < 3; ++k)
        CHECK(hot.data<float>()[3 * i + k] == ((i == 0 && k == 1) || (i == 5 && k == 2) ? 1 : -1));
  }
  TEST_CASE("with the depth in front is the transposed one with the depth behind") {
    const Tensor indices = MakeTensor<std::uint8_t>({2, 3}, {0, 3, 1, 2, 255, 0});
    const Tensor last = Run<ops::OneHot>({}, {indices, Int(4), on, off});
    const Tensor first = Run<ops::OneHot>({{"axis", 0}}, {indices, Int(4), on, off});
    const Tensor middle = Run<ops::OneHot>({{"axis", 1}}, {indices, Int(4), on, off});
    CHECK(SameTensor(RunAll("Transpose", {}, {last, Ints({2, 0, 1})}, 1)[0], first));
    CHECK(SameTensor(RunAll("Transpose", {}, {last, Ints({0, 2, 1})}, 1)[0], middle));
    CHECK(Run<ops::OneHot>({}, {indices, Int(0), on, off}).shape() == TensorShape({2, 3, 0}));
  }
  TEST_CASE("of many indices and elements of every size") {
    constexpr Index kOuter = 300, kInner = 7, kDepth = 11;
    const Tensor indices = Random<std::int32_t>({kOuter, kInner}, 1);
    for (Index i = 0; i < indices.NumElements(); ++i) {
      std::int32_t& at = Tensor(indices).data<std::int32_t>()[i];
      at = static_cast<std::int32_t>((static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(i * 5)) % 13) - 1;
    }
    for (const DataType type : {DataType::kInt8, DataType::kInt16, DataType::kInt32, DataType::kInt64}) {
      Tensor one(type, {}), zero(type, {});
      const Index bytes = static_cast<Index>(SizeOf(type));
      std::memset(one.raw_data(), 1, static_cast<std::size_t>(bytes));
      std::memset(zero.raw_data(), 2, static_cast<std::size_t>(bytes));
      const Tensor hot = Run<ops::OneHot>({{"axis", 1}}, {indices, Int(kDepth), one, zero});
      REQUIRE(hot.shape() == TensorShape({kOuter, kDepth, kInner}));
      bool right = true;
      for (Index i = 0; i < hot.NumElements(); ++i) {
        const Index outer = i / (kDepth * kInner), at = i / kInner % kDepth, inner = i % kInner;
        const unsigned char want = indices.data<std::int32_t>()[outer * kInner + inner] == at ? 1 : 2;
        for (Index b = 0; b < bytes; ++b)
          right = right &&
                  static_cast<const unsigned char*>(hot.raw_data())[i * static_cast<Index>(SizeOf(type)) + b] == want;
      }
      CHECK(right);
    }
  }
  TEST_CASE("refuses a depth below zero, an axis outside, and an output without end") {
    CHECK(ErrorOf<ops::OneHot>({}, {Ints({1}), Int(-2), on, off}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::OneHot>({{"axis", 2}}, {Ints({1}), Int(2), on, off}) ==
          "INVALID_ARGUMENT: OneHot: Expected axis to be -1 or between [0, 2).  But received: 2");
    LimitedAllocator memory(CpuAllocator(), 1 << 20, "small");
    const Tensor most = Int(std::numeric_limits<std::int32_t>::max());
    const Status status = Call<ops::OneHot>({}, {Ints({1, 2}), most, on, off}, {.allocator = &memory}).status();
    CHECK_MESSAGE(status.code() == Code::kResourceExhausted, status.ToString());
  }
}
}  // namespace array_fill_test
