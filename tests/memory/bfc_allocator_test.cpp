// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/bfc_allocator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <base/child_process.hpp>
#include <sanitizers.hpp>
#include <tenon/base/env.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

namespace bfc_allocator_test {
using tenon::AllocationAttributes;
using tenon::BaseSubAllocator;
using tenon::BFCAllocator;
using tenon::BFCAllocatorOptions;
using tenon::CpuAllocator;
using tenon::Function;
using tenon::MakeOwned;
using tenon::SharedCounter;
using tenon::SubAllocator;
using tenon::TrackingAllocator;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// What the allocator asked of its source.
struct Source {
  std::size_t capacity = SIZE_MAX;  // the largest piece it gives
  std::size_t extra = 0;            // gives so much more than was asked for
  bool coalesces = false;           // pieces lie one behind the other
  bool backwards = false;           // each piece lies before those given before
  std::vector<std::size_t> asked;
  std::map<std::uintptr_t, std::size_t> out;
  std::size_t bad_frees = 0;
  std::uintptr_t next = std::uintptr_t{1} << 40;
};

// Hands out numbers that are no memory, as a device would.
class FakeDevice final : public SubAllocator {
 public:
  explicit FakeDevice(Source* source) : source_(source) {}
  void* Alloc(std::size_t, std::size_t bytes, std::size_t* received) override {
    source_->asked.push_back(bytes);
    if (bytes > source_->capacity) return nullptr;
    *received = bytes + source_->extra;
    const std::size_t step = (*received + 255) / 256 * 256 + (source_->coalesces ? 0 : 4096);
    if (source_->backwards) source_->next -= step;
    const std::uintptr_t ptr = source_->next;
    if (!source_->backwards) source_->next += step;
    source_->out[ptr] = *received;
    return reinterpret_cast<void*>(ptr);
  }
  void Free(void* ptr, std::size_t bytes) override {
    auto found = source_->out.find(reinterpret_cast<std::uintptr_t>(ptr));
    while (found != source_->out.end() && bytes >= found->second) {  // several at once, if they are neighbours
      bytes -= found->second;
      const std::uintptr_t end = found->first + found->second;
      source_->out.erase(found);
      if (bytes == 0) return;
      found = source_->coalesces ? source_->out.find(end) : source_->out.end();
    }
    ++source_->bad_frees;
  }
  bool SupportsCoalescing() const override { return source_->coalesces; }
  tenon::AllocatorMemoryType GetMemoryType() const override { return tenon::AllocatorMemoryType::kDevice; }
  bool HostAccessible() const override { return false; }

 private:
  Source* const source_;
};

tenon::Owned<SubAllocator> Fake(Source* source) { return MakeOwned<FakeDevice>(source); }

AllocationAttributes NoRetry() {
  AllocationAttributes attributes;
  attributes.retry_on_failure = false;
  return attributes;
}

void* Get(BFCAllocator& a, std::size_t bytes) { return a.AllocateRaw(64, bytes, NoRetry()); }
void Put(BFCAllocator& a, void* ptr) { a.DeallocateRaw(ptr, 64, 0); }

std::uintptr_t Address(const void* ptr) { return reinterpret_cast<std::uintptr_t>(ptr); }

// Xorshift: the same numbers everywhere, and quick.
struct Numbers {
  std::uint64_t operator()() {
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
  }
  std::uint64_t x = 88172645463325252u;
};

// Collects what is logged; also for tests that fail on purpose.
class Log final : public tenon::LogSink {
 public:
  Log() : before_(tenon::SetLogSink(this)) {}
  ~Log() override { tenon::SetLogSink(before_); }
  void Send(const tenon::LogEntry& entry) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    lines.emplace_back(entry.text);
  }
  std::vector<std::string> lines;

 private:
  std::mutex mutex_;
  tenon::LogSink* const before_;
};

}  // namespace

TEST_CASE("blocks are chunks of 256 bytes and more, side by side") {
  Source source;
  BFCAllocator a(Fake(&source), 64 * kMiB, "fake");
  CHECK(a.Name() == "fake");
  CHECK(a.GetMemoryType() == tenon::AllocatorMemoryType::kDevice);
  CHECK_FALSE(a.HostAccessible());
  CHECK(a.TracksAllocationSizes());
  void* const p = Get(a, 1);
  void* const q = Get(a, 257);
  void* const nothing = Get(a, 0);
  CHECK(Address(q) == Address(p) + 256);
  CHECK(Address(nothing) == Address(q) + 512);
  CHECK(a.RequestedSize(p) == 1);
  CHECK(a.AllocatedSize(p) == 256);
  CHECK(a.RequestedSize(q) == 257);
  CHECK(a.AllocatedSize(q) == 512);
  CHECK(a.AllocatedSize(nothing) == 256);
  CHECK(a.AllocationId(p) == 1);
  CHECK(a.AllocationId(q) == 2);
  CHECK(a.FindDefect() == "");
  a.DeallocateRaw(nullptr, 64, 0);
  for (void* ptr : {p, q, nothing}) Put(a, ptr);
  CHECK(a.FindDefect() == "");
  CHECK(Get(a, 300) == p);  // all is one chunk again
}

