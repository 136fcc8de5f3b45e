// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/numa_sub_allocator.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <tenon/memory/bfc_allocator.hpp>

namespace numa_sub_allocator_test {
using namespace tenon;

namespace {
class Log final : public LogSink {
 public:
  Log() : before_(SetLogSink(this)) {}
  ~Log() override { SetLogSink(before_); }
  void Send(const LogEntry& entry) override { lines.emplace_back(entry.text); }
  std::vector<std::string> lines;

 private:
  LogSink* const before_;
};
}  // namespace

TEST_SUITE("NumaSubAllocator") {
  TEST_CASE("gives whole pages of every node there is, or says why not") {
    const Log log;
    const numa::Nodes nodes = numa::AllowedNodes();
    CHECK(numa::NumNodes() >= 1);
    for (int node = 0; node < 8; ++node) {
      CAPTURE(node);
      NumaSubAllocator a(node);
      CHECK(a.node() == node);
      if (!nodes.contains(node)) CHECK_FALSE(a.why_not().empty());
      std::size_t received = 0;
      void* const ptr = a.Alloc(256, 5000, &received);
      REQUIRE(ptr != nullptr);
      CHECK(received >= 5000);
      std::memset(ptr, 1, received);
      if (a.why_not().empty() && numa::NodeOf(ptr) != numa::kNoNode) CHECK(numa::NodeOf(ptr) == node);
      a.Free(ptr, received);
    }
    for (const std::string& line : log.lines) {
      CHECK(line.find("NumaSubAllocator: memory for node ") == 0);
    }
  }
  TEST_CASE("without a node it is ordinary memory, and nothing is said") {
    const Log log;
    NumaSubAllocator a(numa::kNoNode);
    std::size_t received = 0;
    void* const ptr = a.Alloc(256, 1, &received);
    CHECK(ptr != nullptr);
    a.Free(ptr, received);
    a.Free(nullptr, 0);
    CHECK(a.why_not().empty());
    CHECK(log.lines.empty());
  }
  TEST_CASE("large pieces are aligned for huge pages, and other alignments are kept") {
    NumaSubAllocator a(numa::kNoNode);
    std::size_t received = 0;
    for (const std::size_t alignment :
         {std::size_t{256}, std::size_t{4096}, std::size_t{1} << 16, std::size_t{1} << 22}) {
      void* const ptr = a.Alloc(alignment, std::size_t{8} << 20, &received);
#if defined(__linux__)
      REQUIRE(ptr != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(ptr) % (std::size_t{2} << 20) == 0);
#endif
      if (ptr == nullptr) continue;
      CHECK(reinterpret_cast<std::uintptr_t>(ptr) % alignment == 0);
      static_cast<char*>(ptr)[received - 1] = 1;
      a.Free(ptr, received);
    }
    CHECK(a.Alloc(64, SIZE_MAX, &received) == nullptr);
    CHECK(received == 0);
  }
  TEST_CASE("visitors see the node, first and last") {
    std::vector<int> seen;
    SlimVector<SubAllocator::Visitor> alloc, free;
    alloc.emplace_back([&seen](void*, int index, std::size_t) { seen.push_back(index); });
    free.emplace_back([&seen](void*, int index, std::size_t) { seen.push_back(100 + index); });
    const Log log;
    NumaSubAllocator a(0, std::move(alloc), std::move(free));
    std::size_t received = 0;
    void* const ptr = a.Alloc(64, 100, &received);
    a.Free(ptr, received);
    CHECK(seen == std::vector<int>{0, 100});
  }
  TEST_CASE("a BFCAllocator stands on it") {
    const Log log;
    BFCAllocator a(MakeOwned<NumaSubAllocator>(0), std::size_t{64} << 20, "cpu_node_0");
    void* const p = a.AllocateRaw(64, std::size_t{5} << 20);
    REQUIRE(p != nullptr);
    std::memset(p, 1, std::size_t{5} << 20);
    a.DeallocateRaw(p, 64, std::size_t{5} << 20);
    CHECK(a.FindDefect() == "");
  }
}
}  // namespace numa_sub_allocator_test
