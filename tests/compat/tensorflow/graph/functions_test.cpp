// SPDX-License-Identifier: Apache-2.0
// Graphs and functions that a program builds: Graph, GraphDefBuilder, EqualGraphDef, FunctionLibraryDefinition,
// InstantiateFunction, DebugString, stack traces.
#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/equal_graph_def.hpp>
#include <tenon/compat/tensorflow/graph/function_library.hpp>
#include <tenon/compat/tensorflow/graph/functions.hpp>
#include <tenon/compat/tensorflow/graph/graph_def_builder.hpp>
#include <tenon/compat/tensorflow/graph/stack_trace.hpp>
#include <tenon/compat/tensorflow/testing/function_testlib.hpp>
#include <tenon/compat/tensorflow/testing/graph_testlib.hpp>

namespace tensorflow {
namespace compat_functions_test {
REGISTER_OP("CfSource").Output("o: float");
REGISTER_OP("CfCombine").Input("a: float").Input("b: float").Output("o: float");
REGISTER_OP("CfMany").Input("x: N * T").Output("y: N * T").Attr("T: type").Attr("N: int >= 1").Attr("f: func");

namespace fn = test::function;
GraphDefBuilder::Options Named(const GraphDefBuilder& builder, const char* name) {
  return builder.opts().WithName(name);
}
Status OpOf(const std::string& name, const OpDef** op) { return OpRegistry::Global()->LookUpOpDef(name, op); }
std::string ErrorOf(const FunctionDef& function, const AttrValueMap& attrs = {}) {
  InstantiationResult result;
  return InstantiateFunction(function, AttrSlice(&attrs), OpOf, &result).ToString();
}
bool Has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
GradientDef Gradient(const std::string& function, const std::string& gradient) {
  GradientDef def;
  def.set_function_name(function);
  def.set_gradient_func(gradient);
  return def;
}
}  // namespace compat_functions_test
using namespace compat_functions_test;

TEST_SUITE("graphs that a program builds") {
  TEST_CASE("GraphDefBuilder writes names, inputs, controls and devices") {
    GraphDefBuilder b;
    Node* const a = ops::SourceOp("CfSource", Named(b, "a"));
    Node* const c = ops::SourceOp("CfSource", Named(b, "c").WithDevice("/cpu:1"));
    Node* const d = ops::BinaryOp("CfCombine", a, {c, 0}, Named(b, "d").WithControlInput(c).WithAttr("_x", 3));
    REQUIRE(d != nullptr);
    CHECK(d->num_inputs() == 2);
    CHECK(d->output_type(0) == DT_FLOAT);
    const Node* from = nullptr;
    CHECK(d->input_node(1, &from).ok());
    CHECK(from == c);
    GraphDef graph;
    REQUIRE(b.ToGraphDef(&graph).ok());
    REQUIRE(graph.node_size() == 3);
    CHECK(graph.node(1).device() == "/cpu:1");
    CHECK(graph.node(2).input(1) == "c");
    CHECK(graph.node(2).input(2) == "^c");
    CHECK(graph.versions().producer() == TF_GRAPH_DEF_VERSION);
  }
  TEST_CASE("GraphDefBuilder keeps its first mistake") {
    GraphDefBuilder b;
    CHECK(ops::UnaryOp("CfCombine", ops::SourceOp("CfSource", b.opts()), b.opts()) == nullptr);
    CHECK(b.opts().HaveError());
    CHECK(ops::SourceOp("CfSource", b.opts()) == nullptr);
    GraphDef graph;
    CHECK(b.ToGraphDef(&graph).code() == error::INVALID_ARGUMENT);
    NodeBuilder out_of_range("n", "CfCombine");
    Graph g(OpRegistry::Global());
    CHECK(Has(out_of_range.Input(g.source_node(), 4).Finalize(&g, nullptr).ToString(), "not in range [0, 0)"));
  }
  TEST_CASE("a GraphDef becomes a Graph and comes back") {
    Graph g(OpRegistry::Global());
    Node* const x = test::graph::Constant(&g, Tensor(2.0f), "x");
    Node* const y = test::graph::Binary(&g, "CfCombine", x, test::graph::Constant(&g, Tensor(3.0f)));
    test::graph::NoOp(&g, {y});
    GraphDef first, second;
    g.ToGraphDef(&first);
    CHECK(g.num_op_nodes() == 4);
    CHECK(g.num_edges() == 4);  // with that from the source to the sink
    Graph copy(OpRegistry::Global());
    REQUIRE(ConvertGraphDefToGraph({}, first, &copy).ok());
    copy.ToGraphDef(&second);
    std::string diff;
    CHECK_MESSAGE(EqualGraphDef(second, first, &diff), diff);
    copy.RemoveNode(copy.FindNodeId(2));
    CHECK(copy.num_op_nodes() == 3);
    first.mutable_node(2)->set_input(0, "x:1");
    Graph bad(OpRegistry::Global());
    CHECK(Has(ConvertGraphDefToGraph({}, first, &bad).ToString(), "Connecting to invalid output 1"));
    first.mutable_node(2)->set_input(0, "unknown");
    Graph missing(OpRegistry::Global());
    CHECK(ConvertGraphDefToGraph({}, first, &missing).code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("EqualGraphDef says what differs") {
    GraphDefBuilder e, a;
    ops::SourceOp("CfSource", Named(e, "A"));
    ops::SourceOp("CfSource", Named(a, "B"));
    GraphDef expected, actual;
    REQUIRE(e.ToGraphDef(&expected).ok());
    REQUIRE(a.ToGraphDef(&actual).ok());
    std::string diff;
    CHECK_FALSE(EqualGraphDef(actual, expected, &diff));
    CHECK(diff == "Did not find expected node '{{node A}} = CfSource[]()'");
    CHECK(GraphDefHash(actual) != GraphDefHash(expected));
    NodeDef node = expected.node(0), other = node;
    AddNodeAttr("_class", 5, &other);
    CHECK(EqualNodeDef(other, node, &diff));
    CHECK_FALSE(EqualNodeDef(other, node, &diff, EqualGraphDefOptions{false}));
    AddNodeAttr("foo", "bar", &other);
    CHECK_FALSE(EqualNodeDef(other, node, &diff));
    CHECK(diff == "Node named 'A' has unexpected attr 'foo' with value: \"bar\"");
    CHECK_FALSE(EqualNodeDef(node, other, nullptr));
    node.add_input("x");
    node.add_input("^p");
    node.add_input("^q");
    other = node;
    other.set_input(1, "^q");
    other.set_input(2, "^p");
    CHECK(EqualNodeDef(other, node, &diff));
    other.set_input(2, "^r");
    CHECK_FALSE(EqualNodeDef(other, node, &diff));
    CHECK(diff == "Node named 'A' missing expected control input '^p'");
  }
  TEST_CASE("attrs at defaults that the consumer does not know are removed; ops are listed") {
    OpList had, wants;
    REQUIRE(OpDefBuilder("CfOld").Attr("a: int = 17").Finalize(had.add_op()).ok());
    REQUIRE(OpDefBuilder("CfOld").Finalize(wants.add_op()).ok());
    OpListOpRegistry producer(&had), consumer(&wants);
    GraphDef graph;
    REQUIRE(NodeDefBuilder("n", "CfOld", &producer).Finalize(graph.add_node()).ok());
    REQUIRE(NodeDefBuilder("m", "CfOld", &producer).Attr("a", 9).Finalize(graph.add_node()).ok());
    std::set<std::pair<std::string, std::string>> removed;
    REQUIRE(RemoveNewDefaultAttrsFromGraphDef(&graph, consumer, producer, &removed).ok());
    CHECK(graph.node(0).attr().empty());
    CHECK(graph.node(1).attr().size() == 1);
    CHECK(removed.count({"CfOld", "a"}) == 1);
    OpList used;
    had.mutable_op(0)->set_summary("words");
    REQUIRE(StrippedOpListForGraph(graph, OpListOpRegistry(&had), &used).ok());
    REQUIRE(used.op_size() == 1);
    CHECK(used.op(0).summary().empty());
    std::shared_ptr<const NodeProperties> properties;
    CHECK(NodeProperties::CreateFromNodeDef(graph.node(1), &producer, &properties).ok());
    CHECK(properties->output_types.empty());
  }
  TEST_CASE("a registry of one's own tells a watcher of ops") {
    OpRegistry ops;
    const auto add = [&ops] {
      ops.Register([](OpRegistrationData* d) { return d->op_def.set_name("CfOwn"), Status(); });
    };
    add();
    Status heard;
    REQUIRE(ops.SetWatcher([&heard](const Status& s, const OpDef&) { return heard = s, Status(); }).ok());
    CHECK(ops.SetWatcher([](const Status& s, const OpDef&) { return s; }).code() == error::ALREADY_EXISTS);
    add();
    CHECK(heard.code() == error::ALREADY_EXISTS);
    OpList all;
    ops.Export(true, &all);
    CHECK(all.op_size() == 1);
  }
}

TEST_SUITE("functions as messages") {
  TEST_CASE("DebugString and InstantiateFunction") {
    const FunctionDef f = FDH::Create("Both", {"x: N*T"}, {"y: T"}, {"N:int", "T:{float, int32}"},
                                      {{{"a"},
                                        "CfMany",
                                        {"x"},
                                        {{"f", FDH::FunctionRef("G", {{"T", "$T"}})}, {"T", "$T"}, {"N", "$N"}},
                                        {},
                                        "/cpu:0"},
                                       {{"o"}, "NoOp", {"^a"}}},
                                      {{"y", "a:y:1"}}, {{"done", "o"}});
    CHECK(DebugString(f) ==
          "\nBoth[N:int, T:{float, int32}](x:N*T) -> (y:T) {\n"
          "  a = CfMany[N=$N, T=$T, f=G[T=$T], device=CPU:0](x)\n  o = NoOp() @ a\n"
          "  @return done = o\n  return y = a:y:1\n}\n");
    AttrValueMap attrs;
    SetAttrValue(2, &attrs["N"]);
    SetAttrValue(DT_FLOAT, &attrs["T"]);
    InstantiationResult result;
    REQUIRE(InstantiateFunction(f, AttrSlice(&attrs), OpOf, &result).ok());
    CHECK(result.arg_types == DataTypeVector({DT_FLOAT, DT_FLOAT}));
    CHECK(result.ret_types == DataTypeVector({DT_FLOAT}));
    CHECK(DebugString(result.nodes) ==
          "\n(x_0:float, x_1:float) -> (a:1:float) {\n"
          "  a = CfMany[N=2, T=float, f=G[T=float], device=CPU:0](x_0, x_1)\n  o = NoOp() @ a\n}\n");
    CHECK(Has(ErrorOf(f), "Attr N is not found from "));
    attrs["T"].set_placeholder("bad");
    CHECK(Has(ErrorOf(f, attrs), "AttrValue had value with unexpected type 'placeholder'\n\tfor attr 'T'"));
    CHECK(Has(ErrorOf(FDH::Define("f", {}, {"y: int32"}, {}, {{{"y"}, "CfSource"}})),
              "Invalid ret types y : int32 vs. float\n\tIn function output y"));
    CHECK(Has(ErrorOf(FDH::Define("f", {"x:float", "x:float"}, {}, {}, {})), "Duplicated arg name"));
  }
  TEST_CASE("calls of functions keep the function's name") {
    FunctionLibraryDefinition library(OpRegistry::Global());
    REQUIRE(library.AddFunctionDef(fn::XTimesTwo()).ok());
    const auto find = [&](const std::string& name, const OpDef** op) { return library.LookUpOpDef(name, op); };
    AttrValueMap attrs;
    SetAttrValue(DT_FLOAT, &attrs["T"]);
    InstantiationResult result;
    REQUIRE(InstantiateFunction(fn::XTimesFour(), AttrSlice(&attrs), find, &result).ok());
    CHECK(DebugString(result.nodes) ==
          "\n(x:float) -> (y:float) {\n  x2 = XTimesTwo[T=float](x)\n  y = XTimesTwo[T=float](x2)\n}\n");
  }
  TEST_CASE("a library refuses what does not fit, and keeps what it had") {
    FunctionLibraryDefinition library(OpRegistry::Global());
    REQUIRE(library.AddFunctionDef(fn::XTimesTwo()).ok());
    CHECK(library.AddFunctionDef(fn::XTimesTwo()).ok());
    FunctionDef other = fn::XTimesFour();
    other.mutable_signature()->set_name("CfSource");
    CHECK(library.AddFunctionDef(other).message() ==
          "Cannot add function 'CfSource' because an op with the same name already exists.");
    FunctionDefLibrary both;
    *both.add_function() = fn::WXPlusB();
    *both.add_function() = fn::XTimesFour();
    both.mutable_function(1)->mutable_signature()->set_name("XTimesTwo");
    CHECK(library.AddLibrary(both).message() ==
          "Cannot add function 'XTimesTwo' because a different function with the same name already exists.");
    CHECK_FALSE(library.Contains("WXPlusB"));
    CHECK(library.AddGradientDef(Gradient("XTimesTwo", "XTimesFour")).ok());
    CHECK(library.AddGradientDef(Gradient("XTimesTwo", "XTimes16")).message() ==
          "Cannot assign gradient function 'XTimes16' to 'XTimesTwo' because it already has gradient function "
          "'XTimesFour'");
    CHECK(library.FindGradient("XTimesTwo") == "XTimesFour");
    CHECK(library.ReplaceGradient(Gradient("XTimesTwo", "XTimes16")).ok());
    CHECK(library.RemoveFunction("XTimes16").message() == "Tried to remove non-existent function 'XTimes16'.");
    CHECK(library.UniqueFunctionName("XTimes") == "XTimes0");
    const OpRegistrationData* data = nullptr;
    REQUIRE(library.LookUp("XTimesTwo", &data).ok());
    CHECK(data->is_function_op);
    CHECK(data->shape_inference_fn != nullptr);
    CHECK(library.LookUp("CfSource", &data).ok());
    FunctionLibraryDefinition copy = library;
    CHECK(copy.ReplaceFunction("XTimesTwo", fn::XAddX()).ok());
    CHECK(copy.ListFunctionNames() == std::vector<std::string>{"XAddX"});
    CHECK(copy.CopyFunctionDefFrom("XTimesTwo", library).ok());
    CHECK(copy.ToProto().function_size() == 2);
    CHECK(library.num_functions() == 1);
  }
  TEST_CASE("functions that a graph can reach") {
    const GraphDef graph = fn::GDef({fn::NDef("a", "Placeholder", {}, {{"dtype", DT_FLOAT}}),
                                     fn::NDef("b", "XTimesFour", {"a"}, {{"T", DT_FLOAT}})},
                                    {fn::XTimesTwo(), fn::XTimesFour(), fn::WXPlusB()});
    const FunctionLibraryDefinition library(OpRegistry::Global(), graph);
    FunctionLibraryDefinition reached = library.ReachableDefinitions(graph);
    CHECK(reached.ListFunctionNames() == std::vector<std::string>{"XTimesFour", "XTimesTwo"});
  }
  TEST_CASE("hashes and names of instances") {
    FunctionDef f = fn::XTimesTwo();
    CHECK(FunctionDefHash(f) == FunctionDefHash(fn::XTimesTwo()));
    SetAttrValue(true, &(*f.mutable_attr())["Extra"]);
    CHECK(FunctionDefHash(f) != FunctionDefHash(fn::XTimesTwo()));
    CHECK_FALSE(FunctionDefsEqual(f, fn::XTimesTwo()));
    AttrValueMap attrs;
    SetAttrValue(DT_HALF, &attrs["T"]);
    SetAttrValue("Message should get hashed", &attrs["message"]);
    CHECK(Canonicalize("CheckNumericsV2", AttrSlice(&attrs)) == "CheckNumericsV2[T=half,message=811750450553548470]");
  }
  TEST_CASE("frames of calls check types") {
    FunctionCallFrame frame({DT_FLOAT}, {DT_FLOAT});
    CHECK(frame.SetArgs(std::vector<Tensor>{}).code() == error::INVALID_ARGUMENT);
    CHECK(frame.SetArgs(std::vector<Tensor>{Tensor(int64_t{1})}).code() == error::INVALID_ARGUMENT);
    CHECK(frame.SetArgs(std::vector<Tensor>{Tensor(1.0f)}).ok());
    const Tensor* arg = nullptr;
    CHECK(frame.GetArg(1, &arg).code() == error::INVALID_ARGUMENT);
    CHECK(frame.GetArg(0, &arg).ok());
    std::vector<Tensor> results;
    CHECK(Has(frame.GetRetvals(&results).ToString(), "does not have value"));
    CHECK(frame.SetRetval(0, Tensor(int64_t{1})).code() == error::INVALID_ARGUMENT);
    CHECK(frame.SetRetval(0, *arg).ok());
    CHECK(Has(frame.SetRetval(0, *arg).ToString(), "has already been set"));
    CHECK(frame.ConsumeRetvals(&results, false).ok());
    CHECK(results[0].scalar<float>()() == 1);
    bool is_list = false;
    DataTypeVector types;
    OpDef_ArgDef list;
    list.set_name("x");
    list.set_type(DT_INT32);
    list.set_number_attr("N");
    AttrValueMap attrs;
    SetAttrValue(3, &attrs["N"]);
    CHECK(ArgNumType(AttrSlice(&attrs), list, &is_list, &types).ok());
    CHECK(types == DataTypeVector({DT_INT32, DT_INT32, DT_INT32}));
    attrs["N"].set_i(-1);
    CHECK(ArgNumType(AttrSlice(&attrs), list, &is_list, &types).code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("the device of a resource argument") {
    Tensor one(DT_RESOURCE, TensorShape({}));
    one.scalar<ResourceHandle>()().set_device("/cpu:0");
    FunctionDef f;
    std::map<std::string, std::vector<std::string>> devices;
    CHECK(GetFunctionResourceInputDevice(one, 0, f, &devices) == "/cpu:0");
    (*(*f.mutable_arg_attr())[0].mutable_attr())["_composite_device"].set_s("/device:COMPOSITE:0");
    CHECK(GetFunctionResourceInputDevice(one, 0, f, &devices) == "/device:COMPOSITE:0");
    CHECK(devices["/device:COMPOSITE:0"] == std::vector<std::string>{"/cpu:0"});
  }
  TEST_CASE("stack traces") {
    const FrozenStackTrace trace(
        {{"<embedded>", 1, "e"}, {"a/b/x.cc", 2, "f"}, {"a/b/c/y.cc", 3, "g"}, {"a/b/tensorflow/python/z.py", 4, "h"}});
    CHECK(trace.LastUserFrame().function_name == "h");
    CHECK(trace.GetUserFrames(2).size() == 2);
    CHECK(trace.GetUserFrames(-1).size() == 4);
    AbstractStackTrace::TracePrintingOptions options;
    options.filter_common_prefix = options.drop_internal_frames = true;
    CHECK(trace.ToString(options) ==
          "File \"<embedded>\", line 1, in e\nFile \"x.cc\", line 2, in f\nFile \"c/y.cc\", line 3, in g");
    GraphDebugInfoBuilder builder;
    builder.AccumulateStackTracesMap({{"two", std::make_shared<FrozenStackTrace>(trace.ToUncachedFrames())}},
                                     "@XTimesTwo");
    GraphDef graph = fn::GDef({}, {fn::XTimesTwo()});
    *graph.mutable_debug_info() = builder.Build();
    GraphDef again;
    REQUIRE(again.ParseFromString(graph.SerializeAsString()));
    const FunctionLibraryDefinition library(OpRegistry::Global(), again);
    const StackTracesMap* const traces = library.GetStackTraces("XTimesTwo");
    REQUIRE(traces != nullptr);
    CHECK(traces->at("two")->ToUncachedFrames() == trace.ToUncachedFrames());
    CHECK(library.GetStackTraces("Other") == nullptr);
  }
}
}  // namespace tensorflow