TEST_CASE("the smallest chunk that fits is taken, of equal ones the first in memory") {
  Source source;
  BFCAllocator a(Fake(&source), 64 * kMiB, "fake");
  void* holes[4];
  const std::size_t sizes[4] = {2048, 1280, 1024, 1280};
  for (int i = 0; i < 4; ++i) {
    holes[i] = Get(a, sizes[i]);
    static_cast<void>(Get(a, 256));  // keeps the holes apart
  }
  for (const int i : {3, 1, 0, 2}) Put(a, holes[i]);
  CHECK(a.FindDefect() == "");
  CHECK(Get(a, 1100) == holes[1]);
  CHECK(Get(a, 1100) == holes[3]);
  CHECK(Get(a, 1100) == holes[0]);
  CHECK(Get(a, 1000) == holes[2]);
  CHECK(a.FindDefect() == "");
}

TEST_CASE("a chunk is split when it is twice as large as needed, or larger by the limit on waste") {
  Source source;
  SUBCASE("twice") {
    BFCAllocator a(Fake(&source), 64 * kMiB, "fake");
    void* const p = Get(a, 2048);
    static_cast<void>(Get(a, 256));
    Put(a, p);
    CHECK(Get(a, 1025) == p);
    CHECK(a.AllocatedSize(p) == 2048);
    Put(a, p);
    CHECK(Get(a, 1024) == p);
    CHECK(a.AllocatedSize(p) == 1024);
  }
  SUBCASE("128 MiB") {
    BFCAllocator a(Fake(&source), 1024 * kMiB, "fake");
    void* const p = Get(a, 500 * kMiB);
    CHECK(a.AllocatedSize(p) == 512 * kMiB);
    Put(a, p);
    CHECK(Get(a, 384 * kMiB) == p);
    CHECK(a.AllocatedSize(p) == 384 * kMiB);
  }
  SUBCASE("a fraction of the limit") {
    BFCAllocatorOptions options;
    options.fragmentation_fraction = 0.25;
    options.allow_growth = false;
    BFCAllocator a(Fake(&source), 64 * kMiB, "fake", options);
    void* const p = Get(a, 49 * kMiB);
    CHECK(a.AllocatedSize(p) == 64 * kMiB);
    Put(a, p);
    static_cast<void>(Get(a, 48 * kMiB));
    CHECK(a.AllocatedSize(p) == 48 * kMiB);
  }
}

TEST_CASE("free neighbours become one chunk, whichever is freed last") {
  for (const int last : {0, 1, 2}) {
    Source source;
    BFCAllocator a(Fake(&source), 64 * kMiB, "fake");
    void* parts[3];
    for (void*& p : parts) p = Get(a, 1024);
    void* const fence = Get(a, 256);
    for (int i = 0; i < 3; ++i) {
      if (i != last) Put(a, parts[i]);
    }
    Put(a, parts[last]);
    CHECK(a.FindDefect() == "");
    CHECK(Get(a, 3072) == parts[0]);
    CHECK(a.AllocatedSize(parts[0]) == 3072);
    Put(a, fence);
    CHECK(a.FindDefect() == "");
  }
}

TEST_CASE("regions grow twofold up to the limit") {
  const Log log;
  Source source;
  BFCAllocator a(Fake(&source), 20 * kMiB, "fake");
  CHECK(source.asked.empty());
  for (int i = 0; i < 20; ++i) CHECK(Get(a, kMiB) != nullptr);
  CHECK(source.asked == std::vector<std::size_t>{2 * kMiB, 4 * kMiB, 8 * kMiB, 6 * kMiB});
  CHECK(Get(a, 1) == nullptr);
  CHECK(a.FindDefect() == "");
}

