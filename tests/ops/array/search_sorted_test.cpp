// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/search_sorted.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/support.hpp"

namespace search_sorted_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
void CheckType() {
  CAPTURE(Name(dtype_of_v<T>));
  Tensor sorted = Random<T>({3, 9}, 1, std::is_unsigned_v<T> ? 0 : -20, 20), values = Random<T>({3, 5}, 2, 0, 20);
  for (Index r = 0; r < 3; ++r)
    std::sort(sorted.data<T>() + 9 * r, sorted.data<T>() + 9 * (r + 1),
              [](const T& a, const T& b) { return ToDouble(a) < ToDouble(b); });
  values.data<T>()[0] = sorted.data<T>()[4];  // one that is there
  const std::vector<double> in = Numbered<T>(sorted), wanted = Numbered<T>(values);
  const Tensor lower = Run<ops::LowerBound>({}, {sorted, values});
  const Tensor upper = Run<ops::UpperBound>({{"out_type", DataType::kInt64}}, {sorted, values});
  REQUIRE(lower.dtype() == DataType::kInt32);
  REQUIRE(upper.dtype() == DataType::kInt64);
  for (Index i = 0; i < 15; ++i) {
    const auto row = in.begin() + i / 5 * 9;
    const double value = wanted[static_cast<std::size_t>(i)];
    CHECK(lower.data<std::int32_t>()[i] == std::count_if(row, row + 9, [&](double x) { return x < value; }));
    CHECK(upper.data<std::int64_t>()[i] == std::count_if(row, row + 9, [&](double x) { return x <= value; }));
  }
}

}  // namespace

TEST_SUITE("LowerBound, UpperBound") {
  TEST_CASE("how many are below the value, and how many are not above it, in every type") {
    CheckType<float>();
    CheckType<double>();
    CheckType<half>();
    CheckType<bfloat16>();
    CheckType<std::int8_t>();
    CheckType<std::uint8_t>();
    CheckType<std::int16_t>();
    CheckType<std::uint16_t>();
    CheckType<std::int32_t>();
    CheckType<std::uint32_t>();
    CheckType<std::int64_t>();
    CheckType<std::uint64_t>();
  }
  TEST_CASE("the ends of the integers are told apart") {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max(),
                           kMin = std::numeric_limits<std::int64_t>::min();
    const Tensor sorted = MakeTensor<std::int64_t>({1, 4}, {kMin, kMin + 1, kMax - 1, kMax});
    const Tensor values = MakeTensor<std::int64_t>({1, 3}, {kMin, kMax - 1, kMax});
    CHECK(SameTensor(Run<ops::LowerBound>({}, {sorted, values}), MakeTensor<std::int32_t>({1, 3}, {0, 2, 3})));
    CHECK(SameTensor(Run<ops::UpperBound>({}, {sorted, values}), MakeTensor<std::int32_t>({1, 3}, {1, 3, 4})));
    const Tensor big = MakeTensor<std::uint64_t>({1, 2}, {1, std::numeric_limits<std::uint64_t>::max()});
    CHECK(SameTensor(Run<ops::LowerBound>({}, {big, big}), MakeTensor<std::int32_t>({1, 2}, {0, 1})));
  }
  TEST_CASE("infinities, NaN, and rows that are not sorted: some place in the row") {
    const Tensor sorted = Make<float>({1, 3}, {-kInfinity, 0, kInfinity});
    CHECK(SameTensor(Run<ops::UpperBound>({}, {sorted, sorted}), MakeTensor<std::int32_t>({1, 3}, {1, 2, 3})));
    const Tensor odd = Make<float>({1, 4}, {3, kNaN, -1, kNaN});
    for (const Tensor& got : {Run<ops::LowerBound>({}, {odd, odd}), Run<ops::UpperBound>({}, {odd, odd})})
      for (const double place : Numbered<std::int32_t>(got)) CHECK((place >= 0 && place <= 4));
  }
  TEST_CASE("no values, nothing to search in") {
    CHECK(Run<ops::LowerBound>({}, {Tensor(DataType::kFloat, {2, 3}), Tensor(DataType::kFloat, {2, 0})}).shape() ==
          TensorShape({2, 0}));
    CHECK(SameTensor(Run<ops::LowerBound>({}, {Tensor(DataType::kFloat, {1, 0}), Make<float>({1, 2}, {1})}),
                     MakeTensor<std::int32_t>({1, 2}, {0, 0})));
    CHECK(Run<ops::UpperBound>({}, {Tensor(DataType::kFloat, {0, 3}), Tensor(DataType::kFloat, {0, 2})}).shape() ==
          TensorShape({0, 2}));
  }
  TEST_CASE("what is refused") {
    CHECK(ErrorOf<ops::LowerBound>({}, {Make<float>({2, 3}, {1}), Make<float>({3, 3}, {1})}) ==
          "INVALID_ARGUMENT: LowerBound: Leading dim_size of both tensors must match, got 2 and 3");
    CHECK(ErrorOf<ops::LowerBound>({}, {Make<float>({3}, {1}), Make<float>({3, 3}, {1})}).find("INVALID_ARGUMENT: ") ==
          0);
    CHECK(ErrorOf<ops::UpperBound>({}, {Make<float>({3, 3}, {1}), Tensor::Scalar(1.f)}).find("INVALID_ARGUMENT: ") ==
          0);
    CHECK(ErrorOf<ops::UpperBound>({}, {AnyBits(DataType::kString, {1, 2}), AnyBits(DataType::kString, {1, 2})})
              .find("no kernel") != std::string::npos);
    const Tensor wide(DataType::kInt8, {0, Index{1} << 31});
    CHECK(ErrorOf<ops::UpperBound>({}, {wide, Tensor(DataType::kInt8, {0, 1})})
              .find("trailing dim_size must be less than INT32_MAX for int32 output type") != std::string::npos);
    CHECK(FailEveryAllocation<ops::LowerBound>({}, {Make<float>({1, 3}, {1, 2, 3}), Make<float>({1, 1}, {2})}) > 0);
  }
}
}  // namespace search_sorted_test
