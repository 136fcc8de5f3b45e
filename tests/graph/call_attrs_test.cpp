// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/call_attrs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "graph/function_graphs.hpp"

namespace call_attrs_test {
using namespace tenon;
using function_test::Double;
using function_test::MakeNode;

TEST_SUITE("Attrs of calls") {
  TEST_CASE("a node whose op is a function becomes a call") {
    NodeDef node = MakeNode("d", "double", {"x"}, {{"T", AttrValue(DataType::kFloat)}, {"_kept", AttrValue(true)}});
    REQUIRE(MakeFunctionCall(Double(), &node).ok());
    CHECK(node.op == "PartitionedCall");
    CHECK(node.attr.Find("f")->func().name == "double");
    CHECK(node.attr.Find("f")->func().attr.Find("T")->type() == DataType::kFloat);
    CHECK(node.attr.Find("Tin")->list().type == SlimVector<DataType>{DataType::kFloat});
    CHECK(node.attr.Find("Tout")->list().type == SlimVector<DataType>{DataType::kFloat});
    CHECK(node.attr.Find("_kept")->b());
    CHECK(node.attr.Find(kDirectCallAttr)->b());
  }
  TEST_CASE("side effects make the call stateful") {
    FunctionDef function = Double();
    function.signature.is_stateful = true;
    NodeDef node = MakeNode("d", "double", {"x"}, {{"T", AttrValue(DataType::kFloat)}});
    REQUIRE(MakeFunctionCall(function, &node).ok());
    CHECK(node.op == "StatefulPartitionedCall");
  }
  TEST_CASE("missing attrs take their defaults, or are refused") {
    FunctionDef function = Double();
    CHECK(errors::IsNotFound(detail::CheckCallAttrs(function.signature, {})));
    function.signature.attr[0].default_value = AttrValue(DataType::kDouble);
    CHECK(detail::CheckCallAttrs(function.signature, {}).ok());
    CHECK(detail::WithDefaults(function.signature, {}).Find("T")->type() == DataType::kDouble);
    SlimVector<DataType> types;
    CHECK(detail::TypesOfArg(function.signature, function.signature.input_arg[0], {}, &types).ok());
    CHECK(types == SlimVector<DataType>{DataType::kDouble});
  }
  TEST_CASE("a function by name; the first of two counts") {
    FunctionDefLibrary library;
    CHECK(FindFunction(library, "double") == nullptr);
    library.function = {Double(), Double()};
    CHECK(FindFunction(library, "double") == &library.function[0]);
  }
}
}  // namespace call_attrs_test
