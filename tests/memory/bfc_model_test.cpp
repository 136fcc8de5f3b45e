// SPDX-License-Identifier: Apache-2.0
// A BFCAllocator beside a plain model of the algorithm that TensorFlow's description gives: lists of chunks, one
// ordered set of the free ones, nothing quick about it. Over random requests both must put every block at the same
// address.
#include <tenon/memory/bfc_allocator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bfc_model_test {
using namespace tenon;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Where regions come from: numbers that are no memory. The same for both, so the second to ask is told what the first
// one got.
struct Source {
  std::size_t capacity = SIZE_MAX;  // larger pieces are refused
  bool coalesces = false;
  bool backwards = false;  // later pieces lie before earlier ones
  std::uintptr_t next = std::uintptr_t{1} << 40;
  std::vector<std::size_t> asked = {};
  std::vector<std::pair<std::uintptr_t, std::size_t>> given = {};
  std::size_t freed = 0;

  std::uintptr_t Give(std::size_t bytes) {
    asked.push_back(bytes);
    if (bytes > capacity) return 0;
    const std::size_t step = bytes + (coalesces ? 0 : 65536);
    if (backwards) next -= step;
    given.emplace_back(next, bytes);
    if (!backwards) next += step;
    return given.back().first;
  }
};
class Pieces final : public SubAllocator {
 public:
  explicit Pieces(Source* source) : source_(source) {}
  void* Alloc(std::size_t, std::size_t bytes, std::size_t* received) override {
    *received = bytes;
    return reinterpret_cast<void*>(source_->Give(bytes));
  }
  void Free(void*, std::size_t bytes) override { source_->freed += bytes; }
  bool SupportsCoalescing() const override { return source_->coalesces; }
  bool HostAccessible() const override { return false; }

 private:
  Source* const source_;
};

class Model {
 public:
  Model(std::size_t limit, const BFCAllocatorOptions& options, const Source* source)
      : limit_(limit), options_(options), source_(source) {
    const std::size_t first = options.allow_growth ? std::min(limit, 2 * kMiB) : limit;
    region_bytes_ = (first + 255) / 256 * 256;
  }

  // 0: no memory. After the allocator's own request, whose new regions the model sees in the source.
  std::uintptr_t Allocate(std::size_t bytes) {
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256;
    for (bool collected = false;;) {
      // Bins hold sizes in ascending order, and each bin is ordered by size, then address.
      const auto fit = free_.lower_bound({rounded, 0});
      if (fit != free_.end()) return Take(fit->second, rounded);
      if (Extend(rounded)) continue;
      if (collected || !options_.garbage_collection || !FreeRegions(rounded)) return 0;
      collected = true;
    }
  }
  void Free(std::uintptr_t at) {
    auto chunk = chunks_.find(at);
    chunk->second.free = true;
    const auto next = std::next(chunk);
    if (next != chunks_.end() && next->second.free && next->second.region == chunk->second.region) Join(chunk, next);
    if (chunk != chunks_.begin()) {
      const auto before = std::prev(chunk);
      if (before->second.free && before->second.region == chunk->second.region) {
        Join(before, chunk);  // `before` leaves the free ones with its old size
        chunk = before;
      }
    }
    free_.emplace(chunk->second.bytes, chunk->first);
  }

  std::size_t BytesAt(std::uintptr_t at) const { return chunks_.at(at).bytes; }
  std::size_t reserved() const { return reserved_; }
  std::size_t largest_free() const { return free_.empty() ? 0 : free_.rbegin()->first; }
  std::size_t num_seen() const { return seen_; }

 private:
  struct Chunk {
    std::size_t bytes;
    std::uintptr_t region;  // chunks of different ones are never joined
    bool free;
  };
  using Chunks = std::map<std::uintptr_t, Chunk>;

