// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interfaces of the runtime's extensions (base/extensions.hpp), which a plain frozen graph does not need.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct PlanReport;
struct ProgramOptions;

namespace detail {

class KernelCache;
class TraceCollector;

// Callback for the end of a run. Called on any thread.
struct RunEnded {
  void (*call)(void* state) = nullptr;
  void* state = nullptr;
  void operator()() const { call(state); }
};

// Runs the program of one step; made for it, and used again with it. externally synchronised.
class Executor {
 public:
  virtual ~Executor() = default;
  // `trace` may be null.
  virtual Status Run(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) = 0;
  // Starts a run that no thread waits for. Calls `ended` once, on some thread, perhaps under a lock of the executor.
  // Then End, on another thread, returns the status. Executors of one thread run to the end in the call.
  virtual void Start(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended) noexcept {
    status_ = Run(pool, flush_denormals, nullptr);
    ended();
  }
  virtual Status End() { return std::exchange(status_, OkStatus()); }

 protected:
  Status status_;  // of Start
};

// Memory plans for the runs of one program. externally synchronised.
class RunPlans {
 public:
  virtual ~RunPlans() = default;
  // The step of the plan for these feeds' shapes; null when there is none.
  virtual Step* Find(Span<const Tensor> feeds) = 0;
  // Runs the step that Find returned, on the thread that owns its cache; then Ran receives the result. `trace` may be
  // null.
  virtual Status Run(TraceCollector* trace) = 0;
  virtual void Ran(const Status& status) = 0;
  // Counts a run without a plan. True when these shapes have come Program::plan_after_runs times in a row: then Make
  // follows, if the run succeeds.
  virtual bool Count(Span<const Tensor> feeds) = 0;
  // A plan for the shapes that were counted last, with which `ran` has just run; takes its memory from that step.
  virtual void Make(Step* ran) = 0;
  // Reports on the plan used last; false when there is none.
  virtual bool GetReport(PlanReport* report) const = 0;
};

// A loop made of two programs, a condition and a body, or of a body whose first variable counts, planned for one set of
// shapes. externally synchronised.
class PlannedLoop {
 public:
  virtual ~PlannedLoop() = default;
  // `cond`: null where the loop counts.
  virtual bool Fits(const Program* cond, Span<const Tensor> variables) const = 0;
  // Runs the loop, on the thread that owns the cache of the body's step; the variables are replaced by what they are in
  // the end. *finished: the condition no longer holds. Otherwise some value had another shape than planned: the loop
  // goes on without the plan, which must not be used again, as after an error. `range`: of a loop that counts,
  // which goes on in it; then there is no condition.
  virtual Status Run(Span<Tensor> variables, ReadCondition holds, ForRange* range, bool* finished) = 0;
};

// The functions of a session's graph. thread-safe.
class GraphFunctions : public FunctionRuntime {
 public:
  // A graph with more functions than the one before. `owner`: keeps it; null: it stays.
  virtual void SetGraph(const Graph* graph, Ref<RefCounted> owner) = 0;
};

// Runs TensorFlow 1 control flow: finds the frames of a graph, makes an executor for one thread or for a pool.
struct ControlFlow {
  Result<ControlFlowFrames> (*find_frames)(const Graph&, Span<const char>, Span<const InEdge>,
                                           const CancellationManager* cancellation);
  MakeExecutor make;
  MakeExecutor make_on_pool;
};

// A program that was built, with what it was built from. All outlive the call.
struct OptimizedBuild {
  const Graph& graph;
  KernelCache* kernels;  // nodes with state keep their kernels
  const Registry* registry;
  Device* device;
  Device* host;
  FunctionRuntime* functions;
  Span<const InEdge> feeds, fetches;
  Span<const int> targets;
  const ProgramOptions& options;
  const OptimizerOptions& optimizer;
  std::int64_t packed_weights_bytes;
};
// Optimises programs, of <tenon/optimizer.hpp>.
struct SignatureOptimizer {
  // InvalidArgument: the options name an unknown pass, or a limit is out of range.
  Status (*check)(const OptimizerOptions& options);
  // Replaces *program by the program of the optimised graph. It stays where that cannot be built. Cancelled.
  Status (*replace)(const OptimizedBuild& build, Owned<Program>* program);
};

TENON_DETAIL_COLD inline Status PartMissing(std::string_view what, std::string_view header) {
  return errors::Unimplemented(what,
                               ", which this program was compiled without: include <tenon/runtime.hpp> without "
                               "TENON_MINIMAL_RUNTIME, or <tenon/",
                               header, "> too, in one source file");
}

TENON_DETAIL_COLD inline Status NoControlFlow() {
  return PartMissing("The graph has TensorFlow 1 control flow", "runtime/control_flow/parallel_executor.hpp");
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
