// SPDX-License-Identifier: Apache-2.0
#include <tenon/env_allocator.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

TEST_CASE("env_allocator.hpp changes nothing unless the environment asks") {
  REQUIRE(std::getenv("TF_CPU_ALLOCATOR_USE_BFC") == nullptr);
  CHECK(*tenon::BFCLimitFromEnvironment() == 0);
  CHECK(tenon::DefaultAllocator() == tenon::CpuAllocator());
}
