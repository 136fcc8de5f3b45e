// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/function_proto.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>

#include <tenon/wire/schema.hpp>

namespace function_proto_test {
namespace {
using namespace tenon;

TEST_SUITE("function_proto") {
  TEST_CASE("a function comes back from its bytes, with its maps sorted") {
    FunctionDef function;
    function.signature.name = "f";
    function.signature.input_arg.emplace_back();
    function.signature.input_arg.back().name = "x";
    function.signature.input_arg.back().type = DataType::kFloat;
    function.node_def.emplace_back();
    function.node_def.back().name = "n";
    function.node_def.back().op = "Neg";
    function.attr.Set("a", AttrValue(std::int64_t{7}));
    function.ret = {{"z", "n:y:0"}, {"b", "x"}};
    function.resource_arg_unique_id = {{3, 4}, {1, 2}};
    const std::string bytes = detail::SerializeProto(function);
    FunctionDef read;
    REQUIRE(wire::Parse(std::as_bytes(std::span(bytes)), &read).ok());
    CHECK(read.signature == function.signature);
    REQUIRE(read.node_def.size() == 1);
    CHECK(read.node_def[0].op == "Neg");
    CHECK(read.attr.Find("a")->i() == 7);
    REQUIRE(read.ret.size() == 2);
    CHECK(read.ret[0].first == "b");
    CHECK(read.ret[1].second == "n:y:0");
    CHECK(read.resource_arg_unique_id[0].first == 1);
    FunctionDef again;
    const std::string canonical = detail::SerializeProto(read);
    REQUIRE(wire::Parse(std::as_bytes(std::span(canonical)), &again).ok());
    CHECK(detail::SerializeProto(again) == canonical);
  }
}

}  // namespace
}  // namespace function_proto_test
