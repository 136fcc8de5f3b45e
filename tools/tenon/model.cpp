// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/graph_def/attr_slice.hpp>
#include <tenon/op/op_def/node_check.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/io/json_graph.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/recognize.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/io/text_graph.hpp>
#include <tenon/runtime/saved_model/freeze.hpp>
#include <tenon/runtime/saved_model/object_paths.hpp>
#include <tenon/saved_model.hpp>

namespace command {

namespace fs = std::filesystem;
using tenon::DataType;
using tenon::GraphDef;
using tenon::NodeDef;

std::string_view Name(FileKind kind) {
  switch (kind) {
    case FileKind::kGraph: return "a binary GraphDef";
    case FileKind::kGraphText: return "a text GraphDef";
    case FileKind::kGraphJson: return "a JSON GraphDef";
    case FileKind::kMetaGraph:
    case FileKind::kMetaGraphText:
    case FileKind::kMetaGraphJson: return "a MetaGraphDef";
    case FileKind::kSavedModelFolder:
    case FileKind::kSavedModel:
    case FileKind::kSavedModelText:
    case FileKind::kSavedModelJson: return "a SavedModel";
    case FileKind::kNpy: return "an .npy file";
    case FileKind::kNpz: return "an .npz file";
    case FileKind::kImage: return "an image";
    case FileKind::kRecords: return "a TFRecord file";
    default: return IsCheckpoint(kind) ? "a checkpoint" : "a file of another kind";
  }
}
Result<FileKind> KindOf(const std::string& path) {
  std::error_code error;
  if (path == "-" || fs::is_fifo(path, error))
    return tenon::errors::InvalidArgument(
        "'", path, "' is a stream, and models are read more than once; write it to a ", "file and name that");
  return tenon::RecognizeFile(path);
}
bool IsCheckpoint(FileKind kind) { return kind >= FileKind::kCheckpointFolder && kind <= FileKind::kCheckpointData; }
bool IsSavedModel(FileKind kind) { return kind >= FileKind::kSavedModelFolder && kind <= FileKind::kSavedModelJson; }
bool IsMetaGraph(FileKind kind) { return kind >= FileKind::kMetaGraph && kind <= FileKind::kMetaGraphJson; }
bool IsArrays(FileKind kind) { return kind == FileKind::kNpy || kind == FileKind::kNpz; }

namespace {
std::string_view AsText(tenon::Span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
}  // namespace

std::uint64_t SizeOfFile(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uint64_t total = 0;
  for (fs::recursive_directory_iterator i(path, error), end; !error && i != end; i.increment(error))
    if (i->is_regular_file(error)) total += i->file_size(error);
  return total;
}

Result<std::string> CheckpointPrefix(const std::string& path) {
  std::error_code error;
  if (path.ends_with(".index")) return path.substr(0, path.size() - 6);
  if (fs::exists(path + ".index", error)) return path;
  TENON_ASSIGN_OR_RETURN(const FileKind kind, KindOf(path));
  if (kind == FileKind::kCheckpointV1) return path;
  if (kind == FileKind::kCheckpointData) return path.substr(0, path.rfind(".data-"));
  const fs::path folder = kind == FileKind::kCheckpointState ? fs::path(path).parent_path() : fs::path(path);
  const fs::path state = folder / "checkpoint";
  if (fs::is_regular_file(state, error)) {
    TENON_ASSIGN_OR_RETURN(const tenon::MappedFile file, tenon::MappedFile::Open(state.string()));
    const std::string_view text = AsText(file.bytes());
    constexpr std::string_view kKey = "model_checkpoint_path: \"";
    const std::size_t at = text.find(kKey);
    const std::size_t end = at == text.npos ? at : text.find('"', at + kKey.size());
    if (end != text.npos) {
      const fs::path name(std::string(text.substr(at + kKey.size(), end - at - kKey.size())));
      return (name.is_absolute() ? name : folder / name).string();
    }
  }
  return tenon::errors::InvalidArgument("'", path, "' is not a checkpoint; a prefix with PREFIX.index is wanted");
}

std::string TypesText(tenon::DataTypeSet types) {
  std::string text;
  for (const tenon::DataType type : types) tenon::StrAppend(&text, text.empty() ? "" : ", ", type);
  return text;
}
std::string ShapeText(const tenon::PartialTensorShape& shape) { return shape.DebugString(); }

std::vector<DataType> OutputTypesOf(const NodeDef& node) {
  const tenon::OpView* const op = tenon::Registry::Global().FindOp(node.op);
  if (op == nullptr) return {DataType::kInvalid};
  const tenon::OpDef def = tenon::ToOpDef(*op);
  NodeDef with_defaults = node;
  tenon::AddDefaultsToNodeDef(def, &with_defaults);
  tenon::SlimVector<DataType> types;
  if (!tenon::OutputTypesForNode(with_defaults, def, &types).ok()) return {DataType::kInvalid};
  return {types.begin(), types.end()};
}

namespace {

bool IsInput(const NodeDef& node) {
  return node.op == "Placeholder" || node.op == "PlaceholderV2" || node.op == "PlaceholderWithDefault";
}

// The signature of a plain graph: its placeholders, and the nodes that no other node reads.
Signature SignatureOfGraph(const GraphDef& graph) {
  Signature signature;
  signature.name = "default";
  tenon::detail::NameIndex index;
  const auto name_of = [&graph](int i) -> std::string_view { return graph.node[static_cast<std::size_t>(i)].name; };
  index.Reserve(graph.node.size());
  for (std::size_t i = 0; i < graph.node.size(); ++i) index.Insert(graph.node[i].name, static_cast<int>(i), name_of);
  std::vector<char> is_read(graph.node.size(), 0);
  for (const NodeDef& node : graph.node) {
    for (const std::string& input : node.input) {
      const int from = index.Find(tenon::ParseTensorName(input).node, name_of);
      if (from >= 0) is_read[static_cast<std::size_t>(from)] = 1;
    }
  }
  for (const NodeDef& node : graph.node) {
    if (IsInput(node)) {
      End end;
      end.key = node.name;
      end.tensor = node.name + ":0";
      end.optional = node.op == "PlaceholderWithDefault";
      (void)tenon::TryGetNodeAttr(node, "dtype", &end.dtype);
      (void)tenon::TryGetNodeAttr(node, "shape", &end.shape);
      // Graphs of old writers mean an unknown shape by an empty one.
      if (node.op == "Placeholder" && graph.versions.producer < 24 && end.shape.dims() == 0) end.shape = {};
      signature.inputs.push_back(std::move(end));
      continue;
    }
    if (is_read[static_cast<std::size_t>(&node - graph.node.data())] != 0 || node.op == "Const") continue;
    const std::vector<DataType> types = OutputTypesOf(node);
    // Fused nodes of the optimizer have further outputs that are theirs only.
    const std::size_t count = node.op.starts_with("_Fused") ? 1 : types.size();
    for (std::size_t i = 0; i < std::min(count, types.size()); ++i) {
      End end;
      end.key = i == 0 ? node.name : StrCat(node.name, ":", i);
      end.tensor = StrCat(node.name, ":", i);
      end.dtype = types[i];
      signature.outputs.push_back(std::move(end));
    }
  }
  return signature;
}

}  // namespace

namespace {
template <class T>
Result<T> ReadJson(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile file, tenon::MappedFile::Open(path));
  T message;
  const Status s = tenon::ParseJson(AsText(file.bytes()), &message);
  if (!s.ok()) return Status(s.code(), StrCat(path, ":", s.message()));
  return message;
}
}  // namespace

Result<tenon::SavedModelDef> ReadSavedModel(const std::string& path, FileKind kind) {
  if (kind == FileKind::kSavedModel) return tenon::detail::ReadBinarySavedModel(path);
  if (kind == FileKind::kSavedModelText) return tenon::detail::ReadTextSavedModel(path);
  if (kind == FileKind::kSavedModelJson) return ReadJson<tenon::SavedModelDef>(path);
  return tenon::ReadSavedModelFile(path);
}

OpenOptions OpenOptionsOf(const Args& args) {
  OpenOptions options;
  const std::string tags = args.Get("--tags");
  options.has_tags = args.Has("--tags");
  for (std::string_view rest = tags; !rest.empty();) {
    const std::string_view tag = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), tag.size() + 1));
    options.tags.emplace_back(tag);
  }
  return options;
}

