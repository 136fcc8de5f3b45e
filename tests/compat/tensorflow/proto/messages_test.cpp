// SPDX-License-Identifier: Apache-2.0
// Messages with the accessors of protocol buffers: bytes, text, and the structs of Tenon.
#include <doctest/doctest.h>

#include <string>

#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/proto/attr_value.hpp>
#include <tenon/compat/tensorflow/proto/device.hpp>
#include <tenon/compat/tensorflow/proto/example.hpp>
#include <tenon/compat/tensorflow/proto/graph.hpp>
#include <tenon/compat/tensorflow/proto/message.hpp>
#include <tenon/compat/tensorflow/proto/node_def.hpp>
#include <tenon/compat/tensorflow/proto/op_def.hpp>
#include <tenon/compat/tensorflow/proto/repeated.hpp>
#include <tenon/compat/tensorflow/proto/tensor.hpp>
#include <tenon/compat/tensorflow/proto/tensor_shape.hpp>
#include <tenon/compat/tensorflow/proto/text.hpp>

namespace compat_messages_test {
using namespace tensorflow;
namespace {
constexpr const char* kNode = R"(
  name: 'a' op: "Q"  # comment
  input: ['x', "y:1"]
  attr { key: 'T' value { type: DT_FLOAT } }
  attr < key: "l" value: { list { i: [1, 2] i: -3 } } >
  attr { key: "t" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 2 } } })";
}

