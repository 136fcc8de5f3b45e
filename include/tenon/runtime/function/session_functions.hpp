// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionFunctions: the functions of a session's graph as programs, built when they run first.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/kernel/function_lease.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/call_numbers.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/gradient_maker.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/function/function_step.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/runtime/api/session_options.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_COLD_CODE_BEGIN

// The functions of one graph on each of its devices. thread-safe.
class FunctionsOnDevices {
 public:
  // `device`: a whole name. Internal: no such device.
  virtual Result<FunctionRuntime*> On(std::string_view device) = 0;
  TENON_DETAIL_COLD static Status NoDevice(std::string_view name) {
    return errors::Internal("Currently don't support instantiating functions on device: ", name);
  }

 protected:
  ~FunctionsOnDevices() = default;
};

// thread-safe. A call runs on its caller's thread, in the sequential engine.
class SessionFunctions final : public GraphFunctions, private FunctionsOnDevices {
 public:
  // Calls within calls. Each takes some of the thread's stack: on a small one fewer are possible.
  static constexpr int kMaxCallDepth = 1000;

  // All arguments outlive this; `graph` may be filled later, before the first Find. `lower`, if not null, changes the
  // functions' graphs.
  SessionFunctions(const Graph* graph, const Registry* registry, Device* device, Device* host,
                   const ProgramOptions& options, GraphPass lower = nullptr)
      : registry_(registry),
        device_(device),
        host_(host),
        options_(options),
        lower_(lower),
        library_(Ref<Library>::Adopt(new Library(graph, {}))),
        ops_(registry->ops()) {}

  ~SessionFunctions() override {
    if (lease_) lease_->Close();
  }

  void set_resources(ResourceMgr* resources) { resources_ = resources; }
  void set_optimizer(const OptimizerOptions& options) { optimizer_ = options; }
  ResourceMgr* resources() const override { return resources_; }
  FunctionLease* lease() override {
    const MutexLock lock(mutex_);
    if (!lease_) lease_ = Ref<FunctionLease>::Adopt(new FunctionLease(this));
    return lease_.get();
  }

  // `devices` finds the functions on the session's other devices; it outlives this.
  void set_devices(FunctionsOnDevices* devices) { devices_ = devices; }

  void SetGraph(const Graph* graph, Ref<RefCounted> owner = {}) override {
    Ref<Library> library;
    if (graph != nullptr) library = Ref<Library>::Adopt(new Library(graph, owner));
    const MutexLock lock(mutex_);
    std::swap(library_, library);  // the old one goes after the lock
    if (on_host_ != nullptr) on_host_->SetGraph(graph, std::move(owner));
  }

  TENON_DETAIL_NOINLINE Result<FunctionHandle> Find(const NameAttrList& call) override {
    MutexLock lock(mutex_);
    if (const int known = numbers_.Find(call); known >= 0) return FunctionHandle{known};
    const FunctionDef* def = library_->index().Find(call.name);
    if (def == nullptr) return NoFunction(call.name);
    return FunctionHandle{AddLocked(call, *def)};
  }
  Result<FunctionHandle> FindForBody(const NameAttrList& call) override {
    const MutexLock lock(mutex_);
    if (const int known = numbers_.Find(call, kCounts); known >= 0) return FunctionHandle{known};
    const FunctionDef* def = library_->index().Find(call.name);
    if (def == nullptr) return NoFunction(call.name);
    FunctionDef counts;
    if (!PassCounterOn(*def, &counts)) return FunctionHandle{};
    return FunctionHandle{AddLocked(call, std::move(counts), kCounts)};
  }

  Result<FunctionHandle> FindGradient(const NameAttrList& function) override {
    if (function.name == "SymbolicGradient") return errors::InvalidArgument("Can't take gradient of ", function.name);
    NameAttrList call;
    call.attr = function.attr;
    {
      const MutexLock lock(mutex_);
      if (const GradientDef* gradient = library_->index().FindGradient(function.name))
        call.name = gradient->gradient_func;
    }
    return call.name.empty() ? GradientByMaker(function) : Find(call);
  }

  Result<FunctionRuntime*> On(std::string_view device) override {
    TENON_ASSIGN_OR_RETURN(const std::string name, CanonicalizeDeviceName(device, device_->name()));
    if (name == device_->name()) return static_cast<FunctionRuntime*>(this);
    if (devices_ != nullptr) return devices_->On(name);
    if (name == host_->name()) return OnHost();
    return FunctionsOnDevices::NoDevice(name);
  }