Result<std::string> SavedModelFolder(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return path;
  std::string folder = fs::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  if (fs::exists(folder + "/saved_model.pb", error) || fs::exists(folder + "/saved_model.pbtxt", error)) return folder;
  return tenon::errors::InvalidArgument("'", path, "' is the message of a SavedModel, without its variables; name the ",
                                        "folder of the model, or freeze it: tenon convert --freeze FOLDER graph.pb");
}

namespace {

Signature SignatureOfDef(const std::string& name, const tenon::SignatureDef& def, const GraphDef& graph) {
  const auto described =
      tenon::Ref<tenon::detail::SignatureImpl>::Adopt(new tenon::detail::SignatureImpl(tenon::Session()));
  tenon::detail::DescribeSignature(def, graph, described.get());
  Signature signature;
  signature.name = name;
  signature.method = described->method_name;
  for (std::size_t i = 0; i < described->inputs.size(); ++i) {
    const tenon::SignatureTensor& input = described->inputs[i];
    signature.inputs.push_back(
        {input.key, input.tensor, input.dtype, input.shape, input.has_default, described->defaults[i]});
  }
  for (const tenon::SignatureTensor& output : described->outputs)
    if (!output.tensor.empty()) signature.outputs.push_back({output.key, output.tensor, output.dtype, output.shape});
  return signature;
}

}  // namespace

