// SPDX-License-Identifier: Apache-2.0
// Messages with the accessors of protocol buffers: bytes, text, and the structs of Tenon.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>

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
#include <tenon/compat/tensorflow/proto/tensor_description.hpp>
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
  TEST_CASE("lists own their items") {
    TensorDescription description;
    description.mutable_allocation_description()->set_allocator_name("a");
    for (int64_t i = 0; i < 4; ++i) description.mutable_shape()->add_dim()->set_size(i);
    TensorDescription copy = description;
    protobuf::RepeatedPtrField<TensorShapeProto_Dim>* const dims = copy.mutable_shape()->mutable_dim();
    const TensorShapeProto_Dim* const last = &dims->Get(3);
    dims->erase(dims->begin() + 1);
    dims->SwapElements(0, 2);
    CHECK(&dims->Get(0) == last);
    CHECK(dims->Get(1).size() == 2);
    std::unique_ptr<TensorShapeProto_Dim> taken(dims->ReleaseLast());
    CHECK(taken->size() == 0);
    dims->AddAllocated(taken.release());
    dims->DeleteSubrange(0, 2);
    CHECK(copy.shape().dim_size() == 1);
    CHECK(description.shape().dim_size() == 4);
    copy = std::move(description);
    CHECK(copy.shape().dim(3).size() == 3);
    CHECK(copy.allocation_description().allocator_name() == "a");
    copy.set_allocated_shape(nullptr);
    CHECK_FALSE(copy.has_shape());
    CHECK(copy.shape().dim_size() == 0);
    int64_t sum = 0;
    protobuf::RepeatedPtrField<std::string> texts;
    *texts.Add() = "x";
    texts.Add("yz");
    const protobuf::RepeatedPtrField<std::string> more(texts);
    texts.MergeFrom(more);
    for (const std::string& text : texts) sum += static_cast<int64_t>(text.size());
    CHECK(sum == 6);
    protobuf::RepeatedPtrField<std::string>::const_iterator at = texts.begin();
    CHECK(at->size() == 1);
    CHECK(copy.GetTypeName() == "tensorflow.TensorDescription");
  }
  TEST_CASE("numbers of every width survive bytes and text") {
    TensorProto tensor;
    tensor.add_int_val(-1);
    tensor.add_int_val(std::numeric_limits<int32>::min());
    tensor.add_int64_val(std::numeric_limits<int64_t>::min());
    tensor.add_uint32_val(std::numeric_limits<uint32>::max());
    tensor.add_uint64_val(std::numeric_limits<uint64_t>::max());
    tensor.add_float_val(-0.5f);
    tensor.add_double_val(1e300);
    tensor.add_bool_val(true);
    tensor.add_bool_val(false);
    tensor.set_version_number(-7);
    TensorProto bytes, text;
    REQUIRE(bytes.ParseFromString(tensor.SerializeAsString()));
    REQUIRE(text.ParseText(tensor.DebugString()));
    CHECK(bytes.SerializeAsString() == tensor.SerializeAsString());
    CHECK(text.SerializeAsString() == tensor.SerializeAsString());
    CHECK(bytes.uint64_val(0) == std::numeric_limits<uint64_t>::max());
    CHECK(text.int_val(1) == std::numeric_limits<int32>::min());
    CHECK_FALSE(text.ParseText("uint32_val: 4294967296"));
    CHECK_FALSE(text.ParseText("int_val: 2147483648"));
    CHECK_FALSE(text.ParseText("bool_val: maybe"));
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
