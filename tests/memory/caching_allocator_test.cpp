// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/caching_allocator.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <base/child_process.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "memory/needed.hpp"

namespace caching_allocator_test {
using tenon::Allocator;
using tenon::CachingAllocator;
using tenon::CpuAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

namespace {

using CachingPtr = std::unique_ptr<CachingAllocator, CachingAllocator::Releaser>;

CachingPtr Make(Allocator* base) { return CachingPtr(CachingAllocator::Create(base)); }

struct Block {
  void* ptr;
  std::size_t bytes;
};

std::vector<Block> AllocateSome(Allocator* a) {
  std::vector<Block> blocks;
  for (std::size_t bytes = 1; bytes < 200000; bytes = bytes * 2 + 1) {
    blocks.push_back({Needed(a->AllocateRaw(64, bytes)), bytes});
    std::memset(blocks.back().ptr, 0x5a, bytes);
  }
  return blocks;
}
void FreeAll(Allocator* a, const std::vector<Block>& blocks) {
  for (const Block& b : blocks) a->DeallocateRaw(b.ptr, 64, b.bytes);
}

// Hands out numbers that are no memory, as a device without a mapping would. At most `limit` bytes.
class FakeDevice final : public Allocator {
 public:
  explicit FakeDevice(std::size_t limit = SIZE_MAX) : limit_(limit) {}
  std::string_view Name() const override { return "fake"; }
  tenon::AllocatorMemoryType GetMemoryType() const override { return tenon::AllocatorMemoryType::kDevice; }
  bool HostAccessible() const override { return false; }
  void* AllocateRaw(std::size_t, std::size_t bytes, const tenon::AllocationAttributes& attributes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    retries_allowed.push_back(attributes.retry_on_failure);
    if (bytes > limit_ - in_use_) return nullptr;
    in_use_ += bytes;
    next_ += 4096;
    out_.insert(next_);
    return reinterpret_cast<void*>(next_);
  }
  void DeallocateRaw(void* ptr, std::size_t, std::size_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (out_.erase(reinterpret_cast<std::uintptr_t>(ptr)) != 1) ++bad_frees;
    in_use_ -= bytes;
  }
  std::size_t blocks_out() const { return out_.size(); }

  int bad_frees = 0;
  std::vector<bool> retries_allowed;

