// SPDX-License-Identifier: Apache-2.0
#pragma once
// ObjectPaths: the objects of a SavedModel by attribute path ("layers.0.kernel"), and the tensors of the graph that
// functions capture.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/object_graph.hpp>
#include <tenon/op/graph_def/object_graph_proto.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// immutable. The GraphDef outlives it.
class ObjectPaths {
 public:
  struct Item {
    std::string path;
    std::size_t object;
    friend bool operator<(const Item& a, const Item& b) { return a.path < b.path; }
  };

  ObjectPaths() = default;
  // DataLoss: the object graph is damaged. InvalidArgument: it refers to an object that is not there.
  static Result<ObjectPaths> Make(const MetaGraphDef& meta_graph) {
    ObjectPaths paths;
    paths.graph_ = &meta_graph.graph_def;
    if (meta_graph.object_graph_def.empty()) return paths;
    TENON_ASSIGN_OR_RETURN(paths.objects_, ParseSavedObjectGraph(wire::AsBytes(meta_graph.object_graph_def)));
    TENON_RETURN_IF_ERROR(paths.Walk());
    paths.FindCaptures();
    return paths;
  }

  const SavedObjectGraph& objects() const { return objects_; }
  const SlimVector<Item>& functions() const { return functions_; }  // sorted
  const SlimVector<Item>& variables() const { return variables_; }  // sorted
  static const Item* Find(const SlimVector<Item>& items, std::string_view path) {
    for (const Item& item : items)
      if (item.path == path) return &item;
    return nullptr;
  }
  static std::string Suggest(const SlimVector<Item>& items, std::string_view path) {
    SlimVector<std::string_view> names;
    for (const Item& item : items) names.push_back(item.path);
    return SuggestNames(path, names);
  }

  // Names of an object's traces: functions of the graph's library.
  SlimVector<std::string> TracesOf(std::size_t object) const {
    const SavedObject& saved = objects_.nodes[object];
    if (saved.function) return saved.function->concrete_functions;
    SlimVector<std::string> one;
    if (saved.bare_concrete_function) one.push_back(saved.bare_concrete_function->concrete_function_name);
    return one;
  }
  const SavedConcreteFunction* FindTrace(std::string_view name) const {
    for (const auto& [function, trace] : objects_.concrete_functions)
      if (function == name) return &trace;
    return nullptr;
  }
  // The graph's tensor that stands for an object where functions capture it; "": none is known.
  std::string_view TensorOf(std::int32_t object) const {
    if (object < 0 || static_cast<std::size_t>(object) >= tensors_.size()) return {};
    return tensors_[static_cast<std::size_t>(object)];
  }
  // The node that calls a signature's wrapper function; null: there is none.
  const NodeDef* CallOfSignature(std::string_view signature) const {
    const Item* const found = Find(signatures_, signature);
    if (found == nullptr) return nullptr;
    for (const std::string& trace : TracesOf(found->object))
      for (const NodeDef& node : graph_->node)
        if (FunctionOf(node) == trace) return &node;
    return nullptr;
  }
  // "": the node is not a call.
  static std::string_view FunctionOf(const NodeDef& node) {
    if (node.op != "PartitionedCall" && node.op != "StatefulPartitionedCall") return node.op;
    const AttrValue* const f = node.attr.Find("f");
    return f != nullptr && f->kind() == AttrValue::Kind::kFunc ? std::string_view(f->func().name) : std::string_view();
  }

 private:
  // Breadth first: an object has the shortest of its paths, and the first of those.
  Status Walk() {
    const std::size_t count = objects_.nodes.size();
    SlimVector<Item> todo;
    SlimVector<char> seen(count, 0);
    if (count != 0) {
      todo.push_back({"", 0});
      seen[0] = 1;
    }
    for (std::size_t at = 0; at < todo.size(); ++at) {
      const Item item = todo[at];
      for (const TrackableObjectGraph::ObjectReference& child : objects_.nodes[item.object].children) {
        if (child.node_id < 0 || static_cast<std::size_t>(child.node_id) >= count)
          return errors::InvalidArgument("SavedModel: the object '", item.path, "' has the child '", child.local_name,
                                         "' with number ", child.node_id, "; there are ", count, " objects");
        const auto id = static_cast<std::size_t>(child.node_id);
        const SavedObject& object = objects_.nodes[id];
        std::string path = item.path.empty() ? child.local_name : StrCat(item.path, ".", child.local_name);
        const bool is_function = object.function.has_value() || object.bare_concrete_function.has_value();
        if (is_function && item.path == "signatures") signatures_.push_back({child.local_name, id});
        if (is_function) functions_.push_back({path, id});
        if (object.variable) variables_.push_back({path, id});
        if (seen[id] != 0) continue;
        seen[id] = 1;
        todo.push_back({std::move(path), id});
      }
    }
    std::sort(functions_.begin(), functions_.end());
    std::sort(variables_.begin(), variables_.end());
    return OkStatus();
  }

  // The last inputs of a call of a trace are the objects that the trace captures.
  void FindCaptures() {
    tensors_.resize(objects_.nodes.size());
    for (const NodeDef& node : graph_->node) {
      const SavedConcreteFunction* const trace = FindTrace(FunctionOf(node));
      if (trace == nullptr) continue;
      std::size_t inputs = 0;
      while (inputs < node.input.size() && !node.input[inputs].starts_with('^')) ++inputs;
      const std::size_t captures = trace->bound_inputs.size();
      for (std::size_t i = 0; i < captures && captures <= inputs; ++i)
        SetTensor(trace->bound_inputs[i], node.input[inputs - captures + i]);
    }
    for (std::size_t i = 0; i < objects_.nodes.size(); ++i) {
      const SavedObject& object = objects_.nodes[i];
      if (!tensors_[i].empty()) continue;
      if (object.constant) tensors_[i] = object.constant->operation;
      if (!object.variable) continue;
      for (const NodeDef& node : graph_->node) {
        const AttrValue* const name = node.op == "VarHandleOp" ? node.attr.Find("shared_name") : nullptr;
        if (name != nullptr && name->kind() == AttrValue::Kind::kString && name->s() == object.variable->name)
          tensors_[i] = node.name;
      }
    }
  }
  void SetTensor(std::int32_t object, const std::string& tensor) {
    if (object >= 0 && static_cast<std::size_t>(object) < tensors_.size()) {
      std::string& known = tensors_[static_cast<std::size_t>(object)];
      if (known.empty()) known = tensor;
    }
  }

  const GraphDef* graph_ = nullptr;
  SavedObjectGraph objects_;
  SlimVector<Item> functions_, variables_, signatures_;  // signatures_: by name
  SlimVector<std::string> tensors_;  // per object
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
