// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/check.hpp>

#include <doctest/doctest.h>

#include "child_process.hpp"

namespace check_test {
TEST_CASE("a check that holds does nothing and evaluates no message") {
  int evaluated = 0;
  TENON_CHECK(1 + 1 == 2, "never ", ++evaluated);
  TENON_CHECK(true);
  CHECK(evaluated == 0);
}

TEST_CASE("a check is one statement") {
  const bool on = true;
  if (on)
    TENON_CHECK(on, "text");
  else
    TENON_CHECK(!on, "text");
}

TEST_CASE("a check that fails ends the program with place, condition and text") {
  const int rank = 3;
  const int line = __LINE__ + 1;
  const ChildResult child = RunInChild([&] { TENON_CHECK(rank == 2, "Tensor::matrix: rank is ", rank); });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "check_test.cpp:" + std::to_string(line)));
  CHECK(Contains(child.errors, "check failed: rank == 2: Tensor::matrix: rank is 3\n"));
}

TEST_CASE("a check without text names its condition") {
  const ChildResult child = RunInChild([] { TENON_CHECK(2 < 1); });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "check failed: 2 < 1\n"));
}
}  // namespace check_test
