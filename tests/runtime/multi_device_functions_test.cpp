// SPDX-License-Identifier: Apache-2.0
// Functions whose nodes ask for several devices, and which get what lives on several: TensorFlow's multi-device
// functions, in sessions on several devices.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/lower_functional.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graphs.hpp"
#include "looping_graphs.hpp"

namespace multi_device_functions_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Call;
using function_test::Floats;
using function_test::FloatTypes;
using function_test::MakeNode;

namespace {

const AttrValue kFloatType(DataType::kFloat);
const std::vector<std::string> kDevices{"CPU:0", "CPU:1", "SIM:0", "SIM:1"};

NodeDef CallOf(std::string name, std::string_view function, std::initializer_list<std::string> inputs,
               std::string_view op = "PartitionedCall") {
  return MakeNode(std::move(name), std::string(op), inputs,
                  {{"Tin", FloatTypes(static_cast<int>(inputs.size()))},
                   {"Tout", FloatTypes(1)},
                   {"f", Call(std::string(function))}});
}
// f(x) = (-x)^2 + x, on SIM:0, on SIM:1, and where its caller is.
FunctionDef Spread() {
  return Floats("spread", {"x"},
                {FloatNode("a", "Neg", {"x"}, "SIM:0"), FloatNode("b", "Square", {"a:y:0"}, "SIM:1"),
                 FloatNode("c", "AddV2", {"b:y:0", "x"}, "")},
                "c:z:0");
}
GraphDef WithFunctions(SlimVector<FunctionDef> functions, SlimVector<NodeDef> nodes) {
  GraphDef graph;
  graph.versions.producer = kGraphDefVersion;
  graph.library.function = std::move(functions);
  graph.node = {MakeNode("x", "Placeholder", {}, {{"dtype", kFloatType}})};
  graph.node.append(nodes.begin(), nodes.end());
  return graph;
}
Session Load(const GraphDef& graph, SessionOptions options = {}) {
  options.devices = kDevices;
  Result<Session> session = Session::FromGraphDef(graph, options);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}
float RunOne(const Session& session, float x, const std::string& fetch) {
  const auto out = session.Run({{"x", Tensor::Scalar(x)}}, {fetch});
  REQUIRE_MESSAGE(out.ok(), out.status().ToString());
  return (*out)[0].scalar<float>()();
}
// Op -> the device that ran it, of the ops of `Spread`.
std::map<std::string, std::string> DevicesOf(const Session& session, const std::string& fetch) {
  const auto callable = session.MakeCallable({.feeds = {"x"}, .fetches = {fetch}});
  REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
  const Tensor x = Tensor::Scalar(3.0f);
  Tensor y;
  RunTrace trace;
  REQUIRE(callable->RunTraced({&x, 1}, {&y, 1}, &trace).ok());
  std::map<std::string, std::string> devices;
  for (const NodeTiming& node : trace.nodes)
    if (node.op == "Neg" || node.op == "Square" || node.op == "AddV2")
      devices[std::string(node.op)] = std::string(node.device.substr(node.device.rfind(':') - 3));
  return devices;
}

}  // namespace

