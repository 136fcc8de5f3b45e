// SPDX-License-Identifier: Apache-2.0
#pragma once
// WriteObjectCheckpoint: tensors and the paths of their objects as a checkpoint that tf.train.Checkpoint restores.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/object_graph.hpp>
#include <tenon/op/graph_def/object_graph_proto.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/object_checkpoint.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The value of an object, for WriteObjectCheckpoint.
struct ObjectValue {
  // Path from the root, names escaped: "net/layers/0/kernel". "VARIABLE/.OPTIMIZER_SLOT/OPTIMIZER/SLOT_NAME" is the
  // path of an optimizer's slot variable.
  std::string path;
  Tensor tensor;
  std::string full_name = {};  // name of the variable in Python; "": the path
  std::string same_as = {};  // path of another value: both lead to one object, and `tensor` is not used
};

// Arguments of WriteObjectCheckpoint other than the values.
struct ObjectCheckpointOptions {
  // Value of the variable `save_counter`, which each tf.train.Checkpoint has. nullopt: there is none.
  std::optional<std::int64_t> save_counter = 1;
};

namespace detail {

// The tree of objects that paths describe, and its numbers. one thread.
class ObjectTree {
 public:
  ObjectTree() : objects_(1) {}

  Status Add(const ObjectValue& value) {
    const std::size_t slot = value.path.find(kOptimizerSlot);
    if (slot != std::string::npos) {
      slots_.push_back(&value);
      const std::string_view rest = std::string_view(value.path).substr(slot + kOptimizerSlot.size());
      return At(rest.substr(0, rest.rfind('/') == rest.npos ? 0 : rest.rfind('/'))).status();
    }
    TENON_ASSIGN_OR_RETURN(const int at, At(value.path));
    Object& object = objects_[static_cast<std::size_t>(at)];
    if (at == 0 || object.value != nullptr)
      return errors::InvalidArgument("WriteObjectCheckpoint: ", at == 0 ? "an empty path" : "two values for the path '",
                                     value.path, at == 0 ? "" : "'");
    object.value = &value;
    return OkStatus();
  }
  // Numbers the objects by their distance from the root, as TensorFlow does, and makes the graph. *values: the values
  // in the order of their numbers, with their keys.
  Status Make(TrackableObjectGraph* graph, SlimVector<std::pair<std::string, const ObjectValue*>>* values) {
    SlimVector<int> order;
    TENON_RETURN_IF_ERROR(Number(0, &order).status());
    for (std::size_t i = 0; i < order.size(); ++i) {
      TrackableObjectGraph::TrackableObject made;
      for (const auto& [name, child] : objects_[static_cast<std::size_t>(order[i])].children) {
        TENON_ASSIGN_OR_RETURN(const int number, Number(child, &order));
        made.children.push_back({number, name});
      }
      if (const ObjectValue* const value = objects_[static_cast<std::size_t>(order[i])].value)
        AddTensor(*value, &made, values);
      made.has_checkpoint_values.emplace().value = true;
      graph->nodes.push_back(std::move(made));
    }
    for (const ObjectValue* const value : slots_) {
      const std::string_view path = value->path;
      const std::size_t slot = path.find(kOptimizerSlot), name = path.rfind('/');
      if (!value->same_as.empty() || name < slot + kOptimizerSlot.size())
        return errors::InvalidArgument("WriteObjectCheckpoint: '", path,
                                       "' is not VARIABLE/.OPTIMIZER_SLOT/OPTIMIZER/SLOT_NAME with a value of its own");
      TENON_ASSIGN_OR_RETURN(const int variable, Known(path.substr(0, slot)));
      TENON_ASSIGN_OR_RETURN(const int optimizer,
                             Known(path.substr(slot + kOptimizerSlot.size(), name - slot - kOptimizerSlot.size())));
      TENON_ASSIGN_OR_RETURN(std::string slot_name, UnescapeObjectName(path.substr(name + 1)));
      const auto number = static_cast<std::int32_t>(graph->nodes.size());
      graph->nodes[static_cast<std::size_t>(optimizer)].slot_variables.push_back(
          {variable, std::move(slot_name), number});
      TrackableObjectGraph::TrackableObject made;
      AddTensor(*value, &made, values);
      made.has_checkpoint_values.emplace().value = true;
      graph->nodes.push_back(std::move(made));
    }
    return OkStatus();
  }

 private:
  struct Object {
    SlimVector<std::pair<std::string, int>> children;  // name -> index in objects_
    FlatMap<std::string, int> by_name;  // the children by name
    const ObjectValue* value = nullptr;
    int number = -1;  // in the graph
  };

