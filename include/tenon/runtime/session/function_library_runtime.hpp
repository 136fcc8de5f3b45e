// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionLibraryRuntime: the functions of a library called from C++, without a graph around them. A function with its
// attrs bound is a handle; behind it stands a session of the function's body, so that its runs are planned, traced,
// bounded and cancelled as those of graphs are.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/device_resources.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/function_library.hpp>
#include <tenon/graph/gradient_maker.hpp>
#include <tenon/runtime/session/local_device.hpp>
#include <tenon/runtime/session/session_impl.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Options that tell the instances of one function apart.
struct InstantiateOptions {
  std::string target = {};        // the device that runs it, "SIM:0"; empty: the runtime's
  std::string state_handle = {};  // instances with different ones have kernels of their own, and so their states:
                                  // streams of random numbers, counters. A device's variables are all instances'
  ExecutorKind executor = ExecutorKind::kAuto;  // kAuto: the runtime's
  const FunctionLibraryDefinition* lib_def = nullptr;  // instead of the runtime's; read by Instantiate only
};

// thread-safe. Functions may call others of the library, and themselves, up to a depth of 1,000.
//
//   FunctionLibraryDefinition library(Registry::Global().ops(), graph_def.library);
//   FunctionLibraryRuntime functions(&library);
//   FunctionLibraryRuntime::Handle handle;
//   TENON_RETURN_IF_ERROR(functions.Instantiate("double", {{"T", AttrValue(DataType::kFloat)}}, {}, &handle));
//   TENON_ASSIGN_OR_RETURN(std::vector<Tensor> out, functions.Run(handle, {x}));
class FunctionLibraryRuntime {
 public:
  using Handle = std::uint64_t;
  static constexpr Handle kInvalidHandle = ~Handle{0};

  // `library` outlives this; functions that are added to it later can be instantiated, those that are instances stay
  // what they were. `options`: as for a session, with one device at most, which, or the CPU, runs what names no target,
  // and `resources`, if given, are its own; or with a device_mgr. Then the nodes of what names no target run where they
  // ask to, or as placement wants it (TensorFlow's multi-device functions), and targets are devices of the manager.
  explicit FunctionLibraryRuntime(const FunctionLibraryDefinition* library, SessionOptions options = {})
      : library_(library),
        options_(std::move(options)),
        device_(detail::ShortDeviceName(options_.device != nullptr ? options_.device->name()
                                        : options_.devices.empty() ? "CPU:0"
                                                                   : options_.devices[0])) {
    // All instances share the threads that each session would start.
    if (options_.intra_op_pool == nullptr && options_.intra_op_threads > 1)
      intra_op_pool_ = MakeOwned<ThreadPool>(options_.intra_op_threads, "tenon-intra");
    if (options_.inter_op_pool == nullptr && options_.inter_op_threads > 1)
      inter_op_pool_ = MakeOwned<ThreadPool>(options_.inter_op_threads, "tenon-inter");
  }
  FunctionLibraryRuntime(const FunctionLibraryRuntime&) = delete;
  FunctionLibraryRuntime& operator=(const FunctionLibraryRuntime&) = delete;

