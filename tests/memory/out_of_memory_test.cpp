// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/out_of_memory.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>

namespace out_of_memory_test {
namespace {
class Full final : public tenon::Allocator {
 public:
  std::string_view Name() const override { return "full"; }
  void* AllocateRaw(std::size_t, std::size_t, const tenon::AllocationAttributes&) override { return nullptr; }
  void DeallocateRaw(void*, std::size_t, std::size_t) override {}
  std::optional<tenon::AllocatorStats> GetStats() const override { return stats; }
  std::optional<tenon::AllocatorStats> stats;
};
}  // namespace

TEST_CASE("an allocator without memory is told of by name, request and stats") {
  Full a;
  CHECK(tenon::detail::NoMemoryFrom(a, 24) == "allocator full, which was asked for 24 bytes; it keeps no statistics");
  a.stats.emplace();
  a.stats->bytes_in_use = 100;
  a.stats->peak_bytes_in_use = 200;
  a.stats->num_allocs = 7;
  CHECK(tenon::detail::NoMemoryFrom(a, 24) ==
        "allocator full, which was asked for 24 bytes; in use: 100 bytes (peak 200, 7 allocations)");
  a.stats->bytes_limit = 128;
  a.stats->bytes_reserved = 120;
  a.stats->largest_free_block_bytes = 16;
  CHECK(tenon::detail::NoMemoryFrom(a, 24) ==
        "allocator full, which was asked for 24 bytes; in use: 100 bytes (peak 200, 7 allocations, limit 128, reserved "
        "120, largest free block 16)");
}
}  // namespace out_of_memory_test
