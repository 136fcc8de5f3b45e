// SPDX-License-Identifier: Apache-2.0
#pragma once
// SaveVariables and RestoreVariables: a session's variables in checkpoints of both formats, without nodes of a saver.
// RunSaver and RunRestorer use the nodes that a SaverDef names.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/io/checkpoint.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/session/callable_impl.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A variable of a session's graph: a node VarHandleOp, VariableV2 or Variable.
struct SessionVariable {
  std::string name;  // shared_name, or the name of the node
  std::string container;  // "": the default one
  std::string node;  // name of the first node that has it
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;  // as declared
  bool is_resource = false;  // a VarHandleOp
};

// Arguments of SaveVariables other than the prefix.
struct SaveVariablesOptions {
  SaverDef::Version format = SaverDef::Version::kV2;
  // Variables to save and their names in the checkpoint. Empty: all, under their own names.
  SlimVector<std::pair<std::string, std::string>> keys = {};
};
// Arguments of RestoreVariables other than the prefix.
struct RestoreVariablesOptions {
  // Variables to restore and the names of their tensors in the checkpoint. Empty: all, from their own names.
  SlimVector<std::pair<std::string, std::string>> keys = {};
  bool allow_missing = false;  // variables without a tensor in the checkpoint stay as they are
  bool allow_extra = false;  // tensors without a variable are left; always so where `keys` is given
};

