// SPDX-License-Identifier: Apache-2.0
#pragma once
// MetaGraphs as data: their collections, devices and names changed, and a MetaGraph made from a graph.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/graph_def/variable_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_list.hpp>
#include <tenon/op/op_def/op_registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline Status NoCollection(std::string_view name) {
  return errors::NotFound("MetaGraphDef: there is no collection '", name, "'");
}
// Lists the serialised messages of a collection. `type` is the type that an AnyMessage must have.
inline Result<SlimVector<std::string_view>> MessagesOf(const MetaGraphDef& meta_graph, std::string_view name,
                                                       std::string_view type) {
  const CollectionDef* const collection = meta_graph.FindCollection(name);
  if (collection == nullptr) return NoCollection(name);
  SlimVector<std::string_view> messages;
  if (collection->bytes_list) {
    for (const std::string& bytes : collection->bytes_list->value) messages.push_back(bytes);
    return messages;
  }
  if (!collection->any_list)
    return errors::InvalidArgument("MetaGraphDef: the collection '", name,
                                   "' has neither a bytes_list nor an any_list of ", type);
  for (const AnyMessage& any : collection->any_list->value) {
    const std::string_view url = any.type_url;
    const std::string_view full_name = url.substr(url.rfind('/') + 1);
    if (full_name.substr(full_name.rfind('.') + 1) != type)
      return errors::InvalidArgument("MetaGraphDef: the collection '", name, "' has a message '", url, "', where a ",
                                     type, " is wanted");
    messages.push_back(any.value);
  }
  return messages;
}

// "x:0" -> "scope/x:0", "^x" -> "^scope/x", "loc:@x" -> "loc:@scope/x"; "" stays.
inline void PrependScope(std::string_view scope, std::string* name) {
  if (name->empty()) return;
  const std::size_t at = StartsWith(*name, "^") ? 1 : StartsWith(*name, "loc:@") ? 5 : 0;
  name->insert(at, StrCat(scope, "/"));
}
inline void PrependScope(std::string_view scope, TensorInfo* info) {
  PrependScope(scope, &info->name);
  if (info->coo_sparse)
    for (std::string* name : {&info->coo_sparse->values_tensor_name, &info->coo_sparse->indices_tensor_name,
                              &info->coo_sparse->dense_shape_tensor_name})
      PrependScope(scope, name);
  if (!info->composite_tensor) return;
  for (TensorInfo& component : info->composite_tensor->components) PrependScope(scope, &component);
}
inline void PrependScope(std::string_view scope, SaverDef* saver) {
  for (std::string* name : {&saver->filename_tensor_name, &saver->save_tensor_name, &saver->restore_op_name})
    PrependScope(scope, name);
}
inline void PrependScope(std::string_view scope, VariableDef* variable) {
  for (std::string* name :
       {&variable->variable_name, &variable->initial_value_name, &variable->initializer_name, &variable->snapshot_name})
    PrependScope(scope, name);
}
template <class T>
Status PrependScopeInBytes(std::string_view scope, std::string_view collection, std::string* bytes) {
  T message;
  if (const Status parsed = wire::Parse(wire::AsBytes(*bytes), &message); !parsed.ok())
    return errors::DataLoss("MetaGraphDef: the collection '", collection, "': ", parsed.message());
  PrependScope(scope, &message);
  bytes->clear();
  wire::SerializeTo(message, bytes);
  return OkStatus();
}
inline bool HoldsVariables(std::string_view collection) {
  return collection == "global_step" || collection == "variables" || collection.ends_with("_variables");
}

}  // namespace detail

// Lists the names in a collection of nodes or tensors ("train_op"). NotFound: there is no such collection.
// InvalidArgument: it has no node_list.
inline Result<SlimVector<std::string>> CollectionNames(const MetaGraphDef& meta_graph, std::string_view name) {
  const CollectionDef* const collection = meta_graph.FindCollection(name);
  if (collection == nullptr) return detail::NoCollection(name);
  if (!collection->node_list)
    return errors::InvalidArgument("MetaGraphDef: the collection '", name, "' has no node_list");
  return collection->node_list->value;
}
// Reads the messages in a collection: T is VariableDef ("variables"), SaverDef ("savers"), AssetFileDef
// ("saved_model_assets") or another type with a wire::Schema. NotFound: there is no such collection. InvalidArgument:
// it has no messages, or messages of another type. DataLoss: a message is damaged.
template <class T>
Result<SlimVector<T>> ReadCollection(const MetaGraphDef& meta_graph, std::string_view name) {
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string_view> messages,
                         detail::MessagesOf(meta_graph, name, wire::Schema<T>::message.name));
  SlimVector<T> items(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (const Status parsed = wire::Parse(wire::AsBytes(messages[i]), &items[i]); !parsed.ok())
      return errors::DataLoss("MetaGraphDef: item ", i, " of the collection '", name, "': ", parsed.message());
  return items;
}
// Makes a collection of names.
inline CollectionDef MakeNodeCollection(SlimVector<std::string> names) {
  CollectionDef collection;
  collection.node_list.emplace().value = std::move(names);
  return collection;
}
// Makes a collection of messages.
template <class T>
CollectionDef MakeCollection(Span<const T> items) {
  CollectionDef collection;
  collection.bytes_list.emplace();
  for (const T& item : items) wire::SerializeTo(item, &collection.bytes_list->value.emplace_back());
  return collection;
}

