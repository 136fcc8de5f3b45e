// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/function_library.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "graph/function_graphs.hpp"

namespace function_library_test {
namespace {
using namespace tenon;
using function_test::Call;
using function_test::Double;
using function_test::Floats;
using function_test::MakeNode;
using Names = SlimVector<std::string>;

constexpr auto kReluSignature = Op("Relu").Input("x: T").Output("y: T").Attr("T: {float, double}");
constexpr OpView kRelu = kReluSignature.view();

struct Ops {
  Ops() { REQUIRE(registry.Register(kRelu).ok()); }
  OpRegistry registry;
};
FunctionDef Named(std::string name, std::string_view body = "") {
  return Floats(std::move(name), {},
                body.empty() ? SlimVector<NodeDef>() : SlimVector<NodeDef>{MakeNode("n", std::string(body), {})}, "");
}
void CheckRefused(const Status& status, std::string_view text) {
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() == text);
}

TEST_SUITE("FunctionLibraryDefinition") {
  TEST_CASE("finds functions and gradients; of several with one name the last counts") {
    const Ops ops;
    FunctionDefLibrary data;
    data.function = {Named("b"), Named("a", "Old"), Named("a", "New")};
    data.gradient = {{"b", "old"}, {"a", "b"}, {"b", "new"}};
    data.registered_gradients = {{"a", "Relu"}};
    const FunctionLibraryDefinition library(ops.registry, data);
    CHECK(library.num_functions() == 2);
    CHECK(library.ListFunctionNames() == Names{"a", "b"});
    REQUIRE(library.Find("a") != nullptr);
    CHECK(library.Find("a")->node_def[0].op == "New");
    CHECK(library.Find("Relu") == nullptr);
    CHECK(library.Contains("b"));
    CHECK_FALSE(library.Contains("c"));
    CHECK(library.FindGradient("b") == "new");
    CHECK(library.FindGradient("c") == "");
    const FunctionDefLibrary out = library.ToProto();
    CHECK(out.function == SlimVector<FunctionDef>{data.function[2], data.function[0]});
    CHECK(out.gradient == SlimVector<GradientDef>{{"a", "b"}, {"b", "new"}});
    CHECK(out.registered_gradients == data.registered_gradients);
  }
  TEST_CASE("looks a function up as an op, then the registry's ops") {
    const Ops ops;
    FunctionDefLibrary data;
    data.function = {Double(), Named("bad")};
    data.function[1].signature.output_arg[0].type = DataType::kInvalid;
    const FunctionLibraryDefinition library(ops.registry, data);
    const OpView* op = nullptr;
    REQUIRE(library.LookUp("double", &op).ok());
    CHECK(op->name == "double");
    CHECK(op->inputs[0].type_attr() == "T");
    CHECK((op->shape_fn == &shape_inference::UnknownShape));
    const OpView* again = nullptr;
    REQUIRE(library.LookUp("double", &again).ok());
    CHECK(again == op);
    REQUIRE(library.LookUp("Relu", &op).ok());
    CHECK(op == &kRelu);
    CHECK(library.LookUp("bad", &op).code() == Code::kInvalidArgument);
    const Status none = library.LookUp("none", &op);
    CHECK(none.code() == Code::kNotFound);
    CHECK(StartsWith(none.message(), "Op type not registered 'none' in binary running on"));
    CHECK(op == nullptr);
  }
  TEST_CASE("adds what is new, and equal functions again") {
    const Ops ops;
    FunctionLibraryDefinition library(ops.registry);
    CHECK(library.AddFunctionDef(Named("a")).ok());
    const FunctionDef* const a = library.Find("a");
    CHECK(library.AddFunctionDef(Named("a")).ok());
    CHECK(library.Find("a") == a);
    CheckRefused(library.AddFunctionDef(Named("a", "Other")),
                 "Cannot add function 'a' because a different function with the same name already exists.");
    CheckRefused(library.AddFunctionDef(Named("Relu")),
                 "Cannot add function 'Relu' because an op with the same name already exists.");
    CHECK(library.AddGradientDef({"a", "g"}).ok());
    CHECK(library.AddGradientDef({"a", "g"}).ok());
    CheckRefused(library.AddGradientDef({"a", "h"}),
                 "Cannot assign gradient function 'h' to 'a' because it already has gradient function 'g'");
    CHECK(library.num_functions() == 1);
    CHECK(library.FindGradient("a") == "g");
  }
  TEST_CASE("adds all of a library or nothing") {
    const Ops ops;
    FunctionLibraryDefinition library(ops.registry);
    REQUIRE(library.AddFunctionDef(Named("b")).ok());
    REQUIRE(library.AddGradientDef({"b", "g"}).ok());
    const FunctionDefLibrary before = library.ToProto();
    FunctionDefLibrary more;
    more.function = {Named("a"), Named("b", "Other"), Named("c")};
    CheckRefused(library.AddLibrary(more),
                 "Cannot add function 'b' because a different function with the same name already exists.");
    CHECK(library.ToProto() == before);
    more.function = {Named("a"), Named("a", "Other")};
    CheckRefused(library.AddLibrary(more),
                 "Cannot add function 'a' because a different function with the same name already exists.");
    CHECK(library.ToProto() == before);
    more.function = {Named("a"), Named("b"), Named("c")};
    more.gradient = {{"a", "g"}, {"b", "h"}};
    more.registered_gradients = {{"a", "Relu"}};
    CheckRefused(library.AddLibrary(more),
                 "Cannot assign gradient function 'h' to 'b' because it already has gradient function 'g'");
    CHECK(library.ToProto() == before);
    more.gradient[1].gradient_func = "g";
    CHECK(library.AddLibrary(FunctionLibraryDefinition(ops.registry, more)).ok());
    CHECK(library.AddLibrary(library).ok());
    CHECK(library.ListFunctionNames() == Names{"a", "b", "c"});
    CHECK(library.ToProto() == more);
  }
  TEST_CASE("removes and replaces") {
    const Ops ops;
    FunctionLibraryDefinition library(ops.registry);
    REQUIRE(library.AddFunctionDef(Named("a")).ok());
    REQUIRE(library.AddFunctionDef(Named("b")).ok());
    REQUIRE(library.AddGradientDef({"a", "b"}).ok());
    CheckRefused(library.RemoveFunction("c"), "Tried to remove non-existent function 'c'.");
    CheckRefused(library.ReplaceFunction("c", Named("a")), "Tried to remove non-existent function 'c'.");
    CheckRefused(library.RemoveGradient("c"), "Tried to remove non-existent gradient 'c'.");
    CheckRefused(library.ReplaceGradient({"c", "a"}), "Tried to remove non-existent gradient 'c'.");
    CHECK(library.ReplaceFunction("a", Named("a", "Other")).ok());
    CHECK(library.Find("a")->node_def[0].op == "Other");
    CheckRefused(library.ReplaceFunction("a", Named("Relu")),
                 "Cannot add function 'Relu' because an op with the same name already exists.");
    CHECK(library.Contains("a"));
    CHECK(library.ReplaceFunction("a", Named("c")).ok());
    CHECK(library.ListFunctionNames() == Names{"b", "c"});
    CHECK(library.ReplaceGradient({"a", "c"}).ok());
    CHECK(library.FindGradient("a") == "c");
    CHECK(library.RemoveGradient("a").ok());
    CHECK(library.FindGradient("a") == "");
    CHECK(library.RemoveFunction("b").ok());
    CHECK(library.ListFunctionNames() == Names{"c"});
  }
  TEST_CASE("copies a function from another library of the same registry") {
    const Ops ops, others;
    FunctionLibraryDefinition from(ops.registry), to(ops.registry), elsewhere(others.registry);
    REQUIRE(from.AddFunctionDef(Named("a")).ok());
    CHECK(to.CopyFunctionDefFrom("a", from).ok());
    CHECK(to.CopyFunctionDefFrom("a", from).ok());
    CHECK(to.Find("a") == from.Find("a"));
    CheckRefused(to.CopyFunctionDefFrom("b", from),
                 "Cannot copy function 'b' because no function with that name exists in the other library.");
    CheckRefused(elsewhere.CopyFunctionDefFrom("a", from),
                 "Cannot copy function 'a' because CopyFunctionDefFrom() requires that both libraries have the same "
                 "default registry.");
    REQUIRE(from.ReplaceFunction("a", Named("a", "Other")).ok());
    CheckRefused(to.CopyFunctionDefFrom("a", from),
                 "Cannot copy function 'a' because a different function with the same name already exists.");
  }
  TEST_CASE("gives attrs of the function that a node calls, or whose gradient it is") {
    const Ops ops;
    FunctionDefLibrary data;
    data.function = {Named("f"), Named("g"), Named("grad")};
    data.function[0].attr.Insert("_noinline", AttrValue(true));
    data.function[2].attr.Insert("n", AttrValue(std::int64_t{3}));
    data.gradient = {{"g", "grad"}};
    const FunctionLibraryDefinition library(ops.registry, data);
    const auto gradient_of = [](const std::string& name) {
      return MakeNode("s", "SymbolicGradient", {}, {{"f", Call(name)}});
    };
    bool noinline = false;
    CHECK(library.GetAttr(MakeNode("a", "f", {}), "_noinline", &noinline).ok());
    CHECK(noinline);
    noinline = false;
    CHECK(library.GetAttr(gradient_of("f"), "_noinline", &noinline).ok());
    CHECK(noinline);
    std::int64_t n = 0;
    CHECK(library.GetAttr(gradient_of("g"), "n", &n).ok());
    CHECK(n == 3);
    CheckRefused(library.GetAttr(MakeNode("a", "f", {}), "n", &n), "Attr n is not defined.");
    CheckRefused(library.GetAttr(MakeNode("a", "f", {}), "_noinline", &n), "Attr _noinline is not defined.");
    CheckRefused(library.GetAttr(MakeNode("a", "Relu", {}), "n", &n), "Attr n is not defined.");
    CheckRefused(library.GetAttr(MakeNode("s", "SymbolicGradient", {}), "n", &n), "Attr n is not defined.");
  }
  TEST_CASE("keeps what a graph or a function reaches, and knows free names") {
    const Ops ops;
    FunctionDefLibrary data;
    data.function = {Named("f_0", "f_2"), Named("f_1"), Named("f_2"), Named("grad")};
    data.gradient = {{"f_2", "grad"}, {"f_1", "f_0"}};
    const FunctionLibraryDefinition library(ops.registry, data);
    GraphDef graph;
    graph.node = {MakeNode("n", "f_0", {})};
    const FunctionLibraryDefinition part = library.ReachableDefinitions(graph);
    CHECK(part.ListFunctionNames() == Names{"f_0", "f_2", "grad"});
    CHECK(part.FindGradient("f_2") == "grad");
    CHECK(part.FindGradient("f_1") == "");
    CHECK(&part.default_registry() == &ops.registry);
    CHECK(library.ReachableDefinitions(*library.Find("f_0")).ListFunctionNames() == Names{"f_2", "grad"});
    CHECK(library.UniqueFunctionName("f_") == "f_3");
    CHECK(library.UniqueFunctionName("g_") == "g_0");
  }
  TEST_CASE("may be read and changed by several threads") {
    const Ops ops;
    FunctionLibraryDefinition library(ops.registry);
    REQUIRE(library.AddFunctionDef(Double()).ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&library, t] {
        for (int i = 0; i < 50; ++i) {
          const OpView* op = nullptr;
          const std::string name = StrCat("f", i % 2 == 0 ? t : 9, "_", i);
          if (!library.AddFunctionDef(Named(name)).ok() || !library.LookUp("double", &op).ok() ||
              !library.Contains(name))
            std::abort();
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(library.num_functions() == 1 + 4 * 25 + 25);
  }
}
}  // namespace
}  // namespace function_library_test
