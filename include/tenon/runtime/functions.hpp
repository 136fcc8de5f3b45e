// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionFunctions: the functions of a session's graph as programs, built when they run first.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/frame_executor.hpp>
#include <tenon/runtime/parts.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/ref_reads.hpp>
#include <tenon/runtime/sequential_executor.hpp>
#include <tenon/runtime/session_options.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

// thread-safe. A call runs on its caller's thread, in the sequential engine.
class SessionFunctions final : public GraphFunctions {
 public:
  // Calls within calls: each takes some of the thread's stack.
  static constexpr int kMaxCallDepth = 1000;

  // All arguments outlive this; `graph` may be filled later, before the first Find. `lower`, if not null, changes the
  // functions' graphs.
  SessionFunctions(const Graph* graph, const Registry* registry, Device* device, Device* host,
                   const ProgramOptions& options, GraphPass lower = nullptr)
      : graph_(graph), registry_(registry), device_(device), host_(host), options_(options), lower_(lower) {}

  void set_resources(ResourceMgr* resources) { resources_ = resources; }
  ResourceMgr* resources() const override { return resources_; }

  void SetGraph(const Graph* graph) override { graph_.store(graph, std::memory_order_release); }

  TENON_NOINLINE Result<FunctionHandle> Find(const NameAttrList& call) override {
    const FunctionDef* def = FindFunction(library(), call.name);
    if (def == nullptr) return NoFunction(call.name);
    MutexLock lock(mutex_);
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (functions_[i]->call == call) return FunctionHandle{static_cast<int>(i)};
    Owned<Function>& function = functions_.emplace_back(MakeOwned<Function>());
    function->call = call;
    function->def = def;
    return FunctionHandle{static_cast<int>(functions_.size()) - 1};
  }