  TENON_DETAIL_NOINLINE Status CheckSingleTensors(FunctionHandle handle) override {
    MutexLock lock(mutex_);
    const OpDef& op = functions_[static_cast<std::size_t>(handle.number)]->def.signature;
    for (const auto* args : {&op.input_arg, &op.output_arg}) {
      for (const OpDef::ArgDef& arg : *args) {
        if (arg.number_attr.empty() && arg.type_list_attr.empty()) continue;
        return errors::InvalidArgument("Function ", op.name, " has an ", args == &op.input_arg ? "input" : "output",
                                       " named \"", arg.name,
                                       "\" that is a list of tensors. Multi-device functions "
                                       "support only single-tensor inputs and outputs");
      }
    }
    return OkStatus();
  }

  TENON_DETAIL_NOINLINE Result<FunctionCalls*> Begin(FunctionHandle handle, const StepEnvironment& caller,
                                                     std::size_t num_args, std::size_t num_results) override {
    TENON_ASSIGN_OR_RETURN(BegunStep step, BeginStep(handle, caller, num_args, num_results));
    return static_cast<FunctionCalls*>(step.release());
  }

  Status RunLoop(FunctionHandle cond, FunctionHandle body, const StepEnvironment& caller, Span<Tensor> variables,
                 ReadCondition holds) override {
    const std::size_t count = variables.size();
    TENON_ASSIGN_OR_RETURN(const BegunStep condition, BeginStep(cond, caller, count, 1));
    TENON_ASSIGN_OR_RETURN(const BegunStep step, BeginStep(body, caller, count, count));
    return step->RunLoop(condition.get(), variables, holds);
  }

  Status RunFor(FunctionHandle body, const StepEnvironment& caller, const ForRange& range,
                Span<Tensor> variables) override {
    TENON_ASSIGN_OR_RETURN(const BegunStep step, BeginStep(body, caller, variables.size(), variables.size()));
    return step->RunFor(range, variables);
  }

  Result<std::size_t> CountResults(FunctionHandle handle, const StepEnvironment& caller) override {
    SessionFunction* function;
    {
      const MutexLock lock(mutex_);
      function = functions_[static_cast<std::size_t>(handle.number)].get();
    }
    if (!function->ready.load(std::memory_order_acquire))
      TENON_RETURN_IF_ERROR(Build(function, caller.services == nullptr ? nullptr : caller.services->cancellation));
    return function->program->fetches.size();
  }

  // A step for the calls of one caller; ended with it.
  struct EndsStep {
    void operator()(FunctionStep* step) const { step->End(); }
  };
  using BegunStep = Owned<FunctionStep, EndsStep>;
  TENON_DETAIL_NOINLINE Result<BegunStep> BeginStep(FunctionHandle handle, const StepEnvironment& caller,
                                                    std::size_t num_args, std::size_t num_results) {
    SessionFunction* function;
    {
      MutexLock lock(mutex_);
      function = functions_[static_cast<std::size_t>(handle.number)].get();
    }
    if (caller.call_depth >= kMaxCallDepth) [[unlikely]]
      return TooDeep(*function);
    if (StackIsShort(caller.call_depth)) [[unlikely]]
      return NoStack(*function, caller.call_depth);
    if (!function->ready.load(std::memory_order_acquire)) [[unlikely]]
      TENON_RETURN_IF_ERROR(Build(function, caller.services == nullptr ? nullptr : caller.services->cancellation));
    TENON_RETURN_IF_ERROR(CheckCounts(*function, num_args, num_results));
    FunctionStep* step = function->steps->Take().release();
    step->Begin(function, caller);
    return BegunStep(step);
  }

  Status Run(FunctionHandle handle, const StepEnvironment& caller, Span<Tensor> args, Span<Tensor> results) override {
    TENON_ASSIGN_OR_RETURN(const BegunStep calls, BeginStep(handle, caller, args.size(), results.size()));
    for (std::size_t i = 0; i < args.size(); ++i) calls->args()[i] = std::move(args[i]);
    const Status status = calls->Run();
    for (std::size_t i = 0; status.ok() && i < results.size(); ++i) results[i] = std::move(calls->results()[i]);
    return status;
  }

 private:
  static constexpr char kCounts = 1, kGradient = 2;  // kinds of numbers_: bodies of a For, gradients that were made

  // The functions of a graph, shared with builds under way when the graph changes.
  struct Library final : RefCounted {
    Library(const Graph* of, Ref<RefCounted> keeps) : graph(of), owner(std::move(keeps)) {}
    // Made when first asked for, under mutex_.
    const FunctionIndex& index() {
      if (index_ == nullptr) index_ = MakeOwned<FunctionIndex>(graph->library());
      return *index_;
    }
    const Graph* const graph;  // may be filled before the first question
    const Ref<RefCounted> owner;

