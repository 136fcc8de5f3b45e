// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/cpu_allocator.hpp>

#include <doctest/doctest.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.hpp"
#include "memory/needed.hpp"
#include "sanitizers.hpp"

namespace cpu_allocator_test {
using tenon::Allocator;
using tenon::CpuAllocator;
using tenon::HostAllocator;
using tenon::testing::Needed;

namespace {

bool IsAligned(const void* ptr, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(ptr) % alignment == 0;
}

#if defined(__linux__) && !TENON_TEST_ASAN && !TENON_TEST_TSAN
// Bytes of this process.
struct ProcessMemory {
  std::size_t mapped = 0, resident = 0;
};
ProcessMemory MemoryNow() {
  ProcessMemory pages;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu %zu", &pages.mapped, &pages.resident) != 2) std::abort();
  std::fclose(file);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {pages.mapped * page, pages.resident * page};
}
#endif

class CountingSink : public tenon::LogSink {
 public:
  CountingSink() : old_(tenon::SetLogSink(this)) {}
  ~CountingSink() override { tenon::SetLogSink(old_); }
  void Send(const tenon::LogEntry& entry) override { lines.emplace_back(entry.text); }
  std::vector<std::string> lines;

 private:
  tenon::LogSink* old_;
};

}  // namespace

TEST_CASE("there is one processor allocator, of pageable host memory") {
  Allocator* const a = CpuAllocator();
  CHECK(a == CpuAllocator());
  CHECK(a->Name() == "cpu");
  CHECK(a->GetMemoryType() == tenon::AllocatorMemoryType::kHostPageable);
  CHECK(a->HostAccessible());
  CHECK_FALSE(a->TracksAllocationSizes());
}

TEST_CASE("blocks of every size are aligned, writable to the end and apart from each other") {
  Allocator* const a = CpuAllocator();
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 100000; bytes = bytes + bytes / 3 + 1) {
    auto* const p = static_cast<unsigned char*>(Needed(a->AllocateRaw(Allocator::kAlignment, bytes)));
    REQUIRE(IsAligned(p, 64));
    std::memset(p, static_cast<int>(blocks.size() % 251), bytes);
    blocks.emplace_back(p, bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [p, bytes] = blocks[i];
    bool untouched = true;
    for (std::size_t b = 0; b < bytes; ++b) untouched = untouched && p[b] == i % 251;
    CHECK(untouched);
    a->DeallocateRaw(p, Allocator::kAlignment, bytes);
  }
}

TEST_CASE("larger alignments are kept for small and large blocks") {
  Allocator* const a = CpuAllocator();
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{128}, std::size_t{4096}}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{70001}}) {
      void* const p = Needed(a->AllocateRaw(alignment, bytes));
      REQUIRE(p != nullptr);
      CHECK(IsAligned(p, alignment < 64 ? 64 : alignment));
      std::memset(p, 1, bytes);
      a->DeallocateRaw(p, alignment, bytes);
    }
  }
}

TEST_CASE("a small block that was freed is given again to the same thread") {
  Allocator* const a = CpuAllocator();
  void* const first = Needed(a->AllocateRaw(64, 1000));
  a->DeallocateRaw(first, 64, 1000);
  void* const second = Needed(a->AllocateRaw(64, 990));
  CHECK(second == first);
  a->DeallocateRaw(second, 64, 990);
  CpuAllocator()->ReleaseThreadCache();
}

TEST_CASE("a thread keeps a bounded number of free blocks") {
  Allocator* const a = CpuAllocator();
  const std::size_t c = tenon::detail::SizeClass(20000);
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(a->AllocateRaw(64, 20000));
  for (void* p : blocks) a->DeallocateRaw(p, 64, 20000);
  CHECK(tenon::detail::cpu_block_cache.counts[c] == 2);
  blocks.clear();
  for (int i = 0; i < 200; ++i) blocks.push_back(a->AllocateRaw(64, 64));
  for (void* p : blocks) a->DeallocateRaw(p, 64, 64);
  CHECK(tenon::detail::cpu_block_cache.counts[0] == 64);
  CpuAllocator()->ReleaseThreadCache();
  CHECK(tenon::detail::cpu_block_cache.counts[c] == 0);
}

TEST_CASE("a block may be freed by another thread, and while a thread ends") {
  struct FreesLate {
    ~FreesLate() { CpuAllocator()->DeallocateRaw(block, 64, 100); }
    void* block = nullptr;
  };
  for (int i = 0; i < 20; ++i) {
    void* const one = CpuAllocator()->AllocateRaw(64, 100);
    void* const two = CpuAllocator()->AllocateRaw(64, 100);
    std::thread other([one, two] {
      static thread_local FreesLate late;  // made before the thread's cache opens, so it ends after it
      late.block = two;
      CpuAllocator()->DeallocateRaw(one, 64, 100);
    });
    other.join();
  }
}

