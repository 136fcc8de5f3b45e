// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/import_into.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/function_import.hpp>

#include "function_graphs.hpp"
#include "import_graph.hpp"
#include "test_ops.hpp"

namespace import_into_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using Strings = std::vector<std::string>;

// pixels -> scaled;  two outputs of `pair`.
Graph Base() {
  return Import(MakeGraph({MakeInput("pixels", PartialTensorShape({2, 3})), MakeFloat("scaled", "Neg", {"pixels"}),
                           MakeNode("pair", "IdentityN", {"pixels", "scaled"},
                                    {{"T", AttrValue(std::vector{DataType::kFloat, DataType::kFloat})}}),
                           MakeNode("ready", "NoOp", {"^pixels"})}));
}
// x -> a -> b;  c waits for a.
GraphDef Added() {
  return MakeGraph(
      {MakeInput("x"), MakeFloat("a", "Neg", {"x"}), MakeFloat("b", "Relu", {"a"}), MakeNode("c", "NoOp", {"^a"})});
}
Strings NamesOf(const Graph& graph) {
  Strings names;
  for (const Node& node : graph.nodes()) names.push_back(node.name());
  return names;
}
Strings InputsOf(const Graph& graph, std::string_view name) {
  const GraphDef def = graph.ToGraphDef();
  for (const NodeDef& node : def.node)
    if (node.name == name) return Strings(node.input.begin(), node.input.end());
  REQUIRE_MESSAGE(false, name);
  return {};
}
ImportResults Into(Graph* graph, GraphDef def, const ImportIntoOptions& options = {}) {
  ImportResults results;
  const Status status = ImportInto(std::move(def), options, TestOps(), graph, &results);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return results;
}
// What is refused must change nothing.
void CheckRefused(GraphDef def, const ImportIntoOptions& options, std::string_view message, Graph graph = Base()) {
  const GraphDef before = graph.ToGraphDef();
  const Status status = ImportInto(std::move(def), options, TestOps(), &graph);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK_MESSAGE(status.message().find(message) != std::string_view::npos, status.message());
  CHECK(graph.ToGraphDef() == before);
}

}  // namespace

