// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/cross.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/support.hpp"

namespace linalg_cross_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Cross") {
  TEST_CASE_TEMPLATE("is what its definition says, with each product and difference rounded", T, float, double, half,
                     bfloat16, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t) {
    const Tensor a = Random<T>({5, 3}, 1), b = Random<T>({5, 3}, 2);
    const std::vector<double> x = Numbered<T>(a), y = Numbered<T>(b);
    const auto rounded = [](double v) { return ToDouble(FromDouble<T>(v)); };
    std::vector<double> want;
    for (std::size_t i = 0; i < x.size(); i += 3)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t j = i + (k + 1) % 3, l = i + (k + 2) % 3;
        if constexpr (std::is_unsigned_v<T>)
          want.push_back(static_cast<double>(static_cast<T>(static_cast<std::int64_t>(x[j] * y[l] - x[l] * y[j]))));
        else
          want.push_back(rounded(rounded(x[j] * y[l]) - rounded(x[l] * y[j])));
      }
    CHECK(Numbered<T>(Run<ops::Cross>({}, {a, b})) == want);
  }
  TEST_CASE("integers wrap, of either sign") {
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const Tensor a = MakeTensor<std::int32_t>({3}, {0, most, 1}), b = MakeTensor<std::int32_t>({3}, {0, -2, 2});
    // most * 2 - 1 * (-2) = 2^32
    CHECK(Numbered<std::int32_t>(Run<ops::Cross>({}, {a, b})) == std::vector<double>{0, 0, 0});
    const Tensor c = MakeTensor<std::uint8_t>({3}, {0, 1, 2}), d = MakeTensor<std::uint8_t>({3}, {0, 3, 4});
    CHECK(Numbered<std::uint8_t>(Run<ops::Cross>({}, {c, d})) == std::vector<double>{254, 0, 0});
  }
  TEST_CASE("of a vector with itself it is nothing, and what was fed stays as it was") {
    const Tensor a = Random<float>({2, 2, 3}, 3);
    const Tensor out = Run<ops::Cross>({}, {a, a});
    CHECK(out.shape() == TensorShape({2, 2, 3}));
    CHECK(Numbered<float>(out) == std::vector<double>(12, 0));
    CHECK(Run<ops::Cross>({}, {Tensor(DataType::kFloat, {0, 3}), Tensor(DataType::kFloat, {0, 3})}).NumElements() == 0);
  }
  TEST_CASE("infinity times 0 is no number") {
    const Tensor a = Make<double>({3}, {kInfinity, 0, 0}), b = Make<double>({3}, {0, 1, 0});
    const std::vector<double> got = Numbered<double>(Run<ops::Cross>({}, {a, b}));
    CHECK(got[0] == 0);
    CHECK(std::isnan(got[1]));
    CHECK(got[2] == kInfinity);
  }
  TEST_CASE("says which shapes do not fit") {
    const auto error = [](const TensorShape& a, const TensorShape& b) {
      return ErrorOf<ops::Cross>({}, {Tensor(DataType::kFloat, a), Tensor(DataType::kFloat, b)});
    };
    CHECK(error({2, 3}, {3}) == "INVALID_ARGUMENT: Cross: Both inputs must be of same shape: [2,3] vs. [3]");
    CHECK(error({}, {}) == "INVALID_ARGUMENT: Cross: Input must be at least 1D, got shape []");
    CHECK(error({3, 4}, {3, 4}) ==
          "INVALID_ARGUMENT: Cross: Cross-products are only defined for 3-element vectors, got shape [3,4]");
  }
  TEST_CASE("the shape is what both inputs know of it") {
    CHECK(InferredShape<ops::Cross>({{-1, 3}, {2, -1}}) == "[2,3]");
    CHECK(InferredShape<ops::Cross>({StaticShape(), {2, -1}}) == "[2,?]");
    CHECK(InferredShape<ops::Cross>({{2, 4}, StaticShape()}) == "Dimension must be 3 but is 4");
  }
}
}  // namespace linalg_cross_test
