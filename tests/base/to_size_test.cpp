// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/to_size.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace to_size_test {
using namespace tenon;

TEST_SUITE("ToSize") {
  TEST_CASE("keeps the number and gives the type of subscripts") {
    static_assert(std::is_same_v<decltype(ToSize(0)), std::size_t>);
    CHECK(ToSize(0) == 0);
    CHECK(ToSize(std::numeric_limits<int>::max()) == 2147483647u);
  }
}
}  // namespace to_size_test
