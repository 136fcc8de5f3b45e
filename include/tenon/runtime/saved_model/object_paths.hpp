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
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// immutable. The GraphDef outlives it.
class ObjectPaths {
 public:
  struct Item {
    std::string path;
    std::size_t object;
    std::string key = {};  // path as checkpoints write it: "layers/0/kernel"
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
    paths.FindRestored(meta_graph.saver_def.restore_op_name);
    paths.FindByName();
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
    return SuggestOrList(path, names);
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
  // Keras 3 saves each variable twice. Functions of the graph read one handle; the object that they capture is saved
  // from another one, and restored to it. Readers of the object graph want the value of the first there.
  struct Twins {
    std::string captured, saved;  // handles
  };
  const SlimVector<Twins>& twins() const { return twins_; }
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
      if (objects_.nodes[item.object].function) continue;  // its children are its traces
      for (const TrackableObjectGraph::ObjectReference& child : objects_.nodes[item.object].children) {
        if (child.node_id < 0 || static_cast<std::size_t>(child.node_id) >= count)
          return errors::InvalidArgument("SavedModel: the object '", item.path, "' has the child '", child.local_name,
                                         "' with number ", child.node_id, "; there are ", count, " objects");
        const auto id = static_cast<std::size_t>(child.node_id);
        const SavedObject& object = objects_.nodes[id];
        std::string path = item.path.empty() ? child.local_name : StrCat(item.path, ".", child.local_name);
        std::string key = StrCat(item.key, item.key.empty() ? "" : "/", EscapeKey(child.local_name));
        const bool is_function = object.function.has_value() || object.bare_concrete_function.has_value();
        if (is_function && item.path == "signatures") signatures_.push_back({child.local_name, id});
        if (is_function) functions_.push_back({path, id});
        if (object.variable) variables_.push_back({path, id, key});
        if (seen[id] != 0) continue;
        seen[id] = 1;
        todo.push_back({std::move(path), id, std::move(key)});
      }
    }
    std::sort(functions_.begin(), functions_.end());
    std::sort(variables_.begin(), variables_.end());
    return OkStatus();
  }

  // A name in a checkpoint's key: '/' is the path's.
  static std::string EscapeKey(std::string_view name) {
    std::string key;
    for (const char c : name) key += c == '.' ? std::string("..") : c == '/' ? std::string(".S") : std::string(1, c);
    return key;
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
  }
  // The function that restores assigns the tensor of a key to the variable of an argument.
  void FindRestored(std::string_view restore_op) {
    const NodeDef* call = nullptr;
    for (const NodeDef& node : graph_->node)
      if (node.name == restore_op) call = &node;
    const FunctionDef* function = nullptr;
    for (const FunctionDef& known : graph_->library.function)
      if (call != nullptr && known.signature.name == FunctionOf(*call)) function = &known;
    if (function == nullptr) return;
    const auto find = [function](std::string_view text) -> const NodeDef* {
      const std::string_view name = text.substr(0, text.find(':'));
      for (const NodeDef& node : function->node_def)
        if (node.name == name) return &node;
      return nullptr;
    };
    for (const NodeDef& assign : function->node_def) {
      if (assign.op != "AssignVariableOp" || assign.input.size() < 2) continue;
      std::string_view value = assign.input[1];
      const NodeDef* from = find(value);
      if (from != nullptr && from->op == "Identity" && !from->input.empty()) {
        value = from->input[0];
        from = find(value);
      }
      if (from == nullptr || from->op != "RestoreV2" || from->input.size() < 2) continue;
      const NodeDef* const names = find(from->input[1]);
      const AttrValue* const keys = names != nullptr ? names->attr.Find("value") : nullptr;
      std::size_t number = 0;  // "RestoreV2:tensors:7"
      if (keys == nullptr || keys->kind() != AttrValue::Kind::kTensor ||
          !ParseInt(value.substr(value.rfind(':') + 1), &number))
        continue;
      const Tensor& texts = keys->tensor();
      if (texts.dtype() != DataType::kString || number >= static_cast<std::size_t>(texts.NumElements())) continue;
      SetRestored(texts.data<tstring>()[number].view(), *function, assign.input[0], *call);
    }
  }
  void SetRestored(std::string_view key, const FunctionDef& function, std::string_view arg, const NodeDef& call) {
    constexpr std::string_view kSuffix = "/.ATTRIBUTES/VARIABLE_VALUE";
    if (!key.ends_with(kSuffix)) return;
    key.remove_suffix(kSuffix.size());
    for (std::size_t i = 0; i < function.signature.input_arg.size() && i < call.input.size(); ++i) {
      if (function.signature.input_arg[i].name != arg) continue;
      for (const Item& variable : variables_) {
        if (variable.key != key) continue;
        SetTensor(static_cast<std::int32_t>(variable.object), call.input[i]);
        if (tensors_[variable.object] != call.input[i]) twins_.push_back({tensors_[variable.object], call.input[i]});
      }
    }
  }
  void FindByName() {
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
  SlimVector<Twins> twins_;
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
