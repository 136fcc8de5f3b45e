// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/euclidean_norm.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/support.hpp"

namespace math_euclidean_norm_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("EuclideanNorm") {
  TEST_CASE_TEMPLATE("is the root of a sum of squares in double, along either axis and all", T, float, double, half,
                     bfloat16, complex64) {
    const Tensor x = Random<T>({7, 300}, 4);
    const std::vector<Wide> numbers = Widened<T>(x);
    const auto check = [&](const Tensor& axes, std::size_t count, std::size_t stride, std::size_t n, std::size_t step) {
      const std::vector<Wide> got = Widened<T>(Run<ops::EuclideanNorm>({}, {x, axes}));
      REQUIRE(got.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += std::norm(numbers[i * stride + j * step]);
        // Half rounds the sum, its root and the squares added up in float.
        CHECK(std::abs(got[i].real() - std::sqrt(sum)) <= std::sqrt(sum) * (4 * RoundingUnit<T>() + 300 * 0x1p-24));
        CHECK(got[i].imag() == 0);
      }
    };
    check(Int(1), 7, 300, 300, 1);
    check(Int(0), 300, 1, 7, 300);
    check(Ints({0, 1}), 1, 0, 2100, 1);
  }
  TEST_CASE("small numbers are added up in larger ones") {
    using ops::detail::NormAccumulator;
    static_assert(std::is_same_v<decltype(NormAccumulator<half>()), float>);
    static_assert(std::is_same_v<decltype(NormAccumulator<std::int8_t>()), std::uint32_t>);
    static_assert(std::is_same_v<decltype(NormAccumulator<std::int64_t>()), std::uint64_t>);
    static_assert(std::is_same_v<decltype(NormAccumulator<complex128>()), double>);
    CHECK(Numbered<half>(Run<ops::EuclideanNorm>({}, {Make<half>({2}, {300, 400}), Int(0)})) ==
          std::vector<double>{kInfinity});  // the sum is rounded to half before its root
    CHECK(Numbered<bfloat16>(Run<ops::EuclideanNorm>({}, {Make<bfloat16>({2}, {3, 4}), Int(0)})) ==
          std::vector<double>{5});
    CHECK((ops::detail::SquareOf<std::int8_t, std::uint32_t>(-128)) == 16384);
    CHECK((ops::detail::SquareOf<complex64, float>({3, -4})) == 25);
  }
  TEST_CASE("integers are cut; a sum that wrapped below 0 is what TensorFlow makes of NaN") {
    using ops::detail::RootOf;
    CHECK(RootOf(std::int32_t{24}) == 4);
    CHECK(RootOf(std::int32_t{25}) == 5);
    CHECK(RootOf(std::int32_t{-1}) == std::numeric_limits<std::int32_t>::min());
    CHECK(RootOf(std::int64_t{-1}) == std::numeric_limits<std::int64_t>::min());
    CHECK(RootOf(std::int8_t{-1}) == 0);
    CHECK(RootOf(std::uint8_t{255}) == 15);
    CHECK(Numbered<std::int32_t>(Run<ops::EuclideanNorm>({}, {Ints({46341, 0}), Int(0)})) ==
          std::vector<double>{static_cast<double>(std::numeric_limits<std::int32_t>::min())});
    CHECK(Numbered<std::uint8_t>(Run<ops::EuclideanNorm>({}, {Make<std::uint8_t>({2}, {10, 10}), Int(0)})) ==
          std::vector<double>{14});
  }
  TEST_CASE("of nothing it is 0; without axes the size of each; NaN and infinity stay") {
    CHECK(Numbered<float>(Run<ops::EuclideanNorm>({}, {Tensor(DataType::kFloat, {0, 2}), Int(0)})) ==
          std::vector<double>{0, 0});
    CHECK(Numbered<float>(Run<ops::EuclideanNorm>({}, {Make<float>({2}, {-3, kInfinity}), Ints({})})) ==
          std::vector<double>{3, kInfinity});
    CHECK(std::isnan(Numbered<float>(Run<ops::EuclideanNorm>({}, {Make<float>({2}, {kNaN, kInfinity}), Int(0)}))[0]));
    CHECK(Run<ops::EuclideanNorm>({{"keep_dims", true}}, {Make<float>({2, 3}, {1}), Int(-1)}).shape() ==
          TensorShape({2, 1}));
  }
  TEST_CASE("says which axis is wrong") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(
        ErrorOf<ops::EuclideanNorm>({}, {x, Int(2)}) ==
        "INVALID_ARGUMENT: EuclideanNorm: Invalid reduction dimension 2 for input with 2 dimension(s); axes must be in "
        "[-2, 2)");
    CHECK(ErrorOf<ops::EuclideanNorm>({}, {x, Ints({0, -2})}) ==
          "INVALID_ARGUMENT: EuclideanNorm: Invalid reduction arguments: Axes contains duplicate dimension: 0");
  }
}
}  // namespace math_euclidean_norm_test
