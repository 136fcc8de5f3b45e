// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/import.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/function_import.hpp>

#include "flow_ops.hpp"
#include "growth.hpp"
#include "test_ops.hpp"

namespace import_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Status Refused(GraphDef def, const ImportOptions& options = {}) {
  const auto graph = ImportGraphDef(std::move(def), TestOps(), options);
  REQUIRE_FALSE(graph.ok());
  return graph.status();
}
Graph Import(GraphDef def, const ImportOptions& options = {}) {
  auto graph = ImportGraphDef(std::move(def), TestOps(), options);
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  return std::move(graph).value();
}
std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(node.name());
  return names;
}
bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
#define CHECK_REFUSED(def, expected_code, expected_text)                        \
  do {                                                                          \
    const Status status = Refused(def);                                         \
    CHECK(status.code() == Code::expected_code);                                \
    CHECK_MESSAGE(Contains(status.message(), expected_text), status.message()); \
  } while (false)

FunctionDef MakeFunction(std::string name, std::string node) {
  FunctionDef function;
  function.signature.name = std::move(name);
  function.node_def.push_back(MakeNode(std::move(node), "NoOp"));
  return function;
}
}  // namespace

TEST_SUITE("ImportGraphDef") {
  TEST_CASE("names are found, or missed, in graphs of any length") {
    for (const int length : {31, 32, 33, 64, 100}) {
      GraphDef def = MakeGraph({MakeInput("n0")});
      for (int n = 1; n < length; ++n)
        def.node.push_back(MakeNode(StrCat("n", n), "IdentityN", {StrCat("n", n - 1), StrCat("n", n / 2)},
                                    {{"T", AttrValue(std::vector{DataType::kFloat, DataType::kFloat})}}));
      const Graph graph = Import(def);
      REQUIRE(graph.num_nodes() == length);
      for (int n = 1; n < length; ++n) {
        CHECK(graph.node(n).input(0) == InEdge{n - 1, 0});
        CHECK(graph.node(n).input(1) == InEdge{n / 2, 0});
      }
      for (const int bad : {1, length / 2, length - 1}) {
        const auto slot = static_cast<std::size_t>(bad);
        GraphDef unknown = def;
        unknown.node[slot].input[1] = "nope";
        unknown.node.back().input[0] = bad + 1 < length ? "later" : "n0";
        CHECK_REFUSED(unknown, kInvalidArgument, StrCat("Node 'n", bad, "': Unknown input node 'nope'"));
        GraphDef twice = def;
        twice.node[slot].name = "n0";
        CHECK_REFUSED(twice, kInvalidArgument, "Node 'n0' is not unique");
      }
    }
  }
  TEST_CASE("connects nodes, resolves dtypes and infers shapes") {
    const Graph graph = Import(MakeGraph({MakeInput("x", {2, 3}), MakeInput("w", {3, 5}),
                                          MakeFloat("y", "MatMul", {"x", "w:0"}), MakeNode("done", "NoOp", {"^y"})}));
    CHECK(Names(graph) == std::vector<std::string>{"x", "w", "y", "done"});
    const Node& y = *graph.Find("y");
    CHECK(y.op == &ops::kMatMul);
    CHECK(y.inputs == InlinedVector<InEdge, 4>{{0, 0}, {1, 0}});
    CHECK(y.output_types == InlinedVector<DataType, 4>{DataType::kFloat});
    CHECK(y.output_shape(0).DebugString() == "[2,5]");
    CHECK(y.def.attr.Find("transpose_a") != nullptr);
    CHECK(graph.Find("done")->control_inputs == InlinedVector<int, 4>{y.id});
    CHECK(graph.versions().producer == kGraphDefVersion);
  }
  TEST_CASE("an empty graph is fine") { CHECK(Import(GraphDef()).num_nodes() == 0); }

  TEST_CASE("nodes may come in any order; ids follow the file where they can") {
    const Graph graph = Import(
        MakeGraph({MakeFloat("c", "Neg", {"b"}), MakeInput("free"), MakeFloat("b", "Neg", {"a"}), MakeInput("a")}));
    CHECK(Names(graph) == std::vector<std::string>{"free", "a", "b", "c"});
    for (const Node& node : graph.nodes()) CHECK(graph.Find(node.name()) == &node);
    CHECK(graph.Find("c")->inputs[0].node == graph.Find("b")->id);
  }
  TEST_CASE("control inputs are sorted by name and each is kept once") {
    const Graph graph = Import(MakeGraph(
        {MakeInput("z"), MakeInput("a"), MakeInput("m"), MakeFloat("y", "Neg", {"m", "^z", "^m", "^a", "^z"})}));
    const Node& y = *graph.Find("y");
    CHECK(y.control_inputs == InlinedVector<int, 4>{graph.Find("a")->id, graph.Find("m")->id, graph.Find("z")->id});
    CHECK(graph.Find("z")->outputs.size() == 1);
    CHECK(graph.Find("m")->outputs.size() == 2);
    CHECK(graph.ToGraphDef().node.back().input == std::vector<std::string>{"m", "^a", "^m", "^z"});
  }
  TEST_CASE("a while loop's back edge is no cycle") {
    const Graph graph = Import(
        MakeGraph({MakeInput("x"), MakeNode("merge", "Merge", {"x", "next"}, {{"N", 2}, {"T", DataType::kFloat}}),
                   MakeFloat("neg", "Neg", {"merge"}), MakeFloat("next", "NextIteration", {"neg"})}));
    CHECK(Names(graph) == std::vector<std::string>{"x", "merge", "neg", "next"});
    CHECK(graph.Find("merge")->inputs == InlinedVector<InEdge, 4>{{0, 0}, {3, 0}});
    CHECK(graph.Find("next")->outputs == InlinedVector<OutEdge, 4>{{1, 1, 0}});
  }

  TEST_CASE("names must be valid and unique") {
    for (const char* name : {"", "a b", "-a", "^a", "/a", "_a"}) {
      CHECK_REFUSED(MakeGraph({MakeInput(name)}), kInvalidArgument,
                    StrCat("Node '", name, "': Node name contains invalid characters"));
    }
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeInput("x")}), kInvalidArgument, "Node 'x' is not unique");
    CHECK_REFUSED(MakeGraph({MakeNode("x", "")}), kInvalidArgument, "Node 'x' does not specify an operation");
  }
  TEST_CASE("inputs must exist") {
    const auto with = [](std::initializer_list<std::string> inputs) {
      return MakeGraph({MakeInput("x"), MakeFloat("y", "Neg", inputs)});
    };
    CHECK_REFUSED(with({"nope"}), kInvalidArgument, "Node 'y': Unknown input node 'nope'");
    CHECK_REFUSED(with({"x:a"}), kInvalidArgument, "Node 'y': Unknown input node 'x:a'");
    CHECK_REFUSED(with({""}), kInvalidArgument, "Node 'y': Unknown input node ''");
    CHECK_REFUSED(with({"x:-1"}), kInvalidArgument, "Node 'y': Unknown input node 'x:-1'");
    CHECK_REFUSED(with({"x", "^x:0"}), kInvalidArgument, "Node 'y': Unknown input node '^x:0'");
    CHECK_REFUSED(with({"x:1"}), kInvalidArgument,
                  "Node 'y': Connecting to invalid output 1 of source node x which has 1 outputs.");
    CHECK_REFUSED(with({"x:99999999999"}), kInvalidArgument,
                  "Connecting to invalid output 2147483647 of source node x which has 1 outputs.");
    CHECK_REFUSED(with({"^x", "x"}), kInvalidArgument,
                  "Node 'y': Control dependencies must come after regular dependencies");
    CHECK_REFUSED(MakeGraph({MakeInput("weights"), MakeFloat("y", "Neg", {"weight"})}), kInvalidArgument,
                  "Node 'y': Unknown input node 'weight'; did you mean 'weights'?");
    CHECK_REFUSED(MakeGraph({MakeNode("noop", "NoOp"), MakeFloat("y", "Neg", {"noop"})}), kInvalidArgument,
                  "Node 'y': Connecting to invalid output 0 of source node noop which has 0 outputs.");
  }
  TEST_CASE("an output that a conditional or loop does not have may be one that TensorFlow 1 gave it when asked") {
    const AttrValue floats(SlimVector<DataType>{DataType::kFloat});
    const auto refused = [&](NodeDef source) {
      const std::string input = source.name + ":3";
      return ImportGraphDef(MakeGraph({MakeInput("x"), std::move(source), MakeFloat("y", "Neg", {input})}), FlowOps())
          .status();
    };
    const Status loop = refused(MakeNode(
        "loop", "While", {"x"},
        {{"T", floats}, {"cond", AttrValue(NameAttrList{"f", {}})}, {"body", AttrValue(NameAttrList{"f", {}})}}));
    CHECK(loop == errors::InvalidArgument(
                      "Node 'y': Connecting to invalid output 3 of source node loop which has 1 outputs. Try using "
                      "tf.compat.v1.experimental.output_all_intermediates(True)."));
    CHECK(refused(MakeFloat("n", "Neg", {"x"})) ==
          errors::InvalidArgument("Node 'y': Connecting to invalid output 3 of source node n which has 1 outputs."));
  }
  TEST_CASE("dtypes at both ends of an edge must agree") {
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeNode("i", "RandomInt"), MakeFloat("y", "AddV2", {"x", "i"})}),
                  kInvalidArgument, "Input 1 of node y was passed int32 from i:0 incompatible with expected float.");
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeFloat("a", "Assign", {"x", "x"})}), kInvalidArgument,
                  "Input 0 of node a was passed float from x:0 incompatible with expected float_ref.");
    const NodeDef variable =
        MakeNode("v", "VariableV2", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape{2}}});
    CHECK(
        Import(MakeGraph({variable, MakeFloat("y", "Neg", {"v"}), MakeFloat("a", "Assign", {"v", "y"})})).num_nodes() ==
        3);
  }

  TEST_CASE("all unknown ops are listed at once, with who uses them and the nearest names") {
    GraphDef def = MakeGraph({MakeInput("x"), MakeFloat("a", "Relv", {"x"}), MakeFloat("b", "NoSuchThing", {"a"}),
                              MakeFloat("c", "Relv", {"b"})});
    for (int i = 0; i < 9; ++i) def.node.push_back(MakeFloat(StrCat("d", i), "MatMull", {"x"}));
    const Status status = Refused(std::move(def));
    CHECK(status.code() == Code::kNotFound);
    CHECK(
        status.message() ==
        "Op type not registered 'Relv' in binary running on this machine. Make sure the Op and Kernel are registered in the binary "
        "running in this process; used by nodes 'a', 'c'; did you mean 'Relu'?\n"
        "Op type not registered 'NoSuchThing'; used by node 'b'\n"
        "Op type not registered 'MatMull'; used by nodes 'd0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7' and 1 more; did you mean 'MatMul'?\n"
        "TENON_REGISTER(tenon::ops::Name), tenon_add_graph_kernels(...) and tenon::ops register ops. Where an op is registered and "
        "yet missing, the linker dropped its file of a static library, or its shared library is another program's or hidden");
  }
  TEST_CASE("removed ops are refused by the graph's version") {
    GraphDef def = MakeGraph({MakeNode("old", "OldOp")});
    CHECK_REFUSED(def, kUnimplemented,
                  StrCat("Op OldOp is not available in GraphDef version ", kGraphDefVersion,
                         ". It has been removed in version 23. NewOp behaves the same."));
    def.versions.producer = 22;
    CHECK(Import(std::move(def)).num_nodes() == 1);
  }
  TEST_CASE("attrs are checked against the op") {
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeNode("y", "Neg", {"x"})}), kInvalidArgument,
                  "NodeDef missing attr 'T' from Op<name=Neg;");
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeFloat("y", "AddV2", {"x"})}), kInvalidArgument,
                  "NodeDef expected inputs 'float, float' do not match 1 inputs specified;");
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeFloat("y", "Neg", {"x", "x"})}), kInvalidArgument,
                  "NodeDef expected inputs 'float' do not match 2 inputs specified;");
    CHECK_REFUSED(MakeGraph({MakeNode("c", "Const", {}, {{"dtype", DataType::kFloat}})}), kInvalidArgument,
                  "NodeDef missing attr 'value' from Op<name=Const;");
  }

  TEST_CASE("an attr that the op does not have is kept and ignored, as TensorFlow does") {
    NodeDef node = MakeFloat("y", "Neg", {"x"});
    node.attr.Set("newer", AttrValue(7));
    const Graph graph = Import(MakeGraph({MakeInput("x"), node}));
    CHECK(graph.Find("y")->def.attr.Find("newer")->i() == 7);
  }

  TEST_CASE("cycles are printed") {
    CHECK_REFUSED(MakeGraph({MakeFloat("y", "Neg", {"y"})}), kInvalidArgument, "1 nodes in a cycle: 'y' -> 'y'");
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"c"}), MakeFloat("b", "Neg", {"a"}),
                             MakeFloat("c", "AddV2", {"b", "x"})}),
                  kInvalidArgument, "3 nodes in a cycle: 'a' -> 'b' -> 'c' -> 'a'");
    CHECK_REFUSED(MakeGraph({MakeFloat("tail", "Neg", {"a"}), MakeFloat("a", "Neg", {"a"})}), kInvalidArgument,
                  "2 nodes in a cycle or behind one: 'a' -> 'a'");
    CHECK_REFUSED(MakeGraph({MakeNode("a", "NoOp", {"^b"}), MakeNode("b", "NoOp", {"^a"})}), kInvalidArgument,
                  "2 nodes in a cycle: 'a' -> 'b' -> 'a'");
    CHECK_REFUSED(MakeGraph({MakeInput("x"), MakeNode("m", "Merge", {"x", "n"}, {{"N", 2}, {"T", DataType::kFloat}}),
                             MakeFloat("n", "Neg", {"m"})}),
                  kInvalidArgument, "2 nodes in a cycle: 'm' -> 'n' -> 'm'");
    CHECK_REFUSED(MakeGraph({MakeNode("m", "Merge", {"n"}, {{"N", 1}, {"T", DataType::kFloat}}),
                             MakeFloat("n", "NextIteration", {"m"})}),
                  kInvalidArgument, "2 nodes in a cycle: 'm' -> 'n' -> 'm'");
  }
  TEST_CASE("versions say who may read a graph") {
    GraphDef def = MakeGraph({MakeInput("x")});
    def.versions.min_consumer = 99999;
    CHECK_REFUSED(def, kInvalidArgument, "GraphDef min consumer version 99999 above current version 2474");
    def.versions = {-1, 0, {}};
    CHECK_REFUSED(def, kInvalidArgument, "GraphDef producer version -1 below min producer 0");
    def.versions = {kGraphDefVersion, 0, {3, kGraphDefVersion}};
    CHECK_REFUSED(def, kInvalidArgument, "GraphDef disallows consumer version 2474");
    def.versions = {99999, 0, {3}};
    CHECK(Import(def).versions().producer == kGraphDefVersion);
  }
  TEST_CASE("a graph from the far future gets a hint with its error") {
    GraphDef def = MakeGraph({MakeFloat("y", "NoSuchOp", {})});
    def.versions.producer = kGraphDefVersion + 22;
    CHECK_REFUSED(def, kNotFound,
                  "Converting GraphDef to Graph has failed with an error: 'Op type not registered 'NoSuchOp'");
    CHECK_REFUSED(def, kNotFound, "The GraphDef was produced by a binary built when GraphDef version was 2496.");
    def.versions.producer = kGraphDefVersion + 21;
    CHECK(StartsWith(Refused(def).message(), "Op type not registered 'NoSuchOp'"));
  }
  TEST_CASE("colocation with a node that does not exist is refused") {
    GraphDef def = MakeGraph({MakeInput("x"), MakeFloat("y", "Neg", {"x"})});
    def.node[1].attr.Set("_class", AttrValue(std::vector<std::string>{"loc:@x", "something"}));
    CHECK(Import(def).num_nodes() == 2);
    def.node[1].attr.Set("_class", AttrValue(std::vector<std::string>{"loc:@gone"}));
    CHECK_REFUSED(def, kInvalidArgument, "Node 'y' expects to be colocated with unknown node 'gone'");
  }
  TEST_CASE("functions are kept as data; their calls are refused by name") {
    GraphDef def = MakeGraph({MakeInput("x")});
    def.library.function = {MakeFunction("sq", "a"), MakeFunction("sq", "a")};
    CHECK(Import(def).library().function.size() == 2);
    def.node.push_back(MakeNode("y", "sq", {"x"}));
    CHECK_REFUSED(def, kUnimplemented, "Node 'y': 'sq' is a function of the graph's library");
    def.library.function[1] = MakeFunction("sq", "b");
    CHECK_REFUSED(def, kInvalidArgument,
                  "Cannot add function 'sq' because a different function with the same name already exists.");
    def.library.function = {MakeFunction("Neg", "a")};
    CHECK_REFUSED(def, kInvalidArgument, "Cannot add function 'Neg' because an op with the same name already exists.");
  }
  TEST_CASE("impossible shapes are refused as TensorFlow words it") {
    const Status status =
        Refused(MakeGraph({MakeInput("a", {2, 3}), MakeInput("b", {2, 3}), MakeFloat("m", "MatMul", {"a", "b"})}));
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(
        status.message() ==
        "Dimensions must be equal, but are 3 and 2 for '{{node m}} = MatMul[T=DT_FLOAT, transpose_a=false, transpose_b=false](a, b)' "
        "with input shapes: [2,3], [2,3].");
  }
  TEST_CASE("an _output_shapes attr adds to what is inferred, and goes") {
    const auto with = [](std::vector<PartialTensorShape> shapes) {
      GraphDef def = MakeGraph({MakeInput("x", {-1, 3})});
      def.node[0].attr.Set("_output_shapes", AttrValue(shapes));
      return def;
    };
    const Graph graph = Import(with({{7, -1}}));
    CHECK(graph.node(0).output_shape(0).DebugString() == "[7,3]");
    CHECK(graph.node(0).def.attr.Find("_output_shapes") == nullptr);
    CHECK_REFUSED(
        with({{7, 4}}), kInvalidArgument,
        "Node 'x' has an _output_shapes attribute inconsistent with the GraphDef for output #0: Dimension 1 in both shapes must be equal, "
        "but are 3 and 4. Shapes are [?,3] and [7,4].");
    CHECK_REFUSED(with({}), kInvalidArgument,
                  "Node 'x' has 1 outputs but the _output_shapes attribute specifies shapes for 0 outputs");
  }
  TEST_CASE("an op without a shape function has outputs of unknown shape") {
    CHECK(Import(MakeGraph({MakeInput("x", {2}), MakeNode("y", "NoShapes", {"x"})}))
              .Find("y")
              ->output_shape(0)
              .unknown_rank());
  }
}

