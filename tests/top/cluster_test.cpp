// SPDX-License-Identifier: Apache-2.0
#include <tenon/cluster.hpp>

#include <doctest/doctest.h>

#include <tenon/op/graph_def/graph_text.hpp>

namespace cluster_test {
using namespace tenon;

TEST_CASE("session options from the text of a ConfigProto") {
  ConfigProto config;
  REQUIRE(
      ParseText("intra_op_parallelism_threads: 2 experimental { executor_type: 'SINGLE_THREADED_EXECUTOR' }", &config)
          .ok());
  const Result<SessionOptions> options = SessionOptionsFromProto(config);
  REQUIRE(options.ok());
  CHECK(options->intra_op_threads == 2);
  CHECK(options->executor == ExecutorKind::kSequential);
}
}  // namespace cluster_test
