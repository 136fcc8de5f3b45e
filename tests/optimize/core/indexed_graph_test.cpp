// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/indexed_graph.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace indexed_graph_test {
using namespace optimize_test;

namespace {

class Only final : public NodeSupport {
 public:
  explicit Only(std::string_view op) : op_(op) {}
  bool CanRun(const NodeDef& node) override { return node.op == op_; }

 private:
  std::string_view op_;
};

struct Fixture {
  explicit Fixture(GraphBuilder& b, const RunEnds& signature, NodeSupport* support = nullptr, Names keep = {}) {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    source = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    GraphEnds ends;
    for (const std::string& name : signature.feeds) ends.feeds.push_back(EdgeOf(source, name));
    for (const std::string& name : signature.fetches) ends.fetches.push_back(EdgeOf(source, name));
    graph = MakeOwned<IndexedGraph>(*IndexedGraph::Make(source, ends, keep, &ops, support));
  }
  int Id(std::string_view name) const {
    for (int id = 0; id < graph->num_nodes(); ++id)
      if (graph->is_alive(id) && graph->node(id).name() == name) return id;
    return -1;
  }
  std::string Finish() {
    GraphEnds ends;
    Result<Graph> out = graph->Finish(&ends);
    return out.ok() ? Text(out->ToGraphDef()) : out.status().ToString();
  }
  Graph source;
  OpInfoCache ops{Registry::Global().ops()};
  Owned<IndexedGraph> graph;
};

}  // namespace

