// SPDX-License-Identifier: Apache-2.0
// Tenon's structs and protobuf's classes hold the same, as bytes, as objects and as JSON: recorded graphs, ops, and
// messages made here.
#include <tenon/protobuf.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <tenon/io/mapped_file.hpp>
#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/graph_text.hpp>

namespace protobuf_test {
using namespace tenon;

namespace {

// As fields of protobuf compare, but NaN equals itself.
bool Equal(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  google::protobuf::util::DefaultFieldComparator fields;
  fields.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&fields);
  return differencer.Compare(a, b);
}

template <class T>
std::string Bytes(const T& object) {
  std::string bytes;
  wire::SerializeTo(object, &bytes);
  return bytes;
}
// Are the elements plain numbers?
bool IsNumber(DataType dtype) {
  return dtype != DataType::kString && dtype != DataType::kResource && dtype != DataType::kVariant;
}
// Bytes, objects and JSON that either side writes are read by the other.
template <class P>
void CheckPair(const typename ProtoPair<P>::Type& object) {
  using T = typename ProtoPair<P>::Type;
  P proto, parsed, from_json;
  Status s = ToProto(object, &proto);
  REQUIRE_MESSAGE(s.ok(), s.message());
  const Result<T> back = FromProto(proto);
  REQUIRE_MESSAGE(back.ok(), back.status().message());
  CHECK(ToText(*back) == ToText(object));

  REQUIRE(parsed.ParseFromString(Bytes(object)));
  CHECK(Equal(parsed, proto));
  T read;
  s = wire::Parse(wire::AsBytes(proto.SerializeAsString()), &read);
  REQUIRE_MESSAGE(s.ok(), s.message());
  CHECK(ToText(read) == ToText(object));

  const auto json_status = google::protobuf::util::JsonStringToMessage(ToJson(object), &from_json);
  REQUIRE_MESSAGE(json_status.ok(), json_status.ToString());
  CHECK(Equal(from_json, proto));
  std::string json;
  REQUIRE(google::protobuf::util::MessageToJsonString(proto, &json).ok());
  s = ParseJson(json, &read);
  REQUIRE_MESSAGE(s.ok(), s.message());
  CHECK(ToText(read) == ToText(object));
}
// The file, read by Tenon and by protobuf.
template <class P>
void CheckFile(const std::string& path) {
  CAPTURE(path);
  const Result<MappedFile> file = MappedFile::Open(path);
  REQUIRE(file.ok());
  typename ProtoPair<P>::Type object;
  REQUIRE(wire::Parse(file->bytes(), &object).ok());
  P proto;
  REQUIRE(proto.ParseFromString(std::string(wire::AsText(file->bytes()))));
  const auto read = FromProto(proto);
  REQUIRE_MESSAGE(read.ok(), read.status().message());
  CHECK(ToText(*read) == ToText(object));
  CheckPair<P>(object);
}

}  // namespace

