// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/json_graph.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <io/temp_file.hpp>

namespace json_graph_test {
using namespace tenon;

TEST_CASE("a graph is written as JSON and read, by ReadGraphFile too") {
  const Result<GraphDef> graph = ReadGraphFile(std::string(TENON_TEST_DATA) + "/models/mlp_digits/graph.pb");
  REQUIRE(graph.ok());
  const TempFile temp("mlp.json");
  REQUIRE(WriteJsonGraphFile(temp.path(), *graph).ok());
  CHECK(temp.Read().starts_with("{\n  \"node\": [\n    {\n      \"name\": \""));
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const Result<GraphDef> back = ReadGraphFile(temp.path(), access);
    REQUIRE_MESSAGE(back.ok(), back.status().message());
    CHECK(*back == *graph);
  }
  const Result<GraphDef> json = ReadJsonGraphFile(temp.path());
  REQUIRE_MESSAGE(json.ok(), json.status().message());
  CHECK(*json == *graph);
}
TEST_CASE("errors name the path, the line and the column") {
  const TempFile temp("bad.json", "{\n  \"node\": [{\"nam\": \"x\"}]\n}\n");
  const std::string want = temp.path() + ":2:13: node[0]: no such field: 'nam'; did you mean 'name'?";
  for (const Status& s : {ReadGraphFile(temp.path()).status(), ReadJsonGraphFile(temp.path()).status()}) {
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == want);
  }
  CHECK(ReadJsonGraphFile("/no/such/graph.json").status().code() == Code::kNotFound);
  const TempFile empty("empty.json", "");
  CHECK(ReadJsonGraphFile(empty.path()).status().message() == empty.path() + ":1:1: unexpected EOF");
}
}  // namespace json_graph_test