namespace detail {

// A variable, where its value lives, and its name in the checkpoint.
struct StoredVariable {
  SessionVariable info;
  std::string key;
  Device* device = nullptr;
  ResourceMgr* resources = nullptr;
  Ref<Var> var;
};

// shared_name of a VarHandleOp whose runs make variables without names.
inline constexpr std::string_view kUnnamedVariable = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// Describes the variable of a node. False: the node has none that lives by its name.
inline bool IsVariableNode(const NodeDef& node, SessionVariable* variable) {
  variable->is_resource = node.op == "VarHandleOp";
  if (!variable->is_resource && node.op != "VariableV2" && node.op != "Variable") return false;
  std::string_view shared_name, container;
  TryGetNodeAttr(node, "shared_name", &shared_name);
  TryGetNodeAttr(node, "container", &container);
  TryGetNodeAttr(node, "dtype", &variable->dtype);
  TryGetNodeAttr(node, "shape", &variable->shape);
  if (node.op == "Variable" && variable->shape.dims() == 0) variable->shape = PartialTensorShape();  // means unknown
  if (shared_name == kUnnamedVariable) return false;
  variable->name = shared_name.empty() && !variable->is_resource ? std::string_view(node.name) : shared_name;
  variable->container = container;
  variable->node = node.name;
  return true;
}

inline Status FindVariables(const SessionImpl& session, SlimVector<StoredVariable>* variables) {
  const Ref<GraphUse> use = session.current();
  if (!use) return SessionImpl::NoGraph("SaveVariables");
  const Graph& graph = use->state->graph;
  FlatMap<std::string, std::size_t> places;
  for (const Node& node : graph.nodes()) {
    StoredVariable variable;
    if (!IsVariableNode(node.def, &variable.info)) continue;
    const SessionVariable& info = variable.info;
    if (const std::size_t* const place = places.FindValue(info.name)) {
      const SessionVariable& first = (*variables)[*place].info;
      if (first.container != info.container || first.is_resource != info.is_resource || first.dtype != info.dtype)
        return errors::InvalidArgument("SaveVariables: the nodes '", first.node, "' and '", info.node,
                                       "' have different variables of the name '", info.name, "'");
      continue;
    }
    places.try_emplace(info.name, variables->size());
    if (session.session_devices() == nullptr) {
      variable.device = info.is_resource ? session.device() : session.host();
    } else {
      const std::string_view device = graph.assigned_device_name(node.id);
      for (Device* const candidate : session.devices())
        if (variable.device == nullptr || candidate->name() == device) variable.device = candidate;
    }
    variable.resources = session.resources_of(variable.device);
    variable.key = info.name;
    variables->push_back(std::move(variable));
  }
  return OkStatus();
}

// Keeps the variables that `keys` names, in that order, with the names there.
inline Status ChooseVariables(const SlimVector<std::pair<std::string, std::string>>& keys,
                              SlimVector<StoredVariable>* variables) {
  if (keys.empty()) return OkStatus();
  FlatMap<std::string, std::size_t> places;
  for (std::size_t i = 0; i < variables->size(); ++i) places.try_emplace((*variables)[i].info.name, i);
  SlimVector<StoredVariable> chosen;
  for (const auto& [name, key] : keys) {
    const std::size_t* const place = places.FindValue(name);
    if (place == nullptr) return errors::NotFound("The session has no variable '", name, "'");
    chosen.push_back((*variables)[*place]);
    chosen[chosen.size() - 1].key = key;
  }
  *variables = std::move(chosen);
  return OkStatus();
}

template <class T>
Status LookupVariable(StoredVariable* variable, bool make) {
  Ref<T> found;
  const SessionVariable& info = variable->info;
  if (make) {
    const DataType dtype = info.dtype;
    TENON_RETURN_IF_ERROR(
        variable->resources->LookupOrCreate<T>(info.container, info.name, &found, [dtype](Ref<T>* made) {
          *made = Ref<T>::Adopt(new T(dtype));
          return OkStatus();
        }));
  } else {
    TENON_RETURN_IF_ERROR(variable->resources->Lookup<T>(info.container, info.name, &found));
  }
  variable->var = std::move(found);
  return OkStatus();
}
// Finds the variable; `make`: makes one without a value where there is none.
inline Status OpenVariable(StoredVariable* variable, bool make) {
  return variable->info.is_resource ? LookupVariable<Var>(variable, make) : LookupVariable<LegacyVar>(variable, make);
}

// Copies the value to memory that no run changes.
inline Status CopyValue(const SessionImpl& session, StoredVariable* variable, Tensor* value) {
  const Status no_value = errors::FailedPrecondition("Attempting to use uninitialized value ", variable->info.name,
                                                     "; initialise it first, or leave it out");
  if (!OpenVariable(variable, false).ok()) return no_value;
  const MutexLock lock(variable->var->mutex);
  const Tensor& tensor = variable->var->tensor;
  if (variable->info.is_resource ? !variable->var->is_initialized : !tensor.IsInitialized()) return no_value;
  if (!tensor.HostAccessible()) return variable->device->CopyToHost(tensor, session.host()->allocator(), value);
  if (variable->info.is_resource) {  // copied when it is written to while it is shared
    *value = tensor;
    return OkStatus();
  }
  *value = tensor.DeepCopy();
  if (value->IsInitialized()) return OkStatus();
  return errors::ResourceExhausted("No memory for a copy of the variable '", variable->info.name, "' ", tensor.shape());
}

inline Status WriteVariables(const SessionImpl& session, const std::string& prefix,
                             const SaveVariablesOptions& options) {
  SlimVector<StoredVariable> variables;
  TENON_RETURN_IF_ERROR(FindVariables(session, &variables));
  TENON_RETURN_IF_ERROR(ChooseVariables(options.keys, &variables));
  if (variables.empty()) return errors::InvalidArgument("SaveVariables: the session's graph has no variables");
  SlimVector<Tensor> values(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i)
    TENON_RETURN_IF_ERROR(CopyValue(session, &variables[i], &values[i]));
  if (options.format != SaverDef::Version::kV2) {
    SliceCheckpointWriter writer;
    for (std::size_t i = 0; i < variables.size(); ++i)
      TENON_RETURN_IF_ERROR(writer.Add(variables[i].key, values[i].shape(), TensorSlice(values[i].dims()), values[i]));
    return writer.Finish(prefix);
  }
  BundleWriter writer(prefix);
  TENON_RETURN_IF_ERROR(writer.Open());
  for (std::size_t i = 0; i < variables.size(); ++i) TENON_RETURN_IF_ERROR(writer.Add(variables[i].key, values[i]));
  return writer.Finish();
}

// Reads and checks the value of a variable. *value stays uninitialised where the checkpoint lacks it and that is
// allowed.
inline Status ReadValue(const StoredVariable& variable, const std::string& prefix, bool allow_missing,
                        CheckpointReader* reader, std::optional<Tensor>* value) {
  const SessionVariable& info = variable.info;
  DataType dtype = DataType::kInvalid;
  TensorShape shape;
  std::string type_name;
  const Status described = reader->Describe(variable.key, &dtype, &shape, &type_name);
  if (errors::IsNotFound(described))
    return allow_missing ? OkStatus()
                         : errors::NotFound("Key ", variable.key, " not found in checkpoint '", prefix,
                                            "', which RestoreVariables needs for the variable '", info.name, "'",
                                            PrefixHint(prefix));
  TENON_RETURN_IF_ERROR(described);
  if (dtype != info.dtype)
    return errors::InvalidArgument("RestoreVariables: '", variable.key, "' in '", prefix, "' is ", type_name,
                                   ", the variable '", info.name, "' ", info.dtype);
  if (!info.shape.IsCompatibleWith(shape))
    return errors::InvalidArgument("RestoreVariables: '", variable.key, "' in '", prefix, "' has the shape ", shape,
                                   ", the variable '", info.name, "' ", info.shape);
  TENON_ASSIGN_OR_RETURN(Tensor read, reader->Read(variable.key));
  if (info.is_resource || variable.device->uses_host_memory()) {  // the first kernel that reads it brings it there
    *value = std::move(read);
    return OkStatus();
  }
  return variable.device->CopyToDevice(read, &value->emplace());
}

inline Status CheckNoExtra(const CheckpointReader& reader, const std::string& prefix,
                           const SlimVector<StoredVariable>& variables) {
  FlatMap<std::string, bool> known;
  for (const StoredVariable& variable : variables) known.try_emplace(variable.key, true);
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> names, reader.Names());
  std::string extra;
  int count = 0;
  for (const std::string& name : names)
    if (known.FindValue(name) == nullptr && ++count <= 5) StrAppend(&extra, extra.empty() ? "'" : ", '", name, "'");
  if (count == 0) return OkStatus();
  return errors::InvalidArgument("RestoreVariables: ", count, " tensors in '", prefix,
                                 "' have no variable in the session (", extra, count > 5 ? ", ..." : "",
                                 "); RestoreVariablesOptions::allow_extra leaves them");
}

