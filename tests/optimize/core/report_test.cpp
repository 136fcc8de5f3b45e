// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/report.hpp>

#include <doctest/doctest.h>

namespace report_test {
using namespace tenon;

TEST_SUITE("OptimizationReport") {
  TEST_CASE("matches are counted by rule and by reason") {
    OptimizationReport report;
    report.nodes_before = 9;
    report.nodes_after = 7;
    report.rounds = 2;
    report.passes.push_back({"pruning", 9, 7, 12'345, {}, {}});
    report.passes.push_back({"idle", 7, 7, 0, {}, {}});
    PassReport& pass = report.passes[0];
    pass.Count("identity");
    pass.Count("identity");
    pass.Count("identity", "fed");
    CHECK(pass.applied() == 2);
    CHECK(report.Find("pruning") == &pass);
    CHECK(report.Find("none") == nullptr);
    CHECK(report.DebugString() ==
          "9 nodes -> 7 in 2 rounds\npruning: 9 -> 7, 12 us\n  identity: 2\n  identity: 1 left alone, fed\n");
    report.stopped = "time is over";
    CHECK(report.DebugString().starts_with("9 nodes -> 7 in 2 rounds, stopped: time is over\n"));
  }
}

}  // namespace report_test