  std::uintptr_t Take(std::uintptr_t at, std::size_t rounded) {
    Chunk& chunk = chunks_.at(at);
    free_.erase({chunk.bytes, at});
    const std::size_t max_waste =
        options_.fragmentation_fraction > 0
            ? static_cast<std::size_t>(options_.fragmentation_fraction * static_cast<double>(limit_))
            : 128 * kMiB;
    if (chunk.bytes >= 2 * rounded || chunk.bytes - rounded >= max_waste) {
      const std::size_t rest = chunk.bytes - rounded;
      chunk.bytes = rounded;
      chunks_[at + rounded] = {rest, chunk.region, true};
      free_.emplace(rest, at + rounded);
    }
    chunk.free = false;
    return at;
  }
  // Both are next to each other; the one that is in the set of free chunks leaves it.
  void Join(Chunks::iterator first, Chunks::iterator second) {
    free_.erase({first->second.bytes, first->first});
    free_.erase({second->second.bytes, second->first});
    first->second.bytes += second->second.bytes;
    chunks_.erase(second);
  }
  bool Extend(std::size_t rounded) {
    const std::size_t available = (limit_ - reserved_) / 256 * 256;
    if (rounded > available) return false;
    bool doubled = false;
    for (; region_bytes_ < rounded; doubled = true) region_bytes_ *= 2;
    // What the allocator asked for first is known; of what it asked for after a refusal, that it became less.
    std::size_t wanted = std::min(region_bytes_, available);
    REQUIRE(asks_ < source_->asked.size());
    REQUIRE(source_->asked[asks_++] == wanted);
    while (wanted > source_->capacity) {
      if (asks_ == source_->asked.size() || wanted / 10 * 9 / 256 * 256 < rounded) return false;
      const std::size_t less = source_->asked[asks_++];
      REQUIRE(less < wanted);
      REQUIRE(less >= wanted / 10 * 9 / 256 * 256);
      REQUIRE(less >= rounded);
      wanted = less;
    }
    REQUIRE(seen_ < source_->given.size());
    const auto [at, bytes] = source_->given[seen_++];
    REQUIRE(bytes == wanted);
    if (!doubled && region_bytes_ < std::size_t{1} << 47) region_bytes_ *= 2;
    reserved_ += bytes;
    std::uintptr_t region = at;
    if (source_->coalesces && !chunks_.empty()) {
      const auto after = chunks_.lower_bound(at);
      if (after != chunks_.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second.bytes == at) region = before->second.region;
      }
    }
    chunks_[at] = {bytes, region, false};
    Free(at);
    return true;
  }
  bool FreeRegions(std::size_t rounded) {
    std::map<std::uintptr_t, bool> is_free;
    std::map<std::uintptr_t, std::size_t> bytes;
    for (const auto& [at, chunk] : chunks_) {
      bytes[chunk.region] += chunk.bytes;
      const auto [entry, first] = is_free.emplace(chunk.region, chunk.free);
      if (!first) entry->second = entry->second && chunk.free;
    }
    std::size_t total = 0;
    for (const auto& [region, free] : is_free) total += free ? bytes[region] : 0;
    if (total == 0 || rounded > limit_ - reserved_ + total) return false;
    for (auto chunk = chunks_.begin(); chunk != chunks_.end();) {
      if (!is_free[chunk->second.region]) {
        ++chunk;
        continue;
      }
      reserved_ -= chunk->second.bytes;
      free_.erase({chunk->second.bytes, chunk->first});
      chunk = chunks_.erase(chunk);
    }
    return true;
  }

  const std::size_t limit_;
  const BFCAllocatorOptions options_;
  const Source* const source_;
  std::size_t region_bytes_;
  std::size_t reserved_ = 0;
  std::size_t seen_ = 0, asks_ = 0;  // of the source's pieces and of what it was asked for
  Chunks chunks_;                    // all, by address
  std::set<std::pair<std::size_t, std::uintptr_t>> free_;
};

// Xorshift: the same numbers everywhere, and quick.
struct Numbers {
  std::uint64_t operator()() {
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
  }
  std::uint64_t x = 88172645463325252u;
};