TEST_CASE("a large request makes the next region large, and later ones start there") {
  Source source;
  BFCAllocator a(Fake(&source), 200 * kMiB, "fake");
  CHECK(Get(a, 9 * kMiB) != nullptr);
  CHECK(Get(a, 12 * kMiB) != nullptr);
  CHECK(source.asked == std::vector<std::size_t>{16 * kMiB, 16 * kMiB});
  CHECK(Get(a, 16 * kMiB) != nullptr);
  CHECK(source.asked.back() == 32 * kMiB);
}

TEST_CASE("without growth the whole limit is one region") {
  Source source;
  BFCAllocatorOptions options;
  options.allow_growth = false;
  BFCAllocator a(Fake(&source), 20 * kMiB + 100, "fake", options);
  CHECK(Get(a, 1) != nullptr);
  CHECK(source.asked == std::vector<std::size_t>{20 * kMiB});
  CHECK(a.FindDefect() == "");
}

TEST_CASE("when the source has less, a little less is asked for, but never less than is needed") {
  const Log log;
  Source source;
  source.capacity = kMiB;
  BFCAllocator a(Fake(&source), 64 * kMiB, "fake");
  CHECK(Get(a, 1000) != nullptr);
  CHECK(source.out.size() == 1);
  CHECK(source.out.begin()->second <= kMiB);
  CHECK(source.out.begin()->second > kMiB * 8 / 10);
  CHECK(Get(a, 2 * kMiB) == nullptr);
  for (const std::size_t bytes : source.asked) CHECK(bytes % 256 == 0);
  source.capacity = 0;
  CHECK(Get(a, kMiB) == nullptr);
  CHECK(source.asked.back() >= kMiB);
  CHECK(a.FindDefect() == "");
}

TEST_CASE("small limits and sources that give nothing end in no block") {
  const Log log;
  Source source;
  for (const std::size_t limit : {0u, 1u, 255u, 256u, 600u}) {
    BFCAllocator a(Fake(&source), limit, "fake");
    CHECK((Get(a, 1) != nullptr) == (limit >= 256));
    CHECK(Get(a, 601) == nullptr);
    CHECK(a.FindDefect() == "");
  }
  CHECK(source.out.empty());
  source.capacity = 0;
  BFCAllocator a(Fake(&source), 600, "fake");
  CHECK(Get(a, 1) == nullptr);
}

TEST_CASE("more bytes than were asked for are used, and freed as they were received") {
  Source source;
  source.extra = 1000;
  {
    BFCAllocator a(Fake(&source), 64 * kMiB, "fake");
    CHECK(Get(a, 2 * kMiB + 768) != nullptr);
    CHECK(Get(a, 2 * kMiB + 768) != nullptr);
    CHECK(a.GetStats()->bytes_reserved == static_cast<std::int64_t>(source.asked[0] + source.asked[1] + 2000));
    CHECK(a.FindDefect() == "");
  }
  CHECK(source.out.empty());
  CHECK(source.bad_frees == 0);
}

TEST_CASE("pieces that continue a region are joined with it if the source allows it") {
  for (const bool coalesces : {true, false}) {
    Source source;
    source.coalesces = coalesces;
    BFCAllocatorOptions options;
    options.garbage_collection = true;
    {
      BFCAllocator a(Fake(&source), 14 * kMiB, "fake", options);
      void* const small = Get(a, 1);
      void* const p = Get(a, 4 * kMiB);
      void* const q = Get(a, 8 * kMiB);
      REQUIRE(q != nullptr);
      CHECK(a.FindDefect() == "");
      for (void* ptr : {small, p, q}) Put(a, ptr);
      CHECK(a.FindDefect() == "");
      const std::size_t pieces = source.asked.size();
      CHECK(Get(a, 14 * kMiB) != nullptr);  // one chunk from the beginning, or a new region for all of it
      CHECK(source.asked.size() == (coalesces ? pieces : pieces + 1));
      CHECK(a.FindDefect() == "");
    }
    CHECK(source.out.empty());
    CHECK(source.bad_frees == 0);
  }
}

TEST_CASE("regions are found at whatever addresses they come") {
  Source source;
  source.backwards = true;
  BFCAllocator a(Fake(&source), 512 * kMiB, "fake");
  std::vector<void*> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(Get(a, kMiB));
  CHECK(source.out.size() >= 6);
  CHECK(a.FindDefect() == "");
  for (void* p : blocks) CHECK(a.RequestedSize(p) == kMiB);
  for (void* p : blocks) Put(a, p);
  CHECK(a.FindDefect() == "");
  CHECK(a.GetStats()->bytes_in_use == 0);
}

