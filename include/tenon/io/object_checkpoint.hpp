// SPDX-License-Identifier: Apache-2.0
#pragma once
// ObjectCheckpoint: a checkpoint of tf.train.Checkpoint or of a SavedModel. Attributes of Python objects name its
// tensors: "layers/0/kernel".

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/object_graph.hpp>
#include <tenon/op/graph_def/object_graph_proto.hpp>
#include <tenon/io/checkpoint.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Name of an attribute as paths and keys have it: "." becomes "..", "/" becomes ".S".
inline std::string EscapeObjectName(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '.')
      escaped += "..";
    else if (c == '/')
      escaped += ".S";
    else
      escaped += c;
  }
  return escaped;
}
// Name that EscapeObjectName gave that form. InvalidArgument: it gives no name such a form.
inline Result<std::string> UnescapeObjectName(std::string_view escaped) {
  std::string name;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '/')
      return errors::InvalidArgument("UnescapeObjectName: '", escaped,
                                     "' has a '/'; a slash in a name is written '.S'");
    if (escaped[i] != '.') {
      name += escaped[i];
      continue;
    }
    if (++i == escaped.size() || (escaped[i] != '.' && escaped[i] != 'S'))
      return errors::InvalidArgument("UnescapeObjectName: '", escaped,
                                     "' has a '.' before neither '.' nor 'S'; a dot in a name is written '..'");
    name += escaped[i] == '.' ? '.' : '/';
  }
  return name;
}

namespace detail {
inline constexpr std::string_view kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";
inline constexpr std::string_view kObjectAttributes = "/.ATTRIBUTES/";
inline constexpr std::string_view kOptimizerSlot = "/.OPTIMIZER_SLOT/";
inline constexpr std::string_view kVariableValue = "VARIABLE_VALUE";
}  // namespace detail

// A tensor in an object-based checkpoint.
struct ObjectTensor {
  // Shortest path of the object from the root, names escaped: "net/layers/0". An optimizer's slot variable has the path
  // "VARIABLE/.OPTIMIZER_SLOT/OPTIMIZER/SLOT_NAME".
  std::string path;
  std::string attribute;  // "VARIABLE_VALUE", "table-keys"
  std::string full_name;  // name of the variable in Python
  std::string key;  // name of the tensor in the checkpoint
  DataType dtype = DataType::kInvalid;  // kInvalid: the checkpoint lacks the key, or Tenon the type
  TensorShape shape;
  int node = 0;  // number of the object in graph()
  std::string slot_name;  // "m"; "": not a slot variable
};

