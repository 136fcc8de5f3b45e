// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/proto_io.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace proto_io_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

std::string ReadData(const char* name) {
  const std::string path = std::string(TENON_TEST_DATA) + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  REQUIRE_MESSAGE(file != nullptr, path);
  std::string bytes;
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.append(block, n);
  std::fclose(file);
  return bytes;
}

bool Has(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }

AttrValue RoundTrip(const AttrValue& value) {
  Result<AttrValue> back = ParseAttrValue(wire::AsBytes(SerializeAttrValue(value)));
  REQUIRE_MESSAGE(back.ok(), back.status().message());
  return *back;
}

NodeDef FullNode() {
  NodeDef node;
  node.name = "n";
  node.op = "Op";
  node.input = {"a", "b:1", "^c"};
  node.device = "/cpu:0";
  node.debug_info = "\x0a\x01x";
  node.full_type = "\x08\x01";
  node.attr = {{"none", AttrValue()},
               {"s", "text\0"s},
               {"i", -1},
               {"zero", 0},
               {"f", 1.5f},
               {"b", false},
               {"type", DataType::kInt4},
               {"shape", PartialTensorShape({2, -1, 0})},
               {"unknown", PartialTensorShape()},
               {"tensor", MakeTensor<float>({2, 2}, {1, 2, 3, 4})},
               {"func", NameAttrList{"f", AttrMap{{"g", NameAttrList{"g", {}}}}}},
               {"placeholder", AttrValue::Placeholder("T")},
               {"empty", AttrList()},
               {"ls", std::vector<std::string>{"", "a"}},
               {"li", std::vector<std::int64_t>{0, -1, 300}},
               {"lf", std::vector<float>{0, 1}},
               {"lb", std::vector<bool>{true, false}},
               {"lt", std::vector<DataType>{DataType::kFloat, DataType::kInvalid}},
               {"lshape", std::vector<PartialTensorShape>{PartialTensorShape(), PartialTensorShape({1})}},
               {"ltensor", std::vector<Tensor>{Tensor::Scalar(1.0f), Tensor::Scalar("x")}},
               {"lfunc", std::vector<NameAttrList>{{"f", {}}, {"g", {}}}}};
  return node;
}

FunctionDef FullFunction() {
  FunctionDef f;
  f.signature.name = "f";
  f.signature.input_arg.resize(1);
  f.signature.input_arg[0].name = "x";
  f.signature.input_arg[0].type = DataType::kFloat;
  f.signature.control_output = {"c"};
  f.attr = {{"_noinline", true}};
  f.arg_attr = {{0u, AttrMap{{"a", 1}}}, {2u, AttrMap()}};
  f.resource_arg_unique_id = {{0u, 0u}, {1u, 7u}};
  f.node_def = {FullNode(), FullNode()};
  f.ret = {{"y", "n:out:0"}, {"z", "x"}};
  f.control_ret = {{"c", "n"}};
  return f;
}

}  // namespace

