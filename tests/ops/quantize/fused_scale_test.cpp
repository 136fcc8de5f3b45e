// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/fused_scale.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "ops/support.hpp"

namespace quantize_fused_scale_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::FusedFinish;

TEST_SUITE("FusedFinish") {
  std::int32_t Stored(const FusedFinish& finish, std::int32_t sum, float more = 0) {
    std::int32_t out[1] = {};
    finish.Store(sum, more, out, 0);
    return LoadQuantized(out, finish.type, 0);
  }
  TEST_CASE("scales, adds, rounds to even and keeps to the type") {
    const FusedFinish bytes{.step = 0.5f, .added = 1, .inverse = 1, .type = DataType::kQuint8};
    CHECK(Stored(bytes, 3) == 2);    // 2.5
    CHECK(Stored(bytes, 5) == 4);    // 3.5
    CHECK(Stored(bytes, 5, 2) == 6);  // 5.5
    CHECK(Stored(bytes, -9) == 0);
    CHECK(Stored(bytes, 9000) == 255);
    const FusedFinish wide{.step = 1, .inverse = 2};
    CHECK(Stored(wide, 2000000000) == 2147483520);
    CHECK(Stored(wide, -2000000000) == std::numeric_limits<std::int32_t>::min());
  }
  TEST_CASE("Relu, infinities and NaN as oneDNN has them") {
    const float inf = std::numeric_limits<float>::infinity();
    CHECK(Stored({.step = -1, .relu = true}, 5) == 0);
    CHECK(Stored({.inverse = inf, .type = DataType::kQuint8}, 0) == 255);
    CHECK(Stored({.inverse = inf, .type = DataType::kQint8}, 0) == -128);
    CHECK(Stored({.inverse = inf}, 0) == std::numeric_limits<std::int32_t>::min());
  }
}
}  // namespace quantize_fused_scale_test