  // Gives one handle for a function with its attrs and options, also when called again. Each call needs a
  // ReleaseHandle. "SymbolicGradient" with the attr `f` is the gradient of f. NotFound: no such function, or an attr of
  // it is missing; InvalidArgument: an attr of another type, a body that makes no graph, an argument that is a
  // reference.
  Status Instantiate(std::string_view name, const AttrMap& attrs, const InstantiateOptions& options, Handle* handle) {
    *handle = kInvalidHandle;
    return detail::CatchAll("FunctionLibraryRuntime::Instantiate", [&]() -> Status {
      Key key{std::string(name), attrs, options};
      {
        const MutexLock lock(mutex_);
        if (FindLocked(key, handle)) return OkStatus();
      }
      Ref<Instance> made = Ref<Instance>::Adopt(new Instance);
      made->key = std::move(key);
      TENON_RETURN_IF_ERROR(Build(made.get()));
      const MutexLock lock(mutex_);
      if (FindLocked(made->key, handle)) return OkStatus();  // another thread was faster
      instances_.push_back(std::move(made));
      *handle = instances_.size() - 1;
      return OkStatus();
    });
  }
  // The last release ends the instance and its state; runs under way come to their end. NotFound: no such handle.
  Status ReleaseHandle(Handle handle) {
    Ref<Instance> released;  // goes without the lock
    const MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckLocked(handle));
    Ref<Instance>& instance = instances_[static_cast<std::size_t>(handle)];
    if (--instance->uses == 0) released = std::move(instance);
    return OkStatus();
  }

  // Calls the function on the caller's thread. InvalidArgument: arguments of another number or type; NotFound: no such
  // handle; otherwise what a run of its nodes says. With options: as Callable::Run, and the program needs
  // <tenon/runtime/session/run_with_options.hpp> in one source file.
  Result<std::vector<Tensor>> Run(Handle handle, Span<const Tensor> args) const {
    return detail::CatchAll("FunctionLibraryRuntime::Run", [&]() -> Result<std::vector<Tensor>> {
      TENON_ASSIGN_OR_RETURN(const Ref<Instance> instance, Find(handle));
      return instance->Run(args, [](const Callable& body, Span<const Tensor> feeds, Span<Tensor> fetches) {
        return body.Run(feeds, fetches);
      });
    });
  }
  Result<std::vector<Tensor>> Run(Handle handle, Span<const Tensor> args, const RunOptions& options,
                                  RunMetadata* metadata = nullptr) const {
    return detail::CatchAll("FunctionLibraryRuntime::Run", [&]() -> Result<std::vector<Tensor>> {
      TENON_ASSIGN_OR_RETURN(const Ref<Instance> instance, Find(handle));
      return instance->Run(args, [&](const Callable& body, Span<const Tensor> feeds, Span<Tensor> fetches) {
        return body.Run(feeds, fetches, options, metadata);
      });
    });
  }

  // Runs without waiting: calls `done` once, with the results or the error, on a thread of the runtime's. It may call
  // the runtime, also to wait there, but not destroy it: that waits for all runs under way. Objects that `options`
  // point to live until then.
  using DoneCallback = Function<void(Result<std::vector<Tensor>>)>;
  void RunAsync(Handle handle, std::vector<Tensor> args, DoneCallback done) const {
    Start(
        handle, std::move(args), std::move(done),
        [](const Callable& body, Span<const Tensor> feeds, Span<Tensor> fetches) { return body.Run(feeds, fetches); });
  }
  void RunAsync(Handle handle, std::vector<Tensor> args, RunOptions options, DoneCallback done) const {
    Start(handle, std::move(args), std::move(done),
          [options = std::move(options)](const Callable& body, Span<const Tensor> feeds, Span<Tensor> fetches) {
            return body.Run(feeds, fetches, options);
          });
  }

  // One for each argument and result; a list has one for each of its tensors.
  Result<SlimVector<DataType>> GetArgTypes(Handle handle) const {
    TENON_ASSIGN_OR_RETURN(const Ref<Instance> instance, Find(handle));
    return instance->arg_types;
  }
  Result<SlimVector<DataType>> GetRetTypes(Handle handle) const {
    TENON_ASSIGN_OR_RETURN(const Ref<Instance> instance, Find(handle));
    return instance->ret_types;
  }
  // The body as a graph: arguments are Placeholders in order, named as they are.
  Result<GraphDef> GetFunctionBody(Handle handle) const {
    TENON_ASSIGN_OR_RETURN(const Ref<Instance> instance, Find(handle));
    return instance->body;
  }
  // "double[T=DT_FLOAT]"
  Result<std::string> DebugString(Handle handle) const {
    TENON_ASSIGN_OR_RETURN(const Ref<Instance> instance, Find(handle));
    NameAttrList call;
    call.name = instance->key.name;
    call.attr = instance->key.attrs;
    return SummarizeAttrValue(AttrValue(std::move(call)));
  }
  // True for a stateful function or op; false for a name that is neither.
  bool IsStateful(std::string_view name) const {
    if (const FunctionDef* const function = library_->Find(name)) return function->signature.is_stateful;
    const OpView* const op = library_->default_registry().Find(name);
    return op != nullptr && op->flags.is_stateful;
  }
  // Instances that have not been released.
  std::size_t num_instances() const {
    const MutexLock lock(mutex_);
    std::size_t count = 0;
    for (const Ref<Instance>& instance : instances_) count += instance ? 1 : 0;
    return count;
  }
  const FunctionLibraryDefinition& library() const { return *library_; }
  // A runtime of the same options for another library, as a rule a copy of this one's: with no instances, and with
  // resources of its own unless the options have some. `library` outlives it.
  Owned<FunctionLibraryRuntime> Clone(const FunctionLibraryDefinition* library) const {
    return MakeOwned<FunctionLibraryRuntime>(library, options_);
  }

 private:
  struct Key {
    std::string name;
    AttrMap attrs;
    InstantiateOptions options;

    friend bool operator==(const Key& a, const Key& b) {
      return a.name == b.name && a.options.target == b.options.target &&
             a.options.state_handle == b.options.state_handle && a.options.executor == b.options.executor &&
             a.options.lib_def == b.options.lib_def && a.attrs == b.attrs;
    }
  };

  struct Place {
    std::string name;
    Owned<Device> device;  // null: the CPU, which every session has, or the caller's
    ResourceMgr resources;  // go before the device, whose memory they hold
  };

  struct Instance : RefCounted {
    template <class RunBody>
    Result<std::vector<Tensor>> Run(Span<const Tensor> args, const RunBody& run_body) const {
      if (args.size() != arg_types.size())
        return errors::InvalidArgument("Expects ", arg_types.size(), " arguments, but ", args.size(),
                                       " is provided: function '", key.name, "'");
      for (std::size_t i = 0; i < args.size(); ++i)
        if (args[i].dtype() != arg_types[i])
          return errors::InvalidArgument("Expects arg[", i, "] to be ", arg_types[i], " but ", args[i].dtype(),
                                         " is provided: function '", key.name, "'");
      SlimVector<Tensor> computed(num_computed);
      if (has_work) TENON_RETURN_IF_ERROR(run_body(callable, args, Span<Tensor>(computed.data(), computed.size())));
      std::vector<Tensor> results;
      results.reserve(ret_types.size());
      std::size_t next = 0;
      for (const int arg : arg_of_result)
        results.push_back(arg >= 0 ? args[static_cast<std::size_t>(arg)] : std::move(computed[next++]));
      return results;
    }

    Key key;
    SlimVector<DataType> arg_types, ret_types;
    SlimVector<int> arg_of_result;  // which argument a result is; -1: one that the body computes
    std::size_t num_computed = 0;
    bool has_work = false;  // the body has something to run
    GraphDef body;
    Session session;
    Callable callable;
    int uses = 1;  // guarded by the runtime's mutex
  };

  // A run that RunAsync has started.
  template <class RunBody>
  struct Call {
    Result<Ref<Instance>> instance;
    std::vector<Tensor> args;
    DoneCallback done;
    RunBody run_body;

    static void Run(void* argument) {
      const Owned<Call> call(static_cast<Call*>(argument));
      Result<std::vector<Tensor>> results =
          detail::CatchAll("FunctionLibraryRuntime::RunAsync", [&]() -> Result<std::vector<Tensor>> {
            TENON_RETURN_IF_ERROR(call->instance.status());
            return (*call->instance)->Run(call->args, call->run_body);
          });
      detail::CallAndLog("the done callback of a function", [&] { call->done(std::move(results)); });
    }
  };
  template <class RunBody>
  void Start(Handle handle, std::vector<Tensor> args, DoneCallback done, RunBody run_body) const {
    using Made = Call<RunBody>;
    auto* const call = new Made{Find(handle), std::move(args), std::move(done), std::move(run_body)};
    CallPool()->Schedule(&Made::Run, call);
  }
  ThreadPool* CallPool() const {
    const MutexLock lock(mutex_);
    if (call_pool_ == nullptr) call_pool_ = MakeOwned<ThreadPool>(detail::CpuCount() + 1, "tenon-call");
    return call_pool_.get();
  }

  bool FindLocked(const Key& key, Handle* handle) {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (!instances_[i] || !(instances_[i]->key == key)) continue;
      ++instances_[i]->uses;
      *handle = i;
      return true;
    }
    return false;
  }
  Status CheckLocked(Handle handle) const {
    if (handle < instances_.size() && instances_[static_cast<std::size_t>(handle)]) return OkStatus();
    return errors::NotFound("Handle ", handle, " is not found: it was not given by Instantiate, or has been released");
  }
  Result<Ref<Instance>> Find(Handle handle) const {
    const MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckLocked(handle));
    return instances_[static_cast<std::size_t>(handle)];
  }

  Status Build(Instance* instance) {
    const FunctionLibraryDefinition& library =
        instance->key.options.lib_def != nullptr ? *instance->key.options.lib_def : *library_;
    FunctionDefLibrary functions = library.ToProto();
    NameAttrList call;
    call.name = instance->key.name;
    call.attr = instance->key.attrs;
    const FunctionDef* function = nullptr;
    FunctionDef made;
    if (call.name == FunctionLibraryDefinition::kGradientOp) {
      TENON_RETURN_IF_ERROR(FindGradient(library, functions, &call, &made));
      if (!made.signature.name.empty()) function = &made;
    }
    if (function == nullptr) function = FindFunction(functions, call.name);
    if (function == nullptr) return errors::NotFound("Function ", call.name, " is not defined.");
    TENON_ASSIGN_OR_RETURN(FunctionGraph graph,
                           InstantiateFunction(*function, call.attr, functions, library.default_registry()));
    for (const std::string& arg : graph.args) {
      for (NodeDef& node : graph.graph.node) {
        if (node.name != arg) continue;
        DataType type = DataType::kInvalid;
        TENON_RETURN_IF_ERROR(GetNodeAttr(node, "T", &type));
        if (IsRefType(type))
          return errors::InvalidArgument("Function '", call.name, "': its argument '", arg,
                                         "' is a reference, which only graphs have");
        node.op = "Placeholder";
        node.attr.clear();
        node.attr.Set("dtype", AttrValue(type));
      }
    }
    instance->arg_types = std::move(graph.arg_types);
    instance->ret_types = std::move(graph.result_types);
    graph.graph.library = ReachableFunctions(functions, graph.graph.node);
    instance->body = std::move(graph.graph);
    return MakeCallable(instance, graph);
  }
  // The function that is the gradient of what the attr `f` names becomes the call, or *made.
  static Status FindGradient(const FunctionLibraryDefinition& library, const FunctionDefLibrary& functions,
                             NameAttrList* call, FunctionDef* made) {
    NameAttrList of;
    if (const AttrValue* const f = call->attr.Find(FunctionLibraryDefinition::kFuncAttr); f == nullptr)
      return errors::InvalidArgument(call->name, " is missing attr: ", FunctionLibraryDefinition::kFuncAttr);
    else
      TENON_RETURN_IF_ERROR(f->Get(FunctionLibraryDefinition::kFuncAttr, &of));
    if (of.name == call->name) return errors::InvalidArgument("Can't take gradient of ", call->name);
    call->attr = of.attr;
    call->name = library.FindGradient(of.name);
    if (!call->name.empty()) return OkStatus();
    TENON_ASSIGN_OR_RETURN(*made, MakeGradient(of, functions, library.default_registry()));
    return OkStatus();
  }

  // The resources of the first CPU of several devices are given apart from the others'.
  Status ChooseAmongSeveral(std::string_view target, SessionOptions* options) {
    const DeviceMgr& devices = *options->device_mgr;
    const Device* const host = devices.HostCPU();
    if (options->device_resources == nullptr) options->device_resources = &device_resources_;
    if (options->resources == nullptr) options->resources = device_resources_.Of(host);
    if (target.empty()) return OkStatus();
    Ref<RefCounted> keeps;
    while (!keeps) {  // again when another thread removes the device just now
      TENON_ASSIGN_OR_RETURN(options->device, devices.LookupDevice(target));
      keeps = devices.Keep(options->device);
    }
    if (options->device != host) options->resources = options->device_resources->Of(options->device, std::move(keeps));
    options->device_mgr = nullptr;
    options->device_resources = nullptr;
    return OkStatus();
  }
  // All instances on a device share it and its resources.
  Status ChooseDevice(std::string_view target, SessionOptions* options) {
    if (options->device_mgr != nullptr) return ChooseAmongSeveral(target, options);
    const std::string name = target.empty() ? device_ : detail::ShortDeviceName(target);
    const bool own = name == device_;  // the runtime's
    if (own && options->device != nullptr && options->resources != nullptr) return OkStatus();
    options->devices.clear();
    const MutexLock lock(mutex_);
    Place* place = nullptr;
    for (const Owned<Place>& known : places_)
      if (known->name == name) place = known.get();
    if (place == nullptr) {
      auto made = MakeOwned<Place>();
      made->name = name;
      if (!own || options->device == nullptr) {
        TENON_ASSIGN_OR_RETURN(made->device, detail::MakeLocalDevice(name));
      }
      place = places_.emplace_back(std::move(made)).get();
    }
    if (!own || options->device == nullptr) options->device = place->device.get();
    if (!own || options->resources == nullptr) options->resources = &place->resources;
    return OkStatus();
  }
  Status MakeCallable(Instance* instance, const FunctionGraph& graph) {
    CallableOptions ends;
    for (const std::string& arg : graph.args) ends.feeds.push_back(arg);
    for (const FunctionGraph::Output& result : graph.results) {
      int arg = -1;
      for (std::size_t i = 0; i < graph.args.size(); ++i)
        if (graph.args[i] == result.node) arg = static_cast<int>(i);
      instance->arg_of_result.push_back(arg);
      if (arg < 0) ends.fetches.push_back(StrCat(result.node, ":", result.index));
    }
    instance->num_computed = ends.fetches.size();
    for (const std::string& control : graph.control_results)
      if (!Contains(graph.args, control)) ends.targets.push_back(control);
    // A node with side effects runs, whether a result needs it or not.
    for (const NodeDef& node : instance->body.node) {
      const OpView* const op = library_->default_registry().Find(node.op);
      if (op != nullptr && op->flags.is_stateful && !Contains(graph.args, node.name)) ends.targets.push_back(node.name);
    }
    instance->has_work = !ends.fetches.empty() || !ends.targets.empty();
    if (!instance->has_work) return OkStatus();
    SessionOptions options = options_;
    if (intra_op_pool_ != nullptr) options.intra_op_pool = intra_op_pool_.get();
    if (inter_op_pool_ != nullptr) options.inter_op_pool = inter_op_pool_.get();
    TENON_RETURN_IF_ERROR(ChooseDevice(instance->key.options.target, &options));
    if (instance->key.options.executor != ExecutorKind::kAuto) options.executor = instance->key.options.executor;
    TENON_ASSIGN_OR_RETURN(instance->session, Session::FromGraphDef(instance->body, options));
    TENON_ASSIGN_OR_RETURN(instance->callable, instance->session.MakeCallable(ends));
    return OkStatus();
  }
  static bool Contains(const SlimVector<std::string>& names, std::string_view name) {
    for (const std::string& known : names)
      if (known == name) return true;
    return false;
  }

  const FunctionLibraryDefinition* library_;
  SessionOptions options_;
  Owned<ThreadPool> intra_op_pool_, inter_op_pool_;  // null: the options', or none
  std::string device_;  // "CPU:0": runs functions that name no target
  mutable Mutex mutex_;
  SlimVector<Owned<Place>> places_;  // outlive the instances
  DeviceResources device_resources_;  // resources of a device_mgr's devices
  SlimVector<Ref<Instance>> instances_;  // by handle; null: released
  mutable Owned<ThreadPool> call_pool_;  // RunAsync's, made by the first; goes before all that its runs use
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
