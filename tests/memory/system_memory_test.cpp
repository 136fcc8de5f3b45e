// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/system_memory.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace system_memory_test {

TEST_CASE("the machine has memory, and not more of it free than there is") {
  const std::int64_t all = tenon::detail::SystemMemory(), free = tenon::detail::FreeSystemMemory();
#if defined(__linux__)
  CHECK(all >= std::int64_t{64} << 20);
  CHECK(all % 4096 == 0);
  CHECK(free > 0);
#endif
  CHECK(free <= all);
  CHECK(tenon::detail::SystemMemory() == all);
}

}  // namespace system_memory_test
