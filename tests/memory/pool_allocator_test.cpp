// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/pool_allocator.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <base/child_process.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "memory/needed.hpp"

namespace pool_allocator_test {
using tenon::BaseSubAllocator;
using tenon::CpuAllocator;
using tenon::MakeOwned;
using tenon::PoolAllocator;
using tenon::SubAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

namespace {

tenon::Owned<SubAllocator> Over(tenon::Allocator* base) { return MakeOwned<BaseSubAllocator>(base); }

// Gives 100 bytes more than was asked for, and wants to hear the right number.
class Generous final : public SubAllocator {
 public:
  explicit Generous(TrackingAllocator* base) : base_(base) {}
  void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* received) override {
    *received = bytes + 100;
    return base_->AllocateRaw(alignment, *received);
  }
  void Free(void* ptr, std::size_t bytes) override { base_->DeallocateRaw(ptr, 64, bytes); }

 private:
  TrackingAllocator* const base_;
};

// Memory of a device, of which at most `limit` bytes are out.
class FakeDevice final : public SubAllocator {
 public:
  explicit FakeDevice(int limit) : left_(static_cast<std::size_t>(limit)) {}
  void* Alloc(std::size_t, std::size_t bytes, std::size_t* received) override {
    if (bytes > left_) return nullptr;
    left_ -= * received = bytes;
    return reinterpret_cast<void*>(next_ += 4096);
  }
  void Free(void*, std::size_t bytes) override { left_ += bytes; }
  tenon::AllocatorMemoryType GetMemoryType() const override { return tenon::AllocatorMemoryType::kDevice; }
  bool HostAccessible() const override { return false; }

