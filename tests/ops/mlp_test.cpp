// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/mlp.hpp>

#include <doctest/doctest.h>

#include "top/op_lists.hpp"

TEST_CASE("ops::Mlp for float is all that a frozen multilayer perceptron needs") {
  op_lists::CheckRuns<tenon::ops::Mlp, tenon::Types<float>>(TENON_TEST_DATA "/models/mlp_digits/graph.pb", "pixels",
                                                            {3, 784});
}

TEST_CASE("without the rest of the ops another graph is refused by the name of what is missing") {
  tenon::Registry registry;
  REQUIRE(
      tenon::Register(registry, tenon::Ops<tenon::Types<float>, tenon::ops::Mlp>{}, tenon::Devices<tenon::Cpu>{}).ok());
  const auto session = tenon::Session::FromGraphFile(TENON_TEST_DATA "/models/cnn_digits/graph.pb",
                                                     {.registry = &registry, .check_ops = true});
  CHECK(session.status().code() == tenon::Code::kNotFound);
  CHECK_MESSAGE(session.status().message().find("Conv2D") != std::string::npos, session.status().ToString());
}
