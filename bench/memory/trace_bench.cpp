// SPDX-License-Identifier: Apache-2.0
// The allocations of one step of cnn_digits (batch 8), recorded in cnn_step.trace, replayed through Tenon's allocators,
// glibc's and, where they are installed, mimalloc and jemalloc. Alone, and with two threads at once.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>

#include "harness.hpp"
#include "peers/peer.hpp"

namespace tenon::bench {
namespace {

struct Event {
  std::uint32_t block = 0;
  std::size_t bytes = 0;
  bool is_free = false;
};

struct Trace {
  std::vector<Event> events;
  std::size_t num_blocks = 0;
};

// Lines "a BLOCK BYTES" and "f BLOCK".
const Trace& CnnStep() {
  static const Trace trace = [] {
    Trace t;
    std::ifstream file(StrCat(TENON_TEST_DATA, "/../../bench/memory/cnn_step.trace"));
    std::vector<std::size_t> sizes;
    for (std::string line; std::getline(file, line);) {
      Event e;
      char* end = nullptr;
      if (line.empty() || (line[0] != 'a' && line[0] != 'f')) continue;
      e.block = static_cast<std::uint32_t>(std::strtoul(line.c_str() + 1, &end, 10));
      e.is_free = line[0] == 'f';
      if (e.block >= sizes.size()) sizes.resize(e.block + 1);
      if (!e.is_free) sizes[e.block] = std::strtoull(end, nullptr, 10);
      e.bytes = sizes[e.block];
      t.events.push_back(e);
    }
    t.num_blocks = sizes.size();
    return t;
  }();
  return trace;
}

// One step; each block's first bytes are written.
template <class Allocate, class Free>
void Replay(const Trace& trace, std::vector<void*>& blocks, Allocate allocate, Free free) {
  for (const Event& e : trace.events) {
    void*& block = blocks[e.block];
    if (e.is_free) {
      free(block, e.bytes);
    } else {
      block = allocate(e.bytes);
      *static_cast<std::uint64_t*>(block) = e.block;
    }
  }
}

using MallocAligned = void*(std::size_t, std::size_t);
using FreeBlock = void(void*);

// Some steps by one or two threads, each with its own blocks.
constexpr int kSteps = 64;
template <class Allocate, class Free>
void Run(int threads, Allocate allocate, Free free) {
  const auto steps = [&] {
    const Trace& trace = CnnStep();
    std::vector<void*> blocks(trace.num_blocks);
    for (int i = 0; i < kSteps; ++i) Replay(trace, blocks, allocate, free);
  };
  std::thread other;
  if (threads == 2) other = std::thread(steps);
  steps();
  if (threads == 2) other.join();
}

void RunIn(Allocator* allocator, int threads) {
  Run(
      threads, [allocator](std::size_t bytes) { return allocator->AllocateRaw(Allocator::kAlignment, bytes); },
      [allocator](void* p, std::size_t bytes) { allocator->DeallocateRaw(p, Allocator::kAlignment, bytes); });
}

// A library's allocator, aligned as tensors are.
void AddLibrary(State& state, const char* name, const char* file, const char* allocate_name, bool alignment_first,
                const char* free_name) {
  MallocAligned* allocate = nullptr;
  FreeBlock* free = nullptr;
  Result<Library> library = Library::Open(file);
  Status status = library.status();
  if (status.ok()) status = library->Bind(allocate_name, &allocate);
  if (status.ok()) status = library->Bind(free_name, &free);
  if (!status.ok()) {
    Note(StrCat(name, " is absent: ", status.message()));
    return state.Absent(name, std::string(status.message()));
  }
  const int threads = static_cast<int>(state.arg());
  state.Peer(name, [=] {
    Run(
        threads,
        [=](std::size_t bytes) {
          const std::size_t rounded = (bytes + 63) / 64 * 64;
          return alignment_first ? allocate(64, rounded) : allocate(rounded, 64);
        },
        [=](void* p, std::size_t) { free(p); });
  });
}

void AddPeers(State& state) {
  state.SetItems(static_cast<double>(CnnStep().num_blocks) * kSteps * static_cast<double>(state.arg()), "block");
  if (CnnStep().events.empty()) state.Fail(Status(Code::kNotFound, "bench/memory/cnn_step.trace"));
  const int threads = static_cast<int>(state.arg());
  state.Peer("glibc", [threads] {
    Run(
        threads, [](std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); },
        [](void* p, std::size_t) { std::free(p); });
  });
  AddLibrary(state, "mimalloc", "libmimalloc.so.2", "mi_malloc_aligned", false, "mi_free");
  AddLibrary(state, "jemalloc", "libjemalloc.so.2", "aligned_alloc", true, "free");
}

}  // namespace