TEST_CASE("larger alignments than that of the chunks are kept") {
  const Log log;
  BFCAllocator a(MakeOwned<BaseSubAllocator>(CpuAllocator()), 64 * kMiB, "cpu");
  std::vector<void*> blocks;
  for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2) {
    blocks.push_back(Get(a, 300));
    blocks.push_back(a.AllocateRaw(alignment, 1000, NoRetry()));
    REQUIRE(blocks.back() != nullptr);
    CHECK(Address(blocks.back()) % alignment == 0);
    CHECK(Address(blocks.back()) % 256 == 0);
    std::memset(blocks.back(), 0x5a, 1000);
    CHECK(a.FindDefect() == "");
  }
  for (void* p : blocks) Put(a, p);
  CHECK(a.FindDefect() == "");
  CHECK(a.AllocateRaw(std::size_t{1} << 60, 1, NoRetry()) == nullptr);
}

TEST_CASE("stats count chunks") {
  Source source;
  BFCAllocator a(Fake(&source), 20 * kMiB, "fake");
  CHECK(a.GetStats()->bytes_limit == 20 * kMiB);
  CHECK(a.GetStats()->bytes_reserved == 0);
  CHECK(a.GetFragmentation() == 0);
  void* const p = Get(a, 1000);
  void* const q = Get(a, 3000);
  auto stats = *a.GetStats();
  CHECK(stats.num_allocs == 2);
  CHECK(stats.bytes_in_use == 1024 + 3072);
  CHECK(stats.peak_bytes_in_use == 1024 + 3072);
  CHECK(stats.largest_alloc_size == 3072);
  CHECK(stats.bytes_reserved == 2 * kMiB);
  CHECK(stats.pool_bytes == 2 * kMiB);
  CHECK(stats.largest_free_block_bytes == static_cast<std::int64_t>(2 * kMiB) - 1024 - 3072);
  CHECK(a.GetFragmentation() == 0);
  Put(a, p);
  const double free_bytes = static_cast<double>(2 * kMiB) - 3072;
  CHECK(a.GetFragmentation() == doctest::Approx(1024 / free_bytes));
  CHECK(a.ClearStats());
  stats = *a.GetStats();
  CHECK(stats.num_allocs == 0);
  CHECK(stats.bytes_in_use == 3072);
  CHECK(stats.peak_bytes_in_use == 3072);
  CHECK(stats.largest_alloc_size == 0);
  Put(a, q);
  CHECK(a.GetStats()->bytes_in_use == 0);
}

TEST_CASE("the dump names the allocator, its bins, chunks and stats") {
  Source source;
  BFCAllocator a(Fake(&source), 20 * kMiB, "fake_bfc");
  CHECK(a.RenderOccupancy() == std::string(100, '_'));
  void* const p = Get(a, kMiB);
  static_cast<void>(Get(a, kMiB / 2 - 255));
  Put(a, p);
  const std::string text = a.DumpMemoryLog(3 * kMiB);
  for (const char* part :
       {"BFCAllocator dump for fake_bfc\n", "Bin (256): Total Chunks: 0, Chunks in use: 0. 0B allocated for chunks.",
        "Bin (524288): Total Chunks: 2, Chunks in use: 1. 1.00MiB allocated for chunks. 512.00KiB in use in bin. "
        "511.75KiB client-requested in use in bin.",
        "Bin for 3.00MiB was 2.00MiB.", "Next region of size 2097152\n", "of size 524288 requested 524033 id 2\n",
        "Free  at ", "1 Chunks of size 524288 totalling 512.00KiB\n", "Sum Total of in-use chunks: 512.00KiB\n",
        "Total bytes in pool: 2097152 memory limit: 20971520 available bytes: 18874368",
        "Stats:\nLimit: ", "LargestFreeBlock:"}) {
    CHECK_MESSAGE(Contains(text, part), std::string(part));
  }
  CHECK(Contains(text, "Bin (268435456)"));
  const std::string line = a.RenderOccupancy();
  CHECK(line.size() == 100);
  CHECK(line == std::string(50, '_') + std::string(24, '*') + 'x' + std::string(25, '_'));
}

TEST_CASE("the picture of the memory shows what was not asked for") {
  Source source;
  BFCAllocatorOptions options;
  options.allow_growth = false;
  BFCAllocator a(Fake(&source), 100 * kMiB, "fake", options);
  static_cast<void>(Get(a, 60 * kMiB));  // gets all: less than 128 MiB are wasted
  CHECK(a.RenderOccupancy() == std::string(60, '*') + std::string(40, 'x'));
}

