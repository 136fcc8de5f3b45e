// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model: a file that can be run, whatever its kind: its graph, its signatures and the session that runs them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/io/file_kind.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>

#include "command.hpp"

namespace command {

using tenon::FileKind;

// "a binary GraphDef", ...
std::string_view Name(FileKind kind);
// Tells the kind of a file or folder by its content. NotFound: there is no such file. InvalidArgument: a stream.
Result<FileKind> KindOf(const std::string& path);
bool IsCheckpoint(FileKind kind);
bool IsSavedModel(FileKind kind);
bool IsMetaGraph(FileKind kind);
bool IsArrays(FileKind kind);  // .npy or .npz
// Returns the size of a file, or of all files of a folder.
std::uint64_t SizeOfFile(const std::string& path);
// Returns the prefix of a checkpoint that a path names: the prefix itself, its index file, or its folder.
Result<std::string> CheckpointPrefix(const std::string& path);

// An input or output of a signature.
struct End {
  std::string key;  // as callers name it
  std::string tensor;  // "pixels:0"
  tenon::DataType dtype = tenon::DataType::kInvalid;
  tenon::PartialTensorShape shape;
  bool optional = false;  // a run may leave it out
  std::optional<tenon::Tensor> fallback = {};  // the value that is fed then; none: the graph has one
};

struct Signature {
  std::string name;
  std::string method;  // "tensorflow/serving/predict", or ""
  std::vector<End> inputs, outputs;
};

struct OpenOptions {
  std::vector<std::string> tags = {};  // choose a graph of a SavedModel
  bool has_tags = false;  // false: "serve", or the only graph; true and no tags: the graph without tags
  bool describe = false;  // keeps what `info` shows of a SavedModel beside its graph
};

// The tags of --tags: "serve,gpu".
OpenOptions OpenOptionsOf(const Args& args);
// Returns the folder of a SavedModel whose folder or file a path names. InvalidArgument: a file with the message of a
// SavedModel that is not in its folder.
Result<std::string> SavedModelFolder(const std::string& path);
// Reads the message of a SavedModel of this kind.
Result<tenon::SavedModelDef> ReadSavedModel(const std::string& path, FileKind kind);

class Model {
 public:
  // Reads a model. Variables of a SavedModel are read by MakeSession. InvalidArgument: a file of another kind.
  static Result<Model> Open(const std::string& path, const OpenOptions& options = {});

  const std::string& path() const { return path_; }
  FileKind kind() const { return kind_; }
  const tenon::GraphDef& graph() const { return graph_; }
  tenon::GraphDef&& TakeGraph() { return std::move(graph_); }
  const std::vector<Signature>& signatures() const { return signatures_; }
  // Tags of the graph, and of all graphs of the file, of a SavedModel: "serve".
  const std::vector<std::string>& tags() const { return options_.tags; }
  const std::vector<std::string>& all_tags() const { return all_tags_; }
  // With OpenOptions::describe: names of asset files, and attribute paths of the functions of its objects.
  // Paths with a name that begins with '_' are left out.
  const std::vector<std::string>& assets() const { return assets_; }
  const std::vector<std::string>& object_functions() const { return object_functions_; }
  // Makes the graph of one signature, which has no variables and becomes the default signature: of a SavedModel, or of
  // a MetaGraph with its checkpoint and the outputs `fetch` (none: all). Tables are initialised by the node *init_op,
  // unless that is empty. NotFound: a MetaGraph without checkpoint.
  Status Freeze(const std::string& signature, const std::vector<std::string>& fetch, std::string* init_op);
  // Writes a MetaGraph with the variables of its checkpoint as a SavedModel of one signature. NotFound: no checkpoint.
  Status Save(const std::string& folder, const Signature& signature, const std::vector<End>& outputs) const;
  // Fills in shapes of outputs that the graph itself does not have.
  void CompleteShapes(const tenon::Graph& graph);
  // Returns the signature of that name, or the default one for "". NotFound: there is no such signature.
  Result<const Signature*> Find(std::string_view name) const;
  // Makes a session with the model's variables restored: of a SavedModel, and of a MetaGraph from the checkpoint beside
  // it, PREFIX.meta and PREFIX.index.
  Result<tenon::Session> MakeSession(tenon::SessionOptions options) const;

 private:
  void SetMetaGraph(tenon::MetaGraphDef&& meta_graph);
  // PREFIX of PREFIX.meta where there is a checkpoint; otherwise "".
  std::string CheckpointPrefixOfMeta() const;
  // Restores the variables of a MetaGraph, where there is a checkpoint.
  Status Restore(const tenon::Session& session) const;

  std::string path_;
  FileKind kind_ = FileKind::kUnknown;
  OpenOptions options_;
  tenon::GraphDef graph_;
  tenon::SaverDef saver_;
  std::vector<Signature> signatures_;
  std::vector<std::string> all_tags_, assets_, object_functions_;
};

// The level of --optimize, which must be there.
tenon::OptimizerLevel OptimizerLevelOf(const Args& args);
// Describes inputs or outputs for a signature of a SavedModel, sorted by key.
tenon::SignatureDef::TensorMap TensorMapOf(const std::vector<End>& ends);
// Chooses the outputs: those named, by key or tensor, or all of the signature.
Result<std::vector<End>> ChooseOutputs(const Model& model, const Signature& signature,
                                       const std::vector<std::string>& names);
// Finds the input of that key or tensor. InvalidArgument: the signature has none; the message lists its inputs.
Result<const End*> FindInput(const Signature& signature, std::string_view name);

// Types of a node's outputs, as far as its op is known.
std::vector<tenon::DataType> OutputTypesOf(const tenon::NodeDef& node);
// "float, int32"
std::string TypesText(tenon::DataTypeSet types);
// "[?,784]", "<unknown>"
std::string ShapeText(const tenon::PartialTensorShape& shape);

}  // namespace command
