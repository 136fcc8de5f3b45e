// SPDX-License-Identifier: Apache-2.0
#pragma once
// ContextImpl: devices, prepared kernels and functions of a context of eager calls. Defines eager::Context.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/device.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/runtime/api/eager.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/local_device.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace eager::detail {

// The op whose output is an argument. It is always fed, so it has no kernel.
struct EagerInput {
  static constexpr auto signature = Op("_EagerInput")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
};
inline const bool eager_input_is_registered = tenon::detail::BatchOf<Devices<Cpu>, EagerInput>::Link();

// The types of one argument, which decide a call's kernel.
struct ArgumentTypes {
  std::vector<DataType> types;
  bool is_list = false;
};

// Returns the device of a resource's object; "": the tensor is not a resource.
inline std::string_view DeviceOf(const Tensor& tensor) {
  const bool is_one = tensor.dtype() == DataType::kResource && tensor.IsInitialized() && tensor.NumElements() > 0;
  return is_one ? std::string_view(tensor.flat<ResourceHandle>()(0).device) : std::string_view();
}

// thread-safe but for AddFunctions.
class ContextImpl final : public RefCounted {
 public:
  // A device of the context; the CPU's `device` and `resources` are null.
  struct Place {
    std::string name;  // "SIM:0"
    Owned<Device> device;  // null until a call needs it
    Owned<ResourceMgr> resources;  // goes before the device
  };
  // An op with given types and attrs, prepared.
  struct Kernel {
    Callable run;
    std::vector<DataType> outputs;
    const Place* place;
  };

  explicit ContextImpl(SessionOptions options) : options_(std::move(options)) {
    if (options_.resources == nullptr) options_.resources = &own_resources_;
    for (const std::string& device : options_.devices) AddPlace(tenon::detail::ShortDeviceName(device));
    AddPlace("CPU:0");
    options_.devices.clear();
  }

  Status AddFunctions(const FunctionDefLibrary& functions) {
    for (const FunctionDef& function : functions.function) {
      const FunctionDef* known = FindFunction(functions_, function.signature.name);
      if (known != nullptr && !(*known == function))
        return errors::InvalidArgument("Cannot add function '", function.signature.name,
                                       "' because a different function with the same name already exists.");
    }
    for (const FunctionDef& function : functions.function)
      if (FindFunction(functions_, function.signature.name) == nullptr) functions_.function.push_back(function);
    return OkStatus();
  }

  ResourceMgr* resources() { return options_.resources; }
  std::size_t num_kernels() const {
    const MutexLock lock(mutex_);
    return kernels_.size();
  }

  Result<std::vector<Tensor>> Call(std::string_view device, std::string_view op, const std::vector<Argument>& inputs,
                                   const std::vector<Attr>& attrs, const TypedOp* typed) {
    return tenon::detail::CatchAll("eager::Call", [&]() -> Result<std::vector<Tensor>> {
      std::vector<Tensor> feeds;
      TENON_ASSIGN_OR_RETURN(const Kernel* kernel, KernelFor(device, op, inputs, attrs, typed, &feeds));
      std::vector<Tensor> outputs(kernel->outputs.size());
      TENON_RETURN_IF_ERROR(kernel->run.Run(feeds, outputs));
      return outputs;
    });
  }

  // Inputs are tensors, or handles of tensors; *feeds gets all of them.
  template <class Input, class Value>
  Result<const Kernel*> KernelFor(std::string_view device, std::string_view op, const std::vector<Input>& inputs,
                                  const std::vector<Attr>& attrs, const TypedOp* typed, std::vector<Value>* feeds) {
    std::string key;
    MakeKey(op, inputs, attrs, &key, feeds);
    Place* place = &places_[0];
    if (!device.empty()) {
      place = FindPlace(device);
      if (place == nullptr) return NoSuchDevice(op, device);
    }
    if (places_.size() > 1) {
      for (const Value& value : *feeds)
        if (const std::string_view on = DeviceOf(value); !on.empty())
          if (Place* const own = FindPlace(on); own != nullptr) place = own;
      key.push_back(static_cast<char>(place - places_.data()));
    }
    if (const Kernel* const kernel = FindKernel(key); kernel != nullptr) return kernel;
    if (typed != nullptr) TENON_RETURN_IF_ERROR(CheckZeros(*typed, attrs));
    std::vector<ArgumentTypes> types;
    for (const Input& input : inputs) {
      types.push_back({{}, input.is_list()});
      for (const Value& value : input.tensors()) types.back().types.push_back(value.dtype());
    }
    return MakeKernel(place, op, types, attrs, key);
  }

