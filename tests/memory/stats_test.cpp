// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/stats.hpp>

#include <doctest/doctest.h>

namespace stats_test {
TEST_CASE("statistics print as TensorFlow prints them") {
  tenon::AllocatorStats stats;
  stats.num_allocs = 12;
  stats.bytes_in_use = 4096;
  stats.peak_bytes_in_use = 8192;
  stats.largest_alloc_size = 1234567890123456789;
  stats.bytes_limit = 1 << 20;
  stats.bytes_reserved = 65536;
  stats.peak_bytes_reserved = 131072;
  stats.largest_free_block_bytes = -1;
  CHECK(stats.DebugString() ==
        "Limit:                         1048576\n"
        "InUse:                            4096\n"
        "MaxInUse:                         8192\n"
        "NumAllocs:                          12\n"
        "MaxAllocSize:      1234567890123456789\n"
        "Reserved:                        65536\n"
        "PeakReserved:                   131072\n"
        "LargestFreeBlock:                   -1\n");
}

TEST_CASE("an absent limit prints as zero") {
  CHECK(tenon::AllocatorStats().DebugString().substr(0, 39) == "Limit:                               0\n");
}
}  // namespace stats_test
