// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/compression/crc32.hpp>

#include <doctest/doctest.h>

#include <string>

namespace crc32_test {
using namespace tenon;

TEST_CASE("Crc32: known sums") {
  CHECK(Crc32("") == 0);
  CHECK(Crc32("123456789") == 0xcbf43926u);
  CHECK(Crc32("The quick brown fox jumps over the lazy dog") == 0x414fa339u);
}

TEST_CASE("Crc32: in parts as at once, at every length") {
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += static_cast<char>(i * 37);
  const std::string_view all = bytes;
  for (std::size_t n = 0; n <= all.size(); ++n) CHECK(Crc32(all.substr(n), Crc32(all.substr(0, n))) == Crc32(all));
}

TEST_CASE("Crc32c: known sums") {
  CHECK(Crc32c("") == 0);
  CHECK(Crc32c("123456789") == 0xe3069283u);
  CHECK(Crc32c(std::string(32, '\0')) == 0x8a9136aau);
  CHECK(Crc32c(std::string(32, '\xff')) == 0x62a8ab43u);
  CHECK(Crc32c("456789", Crc32c("123")) == Crc32c("123456789"));
}

TEST_CASE("Crc32cOfBoth: the sum of two parts, at every length") {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * 91);
  const std::string_view all = bytes;
  for (std::size_t n = 0; n <= all.size(); ++n)
    CHECK(Crc32cOfBoth(Crc32c(all.substr(0, n)), Crc32c(all.substr(n)), all.size() - n) == Crc32c(all));
}

TEST_CASE("MaskCrc, UnmaskCrc") {
  CHECK(MaskCrc(Crc32c(std::string(8, '\0'))) != Crc32c(std::string(8, '\0')));
  for (const std::uint32_t sum : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xe3069283u}) {
    CHECK(UnmaskCrc(MaskCrc(sum)) == sum);
    CHECK(MaskCrc(sum) != sum);
  }
  CHECK(MaskCrc(0) == 0xa282ead8u);
}
}  // namespace crc32_test