   private:
    Owned<FunctionIndex> index_;
  };
  Ref<Library> library() {
    const MutexLock lock(mutex_);
    (void)library_->index();
    return library_;
  }
  // *counts: `def` with its first argument as its first result, too. False where that is a list.
  static bool PassCounterOn(const FunctionDef& def, FunctionDef* counts) {
    if (def.signature.input_arg.empty()) return false;
    OpDef::ArgDef counter = def.signature.input_arg[0];
    if (!counter.number_attr.empty() || !counter.type_list_attr.empty()) return false;
    *counts = def;
    counts->ret.push_back({"", counter.name});
    for (const OpDef::ArgDef& arg : def.signature.output_arg)  // no result has a longer name
      if (arg.name.size() >= counter.name.size()) counter.name = StrCat(arg.name, "_");
    counts->ret.back().first = counter.name;
    counts->signature.output_arg.insert(counts->signature.output_arg.begin(), std::move(counter));
    return true;
  }
  int AddLocked(const NameAttrList& call, FunctionDef def, char kind = 0) {
    auto function = MakeOwned<SessionFunction>();
    function->call = call;
    function->def = std::move(def);
    function->counts = kind == kCounts;
    functions_.push_back(std::move(function));
    struct TakeBack {  // without memory for the number
      SlimVector<Owned<SessionFunction>>* functions;
      ~TakeBack() {
        if (functions != nullptr) functions->pop_back();
      }
    } added{&functions_};
    const int number = numbers_.Insert(call, kind);
    added.functions = nullptr;
    return number;
  }
  TENON_DETAIL_COLD Result<FunctionHandle> GradientByMaker(const NameAttrList& function) {
    NameAttrList call;  // as messages name it
    call.name = StrCat("gradient of ", function.name);
    call.attr = function.attr;
    {
      const MutexLock lock(mutex_);
      if (const int known = numbers_.Find(call, kGradient); known >= 0) return FunctionHandle{known};
    }
    TENON_ASSIGN_OR_RETURN(FunctionDef made, MakeGradient(function, library()->graph->library(), registry_->ops()));
    const MutexLock lock(mutex_);
    const int known = numbers_.Find(call, kGradient);
    if (known >= 0) return FunctionHandle{known};  // another thread was faster
    return FunctionHandle{AddLocked(call, std::move(made), kGradient)};
  }
  // The functions on the CPU, for a session on another device.
  Result<FunctionRuntime*> OnHost() {
    const MutexLock lock(mutex_);
    if (on_host_ == nullptr) {
      on_host_ = MakeOwned<SessionFunctions>(nullptr, registry_, host_, host_, options_, lower_);
      on_host_->SetGraph(library_->graph, library_->owner);
      on_host_->set_resources(resources_);
      on_host_->set_optimizer(optimizer_);
      on_host_->set_devices(this);
    }
    return static_cast<FunctionRuntime*>(on_host_.get());
  }