// A graph with the refiner that ExtendGraph wants.
struct Growing {
  explicit Growing(GraphDef def) {
    ImportOptions options;
    options.refiner = &refiner;
    graph = *ImportGraphDef(std::move(def), testing::FlowOps(), options);
    refiner->set_graph(&graph);
  }
  Status Add(GraphDef more) {
    return ExtendGraph(std::move(more), testing::FlowOps(), ImportOptions(), &graph, refiner.get());
  }
  Owned<ShapeRefiner> refiner;
  Graph graph;
};

TEST_SUITE("ExtendGraph") {
  TEST_CASE("new nodes read old ones, in any order, and get shapes") {
    Growing g(MakeGraph({MakeInput("x", {2, 3})}));
    REQUIRE(g.Add(MakeGraph({MakeFloat("z", "Neg", {"y", "^x"}), MakeFloat("y", "Neg", {"x"})})).ok());
    REQUIRE(g.graph.num_nodes() == 3);
    CHECK(g.graph.node(1).name() == "y");
    CHECK(g.graph.Find("z")->output_shape(0).DebugString() == "[2,3]");
    CHECK(g.graph.Find("z")->control_inputs.size() == 1);
    CHECK(g.graph.Find("x")->outputs.size() == 2);
    REQUIRE(g.Add(MakeGraph({MakeFloat("w", "Neg", {"z"}), MakeInput("v")})).ok());
    CHECK(g.graph.Find("w")->input(0).node == g.graph.Find("z")->id);
    const Graph again = *ImportGraphDef(g.graph.ToGraphDef(), testing::FlowOps());
    for (const Node& node : again.nodes()) {
      CHECK(node.name() == g.graph.node(node.id).name());
      for (int i = 0; i < node.num_inputs(); ++i) CHECK(node.input(i) == g.graph.node(node.id).input(i));
    }
  }
  TEST_CASE("after an error the graph is as it was") {
    Growing g(MakeGraph({MakeInput("x", {2, 3})}));
    CHECK(g.Add(MakeGraph({MakeFloat("x", "Neg", {"x"})})).code() == Code::kInvalidArgument);
    CHECK(g.Add(MakeGraph({MakeFloat("y", "Neg", {"nowhere"})})).code() == Code::kInvalidArgument);
    CHECK(g.Add(MakeGraph({MakeNode("y", "Unknown", {"x"})})).code() == Code::kNotFound);
    CHECK(g.Add(MakeGraph({MakeFloat("y", "Neg", {"z"}), MakeFloat("z", "Neg", {"y"})})).code() ==
          Code::kInvalidArgument);
    CHECK(g.Add(MakeGraph({MakeFloat("y", "Neg", {"x", "^x"}), MakeFloat("m", "MatMul", {"x", "y"})})).code() ==
          Code::kInvalidArgument);  // shapes that do not fit
    CHECK(g.graph.num_nodes() == 1);
    CHECK(g.graph.Find("y") == nullptr);
    CHECK(g.graph.node(0).outputs.empty());
    CHECK(g.Add(MakeGraph({MakeFloat("y", "Neg", {"x"})})).ok());
    CHECK(g.graph.Find("y")->output_shape(0).DebugString() == "[2,3]");
  }
  TEST_CASE("takes the time of the new nodes") {
    const double growth = growth_test::Growth(1000, [](int n) {
      Growing g(MakeGraph({MakeInput("n0")}));
      for (int i = 1; i < n; ++i)
        REQUIRE(g.Add(MakeGraph({MakeFloat(StrCat("n", i), "Neg", {StrCat("n", i - 1)})})).ok());
    });
    CHECK(growth < growth_test::kLinear);
  }
  TEST_CASE("ImportGraphDef that is cancelled") {
    CancellationManager cancellation;
    cancellation.StartCancel();
    ImportOptions options;
    options.cancellation = &cancellation;
    CHECK(ImportGraphDef(MakeGraph({MakeInput("x")}), testing::FlowOps(), options).status().code() == Code::kCancelled);
  }
}

#undef CHECK_REFUSED

}  // namespace import_test
