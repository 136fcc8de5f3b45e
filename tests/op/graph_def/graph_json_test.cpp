// SPDX-License-Identifier: Apache-2.0
// Files that TensorFlow wrote are read and written by tenon_golden --text-graphs.
#include <tenon/op/graph_def/graph_json.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>

#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>

namespace graph_json_test {
using namespace tenon;

namespace {
template <class T>
T Read(std::string_view json) {
  T object;
  const Status s = ParseJson(json, &object);
  CHECK_MESSAGE(s.ok(), s.message());
  return object;
}

// As protobuf's json_format.MessageToJson writes it.
constexpr std::string_view kGraph = R"({
  "node": [
    {
      "name": "c",
      "op": "Const",
      "attr": {
        "dtype": {
          "type": "DT_FLOAT"
        },
        "value": {
          "tensor": {
            "dtype": "DT_FLOAT",
            "tensorShape": {
              "dim": [
                {
                  "size": "2"
                }
              ]
            },
            "tensorContent": "AACAPwAAAEA="
          }
        }
      },
      "experimentalDebugInfo": {
        "originalNodeNames": [
          "a"
        ]
      },
      "experimentalType": {
        "typeId": "TFT_PRODUCT",
        "args": [
          {
            "typeId": "TFT_TENSOR"
          }
        ]
      }
    },
    {
      "name": "n",
      "op": "F",
      "input": [
        "c",
        "^c"
      ],
      "attr": {
        "f": {
          "func": {
            "name": "F",
            "attr": {
              "k": {
                "f": 0.1
              }
            }
          }
        },
        "i": {
          "i": "0"
        },
        "s": {
          "s": "/w=="
        }
      }
    }
  ],
  "library": {
    "function": [
      {
        "signature": {
          "name": "F",
          "isStateful": true
        },
        "ret": {
          "y": "x:0"
        },
        "argAttr": {
          "0": {
            "attr": {
              "b": {
                "b": false
              }
            }
          }
        },
        "resourceArgUniqueId": {
          "2": 3
        }
      }
    ]
  },
  "versions": {
    "producer": 1882
  }
})";
}  // namespace

