// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/arena_layout.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace memory_plan_test {
using namespace tenon;
using detail::PlanBlock;

namespace {

bool NoneOverlap(std::span<const PlanBlock> blocks, std::size_t arena) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const PlanBlock& a = blocks[i];
    if (a.offset % detail::kPlanAlignment != 0 || a.offset + a.bytes > arena) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const PlanBlock& b = blocks[j];
      if (a.Meets(b) && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) return false;
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("Memory plan") {
  TEST_CASE("a chain needs room for two neighbours") {
    SlimVector<PlanBlock> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back({1024, i, i + 1});
    const std::size_t arena = detail::PackBlocks(blocks);
    CHECK(NoneOverlap(blocks, arena));
    CHECK(arena == 2048);
    CHECK(detail::MostLiveBytes(blocks) == 2048);
  }
  TEST_CASE("a small block takes the smallest gap") {
    SlimVector<PlanBlock> blocks = {{1000, 0, 9}, {640, 0, 3}, {640, 5, 9}, {64, 4, 4}};
    const std::size_t arena = detail::PackBlocks(blocks);
    CHECK(NoneOverlap(blocks, arena));
    CHECK(arena == 1024 + 640);
  }
  TEST_CASE("a block that lies high for being placed late is placed first the next time") {
    // By size, 512 lies at 0 and 320, which also meets 640, above it: at 640, not at 512.
    SlimVector<PlanBlock> blocks = {{320, 3, 4}, {512, 4, 4}, {320, 4, 4}, {640, 3, 3}};
    const std::size_t arena = detail::PackBlocks(blocks);
    CHECK(NoneOverlap(blocks, arena));
    CHECK(arena == 1152);
    CHECK(detail::MostLiveBytes(blocks) == 1152);
  }
  TEST_CASE("random blocks never overlap while they live, and the arena is between the bound and the sum") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      CAPTURE(round);
      const int n = 1 + static_cast<int>(random() % 60);
      SlimVector<PlanBlock> blocks;
      std::size_t sum = 0;
      for (int i = 0; i < n; ++i) {
        const int first = static_cast<int>(random() % 40);
        const std::size_t bytes = random() % 5000;
        blocks.push_back({bytes, first, first + static_cast<int>(random() % 8)});
        sum += detail::AlignedForPlan(bytes);
      }
      const std::size_t bound = detail::MostLiveBytes(blocks);
      const std::size_t arena = detail::PackBlocks(blocks);
      REQUIRE(NoneOverlap(blocks, arena));
      CHECK(arena >= bound);
      CHECK(arena <= sum);
    }
  }
  TEST_CASE("many blocks are placed in little time") {
    SlimVector<PlanBlock> blocks;
    std::size_t sum = 0;
    for (int i = 0; i < 20000; ++i) {
      blocks.push_back({static_cast<std::size_t>(i % 97) * 64, i, i + 2});
      sum += blocks.back().bytes;
    }
    const std::size_t arena = detail::PackBlocks(blocks);
    CHECK(arena <= sum);
    CHECK(detail::MostLiveBytes(blocks) <= arena);
  }
  TEST_CASE("nothing and empty blocks need no memory") {
    CHECK(detail::PackBlocks({}) == 0);
    SlimVector<PlanBlock> blocks = {{0, 0, 1}, {0, 0, 5}};
    CHECK(detail::PackBlocks(blocks) == 0);
  }
}
}  // namespace memory_plan_test
