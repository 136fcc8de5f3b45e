// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/graph_def.hpp>

#include <doctest/doctest.h>

namespace graph_def_test {
using namespace tenon;

TEST_SUITE("GraphDef") {
  TEST_CASE("two are equal when nodes, in order, versions and functions are") {
    GraphDef a;
    a.node.resize(2);
    a.node[0].name = "x";
    a.node[1].name = "y";
    GraphDef b = a;
    CHECK(a == b);
    std::swap(b.node[0], b.node[1]);
    CHECK(!(a == b));
    b = a;
    b.versions.producer = 7;
    CHECK(!(a == b));
    b = a;
    b.library.function.emplace_back().signature.name = "f";
    CHECK(!(a == b));
  }
}
}  // namespace graph_def_test