TEST_SUITE("IndexedGraph") {
  TEST_CASE("it holds what the signature runs, and comes out with names, attrs and edges") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), m = b.Add("LeakyRelu", "m", {x}, {{"alpha", 0.1f}});
    b.AddControlInput(b.Add("Neg", "y", {m}), m);
    b.Add("Exp", "unused", {m});
    b.SetDevice(m, "/device:CPU:0");
    Fixture f(b, {{"x"}, {"y"}});
    CHECK(f.graph->num_alive() == 3);
    GraphEnds ends;
    const Result<Graph> out = f.graph->Finish(&ends);
    REQUIRE(out.ok());
    CHECK(Text(out->ToGraphDef()) == "m = LeakyRelu(x); x = Placeholder(); y = Neg(m, ^m)");
    CHECK(out->Find("m")->def.device == "/device:CPU:0");
    CHECK(out->Find("y")->def.input == SlimVector<std::string>{"m", "^m"});
    CHECK(out->Find("m")->output_shape(0).DebugString() == "[2]");
    CHECK(ends.fetches[0] == InEdge{out->Find("y")->id, 0});
    float alpha = 0;
    CHECK(GetNodeAttr(out->Find("m")->def, "alpha", &alpha).ok());
    CHECK(alpha == 0.1f);
  }

  TEST_CASE("Add infers types and shapes; Change keeps name, readers and common attrs") {
    GraphBuilder b;
    b.Add("Neg", "y", {b.Add("Exp", "m", {b.Placeholder("x", DataType::kDouble, {2, 3})})});
    Fixture f(b, {{"x"}, {"y"}});
    const InEdge inputs[] = {{f.Id("x"), 0}, {f.Id("m"), 0}};
    const Result<int> sum = f.graph->Add("AddV2", f.Id("m"), inputs, {});
    REQUIRE(sum.ok());
    CHECK(f.graph->type({*sum, 0}) == DataType::kDouble);
    CHECK(f.graph->shape({*sum, 0}).DebugString() == "[2,3]");
    f.graph->SetInput(f.Id("y"), 0, {*sum, 0});
    CHECK(f.graph->Change(f.Id("y"), "Square", Span<const InEdge>(&f.graph->node(f.Id("y")).inputs[0], 1), {}).ok());
    CHECK(f.Finish() == "m = Exp(x); m/opt_0 = AddV2(x, m); x = Placeholder(); y = Square(m/opt_0)");
  }

  TEST_CASE("a change that does not fit changes nothing") {
    GraphBuilder b;
    b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat, {2})});
    Only neg("Neg");
    Fixture f(b, {{"x"}, {"y"}}, &neg);
    const int y = f.Id("y");
    const InEdge x[] = {{f.Id("x"), 0}}, twice[] = {{f.Id("x"), 0}, {f.Id("x"), 0}};
    CHECK(errors::IsNotFound(f.graph->Change(y, "NoSuchOp", x, {})));
    CHECK(errors::IsNotFound(f.graph->Change(y, "Square", x, {})));  // has no kernel
    CHECK(errors::IsInvalidArgument(f.graph->Change(y, "Neg", twice, {})));
    CHECK(errors::IsInvalidArgument(f.graph->Change(y, "LogicalNot", x, {})));
    CHECK(f.graph->num_alive() == 2);
    CHECK(f.Finish() == "x = Placeholder(); y = Neg(x)");
  }

  TEST_CASE("Forward: readers read the value; a node that must stay becomes an Identity") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), m = b.Add("Neg", "m", {x}), w = b.Add("Exp", "w", {x});
    b.AddControlInput(m, w);
    b.Add("Neg", "y", {m});
    Fixture f(b, {{"x"}, {"y"}});
    CHECK(f.graph->Forward(f.Id("m"), {f.Id("x"), 0}).ok());
    CHECK(f.graph->Forward(f.Id("y"), {f.Id("m"), 0}).ok());
    CHECK(f.Finish() == "m = Identity(x, ^w); w = Exp(x); x = Placeholder(); y = Identity(m)");
  }

  TEST_CASE("fed, fetched, stateful and kept nodes are pinned, and so is a placeholder without a feed") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), z = b.Placeholder("z", DataType::kFloat, {2});
    const Output r = b.Add("RandomUniform", "r", {b.Const("shape", Tensor::From<std::int32_t>({2}, {1}))},
                           {{"dtype", DataType::kFloat}});
    const Output k = b.Add("Neg", "k", {b.Add("AddV2", "s", {x, z})});
    b.Add("AddV2", "y", {k, r});
    Fixture f(b, {{"x"}, {"y"}}, nullptr, {"k", "no such node"});
    for (const char* name : {"x", "z", "r", "k", "y"}) CHECK(f.graph->is_pinned(f.Id(name)));
    CHECK_FALSE(f.graph->is_pinned(f.Id("s")));
    CHECK_FALSE(f.graph->is_pure(f.Id("r")));
    CHECK(f.graph->is_pure(f.Id("k")));
  }

  TEST_CASE("the value of a constant is known unless it is fed or waits") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), c = b.Const("c", Tensor::Scalar(2.0f)),
                 d = b.Const("d", Tensor::Scalar(3.0f)), e = b.Const("e", Tensor::Scalar(4.0f));
    b.AddControlInput(d, b.Add("Exp", "w", {x}));
    b.Add("AddN", "y", {GraphBuilder::Input({c, d, e})});
    Fixture f(b, {{"x", "e"}, {"y"}});
    REQUIRE(f.graph->constant({f.Id("c"), 0}) != nullptr);
    CHECK(f.graph->constant({f.Id("c"), 0})->scalar<float>()[0] == 2);
    CHECK(f.graph->constant({f.Id("d"), 0}) == nullptr);
    CHECK(f.graph->constant({f.Id("e"), 0}) == nullptr);
    CHECK(f.graph->constant({f.Id("y"), 0}) == nullptr);
  }

  TEST_CASE("frames, and nodes that a branch may skip") {
    GraphBuilder b;
    const Output out =
        Loop(b, b.Placeholder("x", DataType::kFloat, {2}), [&](Output v, Output) { return b.Add("Neg", "n", {v}); });
    b.Add("Neg", "y", {out});
    Graph source = *ImportGraphDef(CloseLoop(b.graph_def()), Registry::Global().ops());
    OpInfoCache ops(Registry::Global().ops());
    const GraphEnds ends{{EdgeOf(source, "x")}, {EdgeOf(source, "y")}, {}};
    const Result<IndexedGraph> graph = IndexedGraph::Make(source, ends, {}, &ops, nullptr);
    REQUIRE(graph.ok());
    CHECK(graph->has_frames());
    for (int id = 0; id < graph->num_nodes(); ++id) {
      const std::string& name = graph->node(id).name();
      if (name == "n") {
        CHECK(graph->frame(id) == 1);
        CHECK(graph->may_be_dead(id));
      }
      if (name == "x" || name == "loop/enter") {
        CHECK(graph->frame(id) == 0);
        CHECK_FALSE(graph->may_be_dead(id));
      }
    }
  }
}

}  // namespace indexed_graph_test