TEST_CASE("threads allocate and free at the same time") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<unsigned char*> mine;
      for (int round = 0; round < 50; ++round) {
        for (std::size_t bytes = 8; bytes < 40000; bytes *= 3) {
          auto* const p = static_cast<unsigned char*>(Needed(CpuAllocator()->AllocateRaw(64, bytes)));
          p[0] = p[bytes - 1] = static_cast<unsigned char>(t);
          mine.push_back(p);
        }
        std::size_t bytes = 8;
        for (unsigned char* p : mine) {
          if (p[0] != t || p[bytes - 1] != t) std::abort();
          CpuAllocator()->DeallocateRaw(p, 64, bytes);
          bytes *= 3;
        }
        mine.clear();
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST_CASE("blocks too large for the threads' lists begin with a page") {
  for (const std::size_t bytes : {std::size_t{33} << 10, std::size_t{100000}, std::size_t{700} << 10}) {
    void* blocks[3];
    for (void*& block : blocks) {
      block = Needed(CpuAllocator()->AllocateRaw(Allocator::kAlignment, bytes));
      REQUIRE(block != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(block) % 4096 == 0);
    }
    for (void* const block : blocks) CpuAllocator()->DeallocateRaw(block, Allocator::kAlignment, bytes);
  }
}
TEST_CASE("large blocks begin at a huge page") {
  Allocator* const a = CpuAllocator();
  const std::size_t bytes = HostAllocator::kHugePageThreshold + 12345;
  auto* const p = static_cast<unsigned char*>(Needed(a->AllocateRaw(64, bytes)));
  REQUIRE(p != nullptr);
  CHECK(IsAligned(p, HostAllocator::kHugePage));
  p[0] = p[bytes - 1] = 1;
  a->DeallocateRaw(p, 64, bytes);
}

TEST_CASE("a large block that was freed is given again, to any thread, until it goes back to the system") {
  HostAllocator a;
  void* const first = Needed(a.AllocateRaw(64, 100000));
  REQUIRE(first != nullptr);
  std::thread([&a, first] { a.DeallocateRaw(first, 64, 100000); }).join();
  void* const second = a.AllocateRaw(64, 99000);
  CHECK(second == first);
  a.DeallocateRaw(second, 64, 99000);
  CHECK(a.ReleaseLargeBlocks() >= 100000);
  CHECK(a.ReleaseLargeBlocks() == 0);
  a.SetMostLargeBlockBytes(0);
  a.DeallocateRaw(Needed(a.AllocateRaw(64, 100000)), 64, 100000);
  CHECK(a.ReleaseLargeBlocks() == 0);
}

TEST_CASE("unused blocks are those that ReleaseLargeBlocks gives back") {
  HostAllocator a;
  a.DeallocateRaw(Needed(a.AllocateRaw(64, 100000)), 64, 100000);
  Allocator* const any = &a;
  CHECK(any->ReleaseUnused() >= 100000);
  CHECK(any->ReleaseUnused() == 0);
  CHECK(a.ReleaseLargeBlocks() == 0);
}

#if defined(__GLIBC__) && !TENON_TEST_ASAN && !TENON_TEST_TSAN
TEST_CASE("released blocks leave no pages behind, also where the C library keeps them") {
  const ChildResult child = RunInChild([] {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // large blocks come from the heap, too
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    constexpr int kBlocks = 32;
    HostAllocator a;
    a.SetMostLargeBlockBytes(2 * kBlocks * kBytes);
    std::vector<void*> blocks;
    for (int i = 0; i < kBlocks; ++i) blocks.push_back(Needed(a.AllocateRaw(64, kBytes)));
    for (void* const p : blocks) std::memset(p, 1, kBytes);
    for (void* const p : blocks) a.DeallocateRaw(p, 64, kBytes);
    const std::size_t before = MemoryNow().resident;
    a.ReleaseUnused();
    const std::size_t after = MemoryNow().resident;
    std::fprintf(stderr, "%d", after + (kBlocks - 4) * kBytes < before ? 1 : 0);
  });
  CHECK(child.errors == "1");
}
#endif

#if defined(__linux__) && !TENON_TEST_ASAN && !TENON_TEST_TSAN
TEST_CASE("free blocks go back before a request is refused, a small one and a large one") {
  const ChildResult child = RunInChild([] {
    HostAllocator a;
    a.SetMostLargeBlockBytes(std::size_t{64} << 20);
    for (const std::size_t wanted : {std::size_t{1000}, std::size_t{300000}}) {
      std::vector<void*> large;
      for (int i = 0; i < 8; ++i) large.push_back(Needed(a.AllocateRaw(64, std::size_t{1} << 20)));
      for (void* const p : large) a.DeallocateRaw(p, 64, std::size_t{1} << 20);
      a.ReleaseThreadCache();
      // From here on the system has nothing but what comes back.
      rlimit most{};
      getrlimit(RLIMIT_AS, &most);
      most.rlim_cur = MemoryNow().mapped;
      setrlimit(RLIMIT_AS, &most);
      for (std::size_t bytes = std::size_t{16} << 20; bytes >= 64; bytes /= 2)
        while (std::aligned_alloc(64, bytes) != nullptr) {
        }
      const bool nothing_left = std::aligned_alloc(64, 1024) == nullptr;
      void* const p = a.AllocateRaw(64, wanted);
      most.rlim_cur = most.rlim_max;
      setrlimit(RLIMIT_AS, &most);
      std::fprintf(stderr, "%d%d ", nothing_left ? 1 : 0, p != nullptr ? 1 : 0);
      a.DeallocateRaw(p, 64, wanted);
    }
  });
  CHECK(child.errors == "11 11 ");
}
#endif

TEST_CASE("a child of fork allocates whatever another thread was doing") {
  // Nobody watches here: the failure sweep would repeat the other thread's many requests one by one.
  tenon::AllocationObserver* const observer = CpuAllocator()->SetObserver(nullptr);
  std::atomic<bool> is_over{false};
  std::thread other([&is_over] {
    while (!is_over) CpuAllocator()->DeallocateRaw(CpuAllocator()->AllocateRaw(64, 40000), 64, 40000);
  });
  int ended_well = 0;
  constexpr int kForks = 100;
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // ends a child that waits for a lock that nobody lets go
      for (int k = 0; k < 3; ++k) {
        void* const p = Needed(CpuAllocator()->AllocateRaw(64, 40000));
        std::memset(p, k, 40000);
        CpuAllocator()->DeallocateRaw(p, 64, 40000);
      }
      CpuAllocator()->ReleaseLargeBlocks();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++ended_well;
    if (WIFSIGNALED(status)) break;
  }
  is_over = true;
  other.join();
  CHECK(ended_well == kForks);
  CpuAllocator()->SetObserver(observer);
}