Result<Model> Model::Open(const std::string& path, const OpenOptions& options) {
  Model model;
  model.path_ = path;
  model.options_ = options;
  TENON_ASSIGN_OR_RETURN(model.kind_, KindOf(path));
  switch (model.kind_) {
    case FileKind::kGraph:
    case FileKind::kGraphText:
    case FileKind::kGraphJson: {
      TENON_ASSIGN_OR_RETURN(model.graph_, tenon::ReadGraphFile(path));
      model.signatures_.push_back(SignatureOfGraph(model.graph_));
      return model;
    }
    case FileKind::kMetaGraph:
    case FileKind::kMetaGraphText:
    case FileKind::kMetaGraphJson: {
      if (model.kind_ == FileKind::kMetaGraphJson) {
        TENON_ASSIGN_OR_RETURN(tenon::MetaGraphDef meta_graph, ReadJson<tenon::MetaGraphDef>(path));
        model.SetMetaGraph(std::move(meta_graph));
        return model;
      }
      TENON_ASSIGN_OR_RETURN(const tenon::MappedFile file, tenon::MappedFile::Open(path));
      Result<tenon::MetaGraphDef> meta_graph = model.kind_ == FileKind::kMetaGraph
                                                   ? tenon::ParseMetaGraphDef(file.bytes(), file.buffer())
                                                   : tenon::ParseTextMetaGraphDef(AsText(file.bytes()));
      if (!meta_graph.ok())
        return Status(meta_graph.status().code(), StrCat("'", path, "': ", meta_graph.status().message()));
      model.SetMetaGraph(*std::move(meta_graph));
      return model;
    }
    case FileKind::kSavedModelFolder:
    case FileKind::kSavedModel:
    case FileKind::kSavedModelText:
    case FileKind::kSavedModelJson: {
      TENON_ASSIGN_OR_RETURN(tenon::SavedModelDef file, ReadSavedModel(path, model.kind_));
      for (const tenon::MetaGraphDef& graph : file.meta_graphs)
        model.all_tags_.push_back(tenon::StrJoin(graph.meta_info_def.tags, ","));
      auto& tags = model.options_.tags;
      if (!model.options_.has_tags && file.meta_graphs.size() == 1)
        tags.assign(file.meta_graphs[0].meta_info_def.tags.begin(), file.meta_graphs[0].meta_info_def.tags.end());
      else if (!model.options_.has_tags)
        tags = {"serve"};
      TENON_ASSIGN_OR_RETURN(tenon::MetaGraphDef meta_graph, tenon::TakeMetaGraph(std::move(file), tags, path));
      model.SetMetaGraph(std::move(meta_graph));
      return model;
    }
    default: return tenon::errors::InvalidArgument("'", path, "' ", tenon::DescribePath(path, model.kind_));
  }
}

void Model::SetMetaGraph(tenon::MetaGraphDef&& meta_graph) {
  if (options_.describe) {
    for (const tenon::AssetFileDef& asset : meta_graph.asset_file_def) assets_.push_back(asset.filename);
    if (const auto objects = tenon::detail::ObjectPaths::Make(meta_graph); objects.ok())
      for (const auto& function : objects->functions())
        if (!function.path.starts_with("signatures.") && StrCat(".", function.path).find("._") == std::string::npos)
          object_functions_.push_back(function.path);
  }
  for (const auto& [name, def] : meta_graph.signature_def)
    if (name != tenon::detail::kInitOpSignature) signatures_.push_back(SignatureOfDef(name, def, meta_graph.graph_def));
  if (signatures_.empty()) signatures_.push_back(SignatureOfGraph(meta_graph.graph_def));
  saver_ = std::move(meta_graph.saver_def);
  graph_ = std::move(meta_graph.graph_def);
}