  TENON_NOINLINE Status CheckSingleTensors(FunctionHandle handle) override {
    MutexLock lock(mutex_);
    const OpDef& op = functions_[static_cast<std::size_t>(handle.number)]->def->signature;
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

  Status Run(FunctionHandle handle, const StepEnvironment& caller, Span<Tensor> args, Span<Tensor> results) override {
    Function* function;
    {
      MutexLock lock(mutex_);
      function = functions_[static_cast<std::size_t>(handle.number)].get();
    }
    if (!function->ready.load(std::memory_order_acquire)) [[unlikely]]
      TENON_RETURN_IF_ERROR(Build(function));
    const Program& program = *function->program;
    if (caller.call_depth >= kMaxCallDepth) [[unlikely]]
      return TooDeep(*function);
    TENON_RETURN_IF_ERROR(CheckCall(*function, args, results));
    Owned<Running> running = function->steps->Take();
    Step* step = &running->step;
    step->set_step_id(caller.step_id);
    step->set_services(caller.services);
    step->set_call_depth(caller.call_depth + 1);
    for (std::size_t i = 0; i < args.size(); ++i)
      step->value(program.feeds[i].value) = std::exchange(args[i], EmptySlot());
    Status status;
    if (program.has_control_flow()) {
      if (running->frames == nullptr) running->frames = MakeOwned<FrameRun>(program, step);
      status = running->frames->Run(nullptr);
      if (status.ok()) status = CheckFetches(program, step, Code::kInternal);
    } else {
      status = RunSequential(program, step, nullptr);
    }
    if (status.ok()) [[likely]] {
      for (std::size_t i = 0; i < results.size(); ++i) {
        const Program::Fetch& fetch = program.fetches[i];
        results[i] = fetch.last ? std::exchange(step->value(fetch.value), EmptySlot()) : step->value(fetch.value);
        if (IsRefType(results[i].dtype())) [[unlikely]] {
          const Tensor reference = results[i];
          status.Update(ReadReference(reference, fetch.name, &results[i]));
        }
      }
      for (const Program::Feed& feed : program.feeds) step->value(feed.value) = EmptySlot();
    } else {
      step->Clear();
    }
    step->TrimCaches();
    function->steps->Give(std::move(running));
    return status;
  }

 private:
  struct Running {
    explicit Running(const Program& program) : step(program) {}
    Step step;
    Owned<FrameRun> frames;  // when the function has control flow
  };
  struct Function {
    NameAttrList call;
    const FunctionDef* def = nullptr;
    std::atomic<bool> ready{false};
    Mutex mutex;  // of the rest, until `ready`
    Graph graph;
    Owned<KernelCache> kernels;
    Owned<Program> program;
    Owned<ProgramPool<Running>> steps;
  };

  TENON_COLD Status NoFunction(const std::string& name) const {
    SlimVector<std::string_view> names;
    for (const FunctionDef& function : library().function) names.push_back(function.signature.name);
    return errors::InvalidArgument("Failed to find function \"", name, "\" in function library: it has ", names.size(),
                                   " functions", SuggestNames(name, names));
  }
  TENON_COLD static Status TooDeep(const Function& function) {
    return errors::ResourceExhausted("Function '", function.call.name, "' is called within ", kMaxCallDepth,
                                     " other calls; a recursion must end");
  }
  static Status CheckCall(const Function& function, Span<const Tensor> args, Span<const Tensor> results) {
    const Program& program = *function.program;
    if (args.size() != program.feeds.size())
      return errors::InvalidArgument("Expects ", program.feeds.size(), " arguments, but ", args.size(),
                                     " is provided: function '", function.call.name, "'");
    if (results.size() != program.fetches.size())
      return errors::InvalidArgument("Expects ", program.fetches.size(), " results, but ", results.size(),
                                     " is provided: function '", function.call.name, "'");
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i].dtype() != program.feeds[i].dtype)
        return errors::InvalidArgument("Expects arg[", i, "] to be ", program.feeds[i].dtype, " but ", args[i].dtype(),
                                       " is provided: function '", function.call.name, "'");
    return OkStatus();
  }

  TENON_COLD Status Build(Function* function) {
    MutexLock lock(function->mutex);
    if (function->ready.load(std::memory_order_relaxed)) return OkStatus();  // another thread was faster
    const Status status = BuildLocked(function);
    if (!status.ok()) return status.WithAppended(StrCat(" [function '", function->call.name, "']"));
    function->ready.store(true, std::memory_order_release);
    return OkStatus();
  }
  Status BuildLocked(Function* function) {
    TENON_ASSIGN_OR_RETURN(FunctionGraph body,
                           InstantiateFunction(*function->def, function->call.attr, library(), registry_->ops()));
    body.graph.versions = graph_.load(std::memory_order_acquire)->versions();
    ImportOptions import;
    import.allow_internal_ops = true;
    TENON_ASSIGN_OR_RETURN(function->graph, ImportGraphDef(std::move(body.graph), registry_->ops(), import));
    if (lower_ != nullptr) TENON_RETURN_IF_ERROR(lower_(&function->graph, library(), registry_->ops()));
    const Graph& graph = function->graph;
    SlimVector<InEdge> feeds, fetches;
    SlimVector<int> targets;
    for (const std::string& arg : body.args) feeds.push_back({graph.Find(arg)->id, 0});
    for (const FunctionGraph::Output& result : body.results)
      fetches.push_back({graph.Find(result.node)->id, result.index});
    for (const std::string& control : body.control_results) targets.push_back(graph.Find(control)->id);
    // What has side effects runs, whether anybody waits for it or not.
    for (const Node& node : graph.nodes())
      if (node.op->flags.is_stateful && node.node_class != NodeClass::kArg) targets.push_back(node.id);
    function->kernels = MakeOwned<KernelCache>(&graph, registry_, device_, host_, this);
    ProgramBuilder builder(graph, function->kernels.get(), device_, host_, options_, this);
    TENON_ASSIGN_OR_RETURN(function->program, builder.Build(feeds, fetches, targets));
    function->steps = MakeOwned<ProgramPool<Running>>(*function->program);
    return OkStatus();
  }

  const FunctionDefLibrary& library() const { return graph_.load(std::memory_order_acquire)->library(); }

  std::atomic<const Graph*> graph_;
  const Registry* registry_;
  Device* device_;
  Device* host_;
  ProgramOptions options_;
  GraphPass lower_;
  ResourceMgr* resources_ = nullptr;
  Mutex mutex_;
  SlimVector<Owned<Function>> functions_;
};

inline Owned<GraphFunctions> MakeSessionFunctions(const Registry* registry, Device* device, Device* host,
                                                  ResourceMgr* resources, const SessionOptions& options) {
  auto functions = MakeOwned<SessionFunctions>(nullptr, registry, device, host,
                                               ProgramOptions{.constant_folding = options.constant_folding},
                                               options.lower_control_flow);
  functions->set_resources(resources);
  return functions;
}
inline const bool functions_linked = LinkPart<MakeFunctions>(&runtime_parts.functions, &MakeSessionFunctions);

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