TEST_CASE("what cannot be had is null, and null is freed by doing nothing") {
  Allocator* const a = CpuAllocator();
  CHECK(a->AllocateRaw(64, SIZE_MAX) == nullptr);
  CHECK(a->AllocateRaw(64, SIZE_MAX - 63) == nullptr);
  CHECK(a->AllocateRaw(64, std::size_t{1} << 60) == nullptr);
  CHECK(a->AllocateRaw(std::size_t{1} << 62, 64) == nullptr);
  a->DeallocateRaw(nullptr, 64, 100);
}

TEST_CASE("statistics are off until they are asked for") {
  HostAllocator a;
  CHECK_FALSE(a.GetStats().has_value());
  CHECK_FALSE(a.ClearStats());
  a.EnableStats(true);
  void* const p = a.AllocateRaw(64, 1000);
  void* const q = a.AllocateRaw(64, 50000);
  CHECK(a.GetStats()->num_allocs == 2);
  CHECK(a.GetStats()->bytes_in_use == 1024 + 50048);
  CHECK(a.GetStats()->largest_alloc_size == 50048);
  a.DeallocateRaw(q, 64, 50000);
  CHECK(a.GetStats()->bytes_in_use == 1024);
  CHECK(a.GetStats()->peak_bytes_in_use == 1024 + 50048);
  CHECK(a.ClearStats());
  CHECK(a.GetStats()->num_allocs == 0);
  CHECK(a.GetStats()->peak_bytes_in_use == 1024);
  a.DeallocateRaw(p, 64, 1000);
  CHECK(a.GetStats()->bytes_in_use == 0);
}

TEST_CASE("an allocation of more than a tenth of the free memory is warned of, five times at most") {
  const auto bytes = static_cast<std::size_t>(tenon::detail::FreeSystemMemory() / 5);
  if (bytes < HostAllocator::kHugePageThreshold) return;
  const CountingSink sink;
  HostAllocator a;
  for (int i = 0; i < 7; ++i) a.DeallocateRaw(a.AllocateRaw(64, bytes), 64, bytes);
  REQUIRE(sink.lines.size() == 5);
  CHECK(sink.lines[0] == "Allocation of " + std::to_string(bytes) + " exceeds 10% of free system memory.");
}

TEST_CASE("an observer sees every request, and may refuse it") {
  struct Observer final : tenon::AllocationObserver {
    bool MayAllocate(std::size_t, std::size_t bytes) override { return bytes != 123; }
    void Allocated(void* ptr, std::size_t alignment, std::size_t bytes) override {
      last = ptr;
      out += bytes + alignment;
    }
    void Deallocated(void*, std::size_t alignment, std::size_t bytes) override { out -= bytes + alignment; }
    void* last = nullptr;
    std::size_t out = 0;
  } observer;
  CHECK(tenon::CpuAllocator()->SetObserver(&observer) == nullptr);
  void* const small = tenon::CpuAllocator()->AllocateRaw(64, 100);
  CHECK(observer.last == small);
  void* const large = tenon::CpuAllocator()->AllocateRaw(4096, std::size_t{5} << 20);
  CHECK(observer.last == large);
  CHECK(observer.out == 100 + 64 + (std::size_t{5} << 20) + 4096);
  CHECK(tenon::CpuAllocator()->AllocateRaw(64, 123) == nullptr);
  tenon::CpuAllocator()->DeallocateRaw(small, 64, 100);
  tenon::CpuAllocator()->DeallocateRaw(large, 4096, std::size_t{5} << 20);
  CHECK(observer.out == 0);
  CHECK(tenon::CpuAllocator()->SetObserver(nullptr) == &observer);
}
}  // namespace cpu_allocator_test