// The number is that of the threads.
TENON_BENCH(cnn_step_bfc, {1, 2}) {
  BFCAllocator bfc(MakeOwned<BaseSubAllocator>(CpuAllocator()), std::size_t{1} << 30, "cpu_bfc");
  AddPeers(state);
  for (auto _ : state) RunIn(&bfc, static_cast<int>(state.arg()));
}
TENON_BENCH(cnn_step_cpu_allocator, {1, 2}) {
  AddPeers(state);
  for (auto _ : state) RunIn(CpuAllocator(), static_cast<int>(state.arg()));
}
// As a session's step has it: each thread's own, which it owns.
TENON_BENCH(cnn_step_caching_allocator, {1}) {
  const std::unique_ptr<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(CpuAllocator()));
  AddPeers(state);
  cache->SetOwnerThread();
  for (auto _ : state) RunIn(cache.get(), 1);
  cache->ClearOwnerThread();
}

namespace {

// Blocks of random sizes up to 1 MiB, many at a time: one of them is freed, another allocated.
template <class Allocate, class Free>
class MixedBlocks {
 public:
  MixedBlocks(std::size_t count, Allocate allocate, Free free) : allocate_(allocate), free_(free), blocks_(count) {
    for (Block& b : blocks_) b = Make();
  }
  MixedBlocks(const MixedBlocks&) = delete;
  MixedBlocks& operator=(const MixedBlocks&) = delete;
  ~MixedBlocks() {
    for (const Block& b : blocks_) free_(b.ptr, b.bytes);
  }

  void ReplaceOne() {
    Block& b = blocks_[static_cast<std::size_t>(Random() % blocks_.size())];
    free_(b.ptr, b.bytes);
    b = Make();
  }

 private:
  struct Block {
    void* ptr;
    std::size_t bytes;
  };

  std::uint64_t Random() {  // xorshift64
    x_ ^= x_ << 13;
    x_ ^= x_ >> 7;
    return x_ ^= x_ << 17;
  }
  Block Make() {
    const std::uint64_t r = Random();
    const std::uint64_t magnitude = std::uint64_t{1} << r % 20;
    const auto bytes = static_cast<std::size_t>(magnitude + (r >> 32) % magnitude);
    return {allocate_(bytes), bytes};
  }

  Allocate allocate_;
  Free free_;
  std::uint64_t x_ = 88172645463325252u;
  std::vector<Block> blocks_;
};

}  // namespace

TENON_BENCH(bfc_mixed_pair, {100, 1000, 10000}) {
  const auto count = static_cast<std::size_t>(state.arg());
  MixedBlocks theirs(
      count, [](std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); },
      [](void* p, std::size_t) { std::free(p); });
  state.Peer("glibc", [&theirs] { theirs.ReplaceOne(); });
  BFCAllocator bfc(MakeOwned<BaseSubAllocator>(CpuAllocator()), std::size_t{16} << 30, "cpu_bfc");
  MixedBlocks ours(
      count, [&bfc](std::size_t bytes) { return bfc.AllocateRaw(Allocator::kAlignment, bytes); },
      [&bfc](void* p, std::size_t bytes) { bfc.DeallocateRaw(p, Allocator::kAlignment, bytes); });
  for (auto _ : state) ours.ReplaceOne();
}
TENON_BENCH(bfc_pair, {64, 4096, 1 << 20}) {
  BFCAllocator bfc(MakeOwned<BaseSubAllocator>(CpuAllocator()), std::size_t{1} << 30, "cpu_bfc");
  const auto bytes = static_cast<std::size_t>(state.arg());
  for (auto _ : state) {
    void* block = bfc.AllocateRaw(Allocator::kAlignment, bytes);
    Keep(block);
    bfc.DeallocateRaw(block, Allocator::kAlignment, bytes);
  }
}

}  // namespace tenon::bench
