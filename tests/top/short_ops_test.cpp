// SPDX-License-Identifier: Apache-2.0
#include "short_ops.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>

using namespace tenon;

TENON_REGISTER(short_ops::ZeroAllButFirst, short_ops::ZeroAllBut, short_ops::Cube);

namespace {

Result<std::vector<Tensor>> Call(std::string_view op, const std::vector<GraphBuilder::Attr>& attrs, const Tensor& x) {
  GraphBuilder b;
  const std::vector<GraphBuilder::Input> inputs{b.Placeholder("x", x.dtype())};
  b.AddNode(op, "y", inputs, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  return session.Run({{"x", x}}, {"y"});
}

}  // namespace

TEST_SUITE("ShortOps") {
  TEST_CASE("an op with an attr is written in 15 lines, an element-wise one in 6") {
    std::ifstream file(TENON_TEST_DATA "/../top/short_ops.hpp");
    REQUIRE(file.good());
    int limit = 0, lines = 0, structs = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("// begin: ", 0) == 0) {
        limit = std::stoi(line.substr(10));
        lines = 0;
      } else if (line == "// end") {
        CHECK(lines <= limit);
        limit = 0;
        ++structs;
      } else if (limit > 0) {
        ++lines;
      }
    }
    CHECK(structs == 3);
  }
  TEST_CASE("they are ops like any other") {
    const auto first = Call("TopTestZeroAllButFirst", {}, MakeTensor<std::int32_t>({3}, {7, 8, 9}));
    REQUIRE_MESSAGE(first.ok(), first.status().ToString());
    CHECK((*first)[0].flat<std::int32_t>()[0] == 7);
    CHECK((*first)[0].flat<std::int32_t>()[2] == 0);
    const auto second = Call("TopTestZeroAllBut", {{"preserve_index", 1}}, MakeTensor<float>({3}, {7, 8, 9}));
    REQUIRE_MESSAGE(second.ok(), second.status().ToString());
    CHECK((*second)[0].flat<float>()[0] == 0);
    CHECK((*second)[0].flat<float>()[1] == 8);
    const auto cube = Call("TopTestCube", {}, MakeTensor<double>({2}, {-2, 3}));
    REQUIRE_MESSAGE(cube.ok(), cube.status().ToString());
    CHECK((*cube)[0].flat<double>()[0] == -8);
    CHECK((*cube)[0].flat<double>()[1] == 27);
  }
}