 private:
  template <class Input, class Value>
  static void MakeKey(std::string_view op, const std::vector<Input>& inputs, const std::vector<Attr>& attrs,
                      std::string* key, std::vector<Value>* feeds) {
    key->append(op);
    for (const Input& input : inputs) {
      key->push_back(input.is_list() ? '[' : ' ');
      for (const Value& value : input.tensors()) {
        key->push_back(static_cast<char>(value.dtype()));
        feeds->push_back(value);
      }
    }
    for (const auto& [name, value] : attrs) {
      StrAppend(key, "\n", name, "=");
      wire::SerializeTo(value, key);
    }
  }
  const Kernel* FindKernel(std::string_view key) const {
    const MutexLock lock(mutex_);
    const Owned<Kernel>* const found = kernels_.FindValue(key);
    return found == nullptr ? nullptr : found->get();
  }

  void AddPlace(std::string name) {
    if (FindPlace(name) == nullptr) places_.push_back({std::move(name), nullptr, nullptr});
  }
  Place* FindPlace(std::string_view device) {
    const std::string name = tenon::detail::ShortDeviceName(device);
    for (Place& place : places_)
      if (place.name == name) return &place;
    return nullptr;
  }
  TENON_DETAIL_COLD Status NoSuchDevice(std::string_view op, std::string_view device) const {
    const auto name = [](std::string* out, const Place& place) { StrAppend(out, place.name); };
    return errors::InvalidArgument("eager call of '", op, "': Could not satisfy device specification '", device,
                                   "'. All available devices [", StrJoin(places_, ", ", name),
                                   "]: those that the context was made with");
  }
  // *place becomes the CPU where the device has no kernel for the node.
  Status ChooseDevice(const NodeDef& node, const Registry& registry, Place** place, SessionOptions* options) {
    if ((*place)->name == "CPU:0") return OkStatus();
    const MutexLock lock(mutex_);
    Place& p = **place;
    if (p.device == nullptr) {
      TENON_ASSIGN_OR_RETURN(p.device, tenon::detail::MakeLocalDevice(p.name));
      p.resources = MakeOwned<ResourceMgr>();
    }
    if (registry.FindForNode(node, p.device->type()).ok()) {
      options->device = p.device.get();
      options->resources = p.resources.get();
    } else {
      *place = FindPlace("CPU:0");
    }
    return OkStatus();
  }

