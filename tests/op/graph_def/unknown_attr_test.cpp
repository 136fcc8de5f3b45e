// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/unknown_attr.hpp>

#include <doctest/doctest.h>

#include <string>

#include "op/unknown_attr_lines.hpp"

namespace unknown_attr_test {
using namespace tenon;

TEST_SUITE("attrs that an op does not have") {
  TEST_CASE("one line in five seconds; the op is described for that line only") {
    UnknownAttrLines lines;
    int summaries = 0;
    const auto summarize = [&summaries] { return ++summaries, std::string("Op<name=X>"); };
    for (int i = 0; i < 3; ++i) detail::LogUnknownAttr("newer", "n", summarize);
    CHECK(lines.text ==
          "NodeDef mentions attribute newer which is not in the op definition: Op<name=X> This may be expected if your "
          "graph generating binary is newer than this binary. Unknown attributes will be ignored. NodeDef: {{node n}}");
    CHECK(summaries == 1);
  }
}
}  // namespace unknown_attr_test