// `log2_most`: sizes are spread over all magnitudes up to that.
void Compare(std::size_t limit, BFCAllocatorOptions options, Source source, int requests, unsigned log2_most,
             std::size_t most_blocks) {
  options.allow_retry_on_failure = false;
  BFCAllocator allocator(MakeOwned<Pieces>(&source), limit, "model", options);
  Model model(limit, options, &source);
  std::vector<std::uintptr_t> blocks;
  Numbers random;
  int refused = 0, served = 0;
  for (int i = 0; i < requests; ++i) {
    const bool shrinks = (i / 5000) % 2 == 1;  // fills up and empties in turn
    const bool frees = !blocks.empty() && (blocks.size() >= most_blocks || random() % 100 < (shrinks ? 65 : 35));
    if (frees) {
      const std::size_t which = static_cast<std::size_t>(random() % blocks.size());
      allocator.DeallocateRaw(reinterpret_cast<void*>(blocks[which]), 64, 0);
      model.Free(blocks[which]);
      blocks[which] = blocks.back();
      blocks.pop_back();
      continue;
    }
    const std::uint64_t magnitude = random() % (log2_most + 1);
    const auto bytes = static_cast<std::size_t>(1 + random() % (std::uint64_t{1} << magnitude));
    AllocationAttributes attributes;
    attributes.retry_on_failure = false;
    const auto at = reinterpret_cast<std::uintptr_t>(allocator.AllocateRaw(64, bytes, attributes));
    const std::uintptr_t expected = model.Allocate(bytes);
    REQUIRE_MESSAGE(at == expected, "request " << i << " of " << bytes << " bytes");
    REQUIRE(model.num_seen() == source.given.size());
    if (at == 0) {
      ++refused;
      continue;
    }
    ++served;
    REQUIRE(allocator.AllocatedSize(reinterpret_cast<void*>(at)) == model.BytesAt(at));
    blocks.push_back(at);
    if (i % 10000 == 0) {
      REQUIRE(allocator.FindDefect() == "");
      REQUIRE(static_cast<std::size_t>(allocator.GetStats()->bytes_reserved) == model.reserved());
      REQUIRE(static_cast<std::size_t>(allocator.GetStats()->largest_free_block_bytes) == model.largest_free());
    }
  }
  INFO(served << " served, " << refused << " refused, " << source.given.size() << " regions");
  for (const std::uintptr_t at : blocks) {
    allocator.DeallocateRaw(reinterpret_cast<void*>(at), 64, 0);
    model.Free(at);
  }
  CHECK(static_cast<std::size_t>(allocator.GetStats()->largest_free_block_bytes) == model.largest_free());
  CHECK(allocator.GetStats()->bytes_in_use == 0);
}

struct Quiet final : LogSink {
  Quiet() : before(SetLogSink(this)) {}
  ~Quiet() override { SetLogSink(before); }
  void Send(const LogEntry&) override {}
  LogSink* before;
};

}  // namespace

TEST_SUITE("BFCAllocator puts blocks where the plain algorithm does") {
  TEST_CASE("with all the memory it wants") { Compare(std::size_t{1} << 40, {}, {}, 100000, 23, 3000); }
  TEST_CASE("in regions that come in the order of falling addresses") {
    Compare(std::size_t{1} << 40, {}, {.backwards = true}, 100000, 22, 3000);
  }
  TEST_CASE("in regions that join") { Compare(std::size_t{1} << 40, {}, {.coalesces = true}, 100000, 23, 3000); }
  TEST_CASE("below a limit that refuses some") {
    const Quiet quiet;
    Compare(100 * kMiB + 12345, {}, {}, 100000, 24, 2000);
  }
  TEST_CASE("with all of the limit in one region") {
    const Quiet quiet;
    Compare(64 * kMiB, {.allow_growth = false}, {}, 100000, 22, 2000);
  }
  TEST_CASE("where a fraction of the limit is the most that is wasted") {
    const Quiet quiet;
    Compare(256 * kMiB, {.fragmentation_fraction = 0.001}, {}, 100000, 23, 2000);
  }
  TEST_CASE("where free regions go back") {
    const Quiet quiet;
    Compare(150 * kMiB, {.garbage_collection = true}, {}, 100000, 25, 60);
  }
  TEST_CASE("from a source that gives no large pieces") {
    const Quiet quiet;
    Compare(std::size_t{1} << 33, {}, {.capacity = 5 * kMiB}, 100000, 23, 1500);
  }
}
}  // namespace bfc_model_test