TEST_CASE("failures are logged with name and size, ten times when nobody waits") {
  Log log;
  Source source;
  BFCAllocator a(Fake(&source), 4 * kMiB, "fake_bfc");
  for (int i = 0; i < 15; ++i) CHECK(Get(a, 5 * kMiB) == nullptr);
  REQUIRE(log.lines.size() == 10);
  CHECK(log.lines[0] ==
        "Allocator (fake_bfc) ran out of memory trying to allocate 5.00MiB with freed_by_count=0. The caller "
        "indicates that this is not a failure, but this may mean that there could be performance gains if more "
        "memory were available.");
}

TEST_CASE("what cannot fit fails at once although waiting is allowed") {
  Log log;
  Source source;
  BFCAllocator a(Fake(&source), 4 * kMiB, "fake_bfc");
  CHECK(a.AllocateRaw(64, 4 * kMiB + 1) == nullptr);
  CHECK(a.AllocateRaw(64, SIZE_MAX) == nullptr);
  CHECK(a.AllocateRaw(64, SIZE_MAX / 2) == nullptr);
  REQUIRE(log.lines.size() == 3);
  CHECK(Contains(log.lines[0],
                 "Allocator (fake_bfc) ran out of memory trying to allocate 4.00MiB (rounded to 4194305) "
                 "with a limit of 4194304 bytes; the largest free chunk has 0.\nLimit: "));
}

TEST_CASE("who may wait is refused when the time is over") {
  Log log;
  Source source;
  BFCAllocatorOptions options;
  options.max_retry_milliseconds = 20;
  BFCAllocator a(Fake(&source), 4 * kMiB, "fake_bfc", options);
  void* const p = Get(a, 3 * kMiB);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(a.AllocateRaw(64, 2 * kMiB) == nullptr);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20));
  REQUIRE(log.lines.size() == 1);
  CHECK(Contains(log.lines[0], "trying to allocate 2.00MiB (rounded to 2097152)"));
  CHECK(Contains(log.lines[0], "InUse:"));
  CHECK(Contains(log.lines[0], std::string(50, '*')));
  Put(a, p);
  CHECK(a.AllocateRaw(64, 2 * kMiB) == p);
}

TEST_CASE("without allow_retry_on_failure nobody waits") {
  Log log;
  Source source;
  BFCAllocatorOptions options;
  options.allow_retry_on_failure = false;
  BFCAllocator a(Fake(&source), 4 * kMiB, "fake_bfc", options);
  static_cast<void>(Get(a, 4 * kMiB));
  CHECK(a.AllocateRaw(64, 1) == nullptr);
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines[0] == "Allocator (fake_bfc) ran out of memory trying to allocate 1B with freed_by_count=0.");
}

TEST_CASE("a thread that waits goes on when another one frees") {
  Source source;
  BFCAllocatorOptions options;
  options.max_retry_milliseconds = 60000;
  BFCAllocator a(Fake(&source), 4 * kMiB, "fake_bfc", options);
  void* const p = Get(a, 4 * kMiB);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Put(a, p);
  });
  const auto begin = std::chrono::steady_clock::now();
  CHECK(a.AllocateRaw(64, 3 * kMiB) == p);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  other.join();
}

TEST_CASE("garbage collection gives wholly free regions back for a large request") {
  const Log log;
  for (const bool collects : {true, false}) {
    Source source;
    BFCAllocatorOptions options;
    options.garbage_collection = collects;
    BFCAllocator a(Fake(&source), 16 * kMiB, "fake", options);
    void* const p = Get(a, 2 * kMiB);   // a region of 2 MiB
    void* const q = Get(a, 4 * kMiB);   // of 4 MiB
    void* const r = Get(a, 8 * kMiB);   // of 8 MiB
    Put(a, p);
    Put(a, q);
    CHECK(source.out.size() == 3);
    CHECK((Get(a, 8 * kMiB) != nullptr) == collects);
    CHECK(source.out.size() == (collects ? 2u : 3u));
    CHECK(a.FindDefect() == "");
    CHECK(Get(a, 8 * kMiB) == nullptr);  // nothing that could help: all stays
    CHECK(a.RequestedSize(r) == 8 * kMiB);
    CHECK(a.GetStats()->bytes_reserved == static_cast<std::int64_t>((collects ? 16 : 14) * kMiB));
    CHECK(a.GetStats()->peak_bytes_reserved == static_cast<std::int64_t>((collects ? 16 : 14) * kMiB));
    CHECK(source.bad_frees == 0);
  }
}