inline Status ReadVariables(const SessionImpl& session, const std::string& prefix,
                            const RestoreVariablesOptions& options) {
  SlimVector<StoredVariable> variables;
  TENON_RETURN_IF_ERROR(FindVariables(session, &variables));
  TENON_RETURN_IF_ERROR(ChooseVariables(options.keys, &variables));
  TENON_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(prefix));
  if (!options.allow_extra && options.keys.empty()) TENON_RETURN_IF_ERROR(CheckNoExtra(reader, prefix, variables));
  SlimVector<std::optional<Tensor>> values(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i)
    TENON_RETURN_IF_ERROR(ReadValue(variables[i], prefix, options.allow_missing, &reader, &values[i]));
  for (StoredVariable& variable : variables) {
    TENON_RETURN_IF_ERROR(OpenVariable(&variable, true));
    const MutexLock lock(variable.var->mutex);
    if (variable.var->tensor.dtype() != variable.info.dtype)
      return errors::InvalidArgument("RestoreVariables: the variable '", variable.info.name, "' holds ",
                                     variable.var->tensor.dtype(), ", its node '", variable.info.node, "' asks for ",
                                     variable.info.dtype);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {  // nothing can fail from here on
    if (!values[i].has_value()) continue;
    Var& var = *variables[i].var;
    const MutexLock lock(var.mutex);
    std::swap(var.tensor, *values[i]);  // the old value goes after the lock
    var.is_initialized = true;
  }
  return OkStatus();
}

inline Result<SessionImpl*> ImplOf(const Session& session) {
  auto* const impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return NoSession();
  if (impl->IsClosed()) return impl->Closed();
  return impl;
}

inline Status NoSaver(std::string_view call, std::string_view member) {
  return errors::FailedPrecondition(call, ": the SaverDef has no ", member, ": the graph has no saver");
}

}  // namespace detail

// Lists the variables of the session's graph, in graph order; variables that have no name of their own are left out.
// InvalidArgument: an empty Session, one without a graph, or two variables of one name.
inline Result<SlimVector<SessionVariable>> ListVariables(const Session& session) {
  return detail::CatchAll("ListVariables", [&]() -> Result<SlimVector<SessionVariable>> {
    TENON_ASSIGN_OR_RETURN(const detail::SessionImpl* const impl, detail::ImplOf(session));
    SlimVector<detail::StoredVariable> found;
    TENON_RETURN_IF_ERROR(detail::FindVariables(*impl, &found));
    SlimVector<SessionVariable> variables;
    for (detail::StoredVariable& variable : found) variables.push_back(std::move(variable.info));
    return variables;
  });
}