TEST_SUITE("Functions over several devices") {
  TEST_CASE("nodes of a called function run where they ask to, the others where the call does") {
    NodeDef there = CallOf("there", "spread", {"x"});
    there.device = On("CPU:1");
    NodeDef stateful = CallOf("stateful", "spread", {"x"}, "StatefulPartitionedCall");
    const GraphDef graph = WithFunctions(
        {Spread(), Floats("outer", {"x"}, {CallOf("inner", "spread", {"x"})}, "inner:output:0")},
        {there, stateful, CallOf("nested", "outer", {"x"}), FloatNode("after", "Identity", {"there"}, "")});
    const Session session = Load(graph);
    for (const char* fetch : {"there", "stateful", "nested", "after"}) {
      CAPTURE(fetch);
      CHECK(RunOne(session, 3, fetch) == 12);
      const auto devices = DevicesOf(session, fetch);
      REQUIRE(devices.size() == 3);
      CHECK(devices.at("Neg") == "SIM:0");
      CHECK(devices.at("Square") == "SIM:1");
      if (fetch[0] == 't') CHECK(devices.at("AddV2") == "CPU:1");
    }
    CHECK(session.Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"there"}).ok());
    CHECK(RunOne(session, 3, "after") == 12);
    // What is fed in its place, its readers see.
    const auto fed = session.Run({{"there", Tensor::Scalar(5.0f)}}, {"after", "there:0"});
    REQUIRE_MESSAGE(fed.ok(), fed.status().ToString());
    for (const Tensor& value : *fed) CHECK(value.scalar<float>()() == 5);
    const auto part = session.PRunSetup({"there"}, {"after"});
    REQUIRE_MESSAGE(part.ok(), part.status().ToString());
    const auto in_part = session.PRun(*part, {{"there", Tensor::Scalar(6.0f)}}, {"after"});
    REQUIRE_MESSAGE(in_part.ok(), in_part.status().ToString());
    CHECK((*in_part)[0].scalar<float>()() == 6);
  }

  TEST_CASE("a function takes variables of several devices") {
    // add(v, w, x): v += x, w += v; gives w.
    const std::pair<std::string, AttrValue> of_floats{"dtype", kFloatType};
    FunctionDef add = Floats("add", {},
                             {MakeNode("v_add", "AssignAddVariableOp", {"v", "x"}, {of_floats}),
                              MakeNode("v_read", "ReadVariableOp", {"v", "^v_add"}, {of_floats}),
                              MakeNode("w_add", "AssignAddVariableOp", {"w", "v_read:value:0"}, {of_floats}),
                              MakeNode("w_read", "ReadVariableOp", {"w", "^w_add"}, {of_floats})},
                             "w_read:value:0");
    add.signature.input_arg = {function_test::Arg("v", DataType::kResource),
                               function_test::Arg("w", DataType::kResource), function_test::Arg("x", DataType::kFloat)};
    add.signature.is_stateful = true;
    SlimVector<NodeDef> nodes;
    for (const auto& [name, device] : {std::pair("v", "SIM:0"), std::pair("w", "SIM:1")}) {
      NodeDef variable =
          MakeNode(name, "VarHandleOp", {}, {of_floats, {"shape", AttrValue(PartialTensorShape(TensorShape()))}});
      variable.device = On(device);
      nodes.push_back(variable);
      nodes.push_back(MakeNode(StrCat(name, "_init"), "AssignVariableOp", {name, "x"}, {of_floats}));
      nodes.push_back(MakeNode(StrCat(name, "_now"), "ReadVariableOp", {name}, {of_floats}));
    }
    const AttrValue types(SlimVector<DataType>{DataType::kResource, DataType::kResource, DataType::kFloat});
    nodes.push_back(MakeNode("y", "StatefulPartitionedCall", {"v", "w", "x"},
                             {{"Tin", types}, {"Tout", FloatTypes(1)}, {"f", Call("add")}}));
    const Session session = Load(WithFunctions({add}, nodes));
    REQUIRE(session.Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"v_init", "w_init"}).ok());
    float v = 1, w = 1;
    for (const float x : {2.0f, 3.0f, 4.0f}) {
      v += x;
      w += v;
      CHECK(RunOne(session, x, "y") == w);
    }
    CHECK(RunOne(session, 0, "v_now") == v);
    CHECK(RunOne(session, 0, "w_now") == w);
    REQUIRE(session.Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"y"}).ok());  // for its effects alone
    CHECK(RunOne(session, 0, "w_now") == w + v + 1);
  }

  TEST_CASE("an error names the function's node and its device") {
    const GraphDef graph =
        WithFunctions({Floats("f", {"x"}, {FloatNode("bad", "AddV2", {"x", "y"}, "SIM:1")}, "bad:z:0")},
                      {CallOf("z", "f", {"x", "y"})});
    GraphDef def = graph;
    def.library.function[0].signature.input_arg.push_back(function_test::Arg("y", DataType::kFloat));
    def.node.push_back(MakeNode("y", "Placeholder", {}, {{"dtype", kFloatType}}));
    const Session session = Load(def);
    const Status status =
        session.Run({{"x", MakeTensor<float>({2}, {1, 2})}, {"y", MakeTensor<float>({3}, {1, 2, 3})}}, {"z"}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(Contains(status.message(), "bad"), status.ToString());
    CHECK_MESSAGE(Contains(status.message(), ", SIM:1]"), status.ToString());
    CHECK(session.Run({{"x", Tensor::Scalar(1.0f)}, {"y", Tensor::Scalar(2.0f)}}, {"z"}).ok());
  }

  TEST_CASE("a recursion, and calls that must not be taken apart, run whole on one device") {
    // down(x) = x < 1 ? x : down(x - 1)
    const AttrValue one(Tensor::Scalar(1.0f));
    FunctionDef down = Floats("down", {"x"},
                              {MakeNode("one", "Const", {}, {{"dtype", kFloatType}, {"value", one}}),
                               FloatNode("less", "Less", {"x", "one:output:0"}, ""),
                               MakeNode("if", "StatelessIf", {"less:z:0", "x"},
                                        {{"Tcond", AttrValue(DataType::kBool)},
                                         {"Tin", FloatTypes(1)},
                                         {"Tout", FloatTypes(1)},
                                         {"then_branch", Call("same")},
                                         {"else_branch", Call("again")}})},
                              "if:output:0");
    const FunctionDef same = Floats("same", {"x"}, {}, "x");
    const FunctionDef again =
        Floats("again", {"x"},
               {MakeNode("one", "Const", {}, {{"dtype", kFloatType}, {"value", one}}),
                FloatNode("less", "Sub", {"x", "one:output:0"}, ""), CallOf("next", "down", {"less:z:0"})},
               "next:output:0");
    FunctionDef whole = Spread();
    whole.signature.name = "whole";
    whole.attr.Set("_noinline", AttrValue(true));
    const Session session =
        Load(WithFunctions({down, same, again, whole}, {CallOf("y", "down", {"x"}), CallOf("z", "whole", {"x"})}));
    CHECK(RunOne(session, 5.5f, "y") == 0.5f);
    CHECK(RunOne(session, 3, "z") == 12);
    for (const auto& [op, device] : DevicesOf(session, "z")) CHECK(device == "CPU:0");
  }

  TEST_CASE("who wants calls to stay calls says so") {
    const Session session =
        Load(WithFunctions({Spread()}, {CallOf("y", "spread", {"x"})}), {.lower_control_flow = &LowerFunctionalOps});
    CHECK(RunOne(session, 3, "y") == 12);
    const PlacementReport* const report = FindPlacementReport(session);
    REQUIRE(report != nullptr);
    CHECK(report->rows.size() == 2);
  }
}
}  // namespace multi_device_functions_test
