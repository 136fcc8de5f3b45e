// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/split.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_split_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::string ErrorOfSplitV(const Tensor& value, const Tensor& sizes, int axis) {
  return ErrorOf<ops::SplitV>({{"num_split", sizes.NumElements()}}, {value, sizes, Int(axis)});
}

}  // namespace

TEST_SUITE("Split") {
  TEST_CASE("parts are slices, and stacked again they are the tensor") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 6, 3});
      const std::vector<Tensor> parts = RunAll("Split", {{"num_split", 3}}, {Int(-2), x}, 3);
      for (std::int32_t i = 0; i < 3; ++i)
        CHECK(SameTensor(parts[static_cast<std::size_t>(i)],
                         RunAll("Slice", {}, {x, Ints({0, 2 * i, 0}), Ints({2, 2, 3})}, 1)[0]));
      for (const int axis : {0, 1, 2, -1}) {
        const int n = static_cast<int>(x.dim_size(axis < 0 ? 2 : axis));
        const AttrArgs attrs{{"num", n}, {"axis", axis}};
        CHECK(SameTensor(RunAll("Pack", {{"axis", axis}}, RunAll("Unpack", attrs, {x}, n), 1)[0], x));
      }
    }
  }
  TEST_CASE("a size of -1 is what is left; sizes may be of 8, 32 or 64 bits") {
    const Tensor x = MakeTensor<float>({5}, {0, 1, 2, 3, 4});
    const AttrArgs three{{"num_split", 3}};
    for (const Tensor& sizes : {MakeTensor<std::int8_t>({3}, {2, -1, 1}), Ints({2, -1, 1}), Longs({2, -1, 1})}) {
      const std::vector<Tensor> parts = RunAll("SplitV", three, {x, sizes, Int(0)}, 3);
      CHECK(Numbered<float>(parts[0]) == std::vector<double>{0, 1});
      CHECK(Numbered<float>(parts[1]) == std::vector<double>{2, 3});
      CHECK(Numbered<float>(parts[2]) == std::vector<double>{4});
    }
    CHECK(RunAll("SplitV", three, {x, Longs({5, -1, 0}), Int(0)}, 3)[1].NumElements() == 0);
  }
  TEST_CASE("large parts of the first dimension share the buffer, others do not keep it alive") {
    const Tensor x = Random<float>({4, 20000}, 1);
    const std::vector<Tensor> rows = RunAll("Split", {{"num_split", 2}}, {Int(0), x}, 2);
    CHECK(rows[1].raw_data() == x.data<float>() + 40000);
    CHECK_FALSE(RunAll("Split", {{"num_split", 2}}, {Int(1), x}, 2)[0].SharesBufferWith(x));
    CHECK_FALSE(RunAll("Unpack", {{"num", 3}}, {Make<float>({3}, {1, 2, 3})}, 3)[1].SharesBufferWith(x));
  }
  TEST_CASE("no elements") {
    CHECK(RunAll("Split", {{"num_split", 2}}, {Int(1), Tensor(DataType::kString, {0, 4})}, 2)[1].shape() ==
          TensorShape({0, 2}));
    CHECK(RunAll("Split", {{"num_split", 2}}, {Int(0), Tensor(DataType::kFloat, {0, 4})}, 2)[1].shape() ==
          TensorShape({0, 4}));
    CHECK(RunAll("Unpack", {{"num", 2}, {"axis", 1}}, {Tensor(DataType::kFloat, {0, 2})}, 2)[1].shape() ==
          TensorShape({0}));
  }
  TEST_CASE("sizes that do not add up, axes that are not there") {
    const Tensor x = Make<float>({4, 3}, {1});
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(
        ErrorOf<ops::Split>({{"num_split", 2}}, {Int(1), x}) ==
        "INVALID_ARGUMENT: Split: Number of ways to split should evenly divide the split dimension, but got split_dim "
        "1 (size = 3) and num_split 2");
    CHECK(ErrorOf<ops::Split>({{"num_split", 2}}, {Int(2), x}) ==
          "INVALID_ARGUMENT: Split: -input rank(-2) <= split_dim < input rank (2), but got 2");
    CHECK(ErrorOfSplitV(x, Longs({1, 2}), 0).find("the sizes add up to 3 of 4") != std::string::npos);
    CHECK(ErrorOfSplitV(x, Longs({-1, 2, -1}), 0).find("size_splits can only have one -1") != std::string::npos);
    CHECK(ErrorOfSplitV(x, Longs({kMost, kMost, 6}), 0).find("INVALID_ARGUMENT: SplitV: Determined shape") == 0);
    CHECK(ErrorOfSplitV(x, Longs({-2, 6}), 0) ==
          "INVALID_ARGUMENT: SplitV: Split size at index 0 must be >= 0. Got: -2");
    CHECK(ErrorOf<ops::Unpack>({{"num", 3}}, {x}) ==
          "INVALID_ARGUMENT: Unpack: Input shape axis 0 must equal 3, got shape [4,3]");
    CHECK(ErrorOf<ops::Unpack>({{"num", 4}, {"axis", -3}}, {x}) ==
          "INVALID_ARGUMENT: Unpack: axis = -3 not in [-2, 2)");
  }
}
}  // namespace array_split_test
