// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/add.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/support.hpp"

namespace math_add_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Add") {
  TEST_CASE_TEMPLATE("integers wrap from the largest to the smallest", T, std::int8_t, std::uint8_t, std::int16_t,
                     std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    CHECK(ops::Add::map(most, T(1)) == least);
    CHECK(ops::Add::map(least, most) == static_cast<T>(-1));
    CHECK(ops::Add::map(most, most) == static_cast<T>(-2));
    const Tensor x = Tensor::Scalar(most), y = MakeTensor<T>({2}, {1, 2});
    CHECK(Numbered<T>(Run<ops::AddV2>({}, {x, y})) ==
          std::vector<double>{static_cast<double>(least), static_cast<double>(least) + 1});
  }
  TEST_CASE("nothing is computed in a type that is widened to int") {
    static_assert(std::is_same_v<ops::detail::Wrapping<std::int8_t>, unsigned>);
    static_assert(std::is_same_v<ops::detail::Wrapping<std::uint16_t>, unsigned>);
    static_assert(std::is_same_v<ops::detail::Wrapping<bool>, unsigned>);
    static_assert(std::is_same_v<ops::detail::Wrapping<std::int64_t>, std::uint64_t>);
    CHECK(ops::Add::map(std::int16_t{-1}, std::int16_t{-1}) == -2);
  }
  TEST_CASE("reals: infinities of two signs are no number, small ones keep their bits") {
    CHECK(std::isnan(ops::Add::map(kInfinity, -kInfinity)));
    CHECK(ops::Add::map(0x1p-1074, 0x1p-1074) == 0x1p-1073);
    CHECK(ops::Add::map(std::complex<float>(1, 2), std::complex<float>(3, -2)) == std::complex<float>(4, 0));
    CHECK(static_cast<float>(ops::Add::map(half(65504.f), half(65504.f))) == static_cast<float>(kInfinity));
    CHECK(static_cast<float>(ops::Add::map(half(2048.f), half(1.f))) == 2048);  // half way, to even
  }
  TEST_CASE("texts follow each other, each with each, and what was fed stays") {
    Tensor x(DataType::kString, {2, 1}), y(DataType::kString, {2});
    x.data<tstring>()[0].assign("a text that is too long to lie inside, ");
    x.data<tstring>()[1].assign("");
    y.data<tstring>()[0].assign("b");
    y.data<tstring>()[1].assign("");
    const Tensor out = Run<ops::Add>({}, {x, y});
    REQUIRE(out.shape() == TensorShape({2, 2}));
    CHECK(out.data<tstring>()[0].view() == "a text that is too long to lie inside, b");
    CHECK(out.data<tstring>()[1].view() == "a text that is too long to lie inside, ");
    CHECK(out.data<tstring>()[2].view() == "b");
    CHECK(out.data<tstring>()[3].view() == "");
    CHECK(Run<ops::Add>({}, {x, x}).data<tstring>()[1].view() == "");
  }
  TEST_CASE("one tensor fed twice is doubled; a buffer of its own is taken over, a smaller one never") {
    const Tensor x = Make<float>({2, 2}, {1, 2, 3, 4});
    CHECK(Numbered<float>(Run<ops::AddV2>({}, {x, x})) == std::vector<double>{2, 4, 6, 8});
    bool took_over = false;
    RunOnOwnInputs<ops::AddV2, float>({}, {Make<float>({2}, {1}), x}, &took_over);
    CHECK(took_over);
    RunOnOwnInputs<ops::AddV2, float>({}, {Make<float>({2, 1}, {1}), Make<float>({2}, {1})}, &took_over);
    CHECK_FALSE(took_over);
  }
  TEST_CASE("shapes that do not fit are named") {
    const Tensor x = Make<float>({2, 3}, {1}), y = Make<float>({2, 2}, {1});
    CHECK(ErrorOf<ops::AddV2>({}, {x, y}) == "INVALID_ARGUMENT: AddV2: Dimensions must be equal, but are 3 and 2");
  }
}
}  // namespace math_add_test
