// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/sequence.hpp>

#include <cmath>

#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_sequence_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
std::vector<double> RangeOf(double start, double limit, double delta) {
  const auto scalar = [](double x) { return Tensor::Scalar<T>(FromDouble<T>(x)); };
  return Numbered<T>(Run<ops::Range>({}, {scalar(start), scalar(limit), scalar(delta)}));
}
template <class T>
Status RangeStatus(T start, T limit, T delta) {
  LimitedAllocator memory(CpuAllocator(), 1 << 20, "small");
  return Call<ops::Range>({}, {Tensor::Scalar(start), Tensor::Scalar(limit), Tensor::Scalar(delta)},
                          {.allocator = &memory})
      .status();
}

}  // namespace

TEST_SUITE("Range") {
  TEST_CASE_TEMPLATE("stops before the limit, in either direction", T, float, double, half, std::int32_t,
                     std::int64_t) {
    CHECK(RangeOf<T>(1, 7, 2) == std::vector<double>{1, 3, 5});
    CHECK(RangeOf<T>(1, 8, 2) == std::vector<double>{1, 3, 5, 7});
    CHECK(RangeOf<T>(3, -3, -2) == std::vector<double>{3, 1, -1});
    CHECK(RangeOf<T>(5, 5, 1).empty());
  }
  TEST_CASE("integers from end to end do not run over") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                           kMost = std::numeric_limits<std::int64_t>::max();
    const Tensor ends = Run<ops::Range>({}, {Tensor::Scalar(kLeast), Tensor::Scalar(kMost), Tensor::Scalar(kMost)});
    REQUIRE(ends.NumElements() == 3);
    CHECK(ends.data<std::int64_t>()[1] == -1);
    CHECK(ends.data<std::int64_t>()[2] == kMost - 1);
    const Tensor down = Run<ops::Range>({}, {Tensor::Scalar(kMost), Tensor::Scalar(kLeast), Tensor::Scalar(kLeast)});
    REQUIRE(down.NumElements() == 2);
    CHECK(down.data<std::int64_t>()[1] == -1);
    CHECK(RangeStatus<std::int64_t>(kLeast, kMost, 1).code() == Code::kInvalidArgument);  // 2^64 - 1 numbers
    CHECK(RangeStatus<std::int32_t>(std::numeric_limits<std::int32_t>::min(), 0, 1).code() == Code::kResourceExhausted);
  }
  TEST_CASE("no step, a step the wrong way, no number of steps") {
    CHECK(RangeStatus<std::int32_t>(0, 3, 0).message().find("Requires delta != 0") != std::string::npos);
    CHECK(RangeStatus<std::int32_t>(3, 0, 1).message().find("Requires start <= limit when delta > 0: 3/0") !=
          std::string::npos);
    CHECK(RangeStatus<std::int32_t>(0, 3, -1).message().find("Requires start >= limit when delta < 0: 0/3") !=
          std::string::npos);
    for (const float odd : {NAN, INFINITY}) CHECK(RangeStatus<float>(0, odd, 1).code() == Code::kInvalidArgument);
    CHECK(RangeStatus<double>(0, 1, 1e-300).code() == Code::kInvalidArgument);
  }
}

TEST_SUITE("LinSpace") {
  TEST_CASE_TEMPLATE("ends exactly where it is told to", T, float, double) {
    for (const std::int32_t n : {2, 3, 7, 70}) {
      const Tensor x = Run<ops::LinSpace>({}, {Tensor::Scalar<T>(T(0.1)), Tensor::Scalar<T>(T(-0.7)), Int(n)});
      REQUIRE(x.shape() == TensorShape({n}));
      CHECK(x.data<T>()[0] == T(0.1));
      CHECK(x.data<T>()[n - 1] == T(-0.7));
      for (Index i = 1; i < n; ++i) {
        const double want = 0.1 - 0.8 * static_cast<double>(i) / (n - 1);
        CHECK(std::abs(static_cast<double>(x.data<T>()[i]) - want) < 4 * RoundingUnit<T>());
      }
    }
    CHECK(Numbered<T>(Run<ops::LinSpace>({}, {Tensor::Scalar<T>(3), Tensor::Scalar<T>(9), Int(1)})) ==
          std::vector<double>{3});
  }
  TEST_CASE("has one number at least") {
    const Tensor one = Tensor::Scalar<float>(1);
    for (const std::int32_t n : {0, -1, std::numeric_limits<std::int32_t>::min()})
      CHECK(ErrorOf<ops::LinSpace>({}, {one, one, Int(n)}) ==
            StrCat("INVALID_ARGUMENT: LinSpace: Requires num > 0: ", n));
  }
}

TEST_SUITE("CheckNumerics") {
  TEST_CASE("passes finite numbers on, in the same buffer, and says what else there was") {
    const AttrArgs attrs{{"message", "here"}};
    const Tensor x = Make<float>({2}, {3e38, -1e-45}), none(DataType::kHalf, {0});
    CHECK(Run<ops::CheckNumerics>(attrs, {x}).raw_data() == x.raw_data());
    CHECK(Run<ops::CheckNumerics>(attrs, {none}).NumElements() == 0);
    CHECK(ErrorOf<ops::CheckNumerics>(attrs, {Make<half>({3}, {1, -kInfinity, 2})}) ==
          "INVALID_ARGUMENT: here : Tensor had Inf values");
    CHECK(ErrorOf<ops::CheckNumerics>(attrs, {Make<bfloat16>({1}, {kNaN})}) ==
          "INVALID_ARGUMENT: here : Tensor had NaN values");
    CHECK(ErrorOf<ops::CheckNumerics>(attrs, {Make<double>({2}, {kInfinity, kNaN})}).find("had Inf and NaN") !=
          std::string::npos);
  }
  TEST_CASE("V2 tells the signs of infinities") {
    const AttrArgs attrs{{"message", "here"}};
    const Tensor x = Make<float>({2}, {3e38, -1e-45});
    const auto error = [&](std::initializer_list<double> values) {
      return ErrorOf<ops::CheckNumericsV2>(attrs, {Make<float>({static_cast<Index>(values.size())}, values)});
    };
    CHECK(Run<ops::CheckNumericsV2>(attrs, {x}).raw_data() == x.raw_data());
    CHECK(error({1, kNaN}) == "INVALID_ARGUMENT: here : Tensor had NaN values");
    CHECK(error({kInfinity}) == "INVALID_ARGUMENT: here : Tensor had +Inf values");
    CHECK(error({-kInfinity, kNaN}) == "INVALID_ARGUMENT: here : Tensor had -Inf and NaN values");
    CHECK(error({kInfinity, -kInfinity}) == "INVALID_ARGUMENT: here : Tensor had -Inf, +Inf values");
    CHECK(error({kInfinity, kNaN, -kInfinity}) == "INVALID_ARGUMENT: here : Tensor had -Inf, +Inf, and NaN values");
  }
}
}  // namespace array_sequence_test
