// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimizer.hpp>

#include <doctest/doctest.h>

#include <tenon/base/extensions.hpp>

TEST_SUITE("<tenon/optimizer.hpp>") {
  TEST_CASE("including it lets sessions optimise their graphs") {
    CHECK(tenon::detail::extensions.optimizer.load() == &tenon::detail::kSignatureOptimizer);
  }
}
