// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/random.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace random_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of samples") {
  TEST_CASE("a row for each distribution of gamma samples") {
    const GradientIndex functions;
    for (const char* op : {"RandomGamma", "StatelessRandomGammaV2", "StatelessRandomGammaV3"})
      CHECK(functions.Find(op) != nullptr);
  }
}

}  // namespace random_gradient_test
