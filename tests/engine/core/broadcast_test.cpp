// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/broadcast.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace broadcast_test {
using namespace tenon;

namespace {

std::string Broadcast(const TensorShape& a, const TensorShape& b) {
  TensorShape out;
  const Status status = BroadcastShape(a, b, &out);
  return status.ok() ? out.DebugString() : status.ToString();
}

// Walks over the whole output in pieces of `piece` rows and compares every operand element with the second way to
// compute it.
bool WalkIsRight(const TensorShape& a, const TensorShape& b, Index piece) {
  TensorShape out;
  if (!BroadcastShape(a, b, &out).ok()) return false;
  BroadcastPlan plan;
  if (!plan.Make(a, b, out).ok()) return false;
  const std::vector<Index> want_a = testing::BroadcastIndices(a, out), want_b = testing::BroadcastIndices(b, out);
  const Index inner = plan.inner(), rows = out.num_elements() / inner;
  for (Index start = 0; start < rows; start += piece) {
    BroadcastWalk walk(plan, start);
    for (Index row = start; row < rows && row < start + piece; ++row) {
      for (Index i = 0; i < inner; ++i) {
        const auto at = static_cast<std::size_t>(row * inner + i);
        if (walk.a + i * plan.stride_a[plan.rank - 1] != want_a[at]) return false;
        if (walk.b + i * plan.stride_b[plan.rank - 1] != want_b[at]) return false;
      }
      walk.Advance(1);
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("broadcast") {
  TEST_CASE("shapes are aligned at the last dimension and a size of 1 repeats") {
    CHECK(Broadcast({2, 3}, {3}) == "[2,3]");
    CHECK(Broadcast({2, 1}, {1, 3}) == "[2,3]");
    CHECK(Broadcast({}, {4, 5}) == "[4,5]");
    CHECK(Broadcast({}, {}) == "[]");
    CHECK(Broadcast({5, 1, 7}, {6, 1}) == "[5,6,7]");
    CHECK(Broadcast({0, 3}, {1, 1}) == "[0,3]");
    CHECK(Broadcast({0}, {1}) == "[0]");
  }

  TEST_CASE("names both shapes when they do not fit") {
    CHECK(Broadcast({2, 3}, {4, 3}) == "INVALID_ARGUMENT: Incompatible shapes: [2,3] vs. [4,3]");
    CHECK(Broadcast({0}, {3}) == "INVALID_ARGUMENT: Incompatible shapes: [0] vs. [3]");
  }

  TEST_CASE("a plan joins neighbouring dimensions that both operands treat alike") {
    BroadcastPlan plan;
    REQUIRE(plan.Make({2, 3, 4, 5}, {4, 5}, {2, 3, 4, 5}).ok());
    CHECK(plan.rank == 2);
    CHECK(plan.size[0] == 6);
    CHECK(plan.size[1] == 20);
    CHECK(plan.stride_a[0] == 20);
    CHECK(plan.stride_b[0] == 0);
    REQUIRE(plan.Make({1, 7, 1}, {7, 1}, {1, 7, 1}).ok());
    CHECK(plan.rank == 1);
    CHECK(plan.size[0] == 7);
    REQUIRE(plan.Make({}, {1, 1}, {1, 1}).ok());
    CHECK(plan.rank == 1);
    CHECK(plan.inner() == 1);
  }

  TEST_CASE("a plan refuses an output that is not the operands' shape") {
    BroadcastPlan plan;
    CHECK(plan.Make({2}, {2}, {3}).message() == "Incompatible shapes: [2] vs. [2]");
    CHECK(plan.Make({1}, {1}, {3}).message() == "Incompatible shapes: [1] vs. [1]");
    CHECK(plan.Make({2, 2}, {2}, {2}).message() == "Incompatible shapes: [2,2] vs. [2]");
  }

  TEST_CASE("a walk finds every operand element, from any row on") {
    const TensorShape shapes[][2] = {{{2, 3}, {3}},
                                     {{2, 3}, {2, 1}},
                                     {{4, 1, 3}, {1, 5, 1}},
                                     {{2, 1, 3, 1}, {4, 1, 5}},
                                     {{1, 2, 1, 2, 1, 2}, {3, 1, 3, 1, 3, 1}},
                                     {{6}, {1}}};
    for (const auto& [a, b] : shapes) {
      for (const Index piece : {Index{1}, Index{2}, Index{5}, Index{1000}}) {
        CHECK(WalkIsRight(a, b, piece));
        CHECK(WalkIsRight(b, a, piece));
      }
    }
  }

  TEST_CASE("twenty alternating dimensions are no limit") {
    TensorShape a, b;
    for (int d = 0; d < 10; ++d) {
      a.AddDim(2);
      a.AddDim(1);
      b.AddDim(1);
      b.AddDim(d < 3 ? 2 : 1);
    }
    CHECK(WalkIsRight(a, b, 17));
  }
}
}  // namespace broadcast_test