// Removes the devices that nodes ask for, so that the graph runs on other machines.
inline void ClearDevices(GraphDef* graph) {
  static_cast<void>(detail::ForEachNode(graph, [](NodeDef* node) {
    node->device.clear();
    return OkStatus();
  }));
}

// Puts "scope/" before the names of all nodes, and where the MetaGraph names them: inputs, colocation, the saver,
// signatures, assets, collections of nodes, of variables and of savers. Other collections of messages stay as they are
// (while_context, cond_context, queue_runners): running the graph needs none of them. InvalidArgument: the scope begins
// or ends with '/'. DataLoss: a collection's message is damaged; the MetaGraph is changed in part then.
inline Status AddImportScope(std::string_view scope, MetaGraphDef* meta_graph) {
  if (scope.empty()) return OkStatus();
  if (scope.front() == '/' || scope.back() == '/')
    return errors::InvalidArgument("AddImportScope: '", scope, "' begins or ends with '/'; 'name' or 'a/b' is right");
  for (NodeDef& node : meta_graph->graph_def.node) {
    detail::PrependScope(scope, &node.name);
    for (std::string& input : node.input) detail::PrependScope(scope, &input);
    SlimVector<std::string> classes;
    if (!TryGetNodeAttr(node, "_class", &classes)) continue;
    for (std::string& name : classes)
      if (StartsWith(name, "loc:@")) detail::PrependScope(scope, &name);
    node.attr["_class"] = AttrValue(std::move(classes));
  }
  detail::PrependScope(scope, &meta_graph->saver_def);
  for (auto& [key, signature] : meta_graph->signature_def) {
    for (auto& [name, info] : signature.inputs) detail::PrependScope(scope, &info);
    for (auto& [name, info] : signature.outputs) detail::PrependScope(scope, &info);
  }
  for (AssetFileDef& asset : meta_graph->asset_file_def) detail::PrependScope(scope, &asset.tensor_info);
  for (auto& [name, collection] : meta_graph->collection_def) {
    if (collection.node_list)
      for (std::string& node : collection.node_list->value) detail::PrependScope(scope, &node);
    if (!collection.bytes_list) continue;
    for (std::string& bytes : collection.bytes_list->value) {
      if (detail::HoldsVariables(name))
        TENON_RETURN_IF_ERROR(detail::PrependScopeInBytes<VariableDef>(scope, name, &bytes));
      else if (name == "savers")
        TENON_RETURN_IF_ERROR(detail::PrependScopeInBytes<SaverDef>(scope, name, &bytes));
    }
  }
  return OkStatus();
}

// Arguments of MakeMetaGraph other than the graph.
struct MakeMetaGraphOptions {
  SaverDef saver = {};
  SlimVector<std::pair<std::string, CollectionDef>> collections = {};
  SlimVector<std::string> tags = {};
  bool clear_devices = false;
  bool strip_default_attrs = false;  // attrs that have their default values
};

// Makes a MetaGraph of a graph, with the OpDefs of its ops, as tf.compat.v1.train.export_meta_graph does. `ops` has the
// ops of the graph: Registry::Global().ops(). NotFound: an op is not registered.
inline Result<MetaGraphDef> MakeMetaGraph(GraphDef graph, const OpRegistry& ops, MakeMetaGraphOptions options = {}) {
  MetaGraphDef meta_graph;
  SlimVector<OpDef> used;
  TENON_RETURN_IF_ERROR(StrippedOpListForGraph(graph, ops, &used));
  if (options.clear_devices) ClearDevices(&graph);
  if (options.strip_default_attrs) StripDefaultAttributes(ops, &graph);
  meta_graph.meta_info_def.stripped_op_list = SerializeOpList(used);
  meta_graph.meta_info_def.stripped_default_attrs = options.strip_default_attrs;
  meta_graph.meta_info_def.tags = std::move(options.tags);
  meta_graph.graph_def = std::move(graph);
  meta_graph.saver_def = std::move(options.saver);
  meta_graph.collection_def = std::move(options.collections);
  detail::SortByKey(&meta_graph.collection_def);
  return meta_graph;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
