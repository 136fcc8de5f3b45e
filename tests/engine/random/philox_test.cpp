// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/philox.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace philox_test {
using namespace tenon;

namespace {

// The known answers of Random123's kat_vectors for philox4x32 with 10 rounds.
struct Known {
  std::uint32_t counter[4], key[2], words[4];
};
constexpr Known kKnown[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};
std::uint64_t Join(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

}  // namespace

TEST_SUITE("philox") {
  TEST_CASE("the published vectors") {
    for (const Known& known : kKnown) {
      Philox stream{Join(known.key[0], known.key[1]), Join(known.counter[0], known.counter[1]),
                    Join(known.counter[2], known.counter[3])};
      const PhiloxBlock block = stream.Next();
      for (int i = 0; i < 4; ++i) CHECK(block.word[i] == known.words[i]);
    }
  }
  TEST_CASE("many blocks at once are the same as one by one, also where the counter's halves wrap around") {
    for (const Philox start : {Philox::FromSeeds(1, 2), Philox{7, ~std::uint64_t{0} - 5, 3},
                               Philox{7, ~std::uint64_t{0} - 20, ~std::uint64_t{0}}}) {
      for (const Index n : {0, 1, 15, 16, 17, 50}) {
        std::vector<std::uint32_t> words(static_cast<std::size_t>(4 * n) + 1, 42);
        PhiloxBlocks(start, n, words.data());
        Philox one = start;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          const PhiloxBlock block = one.Next();
          for (std::size_t k = 0; k < 4; ++k) CHECK(words[4 * i + k] == block.word[k]);
        }
        CHECK(words.back() == 42);
      }
    }
  }
  TEST_CASE("a skip is as many blocks; words begin inside of a block") {
    Philox a{1, ~std::uint64_t{0} - 1, 0};
    for (int i = 0; i < 5; ++i) (void)a.Next();
    const Philox b = Philox{1, ~std::uint64_t{0} - 1, 0}.Skipped(5);
    CHECK((a.low == b.low && a.high == b.high));
    CHECK((b.low == 3 && b.high == 1));
    PhiloxWords all(b), later(b, 6);
    for (int i = 0; i < 6; ++i) (void)all.Next();
    for (int i = 0; i < 9; ++i) CHECK(all.Next() == later.Next());
  }
}
}  // namespace philox_test