  TENON_DETAIL_COLD Result<const Kernel*> MakeKernel(Place* place, std::string_view op,
                                                     const std::vector<ArgumentTypes>& inputs,
                                                     const std::vector<Attr>& attrs, const std::string& key) {
    const Registry& registry = options_.registry != nullptr ? *options_.registry : Registry::Global();
    TENON_RETURN_IF_ERROR(registry.status());
    // A registry of the caller's own may have no _EagerInput.
    const std::string_view input_op = registry.FindOp("_EagerInput") != nullptr ? "_EagerInput" : "Placeholder";
    GraphBuilder b(registry.ops());
    CallableOptions ends;
    SlimVector<GraphBuilder::Input> arguments;
    SlimVector<Output> all;
    for (const ArgumentTypes& input : inputs) {
      SlimVector<Output> fed;
      for (const DataType type : input.types) {
        if (type == DataType::kInvalid)
          return errors::InvalidArgument("eager call of '", op, "': input ", ends.feeds.size(), " is an empty tensor");
        ends.feeds.push_back(StrCat("input_", ends.feeds.size()));
        fed.push_back(b.Add(input_op, ends.feeds.back(), {}, {{"dtype", type}}));
      }
      all.append(fed.begin(), fed.end());
      arguments.push_back(input.is_list ? GraphBuilder::Input(std::move(fed)) : GraphBuilder::Input(fed[0]));
    }
    if (const OpView* const known = registry.FindOp(op); known != nullptr) {
      for (const Attr& attr : attrs)
        if (known->FindAttr(attr.first) == nullptr && !attr.first.starts_with('_'))
          return NoSuchAttr(*known, attr.first);
    }
    const std::string name = IsValidNodeName(op) ? std::string(op) : "call";
    const FunctionDef* const function = registry.FindOp(op) != nullptr ? nullptr : FindFunction(functions_, op);
    const Output call = function == nullptr ? b.Add(op, name, arguments, attrs)
                                            : AddFunctionCall(&b, *function, name, std::move(all), attrs);
    TENON_RETURN_IF_ERROR(b.status());
    GraphDef graph = b.graph_def();
    if (function != nullptr || std::any_of(attrs.begin(), attrs.end(), NamesFunctions)) graph.library = functions_;
    auto kernel = MakeOwned<Kernel>();
    for (int i = 0; b.dtype(call[i]) != DataType::kInvalid; ++i) {
      if (IsRefType(b.dtype(call[i])))
        return errors::Unimplemented("eager call of '", op,
                                     "': it gives a reference to a variable, which only graphs have; use resource "
                                     "variables (VarHandleOp, ReadVariableOp, AssignVariableOp)");
      kernel->outputs.push_back(b.dtype(call[i]));
      ends.fetches.push_back(StrCat(name, ":", i));
    }
    if (ends.fetches.empty()) ends.targets.push_back(name);
    SessionOptions options = options_;
    TENON_RETURN_IF_ERROR(ChooseDevice(graph.node.back(), registry, &place, &options));
    kernel->place = place;
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, options));
    TENON_ASSIGN_OR_RETURN(kernel->run, session.MakeCallable(ends));
    const MutexLock lock(mutex_);
    Owned<Kernel>& known = kernels_[key];
    if (known == nullptr) known = std::move(kernel);  // another thread may have been quicker
    return static_cast<const Kernel*>(known.get());
  }
  TENON_DETAIL_COLD static Status NoSuchAttr(const OpView& op, std::string_view attr) {
    const auto name = [](std::string* out, const AttrSpec& spec) { StrAppend(out, "'", spec.name(), "'"); };
    return errors::InvalidArgument("eager call of '", op.name, "': the op has no attr '", attr, "'; it has ",
                                   op.attrs.empty() ? "none" : StrJoin(op.attrs, ", ", name));
  }
  static bool NamesFunctions(const Attr& attr) {
    return attr.second.kind() == AttrValue::Kind::kFunc || !attr.second.list().func.empty();
  }
  static Output AddFunctionCall(GraphBuilder* b, const FunctionDef& function, const std::string& name,
                                SlimVector<Output> inputs, const std::vector<Attr>& attrs) {
    NameAttrList f;
    f.name = function.signature.name;
    for (const auto& [key, value] : attrs) f.attr.Set(key, value);
    std::vector<DataType> results;
    for (const OpDef::ArgDef& result : function.signature.output_arg) {
      const AttrValue* const type = f.attr.Find(result.type_attr);
      results.push_back(type != nullptr ? type->type() : result.type);
    }
    const GraphBuilder::Attr given[] = {{"f", std::move(f)}, {"Tout", AttrValue(results)}};
    const GraphBuilder::Input list[] = {GraphBuilder::Input(std::move(inputs))};
    return b->AddNode(function.signature.is_stateful ? "StatefulPartitionedCall" : "PartitionedCall", name, list,
                      given);
  }

  ResourceMgr own_resources_;  // outlives the kernels' sessions, as do the devices
  SessionOptions options_;  // options of calls on the CPU
  std::vector<Place> places_;  // the first is the usual one
  FunctionDefLibrary functions_;
  mutable Mutex mutex_;
  FlatMap<std::string, Owned<Kernel>> kernels_;  // none is ever dropped: found ones are used without the lock
};

template <class U>
RefCounted* undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::MakeContext(
    SessionOptions options) {
  return new ContextImpl(std::move(options));
}
template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::Call(
    RefCounted* context, std::string_view device, std::string_view op, const std::vector<Argument>& inputs,
    const std::vector<Attr>& attrs, const TypedOp* typed) {
  return static_cast<ContextImpl*>(context)->Call(device, op, inputs, attrs, typed);
}
template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::AddFunctions(
    RefCounted* context, const FunctionDefLibrary& functions) {
  return static_cast<ContextImpl*>(context)->AddFunctions(functions);
}
template <class U>
ResourceMgr* undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::Resources(
    RefCounted* context) {
  return static_cast<ContextImpl*>(context)->resources();
}
template <class U>
std::size_t undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::NumKernels(
    RefCounted* context) {
  return static_cast<ContextImpl*>(context)->num_kernels();
}

template struct undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<void>;

}  // namespace eager::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
