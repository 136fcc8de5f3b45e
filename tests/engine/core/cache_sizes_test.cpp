// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/cache_sizes.hpp>

#include <doctest/doctest.h>

namespace cache_sizes_test {
using namespace tenon;

TEST_SUITE("Caches") {
  TEST_CASE("each is larger than the one before it, and they stay the same") {
    const detail::CacheSizes& sizes = detail::Caches();
    CHECK(sizes.first >= 4096);
    CHECK(sizes.second > sizes.first);
    CHECK(sizes.last > sizes.second);
    CHECK(&detail::Caches() == &sizes);
  }
}

}  // namespace cache_sizes_test
