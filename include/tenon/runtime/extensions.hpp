// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extensions of the runtime that a plain frozen graph does not need. Each is a header that links itself in where it is
// included; <tenon/runtime.hpp> has all of them, <tenon/lean_runtime.hpp> none.

#include <atomic>
#include <string_view>

#include <tenon/base/errors.hpp>
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

TENON_DETAIL_NAMESPACE_BEGIN

class CancellationManager;
class ResourceMgr;
class RunRendezvous;
struct PlanReport;
struct Program;
struct SessionOptions;
class Step;

namespace detail {

class TraceCollector;

// Runs the program of one step; made for it, and used again with it. externally synchronised.
class Executor {
 public:
  virtual ~Executor() = default;
  // `trace` may be null.
  virtual Status Run(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) = 0;
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

using MakeExecutor = Owned<Executor> (*)(const Program&, Step*);
using MakeRunRendezvous = Owned<RunRendezvous> (*)(CancellationManager*);
using MakeRunPlans = Owned<RunPlans> (*)(const Program&);
// For variables of these types and shapes, with which both programs have just run, each in its step, and which the body
// has just given; `condition` is what the condition gave, both are null where the loop counts. Uses the caches of the
// body's step, which outlives it. Null when there is no memory.
using MakePlannedLoop = Owned<PlannedLoop> (*)(const Step* cond, const Tensor* condition, Step* body,
                                               Span<const Tensor> variables);
using FindFramesFunction = Result<ControlFlowFrames> (*)(const Graph&, Span<const char>, Span<const InEdge>);
using MakeFunctions = Owned<GraphFunctions> (*)(const Registry*, Device* device, Device* host, ResourceMgr*,
                                                const SessionOptions&);

// Null: the binary was compiled without that extension. thread-safe.
struct RuntimeParts {
  std::atomic<MakeExecutor> dataflow{nullptr};  // runtime/executor/dataflow.hpp
  std::atomic<FindFramesFunction> find_frames{nullptr};  // runtime/control_flow/executor.hpp
  std::atomic<MakeExecutor> frames{nullptr};  // runtime/control_flow/executor.hpp
  std::atomic<MakeExecutor> parallel_frames{nullptr};  // runtime/control_flow/parallel_executor.hpp
  std::atomic<MakeFunctions> functions{nullptr};  // runtime/function/session_functions.hpp
  std::atomic<MakeRunPlans> plans{nullptr};  // runtime/planned/plan_cache.hpp
  std::atomic<MakePlannedLoop> loops{nullptr};  // runtime/planned/planned_loop.hpp
  std::atomic<MakeRunRendezvous> rendezvous{nullptr};  // runtime/executor/local_rendezvous.hpp
};
inline constinit RuntimeParts runtime_parts;

template <class Part>
bool LinkPart(std::atomic<Part>* place, Part part) {
  place->store(part, std::memory_order_release);
  return true;
}

TENON_DETAIL_COLD inline Status PartMissing(std::string_view what, std::string_view header) {
  return errors::Unimplemented(what, ", which this program was compiled without: include <tenon/", header,
                               "> or <tenon/runtime.hpp> in the source file that has <tenon/lean_runtime.hpp>");
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
