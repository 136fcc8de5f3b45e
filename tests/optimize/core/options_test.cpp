// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/options.hpp>

#include <doctest/doctest.h>

namespace options_test {
using namespace tenon;

TEST_SUITE("OptimizerOptions") {
  TEST_CASE("no pass runs unless a level is given; levels are ordered") {
    const OptimizerOptions options;
    CHECK(options.level == OptimizerLevel::kOff);
    CHECK(options.only.empty());
    CHECK(options.sink == nullptr);
    CHECK(OptimizerLevel::kOff < OptimizerLevel::kExact);
    CHECK(OptimizerLevel::kExact < OptimizerLevel::kFast);
  }
}

}  // namespace options_test
