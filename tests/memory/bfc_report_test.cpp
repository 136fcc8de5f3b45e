// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/bfc_report.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bfc_report_test {
using tenon::AllocatorStats;
using tenon::detail::BFCChunks;
using tenon::detail::BFCReport;
using tenon::detail::HumanReadableBytes;

namespace {

// A region of 100 units of 256 bytes: 40 in use (of which 30 were asked for), 10 free, 50 in use.
struct Region {
  Region() : handles(100) {
    first = chunks.NewChunk();
    chunks.At(first).ptr = reinterpret_cast<char*>(std::uintptr_t{1} << 40);
    chunks.At(first).bytes = 25600;
    handles[0] = first;
    chunks.regions().push_back({chunks.At(first).ptr, 25600, 25600, handles.data()});
    chunks.Split(first, 40 * 256);
    second = chunks.At(first).next;
    chunks.Erase(second);
    chunks.Split(second, 10 * 256);
    third = chunks.At(second).next;
    chunks.Erase(third);
    chunks.Insert(second);
    Use(first, 30 * 256, 1);
    Use(third, 50 * 256, 2);
    stats.bytes_in_use = 90 * 256;
    stats.bytes_reserved = 25600;
  }
  void Use(BFCChunks::Handle h, std::size_t requested_bytes, std::int64_t id) {
    chunks.At(h).requested_bytes = requested_bytes;
    chunks.At(h).allocation_id = id;
  }
  std::string Defect() const { return BFCReport(chunks).FindDefect(stats); }

  std::vector<BFCChunks::Handle> handles;
  BFCChunks chunks;
  BFCChunks::Handle first, second, third;
  AllocatorStats stats;
};

}  // namespace

TEST_SUITE("BFCReport") {
  TEST_CASE("bytes are written as TensorFlow writes them") {
    CHECK(HumanReadableBytes(0) == "0B");
    CHECK(HumanReadableBytes(1023) == "1023B");
    CHECK(HumanReadableBytes(1024) == "1.00KiB");
    CHECK(HumanReadableBytes(std::size_t{3} << 29) == "1.50GiB");
    CHECK(HumanReadableBytes(~std::size_t{0}) == "16.00EiB");
  }
  TEST_CASE("the picture shows what is used, what was not asked for, and what is free") {
    Region region;
    CHECK(BFCReport(region.chunks).Occupancy() ==
          std::string(30, '*') + std::string(10, 'x') + std::string(10, '_') + std::string(50, '*'));
    CHECK(BFCReport(region.chunks).Fragmentation(2560) == 0);
    CHECK(BFCReport(region.chunks).Fragmentation(5120) == 0.5);
    CHECK(BFCReport(region.chunks).Fragmentation(0) == 0);
  }
  TEST_CASE("chunks and bins are listed and summed up") {
    Region region;
    std::string chunks, bins;
    BFCReport(region.chunks).DumpChunks(&chunks);
    BFCReport(region.chunks).DumpBins(&bins);
    CHECK(chunks ==
          "Next region of size 25600\n"
          "InUse at 0x10000000000 of size 10240 requested 7680 id 1\n"
          "Free  at 0x10000002800 of size 2560\n"
          "InUse at 0x10000003200 of size 12800 requested 12800 id 2\n"
          "     Summary of in-use Chunks by size:\n"
          "1 Chunks of size 10240 totalling 10.00KiB\n"
          "1 Chunks of size 12800 totalling 12.50KiB\n"
          "Sum Total of in-use chunks: 22.50KiB\n");
    CHECK(bins.find("Bin (256): Total Chunks: 0, Chunks in use: 0. 0B allocated for chunks.") == 0);
    CHECK(
        bins.find(
            "Bin (8192): Total Chunks: 2, Chunks in use: 2. 22.50KiB allocated for chunks. 22.50KiB in use in bin. 20.00KiB client-requested") !=
        std::string::npos);
  }
  TEST_CASE("a sound structure has no defect, and each broken one is named") {
    CHECK(Region().Defect() == "");
    const auto broken = [](void (*spoil)(Region&)) {
      Region region;
      spoil(region);
      return region.Defect();
    };
    CHECK(broken([](Region& r) { r.stats.bytes_in_use -= 256; }) == "bytes_in_use is not the sum of the chunks in use");
    CHECK(broken([](Region& r) { ++r.stats.bytes_reserved; }) == "bytes_reserved is not the sum of the regions");
    CHECK(broken([](Region& r) { r.chunks.At(r.third).ptr += 256; }) == "chunks leave gaps");
    CHECK(broken([](Region& r) { r.chunks.At(r.third).prev = r.first; }) == "a chunk is linked wrong");
    CHECK(broken([](Region& r) { r.chunks.At(r.second).next = 0; }) == "the chunks of a region do not fill it");
    CHECK(broken([](Region& r) { r.handles[7] = r.first; }) == "a handle stands where no chunk begins");
    CHECK(broken([](Region& r) { r.Use(r.first, 99999, 1); }) == "a chunk in use is too small or stamped");
    CHECK(broken([](Region& r) { r.chunks.Erase(r.second); }) == "1 free chunks, but 0 in the trees");
    CHECK(broken([](Region& r) { r.chunks.At(r.second).freed_at = 3; }) == "a stamped chunk is not in the list");
    CHECK(broken([](Region& r) {
            r.chunks.At(r.third).allocation_id = -1;
            r.chunks.Insert(r.third);
            r.stats.bytes_in_use = 40 * 256;
          }) == "two free neighbours are not joined");
  }
}
}  // namespace bfc_report_test
