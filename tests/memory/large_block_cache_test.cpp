// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/large_block_cache.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace large_block_cache_test {
using namespace tenon;
namespace {

using detail::LargeBlockCache;
using detail::SizeClass;
using detail::SizeClassBytes;

struct Cache {
  ~Cache() { cache.Release(); }
  // As the allocator does it.
  char* Allocate(std::size_t bytes) {
    const std::size_t c = SizeClass(bytes);
    void* ptr = cache.Take(c);
    taken += ptr != nullptr ? 1 : 0;
    if (ptr == nullptr) ptr = std::aligned_alloc(64, SizeClassBytes(c));
    detail::MarkInUse(ptr, bytes, SizeClassBytes(c));
    return static_cast<char*>(ptr);
  }
  void Free(void* ptr, std::size_t bytes) { cache.Give(ptr, SizeClass(bytes)); }

  LargeBlockCache cache;
  int taken = 0;
};

TEST_SUITE("LargeBlockCache") {
  TEST_CASE("the block that came last serves every size of its class") {
    Cache c;
    char* const a = c.Allocate(100000);
    char* const b = c.Allocate(100000);
    c.Free(a, 100000);
    c.Free(b, 100000);
    CHECK(SizeClass(100000) == SizeClass(110000));
    CHECK(c.Allocate(110000) == b);
    CHECK(c.Allocate(99000) == a);
    std::memset(a, 1, 99000);
    c.Free(a, 99000);
    CHECK(c.cache.Take(SizeClass(200000)) == nullptr);
    c.Free(b, 110000);
    CHECK(c.cache.Release() == 2 * SizeClassBytes(SizeClass(100000)));
    CHECK(c.cache.Release() == 0);
  }
  TEST_CASE("what lay there longest goes when there is no room") {
    Cache c;
    c.cache.SetLimit(4 * SizeClassBytes(SizeClass(100000)));
    std::vector<char*> blocks;
    for (int i = 0; i < 6; ++i) blocks.push_back(c.Allocate(100000));
    for (char* block : blocks) c.Free(block, 100000);
    CHECK(c.Allocate(100000) == blocks[5]);
    CHECK(c.Allocate(100000) == blocks[4]);
    CHECK(c.Allocate(100000) == blocks[3]);
    CHECK(c.Allocate(100000) == blocks[2]);
    CHECK(c.taken == 4);
    char* const fresh = c.Allocate(100000);
    CHECK(c.taken == 4);
    c.Free(fresh, 100000);
    for (int i = 2; i < 6; ++i) c.Free(blocks[static_cast<std::size_t>(i)], 100000);
    CHECK(c.cache.Release() == 4 * SizeClassBytes(SizeClass(100000)));
  }
  TEST_CASE("no more blocks than there are places") {
    Cache c;
    std::vector<char*> blocks;
    for (int i = 0; i < LargeBlockCache::kMaxBlocks + 5; ++i) blocks.push_back(c.Allocate(40000));
    for (char* block : blocks) c.Free(block, 40000);
    CHECK(c.cache.Release() == LargeBlockCache::kMaxBlocks * SizeClassBytes(SizeClass(40000)));
  }
  TEST_CASE("says so before it is used for the first time, and keeps its blocks where a fork found it at rest") {
    static int calls = 0;
    LargeBlockCache cache([] { ++calls; });
    CHECK(cache.Take(SizeClass(40000)) == nullptr);
    CHECK(cache.Release() == 0);
    CHECK(calls == 0);
    void* const block = std::aligned_alloc(64, SizeClassBytes(SizeClass(40000)));
    cache.Give(block, SizeClass(40000));
    cache.Give(std::aligned_alloc(64, SizeClassBytes(SizeClass(50000))), SizeClass(50000));
    CHECK(calls == 1);
    cache.AfterFork();
    CHECK(cache.Take(SizeClass(40000)) == block);
    cache.Give(block, SizeClass(40000));
    LargeBlockCache limited([] { ++calls; });
    limited.SetLimit(1 << 20);
    limited.SetLimit(1 << 21);
    CHECK(calls == 2);
  }
  TEST_CASE("a limit of nothing keeps nothing, and none is above the most") {
    Cache c;
    c.cache.SetLimit(0);
    c.Free(c.Allocate(40000), 40000);
    CHECK(c.cache.Release() == 0);
    c.cache.SetLimit(~std::size_t{0});
    const std::size_t much = LargeBlockCache::kMostBytes + 1;
    c.Free(c.Allocate(much), much);  // never touched
    CHECK(c.cache.Release() == 0);
  }
  TEST_CASE("threads give and take") {
    Cache c;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&c, t] {
        for (int i = 0; i < 500; ++i) {
          const std::size_t bytes = 40000 + 10000 * static_cast<std::size_t>((i + t) % 3);
          const std::size_t size_class = SizeClass(bytes);
          void* ptr = c.cache.Take(size_class);
          if (ptr == nullptr) ptr = std::aligned_alloc(64, SizeClassBytes(size_class));
          detail::MarkInUse(ptr, bytes, SizeClassBytes(size_class));
          std::memset(ptr, t, 64);
          CHECK(static_cast<char*>(ptr)[63] == t);
          c.cache.Give(ptr, size_class);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(c.cache.Release() > 0);
  }
  TEST_CASE("nothing is kept after a limit of nothing, whatever other threads give meanwhile") {
    for (int round = 0; round < 50; ++round) {
      Cache c;
      std::atomic<bool> has_begun{false};
      std::thread giver([&c, &has_begun] {
        for (int i = 0; i < 20; ++i) {
          c.Free(c.Allocate(40000), 40000);
          has_begun = true;
        }
      });
      while (round % 2 != 0 && !has_begun) std::this_thread::yield();
      c.cache.SetLimit(0);
      giver.join();
      CHECK(c.cache.Release() == 0);
    }
  }
}

}  // namespace
}  // namespace large_block_cache_test
