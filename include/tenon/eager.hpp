// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eager calls: an op runs on tensors at once, without a graph.
//
//   TENON_REGISTER(tenon::Types<float>, tenon::ops::MatMul);
//   tenon::Result<tenon::Tensor> c = tenon::eager::Call<tenon::ops::MatMul>({.transpose_b = true}, a, b);
//
// The first call of an op with other types or attrs prepares a kernel, which later calls find.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/register.hpp>
#include <tenon/runtime.hpp>
#include <tenon/session.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
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
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/runtime/session/eager_call_args.hpp>
#include <tenon/runtime/session/local_device.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace eager {

// The value of one argument of an op: a tensor, or the tensors of a list.
class Argument {
 public:
  Argument(Tensor tensor) : tensors_{std::move(tensor)} {}
  Argument(std::vector<Tensor> list) : tensors_(std::move(list)), is_list_(true) {}
  Argument(std::initializer_list<Tensor> list) : tensors_(list), is_list_(true) {}

  const std::vector<Tensor>& tensors() const { return tensors_; }
  bool is_list() const { return is_list_; }

 private:
  friend class Context;
  friend class Handle;

  // Returns the device of a resource's object; "": the tensor is not a resource.
  static std::string_view DeviceOf(const Tensor& tensor) {
    const bool is_one = tensor.dtype() == DataType::kResource && tensor.IsInitialized() && tensor.NumElements() > 0;
    return is_one ? std::string_view(tensor.flat<ResourceHandle>()(0).device) : std::string_view();
  }

  std::vector<Tensor> tensors_;
  bool is_list_ = false;
};

namespace detail {

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

}  // namespace detail

// The context of eager calls: devices, their threads and resources (variables live here from call to call), and the
// prepared kernels. thread-safe but for AddFunctions.
class Context : public Calls<Context, Argument, Tensor> {
 public:
  // `options` as for a session; executor and inter-op threads matter to calls of functions only. The context has the
  // CPU and `devices`; calls that name no device run on the first of `devices`. `resources` are the CPU's. A device
  // is made when a call first needs it.
  explicit Context(SessionOptions options = {}) : options_(std::move(options)) {
    if (options_.resources == nullptr) options_.resources = &own_resources_;
    for (const std::string& device : options_.devices) AddPlace(tenon::detail::ShortDeviceName(device));
    AddPlace("CPU:0");
    options_.devices.clear();
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Returns the context of calls that name none. It lives until the process ends.
  static Context& Default() {
    static Context* const context = new Context;
    return *context;
  }

  // Makes calls on another device of the context: "SIM:0", or "/device:SIM:0". As in TensorFlow, an op that gets a
  // resource runs on the resource's device, whatever device is named, and the CPU takes ops that the device has no
  // kernel for. Arguments and results are in host memory. The calls return InvalidArgument, which lists all devices,
  // if there is no such device.
  //
  //   context.On("SIM:0").Call<tenon::ops::MatMul>(a, b)
  CallsOn<Context, Argument, Tensor> On(std::string device) { return {this, std::move(device)}; }

  // Adds functions that may be called by name, and by the attrs of ops (If, While, PartitionedCall...).
  // InvalidArgument: another function of that name is there. Not while another thread calls.
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

 private:
  friend class Async;
  friend class Calls<Context, Argument, Tensor>;
  friend class CallsOn<Context, Argument, Tensor>;

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

  Result<std::vector<Tensor>> CallOn(std::string_view device, std::string_view op, const std::vector<Argument>& inputs,
                                     const std::vector<Attr>& attrs, const detail::TypedOp* typed) {
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
                                  const std::vector<Attr>& attrs, const detail::TypedOp* typed,
                                  std::vector<Value>* feeds) {
    std::string key;
    MakeKey(op, inputs, attrs, &key, feeds);
    Place* place = &places_[0];
    if (!device.empty()) {
      place = FindPlace(device);
      if (place == nullptr) return NoSuchDevice(op, device);
    }
    if (places_.size() > 1) {
      for (const Value& value : *feeds)
        if (const std::string_view on = Input::DeviceOf(value); !on.empty())
          if (Place* const own = FindPlace(on); own != nullptr) place = own;
      key.push_back(static_cast<char>(place - places_.data()));
    }
    if (const Kernel* const kernel = FindKernel(key); kernel != nullptr) return kernel;
    if (typed != nullptr) TENON_RETURN_IF_ERROR(detail::CheckZeros(*typed, attrs));
    std::vector<detail::ArgumentTypes> types;
    for (const Input& input : inputs) {
      types.push_back({{}, input.is_list()});
      for (const Value& value : input.tensors()) types.back().types.push_back(value.dtype());
    }
    return MakeKernel(place, op, types, attrs, key);
  }

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
                                                     const std::vector<detail::ArgumentTypes>& inputs,
                                                     const std::vector<Attr>& attrs, const std::string& key) {
    const Registry& registry = options_.registry != nullptr ? *options_.registry : Registry::Global();
    TENON_RETURN_IF_ERROR(registry.status());
    // A registry of the caller's own may have no _EagerInput.
    const std::string_view input_op = registry.FindOp("_EagerInput") != nullptr ? "_EagerInput" : "Placeholder";
    GraphBuilder b(registry.ops());
    CallableOptions ends;
    SlimVector<GraphBuilder::Input> arguments;
    SlimVector<Output> all;
    for (const detail::ArgumentTypes& input : inputs) {
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

// Calls in the default context.
inline Result<std::vector<Tensor>> Call(std::string_view op, const std::vector<Argument>& inputs,
                                        const std::vector<Attr>& attrs = {}) {
  return Context::Default().Call(op, inputs, attrs);
}
template <class Op, std::convertible_to<Argument>... Inputs>
ResultOf<Op> Call(const Inputs&... inputs) {
  return Context::Default().Call<Op>(inputs...);
}
template <class Op, std::convertible_to<Argument>... Inputs>
ResultOf<Op> Call(AttrsOf<Op> attrs, const Inputs&... inputs) {
  return Context::Default().Call<Op>(std::move(attrs), inputs...);
}

}  // namespace eager

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
