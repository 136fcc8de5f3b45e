// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines SavedModel::function and SavedModel::variable: traces of the object graph's functions as nodes of the
// session, and values of its variables.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/object_graph.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/saved_model/load.hpp>
#include <tenon/runtime/saved_model/model_impl.hpp>
#include <tenon/runtime/saved_model/object_paths.hpp>
#include <tenon/runtime/saved_model/signature_impl.hpp>
#include <tenon/runtime/saved_model/variables.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline const FunctionDef* FindFunctionDef(const FunctionDefLibrary& library, std::string_view name) {
  for (const FunctionDef& function : library.function)
    if (function.signature.name == name) return &function;
  return nullptr;
}
inline const AttrValue* FindArgAttr(const FunctionDef& function, std::size_t arg, std::string_view attr) {
  for (const auto& [number, attrs] : function.arg_attr)
    if (number == arg) return attrs.Find(attr);
  return nullptr;
}
// The name that the user gave an argument, or else the function's own.
inline std::string ArgKey(const FunctionDef& function, std::size_t arg, const std::vector<SignatureTensor>& others) {
  const std::string& own = function.signature.input_arg[arg].name;
  const AttrValue* const attr = FindArgAttr(function, arg, "_user_specified_name");
  if (attr == nullptr || attr->kind() != AttrValue::Kind::kString || attr->s().empty()) return own;
  for (const SignatureTensor& other : others)
    if (other.key == attr->s()) return own;
  return attr->s();
}
inline PartialTensorShape ArgShape(const FunctionDef& function, std::size_t arg) {
  if (const AttrValue* const attr = FindArgAttr(function, arg, "_output_shapes"); attr != nullptr) {
    SlimVector<PartialTensorShape> shapes;
    if (attr->Get("_output_shapes", &shapes).ok() && shapes.size() == 1) return shapes[0];
  }
  return {};
}

// The paths of the model's assets, in their order.
inline Result<SlimVector<Tensor>> AssetPaths(const ModelImpl& model) {
  SlimVector<AssetFileDef> assets;
  TENON_RETURN_IF_ERROR(FindAssets(model.meta_graph, &assets));
  SlimVector<Tensor> paths;
  for (const AssetFileDef& asset : assets)
    paths.push_back(ScalarString(SavedModelPath(model.folder, StrCat("assets/", asset.filename))));
  return paths;
}
// The path of an object that is an asset; null: it is another object.
inline const Tensor* PathOf(const ObjectPaths& objects, std::int32_t object, const SlimVector<Tensor>& paths) {
  const auto& nodes = objects.objects().nodes;
  if (object < 0 || static_cast<std::size_t>(object) >= nodes.size()) return nullptr;
  const std::optional<SavedAsset>& asset = nodes[static_cast<std::size_t>(object)].asset;
  if (!asset || asset->asset_file_def_index < 0) return nullptr;
  const auto index = static_cast<std::size_t>(asset->asset_file_def_index);
  return index < paths.size() ? &paths[index] : nullptr;
}
inline NodeDef PathNode(std::string name, const Tensor& path) {
  NodeDef node;
  node.name = std::move(name);
  node.op = "Const";
  node.attr.Set("dtype", AttrValue(DataType::kString));
  node.attr.Set("value", AttrValue(path));
  return node;
}

// The nodes that call a trace: a placeholder for each argument, a constant for the path of each asset, and the call.
// Describes them in *signature.
inline Result<GraphDef> CallOfTrace(const FunctionDef& function, const SavedConcreteFunction& trace,
                                    const ObjectPaths& objects, const SlimVector<Tensor>& paths,
                                    const std::string& prefix, SignatureImpl* signature) {
  const auto& args = function.signature.input_arg;
  const std::size_t captures = trace.bound_inputs.size();
  if (captures > args.size())
    return errors::InvalidArgument("Function '", function.signature.name, "' has ", args.size(), " arguments; its ",
                                   captures, " captured objects are more");
  GraphDef graph;
  NodeDef call;
  call.name = StrCat(prefix, "/call");
  call.op = "StatefulPartitionedCall";
  SlimVector<DataType> in, out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    in.push_back(args[i].type);
    if (i >= args.size() - captures) {
      const std::int32_t object = trace.bound_inputs[i - (args.size() - captures)];
      if (const Tensor* const path = PathOf(objects, object, paths); path != nullptr) {
        call.input.push_back(StrCat(prefix, "/", i));
        graph.node.push_back(PathNode(call.input.back(), *path));
        continue;
      }
      const std::string_view tensor = objects.TensorOf(object);
      if (tensor.empty())
        return errors::Unimplemented("Function '", function.signature.name, "' captures the object ", object,
                                     ", which no node of the graph stands for; call a signature instead");
      call.input.push_back(std::string(tensor));
      continue;
    }
    NodeDef placeholder;
    placeholder.name = StrCat(prefix, "/", i);
    placeholder.op = "Placeholder";
    placeholder.attr.Set("dtype", AttrValue(args[i].type));
    signature->inputs.push_back({ArgKey(function, i, signature->inputs), StrCat(placeholder.name, ":0"), args[i].type,
                                 ArgShape(function, i), false});
    call.input.push_back(placeholder.name);
    graph.node.push_back(std::move(placeholder));
  }
  for (std::size_t i = 0; i < function.signature.output_arg.size(); ++i) {
    out.push_back(function.signature.output_arg[i].type);
    signature->outputs.push_back({StrCat("output_", i), StrCat(call.name, ":", i), out.back(), {}, false});
  }
  if (out.empty()) signature->targets.push_back(call.name);
  call.attr.Set("Tin", AttrValue(std::move(in)));
  call.attr.Set("Tout", AttrValue(std::move(out)));
  call.attr.Set("f", AttrValue(NameAttrList{function.signature.name, {}}));
  graph.node.push_back(std::move(call));
  signature->defaults.resize(signature->inputs.size());
  return graph;
}

