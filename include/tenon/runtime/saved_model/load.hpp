// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines SavedModel::Load: reading, choosing a graph, restoring, initialising.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/reached_nodes.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/saved_model/model_impl.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline constexpr std::string_view kInitOpSignature = "__saved_model_init_op";

inline Tensor ScalarString(std::string_view text) {
  Tensor tensor(DataType::kString, TensorShape());
  if (tensor.IsInitialized()) tensor.data<tstring>()->assign(text);
  return tensor;
}

// The assets of a graph: its list, or else its collection of packed messages.
inline Status FindAssets(const MetaGraphDef& meta_graph, SlimVector<AssetFileDef>* assets) {
  *assets = meta_graph.asset_file_def;
  const CollectionDef* const packed = meta_graph.FindCollection("saved_model_assets");
  if (!assets->empty() || packed == nullptr || !packed->any_list) return OkStatus();
  for (const AnyMessage& message : packed->any_list->value) {
    AssetFileDef asset;
    TENON_RETURN_IF_ERROR(wire::Parse(wire::AsBytes(message.value), &asset));
    assets->push_back(std::move(asset));
  }
  return OkStatus();
}
// Returns whether a name could lead out of the folder that it is looked up in.
inline bool LeavesFolder(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != name.npos) return true;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = rest.find_first_of("/\\");
    if (rest.substr(0, end) == "..") return true;
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return false;
}
// Returns whether an asset stands in the list before, for the same tensor and of the same file.
inline bool IsListedBefore(const SlimVector<AssetFileDef>& assets, const AssetFileDef& asset) {
  const TensorName tensor = ParseTensorName(asset.tensor_info.name);
  for (const AssetFileDef& other : assets) {
    if (&other == &asset) return false;
    if (other.filename == asset.filename && ParseTensorName(other.tensor_info.name) == tensor) return true;
  }
  return false;
}
// The paths of the assets, by the tensors that take them.
inline Status AssetFeeds(const MetaGraphDef& meta_graph, const std::string& folder, std::vector<NamedTensor>* feeds) {
  SlimVector<AssetFileDef> assets;
  TENON_RETURN_IF_ERROR(FindAssets(meta_graph, &assets));
  for (const AssetFileDef& asset : assets) {
    if (IsListedBefore(assets, asset)) continue;
    if (LeavesFolder(asset.filename))
      return errors::InvalidArgument("SavedModel: '", folder, "': the asset '", CEscape(asset.filename),
                                     "' of tensor '", asset.tensor_info.name,
                                     "' is not in the folder 'assets'; a name without '..' is wanted");
    feeds->push_back({asset.tensor_info.name, ScalarString(SavedModelPath(folder, StrCat("assets/", asset.filename)))});
  }
  return OkStatus();
}

// The node that initialises tables and paths of assets; "": there is none.
inline Status FindInitOp(const MetaGraphDef& meta_graph, std::string_view folder, std::string* node) {
  if (const SignatureDef* const signature = meta_graph.FindSignature(kInitOpSignature); signature != nullptr) {
    if (const TensorInfo* const info = signature->FindOutput(kInitOpSignature); info != nullptr) {
      *node = std::string(ParseTensorName(info->name).node);
      return OkStatus();
    }
  }
  for (const std::string_view name : {"saved_model_main_op", "legacy_init_op"}) {
    const CollectionDef* const collection = meta_graph.FindCollection(name);
    if (collection == nullptr) continue;
    const std::size_t count = collection->node_list ? collection->node_list->value.size() : 0;
    if (count != 1)
      return errors::FailedPrecondition("Expected exactly one main op in : ", folder, "; the collection '", name,
                                        "' has ", count, " nodes");
    *node = std::string(ParseTensorName(collection->node_list->value[0]).node);
    return OkStatus();
  }
  return OkStatus();
}

// InvalidArgument: a node calls a function that the library lacks, whether a signature needs the node or not.
inline Status CheckCalls(const GraphDef& graph) {
  const FunctionIndex functions(graph.library);
  for (const NodeDef& node : graph.node) {
    if (node.op != "PartitionedCall" && node.op != "StatefulPartitionedCall") continue;
    const AttrValue* const f = node.attr.Find("f");
    if (f == nullptr || f->kind() != AttrValue::Kind::kFunc || functions.Find(f->func().name) != nullptr) continue;
    SlimVector<std::string_view> names;
    for (const FunctionDef& function : graph.library.function) names.push_back(function.signature.name);
    return errors::InvalidArgument("Node '", node.name, "': Failed to find function '", f->func().name,
                                   "' in function library", SuggestNames(f->func().name, names));
  }
  return OkStatus();
}