// Returns the value of a variable, which later runs do not change. NotFound: the session has no variable of that name.
// FailedPrecondition: it has no value. InvalidArgument: see ListVariables. thread-safe.
//
//   TENON_ASSIGN_OR_RETURN(const Tensor momentum, ReadVariable(session, "dense/kernel/momentum"));
inline Result<Tensor> ReadVariable(const Session& session, const std::string& name) {
  return detail::CatchAll("ReadVariable", [&]() -> Result<Tensor> {
    TENON_ASSIGN_OR_RETURN(const detail::SessionImpl* const impl, detail::ImplOf(session));
    SlimVector<detail::StoredVariable> variables;
    TENON_RETURN_IF_ERROR(detail::FindVariables(*impl, &variables));
    TENON_RETURN_IF_ERROR(detail::ChooseVariables({{name, name}}, &variables));
    Tensor value;
    TENON_RETURN_IF_ERROR(detail::CopyValue(*impl, &variables[0], &value));
    return value;
  });
}

// Writes the values of the session's variables as a checkpoint, in one step (BundleWriter). A run may go on at the same
// time: each value is whole, but values may be of different moments. FailedPrecondition: a variable has no value.
// NotFound: `keys` names no variable. InvalidArgument: see ListVariables, or the graph has no variables. Other errors
// are the errors of BundleWriter and SliceCheckpointWriter. thread-safe.
//
//   TENON_RETURN_IF_ERROR(SaveVariables(session, "/models/ckpt-7"));
//   TENON_RETURN_IF_ERROR(RestoreVariables(session, "/models/ckpt-7"));
inline Status SaveVariables(const Session& session, const std::string& prefix,
                            const SaveVariablesOptions& options = {}) {
  return detail::CatchAll("SaveVariables", [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(const detail::SessionImpl* const impl, detail::ImplOf(session));
    return detail::WriteVariables(*impl, prefix, options);
  });
}
// Sets the session's variables to the values of a checkpoint of either format. All are read and checked before the
// first is set. NotFound: no such checkpoint, or it lacks a tensor. InvalidArgument: a tensor without a variable, a
// tensor with another type or shape, or see ListVariables. Other errors are the errors of CheckpointReader.
// thread-safe, but a run at the same time may see some variables before and some after.
inline Status RestoreVariables(const Session& session, const std::string& prefix,
                               const RestoreVariablesOptions& options = {}) {
  return detail::CatchAll("RestoreVariables", [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(const detail::SessionImpl* const impl, detail::ImplOf(session));
    return detail::ReadVariables(*impl, prefix, options);
  });
}

// Saves with the saver's nodes, as tf.compat.v1.train.Saver does, and returns the prefix that they answer: that of a
// sharded checkpoint of the first format is a pattern. FailedPrecondition: the SaverDef is empty. Other errors are the
// errors of Session::Run.
inline Result<std::string> RunSaver(const Session& session, const SaverDef& saver, std::string_view prefix) {
  if (saver.filename_tensor_name.empty()) return detail::NoSaver("RunSaver", "filename_tensor_name");
  if (saver.save_tensor_name.empty()) return detail::NoSaver("RunSaver", "save_tensor_name");
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> paths,
                         session.Run({{saver.filename_tensor_name, Tensor::Scalar(prefix)}}, {saver.save_tensor_name}));
  if (paths[0].dtype() != DataType::kString || paths[0].NumElements() != 1)
    return errors::InvalidArgument("RunSaver: '", saver.save_tensor_name, "' is ", paths[0].dtype(), paths[0].shape(),
                                   "; the prefix is one string");
  return std::string(paths[0].data<tstring>()[0].view());
}
// Restores with the saver's nodes. After an error some variables may be restored: RestoreVariables restores all or
// none. FailedPrecondition: the SaverDef is empty. Other errors are the errors of Session::Run.
inline Status RunRestorer(const Session& session, const SaverDef& saver, std::string_view prefix) {
  if (saver.filename_tensor_name.empty()) return detail::NoSaver("RunRestorer", "filename_tensor_name");
  if (saver.restore_op_name.empty()) return detail::NoSaver("RunRestorer", "restore_op_name");
  return session.Run({{saver.filename_tensor_name, Tensor::Scalar(prefix)}}, {}, {saver.restore_op_name}).status();
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