tenon::SignatureDef::TensorMap TensorMapOf(const std::vector<End>& ends) {
  tenon::SignatureDef::TensorMap map;
  for (const End& end : ends) {
    tenon::TensorInfo info;
    info.name = end.tensor;
    info.dtype = end.dtype;
    info.tensor_shape = end.shape;
    map.emplace_back(end.key, std::move(info));
  }
  std::sort(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return map;
}

std::string Model::CheckpointPrefixOfMeta() const {
  if (saver_.restore_op_name.empty()) return "";
  std::string prefix = path_;
  if (prefix.ends_with(".meta")) prefix.resize(prefix.size() - 5);
  std::error_code error;
  return fs::exists(prefix + ".index", error) || (prefix != path_ && fs::exists(prefix, error)) ? prefix : "";
}

Status Model::Restore(const tenon::Session& session) const {
  const std::string prefix = CheckpointPrefixOfMeta();
  if (prefix.empty()) return tenon::OkStatus();
  return session
      .Run({{saver_.filename_tensor_name, tenon::Tensor::Scalar(std::string_view(prefix))}}, {},
           {saver_.restore_op_name})
      .status();
}

namespace {
std::vector<End> EndsOf(const std::vector<tenon::SignatureTensor>& tensors) {
  std::vector<End> ends;
  for (const tenon::SignatureTensor& tensor : tensors)
    if (!tensor.tensor.empty())
      ends.push_back({tensor.key, tensor.tensor, tensor.dtype, tensor.shape, tensor.has_default});
  return ends;
}
}  // namespace

Status Model::Save(const std::string& folder, const Signature& signature, const std::vector<End>& outputs) const {
  if (CheckpointPrefixOfMeta().empty())
    return tenon::errors::NotFound("'", path_, "' has no checkpoint with the values of its variables beside it; ",
                                   "PREFIX.index beside PREFIX.meta is wanted");
  TENON_ASSIGN_OR_RETURN(const tenon::Session session, MakeSession({}));
  // Inputs that the outputs do not need, such as those of the saver, are left out.
  std::unordered_map<std::string_view, const NodeDef*> nodes;
  for (const NodeDef& node : graph_.node) nodes.emplace(node.name, &node);
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> pending;
  for (const End& end : outputs) pending.push_back(tenon::ParseTensorName(end.tensor).node);
  while (!pending.empty()) {
    const std::string_view name = pending.back();
    pending.pop_back();
    const auto found = nodes.find(name);
    if (found == nodes.end() || !seen.insert(name).second) continue;
    for (const std::string& input : found->second->input) pending.push_back(tenon::ParseTensorName(input).node);
  }
  std::vector<End> inputs;
  for (const End& end : signature.inputs)
    if (seen.contains(tenon::ParseTensorName(end.tensor).node)) inputs.push_back(end);
  tenon::SignatureDef def;
  def.inputs = TensorMapOf(inputs);
  def.outputs = TensorMapOf(outputs);
  tenon::SavedModelContent content;
  content.signatures.emplace_back("serving_default", std::move(def));
  return tenon::SavedModel::Save(folder, session, content);
}

namespace {
// A folder that ends with the object. Mapped files of it stay readable.
struct TemporaryFolder {
  TemporaryFolder() {
    std::error_code error;
    path = (fs::temp_directory_path(error) / StrCat("tenon_freeze_", tenon::detail::ProcessId())).string();
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path;
};
}  // namespace

Status Model::Freeze(const std::string& signature, const std::vector<std::string>& fetch, std::string* init_op) {
  const TemporaryFolder temporary;
  std::string folder = temporary.path, name = "serving_default";
  tenon::SavedModelOptions options;
  if (IsMetaGraph(kind_)) {
    TENON_ASSIGN_OR_RETURN(const Signature* const chosen, Find(signature));
    TENON_ASSIGN_OR_RETURN(const std::vector<End> outputs, ChooseOutputs(*this, *chosen, fetch));
    TENON_RETURN_IF_ERROR(Save(folder, *chosen, outputs));
  } else {
    TENON_ASSIGN_OR_RETURN(folder, SavedModelFolder(path_));
    name = signature;
    options.tags = options_.tags;
  }
  TENON_ASSIGN_OR_RETURN(const tenon::SavedModel loaded, tenon::SavedModel::Load(folder, std::move(options)));
  TENON_ASSIGN_OR_RETURN(tenon::FrozenGraph frozen, tenon::Freeze(loaded, name));
  *init_op = frozen.init_op;
  graph_ = std::move(frozen.graph);
  signatures_.assign(1, {"default", "", EndsOf(frozen.inputs), EndsOf(frozen.outputs)});
  return tenon::OkStatus();
}

void Model::CompleteShapes(const tenon::Graph& graph) {
  for (Signature& signature : signatures_) {
    for (auto* const ends : {&signature.inputs, &signature.outputs}) {
      for (End& end : *ends) {
        const tenon::TensorName name = tenon::ParseTensorName(end.tensor);
        const tenon::Node* const node = graph.Find(name.node);
        if (node == nullptr || name.output < 0 || name.output >= node->num_outputs()) continue;
        if (end.shape.unknown_rank()) end.shape = node->output_shape(name.output);
        if (end.dtype == DataType::kInvalid) end.dtype = node->output_type(name.output);
      }
    }
  }
}

Result<const Signature*> Model::Find(std::string_view name) const {
  if (name.empty()) {
    for (const Signature& signature : signatures_)
      if (signature.name == "serving_default") return &signature;
    for (const Signature& signature : signatures_)
      if (!signature.name.starts_with("__")) return &signature;
    if (!signatures_.empty()) return &signatures_[0];
    return tenon::errors::NotFound("'", path_, "' has no signatures");
  }
  tenon::SlimVector<std::string_view> names;
  for (const Signature& signature : signatures_) {
    if (signature.name == name) return &signature;
    names.push_back(signature.name);
  }
  return tenon::errors::NotFound("'", path_, "' has no signature '", name, "'",
                                 tenon::detail::SuggestOrList(name, names));
}

Result<tenon::Session> Model::MakeSession(tenon::SessionOptions options) const {
  if (IsSavedModel(kind_)) {
    TENON_ASSIGN_OR_RETURN(const std::string folder, SavedModelFolder(path_));
    TENON_ASSIGN_OR_RETURN(const tenon::SavedModel loaded,
                           tenon::SavedModel::Load(folder, {options_.tags, std::move(options)}));
    return loaded.session();
  }
  // A mapped file keeps the packed copies of its weights out of the limit.
  if (kind_ == FileKind::kGraph) return tenon::Session::FromGraphFile(path_, std::move(options));
  TENON_ASSIGN_OR_RETURN(tenon::Session session, tenon::Session::FromGraphDef(graph_, std::move(options)));
  TENON_RETURN_IF_ERROR(Restore(session));
  return session;
}

tenon::OptimizerLevel OptimizerLevelOf(const Args& args) {
  return args.Get("--optimize") == "fast" ? tenon::OptimizerLevel::kFast : tenon::OptimizerLevel::kExact;
}

Result<std::vector<End>> ChooseOutputs(const Model& model, const Signature& signature,
                                       const std::vector<std::string>& names) {
  std::vector<End> chosen;
  for (const std::string& name : names) {
    const End* known = nullptr;
    for (const End& end : signature.outputs)
      if (end.key == name || end.tensor == name) known = &end;
    if (known != nullptr) {
      chosen.push_back(*known);
      continue;
    }
    // Any tensor of the graph.
    const tenon::TensorName tensor = tenon::ParseTensorName(name);
    const NodeDef* found = nullptr;
    for (const NodeDef& node : model.graph().node)
      if (node.name == tensor.node) found = &node;
    if (found == nullptr) {
      tenon::SlimVector<std::string_view> outputs, all;
      for (const End& end : signature.outputs) outputs.push_back(end.key);
      for (const NodeDef& node : model.graph().node) all.push_back(node.name);
      const std::string hint = tenon::detail::SuggestNames(name, all);
      return tenon::errors::NotFound("'", model.path(), "': neither signature '", signature.name,
                                     "' nor the graph has an output '", name, "'",
                                     hint.empty() ? tenon::detail::SuggestOrList(name, outputs) : hint);
    }
    End end;
    end.key = name;
    end.tensor = StrCat(tensor.node, ":", std::max(tensor.output, 0));
    const std::vector<DataType> types = OutputTypesOf(*found);
    if (tensor.output >= 0 && static_cast<std::size_t>(tensor.output) < types.size())
      end.dtype = types[static_cast<std::size_t>(tensor.output)];
    chosen.push_back(std::move(end));
  }
  if (!names.empty()) return chosen;
  if (signature.outputs.empty())
    return tenon::errors::InvalidArgument("'", model.path(), "': signature '", signature.name,
                                          "' has no outputs; say --fetch TENSOR");
  return signature.outputs;
}

Result<const End*> FindInput(const Signature& signature, std::string_view name) {
  tenon::SlimVector<std::string_view> names;
  for (const End& end : signature.inputs) {
    if (end.key == name || end.tensor == name) return &end;
    names.push_back(end.key);
  }
  return tenon::errors::InvalidArgument("signature '", signature.name, "' has no input '", name, "'",
                                        tenon::detail::SuggestOrList(name, names));
}

}  // namespace command
