// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/threefry.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace threefry_test {
using namespace tenon;

TEST_SUITE("threefry") {
  TEST_CASE("the known answers of Random123's kat_vectors for threefry2x32 with 20 rounds") {
    constexpr auto words = [](std::uint64_t key, std::uint64_t counter) {
      const ThreeFryBlock block = ThreeFry{key, counter}.Next();
      return block.word[0] | std::uint64_t{block.word[1]} << 32;
    };
    static_assert(words(0, 0) == 0x99ba4efe6b200159);
    CHECK(words(~std::uint64_t{0}, ~std::uint64_t{0}) == 0xbb002be71cb996fc);
    CHECK(words(0x0370734413198a2e, 0x85a308d3243f6a88) == 0x483df7a0c4923a9c);
  }

  TEST_CASE("the words of TensorFlow's StatelessRandomUniformFullIntV2 with alg = 2, compiled by XLA") {
    // Of 2.21.0 on a CPU, eight of uint64.
    constexpr std::uint64_t kKey = 0x123456789abcdef0, kCounter = 0xffffffff00000005;
    constexpr std::uint64_t kWords[] = {0xe39f88651c657033, 0x97bcc5f304fc134d, 0xbefe3f828ab21886, 0x45e2c3859dfcfca9,
                                        0x0c95400972cb552f, 0x21721a93f289de8d, 0x79ba468e5a336034, 0xe6d9bf0f4f120760};
    ThreeFry stream{kKey, kCounter};
    for (const std::uint64_t word : kWords) {
      const ThreeFryBlock block = stream.Next();
      CHECK(block.word[0] == static_cast<std::uint32_t>(word));
      CHECK(block.word[1] == static_cast<std::uint32_t>(word >> 32));
    }
  }

  TEST_CASE("many blocks at once are the same as one by one, also where the counter wraps around") {
    for (const std::uint64_t counter : {std::uint64_t{0}, ~std::uint64_t{0} - 7, std::uint64_t{0xfffffff8}}) {
      for (const Index n : {0, 1, 15, 16, 17, 50}) {
        std::vector<std::uint32_t> words(static_cast<std::size_t>(2 * n) + 1, 42);
        ThreeFry one{0x123456789, counter};
        ThreeFryBlocks(one, n, words.data());
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          const ThreeFryBlock block = one.Next();
          CHECK(words[2 * i] == block.word[0]);
          CHECK(words[2 * i + 1] == block.word[1]);
        }
        CHECK(words.back() == 42);
      }
    }
  }
}
}  // namespace threefry_test
