// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/control_flow.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace control_flow_test {
using namespace tenon;

namespace {

// Nodes of one float output and as many float inputs as are given.
struct Flow {
  Graph graph;
  int Add(const std::string& name, const std::string& op, const std::vector<int>& inputs = {},
          const std::string& frame = "") {
    NodeDef def;
    def.name = name;
    def.op = op;
    if (op == "Enter") {
      def.attr.Insert("frame_name", AttrValue(std::string(frame)));
      def.attr.Insert("parallel_iterations", AttrValue(std::int64_t{4}));
    }
    const std::vector<DataType> types(inputs.size(), DataType::kFloat);
    const DataType out = DataType::kFloat;
    const int id = *graph.AddNode(def, nullptr, types, {&out, 1});
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] >= 0) REQUIRE(graph.AddEdge(inputs[i], 0, id, static_cast<int>(i)).ok());
    return id;
  }
  Result<ControlFlowFrames> Find(const std::vector<InEdge>& fed = {}) const {
    const std::vector<char> wanted(static_cast<std::size_t>(graph.num_nodes()), 1);
    return FindFrames(graph, wanted, fed);
  }
};

}  // namespace

TEST_SUITE("FindFrames") {
  TEST_CASE("puts nodes into the loop that their inputs entered") {
    Flow f;
    const int x = f.Add("x", "Placeholder");
    const int outer = f.Add("outer", "Enter", {x}, "a"), too = f.Add("too", "Enter", {x}, "a");
    const int merge = f.Add("merge", "Merge", {outer, -1}), inner = f.Add("inner", "Enter", {merge}, "b");
    const int y = f.Add("y", "Neg", {inner}), leave = f.Add("leave", "Exit", {y}),
              sum = f.Add("sum", "Add", {leave, too});
    const int next = f.Add("next", "NextIteration", {sum}), out = f.Add("out", "Exit", {sum}),
              z = f.Add("z", "Neg", {out});
    REQUIRE(f.graph.AddEdge(next, 0, merge, 1).ok());
    const auto frames = f.Find();
    REQUIRE_MESSAGE(frames.ok(), frames.status().message());
    REQUIRE(frames->frames.size() == 3);
    CHECK(frames->frames[1].name == "a");
    CHECK(frames->frames[1].num_enters == 2);
    CHECK(frames->frames[1].parallel_iterations == 4);
    CHECK(frames->frames[2].parent == 1);
    const auto runs_in = [&](int id) { return frames->RunsIn(f.graph.node(id)); };
    const auto outputs_in = [&](int id) { return frames->OutputsIn(f.graph.node(id)); };
    struct Place {
      int id, runs, outputs;
    };
    for (const auto [id, runs, outputs] : {Place{x, 0, 0},
                                           {outer, 0, 1},
                                           {inner, 1, 2},
                                           {y, 2, 2},
                                           {leave, 2, 1},
                                           {sum, 1, 1},
                                           {next, 1, 1},
                                           {out, 1, 0},
                                           {z, 0, 0}}) {
      CHECK(runs_in(id) == runs);
      CHECK(outputs_in(id) == outputs);
    }
  }
  TEST_CASE("takes what is fed as coming from the root") {
    Flow f;
    const int x = f.Add("x", "Placeholder"), e = f.Add("e", "Enter", {x}, "a"), y = f.Add("y", "Neg", {e});
    const int z = f.Add("z", "Neg", {y});
    CHECK(f.Find()->RunsIn(f.graph.node(z)) == 1);
    CHECK(f.Find({{y, 0}})->RunsIn(f.graph.node(z)) == 0);
    f.Add("both", "Add", {e, y});
    CHECK(f.Find().ok());
    CHECK(f.Find({{y, 0}}).status().message().find("{{node both}} has inputs from different frames.") == 0);
  }
  TEST_CASE("stops when it is cancelled") {
    Flow f;
    f.Add("enter", "Enter", {f.Add("x", "Placeholder")}, "a");
    CancellationManager cancellation;
    const std::vector<char> wanted(2, 1);
    CHECK(FindFrames(f.graph, wanted, {}, &cancellation).ok());
    cancellation.StartCancel();
    CHECK(FindFrames(f.graph, wanted, {}, &cancellation).status().code() == Code::kCancelled);
  }
  TEST_CASE("leaves out nodes that are not wanted") {
    Flow f;
    const int x = f.Add("x", "Placeholder"), e = f.Add("e", "Exit", {x});
    CHECK(f.Find().status().code() == Code::kInvalidArgument);
    std::vector<char> wanted{1, 0};
    const auto frames = FindFrames(f.graph, wanted, {});
    REQUIRE(frames.ok());
    CHECK(frames->frame_of[static_cast<std::size_t>(e)] == -1);
  }
  TEST_CASE("is needed for Switch, Merge, Enter and Exit alone") {
    for (const char* op :
         {"Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit"})
      CHECK(NeedsFrames(NodeClassOf(op)));
    for (const char* op : {"NextIteration", "LoopCond", "ControlTrigger", "Identity", "While"})
      CHECK(!NeedsFrames(NodeClassOf(op)));
  }
}
}  // namespace control_flow_test