inline Result<Ref<RefCounted>> MakeFunction(ModelImpl* model, std::string_view text) {
  TENON_ASSIGN_OR_RETURN(const ObjectPaths* const objects, model->Objects());
  const std::size_t hash = text.rfind('#');
  const std::string_view path = text.substr(0, hash);
  std::size_t number = 0;
  if (hash != text.npos && !ParseInt(text.substr(hash + 1), &number))
    return errors::InvalidArgument("SavedModel::function: '", text, "' wants a number behind the '#'");
  const ObjectPaths::Item* const item = ObjectPaths::Find(objects->functions(), path);
  if (item == nullptr)
    return errors::NotFound("SavedModel '", model->folder, "': it has no function '", path, "'",
                            ObjectPaths::Suggest(objects->functions(), path));
  const SlimVector<std::string> traces = objects->TracesOf(item->object);
  if (number >= traces.size())
    return errors::NotFound("SavedModel '", model->folder, "': the function '", path, "' has ", traces.size(),
                            " traces; there is no trace ", number);
  const std::string& name = traces[number];
  const SavedConcreteFunction* const trace = objects->FindTrace(name);
  const FunctionDef* const function = FindFunctionDef(model->meta_graph.graph_def.library, name);
  if (trace == nullptr || function == nullptr)
    return errors::NotFound("SavedModel '", model->folder, "': the trace '", name, "' of the function '", path,
                            "' is not in the graph's library");
  auto signature = Ref<SignatureImpl>::Adopt(new SignatureImpl(model->session));
  signature->name = std::string(text);
  const std::string prefix = StrCat("saved_model_function_", model->NextNumber());
  TENON_ASSIGN_OR_RETURN(const SlimVector<Tensor> paths, AssetPaths(*model));
  TENON_ASSIGN_OR_RETURN(GraphDef call, CallOfTrace(*function, *trace, *objects, paths, prefix, signature.get()));
  call.versions = model->meta_graph.graph_def.versions;
  call.versions.producer = std::min(call.versions.producer, kGraphDefVersion);
  TENON_RETURN_IF_ERROR(model->session.Extend(call));
  signature->Prepare();
  return Ref<RefCounted>(std::move(signature));
}

template <class U>
Result<ModelSignature> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::FindFunction(
    const SavedModel& model, std::string_view path) {
  if (!model.impl_) return NoModel();
  return CatchAll("SavedModel::function", [&]() -> Result<ModelSignature> {
    ModelImpl* const impl = ModelAccess::Impl(model);
    Ref<RefCounted> known = impl->FindFunction(path);
    if (!known) {
      TENON_ASSIGN_OR_RETURN(known, MakeFunction(impl, path));
      impl->KeepFunction(path, known);
    }
    return ModelSignature(std::move(known));
  });
}
template <class U>
Result<Tensor> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::ReadVariable(
    const SavedModel& model, std::string_view path) {
  if (!model.impl_) return NoModel();
  return CatchAll("SavedModel::variable", [&]() -> Result<Tensor> {
    ModelImpl* const impl = ModelAccess::Impl(model);
    TENON_ASSIGN_OR_RETURN(const ObjectPaths* const objects, impl->Objects());
    const ObjectPaths::Item* const item = ObjectPaths::Find(objects->variables(), path);
    if (item == nullptr)
      return errors::NotFound("SavedModel '", impl->folder, "': it has no variable '", path, "'",
                              ObjectPaths::Suggest(objects->variables(), path));
    const std::string_view handle = objects->TensorOf(static_cast<std::int32_t>(item->object));
    if (handle.empty())
      return errors::NotFound("SavedModel '", impl->folder, "': no node of the graph stands for the variable '", path,
                              "'");
    return VariableValue(impl->session, std::string(handle));
  });
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