inline Status CheckReached(const MetaGraphDef& meta_graph, std::string_view init_op, const OpRegistry& ops) {
  if (!HasUnknownOps(meta_graph.graph_def, ops)) return OkStatus();
  ReachedNodes reached(meta_graph.graph_def);
  reached.Add(init_op);
  reached.Add(meta_graph.saver_def.restore_op_name);
  for (const auto& [name, signature] : meta_graph.signature_def) {
    std::vector<SignatureTensor> tensors;
    for (const auto& [key, info] : signature.outputs) AppendSignatureTensors(key, info, &tensors);
    for (const SignatureTensor& tensor : tensors) reached.Add(tensor.tensor);
  }
  return CheckReachedOps(reached, ops);
}

inline Status AddContext(const Status& status, std::string_view folder, std::string_view what) {
  return status.ok() ? status
                     : Status(status.code(), StrCat("SavedModel '", folder, "': ", what, ": ", status.message()));
}

inline Result<Ref<ModelImpl>> LoadModel(const std::string& folder, SavedModelOptions options) {
  TENON_ASSIGN_OR_RETURN(SavedModelDef saved_model, ReadSavedModelFile(folder));
  auto model = Ref<ModelImpl>::Adopt(new ModelImpl);
  model->folder = folder;
  TENON_ASSIGN_OR_RETURN(model->meta_graph, TakeMetaGraph(std::move(saved_model), options.tags, folder));
  const MetaGraphDef& meta_graph = model->meta_graph;
  for (const auto& [name, signature] : meta_graph.signature_def)
    if (name != kInitOpSignature) model->signatures.push_back(name);

  std::vector<NamedTensor> feeds;
  std::string init_op;
  TENON_RETURN_IF_ERROR(AssetFeeds(meta_graph, folder, &feeds));
  const Registry* const registry = options.session.registry;
  const OpRegistry& ops = registry != nullptr ? registry->ops() : Registry::Global().ops();
  StepServices services;  // for the run that restores
  if (options.session.services != nullptr) services = *options.session.services;
  services.map_checkpoints = options.session.map_graph_file;
  options.session.check_ops = false;
  Result<Session> session = Session::FromGraphDef(meta_graph.graph_def, std::move(options.session));
  TENON_RETURN_IF_ERROR(AddContext(session.status(), folder, "its graph"));
  model->session = *std::move(session);

  const SaverDef& saver = meta_graph.saver_def;
  const std::string prefix = SavedModelPath(folder, "variables/variables");
  const bool restores = !saver.restore_op_name.empty() && FileExists(StrCat(prefix, ".index"));
  const Status found = FindInitOp(meta_graph, folder, &init_op);
  TENON_RETURN_IF_ERROR(AddContext(CheckCalls(meta_graph.graph_def), folder, "its graph"));
  TENON_RETURN_IF_ERROR(AddContext(CheckReached(meta_graph, init_op, ops), folder, "its ops"));
  if (restores) {
    std::vector<NamedTensor> with_prefix = feeds;
    with_prefix.push_back({saver.filename_tensor_name, ScalarString(prefix)});
    const std::string node(ParseTensorName(saver.restore_op_name).node);
    const Status status =
        model->session.Run(with_prefix, {}, Span<const std::string>(&node, 1), {.services = &services}).status();
    TENON_RETURN_IF_ERROR(AddContext(status, folder, "restoring its variables"));
  }
  TENON_RETURN_IF_ERROR(found);
  if (!init_op.empty()) {
    const Status status = model->session.Run(feeds, {}, Span<const std::string>(&init_op, 1)).status();
    TENON_RETURN_IF_ERROR(AddContext(status, folder, "initialising its tables and assets"));
  }
  return model;
}

template <class U>
Result<SavedModel> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::Load(
    const std::string& folder, SavedModelOptions options) {
  return CatchAll("SavedModel::Load", [&]() -> Result<SavedModel> {
    SavedModel model;
    TENON_ASSIGN_OR_RETURN(model.impl_, LoadModel(folder, std::move(options)));
    return model;
  });
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
