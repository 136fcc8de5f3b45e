// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/hash.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace hash_test {
using tenon::Hash64;
using tenon::HashCombine;

TEST_CASE("Hash64 gives TensorFlow's values") {
  CHECK(Hash64({}, 0xbc9f1d34) == 0x4c61ea3eeda4cb87u);
  CHECK(Hash64("\x62", 0xbc9f1d34) == 0x091309f7ef916c8au);
  CHECK(Hash64("\xc3\x97", 0xbc9f1d34) == 0xa815bcdf1d1af01cu);
  CHECK(Hash64("\xe2\x99\xa5", 0xbc9f1d34) == 0x02167564e4d06430u);
  CHECK(Hash64("\xe1\x80\xb9\x32", 0xbc9f1d34) == 0x8f7ed82ffc21071fu);
  const unsigned char command[48] = {0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0,    0, 0, 0, 0,
                                     0x14, 0,    0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                     0x28, 0,    0, 0, 0, 0, 0,    0, 2, 0, 0, 0,    0, 0, 0, 0};
  const std::string_view bytes(reinterpret_cast<const char*>(command), sizeof command);
  CHECK(Hash64(bytes, 0x12345678) == 0xce196580c97aff1eu);
}

TEST_CASE("Hash64 does not depend on where the bytes lie and works while compiling") {
  static_assert(Hash64("MatMul") == Hash64(std::string_view("MatMulX").substr(0, 6)));
  static_assert(Hash64("MatMul") != Hash64("MatMuk"));
  static_assert(Hash64("a", 1) != Hash64("a", 2));
  const std::string text = "0123456789abcdef";
  for (std::size_t shift = 1; shift <= 7; ++shift) {
    const std::string moved = std::string(shift, 'x') + text;
    CHECK(Hash64(std::string_view(moved).substr(shift)) == Hash64(text));
  }
}

TEST_CASE("HashCombine depends on the order") {
  static_assert(HashCombine(1, 2) != HashCombine(2, 1));
  static_assert(HashCombine(0, 0) == 0x9e3779b97f4a7800u);
  CHECK(HashCombine(1, 2) == (1u ^ (2u + 0x9e3779b97f4a7800u + (1u << 10))));
}
}  // namespace hash_test
