// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/meta_graph_proto.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace meta_graph_proto_test {
using namespace tenon;

namespace {
// As TensorFlow's Python API prints it.
constexpr std::string_view kSavedModel = R"(saved_model_schema_version: 1
meta_graphs {
  meta_info_def {
    stripped_op_list {
      op {
        name: "NoOp"
      }
    }
    tags: "serve"
    tensorflow_version: "2.21.0"
    stripped_default_attrs: true
    function_aliases {
      key: "__inference_call_7"
      value: "call"
    }
  }
  graph_def {
    node {
      name: "x"
      op: "NoOp"
    }
    library {
    }
    versions {
      producer: 2000
    }
  }
  saver_def {
    filename_tensor_name: "saver_filename:0"
    save_tensor_name: "save:0"
    restore_op_name: "restore"
    version: V2
  }
  collection_def {
    key: "saved_model_assets"
    value {
      any_list {
        value {
          [type.googleapis.com/tensorflow.AssetFileDef] {
            tensor_info {
              name: "asset:0"
            }
            filename: "words.txt"
          }
        }
        value {
          type_url: "type.googleapis.com/somebody.Else"
          value: "\001\002"
        }
      }
    }
  }
  collection_def {
    key: "steps"
    value {
      int64_list {
        value: 1
        value: -2
      }
    }
  }
  signature_def {
    key: "__saved_model_init_op"
    value {
      outputs {
        key: "__saved_model_init_op"
        value {
          name: "NoOp"
          tensor_shape {
            unknown_rank: true
          }
        }
      }
    }
  }
  signature_def {
    key: "serving_default"
    value {
      inputs {
        key: "a"
        value {
          name: "a:0"
          dtype: DT_FLOAT
          tensor_shape {
          }
        }
      }
      inputs {
        key: "b"
        value {
          dtype: DT_INT64
          coo_sparse {
            values_tensor_name: "v:0"
            indices_tensor_name: "i:0"
            dense_shape_tensor_name: "s:0"
          }
        }
      }
      outputs {
        key: "c"
        value {
          dtype: DT_STRING
          composite_tensor {
            type_spec {
              type_spec_class: RAGGED_TENSOR_SPEC
              type_state {
                tuple_value {
                  values {
                    tensor_shape_value {
                      dim {
                        size: -1
                      }
                    }
                  }
                  values {
                    int64_value: -1
                  }
                  values {
                    none_value {
                    }
                  }
                }
              }
              type_spec_class_name: "RaggedTensorSpec"
              num_flat_components: 2
            }
            components {
              name: "c:0"
              dtype: DT_STRING
            }
            components {
              name: "c:1"
              dtype: DT_INT64
            }
          }
        }
      }
      method_name: "tensorflow/serving/predict"
      defaults {
        key: "a"
        value {
          dtype: DT_FLOAT
          tensor_shape {
          }
          float_val: 2.5
        }
      }
    }
  }
  asset_file_def {
    tensor_info {
      name: "asset:0"
    }
    filename: "words.txt"
  }
  object_graph_def {
    nodes {
      children {
        node_id: 1
        local_name: "w"
      }
      user_object {
        identifier: "_generic_user_object"
        version {
          producer: 1
          min_consumer: 1
        }
      }
    }
    nodes {
      variable {
        dtype: DT_FLOAT
        shape {
          dim {
            size: 3
          }
        }
        trainable: true
        synchronization: VARIABLE_SYNCHRONIZATION_ON_READ
        aggregation: VARIABLE_AGGREGATION_MEAN
        name: "w"
      }
    }
    concrete_functions {
      key: "__inference_call_7"
      value {
        bound_inputs: 1
        output_signature {
          dict_value {
            fields {
              key: "logits"
              value {
                tensor_spec_value {
                  name: "logits"
                  dtype: DT_FLOAT
                }
              }
            }
          }
        }
      }
    }
  }
}
)";

Span<const std::byte> Bytes(std::string_view text) { return wire::AsBytes(text); }
}  // namespace

TEST_CASE("text, structs and bytes of a SavedModel are one another's equals") {
  const Result<SavedModelDef> read = ParseTextSavedModelDef(kSavedModel);
  REQUIRE_MESSAGE(read.ok(), read.status().message());
  const std::string bytes = SerializeSavedModelDef(*read);
  const Result<SavedModelDef> again = ParseSavedModelDef(Bytes(bytes));
  REQUIRE_MESSAGE(again.ok(), again.status().message());
  CHECK(SerializeSavedModelDef(*again) == bytes);
  std::string text(kSavedModel);
  // A library without functions is not written.
  text.erase(text.find("    library {\n    }\n"), std::string_view("    library {\n    }\n").size());
  CHECK(SavedModelDefToText(*again) == text);
}

