// SPDX-License-Identifier: Apache-2.0
// The shape of lowered graphs; that they compute the same is what tenon_golden --lowered shows.
#include <tenon/graph/lower_functional.hpp>

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/graph/control_flow.hpp>

#include <doctest/doctest.h>

#include "graph/flow_ops.hpp"
#include "graph/function_graphs.hpp"
#include "growth.hpp"

namespace lower_functional_test {
using namespace tenon;
using function_test::Call;
using function_test::Floats;
using testing::FlowOps;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;

namespace {

using Types = SlimVector<DataType>;
const AttrValue kFloatType(DataType::kFloat);

NodeDef Body(std::string name, std::string op, std::initializer_list<std::string> inputs) {
  return function_test::MakeNode(std::move(name), std::move(op), inputs, {{"T", kFloatType}});
}
NodeDef MakeCall(std::string name, std::initializer_list<std::string> inputs, std::string f) {
  return testing::MakeNode(name, "PartitionedCall", inputs,
                           {{"Tin", AttrValue(Types{DataType::kFloat})},
                            {"Tout", AttrValue(Types{DataType::kFloat})},
                            {"f", Call(std::move(f))}});
}
FunctionDef Negate() { return Floats("negate", {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0"); }
FunctionDef Same() { return Floats("same", {"x"}, {}, "x"); }
NodeDef MakeIf(std::string then = "negate", bool marked = true) {
  NodeDef node = testing::MakeNode("if", "If", {"p", "a", "^b"},
                                   {{"Tcond", DataType::kBool},
                                    {"Tin", AttrValue(Types{DataType::kFloat})},
                                    {"Tout", AttrValue(Types{DataType::kFloat})},
                                    {"then_branch", Call(std::move(then))},
                                    {"else_branch", Call("same")}});
  if (marked) node.attr.Insert("_lower_using_switch_merge", AttrValue(true));
  return node;
}
GraphDef WithIf(NodeDef node) {
  GraphDef def =
      MakeGraph({testing::MakeNode("p", "Placeholder", {}, {{"dtype", DataType::kBool}}), MakeInput("a"),
                 MakeInput("b"), std::move(node), MakeFloat("y", "Neg", {"if"}), MakeFloat("z", "Neg", {"a", "^if"})});
  def.library.function = {Negate(), Same()};
  return def;
}
NodeDef MakeWhile(std::initializer_list<std::string> inputs, Types types = {DataType::kFloat}) {
  return testing::MakeNode("loop", "While", inputs,
                           {{"T", AttrValue(std::move(types))},
                            {"cond", Call("cond")},
                            {"body", Call("body")},
                            {"parallel_iterations", AttrValue(std::int64_t{7})},
                            {"_lower_using_switch_merge", AttrValue(true)}});
}
FunctionDef Below() {
  return Floats(
      "cond", {"x"},
      {function_test::MakeNode("c", "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(9.0f))}}),
       Body("l", "Less", {"x", "c:output:0"})},
      "l:z:0", DataType::kBool);
}
FunctionDef Next() { return Floats("body", {"x"}, {Body("s", "AddV2", {"x", "x"})}, "s:z:0"); }

Graph Import(GraphDef def) {
  ImportOptions options;
  options.allow_internal_ops = true;
  Result<Graph> graph = ImportGraphDef(std::move(def), FlowOps(), options);
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  return std::move(*graph);
}
Graph Lowered(GraphDef def, const LowerOptions& options = {}) {
  Graph graph = Import(std::move(def));
  const Status status = LowerFunctionalOps(&graph, graph.library(), FlowOps(), options);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  return graph;
}
const Node& Input(const Graph& graph, const Node& node, int i) { return graph.node(node.input(i).node); }
// The one node of an op whose name begins so.
const Node& Find(const Graph& graph, std::string_view op, std::string_view prefix) {
  const Node* found = nullptr;
  for (const Node& node : graph.nodes()) {
    if (node.op_name() != op || !StartsWith(node.name(), prefix)) continue;
    CHECK_MESSAGE(found == nullptr, "several ", prefix);
    found = &node;
  }
  REQUIRE_MESSAGE(found != nullptr, prefix);
  return *found;
}
int Count(const Graph& graph, std::string_view op) {
  int count = 0;
  for (const Node& node : graph.nodes()) count += node.op_name() == op ? 1 : 0;
  return count;
}
bool Reaches(const Graph& graph, int from, int to) {
  bool found = false;
  const int roots[] = {to};
  ReverseDepthFirst(
      graph, roots, [&](const Node& node) { return found = found || node.id == from, true; }, [](const Node&) {});
  return found;
}

}  // namespace

TEST_SUITE("LowerFunctionalOps") {
  TEST_CASE("If: a Switch per input, a Merge per output, one more that says which branch ran") {
    const Graph g = Lowered(WithIf(MakeIf()));
    CHECK(Count(g, "If") == 0);
    CHECK(Count(g, "StatefulPartitionedCall") == 0);
    const Node& pred = Find(g, "Switch", "if/switch_pred");
    CHECK(Input(g, pred, 0).name() == "p");
    CHECK(Input(g, pred, 1).name() == "p");
    REQUIRE(pred.control_inputs.size() == 1);
    CHECK(g.node(pred.control_inputs[0]).name() == "b");
    const Node& a = Find(g, "Switch", "if/a");
    CHECK(Input(g, a, 0).name() == "a");
    CHECK(a.def.attr.Find("_class")->list().s == SlimVector<std::string>{"loc:@a"});
    const Node& merge = Find(g, "Merge", "if/output");
    const Node& executed = Find(g, "Merge", "if/branch_executed");
    CHECK(merge.def.attr.Find("N")->i() == 2);
    // Input 0 is the then branch: the true output of the Switch is negated.
    const Node& negated = Find(g, "Neg", "if/then");
    CHECK(Reaches(g, negated.id, merge.input(0).node));
    CHECK_FALSE(Reaches(g, negated.id, merge.input(1).node));
    CHECK(Input(g, *g.Find("y"), 0).name() == merge.name());
    CHECK(g.node(g.Find("z")->control_inputs[0]).name() == executed.name());
    CHECK(executed.control_inputs.size() == 2);
    const Node& kept = *g.Find("if");
    CHECK(kept.op_name() == "IdentityN");
    CHECK(Input(g, kept, 0).name() == merge.name());
    CHECK(kept.control_inputs[0] == executed.id);
  }

  TEST_CASE("only what is marked is lowered, unless all is asked for") {
    CHECK(Count(Lowered(WithIf(MakeIf("negate", false))), "If") == 1);
    CHECK(Count(Lowered(WithIf(MakeIf("negate", false)), {.unmarked = true}), "If") == 0);
    GraphDef vector = WithIf(MakeIf("negate", false));  // it runs by whether its condition has elements
    vector.node[0].attr.Set("shape", AttrValue(PartialTensorShape({1})));
    CHECK(Count(Lowered(std::move(vector), {.unmarked = true}), "If") == 1);
    NodeDef xla = MakeIf();
    xla.attr.Insert("_xla_compile_id", AttrValue("1"));
    CHECK(Count(Lowered(WithIf(xla)), "If") == 1);
  }

  TEST_CASE("in a graph with _Retval nodes only a NoOp keeps the name") {
    GraphDef def = WithIf(MakeIf());
    def.node.push_back(testing::MakeNode("r", "_Retval", {"y"}, {{"T", kFloatType}, {"index", AttrValue(0)}}));
    const Graph g = Lowered(std::move(def));
    CHECK(g.Find("if")->op_name() == "NoOp");
  }

  TEST_CASE("Case: as many branches as there are") {
    SlimVector<NameAttrList> branches;
    for (const char* f : {"negate", "same", "negate"}) branches.push_back(Call(f).func());
    GraphDef def = MakeGraph({testing::MakeNode("i", "Placeholder", {}, {{"dtype", DataType::kInt32}}), MakeInput("a"),
                              testing::MakeNode("case", "StatelessCase", {"i", "a"},
                                                {{"Tin", AttrValue(Types{DataType::kFloat})},
                                                 {"Tout", AttrValue(Types{DataType::kFloat})},
                                                 {"branches", AttrValue(branches)},
                                                 {"_lower_using_switch_merge", AttrValue(true)}}),
                              MakeFloat("y", "Neg", {"case"})});
    def.library.function = {Negate(), Same()};
    const Graph g = Lowered(std::move(def));
    const Node& index = Find(g, "_SwitchN", "case/branch_index");
    CHECK(index.num_outputs() == 3);
    CHECK(Find(g, "Merge", "case/merge").num_inputs() == 3);
    CHECK(Find(g, "Merge", "case/branch_executed").num_inputs() == 3);
    CHECK(Count(g, "Neg") == 3);
    CHECK(Count(g, "PartitionedCall") == 0);
    CHECK(Find(g, "Identity", "case/pivot_2").input(0).output == 2);
  }

  TEST_CASE("calls and control flow in the bodies are lowered too") {
    GraphDef def = WithIf(MakeIf("outer"));
    FunctionDef outer =
        Floats("outer", {"x"}, {MakeCall("c", {"x"}, "negate"), MakeWhile({"c:output:0"})}, "loop:output:0");
    def.library.function.push_back(outer);
    def.library.function.push_back(Below());
    def.library.function.push_back(Next());
    const Graph g = Lowered(std::move(def));
    CHECK(Count(g, "While") == 0);
    CHECK(Count(g, "PartitionedCall") == 0);
    CHECK(Count(g, "Exit") == 1);
    const SlimVector<char> all(static_cast<std::size_t>(g.num_nodes()), 1);
    CHECK(FindFrames(g, all, {}).ok());
  }

  TEST_CASE("the graph's own calls are inlined when marked or asked for") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeCall("call", {"a"}, "negate"), MakeFloat("y", "Neg", {"call"})});
    def.library.function = {Negate()};
    CHECK(Count(Lowered(def), "PartitionedCall") == 1);
    CHECK(Count(Lowered(def, {.inline_calls = true}), "PartitionedCall") == 0);
    def.node[1].attr.Insert("_lower_as_multi_device_function", AttrValue(true));
    const Graph g = Lowered(def);
    CHECK(Count(g, "PartitionedCall") == 0);
    CHECK(g.Find("call")->op_name() == "IdentityN");
  }
  TEST_CASE("a call whose settings its kernel refuses is inlined only where it is marked") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeCall("call", {"a"}, "negate"), MakeFloat("y", "Neg", {"call"})});
    def.library.function = {Negate()};
    def.node[1].attr.Insert("executor_type", AttrValue("nonsense"));
    CHECK(Count(Lowered(def, {.inline_calls = true}), "PartitionedCall") == 1);
    def.node[1].attr.Insert("_lower_as_multi_device_function", AttrValue(true));
    CHECK(Count(Lowered(def, {.inline_calls = true}), "PartitionedCall") == 0);
  }

  TEST_CASE("what cannot be lowered stays and runs natively") {
    GraphDef number = WithIf(MakeIf());
    number.node[0].attr.Set("dtype", kFloatType);
    number.node[3].attr.Set("Tcond", kFloatType);
    CHECK(Count(Lowered(number), "If") == 1);

    GraphDef lists = MakeGraph({MakeInput("a"), MakeCall("call", {"a"}, "list")});
    FunctionDef list = Floats("list", {}, {Body("n", "Neg", {"xs:0"})}, "n:y:0");
    list.signature.input_arg.push_back(function_test::Arg("xs", DataType::kFloat));
    list.signature.input_arg[0].number_attr = "N";
    OpDef::AttrDef n;
    n.name = "N";
    n.type = "int";
    n.default_value = AttrValue(1);
    list.signature.attr = {n};
    lists.library.function = {list};
    CHECK(Count(Lowered(lists, {.inline_calls = true}), "PartitionedCall") == 1);

    FunctionDef kept = Negate();
    kept.attr.Insert("_noinline", AttrValue(true));
    GraphDef noinline = WithIf(MakeIf());
    noinline.library.function[0] = kept;
    const Graph g = Lowered(noinline);
    CHECK(Count(g, "StatefulPartitionedCall") == 1);
    CHECK(Count(g, "If") == 0);

    GraphDef endless = WithIf(MakeIf("again"));
    endless.library.function.push_back(Floats("again", {"x"}, {MakeCall("c", {"x"}, "again")}, "c:output:0"));
    CHECK(Count(Lowered(endless), "PartitionedCall") == 1);
  }

  TEST_CASE("shapes that contradict in a branch are no reason to refuse the graph") {
    FunctionDef bad = Floats("bad", {"x"}, {Body("m", "MatMul", {"x", "x"})}, "m:product:0");
    GraphDef def = WithIf(MakeIf("bad"));
    def.node[1].attr.Set("shape", AttrValue(PartialTensorShape({2, 3})));
    def.library.function.push_back(bad);
    CHECK(Count(Lowered(std::move(def)), "MatMul") == 1);
  }

  TEST_CASE("calls that multiply without measure are refused, the graph stays") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeCall("call", {"a"}, "f30")});
    def.library.function = {Floats("f0", {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0")};
    for (int i = 1; i <= 30; ++i) {
      const std::string f = StrCat("f", i - 1);
      def.library.function.push_back(
          Floats(StrCat("f", i), {"x"}, {MakeCall("c", {"x"}, f), MakeCall("d", {"c:output:0"}, f)}, "d:output:0"));
    }
    Graph graph = Import(def);
    const Status status =
        LowerFunctionalOps(&graph, graph.library(), FlowOps(), {.inline_calls = true, .max_nodes = 1000});
    CHECK(errors::IsResourceExhausted(status));
    CHECK(status.message().find("more than 1000 nodes") != std::string_view::npos);
    CHECK(graph.num_nodes() == 2);
  }

  TEST_CASE("a graph that was imported under larger limits is lowered") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeCall("call", {"a"}, "negate"), MakeFloat("y", "Neg", {"call"})});
    def.library.function = {Negate()};
    NameAttrList nested{"f", {}};
    for (int i = 0; i < 150; ++i) nested = NameAttrList{"f", AttrMap{{"g", AttrValue(nested)}}};
    def.node[2].attr.Set("_nested", AttrValue(nested));
    ImportOptions options;
    options.limits.max_nesting = 200;
    Graph graph = ImportGraphDef(std::move(def), FlowOps(), options).value();
    const Status status = LowerFunctionalOps(&graph, graph.library(), FlowOps(), {.inline_calls = true});
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Count(graph, "PartitionedCall") == 0);
  }

  TEST_CASE("takes linear time and memory for calls within calls") {
    const auto chain = [](int n) {
      GraphDef def = MakeGraph({MakeInput("a"), MakeCall("call", {"a"}, "f0")});
      for (int i = 0; i < n; ++i)
        def.library.function.push_back(
            i + 1 < n ? Floats(StrCat("f", i), {"x"}, {MakeCall("c", {"x"}, StrCat("f", i + 1))}, "c:output:0")
                      : Floats(StrCat("f", i), {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0"));
      return Import(def);
    };
    const double growth = growth_test::Growth(500, [&chain](int n) {
      Graph graph = chain(n);
      REQUIRE(LowerFunctionalOps(&graph, graph.library(), FlowOps(), {.inline_calls = true}).ok());
      CHECK(Count(graph, "PartitionedCall") == 0);
    });
    CHECK(growth < growth_test::kLinear);
    Graph graph = chain(1000);
    REQUIRE(LowerFunctionalOps(&graph, graph.library(), FlowOps(), {.inline_calls = true}).ok());
    for (const Node& node : graph.nodes()) CHECK(node.name().size() < 600);
  }

  TEST_CASE("a recursion stays a call wherever its cycle is entered") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeCall("x", {"a"}, "f0"), MakeCall("y", {"a"}, "f1"),
                              MakeCall("z", {"a"}, "outer"), MakeCall("t", {"a"}, "twice")});
    for (int i = 0; i < 3; ++i)
      def.library.function.push_back(
          Floats(StrCat("f", i), {"x"}, {Body("n", "Neg", {"x"}), MakeCall("c", {"n:y:0"}, StrCat("f", (i + 1) % 3))},
                 "c:output:0"));
    def.library.function.push_back(Floats("outer", {"x"}, {MakeCall("c", {"x"}, "f2")}, "c:output:0"));
    def.library.function.push_back(
        Floats("twice", {"x"}, {MakeCall("c", {"x"}, "f0"), MakeCall("d", {"c:output:0"}, "f0")}, "d:output:0"));
    const Graph g = Lowered(def, {.inline_calls = true});
    CHECK(Count(g, "PartitionedCall") == 5);  // one a way in
    CHECK(Count(g, "Neg") == 15);
  }
}

