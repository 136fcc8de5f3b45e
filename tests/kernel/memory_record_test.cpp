// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/memory_record.hpp>

#include <doctest/doctest.h>

namespace memory_record_test {
using namespace tenon;

TEST_SUITE("MemoryRecord") {
  TEST_CASE("adds up, and forgets what was given away") {
    MemoryRecord record;
    const Tensor a = Tensor::Zeros<float>({4}), b = Tensor::Zeros<float>({2});
    record.AddTemp(16, a);
    record.AddTemp(8, b);
    CHECK(record.temp_bytes() == 24);
    record.RemoveTemp(a);
    record.RemoveTemp(a);  // not there any more
    CHECK(record.temp_bytes() == 8);
    record.AddPersistent(5, -1);
    record.AddPersistent(6, 1);
    CHECK(record.persistent_bytes() == 11);
    CHECK(record.persistent_ids().size() == 1);
    record.Clear();
    CHECK(record.temp_bytes() + record.persistent_bytes() == 0);
    CHECK(record.persistent_ids().empty());
  }
}
}  // namespace memory_record_test
