// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/dataflow_executor.hpp>

#include <doctest/doctest.h>

#include "graphs.hpp"

namespace dataflow_executor_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("Dataflow engine") {
  TEST_CASE("control edges order nodes that share no data") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output a = b.Add("AddV2", "a", {x, x});
    const Output wait = b.Add("NoOp", "wait");
    b.AddControlInput(wait, a);
    const Output c = b.Add("Mul", "c", {x, x});
    b.AddControlInput(c, wait);
    REQUIRE(b.status().ok());
    const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = ExecutorKind::kDataflow});
    const auto out = session->Run({{"x", Tensor::Scalar(3.0f)}}, {"c"}, {"wait"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()[0] == 9);
  }
  TEST_CASE("a run whose nodes all fail comes to its end with the first error") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    for (int i = 0; i < 8; ++i) b.Add("AddV2", StrCat("y", i), {x, x});
    const auto session = Session::FromGraph(b, {.inter_op_threads = 3, .executor = ExecutorKind::kDataflow});
    for (int i = 0; i < 20; ++i) {
      const auto out = session->Run({}, {"y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7"});
      CHECK(Contains(out.status().message(), "You must feed a value for placeholder tensor 'x'"));
    }
  }
}
}  // namespace dataflow_executor_test