 private:
  std::mutex mutex_;
  std::set<std::uintptr_t> out_;
  std::size_t limit_;
  std::size_t in_use_ = 0;
  std::uintptr_t next_ = 16;
};

}  // namespace

TEST_CASE("the second run asks the allocator below for nothing") {
  TrackingAllocator base(CpuAllocator());
  for (const bool owned : {true, false}) {
    const CachingPtr cache = Make(&base);
    if (owned) cache->SetOwnerThread();
    CHECK(cache->IsOwnerThread() == owned);
    FreeAll(cache.get(), AllocateSome(cache.get()));
    base.ClearStats();
    for (int run = 0; run < 3; ++run) FreeAll(cache.get(), AllocateSome(cache.get()));
    CHECK(base.num_requests() == 0);
    CHECK(base.num_deallocations() == 0);
    if (owned) cache->ClearOwnerThread();
  }
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("a freed block serves every size of its class, the last one freed first") {
  const CachingPtr cache = Make(CpuAllocator());
  cache->SetOwnerThread();
  void* const a = Needed(cache->AllocateRaw(64, 600));
  void* const b = Needed(cache->AllocateRaw(64, 640));
  cache->DeallocateRaw(a, 64, 600);
  cache->DeallocateRaw(b, 64, 640);
  CHECK(cache->AllocateRaw(64, 513) == b);
  CHECK(cache->AllocateRaw(1, 640) == a);
  cache->DeallocateRaw(a, 1, 640);
  cache->DeallocateRaw(b, 64, 513);
  cache->ClearOwnerThread();
}

TEST_CASE("blocks are aligned and apart from each other") {
  const CachingPtr cache = Make(CpuAllocator());
  cache->SetOwnerThread();
  for (int run = 0; run < 2; ++run) {
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (std::size_t bytes = 0; bytes < 50000; bytes = bytes + bytes / 4 + 1) {
      auto* const p = static_cast<unsigned char*>(Needed(cache->AllocateRaw(64, bytes)));
      REQUIRE(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
      std::memset(p, static_cast<int>(blocks.size() % 251), bytes);
      blocks.emplace_back(p, bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto [p, bytes] = blocks[i];
      bool untouched = true;
      for (std::size_t k = 0; k < bytes; ++k) untouched = untouched && p[k] == i % 251;
      CHECK(untouched);
      cache->DeallocateRaw(p, 64, bytes);
    }
  }
  cache->ClearOwnerThread();
}

TEST_CASE("larger alignments pass through to the allocator below") {
  TrackingAllocator base(CpuAllocator());
  const CachingPtr cache = Make(&base);
  for (const bool owned : {false, true}) {
    if (owned) cache->SetOwnerThread();
    void* const p = Needed(cache->AllocateRaw(4096, 100));
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 4096 == 0);
    CHECK(base.RequestedSize(p) == 100);
    cache->DeallocateRaw(p, 4096, 100);
    CHECK(base.blocks_in_use() == 0);
    if (owned) cache->ClearOwnerThread();
  }
}

TEST_CASE("the owner's scratch memory is one block, as large as was wanted at one time") {
  TrackingAllocator base(CpuAllocator());
  constexpr std::size_t kAlignment = Allocator::kScratchAlignment;
  constexpr tenon::AllocationAttributes kScratch{.scratch = true};
  {
    const CachingPtr cache = Make(&base);
    CHECK(!cache->KeepsScratch(100));  // no owner
    CHECK(cache->AllocateRaw(kAlignment, 100, kScratch) == nullptr);
    cache->SetOwnerThread();
    void* const aligned = Needed(cache->AllocateRaw(kAlignment, 100));  // not scratch memory
    CHECK(base.blocks_in_use() == 1);
    cache->DeallocateRaw(aligned, kAlignment, 100);
    for (int run = 0; run < 3; ++run) {
      for (const std::size_t bytes : std::initializer_list<std::size_t>{300, 5000, 1, 700, 4000}) {
        auto* const first = static_cast<char*>(Needed(cache->AllocateRaw(kAlignment, bytes, kScratch)));
        CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
        std::memset(first, 1, bytes);
        auto* const second = static_cast<char*>(cache->AllocateRaw(kAlignment, 1000, kScratch));
        if (run > 0) Needed(second);
        if (second != nullptr) {
          CHECK((second >= first + bytes || second + 1000 <= first));
          std::memset(second, 2, 1000);
          cache->DeallocateRaw(second, kAlignment, 1000);
        }
        cache->DeallocateRaw(first, kAlignment, bytes);
      }
      if (run > 0) CHECK(cache->held_bytes() == 5056 + 1024);
    }
    CHECK(base.blocks_in_use() == 1);
    cache->ClearOwnerThread();
    CHECK(cache->Trim() == 5056 + 1024);
    CHECK(cache->held_bytes() == 0);
    CHECK(base.blocks_in_use() == 0);
    cache->ForgetScratch();
    cache->SetOwnerThread();
    void* const small = Needed(cache->AllocateRaw(kAlignment, 64, kScratch));
    CHECK(cache->held_bytes() == 64);
    base.FailAllocations(1, TrackingAllocator::kAll);
    CHECK(!cache->KeepsScratch(100));  // in use, and too small
    CHECK(cache->AllocateRaw(kAlignment, 100, kScratch) == nullptr);
    cache->DeallocateRaw(small, kAlignment, 64);
    CHECK(cache->KeepsScratch(100));  // it may try
    CHECK(cache->AllocateRaw(kAlignment, 100, kScratch) == nullptr);
    base.FailAllocations(0);
    cache->ClearOwnerThread();
  }
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("what the allocator below refuses is null, and null is freed by doing nothing") {
  TrackingAllocator base(CpuAllocator());
  const CachingPtr cache = Make(&base);
  CHECK(cache->AllocateRaw(64, SIZE_MAX) == nullptr);
  CHECK(base.num_requests() == 0);
  base.FailAllocations(1, TrackingAllocator::kAll);
  CHECK(cache->AllocateRaw(64, 100) == nullptr);
  base.FailAllocations(0);
  cache->DeallocateRaw(nullptr, 64, 100);
  cache->SetOwnerThread();
  cache->DeallocateRaw(nullptr, 64, 100);
  cache->ClearOwnerThread();
}

TEST_CASE("it speaks for the allocator below") {
  const CachingPtr cache = Make(CpuAllocator());
  CHECK(cache->Name() == "cpu");
  CHECK(cache->GetMemoryType() == tenon::AllocatorMemoryType::kHostPageable);
  CHECK(cache->HostAccessible());
}

TEST_CASE("blocks that other threads free come back to the owner") {
  TrackingAllocator base(CpuAllocator());
  const CachingPtr cache = Make(&base);
  cache->SetOwnerThread();
  std::vector<Block> blocks = AllocateSome(cache.get());
  std::thread([&] { FreeAll(cache.get(), blocks); }).join();
  base.ClearStats();
  blocks = AllocateSome(cache.get());
  CHECK(base.num_requests() == 0);
  FreeAll(cache.get(), blocks);
  cache->ClearOwnerThread();
}

TEST_CASE("blocks that the owner freed serve everybody once there is no owner") {
  TrackingAllocator base(CpuAllocator());
  const CachingPtr cache = Make(&base);
  cache->SetOwnerThread();
  FreeAll(cache.get(), AllocateSome(cache.get()));
  cache->ClearOwnerThread();
  base.ClearStats();
  std::thread([&] { FreeAll(cache.get(), AllocateSome(cache.get())); }).join();
  std::thread([&] {
    cache->SetOwnerThread();
    FreeAll(cache.get(), AllocateSome(cache.get()));
    cache->ClearOwnerThread();
  }).join();
  CHECK(base.num_requests() == 0);
}

TEST_CASE("while there is an owner, others use the shared lists only") {
  TrackingAllocator base(CpuAllocator());
  const CachingPtr cache = Make(&base);
  cache->SetOwnerThread();
  cache->DeallocateRaw(Needed(cache->AllocateRaw(64, 100)), 64, 100);
  std::thread([&] {
    void* const p = Needed(cache->AllocateRaw(64, 100));
    CHECK(base.num_requests() == 2);
    cache->DeallocateRaw(p, 64, 100);
    CHECK(cache->AllocateRaw(64, 100) == p);
    CHECK(cache->Trim() == 0);
    cache->DeallocateRaw(p, 64, 100);
    CHECK(cache->Trim() == 128);
  }).join();
  CHECK(cache->Trim() == 128);
  CHECK(base.blocks_in_use() == 0);
  cache->ClearOwnerThread();
}

TEST_CASE("Trim gives cached blocks back and leaves those that are out") {
  TrackingAllocator base(CpuAllocator());
  const CachingPtr cache = Make(&base);
  void* const kept = Needed(cache->AllocateRaw(64, 1000));
  FreeAll(cache.get(), AllocateSome(cache.get()));
  const auto cached = static_cast<std::size_t>(base.bytes_in_use()) - 1024;
  CHECK(cache->GetStats()->bytes_in_use == base.bytes_in_use());
  CHECK(cache->Trim() == cached);
  CHECK(cache->Trim() == 0);
  CHECK(base.bytes_in_use() == 1024);
  std::memset(kept, 1, 1000);
  cache->DeallocateRaw(kept, 64, 1000);
}

TEST_CASE("Release with nothing out gives everything back at once") {
  TrackingAllocator base(CpuAllocator());
  CachingAllocator* const cache = CachingAllocator::Create(&base);
  FreeAll(cache, AllocateSome(cache));
  CHECK(base.blocks_in_use() > 0);
  cache->Release();
  CHECK(base.blocks_in_use() == 0);
  CachingAllocator::Create(&base)->Release();
}

TEST_CASE("after Release the last block that comes back ends the allocator") {
  TrackingAllocator base(CpuAllocator());
  CachingAllocator* const cache = CachingAllocator::Create(&base);
  const std::vector<Block> blocks = AllocateSome(cache);
  const auto count = static_cast<std::int64_t>(blocks.size());
  FreeAll(cache, AllocateSome(cache));
  void* const wide = Needed(cache->AllocateRaw(256, 10));
  cache->Release();
  CHECK(base.blocks_in_use() == count + 1);
  std::thread([&] { cache->DeallocateRaw(blocks[0].ptr, 64, blocks[0].bytes); }).join();
  CHECK(base.blocks_in_use() == count);
  CHECK(cache->Trim() == 0);
  void* const late = Needed(cache->AllocateRaw(64, 3000));  // a kernel that still runs may ask
  cache->DeallocateRaw(late, 64, 3000);
  CHECK(base.blocks_in_use() == count);
  for (std::size_t i = 1; i < blocks.size(); ++i) cache->DeallocateRaw(blocks[i].ptr, 64, blocks[i].bytes);
  cache->DeallocateRaw(wide, 256, 10);
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("Release and the last frees may happen at the same time") {
  TrackingAllocator base(CpuAllocator());
  for (int round = 0; round < 300; ++round) {
    CachingAllocator* const cache = CachingAllocator::Create(&base);
    void* blocks[4];
    for (void*& p : blocks) p = Needed(cache->AllocateRaw(64, 200));
    cache->DeallocateRaw(cache->AllocateRaw(64, 5000), 64, 5000);
    std::thread other([&] {
      cache->DeallocateRaw(blocks[0], 64, 200);
      cache->DeallocateRaw(blocks[1], 64, 200);
    });
    std::thread third([&] {
      cache->DeallocateRaw(blocks[2], 64, 200);
      cache->DeallocateRaw(blocks[3], 64, 200);
    });
    cache->Release();
    other.join();
    third.join();
    REQUIRE(base.blocks_in_use() == 0);
  }
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("an owner, other threads and Trim work on one cache at the same time") {
  TrackingAllocator base(CpuAllocator());
  CachingAllocator* const cache = CachingAllocator::Create(&base);
  constexpr std::size_t kSizes[] = {40, 100, 700, 700, 3000, 20000};
  std::mutex mutex;
  std::vector<Block> in_flight;  // allocated by one thread, freed by another
  const auto work = [&](unsigned seed, int rounds) {
    for (int i = 0; i < rounds; ++i) {
      seed = seed * 1664525u + 1013904223u;
      const std::size_t bytes = kSizes[(seed >> 16) % 6];
      auto* const p = static_cast<unsigned char*>(Needed(cache->AllocateRaw(64, bytes)));
      std::memset(p, static_cast<int>(bytes % 251), bytes);
      Block old{nullptr, 0};
      {
        const std::lock_guard<std::mutex> lock(mutex);
        in_flight.push_back({p, bytes});
        if (in_flight.size() > 20) {
          std::swap(in_flight[(seed >> 8) % in_flight.size()], in_flight.back());
          old = in_flight.back();
          in_flight.pop_back();
        }
      }
      if (old.ptr == nullptr) continue;
      const auto* const bytes_of_old = static_cast<const unsigned char*>(old.ptr);
      if (bytes_of_old[0] != old.bytes % 251 || bytes_of_old[old.bytes - 1] != old.bytes % 251) std::abort();
      cache->DeallocateRaw(old.ptr, 64, old.bytes);
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (int step = 0; step < 20; ++step) {
      cache->SetOwnerThread();
      work(static_cast<unsigned>(step), 100);
      if (step % 5 == 0) cache->Trim();
      cache->ClearOwnerThread();
    }
  });
  threads.emplace_back([&] { work(1001, 2000); });
  threads.emplace_back([&] { work(1002, 2000); });
  threads.emplace_back([&] {
    for (int i = 0; i < 20; ++i) {
      cache->Trim();
      static_cast<void>(cache->GetStats());
      work(static_cast<unsigned>(i), 20);
    }
  });
  for (std::thread& t : threads) t.join();
  cache->Release();
  CHECK(base.blocks_in_use() == static_cast<std::int64_t>(in_flight.size()));
  FreeAll(cache, in_flight);
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("without memory below, cached blocks of other classes are given up") {
  FakeDevice device(10000);
  CachingAllocator* const cache = CachingAllocator::Create(&device);
  void* const p = cache->AllocateRaw(64, 8000);
  CHECK(cache->AllocateRaw(64, 4000) == nullptr);
  cache->DeallocateRaw(p, 64, 8000);
  device.retries_allowed.clear();
  void* const q = cache->AllocateRaw(64, 4000);
  CHECK(q != nullptr);
  CHECK(device.retries_allowed == std::vector<bool>{false, true});  // asked to wait only once nothing is cached
  CHECK(device.blocks_out() == 1);
  cache->DeallocateRaw(q, 64, 4000);
  cache->Release();
  CHECK(device.blocks_out() == 0);
}

TEST_CASE("memory that the processor cannot touch is cached without being touched") {
  FakeDevice device;
  CachingAllocator* const cache = CachingAllocator::Create(&device);
  CHECK_FALSE(cache->HostAccessible());
  cache->SetOwnerThread();
  void* const a = cache->AllocateRaw(64, 1000);
  void* const b = cache->AllocateRaw(64, 1000);
  void* const wide = cache->AllocateRaw(512, 1000);
  cache->DeallocateRaw(a, 64, 1000);
  cache->DeallocateRaw(b, 64, 1000);
  cache->DeallocateRaw(wide, 512, 1000);
  CHECK(cache->AllocateRaw(64, 1000) == b);
  CHECK(cache->AllocateRaw(64, 1000) == a);
  CHECK(device.blocks_out() == 2);
  cache->DeallocateRaw(a, 64, 1000);
  cache->ClearOwnerThread();
  CHECK(cache->Trim() == 1024);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([cache] {
      for (int i = 0; i < 300; ++i) {
        void* const p = cache->AllocateRaw(64, 100);
        void* const q = cache->AllocateRaw(64, 5000);
        cache->DeallocateRaw(p, 64, 100);
        cache->DeallocateRaw(q, 64, 5000);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  cache->Release();
  CHECK(device.blocks_out() == 1);
  cache->DeallocateRaw(b, 64, 1000);
  CHECK(device.blocks_out() == 0);
  CHECK(device.bad_frees == 0);
}

TEST_CASE("wherever memory runs out, nothing is lost") {
  for (std::int64_t k = 1; k < 20; ++k) {
    TrackingAllocator base(CpuAllocator());
    CachingAllocator* const cache = CachingAllocator::Create(&base);
    base.FailAllocations(k, TrackingAllocator::kAll);
    std::vector<Block> blocks;
    for (std::size_t bytes = 10; bytes < 10000; bytes *= 2) {
      if (void* const p = cache->AllocateRaw(64, bytes)) blocks.push_back({p, bytes});
    }
    cache->Release();
    FreeAll(cache, blocks);
    CHECK(base.blocks_in_use() == 0);
    CHECK(base.num_bad_frees() == 0);
    if (k > 1) Needed(blocks.empty() ? nullptr : &blocks);
  }
}

TEST_CASE("statistics are those of the allocator below") {
  const CachingPtr cache = Make(CpuAllocator());
  void* const p = Needed(cache->AllocateRaw(64, 100));
  void* const q = Needed(cache->AllocateRaw(64, 1000));
  cache->DeallocateRaw(p, 64, 100);
  cache->DeallocateRaw(Needed(cache->AllocateRaw(64, 100)), 64, 100);
  CHECK(cache->GetStats()->num_allocs == 2);
  CHECK(cache->GetStats()->bytes_in_use == 128 + 1024);
  CHECK(cache->GetStats()->bytes_reserved == 128 + 1024);
  CHECK(cache->GetStats()->largest_alloc_size == 1024);
  CHECK(cache->GetStats()->largest_free_block_bytes == 128);
  CHECK(cache->ClearStats());
  CHECK(cache->GetStats()->num_allocs == 0);
  CHECK(cache->GetStats()->peak_bytes_in_use == 128 + 1024);
  cache->DeallocateRaw(q, 64, 1000);
}

TEST_CASE("a second owner, a foreign owner and a second Release are mistakes of the program") {
  const ChildResult twice = RunInChild([] {
    CachingAllocator* const cache = CachingAllocator::Create(CpuAllocator());
    cache->SetOwnerThread();
    cache->SetOwnerThread();
  });
  CHECK(twice.aborted);
  CHECK(Contains(twice.errors, "CachingAllocator::SetOwnerThread: it has an owner."));
  const ChildResult foreign = RunInChild([] { CachingAllocator::Create(CpuAllocator())->ClearOwnerThread(); });
  CHECK(foreign.aborted);
  CHECK(Contains(foreign.errors, "CachingAllocator::ClearOwnerThread: another thread is the owner."));
  const ChildResult owned = RunInChild([] {
    CachingAllocator* const cache = CachingAllocator::Create(CpuAllocator());
    cache->SetOwnerThread();
    cache->Release();
  });
  CHECK(Contains(owned.errors, "CachingAllocator::Release: it still has an owner."));
  const ChildResult released = RunInChild([] {
    CachingAllocator* const cache = CachingAllocator::Create(CpuAllocator());
    static_cast<void>(cache->AllocateRaw(64, 1));
    cache->Release();
    cache->Release();
  });
  CHECK(Contains(released.errors, "CachingAllocator::Release: called twice."));
}

TEST_CASE("a request with freed_by_func gets no cached block, whose time nobody wrote down") {
  tenon::TrackingAllocator base(CpuAllocator());
  const tenon::Owned<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(&base));
  const tenon::Function<std::uint64_t()> frontier = [] { return std::uint64_t{5}; };
  tenon::AllocationAttributes attributes;
  attributes.freed_by_func = &frontier;
  for (const bool owned : {false, true}) {
    if (owned) cache->SetOwnerThread();
    void* const p = Needed(cache->AllocateRaw(64, 1000));
    cache->DeallocateRaw(p, 64, 1000);
    const auto requests = base.num_requests();
    void* const q = Needed(cache->AllocateRaw(64, 1000, attributes));
    Needed(base.num_failures() == 0 ? &base : nullptr);  // kept blocks went back, and it was asked again
    CHECK(q != p);
    CHECK(base.num_requests() == requests + 1);
    void* const again = Needed(cache->AllocateRaw(64, 1000));
    CHECK(again == p);
    cache->DeallocateRaw(again, 64, 1000);
    cache->DeallocateRaw(q, 64, 1000);
    if (owned) cache->ClearOwnerThread();
  }
}
TEST_CASE("it is small until a block comes back, and from a thread other than the owner") {
  CHECK(sizeof(CachingAllocator) <= 128);
  const CachingPtr cache = Make(CpuAllocator());
  void* const block = Needed(cache->AllocateRaw(64, 100));
  cache->SetOwnerThread();
  std::thread([&] {
    cache->DeallocateRaw(block, 64, 100);
    CHECK(Needed(cache->AllocateRaw(64, 100)) == block);
    cache->DeallocateRaw(block, 64, 100);
  }).join();
  CHECK(Needed(cache->AllocateRaw(64, 100)) == block);  // the owner takes the blocks of other threads
  cache->DeallocateRaw(block, 64, 100);
  cache->ClearOwnerThread();
}

}  // namespace caching_allocator_test