TEST_CASE("a graph is read, and written alike") {
  const GraphDef graph = Read<GraphDef>(kGraph);
  REQUIRE(graph.node.size() == 2);
  CHECK(graph.node[0].attr.Find("value")->tensor().data<float>()[1] == 2);
  CHECK(graph.node[1].attr.Find("s")->s() == "\xff");
  CHECK(graph.library.function[0].resource_arg_unique_id[0].second == 3);
  CHECK(ToJson(graph) == kGraph);
  GraphDef text;
  REQUIRE(ParseText(ToText(graph), &text).ok());
  CHECK(text == graph);
}
TEST_CASE("other messages") {
  CHECK(Read<AttrValue>(R"({"f": "-Infinity"})") == AttrValue(-std::numeric_limits<float>::infinity()));
  CHECK(Read<AttrValue>(R"({"list": {"s": ["YQ==", ""]}})").list().s.size() == 2);
  CHECK(Read<PartialTensorShape>(R"({"dim": [{"size": 3}, {"size": "-1"}]})") == PartialTensorShape({3, -1}));
  CHECK(Read<NodeDef>("{}") == NodeDef());
  CHECK(ToJson(NodeDef()) == "{}");
  CHECK(ToJson(AttrValue(true)) == "{\n  \"b\": true\n}");
  const Tensor words =
      Read<Tensor>(R"({"dtype": "DT_STRING", "tensorShape": {"dim": [{"size": 1}]}, "stringVal": ["aGk="]})");
  CHECK(words.data<tstring>()[0].view() == "hi");
}
TEST_CASE("an Any has the fields of the message that it holds, or its bytes") {
  constexpr std::string_view kJson = R"({
  "metaInfoDef": {
    "anyInfo": {
      "@type": "type.googleapis.com/tensorflow.AssetFileDef",
      "filename": "f"
    }
  },
  "collectionDef": {
    "bytes": {
      "bytesList": {
        "value": [
          "/wA="
        ]
      }
    },
    "messages": {
      "anyList": {
        "value": [
          {
            "@type": "type.googleapis.com/other.Message",
            "value": "CAE="
          },
          {}
        ]
      }
    }
  }
})";
  const MetaGraphDef meta_graph = Read<MetaGraphDef>(kJson);
  CHECK(meta_graph.meta_info_def.any_info->value == std::string_view("\x12\x01"
                                                                     "f"));
  CHECK(ToJson(meta_graph) == kJson);
  MetaGraphDef none;
  CHECK(ParseJson(R"({"metaInfoDef": {"anyInfo": {"filename": "f"}}})", &none).message() ==
        "1:30: meta_info_def.any_info: an Any has no '@type'; it names the type of the message");
  CHECK(ParseJson(R"({"metaInfoDef": {"anyInfo": {"@type": "a/b.C", "x": 1}}})", &none).message() ==
        "1:48: meta_info_def.any_info: no such field: 'x'; an Any of a type that this program does not know has its "
        "bytes as 'value'");
}
TEST_CASE("the type of an Any may stand behind the fields, and is any of a MetaGraph's messages") {
  const auto any = [](std::string_view json) {
    const auto read = Read<MetaGraphDef>(StrCat("{\"metaInfoDef\": {\"anyInfo\": ", json, "}}"));
    return std::string(read.meta_info_def.any_info->value);
  };
  CHECK(any(R"({"filename": "f", "tensorInfo": {"name": "x"}, "@type": "a/tensorflow.AssetFileDef"})") ==
        any(R"({"@type": "a/tensorflow.AssetFileDef", "filename": "f", "tensorInfo": {"name": "x"}})"));
  CHECK(any(R"({"value": "CAE=", "@type": "a/b.C"})") == "\x08\x01");
  CHECK(any(R"({"node": [{"name": "n"}], "@type": "a/tensorflow.GraphDef"})") == "\x0a\x03\x0a\x01n");
  CHECK(any(R"({"@type": "a/tensorflow.TensorInfo", "name": "n"})") == "\x0a\x01n");
  MetaGraphDef none;
  for (const char* const wrong :
       {R"({"@type": "a/tensorflow.SaverDef", "@type": "a/tensorflow.SaverDef"})",
        R"({"value": "", "value": "", "@type": "a/b.C"})", R"({"maxToKeep": 1, "@type": 2})",
        R"({"maxToKeep": [1, "@type": "a/tensorflow.SaverDef"})", R"({"x": {"@type": "a/tensorflow.SaverDef"}})"})
    CHECK(ParseJson(StrCat("{\"metaInfoDef\": {\"anyInfo\": ", wrong, "}}"), &none).code() == Code::kInvalidArgument);
}
TEST_CASE("a value in front of the type of an Any may not nest without end") {
  const std::string deep = StrCat("{\"metaInfoDef\": {\"anyInfo\": {\"x\": ", std::string(1000000, '['));
  MetaGraphDef none;
  const Status s = ParseJson(deep, &none);
  CHECK(s.code() == Code::kInvalidArgument);
  CHECK(s.message().find("messages are nested more than 100 deep") != std::string_view::npos);
}
TEST_CASE("the largest numbers read back") {
  const float large = std::numeric_limits<float>::max();
  for (const float f : {large, -large, std::numeric_limits<float>::min(), std::numeric_limits<float>::denorm_min()})
    CHECK(Read<AttrValue>(ToJson(AttrValue(f))) == AttrValue(f));
  Tensor tensor(DataType::kDouble, {2});
  tensor.data<double>()[0] = std::numeric_limits<double>::max();
  tensor.data<double>()[1] = std::numeric_limits<double>::lowest();
  CHECK(Read<Tensor>(ToJson(tensor)).data<double>()[1] == std::numeric_limits<double>::lowest());
}
TEST_CASE("a BoolValue is its bool, a list of pairs no map") {
  constexpr std::string_view kJson = R"({
  "nodes": [
    {
      "hasCheckpointValues": true
    },
    {
      "hasCheckpointValues": false
    },
    {}
  ]
})";
  const TrackableObjectGraph graph = Read<TrackableObjectGraph>(kJson);
  CHECK(graph.nodes[0].has_checkpoint_values->value);
  CHECK_FALSE(graph.nodes[2].has_checkpoint_values.has_value());
  CHECK(ToJson(graph) == kJson);
  std::string bytes, json;
  REQUIRE(wire::JsonToWire(
              wire::StructuredValueTable::message,
              R"({"namedTupleValue": {"values": [{"key": "b", "value": {"int64Value": "-7"}}, {"key": "a"}]}})", &bytes)
              .ok());
  wire::WireToJson(wire::StructuredValueTable::message, bytes, &json);
  CHECK(json == R"({
  "namedTupleValue": {
    "values": [
      {
        "key": "b",
        "value": {
          "int64Value": "-7"
        }
      },
      {
        "key": "a"
      }
    ]
  }
})");
}
TEST_CASE("what is wrong keeps the object") {
  NodeDef node;
  node.name = "kept";
  const Status s = ParseJson(R"({"name": "x", "attr": {"T": {"type": 1, "i": 2}}})", &node);
  CHECK(s.code() == Code::kInvalidArgument);
  CHECK(s.message() ==
        "1:41: attr['T']: 'i' has already been set (either directly or as part of a oneof); the other is 'type'");
  CHECK(node.name == "kept");
  CHECK(ParseJsonGraphDef("{\"node\": [{\"nam\": 1}]}").status().message() ==
        "1:12: node[0]: no such field: 'nam'; did you mean 'name'?");
  Tensor tensor;
  CHECK(ParseJson(R"({"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": -7}]}})", &tensor).code() ==
        Code::kInvalidArgument);
}
}  // namespace graph_json_test