  static void AddTensor(const ObjectValue& value, TrackableObjectGraph::TrackableObject* made,
                        SlimVector<std::pair<std::string, const ObjectValue*>>* values) {
    std::string key = StrCat(value.path, kObjectAttributes, kVariableValue);
    made->attributes.push_back(
        {std::string(kVariableValue), value.full_name.empty() ? value.path : value.full_name, key});
    values->emplace_back(std::move(key), &value);
  }
  // Finds or adds the object.
  Result<int> At(std::string_view path) {
    int at = 0;
    for (std::string_view rest = path; !path.empty();) {
      const std::size_t slash = rest.find('/');
      TENON_ASSIGN_OR_RETURN(std::string name, UnescapeObjectName(rest.substr(0, slash)));
      if (name.empty()) return errors::InvalidArgument("WriteObjectCheckpoint: '", path, "' has an empty name");
      if (const int* const child = objects_[static_cast<std::size_t>(at)].by_name.FindValue(name)) {
        at = *child;
      } else {
        const int added = static_cast<int>(objects_.size());
        objects_.emplace_back();
        Object& parent = objects_[static_cast<std::size_t>(at)];
        parent.by_name.try_emplace(name, added);
        parent.children.emplace_back(std::move(name), added);
        at = added;
      }
      if (slash == rest.npos) break;
      rest.remove_prefix(slash + 1);
    }
    return at;
  }
  // The number of an object that is there: the object itself, or the one that its value names by same_as.
  Result<int> Number(int at, SlimVector<int>* order) {
    Object* object = &objects_[static_cast<std::size_t>(at)];
    if (object->value != nullptr && !object->value->same_as.empty()) {
      const std::string& path = object->value->same_as;
      if (!object->children.empty())
        return errors::InvalidArgument("WriteObjectCheckpoint: '", object->value->path, "' is the same object as '",
                                       path, "'; a path that goes on behind it must begin with that");
      const std::size_t count = objects_.size();
      TENON_ASSIGN_OR_RETURN(at, At(path));
      object = &objects_[static_cast<std::size_t>(at)];
      if (objects_.size() != count || object->value == nullptr || !object->value->same_as.empty())
        return errors::InvalidArgument("WriteObjectCheckpoint: same_as names '", path,
                                       "', which has no value of its own");
    }
    if (object->number < 0) {
      object->number = static_cast<int>(order->size());
      order->push_back(at);
    }
    return object->number;
  }
  // The number of an object, after all have got theirs.
  Result<int> Known(std::string_view path) {
    const std::size_t count = objects_.size();
    TENON_ASSIGN_OR_RETURN(const int at, At(path));
    SlimVector<int> none;
    if (objects_.size() != count)
      return errors::InvalidArgument("WriteObjectCheckpoint: a slot variable's '", path, "' is not among the paths");
    return Number(at, &none);
  }

  SlimVector<Object> objects_;  // the first is the root
  SlimVector<const ObjectValue*> slots_;
};

}  // namespace detail

// Writes a checkpoint with these tensors and an object graph of their paths. Replaces a checkpoint of that name in one
// step (BundleWriter). InvalidArgument: a path that is empty, there twice or not escaped (EscapeObjectName), same_as
// without such a value, or a slot variable without its variable. Other errors are the errors of BundleWriter.
inline Status WriteObjectCheckpoint(const std::string& prefix, Span<const ObjectValue> values,
                                    const ObjectCheckpointOptions& options = {}) {
  detail::ObjectTree tree;
  bool has_counter = false;
  for (const ObjectValue& value : values) {
    has_counter |= value.path == "save_counter";
    TENON_RETURN_IF_ERROR(tree.Add(value));
  }
  ObjectValue counter{"save_counter", Tensor::Scalar(options.save_counter.value_or(0))};
  if (options.save_counter && !has_counter) TENON_RETURN_IF_ERROR(tree.Add(counter));
  TrackableObjectGraph graph;
  SlimVector<std::pair<std::string, const ObjectValue*>> tensors;
  TENON_RETURN_IF_ERROR(tree.Make(&graph, &tensors));
  BundleWriter writer(prefix);
  TENON_RETURN_IF_ERROR(writer.Open());
  for (const auto& [key, value] : tensors) TENON_RETURN_IF_ERROR(writer.Add(key, value->tensor));
  const std::string bytes = SerializeTrackableObjectGraph(graph);
  TENON_RETURN_IF_ERROR(writer.Add(detail::kObjectGraphKey, Tensor::Scalar(std::string_view(bytes))));
  return writer.Finish();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
