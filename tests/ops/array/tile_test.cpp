// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/tile.hpp>

#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_tile_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Tile") {
  TEST_CASE("every copy is the tensor, for elements of any size") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 3}), tiled = Run<ops::Tile>({}, {x, Ints({3, 2})});
      REQUIRE(tiled.shape() == TensorShape({6, 6}));
      for (std::int32_t i = 0; i < 3; ++i)
        for (std::int32_t j = 0; j < 2; ++j)
          CHECK(SameTensor(RunAll("Slice", {}, {tiled, Ints({2 * i, 3 * j}), Ints({2, 3})}, 1)[0], x));
      const Tensor joined = RunAll("ConcatV2", {}, {x, x, Int(1)}, 1)[0];
      CHECK(SameTensor(Run<ops::Tile>({}, {joined, Longs({3, 1})}), tiled));
    }
  }
  TEST_CASE("once shares the buffer, never leaves nothing; rank 0 and 8") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(Run<ops::Tile>({}, {x, Ints({1, 1})}).raw_data() == x.raw_data());
    CHECK(Run<ops::Tile>({}, {x, Ints({0, 5})}).shape() == TensorShape({0, 15}));
    CHECK(Run<ops::Tile>({}, {Make<float>({}, {4}), Ints({})}).shape() == TensorShape());
    const Tensor eight = Random<float>({1, 2, 1, 1, 1, 1, 1, 2}, 1);
    const Tensor tiled = Run<ops::Tile>({}, {eight, Ints({2, 1, 1, 1, 1, 1, 2, 1})});
    REQUIRE(tiled.NumElements() == 16);
    for (Index i = 0; i < 16; ++i) CHECK(tiled.data<float>()[i] == eight.data<float>()[i / 4 % 2 * 2 + i % 2]);
  }
  TEST_CASE("multiples below zero, of another rank, without end") {
    const Tensor x = Make<float>({2, 3}, {1});
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(ErrorOf<ops::Tile>({}, {x, Ints({1, -1})}) ==
          "INVALID_ARGUMENT: Tile: Expected multiples[1] >= 0, but got -1");
    CHECK(ErrorOf<ops::Tile>({}, {x, Ints({1})})
              .find("Expected multiples argument to be a vector of length 2 but got length 1") != std::string::npos);
    CHECK(Call<ops::Tile>({}, {x, Longs({kMost, 1})}).status().code() == Code::kInvalidArgument);
    CHECK(Call<ops::Tile>({}, {x, Longs({kMost / 2, kMost / 2})}).status().code() == Code::kInvalidArgument);
    LimitedAllocator memory(CpuAllocator(), 1 << 20, "small");
    CHECK(Call<ops::Tile>({}, {x, Longs({1 << 30, 1})}, {.allocator = &memory}).status().code() ==
          Code::kResourceExhausted);
  }
}

TEST_SUITE("BroadcastTo") {
  TEST_CASE("repeats dimensions of size 1 and leading ones") {
    const Tensor x = AnyBits(DataType::kInt64, {3, 1}), y = Run<ops::BroadcastTo>({}, {x, Ints({2, 3, 4})});
    REQUIRE(y.shape() == TensorShape({2, 3, 4}));
    for (Index i = 0; i < 24; ++i) CHECK(y.data<std::int64_t>()[i] == x.data<std::int64_t>()[i / 4 % 3]);
    CHECK(Run<ops::BroadcastTo>({}, {x, Longs({3, 1})}).raw_data() == x.raw_data());
    CHECK(Run<ops::BroadcastTo>({}, {x, Ints({3, 0})}).shape() == TensorShape({3, 0}));
    const Tensor texts = Run<ops::BroadcastTo>({}, {AnyBits(DataType::kString, {}), Ints({70})});
    CHECK(texts.data<tstring>()[69] == texts.data<tstring>()[0]);
  }
  TEST_CASE("nothing else") {
    const Tensor x = Make<float>({3, 2}, {1});
    CHECK(ErrorOf<ops::BroadcastTo>({}, {x, Ints({3, 4})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::BroadcastTo>({}, {x, Ints({2})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::BroadcastTo>({}, {Make<float>({}, {1}), Ints({2, -1})}).find("INVALID_ARGUMENT") == 0);
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    CHECK(Call<ops::BroadcastTo>({}, {Make<float>({}, {1}), Longs({kHalf, kHalf})}).status().code() ==
          Code::kInvalidArgument);
  }
}

TEST_SUITE("BroadcastArgs") {
  TEST_CASE("commutes, and is the shape of a sum") {
    const Tensor a = Ints({4, 1, 3}), b = Ints({5, 1});
    CHECK(Numbered<std::int32_t>(Run<ops::BroadcastArgs>({}, {a, b})) == std::vector<double>{4, 5, 3});
    CHECK(Numbered<std::int32_t>(Run<ops::BroadcastArgs>({}, {b, a})) == std::vector<double>{4, 5, 3});
    CHECK(Numbered<std::int64_t>(Run<ops::BroadcastArgs>({}, {Longs({0}), Longs({})})) == std::vector<double>{0});
    CHECK(ErrorOf<ops::BroadcastArgs>({}, {Ints({2}), Ints({3})}).find("Incompatible shapes") != std::string::npos);
  }
}
}  // namespace array_tile_test
