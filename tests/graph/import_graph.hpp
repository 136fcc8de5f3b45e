// SPDX-License-Identifier: Apache-2.0
#pragma once
// Import: a GraphDef of the test ops as a graph, which it must be able to become.

#include <utility>

#include <doctest/doctest.h>

#include <tenon/graph/import.hpp>

#include "test_ops.hpp"

namespace tenon::testing {

inline Graph Import(GraphDef def) {
  auto graph = ImportGraphDef(std::move(def), TestOps());
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  return std::move(graph).value();
}

}  // namespace tenon::testing
