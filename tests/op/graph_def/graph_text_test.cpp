// SPDX-License-Identifier: Apache-2.0
// Files that TensorFlow wrote or refuses are read by tenon_golden --text-graphs.
#include <tenon/op/graph_def/graph_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/op/signature/message_text.hpp>

namespace graph_text_test {
using namespace tenon;

namespace {
template <class T>
T Read(std::string_view text) {
  T object;
  const Status s = ParseText(text, &object);
  CHECK_MESSAGE(s.ok(), s.message());
  return object;
}
std::string Error(std::string_view text) { return std::string(ParseTextGraphDef(text).status().message()); }

constexpr std::string_view kGraph =
    "node {\n"
    "  name: \"c\"\n"
    "  op: \"Const\"\n"
    "  device: \"/cpu:0\"\n"
    "  attr {\n"
    "    key: \"dtype\"\n"
    "    value {\n"
    "      type: DT_FLOAT\n"
    "    }\n"
    "  }\n"
    "  attr {\n"
    "    key: \"value\"\n"
    "    value {\n"
    "      tensor {\n"
    "        dtype: DT_FLOAT\n"
    "        tensor_shape {\n"
    "          dim {\n"
    "            size: 2\n"
    "          }\n"
    "        }\n"
    "        tensor_content: \"\\000\\000\\200?\\000\\000\\000@\"\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "  experimental_debug_info {\n"
    "    original_node_names: \"a\"\n"
    "    original_node_names: \"b\"\n"
    "  }\n"
    "  experimental_type {\n"
    "    type_id: TFT_PRODUCT\n"
    "    args {\n"
    "      type_id: TFT_TENSOR\n"
    "    }\n"
    "  }\n"
    "}\n"
    "node {\n"
    "  name: \"n\"\n"
    "  op: \"F\"\n"
    "  input: \"c\"\n"
    "  input: \"^c\"\n"
    "  attr {\n"
    "    key: \"f\"\n"
    "    value {\n"
    "      func {\n"
    "        name: \"F\"\n"
    "        attr {\n"
    "          key: \"k\"\n"
    "          value {\n"
    "            f: 0.1\n"
    "          }\n"
    "        }\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "  attr {\n"
    "    key: \"list\"\n"
    "    value {\n"
    "      list {\n"
    "        i: 1\n"
    "        i: -2\n"
    "        type: DT_INT32_REF\n"
    "        shape {\n"
    "          unknown_rank: true\n"
    "        }\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n"
    "library {\n"
    "  function {\n"
    "    signature {\n"
    "      name: \"F\"\n"
    "      input_arg {\n"
    "        name: \"x\"\n"
    "        type_attr: \"T\"\n"
    "        handle_data {\n"
    "          dtype: DT_HALF\n"
    "          shape {\n"
    "            dim {\n"
    "              size: -1\n"
    "            }\n"
    "          }\n"
    "        }\n"
    "        is_ref: true\n"
    "      }\n"
    "      is_stateful: true\n"
    "    }\n"
    "    ret {\n"
    "      key: \"y\"\n"
    "    }\n"
    "    arg_attr {\n"
    "      value {\n"
    "        attr {\n"
    "          key: \"s\"\n"
    "          value {\n"
    "            s: \"\"\n"
    "          }\n"
    "        }\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "  gradient {\n"
    "    function_name: \"F\"\n"
    "    gradient_func: \"G\"\n"
    "  }\n"
    "}\n"
    "versions {\n"
    "  producer: 1987\n"
    "  bad_consumers: 5\n"
    "}\n"
    "debug_info {\n"
    "  files: \"a.py\"\n"
    "  frames_by_id {\n"
    "    key: 18446744073709551615\n"
    "    value {\n"
    "      line: 7\n"
    "    }\n"
    "  }\n"
    "}\n";
}  // namespace

TEST_CASE("a graph with everything is written as it was read, and is the same graph in binary form") {
  const GraphDef graph = Read<GraphDef>(kGraph);
  CHECK(ToText(graph) == kGraph);
  const std::string bytes = SerializeGraphDef(graph);
  const Result<GraphDef> again = ParseGraphDef(wire::AsBytes(bytes));
  REQUIRE(again.ok());
  CHECK(*again == graph);
  REQUIRE(graph.node.size() == 2);
  CHECK(graph.node[0].attr.Find("value")->tensor().data<float>()[1] == 2);
  CHECK(graph.node[1].input[1] == "^c");
  CHECK(graph.library.function[0].signature.is_stateful);
  CHECK(graph.versions.producer == 1987);
}
TEST_CASE("maps are sorted, and a field that TensorFlow ignores is kept") {
  const GraphDef graph = Read<GraphDef>(
      "version: 12 node { name: 'n' attr { key: 'b' value { i: 1 } } attr { value { b: false } key: 'a' } }");
  REQUIRE(graph.node[0].attr.size() == 2);
  CHECK(graph.version == 12);
  CHECK(ToText(graph).ends_with("version: 12\n"));
  CHECK(graph.node[0].attr.begin()->first == "a");
  CHECK(ToText(graph).find("key: \"a\"\n    value {\n      b: false") != std::string::npos);
  CHECK(Read<GraphDef>("") == GraphDef());
  CHECK(ToText(GraphDef()).empty());
}
TEST_CASE("errors are InvalidArgument with line and column, and the object stays") {
  CHECK(ParseTextGraphDef("nodes {}").status().code() == Code::kInvalidArgument);
  CHECK(Error("nodes {}") == "1:1: GraphDef has no field 'nodes'; did you mean 'node'?");
  CHECK(Error("node {\n  attr { key: 'T' value { type: DT_FLOTA } }\n}") ==
        "2:33: 'type' has no value 'DT_FLOTA'; did you mean 'DT_FLOAT'?");
  CHECK(Error("node { attr { key: 'T' key: 'U' } }") == "1:24: AttrEntry has 'key' a second time; it has one value");
  CHECK(
      Error("library { function { node { } } }") ==
      "1:22: FunctionDef has no field 'node'; it has 'signature', 'node_def', 'ret', 'attr', 'control_ret', 'arg_attr', "
      "'resource_arg_unique_id'");
  NodeDef node;
  node.name = "stays";
  CHECK_FALSE(ParseText("name: 'x' name: 'y'", &node).ok());
  CHECK(node.name == "stays");
}
TEST_CASE("constants that make no tensor are read with the graph, a tensor alone is an error") {
  const GraphDef graph = Read<GraphDef>(
      "node { attr { key: 'v' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: -5 } } } } } }");
  CHECK_FALSE(graph.node[0].attr.Find("v")->decode_status().ok());
  CHECK(ToText(graph).find("size: -5") != std::string::npos);
  Tensor tensor;
  CHECK(ParseText("dtype: DT_FLOAT tensor_shape { dim { size: -5 } }", &tensor).code() == Code::kInvalidArgument);
}
TEST_CASE("tensors of every kind of value, shapes, attrs, nodes") {
  CHECK(Read<Tensor>("dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: ['a', 'b']").data<tstring>()[1] ==
        "b");
  const Tensor handle = Read<Tensor>(
      "dtype: DT_RESOURCE tensor_shape { } resource_handle_val { name: 'r' hash_code: 0xffffffffffffffff "
      "dtypes_and_shapes { dtype: DT_FLOAT shape { unknown_rank: true } } }");
  CHECK(handle.data<ResourceHandle>()[0].name == "r");
  CHECK(ToText(handle).find("hash_code: 18446744073709551615") != std::string::npos);
  const std::string variant =
      "dtype: DT_VARIANT\ntensor_shape {\n}\nvariant_val {\n  type_name: \"x\"\n  metadata: \"\\000\"\n  tensors {\n"
      "    dtype: DT_INT32\n    tensor_shape {\n    }\n    int_val: 4\n  }\n}\n";
  CHECK(ToText(Read<Tensor>(variant)) == variant);
  CHECK(ToText(Read<PartialTensorShape>("dim { size: 3 name: 'x' } dim { size: -1 }")) ==
        "dim {\n  size: 3\n}\ndim {\n  size: -1\n}\n");
  CHECK(Read<AttrValue>("f: -infinity") == AttrValue(-std::numeric_limits<float>::infinity()));
  CHECK(Read<NodeDef>("op: 'NoOp'").op == "NoOp");
}
// Defaults in spec strings are read at compile time, from tables of their own.
template <class TextFields>
void CheckSame(const TextFields& fields, const wire::Message& message) {
  for (const detail::TextField& field : fields) {
    const wire::Field* const found = message.Find(field.number);
    REQUIRE(found != nullptr);
    CHECK(found->name == field.name);
    CHECK(found->repeated == field.repeated);
    CHECK((found->role == wire::Role::kInOneof) == field.one_of);
    constexpr std::string_view kTypes = "iIuUbefdsm";
    constexpr wire::Kind kKinds[] = {wire::Kind::kInt32,  wire::Kind::kInt64,  wire::Kind::kUint32, wire::Kind::kUint64,
                                     wire::Kind::kBool,   wire::Kind::kEnum,   wire::Kind::kFloat,  wire::Kind::kDouble,
                                     wire::Kind::kString, wire::Kind::kMessage};
    const wire::Kind kind = found->kind == wire::Kind::kBytes ? wire::Kind::kString : found->kind;
    CHECK(kind == kKinds[kTypes.find(field.type)]);
  }
}
TEST_CASE("the tables for defaults in spec strings have the same fields") {
  CheckSame(detail::TextSchema::kTensorFields, wire::detail::kTensor);
  CheckSame(detail::TextSchema::kShapeFields, wire::detail::kShape);
  CheckSame(detail::TextSchema::kDimFields, wire::detail::kDim);
  CheckSame(detail::TextSchema::kAttrFields, wire::Schema<AttrValue>::message);
  CheckSame(detail::TextSchema::kListFields, wire::Schema<AttrList>::message);
  CheckSame(detail::TextSchema::kFuncFields, wire::Schema<NameAttrList>::message);
}
TEST_CASE("lists of ops") {
  const std::string text =
      "op {\n  name: \"A\"\n  attr {\n    name: \"T\"\n    type: \"type\"\n    default_value {\n      type: DT_INT8\n"
      "    }\n  }\n  deprecation {\n    version: 3\n  }\n}\nop {\n  name: \"B\"\n}\n";
  const Result<SlimVector<OpDef>> ops = ParseTextOpList(text);
  REQUIRE_MESSAGE(ops.ok(), ops.status().message());
  REQUIRE(ops->size() == 2);
  CHECK((*ops)[0].deprecation->version == 3);
  CHECK(OpListToText(*ops) == text);
  CHECK(ParseTextOpList("op: 3").status().message() == "1:5: found '3', expected '{' for 'op', a OpDef");
}
}  // namespace graph_text_test
