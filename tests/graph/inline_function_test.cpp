// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/inline_function.hpp>

#include <tenon/graph/import.hpp>

#include <doctest/doctest.h>

#include "graph/flow_ops.hpp"
#include "graph/function_graphs.hpp"

namespace inline_function_test {
using namespace tenon;
using function_test::Call;
using function_test::Floats;
using testing::FlowOps;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;
using testing::Text;

namespace {

const AttrValue kFloatType(DataType::kFloat);

NodeDef MakeCall(std::initializer_list<std::string> inputs, std::size_t args = 1) {
  const SlimVector<DataType> in(args, DataType::kFloat), out(1, DataType::kFloat);
  return testing::MakeNode("call", "PartitionedCall", inputs,
                           {{"Tin", AttrValue(in)}, {"Tout", AttrValue(out)}, {"f", Call("f")}});
}
GraphDef Caller(NodeDef call) {
  return MakeGraph(
      {MakeInput("a"), MakeInput("b"), call, MakeFloat("y", "Neg", {"call"}), MakeFloat("z", "Neg", {"a", "^call"})});
}
NodeDef Body(std::string name, std::string op, std::initializer_list<std::string> inputs) {
  return function_test::MakeNode(std::move(name), std::move(op), inputs, {{"T", kFloatType}});
}

struct Inlined {
  Status status;
  GraphDef def;
};
Inlined Inline(const FunctionDef& f, NodeDef call, const InlineOptions& options = {}) {
  FunctionDefLibrary library;
  library.function = {f};
  GraphRewrite rewrite(Caller(std::move(call)));
  Inlined out;
  out.status = InlineFunctionCall(library, FlowOps(), 2, options, &rewrite);
  out.def = std::move(rewrite).Finish();
  if (out.status.ok()) {
    GraphDef copy = out.def;
    ImportOptions import;
    import.allow_internal_ops = true;
    const Result<Graph> graph = ImportGraphDef(std::move(copy), FlowOps(), import);
    CHECK_MESSAGE(graph.ok(), graph.status().ToString());
  }
  return out;
}
// The name of the one node whose name begins so.
std::string Find(const GraphDef& def, std::string_view prefix) {
  std::string found;
  for (const NodeDef& node : def.node)
    if (StartsWith(node.name, prefix)) found = found.empty() ? node.name : "several";
  return found;
}

}  // namespace

TEST_SUITE("InlineFunctionCall") {
  TEST_CASE("arguments and results become Identities around the renamed body") {
    const Inlined out = Inline(Floats("f", {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0"), MakeCall({"a"}));
    REQUIRE_MESSAGE(out.status.ok(), out.status.ToString());
    const std::string input = Find(out.def, "Func/call/input"), output = Find(out.def, "Func/call/output/"),
                      done = Find(out.def, "Func/call/output_control_node");
    CHECK(Text(out.def, input) == "Identity(a)");
    CHECK(Text(out.def, "call/n") == "Neg(" + input + ")");
    CHECK(Text(out.def, output) == "Identity(call/n)");
    CHECK(Text(out.def, "y") == "Neg(" + output + ")");
    CHECK(Text(out.def, done) == "NoOp()");
    CHECK(Text(out.def, "z") == "Neg(a, ^" + done + ")");
    CHECK(Text(out.def, "call") == "");
  }

  TEST_CASE("what waits for nothing in the body waits for what the call waits for") {
    const NodeDef constant =
        function_test::MakeNode("c", "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(1.0f))}});
    const NodeDef nested = function_test::MakeNode("g", "PartitionedCall", {"c:output:0"},
                                                   {{"Tin", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                                                    {"Tout", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                                                    {"f", Call("f")}});
    const Inlined out = Inline(Floats("f", {"x"}, {constant, nested, Body("s", "AddV2", {"x", "g:output:0"})}, "s:z:0"),
                               MakeCall({"a", "^b"}));
    REQUIRE_MESSAGE(out.status.ok(), out.status.ToString());
    const std::string before = Find(out.def, "Func/call/input_control_node");
    CHECK(Text(out.def, before) == "NoOp(^b)");
    CHECK(Text(out.def, "call/c") == "Const(^" + before + ")");
    CHECK(Text(out.def, "call/g") == "PartitionedCall(call/c, ^" + before + ")");
    CHECK(Text(out.def, Find(out.def, "Func/call/input/")) == "Identity(a, ^" + before + ")");
    CHECK(Text(out.def, "call/s") == "AddV2(" + Find(out.def, "Func/call/input/") + ", call/g)");
    // Without control outputs the end of the call still belongs to where the call is.
    CHECK(Text(out.def, Find(out.def, "Func/call/output_control_node")) == "NoOp(^" + before + ")");
  }

  TEST_CASE("side effects and control outputs run before what waits for the call") {
    FunctionDef f = Floats(
        "f", {"x"}, {Body("n", "Neg", {"x"}), Body("k", "Relu", {"x"}), function_test::MakeNode("r", "RandomInt", {})},
        "n:y:0");
    f.control_ret = {{"done", "k"}};
    f.signature.control_output = {"done"};
    Inlined out = Inline(f, MakeCall({"a"}));
    REQUIRE_MESSAGE(out.status.ok(), out.status.ToString());
    CHECK(Text(out.def, Find(out.def, "Func/call/output_control_node")) == "NoOp(^call/k, ^call/r)");
    out = Inline(f, MakeCall({"a"}), {.output_control = OutputControl::kDataOutputs});
    CHECK(Text(out.def, Find(out.def, "Func/call/output_control_node")) ==
          "NoOp(^" + Find(out.def, "Func/call/output/") + ", ^call/r)");
  }

  TEST_CASE("the caller's name may stay, to fetch or to run") {
    const FunctionDef f = Floats("f", {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0");
    Inlined out = Inline(f, MakeCall({"a"}), {.keep_caller = KeepCaller::kFetchable});
    CHECK(Text(out.def, "call") == "IdentityN(" + Find(out.def, "Func/call/output/") + ", ^" +
                                       Find(out.def, "Func/call/output_control_node") + ")");
    CHECK(Text(out.def, "y") == "Neg(" + Find(out.def, "Func/call/output/") + ")");
    out = Inline(f, MakeCall({"a"}), {.keep_caller = KeepCaller::kTargetable});
    CHECK(Text(out.def, "call") == "NoOp(^" + Find(out.def, "Func/call/output_control_node") + ")");
  }

  TEST_CASE("frames, colocation and devices follow the copy") {
    NodeDef enter = Body("e", "Enter", {"x"});
    enter.attr.Insert("frame_name", AttrValue("loop"));
    enter.attr.Insert("_class", AttrValue(SlimVector<std::string>{"loc:@x", "loc:@n", "loc:@elsewhere"}));
    NodeDef exit = Body("o", "Exit", {"e:output:0"});
    exit.device = "/device:GPU:0";
    const FunctionDef f = Floats("f", {"x"}, {Body("n", "Neg", {"x"}), enter, exit}, "o:output:0");
    NodeDef call = MakeCall({"a"});
    call.device = "/job:a/task:2/device:CPU:1";
    Inlined out = Inline(f, call);
    REQUIRE_MESSAGE(out.status.ok(), out.status.ToString());
    const auto node = [&out](std::string_view name) {
      for (const NodeDef& n : out.def.node)
        if (n.name == name) return n;
      return NodeDef();
    };
    CHECK(node("call/e").attr.Find("frame_name")->s() == "call/loop");
    CHECK(node("call/e").attr.Find("_class")->list().s ==
          SlimVector<std::string>{"loc:@" + Find(out.def, "Func/call/input"), "loc:@call/n"});
    CHECK(node("call/n").device == call.device);
    CHECK(node("call/o").device == "/job:a/task:2/device:GPU:0");
    out = Inline(f, call, {.device = InlinedDevice::kCaller});
    CHECK(node("call/o").device == call.device);
  }

  TEST_CASE("a body whose node asks for no device's name is refused, unless the caller's device counts") {
    NodeDef nowhere = Body("n", "Neg", {"x"});
    nowhere.device = "/job:foo/bar:::";
    const FunctionDef f = Floats("f", {"x"}, {nowhere}, "n:y:0");
    const Status status = Inline(f, MakeCall({"a"})).status;
    CHECK(errors::IsInvalidArgument(status));
    CHECK(status.message().find("Malformed device specification '/job:foo/bar:::' in node: ") !=
          std::string_view::npos);
    CHECK(Inline(f, MakeCall({"a"}), {.device = InlinedDevice::kCaller}).status.ok());
  }

  TEST_CASE("says why a call cannot be inlined and leaves the graph alone") {
    FunctionDef f = Floats("f", {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0");
    const auto refused = [&](const FunctionDef& function, NodeDef call, std::string_view text) {
      const Inlined out = Inline(function, call);
      CHECK(out.status.message().find(text) != std::string_view::npos);
      CHECK(out.def == Caller(call));
      return out.status;
    };
    CHECK(
        errors::IsInvalidArgument(refused(f, MakeCall({"a", "b"}, 2), "Node inputs do not match function arguments")));
    CHECK(errors::IsInvalidArgument(refused(Floats("f", {"x"}, {Body("n", "Neg", {"x"})}, "n:y:0", DataType::kInt32),
                                            MakeCall({"a"}), "Invalid ret")));
    CHECK(errors::IsNotFound(refused(Floats("g", {"x"}, {}, "x"), MakeCall({"a"}), "Function f is not defined")));
    f.attr.Insert("api_implements", AttrValue("x"));
    CHECK(errors::IsInvalidArgument(refused(f, MakeCall({"a"}), "api_implements")));
    f.attr.erase("api_implements");
    f.attr.Insert("_noinline", AttrValue(true));
    CHECK(errors::IsInvalidArgument(refused(f, MakeCall({"a"}), "Can't inline function marked with '_noinline'")));
    CHECK(Inline(f, MakeCall({"a"}), {.ignore_noinline = true}).status.ok());
  }
}
}  // namespace inline_function_test
