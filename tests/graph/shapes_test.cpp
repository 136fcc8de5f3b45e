// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/shapes.hpp>

#include <doctest/doctest.h>

namespace shapes_test {
using namespace tenon;

TEST_CASE("the folding of integer nodes is in every program that includes the whole of shape inference") {
  const bool linked = detail::extensions.fold_integers.load() == &FoldIntegers;
  CHECK(linked);
}

}  // namespace shapes_test