TEST_CASE("no region is given back when that would not suffice, or while a part of it is used") {
  const Log log;
  Source source;
  BFCAllocatorOptions options;
  options.garbage_collection = true;
  BFCAllocator a(Fake(&source), 16 * kMiB, "fake", options);
  Put(a, Get(a, 2 * kMiB));
  void* const part = Get(a, 3 * kMiB);
  CHECK(Get(a, 13 * kMiB) == nullptr);
  CHECK(source.out.size() == 2);
  CHECK(Get(a, 12 * kMiB) != nullptr);  // the first region goes, the second stays
  CHECK(a.RequestedSize(part) == 3 * kMiB);
  CHECK(a.FindDefect() == "");
}

TEST_CASE("stamped chunks are joined only when their count is safe") {
  const Log log;
  Source source;
  SharedCounter counter;
  BFCAllocatorOptions options;
  options.allow_growth = false;
  options.allow_retry_on_failure = false;
  BFCAllocator a(Fake(&source), 4096, "fake", options);
  a.SetTimingCounter(&counter);
  void* blocks[4];
  for (void*& p : blocks) p = Get(a, 1024);
  for (void* p : blocks) Put(a, p);  // counts 1 to 4
  CHECK(counter.get() == 4);
  CHECK(a.FindDefect() == "");

  std::uint64_t now = 0;
  const Function<std::uint64_t()> freed_by = [&now] { return now; };
  AllocationAttributes other_stream = NoRetry();
  other_stream.freed_by_func = &freed_by;
  now = 2;
  SUBCASE("a request from another stream gets only what was freed before") {
    void* const first = a.AllocateRaw(64, 1024, other_stream);
    void* const second = a.AllocateRaw(64, 1024, other_stream);
    CHECK(first == blocks[0]);
    CHECK(second == blocks[1]);
    CHECK(a.AllocateRaw(64, 1024, other_stream) == nullptr);
    CHECK(a.FindDefect() == "");
    now = 3;
    CHECK(a.AllocateRaw(64, 1024, other_stream) == blocks[2]);
    CHECK(Get(a, 1024) == blocks[3]);
    CHECK(a.FindDefect() == "");
  }
  SUBCASE("a safe frontier joins what is behind it") {
    a.SetSafeFrontier(4);
    a.SetSafeFrontier(1);  // does not go back
    CHECK(a.AllocateRaw(64, 3072, other_stream) == blocks[0]);
    CHECK(a.FindDefect() == "");
    CHECK(a.AllocateRaw(64, 1024, other_stream) == nullptr);
    a.SetSafeFrontier(5);
    CHECK(a.AllocateRaw(64, 1024, other_stream) == blocks[3]);
    CHECK(a.FindDefect() == "");
  }
  SUBCASE("a request in stream order joins all when nothing else helps") {
    CHECK(a.AllocateRaw(64, 2048, other_stream) == nullptr);
    CHECK(Get(a, 2048) == blocks[0]);
    CHECK(a.FindDefect() == "");
    CHECK(Get(a, 2048) == blocks[2]);
    CHECK(a.FindDefect() == "");
  }
  SUBCASE("what remains of a split chunk keeps the stamp") {
    CHECK(Get(a, 256) == blocks[0]);
    CHECK(a.FindDefect() == "");
    now = 0;
    a.SetSafeFrontier(1);
    now = 1;
    CHECK(a.AllocateRaw(64, 768, other_stream) == static_cast<char*>(blocks[0]) + 256);
    CHECK(a.AllocateRaw(64, 256, other_stream) == nullptr);
    CHECK(Contains(a.DumpMemoryLog(0), "of size 1024 freed_at_count 4\n"));
  }
}

TEST_CASE("a new safe frontier wakes who waits for old memory") {
  Source source;
  SharedCounter counter;
  BFCAllocatorOptions options;
  options.max_retry_milliseconds = 60000;
  BFCAllocator a(Fake(&source), 4096, "fake", options);
  a.SetTimingCounter(&counter);
  void* const p = Get(a, 4096);
  Put(a, p);
  const Function<std::uint64_t()> freed_by = [] { return std::uint64_t{1}; };
  AllocationAttributes attributes;
  attributes.freed_by_func = &freed_by;
  void* const q = a.AllocateRaw(64, 4096, attributes);
  REQUIRE(q == p);
  counter.next();
  Put(a, q);  // 3: later than 1
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    a.SetSafeFrontier(4);
  });
  CHECK(a.AllocateRaw(64, 4096, attributes) == p);
  other.join();
}

