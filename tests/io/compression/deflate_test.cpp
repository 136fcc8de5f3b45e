// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/compression/deflate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <tenon/io/compression/inflate.hpp>

namespace deflate_test {
using namespace tenon;

namespace {

std::size_t RoundTrip(const std::string& bytes) {
  const std::string packed = Deflate(bytes);
  std::string out(bytes.size(), '\0');
  const Status s = Inflate({reinterpret_cast<const std::byte*>(packed.data()), packed.size()},
                           {reinterpret_cast<std::byte*>(out.data()), out.size()});
  CHECK_MESSAGE(s.ok(), s.message());
  CHECK((out == bytes));
  return packed.size();
}

}  // namespace

TEST_SUITE("Deflate") {
  TEST_CASE("gives back what it took") {
    CHECK(RoundTrip("") == 2);
    for (const char* text : {"a", "abc", "abcd", "abcabcabcabcabc"}) RoundTrip(text);
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    RoundTrip(all);
    std::uint32_t state = 1;
    std::string noise;
    for (int i = 0; i < 20000; ++i) noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    RoundTrip(noise);
    std::string slow;  // small numbers of four bytes
    for (std::uint32_t i = 0; i < 9000; ++i) slow += {static_cast<char>(i), static_cast<char>(i >> 8), '\0', '\0'};
    RoundTrip(slow);
  }
  TEST_CASE("repetitions of every length, from near and from as far as the format goes") {
    CHECK(RoundTrip(std::string(1 << 20, '\0')) < 10000);
    for (std::size_t length = 4; length < 300; ++length)
      RoundTrip(std::string(length, 'x') + std::to_string(length) + std::string(length, 'x'));
    std::string unique;
    for (int i = 0; unique.size() < 40000; ++i) unique += std::to_string(i * 7919);
    for (const std::size_t distance : {32000u, 32766u, 32767u, 32768u, 32769u, 33000u})
      RoundTrip("here and there" + unique.substr(0, distance - 14) + "here and there");
  }
}
}  // namespace deflate_test