TEST_CASE("recorded graphs") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TENON_TEST_DATA) + "/files/graphs")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".pb") || name.ends_with(".case.pb") || name == "run_metadata.pb") continue;
    CheckFile<tensorflow::GraphDef>(entry.path().string());
    ++count;
  }
  CHECK(count >= 10);
  CheckFile<tensorflow::GraphDef>(std::string(TENON_TEST_DATA) + "/models/mlp_digits/graph.pb");
}
TEST_CASE("recorded ops, models and MetaGraphs") {
  const std::string data = TENON_TEST_DATA;
  CheckFile<tensorflow::OpList>(data + "/op_list.pb");
  CheckFile<tensorflow::MetaGraphDef>(data + "/files/checkpoints/tf1_adam/model-1.meta");
  for (const char* const folder : {"/saved_models", "/files/saved_models"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(data + folder, error))
      if (const auto path = entry.path() / "saved_model.pb"; std::filesystem::exists(path))
        CheckFile<tensorflow::SavedModel>(path.string());
  }
}
TEST_CASE("tensors, shapes and handles") {
  CheckPair<tensorflow::TensorShapeProto>(PartialTensorShape({2, -1, 0}));
  CheckPair<tensorflow::TensorShapeProto>(PartialTensorShape());
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto dtype = static_cast<DataType>(i);
    if (SizeOf(dtype) <= 0 || !IsNumber(dtype)) continue;
    CAPTURE(i);
    Tensor tensor(dtype, {3});
    std::memset(tensor.raw_data(), 1, tensor.TotalBytes());
    CheckPair<tensorflow::TensorProto>(tensor);
  }
  Tensor words(DataType::kString, {2});
  words.data<tstring>()[0].assign(std::string_view("\xff\0", 2));
  CheckPair<tensorflow::TensorProto>(words);
  ResourceHandle handle;
  handle.device = "/cpu:0";
  handle.hash_code = ~std::uint64_t{0};
  handle.dtypes_and_shapes.push_back({DataType::kFloat, PartialTensorShape({1, -1})});
  CheckPair<tensorflow::ResourceHandleProto>(handle);
}
TEST_CASE("attrs of each kind, functions and examples") {
  AttrList list;
  list.s = {"a", "\xff"};
  list.i = {1, -2};
  list.f = {.1f};
  list.b = {1, 0};
  list.type = {DataType::kInt8};
  list.shape.push_back(PartialTensorShape({-1}));
  for (const AttrValue& value : {AttrValue(true), AttrValue(std::int64_t{0}), AttrValue(.5f), AttrValue("text"),
                                 AttrValue(DataType::kHalf), AttrValue(list)})
    CheckPair<tensorflow::AttrValue>(value);
  FunctionDefLibrary library;
  FunctionDef& function = library.function.emplace_back();
  function.signature.name = "F";
  function.ret.emplace_back("y", "x:0");
  library.gradient.push_back({"F", "G"});
  CheckPair<tensorflow::FunctionDefLibrary>(library);
  Example example;
  REQUIRE(
      ParseText("features { feature { key: 'x' value { float_list { value: [1, 2.5] } } } feature { key: 'y' value { "
                "bytes_list { value: '\\377' } } } feature { key: 'z' value { int64_list { value: -1 } } } }",
                &example)
          .ok());
  CheckPair<tensorflow::Example>(example);
}
TEST_CASE("objects of models") {
  SavedObjectGraph objects;
  REQUIRE(
      ParseText("nodes { variable { dtype: DT_FLOAT shape { dim { size: 2 } } trainable: true name: 'v' } } nodes { "
                "function { concrete_functions: 'f' } } concrete_functions { key: 'f' value { bound_inputs: 0 } }",
                &objects)
          .ok());
  CheckPair<tensorflow::SavedObjectGraph>(objects);
  TrackableObjectGraph trackables;
  REQUIRE(ParseText("nodes { children { node_id: 1 local_name: 'w' } has_checkpoint_values { value: true } } nodes { "
                    "has_checkpoint_values { } }",
                    &trackables)
              .ok());
  CheckPair<tensorflow::TrackableObjectGraph>(trackables);
}
TEST_CASE("variables and parts of other messages") {
  VariableDef variable;
  REQUIRE(ParseText("variable_name: 'w:0' initializer_name: 'w/Assign' snapshot_name: 'w/Read:0' initial_value_name: "
                    "'w/init:0' is_resource: true trainable: true synchronization: VARIABLE_SYNCHRONIZATION_ON_READ "
                    "aggregation: VARIABLE_AGGREGATION_MEAN save_slice_info_def { full_name: 'w' full_shape: [4, 2] "
                    "var_offset: [0, 0] var_shape: [2, 2] }",
                    &variable)
              .ok());
  CheckPair<tensorflow::VariableDef>(variable);
  CheckPair<tensorflow::SaveSliceInfoDef>(*variable.save_slice_info_def);
  CheckPair<tensorflow::OpDeprecation>(OpDeprecation{8, "old"});
  CheckPair<tensorflow::RegisteredGradient>(RegisteredGradient{"g", "Op"});
  MetaGraphDef::MetaInfoDef info;
  REQUIRE(ParseText("tags: 'serve' stripped_op_list { op { name: 'X' } } function_aliases { key: 'a' value: 'b' } "
                    "tensorflow_version: '2.21.0' stripped_default_attrs: true",
                    &info)
              .ok());
  CheckPair<tensorflow::MetaGraphDef_MetaInfoDef>(info);
  SequenceExample sequence;
  sequence.SetContext("length", 2);
  sequence.Append("words", {"a", "b"});
  sequence.Append("words", {"c"});
  CheckPair<tensorflow::SequenceExample>(sequence);
  CheckPair<tensorflow::Features>(*sequence.context);
  CheckPair<tensorflow::FeatureLists>(*sequence.feature_lists);
  CheckPair<tensorflow::FeatureList>(*sequence.feature_lists->Find("words"));
  CheckPair<tensorflow::BytesList>(BytesList{{"\xff", ""}});
  CheckPair<tensorflow::FloatList>(FloatList{{std::numeric_limits<float>::max(), -0.f}});
  CheckPair<tensorflow::Int64List>(Int64List{{std::numeric_limits<std::int64_t>::min(), 0}});
}
TEST_CASE("a graph's old field, and what has no place in a struct") {
  tensorflow::GraphDef graph;
  REQUIRE(graph.MergeFromString("\x18\x15"));  // field 3, version, which is deprecated
  auto* const node = graph.add_node();
  node->set_name("n");
  auto* const dim = (*node->mutable_attr())["shape"].mutable_shape()->add_dim();
  dim->set_size(3);
  dim->set_name("rows");
  graph.GetReflection()->MutableUnknownFields(&graph)->AddVarint(1000, 7);
  const Result<GraphDef> read = FromProto(graph);
  REQUIRE(read.ok());
  CHECK(read->version == 21);
  tensorflow::GraphDef again;
  REQUIRE(ToProto(*read, &again).ok());
  CHECK(again.GetReflection()->GetUnknownFields(again).empty());
  CHECK(again.node(0).attr().at("shape").shape().dim(0).size() == 3);
  CHECK(again.node(0).attr().at("shape").shape().dim(0).name().empty());
}
TEST_CASE("what one side refuses is an error") {
  NodeDef node;
  node.name = "\xff";
  tensorflow::NodeDef proto;
  CHECK(ToProto(node, &proto).code() == Code::kInvalidArgument);
  tensorflow::TensorProto tensor;
  tensor.set_dtype(tensorflow::DT_FLOAT);
  tensor.mutable_tensor_shape()->add_dim()->set_size(-7);
  CHECK(FromProto(tensor).status().code() == Code::kInvalidArgument);
}
}  // namespace protobuf_test