 private:
  std::size_t left_;
  std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

}  // namespace

TEST_CASE("a freed block is used again for the same size") {
  TrackingAllocator base(CpuAllocator());
  {
    PoolAllocator pool(2, false, Over(&base), &PoolAllocator::RoundToNothing, "pool");
    CHECK(pool.Name() == "pool");
    CHECK(pool.HostAccessible());
    CHECK(pool.GetMemoryType() == base.GetMemoryType());
    CHECK(pool.size_limit() == 2);
    void* const p = Needed(pool.AllocateRaw(4, 100));
    std::memset(p, 1, 100);
    CHECK(pool.allocated_count() == 1);
    CHECK(pool.get_from_pool_count() == 0);
    pool.DeallocateRaw(p, 4, 100);
    pool.DeallocateRaw(nullptr, 4, 100);
    CHECK(pool.put_count() == 1);
    void* const other = Needed(pool.AllocateRaw(4, 101));
    CHECK(other != p);
    void* const again = Needed(pool.AllocateRaw(64, 100));
    Needed(base.num_failures() == 0 ? &base : nullptr);  // kept blocks went back, and it was asked again
    CHECK(again == p);
    CHECK(pool.get_from_pool_count() == 1);
    CHECK(pool.allocated_count() == 2);
    pool.DeallocateRaw(again, 64, 100);
    pool.DeallocateRaw(other, 4, 101);
    CHECK(base.blocks_in_use() == 2);
    pool.Clear();
    CHECK(base.blocks_in_use() == 0);
    CHECK(pool.evicted_count() == 0);
    pool.DeallocateRaw(Needed(pool.AllocateRaw(64, 0)), 64, 0);
    CHECK(base.blocks_in_use() == 1);
  }
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("requests that are rounded to one size share blocks") {
  TrackingAllocator base(CpuAllocator());
  PoolAllocator pool(2, false, Over(&base), &PoolAllocator::RoundToPowerOfTwo, "pool");
  void* const p = Needed(pool.AllocateRaw(64, 600));
  CHECK(base.bytes_in_use() == 1024);
  pool.DeallocateRaw(p, 64, 600);
  CHECK(pool.AllocateRaw(64, 1024) == p);
  std::memset(p, 1, 1024);
  pool.DeallocateRaw(p, 64, 1024);
  CHECK(PoolAllocator::RoundToPowerOfTwo(1) == 1);
  CHECK(PoolAllocator::RoundToPowerOfTwo(16) == 16);
  CHECK(PoolAllocator::RoundToPowerOfTwo(17) == 32);
  CHECK(PoolAllocator::RoundToNothing(17) == 17);
  CHECK(pool.AllocateRaw(64, SIZE_MAX) == nullptr);
}

TEST_CASE("a full pool gives back what lay there longest") {
  PoolAllocator pool(3, false, MakeOwned<FakeDevice>(1 << 20), &PoolAllocator::RoundToNothing, "pool");
  CHECK_FALSE(pool.HostAccessible());
  CHECK(pool.GetMemoryType() == tenon::AllocatorMemoryType::kDevice);
  void* blocks[4];
  const std::size_t sizes[4] = {16, 32, 32, 64};
  for (int i = 0; i < 4; ++i) blocks[i] = pool.AllocateRaw(64, sizes[i]);
  for (int i = 0; i < 3; ++i) pool.DeallocateRaw(blocks[i], 64, sizes[i]);
  CHECK(pool.AllocateRaw(64, 16) == blocks[0]);  // and so it is the newest
  pool.DeallocateRaw(blocks[0], 64, 16);
  CHECK(pool.evicted_count() == 0);
  pool.DeallocateRaw(blocks[3], 64, 64);
  CHECK(pool.evicted_count() == 1);
  CHECK(pool.AllocateRaw(64, 64) == blocks[3]);
  CHECK(pool.AllocateRaw(64, 32) == blocks[2]);
  CHECK(pool.AllocateRaw(64, 16) == blocks[0]);
  CHECK(pool.get_from_pool_count() == 4);
  CHECK(pool.AllocateRaw(64, 32) != blocks[1]);
  CHECK(pool.allocated_count() == 5);
  CHECK(pool.put_count() == 5);
}

TEST_CASE("without room the pool only passes on") {
  TrackingAllocator base(CpuAllocator());
  PoolAllocator pool(0, false, Over(&base), &PoolAllocator::RoundToNothing, "pool");
  pool.DeallocateRaw(pool.AllocateRaw(64, 100), 64, 100);
  CHECK(base.blocks_in_use() == 0);
  CHECK(pool.put_count() == 0);
}

TEST_CASE("large alignments go past the pool") {
  TrackingAllocator base(CpuAllocator());
  PoolAllocator pool(9, false, Over(&base), &PoolAllocator::RoundToNothing, "pool");
  void* const p = pool.AllocateRaw(256, 100);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  pool.DeallocateRaw(p, 256, 100);
  CHECK(base.blocks_in_use() == 0);
  CHECK(pool.AllocateRaw(4096, 100) == nullptr);  // which BaseSubAllocator does not give
}

TEST_CASE("a pool that evicts too much grows") {
  tenon::SetMinLogSeverity(tenon::LogSeverity::kError);
  PoolAllocator pool(2, true, MakeOwned<FakeDevice>(1 << 20), &PoolAllocator::RoundToNothing, "pool");
  const auto turn = [&pool](std::size_t count) {
    std::vector<void*> blocks;
    for (std::size_t i = 1; i <= count; ++i) blocks.push_back(pool.AllocateRaw(64, i));
    for (std::size_t i = 1; i <= count; ++i) pool.DeallocateRaw(blocks[i - 1], 64, i);
  };
  while (pool.evicted_count() < 999) turn(3);
  CHECK(pool.size_limit() == 2);
  turn(3);
  CHECK(pool.size_limit() == 100);
  CHECK(pool.evicted_count() + pool.put_count() + pool.allocated_count() + pool.get_from_pool_count() < 20);
  while (pool.size_limit() == 100) turn(150);
  CHECK(pool.size_limit() == 110);
  tenon::SetMinLogSeverity(tenon::LogSeverity::kInfo);
}

TEST_CASE("a pool that is to grow cannot begin with nothing") {
  const ChildResult child = RunInChild(
      [] { const PoolAllocator pool(0, true, MakeOwned<FakeDevice>(100), &PoolAllocator::RoundToNothing, "pool"); });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "the size limit must be > 0 if auto-resize is true"));
}