TEST_CASE("members of a SavedModel") {
  const Result<SavedModelDef> read = ParseTextSavedModelDef(kSavedModel);
  REQUIRE(read.ok());
  REQUIRE(read->meta_graphs.size() == 1);
  const MetaGraphDef& meta = read->meta_graphs[0];
  CHECK(meta.meta_info_def.tags[0] == "serve");
  CHECK(meta.meta_info_def.stripped_default_attrs);
  CHECK(meta.saver_def.version == SaverDef::Version::kV2);
  CHECK(meta.asset_file_def[0].tensor_info.name == "asset:0");
  REQUIRE(meta.FindCollection("steps") != nullptr);
  CHECK(meta.FindCollection("steps")->int64_list->value == SlimVector<std::int64_t>{1, -2});
  CHECK(meta.FindCollection("nothing") == nullptr);
  const SignatureDef* signature = meta.FindSignature("serving_default");
  REQUIRE(signature != nullptr);
  REQUIRE(signature->FindInput("a") != nullptr);
  CHECK(signature->FindInput("a")->tensor_shape->dims() == 0);
  CHECK(signature->FindInput("c") == nullptr);
  CHECK(signature->FindInput("b")->coo_sparse->indices_tensor_name == "i:0");
  CHECK(signature->FindOutput("c")->composite_tensor->components.size() == 2);
  CHECK(signature->defaults[0].second.scalar<float>()() == 2.5f);

  const Result<SavedObjectGraph> objects = ParseSavedObjectGraph(Bytes(meta.object_graph_def));
  REQUIRE(objects.ok());
  REQUIRE(objects->nodes.size() == 2);
  CHECK(objects->nodes[0].children[0].local_name == "w");
  CHECK(objects->nodes[1].variable->aggregation == VariableAggregation::kMean);
  CHECK(objects->concrete_functions[0].second.bound_inputs[0] == 1);
  const std::string bytes = SerializeSavedObjectGraph(*objects);
  const Result<SavedObjectGraph> again = ParseSavedObjectGraph(Bytes(bytes));
  REQUIRE(again.ok());
  CHECK(*again == *objects);
}

TEST_CASE("mistakes in text are errors with their place") {
  const auto message = [](std::string_view text) {
    return std::string(ParseTextSavedModelDef(text).status().message());
  };
  CHECK(message("meta_graphs { saver_def { version: V3 } }").find("1:36: 'version' has no value 'V3'") == 0);
  CHECK(
      message("meta_graphs { collection_def { key: 'x' value { any_list { value { [a/tensorflow.Nothing] { } } } } } }")
          .find("1:68: an Any holds 'a/tensorflow.Nothing', which this program cannot read from text") == 0);
  CHECK(message("meta_graphs { collection_def { key: 'x' value { node_list { } any_list { } } } }")
            .find("has both 'node_list' and 'any_list'") != std::string::npos);
}

TEST_CASE("an Any holds each of a MetaGraph's messages, and its type may have blanks") {
  CollectionDef collection;
  REQUIRE(
      ParseText("any_list { value { [ type.googleapis.com / tensorflow . NodeDef # the type\n ] { name: 'n' } } "
                "value { [a/tensorflow.GraphDef]: < version: 3 > } value { [a/tensorflow.TensorProto] { dtype: 1 } } }",
                &collection)
          .ok());
  REQUIRE(collection.any_list->value.size() == 3);
  CHECK(collection.any_list->value[0].type_url == "type.googleapis.com/tensorflow.NodeDef");
  CHECK(collection.any_list->value[0].value == "\x0a\x01n");
  CHECK(collection.any_list->value[1].value == "\x18\x03");
  CollectionDef again;
  REQUIRE(ParseText(ToText(collection), &again).ok());
  CHECK(again == collection);
  const auto message = [&again](std::string_view type) {
    return std::string(ParseText(StrCat("any_list { value { [", type, "] { } } }"), &again).message());
  };
  CHECK(message("a b") == "1:23: found 'b', expected ']' behind the type of an Any");
  CHECK(message("") == "1:20: an Any holds '', which this program cannot read from text");
  CHECK(message("a..b") == "1:23: found '.b', expected ']' behind the type of an Any");
}

TEST_CASE("of several members of a oneof the last counts") {
  // TensorInfo: name, coo_sparse, name.
  TensorInfo info;
  REQUIRE(wire::Parse(wire::AsBytes("\x0a\x01"
                                    "a"
                                    "\x22\x03\x0a\x01"
                                    "v"),
                      &info)
              .ok());
  CHECK(info.name.empty());
  CHECK(info.coo_sparse->values_tensor_name == "v");
  REQUIRE(wire::Parse(wire::AsBytes("\x0a\x01"
                                    "b"),
                      &info)
              .ok());
  CHECK(info.name == "b");
  CHECK(!info.coo_sparse.has_value());
  CollectionDef collection;
  REQUIRE(wire::Parse(wire::AsBytes("\x1a\x03\x0a\x01\x05\x0a\x03\x0a\x01"
                                    "n"),
                      &collection)
              .ok());
  CHECK(!collection.int64_list.has_value());
  CHECK(collection.node_list->value[0] == "n");
}
}  // namespace meta_graph_proto_test