// Reads an object-based checkpoint. Tensors are copies. one thread.
//
//   TENON_ASSIGN_OR_RETURN(ObjectCheckpoint checkpoint, ObjectCheckpoint::Open("/models/ckpt-3"));
//   TENON_ASSIGN_OR_RETURN(const Tensor kernel, checkpoint.Read("net/layers/0/kernel"));
class ObjectCheckpoint {
 public:
  // Opens the checkpoint with the prefix. NotFound: there is none, or it is not object-based. DataLoss: its object
  // graph is damaged. ResourceExhausted: paths take more than 64 MiB. Other errors are the errors of CheckpointReader.
  static Result<ObjectCheckpoint> Open(const std::string& prefix) {
    TENON_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(prefix));
    ObjectCheckpoint checkpoint(std::move(reader));
    const Result<Tensor> bytes = checkpoint.reader_.Read(detail::kObjectGraphKey);
    if (errors::IsNotFound(bytes.status()))
      return errors::NotFound("ObjectCheckpoint: '", prefix, "' has no tensor ", detail::kObjectGraphKey,
                              "; it was saved by names: read it with CheckpointReader");
    TENON_RETURN_IF_ERROR(bytes.status());
    if (bytes->dtype() != DataType::kString || bytes->NumElements() != 1)
      return errors::DataLoss("ObjectCheckpoint: ", detail::kObjectGraphKey, " of '", prefix, "' is ", bytes->dtype(),
                              bytes->shape(), "; one string is right");
    TENON_ASSIGN_OR_RETURN(checkpoint.graph_,
                           ParseTrackableObjectGraph(wire::AsBytes(bytes->data<tstring>()[0].view())));
    TENON_RETURN_IF_ERROR(checkpoint.ListTensors());
    return checkpoint;
  }

  const TrackableObjectGraph& graph() const { return graph_; }  // the objects as TensorFlow saved them
  const SlimVector<ObjectTensor>& tensors() const { return tensors_; }  // by object, slot variables last
  CheckpointReader& reader() { return reader_; }  // reads tensors by key

  // Returns the tensor of an object by any path that leads to it; names in it may be escaped or not. A path may end
  // with
  // "/.ATTRIBUTES/NAME"; without that it means VARIABLE_VALUE, or an object's only tensor. Lives as long as this.
  // NotFound: no such object, or it has no such tensor.
  Result<const ObjectTensor*> Find(std::string_view path) const {
    const std::size_t end = path.rfind(detail::kObjectAttributes);
    const std::string_view attribute =
        end == path.npos ? std::string_view() : path.substr(end + detail::kObjectAttributes.size());
    const std::string_view object = path.substr(0, end);
    int node = -1;
    if (object.find(detail::kOptimizerSlot) == object.npos) {
      TENON_ASSIGN_OR_RETURN(node, NodeAt(object));
    }
    const ObjectTensor* only = nullptr;
    int count = 0;
    for (const ObjectTensor& tensor : tensors_) {
      if (node >= 0 ? tensor.node != node : tensor.path != object) continue;
      if (tensor.attribute == (attribute.empty() ? detail::kVariableValue : attribute)) return &tensor;
      only = &tensor;
      ++count;
    }
    if (attribute.empty() && count == 1) return only;
    return errors::NotFound("ObjectCheckpoint: '", object, "' has ", count, " tensors",
                            attribute.empty() ? "; none is called VARIABLE_VALUE" : ", and none is called ", attribute);
  }
  // Reads the tensor of an object. Returns the errors of Find and of CheckpointReader::Read.
  Result<Tensor> Read(std::string_view path, Allocator* allocator = nullptr) {
    TENON_ASSIGN_OR_RETURN(const ObjectTensor* const tensor, Find(path));
    return reader_.Read(tensor->key, allocator);
  }

 private:
  struct Parent {
    int node = -1;
    std::string_view name;  // name of the edge from there
  };

  explicit ObjectCheckpoint(CheckpointReader reader) : reader_(std::move(reader)) {}

  const TrackableObjectGraph::TrackableObject& Object(int node) const {
    return graph_.nodes[static_cast<std::size_t>(node)];
  }
  Result<int> NodeAt(std::string_view path) const {
    int node = graph_.nodes.empty() ? -1 : 0;
    for (std::string_view rest = path; node >= 0 && !rest.empty();) {
      const std::size_t slash = rest.find('/');
      const std::string_view name = rest.substr(0, slash);
      rest.remove_prefix(slash == rest.npos ? rest.size() : slash + 1);
      int next = -1;
      for (const TrackableObjectGraph::ObjectReference& child : Object(node).children) {
        if (EscapeObjectName(child.local_name) == name) {
          next = child.node_id;
          break;
        }
        if (next < 0 && child.local_name == name) next = child.node_id;
      }
      node = next;
      if (node < 0)
        return errors::NotFound("ObjectCheckpoint: no object '", path, "': '",
                                path.substr(0, path.size() - rest.size() - (rest.empty() ? 0 : 1)),
                                "' is not in the checkpoint");
    }
    if (node < 0) return errors::NotFound("ObjectCheckpoint: the checkpoint has no objects");
    return node;
  }

  Status CheckNumber(std::int32_t node) const {
    if (node >= 0 && static_cast<std::size_t>(node) < graph_.nodes.size()) return OkStatus();
    return errors::DataLoss("ObjectCheckpoint: the object graph names object ", node, " of ", graph_.nodes.size());
  }
  Status ListTensors() {
    const std::size_t count = graph_.nodes.size();
    SlimVector<Parent> parents(count);
    SlimVector<int> order;  // objects by their distance from the root
    if (count != 0) order.push_back(0);
    SlimVector<bool> is_slot(count);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const TrackableObjectGraph::ObjectReference& child : Object(order[i]).children) {
        TENON_RETURN_IF_ERROR(CheckNumber(child.node_id));
        Parent& parent = parents[static_cast<std::size_t>(child.node_id)];
        if (child.node_id == 0 || parent.node >= 0) continue;
        parent = {order[i], child.local_name};
        order.push_back(child.node_id);
      }
    }
    TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> names, reader_.Names());
    std::string path;
    for (const int node : order) {
      if (Object(node).attributes.empty()) continue;
      TENON_RETURN_IF_ERROR(PathOf(node, parents, &path));
      TENON_RETURN_IF_ERROR(AddTensors(node, path, "", names));
    }
    for (const int optimizer : order) {
      for (const TrackableObjectGraph::SlotVariableReference& slot : Object(optimizer).slot_variables) {
        TENON_RETURN_IF_ERROR(CheckNumber(slot.original_variable_node_id));
        TENON_RETURN_IF_ERROR(CheckNumber(slot.slot_variable_node_id));
        std::string optimizer_path;
        TENON_RETURN_IF_ERROR(PathOf(slot.original_variable_node_id, parents, &path));
        TENON_RETURN_IF_ERROR(PathOf(optimizer, parents, &optimizer_path));
        StrAppend(&path, detail::kOptimizerSlot, optimizer_path, "/", EscapeObjectName(slot.slot_name));
        TENON_RETURN_IF_ERROR(AddTensors(slot.slot_variable_node_id, path, slot.slot_name, names));
      }
    }
    return OkStatus();
  }
  Status PathOf(int node, const SlimVector<Parent>& parents, std::string* path) {
    SlimVector<std::string_view> names;
    for (; parents[static_cast<std::size_t>(node)].node >= 0; node = parents[static_cast<std::size_t>(node)].node)
      names.push_back(parents[static_cast<std::size_t>(node)].name);
    path->clear();
    for (std::size_t i = names.size(); i-- > 0;) {
      *path += EscapeObjectName(names[i]);
      if (i != 0) *path += '/';
    }
    constexpr std::size_t kMost = std::size_t{1} << 26;
    path_bytes_ += path->size() + names.size();
    if (path_bytes_ <= kMost) return OkStatus();
    return errors::ResourceExhausted("ObjectCheckpoint: the paths of the objects take more than ", kMost, " bytes");
  }
  Status AddTensors(int node, const std::string& path, const std::string& slot_name,
                    const SlimVector<std::string>& names) {
    for (const TrackableObjectGraph::SerializedTensor& attribute : Object(node).attributes) {
      ObjectTensor tensor{path, attribute.name, attribute.full_name, attribute.checkpoint_key, DataType::kInvalid, {},
                          node, slot_name};
      const Status described = reader_.Describe(tensor.key, &tensor.dtype, &tensor.shape);
      if (!described.ok() && !errors::IsNotFound(described)) return described;
      if (described.ok()) {
        tensors_.push_back(std::move(tensor));
        continue;
      }
      // A table has one attribute and two tensors: KEY-keys and KEY-values.
      const std::size_t before = tensors_.size();
      const std::string start = attribute.checkpoint_key + "-";
      for (const std::string& name : names) {
        if (!StartsWith(name, start)) continue;
        tensor.key = name;
        tensor.attribute = attribute.name + name.substr(start.size() - 1);
        TENON_RETURN_IF_ERROR(reader_.Describe(name, &tensor.dtype, &tensor.shape));
        tensors_.push_back(tensor);
      }
      if (tensors_.size() == before) tensors_.push_back(std::move(tensor));
    }
    return OkStatus();
  }

  CheckpointReader reader_;
  TrackableObjectGraph graph_;
  SlimVector<ObjectTensor> tensors_;
  std::size_t path_bytes_ = 0;  // bytes of all paths
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
