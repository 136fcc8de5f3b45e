// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/pad.hpp>

#include <cstring>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_pad_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const Tensor kPaddings = MakeTensor<std::int32_t>({3, 2}, {1, 2, 0, 3, 2, 0});

// Where position i of a mirrored dimension of n elements comes from; `edge`: 1 leaves the edge out (REFLECT).
Index Mirrored(Index i, Index n, Index edge) {
  if (i < 0) return -i - 1 + edge;
  return i < n ? i : 2 * n - 1 - edge - i;
}

}  // namespace

TEST_SUITE("Pad") {
  TEST_CASE("holds its input in the middle, for elements of any size, and nothing around") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {3, 4, 5}), padded = Run<ops::Pad>({}, {x, kPaddings});
      REQUIRE(padded.shape() == TensorShape({6, 7, 7}));
      CHECK(SameTensor(RunAll("Slice", {}, {padded, Ints({1, 0, 2}), Ints({3, 4, 5})}, 1)[0], x));
      const Tensor edge = RunAll("Slice", {}, {padded, Ints({0, 4, 0}), Ints({6, 3, 7})}, 1)[0];
      CHECK(SameTensor(edge, RunAll("ZerosLike", {}, {edge}, 1)[0]));
    }
  }
  TEST_CASE("a frame of long runs is written around the middle: every element but those is the frame's") {
    const Tensor paddings = MakeTensor<std::int32_t>({4, 2}, {0, 0, 1, 2, 0, 3, 64, 70});
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 3, 4, 5}), value = AnyBits(dtype, {}, 7);
      for (const bool zeros : {true, false}) {
        Tensor padded = zeros ? Run<ops::Pad>({}, {x, paddings}) : Run<ops::PadV2>({}, {x, paddings, value});
        REQUIRE(padded.shape() == TensorShape({2, 6, 7, 139}));
        CHECK(SameTensor(RunAll("Slice", {}, {padded, Ints({0, 1, 0, 64}), Ints({2, 3, 4, 5})}, 1)[0], x));
        const std::initializer_list<std::initializer_list<int>> slabs[] = {{{0, 0, 0, 0}, {2, 1, 7, 139}},
                                                                           {{0, 4, 0, 0}, {2, 2, 7, 139}},
                                                                           {{0, 1, 4, 0}, {2, 3, 3, 139}},
                                                                           {{0, 1, 0, 0}, {2, 3, 4, 64}},
                                                                           {{0, 1, 0, 69}, {2, 3, 4, 70}}};
        for (const auto& slab : slabs) {
          const Tensor cut = RunAll("Slice", {}, {padded, Ints(*slab.begin()), Ints(*(slab.begin() + 1))}, 1)[0];
          const Tensor wanted = zeros ? RunAll("ZerosLike", {}, {cut}, 1)[0]
                                      : RunAll("Fill", {}, {Ints(*(slab.begin() + 1)), value}, 1)[0];
          CHECK(SameTensor(cut, wanted));
        }
      }
    }
  }
  TEST_CASE("the frame of PadV2 has the value's bits") {
    const Tensor x = AnyBits(DataType::kFloat, {2}), value = AnyBits(DataType::kFloat, {}, 7);
    const Tensor padded = Run<ops::PadV2>({}, {x, MakeTensor<std::int64_t>({1, 2}, {1, 2}), value});
    REQUIRE(padded.NumElements() == 5);
    for (const int i : {0, 3, 4}) CHECK(std::memcmp(padded.data<float>() + i, value.raw_data(), 4) == 0);
    CHECK(std::memcmp(padded.data<float>() + 1, x.raw_data(), 8) == 0);
  }
  TEST_CASE("without paddings shares the buffer; pads nothing to something; has rank 8, not 9") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(Run<ops::Pad>({}, {x, MakeTensor<std::int32_t>({2, 2}, {0, 0, 0, 0})}).raw_data() == x.raw_data());
    const Tensor none(DataType::kFloat, {0});
    CHECK(Numbered<float>(Run<ops::Pad>({}, {none, MakeTensor<std::int32_t>({1, 2}, {1, 1})})) ==
          std::vector<double>{0, 0});
    TensorShape ones({1, 1, 1, 1, 1, 1, 1, 1});
    CHECK(Run<ops::Pad>({}, {Make<float>(ones, {4}), Make<std::int32_t>({8, 2}, {0, 1})}).NumElements() == 256);
    ones.AddDim(1);
    CHECK(ErrorOf<ops::Pad>({}, {Make<float>(ones, {4}), Make<std::int32_t>({9, 2}, {0, 1})}).find("UNIMPLEMENTED") ==
          0);
  }
  TEST_CASE("refuses paddings below zero, beyond int64, or for another rank") {
    const Tensor x = Make<float>({3}, {1});
    const auto error = [&](std::int64_t before, std::int64_t after) {
      return ErrorOf<ops::Pad>({}, {x, MakeTensor<std::int64_t>({1, 2}, {before, after})});
    };
    CHECK(error(-1, 0) == "INVALID_ARGUMENT: Pad: Paddings must be non-negative: -1 0");
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(error(kMost, 1).find("INVALID_ARGUMENT") == 0);
    CHECK(error(kMost, kMost).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::Pad>({}, {x, kPaddings}).find("INVALID_ARGUMENT") == 0);
    const Tensor large(DataType::kFloat, TensorShape({kMost, 0}));
    CHECK(Call<ops::Pad>({}, {large, MakeTensor<std::int32_t>({2, 2}, {1, 0, 0, 0})}).status().code() ==
          Code::kInvalidArgument);
  }
}

TEST_SUITE("MirrorPad") {
  TEST_CASE("every element is the one that the mirror shows") {
    for (const Index edge : {1, 0}) {
      const AttrArgs mode{{"mode", edge == 1 ? "REFLECT" : "SYMMETRIC"}};
      const Tensor x = AnyBits(DataType::kInt64, {3, 4, 5}), padded = Run<ops::MirrorPad>(mode, {x, kPaddings});
      REQUIRE(padded.shape() == TensorShape({6, 7, 7}));
      Index wrong = 0;
      for (Index i = 0; i < padded.NumElements(); ++i) {
        const Index a = Mirrored(i / 49 - 1, 3, edge), b = Mirrored(i / 7 % 7, 4, edge),
                    c = Mirrored(i % 7 - 2, 5, edge);
        wrong += padded.data<std::int64_t>()[i] != x.data<std::int64_t>()[(a * 4 + b) * 5 + c];
      }
      CHECK(wrong == 0);
    }
  }
  TEST_CASE("the mirror is no longer than the dimension") {
    const Tensor x = Make<float>({3}, {1, 2, 3}), three = MakeTensor<std::int32_t>({1, 2}, {3, 0});
    CHECK(Numbered<float>(Run<ops::MirrorPad>({{"mode", "SYMMETRIC"}}, {x, three})) ==
          std::vector<double>{3, 2, 1, 1, 2, 3});
    CHECK(ErrorOf<ops::MirrorPad>({{"mode", "REFLECT"}}, {x, three}) ==
          "INVALID_ARGUMENT: MirrorPad: paddings must be less than the dimension size: 3, 0 for 3");
    const Tensor none(DataType::kFloat, {0}), zero = MakeTensor<std::int32_t>({1, 2}, {0, 1});
    CHECK(ErrorOf<ops::MirrorPad>({{"mode", "SYMMETRIC"}}, {none, zero}).find("no greater than the dimension size") !=
          std::string::npos);
  }
}
}  // namespace array_pad_test
