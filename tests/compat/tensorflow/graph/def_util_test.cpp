// SPDX-License-Identifier: Apache-2.0
// Names of nodes and outputs, defaults, placeholders, comparisons of attrs, versions.
#include <doctest/doctest.h>

#include <string>

#include <tenon/compat/tensorflow/graph/def_util.hpp>
#include <tenon/compat/tensorflow/op.hpp>

namespace compat_def_util_test {
using namespace tensorflow;
namespace {
REGISTER_OP("CdScaled").Input("x: T").Output("y: T").Attr("T: type").Attr("scale: int = 7").SetIsStateful();

NodeDef Node(const char* text) {
  NodeDef node;
  REQUIRE(protobuf::TextFormat::ParseFromString(text, &node));
  return node;
}
OpDef_AttrDef Attr(const char* text) {
  OpDef_AttrDef attr;
  REQUIRE(protobuf::TextFormat::ParseFromString(text, &attr));
  return attr;
}
}  // namespace

TEST_SUITE("graphs, nodes, attrs and ops as messages") {
  TEST_CASE("outputs by name") {
    const auto text = [](StringPiece name) { return ParseTensorName(name).ToString(); };
    CHECK(ParseTensorName("a:12").node() == "a");
    CHECK(ParseTensorName("a:12").index() == 12);
    CHECK(ParseTensorName("W1").index() == 0);
    CHECK(IsTensorIdControl(ParseTensorName("^c")));
    CHECK(IsTensorIdPortValid({"c", -1}));
    CHECK_FALSE(IsTensorIdPortValid({"c", -2}));
    CHECK(ParseTensorName("a:b").node() == "a:b");
    CHECK(ParseTensorName("a:").node() == "a:");
    CHECK(ParseTensorName(":3").node() == ":3");
    CHECK(ParseTensorName("").node() == "");
    CHECK(ParseTensorName("a:99999999999").node() == "a:99999999999");
    CHECK(text("^c") == "^c");
    CHECK(text("a:0") == "a");
    CHECK(text("a:1") == "a:1");
    const SafeTensorId kept(ParseTensorName("a:1"));
    CHECK(kept == SafeTensorId("a", 1));
    CHECK(TensorId(kept) == ParseTensorName("a:1"));
  }
  TEST_CASE("names that users may give") {
    const auto code = [](const char* node) { return ValidateExternalNodeDefSyntax(Node(node)).code(); };
    CHECK(code("name: 'a/b' input: 'x' input: 'x:1' input: '^c'") == error::OK);
    CHECK(code("name: '_a'") == error::INVALID_ARGUMENT);
    CHECK(code("name: 'a' input: '_x'") == error::INVALID_ARGUMENT);
    CHECK(code("name: 'a' input: 'x:'") == error::INVALID_ARGUMENT);
    CHECK(code("name: 'a' input: 'x:01'") == error::INVALID_ARGUMENT);
    CHECK(code("name: 'a' input: 'x:1:2'") == error::INVALID_ARGUMENT);
    CHECK(code("name: 'a' input: '^x:1'") == error::INVALID_ARGUMENT);
    CHECK(code("name: 'a' input: '^x' input: 'y'") == error::INVALID_ARGUMENT);
    GraphDef graph;
    *graph.add_node() = Node("name: 'a'");
    CHECK(ValidateExternalGraphDefSyntax(graph).ok());
    *graph.add_node() = Node("name: ''");
    CHECK_FALSE(ValidateExternalGraphDefSyntax(graph).ok());
  }
  TEST_CASE("renamed nodes") {
    NodeDef node = Node("name: 'n' op: 'Enter' attr { key: 'frame_name' value { s: 'f' } }");
    CHECK(AddPrefixAndSuffixToNode("p/", "/s", &node).ok());
    CHECK(node.name() == "p/n/s");
    CHECK(node.attr().at("frame_name").s() == "p/f/s");
    CHECK(AddPrefixAndSuffixToNode("q/", "", &node, false).ok());
    CHECK(node.attr().at("frame_name").s() == "p/f/s");
    NodeDef no_frame = Node("name: 'n' op: 'Enter'");
    CHECK(errors::IsNotFound(AddPrefixAndSuffixToNode("p/", "", &no_frame)));
    node = Node("name: 'n' attr { key: '_class' value { list { s: 'loc:@a' s: 'loc:@b' s: 'other' } } }");
    CHECK(MaybeAddPrefixToColocationConstraints({"a"}, "fn/", &node).ok());
    CHECK(node.attr().at("_class").list().s(0) == "loc:@fn/a");
    CHECK(node.attr().at("_class").list().s(1) == "loc:@b");
    CHECK(MaybeUpdateColocationConstraintsWithMap({{"b", "c"}, {"other", "d"}}, &node).ok());
    CHECK(node.attr().at("_class").list().s(1) == "loc:@c");
    CHECK(node.attr().at("_class").list().s(2) == "other");
    NodeDef alone = Node("name: 'n'");
    CHECK(MaybeUpdateColocationConstraintsWithMap({{"b", "c"}}, &alone).ok());
    CHECK(alone.attr().empty());
  }
  TEST_CASE("placeholders") {
    const SubstituteFunc find = [](const std::string& name, AttrValue* to) {
      if (name != "T") return false;
      return to->set_type(DT_INT32), true;
    };
    AttrValue value;
    value.mutable_func()->set_name("f");
    (*value.mutable_func()->mutable_attr())["U"].set_placeholder("T");
    CHECK(SubstitutePlaceholders(find, &value));
    CHECK(value.func().attr().at("U").type() == DT_INT32);
    value.set_placeholder("V");
    CHECK_FALSE(SubstitutePlaceholders(find, &value));
  }
  TEST_CASE("bytes of tensors") {
    using attr_value_util_internal::TensorByteSize;
    TensorProto tensor;
    tensor.set_dtype(DT_FLOAT);
    tensor.mutable_tensor_shape()->add_dim()->set_size(3);
    CHECK(TensorByteSize(tensor) == 12);
    tensor.mutable_tensor_shape()->add_dim()->set_size(-1);
    CHECK(TensorByteSize(tensor) == -1);
    tensor.mutable_tensor_shape()->mutable_dim(1)->set_size(1LL << 60);
    CHECK(TensorByteSize(tensor) == -1);
    tensor.mutable_tensor_shape()->set_unknown_rank(true);
    CHECK(TensorByteSize(tensor) == -1);
  }
  TEST_CASE("nodes in messages") {
    NodeDef node = Node("name: 'a'");
    const Status error = errors::Internal("bad");
    CHECK(AttachDef(AttachDef(error, node), Node("name: 'b'")).message() == "bad\n\t [[{{node a}}]]\n\t [[b]]");
    CHECK(AttachDef(AttachDef(error, node, true), Node("name: 'b'"), true).message() ==
          "bad\n\t [[{{node a}}]]\n\t [[{{node b}}]]");
    CHECK(AttachDef(Status(), node, true).ok());
    node.mutable_experimental_debug_info()->add_original_node_names("x");
    node.mutable_experimental_debug_info()->add_original_node_names("y");
    node.mutable_experimental_debug_info()->add_original_func_names("f");
    CHECK(FormatNodeForError(node) == "{{function_node f}}{{node x}}, {{node y}}");
  }
  TEST_CASE("attrs of ops are compared in any order") {
    const OpDef_AttrDef a = Attr("name: 'a' type: 'int' default_value { i: 1 }"), b = Attr("name: 'b' type: 'int'");
    CHECK(AttrDefEqual(a, a));
    CHECK_FALSE(AttrDefEqual(a, b));
    CHECK_FALSE(AttrDefEqual(a, Attr("name: 'a' type: 'int' default_value { i: 2 }")));
    CHECK(AttrDefHash(a) == AttrDefHash(Attr("name: 'a' type: 'int' default_value { i: 1 }")));
    CHECK(AttrDefHash(a) != AttrDefHash(b));
    OpDef one, two;
    *one.add_attr() = a;
    *one.add_attr() = b;
    *two.add_attr() = b;
    CHECK_FALSE(RepeatedAttrDefEqual(one.attr(), two.attr()));
    *two.add_attr() = a;
    CHECK(RepeatedAttrDefEqual(one.attr(), two.attr()));
    CHECK(RepeatedAttrDefHash(one.attr()) == RepeatedAttrDefHash(two.attr()));
  }
  TEST_CASE("defaults, texts and versions of graphs") {
    GraphDef graph;
    *graph.add_node() = Node("name: 'a' op: 'CdScaled' input: 'x' attr { key: 'T' value { type: DT_INT32 } }");
    *graph.add_node() = graph.node(0);
    CHECK(AddDefaultAttrsToGraphDef(&graph, *OpRegistry::Global(), 1).ok());
    CHECK(graph.node(0).attr().size() == 1);
    CHECK(graph.node(1).attr().at("scale").i() == 7);
    CHECK(errors::IsInvalidArgument(AddDefaultAttrsToGraphDef(&graph, *OpRegistry::Global(), 3)));
    *graph.add_node() = Node("name: 'u' op: 'CdNone'");
    CHECK(errors::IsNotFound(AddDefaultAttrsToGraphDef(&graph, *OpRegistry::Global(), 0)));
    CHECK(AddDefaultAttrsToGraphDef(&graph, *OpRegistry::Global(), 0, true).ok());
    graph.mutable_versions()->set_producer(21);
    const std::string text = SummarizeGraphDef(graph);
    CHECK(text.starts_with("versions = producer: 21;\n{{node a}} = CdScaled["));
    CHECK(text.ends_with("{{node u}} = CdNone[]();\n"));
    CHECK(CheckVersions(graph.versions(), 21, 5, "Good", "good").ok());
    CHECK(errors::IsInvalidArgument(CheckVersions(graph.versions(), 30, 22, "Old", "old")));
    graph.mutable_versions()->set_min_consumer(25);
    CHECK(errors::IsInvalidArgument(CheckVersions(graph.versions(), 24, 5, "New", "new")));
    graph.mutable_versions()->add_bad_consumers(26);
    CHECK(CheckVersions(graph.versions(), 25, 5, "Good", "good").ok());
    CHECK(errors::IsInvalidArgument(CheckVersions(graph.versions(), 26, 5, "Bad", "bad")));
    CHECK(errors::IsInternal(CheckVersions(graph.versions(), 4, 5, "Wrong", "wrong")));
  }
}
}  // namespace compat_def_util_test