TEST_SUITE("NumberSets") {
  TEST_CASE("has the numbers of the set that it was made from, and one more") {
    detail::NumberSets sets;
    struct Made {
      int set;
      std::set<int> numbers;
    };
    std::vector<Made> all{{detail::NumberSets::kEmpty, {}}};
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
      const Made from = all[random() % all.size()];
      const int number = i % 9 == 0 ? 0x7FFFFFFF - i : static_cast<int>(random() % 64);
      REQUIRE(sets.Has(from.set, number) == from.numbers.contains(number));
      if (from.numbers.contains(number)) continue;
      all.push_back({sets.With(from.set, number), from.numbers});
      all.back().numbers.insert(number);
    }
    for (const Made& made : all)
      for (int number = 0; number < 64; ++number) CHECK(sets.Has(made.set, number) == made.numbers.contains(number));
  }

  TEST_CASE("takes linear time for a chain of sets") {
    const double growth = growth_test::Growth(5000, [](int n) {
      detail::NumberSets sets;
      int set = detail::NumberSets::kEmpty;
      for (int i = 0; i < n; ++i) {
        CHECK_FALSE(sets.Has(set, i));
        set = sets.With(set, i);
      }
      CHECK(sets.Has(set, 0));
    });
    CHECK(growth < growth_test::kLinear);
  }
}
}  // namespace lower_functional_test
