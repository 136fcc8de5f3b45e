// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/bfc_chunks.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "engine/support.hpp"

namespace bfc_chunks_test {
using tenon::detail::BFCChunks;
using Handle = BFCChunks::Handle;

namespace {

// One region of addresses that nobody reads, as one free chunk outside of the trees.
struct Region {
  explicit Region(std::size_t units) : handles(units) {
    chunk = chunks.NewChunk();
    chunks.At(chunk).ptr = Address(0);
    chunks.At(chunk).bytes = units * 256;
    handles[0] = chunk;
    chunks.regions().push_back({Address(0), units * 256, units * 256, handles.data()});
  }
  static char* Address(std::size_t unit) { return reinterpret_cast<char*>((std::uintptr_t{1} << 40) + unit * 256); }
  // Cuts it into pieces of these sizes in units; returns their handles. None is in a tree.
  std::vector<Handle> Cut(const std::vector<std::size_t>& units) {
    std::vector<Handle> pieces{chunk};
    for (std::size_t i = 0; i + 1 < units.size(); ++i) {
      chunks.Split(pieces.back(), units[i] * 256);
      pieces.push_back(chunks.At(pieces.back()).next);
      chunks.Erase(pieces.back());
    }
    return pieces;
  }
  std::vector<Handle> handles;
  BFCChunks chunks;
  Handle chunk;
};

}  // namespace

TEST_SUITE("BFCChunks") {
  TEST_CASE("bins double, trees ascend with the size, and below 8 KiB each size has its own") {
    CHECK(BFCChunks::BinOf(256) == 0);
    CHECK(BFCChunks::BinOf(511) == 0);
    CHECK(BFCChunks::BinOf(512) == 1);
    CHECK(BFCChunks::BinOf(std::size_t{256} << 20) == 20);
    CHECK(BFCChunks::BinOf(std::size_t{1} << 60) == 20);
    for (std::size_t units = 1; units < 40000; ++units) {
      const int tree = BFCChunks::TreeOf(units * 256), next = BFCChunks::TreeOf((units + 1) * 256);
      CHECK_UNARY((tree <= next && tree / BFCChunks::kTreesPerBin == BFCChunks::BinOf(units * 256)));
      if (units < 32) CHECK_UNARY(tree < next);
    }
    CHECK(BFCChunks::TreeOf(~std::size_t{255}) < BFCChunks::kNumBins * BFCChunks::kTreesPerBin);
  }

  TEST_CASE("the smallest that fits is found, of equal ones the first in memory") {
    Region region(30);
    const std::vector<Handle> pieces = region.Cut({4, 1, 2, 1, 4, 1, 7, 10});
    BFCChunks& chunks = region.chunks;
    CHECK(chunks.LargestFree() == 0);
    CHECK(chunks.FindFit(256, 0) == 0);
    for (const std::size_t i : {6u, 4u, 0u, 2u}) chunks.Insert(pieces[i]);
    CHECK(chunks.FindFit(256, 0) == pieces[2]);
    CHECK(chunks.FindFit(3 * 256, 0) == pieces[0]);
    CHECK(chunks.FindFit(5 * 256, 0) == pieces[6]);
    CHECK(chunks.FindFit(8 * 256, 0) == 0);
    CHECK(chunks.LargestFree() == 7 * 256);
    chunks.Erase(pieces[0]);
    CHECK(chunks.FindFit(3 * 256, 0) == pieces[4]);
  }

  TEST_CASE("what was cut in two is joined again, and found by its address") {
    Region region(8);
    BFCChunks& chunks = region.chunks;
    const std::vector<Handle> pieces = region.Cut({3, 1, 4});
    CHECK(chunks.FindHandle(Region::Address(3)) == pieces[1]);
    CHECK(chunks.FindHandle(Region::Address(4) + 1) == 0);
    CHECK(chunks.FindHandle(Region::Address(5)) == 0);
    CHECK(chunks.FindRegion(Region::Address(8)) == nullptr);
    CHECK(chunks.FindRegion(Region::Address(0) - 1) == nullptr);
    chunks.Insert(pieces[0]);
    chunks.Insert(pieces[2]);
    const Handle joined = chunks.Coalesce(pieces[1]);
    CHECK(joined == pieces[0]);
    CHECK(chunks.At(joined).bytes == 8 * 256);
    CHECK(chunks.At(joined).next == 0);
    CHECK(chunks.FindHandle(Region::Address(4)) == 0);
    CHECK(chunks.FindFit(256, 0) == 0);  // it is in no tree yet
  }

  TEST_CASE("a chunk in use or with a stamp is not joined; stamps fall with the frontier") {
    Region region(6);
    BFCChunks& chunks = region.chunks;
    const std::vector<Handle> pieces = region.Cut({1, 2, 3});
    chunks.At(pieces[0]).allocation_id = 7;
    for (const std::size_t i : {1u, 2u}) {
      chunks.At(pieces[i]).freed_at = 10 * i;
      chunks.Stamp(pieces[i], 0);
      chunks.Insert(pieces[i]);
    }
    CHECK(chunks.earliest() == pieces[1]);
    CHECK(chunks.FindFit(256, 15) == pieces[1]);
    CHECK(chunks.FindFit(256, 5) == 0);
    CHECK(chunks.FindFit(256, 0) == pieces[1]);
    chunks.MergeSafe(15);  // the first is safe now, its neighbour is not
    CHECK(chunks.At(pieces[1]).bytes == 2 * 256);
    CHECK(chunks.earliest() == pieces[2]);
    chunks.MergeSafe(21);
    CHECK_FALSE(chunks.HasStamped());
    CHECK(chunks.LargestFree() == 5 * 256);
  }

  TEST_CASE("a region grows by the memory behind it, and says which chunk was its last") {
    Region region(6);
    BFCChunks& chunks = region.chunks;
    const std::vector<Handle> pieces = region.Cut({2, 4});
    BFCChunks::Region& only = chunks.regions()[0];
    only.handles = static_cast<Handle*>(std::calloc(6, sizeof(Handle)));
    only.handles[0] = pieces[0];
    only.handles[2] = pieces[1];
    Handle last = 0;
    REQUIRE(chunks.GrowRegion(0, 3 * 256 + 100, &last));
    CHECK(last == pieces[1]);
    CHECK(only.bytes == 9 * 256);
    CHECK(only.received_bytes == 9 * 256 + 100);
    CHECK(only.handles[2] == pieces[1]);
    CHECK(chunks.FindHandle(Region::Address(7)) == 0);  // in the region, where no chunk begins
    std::free(only.handles);
  }

  TEST_CASE("ten thousand insertions and removals agree with a sorted set") {
    constexpr std::size_t kPieces = 400;
    tenon::testing::Numbers numbers(1);
    std::vector<std::size_t> units(kPieces);
    std::size_t total = 0;
    for (std::size_t& size : units)
      total += size = 1 + static_cast<std::size_t>(numbers.Below(numbers.Below(2) == 0 ? 8 : 3000));
    Region region(total);
    const std::vector<Handle> pieces = region.Cut(units);
    BFCChunks& chunks = region.chunks;
    std::set<std::pair<std::size_t, char*>> free;
    std::vector<bool> is_free(kPieces);
    for (int i = 0; i < 10000; ++i) {
      const auto k = static_cast<std::size_t>(numbers.Below(kPieces));
      const std::pair<std::size_t, char*> key{chunks.At(pieces[k]).bytes, chunks.At(pieces[k]).ptr};
      if (is_free[k]) {
        chunks.Erase(pieces[k]);
        free.erase(key);
      } else {
        chunks.Insert(pieces[k]);
        free.insert(key);
      }
      is_free[k] = !is_free[k];
      const std::size_t wanted = 256 * (1 + static_cast<std::size_t>(numbers.Below(3000)));
      const auto best = free.lower_bound({wanted, nullptr});
      const Handle found = chunks.FindFit(wanted, 0);
      CHECK_UNARY(best == free.end() ? found == 0 : chunks.At(found).ptr == best->second);
      CHECK_UNARY(chunks.LargestFree() == (free.empty() ? 0 : free.rbegin()->first));
    }
  }
}
}  // namespace bfc_chunks_test
