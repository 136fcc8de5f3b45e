// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/op_list.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/wire/reader.hpp>

namespace op_list_test {
using namespace tenon;

namespace {

struct Outer {
  static constexpr auto signature = Op("Outer")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .Doc("Summary.")
                                        .SetShapeFn(shape_inference::UnchangedShape);
};
struct Inner {
  static constexpr auto signature = Op("Inner").Attr("n: int = 1").Deprecated(30, "Use Outer");
};
struct Hidden {
  static constexpr auto signature = Op("_Hidden");
};
constexpr OpView kOuter = Outer::signature.view(), kInner = Inner::signature.view(), kHidden = Hidden::signature.view();

OpRegistry Registered() {
  OpRegistry registry;
  for (const OpView* op : {&kOuter, &kInner, &kHidden}) REQUIRE(registry.Register(*op).ok());
  return registry;
}
SlimVector<std::string> Names(const SlimVector<OpDef>& ops) {
  SlimVector<std::string> names;
  for (const OpDef& op : ops) names.push_back(op.name);
  return names;
}
OpDef Named(std::string name, std::string summary = {}) {
  OpDef def;
  def.name = std::move(name);
  def.summary = std::move(summary);
  return def;
}
NodeDef Node(std::string op) {
  NodeDef node;
  node.name = op;
  node.op = std::move(op);
  return node;
}
// Outer, a call of f, which calls g, which uses Inner and calls f again; h, which nobody calls.
GraphDef CallsFunctions() {
  GraphDef graph;
  graph.node = {Node("f"), Node("Outer"), Node("Outer")};
  graph.library.function.resize(3);
  graph.library.function[0].signature.name = "f";
  graph.library.function[0].node_def = {Node("g")};
  graph.library.function[1].signature.name = "g";
  graph.library.function[1].node_def = {Node("Inner"), Node("f")};
  graph.library.function[2].signature.name = "h";
  graph.library.function[2].node_def = {Node("Unheard")};
  return graph;
}

class Lines : public LogSink {
 public:
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  std::string text;
};

}  // namespace

TEST_SUITE("TenonOps") {
  TEST_CASE("exports what is registered, sorted, internal ops on demand") {
    const OpRegistry registry = Registered();
    CHECK(Names(TenonOps(registry)) == std::vector<std::string>{"Inner", "Outer"});
    CHECK(Names(TenonOps(registry, true)) == std::vector<std::string>{"Inner", "Outer", "_Hidden"});
    const SlimVector<OpDef> ops = TenonOps(registry);
    CHECK(ops[1].summary == "Summary.");
    const std::string bytes = SerializeOpList({ops.data(), ops.size()});
    const Result<SlimVector<OpDef>> again = ParseOpList(wire::AsBytes(bytes));
    REQUIRE(again.ok());
    CHECK(*again == ops);
  }
  TEST_CASE("descriptions can be left out") {
    OpDef def = ToOpDef(kInner);
    def.attr[0].description = "Which.";
    def.input_arg.emplace_back().description = "What.";
    def.description = "Long.";
    RemoveDescriptions(&def);
    CHECK(def.attr[0].description.empty());
    CHECK(def.input_arg[0].description.empty());
    CHECK(def.description.empty());
    CHECK(def.deprecation->version == 30);
    CHECK(def.deprecation->explanation.empty());
  }
}

TEST_SUITE("OpDefTable") {
  TEST_CASE("finds ops by name; the last of several counts") {
    const OpDefTable table({Named("B"), Named("A", "first"), Named("A", "last")});
    REQUIRE(table.ops().size() == 2);
    CHECK(table.Find("A")->summary == "last");
    CHECK(table.Find("C") == nullptr);
    CHECK(OpDefTable().Find("A") == nullptr);
    const OpDef* op = nullptr;
    CHECK(table.LookUp("B", &op).ok());
    CHECK(op->name == "B");
    const Status missing = table.LookUp("Bb", &op);
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message().starts_with("Op type not registered 'Bb' in binary running on"));
    CHECK(op == nullptr);
  }
}

TEST_SUITE("StrippedOpListForGraph") {
  TEST_CASE("follows calls and leaves functions out") {
    CHECK(OpsUsedByGraph(CallsFunctions()) == std::vector<std::string>{"Inner", "Outer"});
    SlimVector<OpDef> ops;
    REQUIRE(StrippedOpListForGraph(CallsFunctions(), Registered(), &ops).ok());
    CHECK(Names(ops) == std::vector<std::string>{"Inner", "Outer"});
    CHECK(ops[1].summary.empty());
  }
  TEST_CASE("names an op that is not registered") {
    GraphDef graph;
    graph.node = {Node("Unheard")};
    SlimVector<OpDef> ops;
    const Status status = StrippedOpListForGraph(graph, Registered(), &ops);
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().starts_with("Op type not registered 'Unheard'"));
  }
}

TEST_SUITE("CheckOpDeprecation of an OpDef") {
  TEST_CASE("warns once before the version and refuses from it on") {
    Lines lines;
    const OpDef def = ToOpDef(kInner);
    CHECK(CheckOpDeprecation(def, 29).ok());
    CHECK(lines.text == "Op Inner is deprecated. It will cease to work in GraphDef version 30. Use Outer.");
    lines.text.clear();
    CHECK(CheckOpDeprecation(def, 29).ok());
    CHECK(lines.text.empty());
    const Status gone = CheckOpDeprecation(def, 30);
    CHECK(gone.code() == Code::kUnimplemented);
    CHECK(gone.message() ==
          "Op Inner is not available in GraphDef version 30. It has been removed in version 30. Use Outer.");
    CHECK(CheckOpDeprecation(ToOpDef(kOuter), 30).ok());
  }
}
}  // namespace op_list_test
