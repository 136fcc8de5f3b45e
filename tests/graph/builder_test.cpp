// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/builder.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/import.hpp>

#include "test_ops.hpp"

namespace builder_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
}  // namespace

TEST_SUITE("GraphBuilder") {
  TEST_CASE("infers type attrs and list lengths from the inputs") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3});
    const Output y = b.Add("AddV2", "y", {x, x});
    const Output sum = b.Add("AddN", "sum", {x, y, y});
    const Output all = b.Add("ConcatV2", "all", {{x, y}, b.Const("axis", Tensor::Scalar(std::int64_t{1}))});
    const Output flat = b.Add("ConcatV2", "flat", {x, y, b.Const("axis2", Tensor::Scalar(0))});
    const Output two = b.Add("IdentityN", "two", {x, all});
    REQUIRE_MESSAGE(b.status().ok(), b.status().message());
    CHECK(b.dtype(sum) == DataType::kFloat);
    CHECK(b.dtype(two[1]) == DataType::kFloat);
    CHECK(b.dtype(two[2]) == DataType::kInvalid);
    const GraphDef& def = b.graph_def();
    CHECK(def.node[1].attr.Find("T")->type() == DataType::kFloat);
    CHECK(def.node[2].attr.Find("N")->i() == 3);
    CHECK(def.node[2].input == std::vector<std::string>{"x", "y", "y"});
    CHECK(def.node[4].attr.Find("N")->i() == 2);
    CHECK(def.node[4].attr.Find("Tidx")->type() == DataType::kInt64);
    CHECK(def.node[6].attr.Find("N")->i() == 2);
    CHECK(def.node[6].attr.Find("Tidx")->type() == DataType::kInt32);
    CHECK(def.node[7].attr.Find("T")->list().type.size() == 2);
    CHECK(b.Name(flat) == "flat");
    CHECK(b.Name(two[1]) == "two:1");
    GraphDef copy = def;
    auto graph = ImportGraphDef(std::move(copy), TestOps());
    REQUIRE_MESSAGE(graph.ok(), graph.status().message());
    CHECK(graph->Find("all")->output_shape(0).DebugString() == "[2,6]");
  }
  TEST_CASE("given attrs win, defaults fill the rest") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("MatMul", "y", {x, x}, {{"transpose_a", true}});
    REQUIRE(b.status().ok());
    CHECK(b.graph_def().node[1].attr.Find("transpose_a")->b());
    CHECK_FALSE(b.graph_def().node[1].attr.Find("transpose_b")->b());
  }
  TEST_CASE("names nodes after their op when they have no name") {
    GraphBuilder b(TestOps());
    const Output one = b.Const("one", Tensor::Scalar(1.0f));
    CHECK(b.Name(b.Add("AddV2", {one, one})) == "AddV2");
    CHECK(b.Name(b.Add("AddV2", {one, one}, {{"T", DataType::kFloat}})) == "AddV2_1");
    CHECK(b.Name(b.Add("IdentityN", {{one, one}})) == "IdentityN");
    REQUIRE_MESSAGE(b.status().ok(), b.status().message());
  }
  TEST_CASE("the names that nodes get") {
    GraphBuilder b(TestOps());
    CHECK(b.Name(b.Add("NoOp", "")) == "NoOp");
    CHECK(b.Name(b.Add("NoOp", "")) == "NoOp_1");
    CHECK(b.Name(b.Add("NoOp", "NoOp_2")) == "NoOp_2");
    CHECK(b.Name(b.Add("NoOp", "")) == "NoOp_3");
  }
  TEST_CASE("a hundred thousand nodes without names, some of whose names are taken") {
    GraphBuilder b(TestOps());
    b.Add("NoOp", "NoOp_50");
    for (int i = 0; i < 100000; ++i) b.Add("NoOp", "");
    CHECK(b.Name(b.Add("NoOp", "")) == "NoOp_100001");  // quadratic work would take minutes
    CHECK(b.Name(b.Add("NoOp", "NoOp_100002")) == "NoOp_100002");
    CHECK(b.Name(b.Add("NoOp", "")) == "NoOp_100003");
    CHECK(b.status().ok());
  }
  TEST_CASE("takes ranges made at run time") {
    GraphBuilder b(TestOps());
    const std::vector<Output> inputs{b.Placeholder("x", DataType::kFloat), b.Placeholder("y", DataType::kFloat)};
    const std::vector<std::pair<std::string, AttrValue>> attrs{{"transpose_a", true}};
    b.Add("MatMul", "m", inputs, attrs);
    b.Add("AddN", "s", inputs);
    REQUIRE_MESSAGE(b.status().ok(), b.status().message());
    CHECK(b.graph_def().node[2].attr.Find("transpose_a")->b());
    CHECK(b.graph_def().node[3].input.size() == 2);
  }
  TEST_CASE("adds control inputs and devices") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat), wait = b.Add("NoOp", "wait"), y = b.Add("Neg", "y", {x});
    b.AddControlInput(y, wait);
    b.SetDevice(y, "/device:GPU:0");
    REQUIRE(b.status().ok());
    CHECK(b.graph_def().node[2].input == std::vector<std::string>{"x", "^wait"});
    CHECK(b.graph_def().node[2].device == "/device:GPU:0");
  }
  TEST_CASE("keeps the first mistake and does nothing after it") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output bad = b.Add("Relv", "bad", {x});
    const Output after = b.Add("Neg", "after", {bad});
    CHECK(after.node == -1);
    CHECK(b.Name(after) == "");
    CHECK(b.graph_def().node.size() == 1);
    CHECK(b.status().code() == Code::kNotFound);
    CHECK(Contains(b.status().message(), "Op type not registered 'Relv'"));
  }
  TEST_CASE("refuses a constant without memory") {
    GraphBuilder b;
    b.Const("c", Tensor(DataType::kFloat, TensorShape({2}), nullptr));
    CHECK(b.status().code() == Code::kResourceExhausted);
    CHECK(b.status().message().find("'c'") != std::string_view::npos);
  }
  TEST_CASE("says what is wrong with a node") {
    const auto problem = [](auto&& add) {
      GraphBuilder b(TestOps());
      const Output x = b.Placeholder("x", DataType::kFloat);
      const Output i = b.Const("i", Tensor::Scalar(1));
      add(b, x, i);
      REQUIRE_FALSE(b.status().ok());
      CHECK(b.status().code() == Code::kInvalidArgument);
      return std::string(b.status().message());
    };
    CHECK(problem([](GraphBuilder& b, Output x, Output i) { b.Add("MatMul", "m", {x, i}); }) ==
          "Input 1 of node m was passed int32 from i:0 incompatible with expected float.");
    CHECK(problem([](GraphBuilder& b, Output x, Output) { b.Add("Neg", "x", {x}); }) == "Node 'x' is not unique");
    CHECK(problem([](GraphBuilder& b, Output x, Output) { b.Add("Neg", "a b", {x}); }) ==
          "Node 'a b': Node name contains invalid characters");
    CHECK(problem([](GraphBuilder& b, Output x, Output) { b.Add("Neg", "y", {x[1]}); }) ==
          "Node 'y': input 0 is output 1 of node 'x', which does not exist.");
    CHECK(problem([](GraphBuilder& b, Output x, Output) { b.Add("MatMul", "m", {x}); }) ==
          "Node 'm': MatMul takes 2 arguments (a: T, b: T), but 1 are given.");
    CHECK(problem([](GraphBuilder& b, Output x, Output) { b.Add("MatMul", "m", {{x, x}, x}); }) ==
          "Node 'm': argument 'a' of MatMul is one tensor, but a list of 2 is given.");
    CHECK(problem([](GraphBuilder& b, Output x, Output) {
            b.Add("MatMul", "m", {x, x}, {{"transpose_A", true}, {"_mine", true}});
          }) ==
          "Node 'm': MatMul has no attr 'transpose_A'; did you mean 'transpose_a', 'transpose_b'?; its attrs are "
          "{transpose_a, transpose_b, T}");
    CHECK(Contains(problem([](GraphBuilder& b, Output x, Output) { b.Add("Cast", "c", {x}); }),
                   "NodeDef missing attr 'DstT' from Op<name=Cast;"));
    CHECK(Contains(problem([](GraphBuilder& b, Output, Output i) { b.Add("MatMul", "m", {i, i}); }),
                   "Value for attr 'T' of int32 is not in the list"));
    CHECK(problem([](GraphBuilder& b, Output x, Output) { b.AddControlInput(x, Output{7, 0}); }) ==
          "GraphBuilder: node number 7 does not exist; this graph has 2 nodes.");
  }
}
}  // namespace builder_test