TEST_CASE("free blocks are given up when memory runs out") {
  PoolAllocator pool(10, false, MakeOwned<FakeDevice>(1000), &PoolAllocator::RoundToNothing, "pool");
  void* const p = pool.AllocateRaw(64, 400);
  void* const q = pool.AllocateRaw(64, 500);
  pool.DeallocateRaw(p, 64, 400);
  pool.DeallocateRaw(q, 64, 500);
  CHECK(pool.AllocateRaw(64, 300) != nullptr);
  CHECK(pool.AllocateRaw(64, 500) == q);  // only the older one went
  CHECK(pool.AllocateRaw(64, 300) == nullptr);
  CHECK(pool.evicted_count() == 0);
}

TEST_CASE("stats count blocks as they are rounded") {
  PoolAllocator pool(10, false, MakeOwned<FakeDevice>(10000), &PoolAllocator::RoundToPowerOfTwo, "pool");
  void* const p = pool.AllocateRaw(64, 100);
  static_cast<void>(pool.AllocateRaw(64, 1000));
  pool.DeallocateRaw(p, 64, 100);
  tenon::AllocatorStats stats = *pool.GetStats();
  CHECK(stats.num_allocs == 2);
  CHECK(stats.bytes_in_use == 1024);
  CHECK(stats.peak_bytes_in_use == 1024 + 128);
  CHECK(stats.largest_alloc_size == 1024);
  CHECK(stats.bytes_reserved == 1024 + 128);
  CHECK(stats.pool_bytes == 1024 + 128);
  CHECK(stats.largest_free_block_bytes == 128);
  CHECK(pool.ClearStats());
  pool.Clear();
  stats = *pool.GetStats();
  CHECK(stats.num_allocs == 0);
  CHECK(stats.peak_bytes_in_use == 1024);
  CHECK(stats.largest_alloc_size == 0);
  CHECK(stats.bytes_reserved == 1024);
  CHECK(stats.largest_free_block_bytes == 0);
}

TEST_CASE("what was received is what is given back") {
  TrackingAllocator base(CpuAllocator());
  {
    PoolAllocator pool(2, false, MakeOwned<Generous>(&base), &PoolAllocator::RoundToNothing, "pool");
    for (std::size_t bytes = 1; bytes < 10; ++bytes) {
      pool.DeallocateRaw(pool.AllocateRaw(64, bytes), 64, bytes);
      pool.DeallocateRaw(pool.AllocateRaw(64, 5), 64, 5);
    }
    CHECK(pool.get_from_pool_count() > 0);
  }
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}

TEST_CASE("threads share one pool") {
  TrackingAllocator base(CpuAllocator());
  {
    PoolAllocator pool(20, false, Over(&base), &PoolAllocator::RoundToPowerOfTwo, "pool");
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::vector<std::pair<unsigned char*, std::size_t>> blocks;
        for (int i = 0; i < 5000; ++i) {
          const std::size_t bytes = static_cast<std::size_t>((i * 37 + t * 11) % 3000 + 1);
          auto* const p = static_cast<unsigned char*>(Needed(pool.AllocateRaw(64, bytes)));
          std::memset(p, t, bytes);
          blocks.emplace_back(p, bytes);
          if (blocks.size() < 10) continue;
          const auto [old, old_bytes] = blocks.front();
          if (old[0] != t || old[old_bytes - 1] != t) ++wrong;
          pool.DeallocateRaw(old, 64, old_bytes);
          blocks.erase(blocks.begin());
        }
        for (const auto& [p, bytes] : blocks) pool.DeallocateRaw(p, 64, bytes);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(pool.GetStats()->bytes_in_use == 0);
  }
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
}
}  // namespace pool_allocator_test
