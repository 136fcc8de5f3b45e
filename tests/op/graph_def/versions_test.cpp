// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/versions.hpp>

#include <doctest/doctest.h>

namespace versions_test {
using namespace tenon;

TEST_SUITE("CheckVersions") {
  TEST_CASE("a newer producer is fine, and so is what has no versions") {
    CHECK(CheckVersions({kGraphDefVersion + 1000, 0, {}}, kGraphDefVersion, kGraphDefVersionMinProducer, "GraphDef",
                        "graph")
              .ok());
    CHECK(CheckVersions({}, kGraphDefVersion, kGraphDefVersionMinProducer, "GraphDef", "graph").ok());
    CHECK(CheckVersions({5, 5, {4, 6}}, 5, 5, "GraphDef", "graph").ok());
  }
  TEST_CASE("a producer that is too old") {
    const Status s = CheckVersions({3, 0, {}}, 10, 4, "GraphDef", "graph");
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "GraphDef producer version 3 below min producer 4 supported by Tenon.  Please regenerate your graph.");
  }
  TEST_CASE("a consumer that is too old") {
    const Status s = CheckVersions({3, 11, {}}, 10, 0, "GraphDef", "graph");
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == "GraphDef min consumer version 11 above current version 10 for Tenon.  Please upgrade Tenon.");
  }
  TEST_CASE("a consumer that the producer does not want") {
    const Status s = CheckVersions({3, 0, {9, 10}}, 10, 0, "GraphDef", "graph");
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "GraphDef disallows consumer version 10.  Please upgrade Tenon: this version is likely buggy.");
  }
  TEST_CASE("numbers that contradict each other are the caller's mistake") {
    CHECK(CheckVersions({}, 3, 4, "GraphDef", "graph").code() == Code::kInternal);
  }
}
}  // namespace versions_test