TEST_SUITE("messages") {
  TEST_CASE("text and bytes") {
    NodeDef node;
    REQUIRE(protobuf::TextFormat::ParseFromString(kNode, &node));
    CHECK(node.input_size() == 2);
    CHECK(node.attr().at("l").list().i(2) == -3);
    CHECK(node.attr().find("T")->second.type() == DT_FLOAT);
    NodeDef copy;
    REQUIRE(copy.ParseFromString(node.SerializeAsString()));
    CHECK(copy.DebugString() == node.DebugString());
    CHECK(protobuf::util::MessageDifferencer::Equals(copy, node));
    NodeDef again;
    REQUIRE(protobuf::TextFormat::ParseFromString(node.DebugString(), &again));
    CHECK(again.SerializeAsString() == node.SerializeAsString());
    CHECK(copy.ShortDebugString().find("name: \"a\" op: \"Q\" input: \"x\"") == 0);
    for (const char* bad : {"nme: 'a'", "name: 3", "attr { key: 'T' value { type: DT_NONE } }", "name: 'a",
                            "input: ['x'", "attr { key: 'T'"})
      CHECK_FALSE(protobuf::TextFormat::ParseFromString(bad, &again));
    CHECK_FALSE(copy.ParseFromString("\x0a\x05"));
    const std::string bytes = node.SerializeAsString();
    for (std::size_t n = 0; n < bytes.size(); ++n) static_cast<void>(copy.ParseFromString(bytes.substr(0, n)));
  }
  TEST_CASE("messages that nest too deep are refused") {
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
      NameAttrList function;
      function.set_name("f");
      AttrValue value;
      if (!value.ParseFromString(bytes)) break;
      (*function.mutable_attr())["g"] = value;
      AttrValue outer;
      *outer.mutable_func() = function;
      bytes = outer.SerializeAsString();
    }
    CHECK(bytes.size() < 20000);
  }
  TEST_CASE("fields that exclude each other, presence, unknown fields") {
    AttrValue value;
    CHECK(value.value_case() == AttrValue::VALUE_NOT_SET);
    value.set_b(false);
    CHECK(value.has_b());
    CHECK_FALSE(value.SerializeAsString().empty());
    value.mutable_list()->add_s("x");
    CHECK_FALSE(value.has_b());
    CHECK(value.value_case() == AttrValue::kList);
    value.set_s("text");
    CHECK(value.s() == "text");
    CHECK(AttrValue(value).s() == "text");
    GraphDef graph;
    NodeDef* const first = graph.add_node();
    graph.add_node()->set_name("second");
    first->set_name("first");  // still good
    CHECK(graph.node(0).name() == "first");
    CHECK_FALSE(graph.has_versions());
    graph.mutable_versions()->set_producer(7);
    const std::string unknown = graph.SerializeAsString() + "\xf8\x07\x05";  // field 127
    GraphDef copy;
    REQUIRE(copy.ParseFromString(unknown));
    CHECK(copy.SerializeAsString() == unknown);
    Example example;
    (*example.mutable_features()->mutable_feature())["a"].mutable_int64_list()->add_value(3);
    CHECK(example.DebugString().find("int64_list") != std::string::npos);
    KernelDef kernel;
    kernel.add_constraint()->set_name("T");
    kernel.Clear();
    CHECK(kernel.constraint_size() == 0);
    DeviceAttributes device;
    device.mutable_locality()->set_numa_node(1);
    CHECK(device.has_locality());
    TensorShapeProto shape;
    shape.add_dim()->set_size(-1);
    CHECK(PartialTensorShape(shape).DebugString() == "[?]");
    OpDef op;
    op.add_attr()->mutable_default_value()->set_i(3);
    CHECK(op.attr(0).has_default_value());
  }
  TEST_CASE("structs of Tenon, attrs of nodes") {
    NodeDef node;
    REQUIRE(node.ParseText(kNode));
    NodeDef plain = node;
    plain.mutable_attr()->erase("t");  // tensors are written in the shortest form
    CHECK(FromTenon(ToTenon(plain)).SerializeAsString() == plain.SerializeAsString());
    DataType type = DT_INVALID;
    CHECK(GetNodeAttr(node, "T", &type).ok());
    CHECK(type == DT_FLOAT);
    Tensor tensor;
    CHECK(GetNodeAttr(node, "t", &tensor).ok());
    CHECK(tensor.flat<int32>()(1) == 2);
    std::vector<int32> list;
    CHECK(GetNodeAttr(node, "l", &list).ok());
    CHECK(list == std::vector<int32>{1, 2, -3});
    TensorProto proto;
    CHECK(GetNodeAttr(node, "t", &proto).ok());
    CHECK(proto.dtype() == DT_INT32);
    CHECK(GetNodeAttr(node, "none", &type).code() == error::NOT_FOUND);
    CHECK(GetNodeAttr(node, "l", &type).code() == error::INVALID_ARGUMENT);
    CHECK(SummarizeNodeDef(node) ==
          "{{node a}} = Q[T=DT_FLOAT, l=[1, 2, -3], t=Tensor<type: int32 shape: [2] values: 1 2>](x, y:1)");
    CHECK(AttrSlice(node).EqualAttrs(AttrSlice(node)));
    AddNodeAttr("more", {"p", "q"}, &node);
    CHECK(node.attr().at("more").list().s_size() == 2);
    AttrValue parsed;
    CHECK(ParseAttrValue("list(shape)", "[{ dim { size: 2 } }]", &parsed));
    CHECK(parsed.list().shape(0).dim(0).size() == 2);
    CHECK_FALSE(ParseAttrValue("int", "x", &parsed));
  }
  TEST_CASE("tensors") {
    Tensor tensor(DT_FLOAT, {2, 2});
    tensor.flat<float>().setConstant(1.5f);
    TensorProto field, content;
    tensor.AsProtoField(&field);
    tensor.AsProtoTensorContent(&content);
    CHECK(field.float_val_size() > 0);
    CHECK(content.tensor_content().size() == 16);
    Tensor back;
    CHECK(back.FromProto(content));
    CHECK(back.matrix<float>()(1, 1) == 1.5f);
    content.mutable_tensor_shape()->mutable_dim(0)->set_size(-2);
    CHECK_FALSE(back.FromProto(content));
    CHECK_FALSE(TensorShape::IsValid(content.tensor_shape()));
  }
}
}  // namespace compat_messages_test
