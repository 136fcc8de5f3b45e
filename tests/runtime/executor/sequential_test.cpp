// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/sequential.hpp>

#include <doctest/doctest.h>

#include "runtime/graphs.hpp"

namespace sequential_executor_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("Sequential engine") {
  TEST_CASE("values that are read twice by one node are not overwritten") {
    const auto session = Session::FromGraph(SmallGraph(), {.executor = ExecutorKind::kSequential});
    const auto out = session->Run({{"x", MakeTensor<float>({3}, {1, 2, 3})}}, {"z", "y"});
    REQUIRE(out.ok());
    CHECK((*out)[0].flat<float>()(2) == 16);
    CHECK((*out)[1].flat<float>()(2) == 4);
  }
  TEST_CASE("a long chain runs in order") {
    const auto session = Session::FromGraph(WideGraph(1, 2000), {.executor = ExecutorKind::kSequential});
    const auto out = session->Run({{"x", Tensor::Scalar(1.0f)}}, {"out"});
    REQUIRE(out.ok());
    CHECK((*out)[0].scalar<float>()[0] == 2002);
  }
}
}  // namespace sequential_executor_test
