// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines SavedModel::Save: a session's graph, variables, signatures and assets as a folder that TensorFlow loads.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/runtime/saved_model/constant_variables.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/saved_model/saver_nodes.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/new_folder.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/saved_model/load.hpp>
#include <tenon/runtime/saved_model/variables.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// one thread.
class ModelSaver {
 public:
  ModelSaver(const Session& session, const SavedModelContent& content) : session_(session), content_(content) {}

  Status Save(const std::string& folder) {
    TENON_RETURN_IF_ERROR(TakeGraph());
    TENON_RETURN_IF_ERROR(AddSignatures());
    TENON_ASSIGN_OR_RETURN(NewFolder target, NewFolder::Make(folder));
    TENON_RETURN_IF_ERROR(WriteVariables(SavedModelPath(target.path(), "variables/variables")));
    TENON_RETURN_IF_ERROR(WriteAssets(target.path()));
    meta_graph_.meta_info_def.tags.assign(content_.tags.begin(), content_.tags.end());
    SavedModelDef saved_model;
    saved_model.saved_model_schema_version = 1;
    saved_model.meta_graphs.push_back(std::move(meta_graph_));
    TENON_RETURN_IF_ERROR(
        WriteFile(SavedModelPath(target.path(), "saved_model.pb"), SerializeSavedModelDef(saved_model)));
    return target.Finish();
  }

 private:
  Status TakeGraph() {
    auto* const impl = static_cast<SessionImpl*>(SessionAccess::Impl(session_));
    if (impl == nullptr) return errors::InvalidArgument("SavedModel::Save: an empty Session");
    use_ = impl->current();
    if (!use_) return errors::InvalidArgument("SavedModel::Save: the session has no graph");
    const GraphDef& source = use_->state->source;
    meta_graph_.graph_def = source.node.empty() ? use_->state->graph.ToGraphDef() : source;
    return OkStatus();
  }

  // Describes a tensor of the graph. `where`: "signature 'x': input 'y'".
  Status DescribeTensor(std::string_view where, TensorInfo* info) const {
    const TensorName name = ParseTensorName(info->name);
    const Graph& graph = use_->state->graph;
    const Node* const node = name.output == kControlSlot ? nullptr : graph.Find(name.node);
    if (node == nullptr || name.output >= node->num_outputs())
      return errors::InvalidArgument("SavedModel::Save: ", where, " is the tensor '", info->name,
                                     "', which is not in the graph",
                                     node == nullptr ? graph.DidYouMeanNode(name.node) : std::string());
    info->name = StrCat(name.node, ":", name.output);
    const DataType dtype = node->output_type(name.output);
    info->dtype = BaseType(dtype);
    if (!info->tensor_shape) info->tensor_shape = node->output_shape(name.output);
    return OkStatus();
  }
  Status DescribeMap(std::string_view signature, std::string_view kind, SignatureDef::TensorMap* tensors) const {
    for (auto& [key, info] : *tensors)
      if (!info.coo_sparse && !info.composite_tensor)
        TENON_RETURN_IF_ERROR(DescribeTensor(StrCat("signature '", signature, "': ", kind, " '", key, "'"), &info));
    return OkStatus();
  }
  Status AddSignatures() {
    for (const auto& [name, given] : content_.signatures) {
      if (meta_graph_.FindSignature(name) != nullptr || name == kInitOpSignature)
        return errors::InvalidArgument("SavedModel::Save: the signature '", name, "' is named ",
                                       name == kInitOpSignature ? "as the initialiser is" : "twice",
                                       "; another name is wanted");
      SignatureDef signature = given;
      TENON_RETURN_IF_ERROR(DescribeMap(name, "input", &signature.inputs));
      TENON_RETURN_IF_ERROR(DescribeMap(name, "output", &signature.outputs));
      if (signature.method_name.empty()) signature.method_name = "tensorflow/serving/predict";
      meta_graph_.signature_def.push_back({name, std::move(signature)});
    }
    if (content_.init_op.empty()) return OkStatus();
    if (use_->state->graph.Find(content_.init_op) == nullptr)
      return errors::InvalidArgument("SavedModel::Save: the initialiser '", content_.init_op, "' is not in the graph",
                                     use_->state->graph.DidYouMeanNode(content_.init_op));
    TensorInfo info;
    info.name = content_.init_op;
    info.tensor_shape = PartialTensorShape();
    SignatureDef signature;
    signature.outputs.push_back({std::string(kInitOpSignature), std::move(info)});
    meta_graph_.signature_def.push_back({std::string(kInitOpSignature), std::move(signature)});
    return OkStatus();
  }