TEST_CASE("regions with stamped chunks are not given back") {
  const Log log;
  Source source;
  SharedCounter counter;
  BFCAllocatorOptions options;
  options.garbage_collection = true;
  BFCAllocator a(Fake(&source), 4 * kMiB, "fake", options);
  a.SetTimingCounter(&counter);
  Put(a, Get(a, 2 * kMiB));
  CHECK(Get(a, 4 * kMiB) == nullptr);
  CHECK(source.out.size() == 1);
  a.SetSafeFrontier(1);
  CHECK(Get(a, 4 * kMiB) == nullptr);
  a.SetSafeFrontier(2);
  CHECK(Get(a, 4 * kMiB) != nullptr);
  CHECK(a.FindDefect() == "");
  CHECK(source.bad_frees == 0);
}

TEST_CASE("a timing counter comes before the first allocation") {
  const ChildResult child = RunInChild([] {
    Source source;
    SharedCounter counter;
    BFCAllocator a(Fake(&source), kMiB, "fake");
    static_cast<void>(Get(a, 1));
    a.SetTimingCounter(&counter);
  });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "BFCAllocator::SetTimingCounter: 'fake' has allocated already."));
}

TEST_CASE("a pointer that is no block in use is a mistake of the program") {
  const auto free_of = [](auto choose) {
    return RunInChild([choose] {
      Source source;
      BFCAllocator a(Fake(&source), kMiB, "fake");
      char* const p = static_cast<char*>(Get(a, 1000));
      char* const q = static_cast<char*>(Get(a, 1000));
      Put(a, q);
      a.DeallocateRaw(choose(p, q), 64, 1000);
    });
  };
  const ChildResult inside = free_of([](char* p, char*) { return p + 256; });
  const ChildResult odd = free_of([](char* p, char*) { return p + 1; });
  const ChildResult twice = free_of([](char*, char* q) { return q; });
  const ChildResult foreign = free_of([](char* p, char*) { return p - 4096; });
  for (const ChildResult* child : {&inside, &odd, &twice, &foreign}) {
    CHECK(child->aborted);
    CHECK(Contains(child->errors, "BFCAllocator::DeallocateRaw: 'fake' has no block in use at "));
  }
  const ChildResult size = RunInChild([] {
    Source source;
    const BFCAllocator a(Fake(&source), kMiB, "fake");
    static_cast<void>(a.RequestedSize(&source));
  });
  CHECK(Contains(size.errors, "BFCAllocator::RequestedSize: 'fake' has no block in use at "));
}

TEST_CASE("memory of the processor is all its own, and goes back at the end") {
  TrackingAllocator base(CpuAllocator());
  {
    BFCAllocator a(MakeOwned<BaseSubAllocator>(&base), 64 * kMiB, "cpu");
    struct Block {
      unsigned char* ptr;
      std::size_t bytes;
      unsigned char value;
    };
    std::vector<Block> blocks;
    Numbers numbers;
    for (int i = 0; i < 4000; ++i) {
      if (blocks.size() > 100) {
        const std::size_t chosen = numbers() % blocks.size();
        const Block b = blocks[chosen];
        bool same = true;
        for (std::size_t k = 0; k < b.bytes; ++k) same = same && b.ptr[k] == b.value;
        REQUIRE(same);
        Put(a, b.ptr);
        blocks[chosen] = blocks.back();
        blocks.pop_back();
      }
      const std::size_t bytes = numbers() % 5000;
      const auto value = static_cast<unsigned char>(i);
      blocks.push_back({static_cast<unsigned char*>(Get(a, bytes)), bytes, value});
      REQUIRE(blocks.back().ptr != nullptr);
      if (bytes != 0) std::memset(blocks.back().ptr, value, bytes);
    }
    CHECK(a.FindDefect() == "");
    CHECK(base.blocks_in_use() > 0);
  }
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

namespace {

// Random allocations and frees. Every `check_every` steps the structure is examined, and by an account of its own that
// no two blocks overlap.
void RunRandomSequence(BFCAllocator& a, std::size_t steps, std::size_t check_every, std::size_t most_blocks,
                       SharedCounter* counter) {
  struct Block {
    char* ptr;
    std::size_t bytes;
  };
  std::vector<Block> blocks;
  Numbers numbers;
  std::size_t refused = 0;
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::uint64_t n = numbers();
    const bool growing = (step / (2 * most_blocks) & 1) == 0;  // the number of blocks goes up and down
    const bool frees = !blocks.empty() && (blocks.size() >= most_blocks || (n & 7) < (growing ? 3u : 5u));
    if (frees) {
      const std::size_t chosen = (n >> 8) % blocks.size();
      a.DeallocateRaw(blocks[chosen].ptr, 64, blocks[chosen].bytes);
      blocks[chosen] = blocks.back();
      blocks.pop_back();
    } else {
      const std::size_t bytes = (n >> 8) & ((std::size_t{2} << (n >> 4) % 18) - 1);
      void* const ptr = a.AllocateRaw((n >> 60) == 0 ? 4096 : 64, bytes, NoRetry());
      if (ptr != nullptr) {
        blocks.push_back({static_cast<char*>(ptr), bytes});
      } else {
        ++refused;
      }
    }
    if (counter != nullptr && step % 512 == 0) a.SetSafeFrontier(counter->get() - 100);
    if (step % check_every != 0) continue;
    REQUIRE(a.FindDefect() == "");
    std::sort(blocks.begin(), blocks.end(), [](const Block& x, const Block& y) { return x.ptr < y.ptr; });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      REQUIRE(a.RequestedSize(blocks[i].ptr) == blocks[i].bytes);
      if (i > 0) REQUIRE(blocks[i - 1].ptr + std::max<std::size_t>(blocks[i - 1].bytes, 1) <= blocks[i].ptr);
    }
  }
  for (const Block& b : blocks) a.DeallocateRaw(b.ptr, 64, b.bytes);
  CHECK(a.FindDefect() == "");
  CHECK(a.GetStats()->bytes_in_use == 0);
  CHECK(refused < steps / 10);
}

}  // namespace

