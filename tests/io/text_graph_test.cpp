// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/text_graph.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <io/temp_file.hpp>

namespace text_graph_test {
using namespace tenon;

TEST_CASE("a text graph is written and read, by ReadGraphFile too") {
  const Result<GraphDef> graph = ReadGraphFile(std::string(TENON_TEST_DATA) + "/models/mlp_digits/graph.pb");
  REQUIRE(graph.ok());
  const TempFile temp("mlp.pbtxt");
  REQUIRE(WriteTextGraphFile(temp.path(), *graph).ok());
  CHECK(temp.Read().starts_with("node {\n  name: \""));
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const Result<GraphDef> back = ReadGraphFile(temp.path(), access);
    REQUIRE_MESSAGE(back.ok(), back.status().message());
    CHECK(*back == *graph);
  }
  const Result<GraphDef> text = ReadTextGraphFile(temp.path());
  REQUIRE_MESSAGE(text.ok(), text.status().message());
  CHECK(*text == *graph);
}
TEST_CASE("text is told by its content, whatever it begins with") {
  for (const std::string_view before : {"", " ", "\n", "\t\r\n", "# a comment\n", "    \n\n  # x\n"}) {
    const TempFile temp("graph.pb", std::string(before) + "node { name: 'x' op: 'NoOp' }");
    const Result<GraphDef> graph = ReadGraphFile(temp.path());
    REQUIRE_MESSAGE(graph.ok(), graph.status().message());
    CHECK(graph->node[0].name == "x");
  }
}
TEST_CASE("errors name the path, the line and the column") {
  const TempFile temp("bad.pbtxt", "node {\n  nam: 'x'\n}\n");
  const std::string want = temp.path() + ":2:3: NodeDef has no field 'nam'; did you mean 'name'?";
  for (const Status& s : {ReadGraphFile(temp.path()).status(), ReadTextGraphFile(temp.path()).status()}) {
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == want);
  }
  CHECK(ReadTextGraphFile("/no/such/graph.pbtxt").status().code() == Code::kNotFound);
  const TempFile empty("empty.pbtxt", "");
  CHECK(ReadTextGraphFile(empty.path()).ok());
  const TempFile binary("binary.pb", std::string_view("\x0a\x03\x0a\x01x", 5));
  CHECK(ReadTextGraphFile(binary.path()).status().code() == Code::kInvalidArgument);
}
}  // namespace text_graph_test
