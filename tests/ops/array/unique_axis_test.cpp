// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/unique_axis.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ops/support.hpp"

namespace unique_axis_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::vector<Tensor> Counted(const Tensor& x, const Tensor& axis) {
  return RunAll("UniqueWithCountsV2", {{"Taxis", axis.dtype()}}, {x, axis}, 3);
}
const Tensor kNoAxis(DataType::kInt64, {0});

}  // namespace

TEST_SUITE("UniqueV2, UniqueWithCountsV2") {
  TEST_CASE("rows, columns, and a vector without an axis") {
    const Tensor x = MakeTensor<std::int32_t>({3, 3}, {1, 0, 0, 1, 0, 0, 2, 0, 0});
    auto rows = Counted(x, Longs({0}));
    CHECK(SameTensor(rows[0], MakeTensor<std::int32_t>({2, 3}, {1, 0, 0, 2, 0, 0})));
    CHECK(SameTensor(rows[1], Ints({0, 0, 1})));
    CHECK(SameTensor(rows[2], Ints({2, 1})));
    auto columns = Counted(x, Ints({-1}));
    CHECK(SameTensor(columns[0], MakeTensor<std::int32_t>({3, 2}, {1, 0, 1, 0, 2, 0})));
    CHECK(SameTensor(columns[1], Ints({0, 1, 1})));
    CHECK(SameTensor(columns[2], Ints({1, 2})));
    auto vector = Counted(Ints({4, 4, -2147483647 - 1, 2147483647, 4}), kNoAxis);
    CHECK(SameTensor(vector[0], Ints({4, -2147483647 - 1, 2147483647})));
    CHECK(SameTensor(vector[1], Ints({0, 0, 1, 2, 0})));
    CHECK(SameTensor(vector[2], Ints({3, 1, 1})));
  }
  TEST_CASE("y gathered by idx is x, in every type that is served; counts add up") {
    for (const DataType dtype :
         {DataType::kUint8, DataType::kInt32, DataType::kInt64, DataType::kString, DataType::kBool}) {
      Tensor x = AnyBits(dtype, {2, 7, 2}, 3);
      if (dtype == DataType::kBool || dtype == DataType::kUint8)
        for (Index i = 0; i < 28; ++i) static_cast<unsigned char*>(x.raw_data())[i] &= 1;
      for (const int axis : {0, 1, 2}) {
        const auto got = Counted(x, Longs({axis}));
        const Tensor back = RunAll("GatherV2", {}, {got[0], got[1], Int(axis)}, 1)[0];
        CHECK(SameTensor(back, x));
        double total = 0;
        for (const double count : Numbered<std::int32_t>(got[2])) total += count;
        CHECK(total == static_cast<double>(x.dim_size(axis)));
        const Tensor without = RunAll("UniqueV2", {}, {x, Longs({axis})}, 2)[0];
        CHECK(SameTensor(without, got[0]));
      }
    }
  }
  TEST_CASE("signed zeros are equal, NaNs are not") {
    const auto got = Counted(Make<float>({5}, {0, -0.0, kNaN, kNaN, kInfinity}), kNoAxis);
    CHECK(got[0].NumElements() == 4);
    CHECK(SameTensor(got[1], Ints({0, 0, 1, 2, 3})));
  }
  TEST_CASE("a million NaNs take no longer than other numbers") {
    const auto got = Counted(Make<float>({1000000}, {kNaN}), Longs({0}));
    CHECK(got[0].NumElements() == 1000000);
  }
  TEST_CASE("nothing, and slices without elements") {
    auto none = Counted(Tensor(DataType::kFloat, {0}), kNoAxis);
    CHECK(none[0].shape() == TensorShape({0}));
    CHECK(none[1].shape() == TensorShape({0}));
    CHECK(none[2].shape() == TensorShape({0}));
    auto slices = Counted(Tensor(DataType::kFloat, {0, 3}), Longs({1}));
    CHECK(slices[0].shape() == TensorShape({0, 1}));
    CHECK(SameTensor(slices[1], Ints({0, 0, 0})));
    CHECK(SameTensor(slices[2], Ints({3})));
  }
  TEST_CASE("more slices without elements than memory has numbers for: refused at once") {
    const Tensor x(DataType::kFloat, {0, Index{1} << 44});
    CHECK(CallOp("UniqueV2", {}, {x, Longs({1})}, 2).status().code() == Code::kResourceExhausted);
  }
  TEST_CASE("memory that runs out") {
    CHECK(FailEveryAllocation<ops::UniqueWithCountsV2>({}, {Make<float>({4, 2}, {1, 2, 3}), Longs({0})}) > 0);
  }
  TEST_CASE("axes that are refused") {
    const Tensor x = Make<float>({2, 2}, {1});
    for (const Tensor& axis : {Longs({2}), Longs({-3}), Longs({0, 1}), kNoAxis, Tensor::Scalar(std::int64_t{0}),
                               Longs({std::numeric_limits<std::int64_t>::min()})})
      CHECK(ErrorOf<ops::UniqueV2>({}, {x, axis}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::UniqueV2>({}, {Tensor::Scalar(1.f), Longs({0})}).find("INVALID_ARGUMENT: ") == 0);
  }
}
}  // namespace unique_axis_test
