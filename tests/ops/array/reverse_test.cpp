// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/reverse.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_reverse_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Reverse") {
  TEST_CASE("twice is the input; what is first becomes last") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 3, 1, 4});
      const Tensor once = Run<ops::ReverseV2>({}, {x, Ints({3, -3})});
      CHECK(SameTensor(Run<ops::Reverse>({}, {x, MakeTensor<bool>({4}, {false, true, false, true})}), once));
      CHECK(SameTensor(Run<ops::ReverseV2>({}, {once, Longs({1, 3})}), x));
      const Tensor flat = Run<ops::ReverseV2>({}, {x, Ints({0, 1, 2, 3})});
      Tensor a, b;
      REQUIRE((a.CopyFrom(x, {24}) && b.CopyFrom(flat, {24})));
      CHECK(SameTensor(RunAll("Slice", {}, {a, Ints({0}), Ints({1})}, 1)[0],
                       RunAll("Slice", {}, {b, Ints({23}), Ints({1})}, 1)[0]));
    }
  }
  TEST_CASE("eight dimensions and no more; nothing; no axis shares the buffer") {
    const Tensor x = AnyBits(DataType::kHalf, {1, 2, 1, 2, 1, 2, 1, 2}), every = Ints({7, 5, 3, 1, 0, 2, 4, 6});
    CHECK(SameTensor(Run<ops::ReverseV2>({}, {Run<ops::ReverseV2>({}, {x, every}), every}), x));
    CHECK(Run<ops::ReverseV2>({}, {x, Ints({})}).raw_data() == x.raw_data());
    CHECK(Run<ops::ReverseV2>({}, {Tensor(DataType::kFloat, {3, 0}), Ints({0})}).shape() == TensorShape({3, 0}));
    CHECK(ErrorOf<ops::ReverseV2>({}, {Make<float>({1, 1, 1, 1, 1, 1, 1, 1, 1}, {1}), Ints({0})})
              .find("UNIMPLEMENTED: reverse is not implemented for tensors of rank > 8") == 0);
  }
  TEST_CASE("axes outside or twice are refused") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::ReverseV2>({}, {x, Ints({0, 2})}) ==
          "INVALID_ARGUMENT: ReverseV2: 'axis'[1] = 2 is out of valid range [0, 1]");
    CHECK(ErrorOf<ops::ReverseV2>({}, {x, Longs({std::numeric_limits<std::int64_t>::min()})})
              .find("is out of valid range") != std::string::npos);
    CHECK(ErrorOf<ops::ReverseV2>({}, {x, Ints({1, -1})}) ==
          "INVALID_ARGUMENT: ReverseV2: axis 1 specified more than once.");
    CHECK(ErrorOf<ops::Reverse>({}, {x, MakeTensor<bool>({1}, {true})}).find("INVALID_ARGUMENT") == 0);
  }
}

TEST_SUITE("ReverseSequence") {
  const AttrArgs kRows{{"seq_dim", 1}, {"batch_dim", 0}};

  TEST_CASE("turns the beginning of each row, and twice is the input") {
    const Tensor x = MakeTensor<std::int32_t>({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
    const Tensor lengths = Longs({3, 0, 4}), once = Run<ops::ReverseSequence>(kRows, {x, lengths});
    CHECK(Numbered<std::int32_t>(once) == std::vector<double>{2, 1, 0, 3, 10, 11, 12, 13, 23, 22, 21, 20});
    CHECK(SameTensor(Run<ops::ReverseSequence>(kRows, {once, lengths}), x));
    const Tensor text = AnyBits(DataType::kString, {2, 3, 4});
    CHECK(SameTensor(Run<ops::ReverseSequence>({{"seq_dim", 0}, {"batch_dim", 2}}, {text, Longs({2, 2, 2, 2})}),
                     Run<ops::ReverseV2>({}, {text, Ints({0})})));
  }
  TEST_CASE("lengths outside are named with their place") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::ReverseSequence>(kRows, {x, Longs({3, 4})}) ==
          "INVALID_ARGUMENT: ReverseSequence: seq_lens(1) = 4 > input.dims(1)");
    CHECK(ErrorOf<ops::ReverseSequence>(kRows, {x, Longs({-1, 0})}) ==
          "INVALID_ARGUMENT: ReverseSequence: seq_lens(0) = -1 < 0");
    CHECK(ErrorOf<ops::ReverseSequence>({{"seq_dim", 0}, {"batch_dim", 0}}, {x, Longs({1, 1})})
              .find("batch_dim == seq_dim == 0") != std::string::npos);
  }
}

TEST_SUITE("Roll") {
  TEST_CASE("there and back is the input, by any distance") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                           kMost = std::numeric_limits<std::int64_t>::max();
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {3, 5, 2});
      const Tensor moved = Run<ops::Roll>({}, {x, Longs({-7, 4, 1}), Ints({1, 0, -1})});
      CHECK_FALSE(SameTensor(moved, x));
      CHECK(SameTensor(Run<ops::Roll>({}, {moved, Longs({7, -4, 1}), Ints({1, 0, 2})}), x));
    }
    const Tensor x = MakeTensor<std::int32_t>({5}, {0, 1, 2, 3, 4});
    // As TensorFlow, which takes the low 32 bits: 2^63 - 1 is -1, -2^63 is 0.
    const auto by = [&](std::initializer_list<std::int64_t> shifts, const Tensor& axes) {
      return Numbered<std::int32_t>(Run<ops::Roll>({}, {x, Longs(shifts), axes}));
    };
    CHECK(by({kMost}, Ints({0})) == std::vector<double>{1, 2, 3, 4, 0});
    CHECK(by({kLeast}, Ints({0})) == std::vector<double>{0, 1, 2, 3, 4});
    CHECK(by({kMost, kMost, -2}, Ints({0, 0, 0})) == std::vector<double>{4, 0, 1, 2, 3});
    CHECK(Run<ops::Roll>({}, {Tensor(DataType::kFloat, {0, 2}), Int(1), Int(0)}).shape() == TensorShape({0, 2}));
  }
  TEST_CASE("axes outside and numbers are refused") {
    CHECK(ErrorOf<ops::Roll>({}, {Make<float>({2}, {1}), Int(1), Int(1)}) ==
          "INVALID_ARGUMENT: Roll: axis 1 is out of range");
    CHECK(ErrorOf<ops::Roll>({}, {Make<float>({2}, {1}), Ints({1, 2}), Ints({0})})
              .find("shift and axis must have the same size") != std::string::npos);
    CHECK(ErrorOf<ops::Roll>({}, {Make<float>({}, {1}), Int(1), Int(0)}).find("input must be 1-D or higher") !=
          std::string::npos);
  }
}
}  // namespace array_reverse_test