TEST_SUITE("AttrValue as bytes") {
  TEST_CASE("every kind is the same after it was written and read") {
    for (const auto& [name, value] : FullNode().attr) CHECK_MESSAGE(RoundTrip(value) == value, name);
  }
  TEST_CASE("is written as protobuf does") {
    CHECK(SerializeAttrValue(AttrValue()).empty());
    CHECK(SerializeAttrValue("hi") == "\x12\x02hi");
    CHECK(SerializeAttrValue("") == "\x12\x00"s);
    CHECK(SerializeAttrValue(0) == "\x18\x00"s);
    CHECK(SerializeAttrValue(1.0f) == "\x25\x00\x00\x80\x3f"s);
    CHECK(SerializeAttrValue(true) == "\x28\x01");
    CHECK(SerializeAttrValue(DataType::kFloat) == "\x30\x01");
    CHECK(SerializeAttrValue(PartialTensorShape({3})) == "\x3a\x04\x12\x02\x08\x03");
    CHECK(SerializeAttrValue(Tensor::Scalar(true)) == "\x42\x07\x08\x0a\x12\x00\x5a\x01\x01"s);
    CHECK(SerializeAttrValue(AttrValue::Placeholder("T")) == "\x4a\x01T");
    CHECK(SerializeAttrValue(NameAttrList{"f", {}}) ==
          "\x52\x03\x0a\x01"
          "f");
    CHECK(SerializeAttrValue(std::vector<int>{1, 2}) == "\x0a\x04\x1a\x02\x01\x02");
    CHECK(SerializeAttrValue(AttrList()) == "\x0a\x00"s);
  }
  TEST_CASE("of several values in one message the last counts") {
    CHECK(*ParseAttrValue(wire::AsBytes("\x18\x05\x12\x01x\x28\x01")) == AttrValue(true));
    CHECK(*ParseAttrValue(wire::AsBytes("\x12\x01x\x18\x05")) == AttrValue(5));
  }
  TEST_CASE("a tensor or shape that makes no sense stays as it is, and is written as it came") {
    const std::string tensor = "\x42\x07\x08\x01\x12\x00\x22\x01x"s;  // a float scalar of one byte
    const Result<AttrValue> value = ParseAttrValue(wire::AsBytes(tensor));
    REQUIRE(value.ok());
    CHECK(value->kind() == AttrValue::Kind::kTensor);
    CHECK(Has(value->decode_status(), "tensor_content has 1 bytes, expected 1 elements of 4 bytes"));
    CHECK(SerializeAttrValue(*value) == tensor);
    const std::string shape = "\x3a\x0d\x12\x0b\x08\xf0\xff\xff\xff\xff\xff\xff\xff\xff\x01"s;
    const Result<AttrValue> negative = ParseAttrValue(wire::AsBytes(shape));
    REQUIRE(negative.ok());
    PartialTensorShape out;
    CHECK(Has(
        negative->Get("a", &out),
        "Attr 'a' has a value that can't be converted to a TensorShape: Shape [?] has dimensions with values below -1"));
    CHECK(SerializeAttrValue(*negative) == shape);
    CHECK(ParseAttrValue(wire::AsBytes("\x42\x02\x08\x15"))->decode_status().ok());  // one empty variant
  }
  TEST_CASE("of a tensor whose contents make no sense the shape is known") {
    // float, [2, 3], 1 byte of content; then [2, -1], which no tensor has
    const auto shape_of = [](std::string_view bytes) {
      return ParseAttrValue(wire::AsBytes(bytes))->undecoded_shape();
    };
    const std::string proto("\x42\x0f\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x03\x22\x01x", 17);
    CHECK(shape_of(proto) == PartialTensorShape({2, 3}));
    const std::string partial(
        "\x42\x18\x08\x01\x12\x11\x12\x02\x08\x02\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x22\x01x", 26);
    CHECK(shape_of(partial).unknown_rank());
  }
  TEST_CASE("in a list such a value is an error") {
    const Status s = ParseAttrValue(wire::AsBytes("\x0a\x09\x42\x07\x08\x01\x12\x00\x22\x01x"s)).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(Has(s, "tensor_content has 1 bytes"));
  }
  TEST_CASE("functions nested without end are refused") {
    std::string bytes;
    for (int i = 0; i < 60; ++i) {  // each level, from inside: entry.value, NameAttrList.attr, AttrValue.func
      for (const char* tag : {"\x12", "\x12", "\x52"}) {
        std::string length;
        for (std::size_t n = bytes.size();; n >>= 7) {
          length += static_cast<char>(n >= 128 ? (n & 127) | 128 : n);
          if (n < 128) break;
        }
        bytes = tag + length + bytes;
      }
    }
    const Status s = ParseAttrValue(wire::AsBytes(bytes)).status();
    CHECK(s.code() == Code::kDataLoss);
    CHECK(Has(s, "messages are nested more than 100 deep"));
  }
}

TEST_SUITE("NodeDef as bytes") {
  TEST_CASE("is the same after it was written and read") {
    const Result<NodeDef> back = ParseNodeDef(wire::AsBytes(SerializeNodeDef(FullNode())));
    REQUIRE_MESSAGE(back.ok(), back.status().message());
    CHECK(*back == FullNode());
  }
  TEST_CASE("attrs may come in any order; of equal names the last counts; key or value may be missing") {
    const Result<NodeDef> node =
        ParseNodeDef(wire::AsBytes("\x2a\x07\x0a\x01"
                                   "b\x12\x02\x18\x01"
                                   "\x2a\x07\x0a\x01"
                                   "a\x12\x02\x18\x02"
                                   "\x2a\x07\x0a\x01"
                                   "b\x12\x02\x18\x03"
                                   "\x2a\x03\x0a\x01"
                                   "c\x2a\x00"s));
    REQUIRE(node.ok());
    CHECK(node->attr == AttrMap{{"", AttrValue()}, {"a", 2}, {"b", 3}, {"c", AttrValue()}});
  }
  TEST_CASE("attrs are written sorted, with key and value even when empty") {
    NodeDef node;
    node.attr = {{"b", 1}, {"", AttrValue()}};
    CHECK(SerializeNodeDef(node) ==
          "\x2a\x04\x0a\x00\x12\x00\x2a\x07\x0a\x01"
          "b\x12\x02\x18\x01"s);
  }
  TEST_CASE("unknown fields are skipped") {
    const Result<NodeDef> node = ParseNodeDef(wire::AsBytes("\xfa\x07\x02hi\x0a\x01n\xf8\x07\x01"));
    REQUIRE(node.ok());
    CHECK(node->name == "n");
  }
}

