// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionLibraryRuntime: kernels instantiate functions of their graph, and run them, with TensorFlow's members.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/kernel/step_environment.hpp>
#include <tenon/compat/tensorflow/base/profiler.hpp>
#include <tenon/compat/tensorflow/cancellation.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>

namespace tensorflow {

class FunctionLibraryDefinition;
class RendezvousInterface;
class ScopedStepContainer;

// The runtime of a session's functions. thread-safe.
class FunctionLibraryRuntime : public tenon::FunctionRuntime {
 public:
  using Base = tenon::FunctionRuntime;
  typedef uint64_t Handle;
  typedef uint64_t LocalHandle;
  typedef std::function<void(const Status&)> DoneCallback;

  // `target` counts; the functions are those of the graph.
  struct InstantiateOptions {
    std::string target;
    bool is_multi_device_function = false;
    bool is_component_function = false;
    std::vector<std::string> input_devices, output_devices;
    const FunctionLibraryDefinition* lib_def = nullptr;
    std::string state_handle, executor_type, xla_compile_device_type;
    bool create_kernels_eagerly = false;
    bool default_device_to_target = true;
    bool use_function_cache = false;
    bool allow_small_function_optimizations = false;
    bool allow_control_flow_sync_execution = false;
    bool int_args_and_retvals_on_device = false;
    bool function_runs_at_most_once = false;
    bool allow_soft_placement = false;
  };
  // step_id, step_container, cancellation_manager and runner count.
  struct Options {
    Options() = default;
    explicit Options(int64_t id) : step_id(id) {}
    int64_t step_id = 0;
    std::optional<int64_t> op_id;
    RendezvousInterface* rendezvous = nullptr;
    CancellationManager* cancellation_manager = nullptr;
    void* collective_executor = nullptr;
    ScopedStepContainer* step_container = nullptr;
    void* stats_collector = nullptr;
    void* coordination_service_agent = nullptr;
    std::optional<int> stack_trace;
    std::function<void(std::function<void()>)>* runner = nullptr;
    bool remote_execution = false;
    std::string source_device;
    std::vector<AllocatorAttributes> args_alloc_attrs, rets_alloc_attrs;
    bool create_rendezvous = false;
    bool allow_dead_tensors = false;
    bool run_all_kernels_inline = false;
    void* user_intra_op_threadpool = nullptr;
  };

  // Errors: NotFound: no such function. Unimplemented: a target other than the device of the runtime.
  Status Instantiate(const std::string& name, AttrSlice attrs, const InstantiateOptions& options, Handle* handle) {
    if (!options.target.empty()) {
      TF_ASSIGN_OR_RETURN(Base* const there, On(options.target));
      if (there != this)
        return errors::Unimplemented("Instantiate: function '", name, "' on another device: ", options.target);
    }
    tenon::NameAttrList call;
    call.name = name;
    for (const auto& [attr, value] : attrs) call.attr.Set(attr, ToTenon(value));
    if (name == "SymbolicGradient") {
      const AttrValue* const f = attrs.Find("f");
      if (f == nullptr) return errors::InvalidArgument("SymbolicGradient is missing attr: f");
      TF_ASSIGN_OR_RETURN(const tenon::FunctionHandle found, FindGradient(StructOf<tenon::NameAttrList>(f->func())));
      return *handle = static_cast<Handle>(found.number), Status();
    }
    const auto found = Find(call);
    if (!found.ok()) return errors::NotFound("Function ", name, " is not defined.");
    return *handle = static_cast<Handle>(found->number), Status();
  }
  Status Instantiate(const std::string& name, AttrSlice attrs, Handle* handle) {
    return Instantiate(name, attrs, InstantiateOptions(), handle);
  }
  // Handles live as long as the runtime.
  Status ReleaseHandle(Handle) { return Status(); }
  Status Finalize() { return Status(); }

  using Base::Run;
  // Calls `done` once: on the runner's thread, or before it returns where there is no runner.
  void Run(const Options& options, Handle handle, gtl::ArraySlice<Tensor> args, std::vector<Tensor>* rets,
           DoneCallback done) {
    std::vector<tenon::Tensor> values(args.begin(), args.end());
    auto call = [this, options, handle, values = std::move(values), rets, done = std::move(done)]() mutable {
      done(RunHere(options, handle, std::move(values), rets));
    };
    if (options.runner != nullptr)
      (*options.runner)(std::move(call));
    else
      call();
  }
  Status RunSync(const Options& options, Handle handle, gtl::ArraySlice<Tensor> args, std::vector<Tensor>* rets) {
    return RunHere(options, handle, std::vector<tenon::Tensor>(args.begin(), args.end()), rets);
  }
  int graph_def_version() const { return TF_GRAPH_DEF_VERSION; }

 private:
  // Calls of functions within functions, on a thread.
  struct Depth {
    static int& Of() {
      thread_local int depth = 0;
      return depth;
    }
    Depth() { ++Of(); }
    ~Depth() { --Of(); }
  };
  Status RunHere(const Options& options, Handle handle, std::vector<tenon::Tensor> args, std::vector<Tensor>* rets) {
    const Depth depth;
    tenon::RunServices services;
    services.resources = resources();
    services.step_container = reinterpret_cast<tenon::StepContainer*>(options.step_container);
    services.cancellation = options.cancellation_manager;
    tenon::StepConstants constants;
    constants.functions = this;
    tenon::StepEnvironment environment;
    environment.constants = &constants;
    environment.step_id = options.step_id;
    environment.services = &services;
    environment.call_depth = Depth::Of();
    const tenon::FunctionHandle function{static_cast<int>(handle)};
    TF_ASSIGN_OR_RETURN(const std::size_t count, CountResults(function, environment));
    std::vector<tenon::Tensor> results(count);
    TF_RETURN_IF_ERROR(static_cast<Base*>(this)->Run(function, environment, args, results));
    rets->assign(std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
    return Status();
  }
};

inline constexpr FunctionLibraryRuntime::Handle kInvalidHandle = ~FunctionLibraryRuntime::Handle{0};

}  // namespace tensorflow