  TENON_DETAIL_COLD Status NoFunction(const std::string& name) const {  // under mutex_
    SlimVector<std::string_view> names;
    for (const FunctionDef& function : library_->graph->library().function) names.push_back(function.signature.name);
    return errors::InvalidArgument("Failed to find function \"", name, "\" in function library: it has ", names.size(),
                                   " functions", SuggestNames(name, names));
  }
  TENON_DETAIL_COLD static Status TooDeep(const SessionFunction& function) {
    return errors::ResourceExhausted("Function '", function.call.name, "' is called within ", kMaxCallDepth,
                                     " other calls; a recursion must end");
  }
  TENON_DETAIL_COLD static Status NoStack(const SessionFunction& function, int depth) {
    const std::size_t left = StackLeft();
    if (left == kStackUnknown)
      return errors::ResourceExhausted("Function '", function.call.name, "' is called within ", depth,
                                       " other calls on a stack of unknown size, which allows ", kMaxUnknownStackDepth,
                                       "; a recursion must end, or needs an ordinary thread");
    return errors::ResourceExhausted("Function '", function.call.name, "' is called within ", depth,
                                     " other calls, and the thread has ", left / 1024,
                                     " KiB of stack left; a recursion must end, or needs a thread with more stack");
  }
  static Status CheckCounts(const SessionFunction& function, std::size_t args, std::size_t results) {
    const Program& program = *function.program;
    if (args != program.feeds.size())
      return errors::InvalidArgument("Expects ", program.feeds.size(), " arguments, but ", args,
                                     " is provided: function '", function.call.name, "'");
    if (results != program.fetches.size()) {
      const std::size_t counter = function.counts ? 1 : 0;
      return errors::InvalidArgument("Expects ", program.fetches.size() - counter, " results, but ", results - counter,
                                     " is provided: function '", function.call.name, "'");
    }
    return OkStatus();
  }
  // `cancellation`: gives it up; the next call tries again. May be null.
  TENON_DETAIL_COLD Status Build(SessionFunction* function, const CancellationManager* cancellation) {
    MutexLock lock(function->mutex);
    if (function->ready.load(std::memory_order_relaxed)) return OkStatus();  // another thread was faster
    const Status status = BuildLocked(function, cancellation);
    if (!status.ok()) {  // unless its name stands there already
      const std::string name = StrCat("function '", function->call.name, "'");
      return status.message().find(name) == status.message().npos ? status.WithAppended(StrCat(" [", name, "]"))
                                                                  : status;
    }
    function->ready.store(true, std::memory_order_release);
    return OkStatus();
  }
  Status BuildLocked(SessionFunction* function, const CancellationManager* cancellation) {
    const Ref<Library> library = this->library();
    TENON_ASSIGN_OR_RETURN(FunctionGraph body, InstantiateFunction(function->def, function->call.attr, library->index(),
                                                                   &ops_, cancellation));
    body.graph.versions = library->graph->versions();
    ImportOptions as_body;
    as_body.allow_internal_ops = true;
    as_body.given_shapes_are_hints = true;
    as_body.check_devices = true;
    as_body.ignore_shape_errors = true;  // kernels refuse shapes; nodes that never run do no harm
    as_body.ops = &ops_;
    as_body.cancellation = cancellation;
    TENON_ASSIGN_OR_RETURN(function->graph, ImportGraphDef(std::move(body.graph), registry_->ops(), as_body));
    if (lower_ != nullptr) TENON_RETURN_IF_ERROR(lower_(&function->graph, library->graph->library(), registry_->ops()));
    const Graph& graph = function->graph;
    SlimVector<InEdge> feeds, fetches;
    SlimVector<int> targets;
    for (const std::string& arg : body.args) feeds.push_back({graph.Find(arg)->id, 0});
    for (const FunctionGraph::Output& result : body.results)
      fetches.push_back({graph.Find(result.node)->id, result.index});
    for (const std::string& control : body.control_results) targets.push_back(graph.Find(control)->id);
    // Nodes with side effects run, even if no other node waits for them.
    for (const Node& node : graph.nodes())
      if (node.op->flags.is_stateful && node.node_class != NodeClass::kArg) targets.push_back(node.id);
    function->kernels = MakeOwned<KernelCache>(&graph, registry_, device_, host_, this);
    ProgramOptions options = options_;
    options.drop_identities = true;
    options.cancellation = cancellation;
    ProgramBuilder builder(graph, function->kernels.get(), device_, host_, options, this);
    TENON_ASSIGN_OR_RETURN(function->program, builder.Build(feeds, fetches, targets));
    if (optimizer_.level != OptimizerLevel::kOff) {
      const OptimizedBuild build{
          graph,      function->kernels.get(), registry_, device_, host_, this, feeds, fetches, targets, options,
          optimizer_, kUsualPackedWeightsBytes};
      TENON_RETURN_IF_ERROR(extensions.optimizer.load(std::memory_order_acquire)->replace(build, &function->program));
    }
    function->steps = MakeOwned<ProgramPool<FunctionStep>>(*function->program);
    return OkStatus();
  }

  const Registry* registry_;
  Device* device_;
  Device* host_;
  ProgramOptions options_;
  GraphPass lower_;
  OptimizerOptions optimizer_;  // for the bodies of functions
  ResourceMgr* resources_ = nullptr;
  FunctionsOnDevices* devices_ = nullptr;  // null: this device and the host are all
  Mutex mutex_;
  SlimVector<Owned<SessionFunction>> functions_;
  CallNumbers numbers_;  // numbers of functions_
  Ref<Library> library_;
  OpInfoCache ops_;
  Ref<FunctionLease> lease_;  // null until something asks
  Owned<SessionFunctions> on_host_;  // null until a function is called there
};

inline Owned<GraphFunctions> MakeSessionFunctions(const Registry* registry, Device* device, Device* host,
                                                  ResourceMgr* resources, const SessionOptions& options) {
  auto functions = MakeOwned<SessionFunctions>(
      nullptr, registry, device, host,
      ProgramOptions{.constant_folding = options.constant_folding, .plan_after_runs = options.plan_after_runs},
      options.lower_control_flow);
  functions->set_resources(resources);
  functions->set_optimizer(options.optimizer);
  return functions;
}
inline const bool fills_functions = FillExtension(&extensions.functions, &MakeSessionFunctions);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