TEST_SUITE("ImportInto") {
  TEST_CASE("nodes are added, the graph's own keep ids and devices") {
    Graph graph = Base();
    REQUIRE(graph.AssignDevice(1, "/device:CPU:0").ok());
    Into(&graph, Added());
    CHECK(NamesOf(graph) == Strings{"pixels", "scaled", "pair", "ready", "x", "a", "b", "c"});
    CHECK(graph.assigned_device_name(1) == "/device:CPU:0");
    CHECK(graph.node(1).def.device.empty());
    CHECK(InputsOf(graph, "b") == Strings{"a"});
    CHECK(InputsOf(graph, "c") == Strings{"^a"});
    CHECK(graph.Find("a")->outputs.size() == 2);
  }
  TEST_CASE("a prefix, and tensors of the graph instead of the GraphDef's") {
    Graph graph = Base();
    const ImportResults results = Into(&graph, Added(),
                                       {.prefix = "tower",
                                        .input_map = {{"x", "pair:1"}, {"^a", "^ready"}},
                                        .return_tensors = {"b:0", "x"},
                                        .return_nodes = {"c"}});
    CHECK(InputsOf(graph, "tower/a") == Strings{"pair:1"});
    CHECK(InputsOf(graph, "tower/b") == Strings{"tower/a"});
    CHECK(InputsOf(graph, "tower/c") == Strings{"^ready"});
    CHECK(graph.Find("tower/a")->output_shape(0) == graph.Find("pair")->output_shape(1));
    CHECK(results.tensors == SlimVector<InEdge>{{graph.Find("tower/b")->id, 0}, {graph.Find("pair")->id, 1}});
    CHECK(results.nodes == SlimVector<int>{graph.Find("tower/c")->id});
    CHECK(results.missing_input_map_keys.empty());
    Into(&graph, Added(), {.prefix = "tower", .uniquify_prefix = true});
    CHECK(InputsOf(graph, "tower_1/a") == Strings{"tower_1/x"});
    Into(&graph, Added(), {.prefix = "tower/", .uniquify_names = true});
    CHECK(InputsOf(graph, "tower/a_1") == Strings{"tower/x_1"});
  }
  TEST_CASE("names that are taken, also as a part of another") {
    Graph graph = Base();
    Into(&graph, Added());
    GraphDef again = Added();
    again.node.push_back(MakeFloat("a_1", "Neg", {"b"}));  // so that a becomes a_2
    Into(&graph, again, {.uniquify_names = true});
    CHECK(InputsOf(graph, "a_2") == Strings{"x_1"});
    CHECK(InputsOf(graph, "a_1") == Strings{"b_1"});
    Into(&graph, MakeGraph({MakeInput("in/side")}));
    Into(&graph, MakeGraph({MakeInput("in")}), {.uniquify_names = true});
    CHECK(graph.Find("in_1") != nullptr);
    Graph other = Base();
    Into(&other, MakeGraph({MakeInput("p/x"), MakeInput("p/x_1")}));
    Into(&other, MakeGraph({MakeInput("x"), MakeInput("x_2")}), {.prefix = "p", .uniquify_names = true});
    CHECK(other.Find("p/x_3") != nullptr);  // x_2 is the other's
    CHECK(other.Find("p/x_2") != nullptr);
  }
  TEST_CASE("mapped nodes may be left out, and keys that nothing has are told") {
    Graph graph = Base();
    const ImportResults results =
        Into(&graph, Added(),
             {.input_map = {{"x", "pixels"}, {"nothing", "pixels"}, {"a:3", "pixels"}, {"^nobody", "^ready"}},
              .skip_mapped_nodes = true});
    CHECK(graph.Find("x") == nullptr);
    CHECK(InputsOf(graph, "a") == Strings{"pixels"});
    CHECK(results.missing_input_map_keys == Strings{"nothing", "a:3", "^nobody"});
  }
  TEST_CASE("control dependencies go to what inherits them from nobody") {
    Graph graph = Base();
    GraphDef def = Added();
    def.node.push_back(MakeNode("alone", "NoOp"));
    def.node.push_back(MakeFloat("d", "Neg", {"x"}));
    Into(&graph, std::move(def), {.input_map = {{"x", "pixels"}}, .control_dependencies = {"ready"}});
    CHECK(InputsOf(graph, "x") == Strings{"^ready"});
    CHECK(InputsOf(graph, "a") == Strings{"pixels", "^ready"});
    CHECK(InputsOf(graph, "b") == Strings{"a"});
    CHECK(InputsOf(graph, "c") == Strings{"^a"});
    CHECK(InputsOf(graph, "alone") == Strings{"^ready"});
  }
  TEST_CASE("neighbours get their new names") {
    Graph graph = Base();
    GraphDef def = Added();
    def.node[2].attr.Set("_class", AttrValue(std::vector<std::string>{"loc:@a"}));
    Into(&graph, def, {.prefix = "t"});
    CHECK(graph.Find("t/b")->def.attr.Find("_class")->list().s == Strings{"loc:@t/a"});
    def.node[2].attr.Set("_class", AttrValue(std::vector<std::string>{"loc:@pixels"}));
    CheckRefused(def, {}, "Node 'b' expects to be colocated with unknown node 'pixels'");
    Into(&graph, def, {.validate_colocation = false});
    CHECK(!graph.Find("b")->def.attr.contains("_class"));
  }
  TEST_CASE("functions, devices and versions") {
    Graph graph = Base();
    graph.mutable_library().function = {function_test::Double()};
    GraphDef def = Added();
    def.library.function = {function_test::Double(), function_test::Floats("same", {"x"}, {}, "x")};
    def.versions.producer = 1200;
    def.versions.min_consumer = 3;
    def.node[1].device = "/device:CPU:1";
    Into(&graph, def, {.prefix = "t", .default_device = "/device:CPU:0"});
    CHECK(graph.library().function.size() == 2);
    CHECK(graph.versions().producer == 1200);
    CHECK(graph.versions().min_consumer == 3);
    CHECK(graph.versions().bad_consumers.empty());
    CHECK(graph.Find("t/a")->def.device == "/device:CPU:1");
    CHECK(graph.Find("t/b")->def.device == "/device:CPU:0");
    CHECK(graph.Find("scaled")->def.device.empty());
    def.library.function[0].node_def[0].op = "Mul";
    CheckRefused(def, {.prefix = "u"}, "a different function with the same name already exists", std::move(graph));
  }
  TEST_CASE("versions: the oldest producer, the newest least consumer, all bad consumers") {
    Graph graph = Base();
    graph.mutable_versions().bad_consumers = {7, 9};
    const int own = graph.versions().producer;
    GraphDef def = Added();
    def.versions.producer = own + 10;
    def.versions.bad_consumers = {3, 9};
    Into(&graph, def);
    CHECK(graph.versions().producer == own);
    CHECK(graph.versions().bad_consumers == SlimVector<int>{3, 7, 9});
    def.versions.bad_consumers = {kGraphDefVersion};
    CheckRefused(def, {.prefix = "p"}, "GraphDef disallows consumer version");
    def.versions = {};
    def.versions.producer = kGraphDefVersion + 22;
    CheckRefused(def, {}, "Converting GraphDef to Graph has failed with an error: 'Node name 'x' already exists",
                 std::move(graph));
  }
  TEST_CASE("shapes are inferred and compared with _output_shapes, or left alone") {
    GraphDef wrong = Added();
    const AttrValue shapes(SlimVector<PartialTensorShape>{PartialTensorShape({7})});
    wrong.node[1].attr.Set("_output_shapes", shapes);
    const ImportIntoOptions mapped{.input_map = {{"x", "pixels"}}, .infer_shapes = true};
    CheckRefused(wrong, mapped,
                 "Node 'a' has an _output_shapes attribute inconsistent with the GraphDef for output #0");
    ImportIntoOptions unseen = mapped;
    unseen.infer_shapes = false;
    Graph graph = Base();
    Into(&graph, wrong, unseen);
    CHECK(InputsOf(graph, "a") == Strings{"pixels"});
    Graph known = Base();
    GraphDef right = Added();
    right.node[0].attr.Set("_output_shapes", AttrValue(SlimVector<PartialTensorShape>{PartialTensorShape({4, -1})}));
    Into(&known, right);
    CHECK(known.Find("b")->output_shape(0).DebugString() == "[4,?]");
    CHECK(!known.Find("x")->def.attr.contains("_output_shapes"));
  }
  TEST_CASE("loops") {
    GraphDef def = MakeGraph(
        {MakeInput("x"),
         MakeNode("merge", "Merge", {"x", "next"}, {{"T", DataType::kFloat}, {"N", AttrValue(std::int64_t{2})}}),
         MakeFloat("next", "NextIteration", {"merge"})});
    Graph graph = Base();
    Into(&graph, def, {.prefix = "l", .input_map = {{"x", "scaled"}}});
    CHECK(InputsOf(graph, "l/merge") == Strings{"scaled", "l/next"});
    CHECK(InputsOf(graph, "l/next") == Strings{"l/merge"});
  }
  TEST_CASE("what is refused") {
    GraphDef taken = Added();
    taken.node[0].name = "scaled";
    taken.node[1].input = {"scaled"};
    CheckRefused(taken, {}, "Node name 'scaled' already exists in the Graph");
    Graph with_part = Base();
    Into(&with_part, MakeGraph({MakeInput("a/part")}));
    CheckRefused(Added(), {}, "Node name 'a' already exists in the Graph",
                 std::move(with_part));  // as a part of another
    CheckRefused(Added(), {.prefix = "no good"},
                 "Imported node name prefix 'no good' would lead to invalid node names");
    CheckRefused(Added(), {.input_map = {{"x", "nobody:0"}}},
                 "node 'nobody' in input_map does not exist in graph (input_map entry x->nobody:0)");
    CheckRefused(Added(), {.input_map = {{"x", "^pixels"}}},
                 "input_map entry x->^pixels between control edge and non-control edge");
    CheckRefused(Added(), {.input_map = {{"x", "pixels:4"}}}, "node 'pixels' has 1 outputs");
    CheckRefused(Added(), {.control_dependencies = {"nobody"}},
                 "node 'nobody' in control_dependencies does not exist in graph");
    CheckRefused(Added(), {.return_tensors = {"z"}}, "Requested return tensor 'z' not found in graph def");
    CheckRefused(Added(), {.return_tensors = {"b:7"}}, "Invalid return output 7 of node 'b', which has 1 output(s)");
    CheckRefused(Added(), {.return_nodes = {"z"}}, "Requested return node 'z' not found in graph def");
    CheckRefused(Added(), {.skip_mapped_nodes = true, .return_nodes = {"b"}},
                 "Requesting return_nodes with skip_mapped_nodes set is not currently supported");
    GraphDef outside = Added();
    outside.node[1].input = {"pixels"};  // the graph's, but not by this name
    CheckRefused(outside, {}, "Node 'a': Unknown input node 'pixels'");
    GraphDef waits = Added();
    waits.node[3].input = {"^x"};
    CheckRefused(waits, {.input_map = {{"x", "pixels"}}, .skip_mapped_nodes = true},
                 "Node 'c': Unknown input node '^x'");
    GraphDef twice = Added();
    twice.node[3].name = "a";
    CheckRefused(twice, {}, "Node 'a' is not unique");
    GraphDef internal = Added();
    internal.node[0].name = "_x";
    CheckRefused(internal, {}, "Node name contains invalid characters");
    GraphDef types = Added();
    types.node[0].attr.Set("dtype", AttrValue(DataType::kInt32));
    CheckRefused(types, {}, "incompatible with expected");
    GraphDef old = Added();
    old.node.push_back(MakeNode("old", "OldOp"));
    Graph graph = Base();
    CHECK(ImportInto(old, {}, TestOps(), &graph).code() == Code::kUnimplemented);
    CHECK(graph.num_nodes() == 4);
  }
}
}  // namespace import_into_test