TEST_CASE("the structure stays whole over millions of random allocations and frees") {
  Source source;
  BFCAllocatorOptions options;
  options.garbage_collection = true;
  const Log log;
  constexpr std::size_t kSteps = TENON_TEST_ASAN || TENON_TEST_TSAN ? 1000000 : 10000000;
  std::int64_t steps = 0;  // TENON_BFC_TEST_STEPS: more, or fewer
  REQUIRE(tenon::GetEnvInt64("TENON_BFC_TEST_STEPS", static_cast<std::int64_t>(kSteps), &steps).ok());
  {
    BFCAllocator a(Fake(&source), 48 * kMiB, "fake", options);
    RunRandomSequence(a, static_cast<std::size_t>(steps), 100000, 3000, nullptr);
    CHECK(a.GetFragmentation() < 1);
  }
  CHECK(source.out.empty());
  CHECK(source.bad_frees == 0);
}

TEST_CASE("it stays whole with stamps, joined regions and little memory too") {
  Source source;
  source.coalesces = true;
  SharedCounter counter;
  BFCAllocatorOptions options;
  options.garbage_collection = true;
  const Log log;
  {
    BFCAllocator a(Fake(&source), 24 * kMiB, "fake", options);
    a.SetTimingCounter(&counter);
    RunRandomSequence(a, 200000, 2000, 1500, &counter);
    a.SetSafeFrontier(counter.get() + 1);
    static_cast<void>(Get(a, 1));
    CHECK(a.GetStats()->largest_free_block_bytes + 256 == a.GetStats()->bytes_reserved);
  }
  CHECK(source.out.empty());
  CHECK(source.bad_frees == 0);
}

TEST_CASE("threads allocate, free each other's blocks and wait for memory") {
  TrackingAllocator base(CpuAllocator());
  BFCAllocatorOptions options;
  options.max_retry_milliseconds = 60000;
  options.garbage_collection = true;
  {
    BFCAllocator a(MakeOwned<BaseSubAllocator>(&base), 4 * kMiB, "cpu", options);
    std::mutex mutex;
    std::vector<void*> passed_on;
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Numbers numbers;
        numbers.x += static_cast<std::uint64_t>(t) * 1234567;
        for (int i = 0; i < 3000; ++i) {
          const std::size_t bytes = i % 100 == 0 ? kMiB : numbers() % 20000 + 1;
          auto* const p = static_cast<char*>(a.AllocateRaw(64, bytes));
          if (p == nullptr) {
            ++failures;
            continue;
          }
          p[0] = p[bytes - 1] = 1;
          void* old = p;
          {
            const std::lock_guard<std::mutex> lock(mutex);
            if (bytes < kMiB) {
              passed_on.push_back(p);
              old = nullptr;
              if (passed_on.size() > 50) {
                old = passed_on.front();
                passed_on.erase(passed_on.begin());
              }
            }
          }
          if (old != nullptr) Put(a, old);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (void* p : passed_on) Put(a, p);
    CHECK(failures == 0);
    CHECK(a.FindDefect() == "");
    CHECK(a.GetStats()->bytes_in_use == 0);
  }
  CHECK(base.blocks_in_use() == 0);
}
}  // namespace bfc_allocator_test
