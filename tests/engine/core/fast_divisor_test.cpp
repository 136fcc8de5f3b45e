// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/fast_divisor.hpp>

#include <cstdint>
#include <initializer_list>

#include <doctest/doctest.h>

namespace fast_divisor_test {
using tenon::detail::FastDivisor;
using tenon::detail::WideDivisor;

TEST_CASE("a division by multiplication is exact below 2^31") {
  for (const std::uint32_t d : {1u, 2u, 3u, 5u, 7u, 10u, 64u, 641u, 1000u, 65535u, 65536u, 65537u, 1000003u,
                                0x3fffffffu, 0x40000000u, 0x40000001u, 0x7fffffffu}) {
    const FastDivisor divisor(d);
    for (std::uint64_t n = 0; n < 0x80000000u; n = n * 9 / 8 + 1)
      for (const std::uint64_t near : {n, n / d * d, n / d * d + d - 1})
        if (near < 0x80000000u && divisor.Divide(static_cast<std::uint32_t>(near)) != near / d)
          FAIL_CHECK(near << " / " << d);
    CHECK(divisor.Divide(0x7fffffffu) == 0x7fffffffu / d);
  }
}

TEST_CASE("a wide divisor takes any number") {
  constexpr WideDivisor divisor{7};
  CHECK(divisor.Divide(0xffffffffffffffff) == 0xffffffffffffffff / 7);
}

}  // namespace fast_divisor_test
