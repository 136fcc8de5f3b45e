// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/block.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace block_test {
using tenon::detail::kNumSizeClasses;
using tenon::detail::SizeClass;
using tenon::detail::SizeClassBytes;

TEST_CASE("the smallest classes are multiples of 64 bytes") {
  static_assert(SizeClass(0) == 0 && SizeClass(1) == 0 && SizeClass(64) == 0);
  static_assert(SizeClass(65) == 1 && SizeClass(128) == 1 && SizeClass(129) == 2 && SizeClass(256) == 3);
  static_assert(SizeClassBytes(0) == 64 && SizeClassBytes(3) == 256 && SizeClassBytes(4) == 320);
}

TEST_CASE("above them there are four classes in every power of two") {
  static_assert(SizeClassBytes(SizeClass(513)) == 640);
  static_assert(SizeClassBytes(SizeClass(1024)) == 1024);
  static_assert(SizeClassBytes(SizeClass(1025)) == 1280);
  static_assert(SizeClass(2048) - SizeClass(1024) == 4);
}

TEST_CASE("a size fits into its class and not into the one before") {
  for (std::size_t bytes = 1; bytes < 70000; ++bytes) {
    const std::size_t c = SizeClass(bytes);
    const bool fits = SizeClassBytes(c) >= bytes;
    const bool is_first = c == 0 || SizeClassBytes(c - 1) < bytes;
    const bool wastes_little = bytes <= 256 || SizeClassBytes(c) * 4 <= bytes * 5 + 4;
    if (!fits || !is_first || !wastes_little) FAIL("class " << c << " for " << bytes << " bytes");
  }
}

TEST_CASE("every class is a multiple of 64 and is the class of its own size") {
  for (std::size_t c = 0; SizeClassBytes(c) <= tenon::detail::kMaxBlockBytes; ++c) {
    REQUIRE(SizeClassBytes(c) % 64 == 0);
    REQUIRE(SizeClass(SizeClassBytes(c)) == c);
    REQUIRE(SizeClass(SizeClassBytes(c) + 1) == c + 1);
  }
}

TEST_CASE("the largest size still has a class") { CHECK(SizeClass(SIZE_MAX) == kNumSizeClasses - 1); }
}  // namespace block_test
