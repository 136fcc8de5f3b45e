// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/engine/core/crc32c.hpp>

#include <doctest/doctest.h>

namespace crc32c_test {
using namespace tenon;

namespace {

// Bit by bit, as the definition says.
std::uint32_t ByBits(const std::string& bytes, std::uint32_t before) {
  std::uint32_t sum = ~before;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return ~sum;
}
std::string Noise(std::size_t count) {
  std::string bytes;
  for (std::uint32_t state = 7; bytes.size() < count;)
    bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

}  // namespace

TEST_SUITE("Crc32cByProcessor") {
  TEST_CASE("equals the definition at every length around the sizes of its parts") {
    if (!detail::HasCrc32cInstruction()) return;
    const std::string bytes = Noise(20000);
    for (std::size_t size = 0; size < 1200; ++size)
      CHECK(detail::Crc32cByProcessor(bytes.data() + size % 9, size, 5) == ByBits(bytes.substr(size % 9, size), 5));
    for (const std::size_t size : {6143u, 6144u, 6145u, 12288u, 13000u, 19999u})
      CHECK(detail::Crc32cByProcessor(bytes.data(), size, 0) == ByBits(bytes.substr(0, size), 0));
  }
  TEST_CASE("zeros behind a sum") {
    const std::string bytes = Noise(50);
    for (const std::size_t count : {1u, 3u, 256u, 1000u}) {
      const std::uint32_t sum = ~ByBits(bytes, 0);
      const std::uint32_t want = ~ByBits(bytes + std::string(count, '\0'), 0);
      CHECK(detail::Crc32cZeros(count)(sum) == want);
    }
  }
  TEST_CASE("products of powers") {
    CHECK(detail::Crc32cProduct(1u << 31, 0x12345678u) == 0x12345678u);
    CHECK(detail::Crc32cProduct(1u << 30, 1u) == 0x82f63b78u);
  }
}
}  // namespace crc32c_test
