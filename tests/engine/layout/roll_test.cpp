// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/roll.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace roll_test {
using namespace tenon;

TEST_SUITE("Roll") {
  TEST_CASE("dimensions that stay are joined with the one outside") {
    RollPlan plan;
    plan.Add(2, 0);
    plan.Add(3, 1);
    plan.Add(4, 0);
    REQUIRE(plan.dims.size() == 2);
    CHECK(plan.dims[0].size == 2);
    CHECK(plan.dims[1].size == 12);
    CHECK(plan.dims[1].shift == 4);
    CHECK(plan.elements == 24);
  }
  TEST_CASE("element i goes to (i + shift) mod size in every dimension") {
    for (const Index outer : {0, 1, 3})
      for (const Index middle : {0, 2})
        for (const Index inner : {0, 1}) {
          RollPlan plan;
          plan.Add(4, outer);
          plan.Add(3, middle);
          plan.Add(2, inner);
          std::vector<int> in(24), out(24, -1);
          for (int i = 0; i < 24; ++i) in[static_cast<std::size_t>(i)] = i;
          Cpu device;
          Roll(device, ElementMover{sizeof(int)}, plan, in.data(), out.data());
          for (Index i = 0; i < 4; ++i)
            for (Index j = 0; j < 3; ++j)
              for (Index k = 0; k < 2; ++k)
                CHECK(out[static_cast<std::size_t>((i + outer) % 4 * 6 + (j + middle) % 3 * 2 + (k + inner) % 2)] ==
                      i * 6 + j * 2 + k);
        }
  }
  TEST_CASE("nothing is turned in a tensor without elements") {
    RollPlan plan;
    plan.Add(0, 0);
    plan.Add(3, 1);
    Cpu device;
    CHECK(Roll(device, ElementMover{4}, plan, nullptr, nullptr).ok());
  }
}

}  // namespace roll_test