TEST_SUITE("FunctionDef as bytes") {
  TEST_CASE("is the same after it was written and read") {
    const Result<FunctionDef> back = ParseFunctionDef(wire::AsBytes(SerializeFunctionDef(FullFunction())));
    REQUIRE_MESSAGE(back.ok(), back.status().message());
    CHECK(*back == FullFunction());
  }
  TEST_CASE("maps are sorted when they were read") {
    FunctionDef f = FullFunction();
    std::swap(f.ret[0], f.ret[1]);
    std::swap(f.arg_attr[0], f.arg_attr[1]);
    CHECK(*ParseFunctionDef(wire::AsBytes(SerializeFunctionDef(f))) == FullFunction());
  }
}

TEST_SUITE("GraphDef as bytes") {
  TEST_CASE("is the same after it was written and read") {
    GraphDef graph;
    graph.node = {FullNode(), NodeDef(), FullNode()};
    graph.versions = {2474, 12, {1, 2}};
    graph.library.function = {FullFunction()};
    graph.library.gradient = {{"f", "f_grad"}};
    graph.library.registered_gradients = {{"g", "Op"}};
    graph.debug_info = "debug";
    const std::string bytes = SerializeGraphDef(graph);
    const Result<GraphDef> back = ParseGraphDef(wire::AsBytes(bytes));
    REQUIRE_MESSAGE(back.ok(), back.status().message());
    CHECK(*back == graph);
    CHECK(SerializeGraphDef(*back) == bytes);
  }
  TEST_CASE("texts that are not UTF-8 make no graph, as in TensorFlow; bytes may hold anything") {
    GraphDef graph;
    NodeDef& node = graph.node.emplace_back();
    node.name = "name";
    node.op = "Operation";
    node.device = "/cpu:0";
    node.input.push_back("input");
    node.attr["attrkey"] = AttrValue("textvalue");
    const std::string good = SerializeGraphDef(graph);
    for (const std::string_view text : {"name", "Operation", "/cpu:0", "input", "attrkey"}) {
      std::string bad = good;
      char& middle = bad[bad.find(text) + text.size() / 2];
      middle = static_cast<char>(middle ^ 0x80);
      const Status s = ParseGraphDef(wire::AsBytes(bad)).status();
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(s.message() == StrCat("Invalid GraphDef: GraphDef: cannot parse the bytes at offset ",
                                  bad.find(middle) - text.size() / 2, ": a text of ", text.size(),
                                  " bytes is not UTF-8"));
    }
    std::string bytes = good;
    bytes[bytes.find("textvalue")] = '\xff';
    CHECK(ParseGraphDef(wire::AsBytes(bytes)).ok());
    node.name = "\xc3\xa9";
    CHECK(*ParseGraphDef(wire::AsBytes(SerializeGraphDef(graph))) == graph);
  }
  TEST_CASE("no bytes are an empty graph, and the old version field means nothing") {
    CHECK(*ParseGraphDef({}) == GraphDef());
    CHECK(ParseGraphDef(wire::AsBytes("\x18\x15"))->versions.producer == 0);
    CHECK(SerializeGraphDef(*ParseGraphDef(wire::AsBytes("\x18\x15"))) == "\x18\x15");
  }
  TEST_CASE("bytes that are none are an invalid GraphDef, with the byte's offset") {
    const Status s = ParseGraphDef(wire::AsBytes("\x0a\x03\x0a\x01x\x0a\x20"s)).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(
        s.message() ==
        "Invalid GraphDef: GraphDef: cannot parse the bytes at offset 6: a field of 32 bytes goes beyond the end of its message; it is "
        "truncated or not a GraphDef");
    CHECK(ParseGraphDef(wire::AsBytes("\x0f")).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("constants are views of the bytes when these have an owner") {
    GraphDef graph;
    graph.node.emplace_back().attr.Set("value", MakeTensor<std::uint8_t>({4}, {1, 2, 3, 4}));
    std::string bytes = SerializeGraphDef(graph);
    Buffer* owner = Buffer::Wrap(bytes.data(), bytes.size(), nullptr, nullptr);
    {
      const Result<GraphDef> back = ParseGraphDef(wire::AsBytes(bytes), owner);
      REQUIRE(back.ok());
      const Tensor& value = back->node[0].attr.Find("value")->tensor();
      CHECK(value.buffer()->root() == owner);
      CHECK(value.raw_data() >= bytes.data());
      CHECK(value.raw_data() < bytes.data() + bytes.size());
      CHECK(*back == graph);
      CHECK(*ParseGraphDef(wire::AsBytes(bytes)) == graph);
    }
    owner->Unref();
  }
  TEST_CASE("what repeated constants may need is limited for the whole graph") {
    wire::ParseContext context;
    context.repeat_bytes = 6000;
    GraphDef graph, back;
    for (int i = 0; i < 3; ++i) {
      Tensor zeros(DataType::kFloat, TensorShape({1000}));
      for (float& x : zeros.flat<float>()) x = 0;
      graph.node.emplace_back().attr.Set("value", zeros);
    }
    CHECK(wire::Parse(wire::AsBytes(SerializeGraphDef(graph)), &back, context).ok());
    CHECK(back.node[0].attr.Find("value")->decode_status().ok());
    CHECK(back.node[1].attr.Find("value")->decode_status().code() == Code::kResourceExhausted);
    CHECK(SerializeGraphDef(back) == SerializeGraphDef(graph));
  }
  TEST_CASE("models from TensorFlow are the same after they were written and read") {
    for (const char* name : {"models/mlp_digits/graph.pb", "models/cnn_digits/graph.pb"}) {
      const Result<GraphDef> graph = ParseGraphDef(wire::AsBytes(ReadData(name)));
      REQUIRE_MESSAGE(graph.ok(), graph.status().message());
      CHECK(graph->node.size() > 10);
      CHECK(graph->versions.producer > 0);
      for (const NodeDef& node : graph->node) {
        for (const auto& [attr, value] : node.attr) CHECK(value.decode_status().ok());
      }
      const Result<GraphDef> back = ParseGraphDef(wire::AsBytes(SerializeGraphDef(*graph)));
      REQUIRE(back.ok());
      CHECK(*back == *graph);
    }
  }
  TEST_CASE("every cut of a model is an error or a graph") {
    const std::string bytes = ReadData("models/cnn_digits/graph.pb");
    for (std::size_t n = 0; n < bytes.size(); n += 1 + n / 50) {
      const Result<GraphDef> graph = ParseGraphDef(wire::AsBytes(std::string_view(bytes).substr(0, n)));
      if (!graph.ok()) CHECK(graph.status().code() == Code::kInvalidArgument);
    }
  }
}

TEST_SUITE("OpDef as bytes") {
  TEST_CASE("all OpDefs of TensorFlow are the same after they were written and read") {
    const Result<SlimVector<OpDef>> ops = ParseOpList(wire::AsBytes(ReadData("op_list.pb")));
    REQUIRE_MESSAGE(ops.ok(), ops.status().message());
    CHECK(ops->size() == 1908);
    const std::string bytes = SerializeOpList(*ops);
    const Result<SlimVector<OpDef>> back = ParseOpList(wire::AsBytes(bytes));
    REQUIRE(back.ok());
    CHECK(*back == *ops);
    CHECK(SerializeOpList(*back) == bytes);
    for (const OpDef& op : *ops) CHECK(*ParseOpDef(wire::AsBytes(SerializeOpDef(op))) == op);
  }
  TEST_CASE("MatMul has the fields that TensorFlow gives it") {
    const Result<SlimVector<OpDef>> ops = ParseOpList(wire::AsBytes(ReadData("op_list.pb")));
    REQUIRE(ops.ok());
    const OpDef* matmul = nullptr;
    for (const OpDef& op : *ops) matmul = op.name == "MatMul" ? &op : matmul;
    REQUIRE(matmul != nullptr);
    REQUIRE(matmul->input_arg.size() == 2);
    CHECK(matmul->input_arg[0].name == "a");
    CHECK(matmul->input_arg[1].type_attr == "T");
    REQUIRE(matmul->output_arg.size() == 1);
    CHECK(matmul->output_arg[0].name == "product");
    REQUIRE(FindAttr("transpose_a", *matmul) != nullptr);
    CHECK(*FindAttr("transpose_a", *matmul)->default_value == AttrValue(false));
    REQUIRE(FindAttr("T", *matmul) != nullptr);
    CHECK(!FindAttr("T", *matmul)->default_value.has_value());
    CHECK(FindAttr("T", *matmul)->allowed_values.list().type.front() == DataType::kBfloat16);
  }
}
}  // namespace proto_io_test
