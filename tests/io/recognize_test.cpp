// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/recognize.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <io/temp_file.hpp>
#include <temp_folder.hpp>
#include <without.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/io/json_graph.hpp>
#include <tenon/io/npy.hpp>
#include <tenon/io/npz.hpp>
#include <tenon/io/record_writer.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/io/text_graph.hpp>
#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

namespace recognize_test {
using namespace tenon;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {
const std::string kData = TENON_TEST_DATA;

GraphDef SmallGraph() {
  GraphDef graph;
  NodeDef node;
  node.name = "x";
  node.op = "Placeholder";
  node.attr["dtype"] = AttrValue(DataType::kFloat);
  graph.node.push_back(node);
  graph.versions.producer = 1882;
  return graph;
}
MetaGraphDef SmallMetaGraph() {
  MetaGraphDef meta_graph;
  meta_graph.meta_info_def.tags.push_back("serve");
  OpDef op;
  op.name = "Placeholder";
  meta_graph.meta_info_def.stripped_op_list = SerializeOpList({&op, 1});
  meta_graph.graph_def = SmallGraph();
  return meta_graph;
}
// The kind of a file with these bytes, and its sentence. The name must not matter.
FileKind KindOf(std::string_view bytes, std::string_view name = "model.pb") {
  const TempFile temp(name, bytes);
  const Result<FileKind> kind = RecognizeFile(temp.path());
  REQUIRE_MESSAGE(kind.ok(), kind.status().message());
  return *kind;
}
// What ReadGraphFile says of a file with these bytes, behind its own error.
std::string Advice(std::string_view bytes, std::string_view name = "model.pb") {
  const TempFile temp(name, bytes);
  const Status s = ReadGraphFile(temp.path()).status();
  CHECK(!s.ok());
  const std::size_t at = s.message().find(StrCat("; '", temp.path(), "' "));
  if (at == std::string_view::npos) return StrCat("none: ", s.message());
  return std::string(s.message().substr(at + temp.path().size() + 5));
}
std::string Zip(std::initializer_list<std::string_view> names) {
  ZipWriter writer;
  for (const std::string_view name : names) CHECK(writer.Add(name, "", "{}", false).ok());
  std::string bytes;
  const Result<SlimVector<std::string_view>> pieces = writer.Pieces();
  REQUIRE(pieces.ok());
  for (const std::string_view piece : *pieces) bytes += piece;
  return bytes;
}
std::string TableWith(std::string_view start) {
  return std::string(start) + std::string(64, '\0') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
}
}  // namespace

TEST_CASE("graphs, binary and as text") {
  CHECK(KindOf(SerializeGraphDef(SmallGraph())) == FileKind::kGraph);
  GraphDef only_versions;
  only_versions.versions.producer = 21;
  CHECK(KindOf(SerializeGraphDef(only_versions)) == FileKind::kGraph);
  CHECK(*RecognizeFile(kData + "/models/mlp_digits/graph.pb") == FileKind::kGraph);
  for (const char* const text :
       {"node {\n  name: \"x\"\n}\n", "# a comment\n\n  library { }", "versions < producer: 1 >", "node: [{}]"})
    CHECK(KindOf(text) == FileKind::kGraphText);
  CHECK(KindOf("{\n  \"node\": []}") == FileKind::kGraphJson);
  CHECK(KindOf(" {\"versions\": {}}") == FileKind::kGraphJson);
}
TEST_CASE("files that are not graphs: what each is, and what to do") {
  struct Case {
    std::string bytes;
    FileKind kind;
    std::string_view sentence;
  };
  SavedModelDef saved_model;
  saved_model.saved_model_schema_version = 1;
  saved_model.meta_graphs.push_back(SmallMetaGraph());
  std::string header(12, '\0');
  detail::WriteRecordHeader(3, header.data());
  const Case cases[] = {
      {"", FileKind::kEmpty, "is an empty file; write or download it again"},
      {SerializeMetaGraphDef(SmallMetaGraph()), FileKind::kMetaGraph,
       "is a MetaGraphDef (.meta); read it with ParseMetaGraphDef, and its variables from the checkpoint beside it"},
      {"meta_info_def {\n}\n", FileKind::kMetaGraphText,
       "is a MetaGraphDef as text; read it with ParseTextMetaGraphDef, and its variables from the checkpoint beside it"},
      {ToJson(SmallMetaGraph()), FileKind::kMetaGraphJson,
       "is a MetaGraphDef as JSON; read it with ParseJson, and its variables from the checkpoint beside it"},
      {"{\"graph_def\": {}}", FileKind::kMetaGraphJson,
       "is a MetaGraphDef as JSON; read it with ParseJson, and its variables from the checkpoint beside it"},
      {SerializeSavedModelDef(saved_model), FileKind::kSavedModel,
       "is the graph file of a SavedModel; load the folder around it with SavedModel::Load"},
      {"saved_model_schema_version: 1\n", FileKind::kSavedModelText,
       "is the graph file of a SavedModel as text; load the folder around it with SavedModel::Load"},
      {ToJson(saved_model), FileKind::kSavedModelJson,
       "is the graph file of a SavedModel as JSON; make a saved_model.pb of it with `tenon convert`"},
      {"{\"meta_graphs\": []}", FileKind::kSavedModelJson,
       "is the graph file of a SavedModel as JSON; make a saved_model.pb of it with `tenon convert`"},
      {"model_checkpoint_path: \"model-1\"\n", FileKind::kCheckpointState,
       "is the list of a folder's checkpoints; open the one that it names, with CheckpointReader::Open"},
      {TableWith("\0\0\x04\x08\x01"sv), FileKind::kCheckpointIndex,
       "is the index of a checkpoint; open the name without .index with CheckpointReader::Open"},
      {TableWith("\0\0\x04\x0a\x01"sv), FileKind::kCheckpointV1,
       "is a checkpoint in TensorFlow's first format; open it with CheckpointReader::Open"},
      {header + "abc1234", FileKind::kRecords, "is a TFRecord file; read it with RecordReader"},
      {Zip({"metadata.json", "config.json", "model.weights.h5"}), FileKind::kKeras,
       "is a Keras model (.keras); write it as a SavedModel with model.export(folder) in Python"},
      {"\x89HDF\r\n\x1a\n\0\0"s, FileKind::kHdf5,
       "is an HDF5 file, as Keras writes .h5; load it in Keras and write a SavedModel with model.export(folder)"},
      {std::string(512, '\0') + "\x89HDF\r\n\x1a\n", FileKind::kHdf5,
       "is an HDF5 file, as Keras writes .h5; load it in Keras and write a SavedModel with model.export(folder)"},
      {"\x08\x08\x12\x07pytorch\x3a\x02\x12\x00\x42\x02\x10\x11"s, FileKind::kOnnx,
       "is an ONNX model, not a TensorFlow graph; export the model from TensorFlow again"},
      {"\x08\xff\xff\xff\x7f\x42\x02\x10\x01", FileKind::kUnknown,  // a fingerprint.pb
       "has content that Tenon does not recognize; check where the file comes from"},
      {"\x08\x04\x12\x05\x0a\x03\x0a\x01x\xa2\x1f\x02\x0a\x00"s, FileKind::kCoreMl,
       "is a Core ML model, which cannot be turned back into a graph; use the model it was made from"},
      {SerializeSavedModelDef(saved_model).substr(0, 40), FileKind::kSavedModel,  // cut
       "is the graph file of a SavedModel; load the folder around it with SavedModel::Load"},
      {"\x1c\0\0\0TFL3\0\0"s, FileKind::kTflite,
       "is a TensorFlow Lite model, which cannot be turned back into a graph; use the model it was made from"},
      {"{\"format\": \"graph-model\", \"modelTopology\": {}}", FileKind::kTfjs,
       "is a TensorFlow.js model; convert it with tensorflowjs_converter, or use the model it was made from"},
      {Zip({"archive/data.pkl", "archive/version"}), FileKind::kPyTorch,
       "is a PyTorch file, not a TensorFlow graph; export the model from TensorFlow"},
      {"\x80\x02\x8a\nl\xfc\x9c torch._utils\n.", FileKind::kPyTorch,
       "is a PyTorch file, not a TensorFlow graph; export the model from TensorFlow"},
      {"\x80\x04\x95\x0b\0\0\0}\x94\x8c\x01"
       "a\x94K\x01s."s,
       FileKind::kPickle, "is a pickled object of Python, not a TensorFlow graph; export the model from TensorFlow"},
      {"\x10\0\0\0\0\0\0\0{\"__metadata__\":{}}"s, FileKind::kSafetensors,
       "is a file of weights (safetensors) without a graph; use the model that the weights belong to"},
      {"\x10\0\0\0\0\0\0\0{\n  \"w\": {}}      "s, FileKind::kSafetensors,
       "is a file of weights (safetensors) without a graph; use the model that the weights belong to"},
      {"\x93NUMPY\x01\0"s, FileKind::kNpy, "is a NumPy array; read it with ReadNpy"},
      {Zip({"a.npy", "b/c.npy"}), FileKind::kNpz, "is a file of NumPy arrays; read it with ReadNpz"},
      {"\xff\xd8\xff\xe0\0\x10JFIF"s, FileKind::kImage, "is a picture; decode it with an op such as DecodeImage"},
      {"\x89PNG\r\n\x1a\n\0\0"s, FileKind::kImage, "is a picture; decode it with an op such as DecodeImage"},
      {Zip({"graph.pb"}), FileKind::kZip, "is a zip file; unpack it first"},
      {Zip({}), FileKind::kZip, "is a zip file; unpack it first"},
      {Zip({"metadata.json", "config.json"}).substr(0, 60), FileKind::kCutZip,
       "is a zip file without its end, perhaps a .keras or .npz file that was cut; write or download it again"},
      {std::string(257, 'a') + "ustar\00000" + std::string(250, '\0'), FileKind::kArchive,
       "is an archive (tar, bzip2, xz, zstd, 7z or rar); unpack it first"},
      {"BZh91AY&SY", FileKind::kArchive, "is an archive (tar, bzip2, xz, zstd, 7z or rar); unpack it first"},
      {"\xfd"
       "7zXZ\0\0\x04"s,
       FileKind::kArchive, "is an archive (tar, bzip2, xz, zstd, 7z or rar); unpack it first"},
      {"\x28\xb5\x2f\xfd\x04", FileKind::kArchive, "is an archive (tar, bzip2, xz, zstd, 7z or rar); unpack it first"},
      {"\x1f\x8b\x08\0\0"s, FileKind::kGzip, "is compressed with gzip; unpack it first, with gunzip or tar -xzf"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", FileKind::kGitLfsPointer,
       "is a pointer of Git LFS, not the file itself; fetch the file with `git lfs pull`"},
      {"\n<!DOCTYPE html>\n<html></html>", FileKind::kHtml,
       "is a web page, perhaps the error page of a download; download the file again"},
      {"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>", FileKind::kHtml,
       "is a web page, perhaps the error page of a download; download the file again"},
      {"<?xml version=\"1.0\"?>\n<net></net>", FileKind::kText,
       "is a text, and not a graph; check where the file comes from"},
      {"\xff\xfen\0o\0d\0e\0 \0{\0}\0"s, FileKind::kUtf16, "is a text in UTF-16; write it in UTF-8"},
      {"{\"class_name\": \"Sequential\"}", FileKind::kJson,
       "is JSON, and not a graph; check where the file comes from"},
      {"Dear reader,\n", FileKind::kText, "is a text, and not a graph; check where the file comes from"},
      {"\xf8\x07\x01", FileKind::kUnknown,
       "has content that Tenon does not recognize; check where the file comes from"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.sentence);
    CHECK(static_cast<int>(KindOf(c.bytes)) == static_cast<int>(c.kind));
    CHECK(Advice(c.bytes) == c.sentence);
  }
}
TEST_CASE("a byte order mark in front of a text is named by the text's reader") {
  CHECK(KindOf("\xef\xbb\xbfnode { }") == FileKind::kGraphText);
  CHECK(KindOf("\xef\xbb\xbf {\"node\": []}") == FileKind::kGraphJson);
  CHECK(Advice("\xef\xbb\xbfnode { }")
            .ends_with(":1:1: a byte order mark is in front of the text; write the text without it"));
  CHECK(Advice("\xef\xbb\xbf{\"node\": []}")
            .ends_with("1:1: unexpected byte order mark in front of the text; write the text without it"));
}
TEST_CASE("graphs as text, in a program without their readers") {
  const Without no_text(&detail::extensions.read_graph_text);
  const Without no_json(&detail::extensions.read_graph_json);
  CHECK(Advice("node {\n  name: \"x\"\n}\n") ==
        "is a GraphDef as text; include <tenon/io/text_graph.hpp> and load it with Session::FromGraphFile");
  CHECK(Advice("{\"node\": []}") ==
        "is a GraphDef as JSON; include <tenon/io/json_graph.hpp> and load it with Session::FromGraphFile");
}
TEST_CASE("a graph with a mistake has its own error alone") {
  const std::string bytes = SerializeGraphDef(SmallGraph());
  CHECK(Advice(bytes.substr(0, bytes.size() - 1)).starts_with("none: Can't parse '"));
}
TEST_CASE("folders and prefixes") {
  const TempFolder folder;
  const auto kind = [](const std::string& path) { return static_cast<int>(*RecognizeFile(path)); };
  CHECK(kind(folder.path()) == static_cast<int>(FileKind::kFolder));
  REQUIRE(WriteFile(folder.path() + "/checkpoint", "model_checkpoint_path: \"m\"\n").ok());
  CHECK(kind(folder.path()) == static_cast<int>(FileKind::kCheckpointFolder));
  REQUIRE(WriteFile(folder.path() + "/m.index", TableWith("\0\0\x04\x08\x01"sv)).ok());
  CHECK(kind(folder.path() + "/m") == static_cast<int>(FileKind::kCheckpointPrefix));
  CHECK(kind(folder.path() + "/m.index") == static_cast<int>(FileKind::kCheckpointIndex));
  REQUIRE(WriteFile(folder.path() + "/m.data-00000-of-00001", "any bytes").ok());
  CHECK(kind(folder.path() + "/m.data-00000-of-00001") == static_cast<int>(FileKind::kCheckpointData));
  REQUIRE(WriteFile(folder.path() + "/saved_model.pbtxt", "").ok());
  CHECK(kind(folder.path()) == static_cast<int>(FileKind::kSavedModelFolder));
  CHECK(RecognizeFile(folder.path() + "/none").status().code() == Code::kNotFound);
  const Status s = ReadGraphFile(folder.path()).status();
  CHECK(s.message().ends_with("is the folder of a SavedModel; load it with SavedModel::Load"));
  CHECK(
      ReadGraphFile(folder.path() + "/m")
          .status()
          .message()
          .ends_with(
              "is the prefix of a checkpoint, which has variables and no graph; open it with CheckpointReader::Open"));
}
TEST_CASE("a folder without a SavedModel says where one is") {
  const TempFolder folder;
  const auto says = [](const std::string& path) { return DescribePath(path, *RecognizeFile(path)); };
  const std::string none =
      "is a folder without saved_model.pb or checkpoint in it; name a file, or the folder of a SavedModel";
  CHECK(says(folder.path()) == none);
  for (const char* const version : {"1", "9", "10"}) {
    const std::string path = folder.path() + "/models[1]/" + version + "/saved_model.pb";
    REQUIRE(MakeFoldersOf(path).ok());
    REQUIRE(WriteFile(path, "").ok());
  }
  const std::string models = folder.path() + "/models[1]";
  const std::string there = "is a folder without saved_model.pb; the folder of a SavedModel is '" + models + "/10'";
  CHECK(says(models) == there);
  CHECK(says(models + "//") == there);
  REQUIRE(MakeFoldersOf(models + "/9/variables/x").ok());
  CHECK(says(models + "/9/variables").ends_with("the folder of a SavedModel is '" + models + "/9'"));
  CHECK(says(folder.path()) == none);
  REQUIRE(MakeFoldersOf(folder.path() + "/m.mlpackage/Data/com.apple.CoreML/x").ok());
  CHECK(*RecognizeFile(folder.path() + "/m.mlpackage") == FileKind::kCoreMl);
}
TEST_CASE("ReadSavedModelFile says what the file or folder is") {
  const auto advice = [](const std::string& path) {
    const Status s = ReadSavedModelFile(path).status();
    CHECK(s.code() == Code::kNotFound);
    const std::string end = StrCat(" for accessing it; '", path, "' ");
    const std::size_t at = s.message().find(end);
    return at == std::string_view::npos ? StrCat("none: ", s.message())
                                        : std::string(s.message().substr(at + end.size()));
  };
  const auto of_file = [&advice](std::string_view bytes) { return advice(TempFile("model", bytes).path()); };
  CHECK(of_file(Zip({"metadata.json", "config.json"})) == Describe(FileKind::kKeras));
  CHECK(of_file(SerializeGraphDef(SmallGraph())) == Describe(FileKind::kGraph));
  CHECK(of_file("node { }").starts_with("is a GraphDef as text"));
  const TempFolder folder;
  CHECK(advice(folder.path()) == Describe(FileKind::kFolder));
  REQUIRE(WriteFile(folder.path() + "/checkpoint", "").ok());
  CHECK(advice(folder.path()) == Describe(FileKind::kCheckpointFolder));
  CHECK(ReadSavedModelFile(folder.path() + "/none").status().message().ends_with("; there is no such folder"));
}
TEST_CASE("checkpoints that TensorFlow wrote") {
  const std::string folder = kData + "/files/checkpoints/";
  for (const char* const name : {"dtypes/model", "single/model", "sharded/model", "many_blocks/model",
                                 "object_based/ckpt-2", "partitioned/model", "tf1_adam/model-1"}) {
    CAPTURE(name);
    CHECK(*RecognizeFile(folder + name) == FileKind::kCheckpointPrefix);
    CHECK(*RecognizeFile(folder + name + ".index") == FileKind::kCheckpointIndex);
  }
  CHECK(*RecognizeFile(folder + "v1_saver/model-7") == FileKind::kCheckpointV1);
  CHECK(*RecognizeFile(folder + "v1_partitioned/model") == FileKind::kCheckpointV1);
  CHECK(*RecognizeFile(folder + "tf1_adam/model-1.data-00000-of-00001") == FileKind::kCheckpointData);
  CHECK(*RecognizeFile(folder + "tf1_adam/model-1.meta") == FileKind::kMetaGraph);
  CHECK(*RecognizeFile(folder + "tf1_adam/checkpoint") == FileKind::kCheckpointState);
  CHECK(*RecognizeFile(folder + "v1_saver") == FileKind::kCheckpointFolder);
}
TEST_CASE("files that Tenon wrote") {
  const TempFile npy("x"), npz("y"), records("z");
  const Tensor tensor(DataType::kFloat, {2});
  REQUIRE(WriteNpy(npy.path(), tensor).ok());
  CHECK(*RecognizeFile(npy.path()) == FileKind::kNpy);
  const NamedArray arrays[] = {{"a", tensor}};
  REQUIRE(WriteNpz(npz.path(), arrays).ok());
  CHECK(*RecognizeFile(npz.path()) == FileKind::kNpz);
  Result<RecordWriter> writer = RecordWriter::Open(records.path());
  REQUIRE(writer.ok());
  REQUIRE(writer->Write("record").ok());
  REQUIRE(writer->Close().ok());
  CHECK(*RecognizeFile(records.path()) == FileKind::kRecords);
}
TEST_CASE("no first bytes of any length confuse it") {
  const std::string graph = SerializeGraphDef(SmallGraph()), meta_graph = SerializeMetaGraphDef(SmallMetaGraph());
  for (const std::string& bytes : {graph, meta_graph, Zip({"a.npy"}), TableWith("\0\0\x04\x08\x01"sv)})
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      const TempFile temp("cut", std::string_view(bytes).substr(0, size));
      CHECK(RecognizeFile(temp.path()).ok());
    }
}
}  // namespace recognize_test
