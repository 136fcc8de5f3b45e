// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/crc32.hpp>

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
}  // namespace crc32_test
