// SPDX-License-Identifier: Apache-2.0
#pragma once
// TrackableObjectGraph and SavedObjectGraph: the trees of Python objects in TensorFlow 2's checkpoints (the tensor
// _CHECKPOINTABLE_OBJECT_GRAPH) and SavedModels (MetaGraphDef::object_graph_def) as plain data.
// op/graph_def/object_graph_proto.hpp reads and writes them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/versions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The objects of a checkpoint. Node 0 is the root.
struct TrackableObjectGraph {
  struct ObjectReference {  // a child, by the name of its attribute
    std::int32_t node_id = 0;
    std::string local_name;

    friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
  };
  struct SerializedTensor {  // a tensor of the object in the checkpoint
    std::string name;  // "VARIABLE_VALUE"
    std::string full_name;  // name of the variable in Python
    std::string checkpoint_key;  // name of the tensor in the checkpoint

    friend bool operator==(const SerializedTensor&, const SerializedTensor&) = default;
  };
  struct SlotVariableReference {  // an optimizer's variable for another variable
    std::int32_t original_variable_node_id = 0;
    std::string slot_name;
    std::int32_t slot_variable_node_id = 0;

    friend bool operator==(const SlotVariableReference&, const SlotVariableReference&) = default;
  };
  struct RegisteredSaver {  // functions of Python that save and restore the object
    std::string name;
    std::string object_name;

    friend bool operator==(const RegisteredSaver&, const RegisteredSaver&) = default;
  };
  struct BoolValue {  // a bool that may be absent
    bool value = false;

    friend bool operator==(const BoolValue&, const BoolValue&) = default;
  };
  struct TrackableObject {  // one object
    SlimVector<ObjectReference> children;
    SlimVector<SerializedTensor> attributes;
    SlimVector<SlotVariableReference> slot_variables;
    std::optional<RegisteredSaver> registered_saver;
    std::optional<BoolValue> has_checkpoint_values;

    friend bool operator==(const TrackableObject&, const TrackableObject&) = default;
  };

  SlimVector<TrackableObject> nodes;

  friend bool operator==(const TrackableObjectGraph&, const TrackableObjectGraph&) = default;
};

// An object of a class that the program defines.
struct SavedUserObject {
  std::string identifier;  // "_generic_user_object", "trackable_list_wrapper"
  VersionDef version;
  std::string metadata;

  friend bool operator==(const SavedUserObject&, const SavedUserObject&) = default;
};
// A file in MetaGraphDef::asset_file_def.
struct SavedAsset {
  std::int32_t asset_file_def_index = 0;

  friend bool operator==(const SavedAsset&, const SavedAsset&) = default;
};
// A tf.function: the traces of it that were saved.
struct SavedFunction {
  SlimVector<std::string> concrete_functions;  // names in SavedObjectGraph::concrete_functions
  std::string function_spec;  // serialised FunctionSpec, kept as it came

  friend bool operator==(const SavedFunction&, const SavedFunction&) = default;
};
// Replicated variables: when copies agree, and how they become one value.
enum class VariableSynchronization : std::int32_t { kAuto = 0, kNone = 1, kOnWrite = 2, kOnRead = 3 };
enum class VariableAggregation : std::int32_t { kNone = 0, kSum = 1, kMean = 2, kOnlyFirstReplica = 3 };
// A variable; its value stands in the checkpoint.
struct SavedVariable {
  DataType dtype = DataType::kInvalid;
  std::optional<PartialTensorShape> shape;
  bool trainable = false;
  VariableSynchronization synchronization = VariableSynchronization::kAuto;
  VariableAggregation aggregation = VariableAggregation::kNone;
  std::string name;
  std::string device;
  SlimVector<SavedVariable> experimental_distributed_variable_components;

  friend bool operator==(const SavedVariable& a, const SavedVariable& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.trainable == b.trainable &&
           a.synchronization == b.synchronization && a.aggregation == b.aggregation && a.name == b.name &&
           a.device == b.device &&
           a.experimental_distributed_variable_components == b.experimental_distributed_variable_components;
  }
};
// One trace of a function, without its tf.function.
struct SavedBareConcreteFunction {
  std::string concrete_function_name;
  SlimVector<std::string> argument_keywords;
  std::int64_t allowed_positional_arguments = 0;
  std::string function_spec;  // serialised FunctionSpec, kept as it came

  friend bool operator==(const SavedBareConcreteFunction&, const SavedBareConcreteFunction&) = default;
};
// A captured constant.
struct SavedConstant {
  std::string operation;  // name of a Const node

  friend bool operator==(const SavedConstant&, const SavedConstant&) = default;
};
// A table or another resource; its children create and initialise it.
struct SavedResource {
  std::string device;

  friend bool operator==(const SavedResource&, const SavedResource&) = default;
};
// A tensor of another function.
struct CapturedTensor {
  std::string name;  // name of a tensor in the function
  std::string concrete_function;

  friend bool operator==(const CapturedTensor&, const CapturedTensor&) = default;
};
// Functions that save and restore an attribute of an object, as numbers of nodes.
struct SaveableObject {
  std::int32_t save_function = 0;
  std::int32_t restore_function = 0;

  friend bool operator==(const SaveableObject&, const SaveableObject&) = default;
};
// One trace of a tf.function: a function of the graph's library.
struct SavedConcreteFunction {
  SlimVector<std::int32_t> bound_inputs;  // nodes of the object graph that are its last arguments
  std::string canonicalized_input_signature;  // serialised StructuredValue, kept as it came
  std::string output_signature;  // serialised StructuredValue, kept as it came

  friend bool operator==(const SavedConcreteFunction&, const SavedConcreteFunction&) = default;
};

// An object of a SavedModel. At most one of the members from user_object to captured_tensor is set.
struct SavedObject {
  SlimVector<TrackableObjectGraph::ObjectReference> children;
  SlimVector<TrackableObjectGraph::SlotVariableReference> slot_variables;
  std::optional<SavedUserObject> user_object;
  std::optional<SavedAsset> asset;
  std::optional<SavedFunction> function;
  std::optional<SavedVariable> variable;
  std::optional<SavedBareConcreteFunction> bare_concrete_function;
  std::optional<SavedConstant> constant;
  std::optional<SavedResource> resource;
  std::optional<CapturedTensor> captured_tensor;
  SlimVector<std::pair<std::string, SaveableObject>> saveable_objects;  // sorted by name
  std::string registered_name;
  std::optional<AnyMessage> serialized_user_proto;
  SlimVector<TrackableObjectGraph::ObjectReference> dependencies;
  std::string registered_saver;

  friend bool operator==(const SavedObject&, const SavedObject&) = default;
};

// The objects of a SavedModel. Node 0 is the root.
struct SavedObjectGraph {
  SlimVector<SavedObject> nodes;
  SlimVector<std::pair<std::string, SavedConcreteFunction>> concrete_functions;  // sorted by name

  friend bool operator==(const SavedObjectGraph&, const SavedObjectGraph&) = default;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