  static std::string AttrText(const NodeDef& node, std::string_view name) {
    const AttrValue* const value = node.attr.Find(name);
    return value != nullptr && value->kind() == AttrValue::Kind::kString ? value->s() : std::string();
  }
  // All variables that have a value, each once.
  Status WriteVariables(const std::string& prefix) {
    SlimVector<SavedVariableNode> variables;
    BundleWriter writer(prefix);
    TENON_RETURN_IF_ERROR(writer.Open());
    SlimVector<std::string> keys;
    for (const NodeDef& node : meta_graph_.graph_def.node) {
      if (!IsVariableOp(node.op)) continue;
      std::string key = AttrText(node, "shared_name");
      if (key.empty()) key = node.name;
      if (HasItem(keys, key)) continue;  // another handle of the variable
      const Result<Tensor> value = VariableValue(session_, StrCat(node.name, ":0"));
      if (errors::IsFailedPrecondition(value.status())) continue;
      TENON_RETURN_IF_ERROR(value.status());
      TENON_RETURN_IF_ERROR(writer.Add(key, *value));
      keys.push_back(key);
      variables.push_back({node.name, std::move(key), value->dtype(), node.op != "VarHandleOp"});
    }
    meta_graph_.saver_def = AddSaver(variables, &meta_graph_.graph_def);
    return writer.Finish();
  }

  Status WriteAssets(const std::string& folder) {
    for (const SavedModelAsset& asset : content_.assets) {
      AssetFileDef def;
      def.tensor_info.name = asset.tensor;
      TENON_RETURN_IF_ERROR(DescribeTensor(StrCat("the asset '", asset.path, "'"), &def.tensor_info));
      TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(asset.path));
      TENON_ASSIGN_OR_RETURN(def.filename, AssetName(asset.path));
      if (const std::string path = SavedModelPath(folder, "assets/" + def.filename); !FileExists(path)) {
        TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
        TENON_RETURN_IF_ERROR(WriteFile(path, wire::AsText(file.bytes())));
      }
      meta_graph_.asset_file_def.push_back(std::move(def));
    }
    return OkStatus();
  }
  // The file's own name, with a number behind it where another file has that name.
  Result<std::string> AssetName(const std::string& path) {
    const std::string base = path.substr(path.rfind('/') + 1);
    if (base.empty() || base == "..") return errors::InvalidArgument("SavedModel::Save: '", path, "' is not a file");
    for (int n = 0;; ++n) {
      std::string name = n == 0 ? base : StrCat(base, "_", n);
      const std::pair<std::string, std::string>* known = nullptr;
      for (const auto& entry : asset_names_)
        if (entry.first == name) known = &entry;
      if (known != nullptr && known->second != path) continue;
      if (known == nullptr) asset_names_.push_back({name, path});
      return name;
    }
  }

  const Session& session_;
  const SavedModelContent& content_;
  Ref<GraphUse> use_;
  MetaGraphDef meta_graph_;
  SlimVector<std::pair<std::string, std::string>> asset_names_;  // name in the folder, path
};

// Writes a loaded model with the values that its variables have now, by its own saver.
inline Status SaveModel(ModelImpl* model, const std::string& folder) {
  TENON_ASSIGN_OR_RETURN(NewFolder target, NewFolder::Make(folder));
  const SaverDef& saver = model->meta_graph.saver_def;
  if (!saver.save_tensor_name.empty()) {
    const std::string prefix = SavedModelPath(target.path(), "variables/variables");
    TENON_RETURN_IF_ERROR(MakeFoldersOf(prefix));
    SlimVector<NamedTensor> feeds{{saver.filename_tensor_name, ScalarString(prefix)}};
    TENON_ASSIGN_OR_RETURN(const ObjectPaths* const objects, model->Objects());
    SlimVector<std::string> captured;
    for (const ObjectPaths::Twins& twins : objects->twins()) captured.push_back(twins.captured);
    if (!captured.empty()) {
      TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> handles, model->session.Run({}, captured));
      for (std::size_t i = 0; i < handles.size(); ++i) feeds.push_back({objects->twins()[i].saved, handles[i]});
    }
    const Result<std::vector<Tensor>> saved =
        model->session.Run(feeds, Span<const std::string>(&saver.save_tensor_name, 1));
    TENON_RETURN_IF_ERROR(AddContext(saved.status(), model->folder, "saving its variables"));
  }
  SlimVector<AssetFileDef> assets;
  TENON_RETURN_IF_ERROR(FindAssets(model->meta_graph, &assets));
  for (const AssetFileDef& asset : assets) {
    const std::string name = StrCat("assets/", asset.filename), to = SavedModelPath(target.path(), name);
    TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(SavedModelPath(model->folder, name)));
    TENON_RETURN_IF_ERROR(MakeFoldersOf(to));
    TENON_RETURN_IF_ERROR(WriteFile(to, wire::AsText(file.bytes())));
  }
  SavedModelDef saved_model;
  saved_model.saved_model_schema_version = 1;
  saved_model.meta_graphs.push_back(model->meta_graph);
  TENON_RETURN_IF_ERROR(
      WriteFile(SavedModelPath(target.path(), "saved_model.pb"), SerializeSavedModelDef(saved_model)));
  return target.Finish();
}

template <class U>
Status undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::Save(
    const Session& session, const std::string& folder, const SavedModelContent& content) {
  return CatchAll("SavedModel::Save", [&] { return ModelSaver(session, content).Save(folder); });
}
template <class U>
Status undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::SaveAgain(
    const SavedModel& model, const std::string& folder) {
  if (!model.impl_) return NoModel();
  return CatchAll("SavedModel::Save", [&] { return SaveModel(ModelAccess::Impl(model), folder); });
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
