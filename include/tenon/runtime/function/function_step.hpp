// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionStep: what the calls of one function need, and the loop whose body it is.

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
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/program/kernel_cache.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/ref_inputs.hpp>
#include <tenon/runtime/executor/sequential.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

class FunctionStep;

// One function with its attrs bound. thread-safe once it is ready.
struct SessionFunction {
  NameAttrList call;
  FunctionDef def;  // a function of the library, a gradient, or a body that hands its counter on
  bool counts = false;  // the body of a For: its first result is its first argument
  std::atomic<bool> ready{false};
  Mutex mutex;  // guards the members below, until `ready`
  Graph graph;
  Owned<KernelCache> kernels;
  Owned<Program> program;
  Owned<ProgramPool<FunctionStep>> steps;
};

// A step of a function, or of a part of a loop, with what its calls need; used again and again. one thread.
class FunctionStep final : public FunctionCalls {
 public:
  // `lender`: as of a Step.
  explicit FunctionStep(const Program& program, Step* lender = nullptr) : program_(program), step_(program, lender) {
    step_.CacheResults();
    if (program.may_plan())
      if (const MakeRunPlans make = runtime_parts.plans.load(std::memory_order_acquire)) plans_ = make(program);
    for (std::size_t i = 0; i < program.feeds.size(); ++i) own_args_.push_back(EmptySlot());
    for (std::size_t i = 0; i < program.fetches.size(); ++i) own_results_.push_back(EmptySlot());
    args_ = {own_args_.data(), own_args_.size()};
    results_ = {own_results_.data(), own_results_.size()};
    loop_shapes_.resize(program.fetches.size());
  }

  // For calls of the function, out of its pool and, with End, back to there.
  void Begin(SessionFunction* function, const StepEnvironment& caller) {
    function_ = function;
    step_.set_call_depth(caller.call_depth + 1);
    BeginWithin(caller);
    if (!program_.has_control_flow()) step_.cache()->SetOwnerThread();  // the engine with frames does so itself
  }
  // For a part of a loop of a step, whose cache this one uses.
  void BeginWithin(const StepEnvironment& step) {
    step_.set_step_id(step.step_id);
    step_.set_services(step.services);
    if (function_ == nullptr) step_.set_call_depth(step.call_depth);
  }
  Status Run() override { return Run(true); }
  Status Run(bool planned_if_possible) {
    ++under_way_;
    Status status = RunOnce(planned_if_possible);
    --under_way_;
    return status;
  }
  Status RunOnce(bool planned_if_possible) {
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (args_[i].dtype() != program_.feeds[i].dtype) [[unlikely]]
        return WrongType(i);
    RunPlans* const plans = planned_if_possible ? plans_.get() : nullptr;
    Step* const planned = plans == nullptr ? nullptr : plans->Find(args_);
    if (planned == nullptr) {
      const bool counted = plans != nullptr && plans->Count(args_);
      Status status = RunStep(&step_, nullptr);
      if (counted && status.ok()) plans->Make(&step_);
      return status;
    }
    planned->StandInFor(step_);
    Status status = RunStep(planned, plans);
    plans->Ran(status);
    return status;
  }
  // As FunctionRuntime::RunLoop; this is a step of the body, `cond` one of the condition, both begun by one caller.
  Status RunLoop(FunctionStep* cond, Span<Tensor> variables, ReadCondition holds) {
    ++under_way_;
    Status status = Loop(cond, variables, holds, nullptr);
    --under_way_;
    // Wherever in an iteration it was noticed.
    if (status.code() == Code::kCancelled && IsCancelled(CancellationOf(step_))) [[unlikely]]
      return LoopCancelled();
    return status;
  }
  // As FunctionRuntime::RunFor; this is a step of the body.
  Status RunFor(ForRange range, Span<Tensor> variables) {
    ++under_way_;
    Status status = CountNext(range, variables);
    if (status.ok()) status = Loop(nullptr, variables, nullptr, &range);
    --under_way_;
    if (status.code() == Code::kCancelled && IsCancelled(CancellationOf(step_))) [[unlikely]]
      return LoopCancelled();
    return status;
  }
  // A step that an exception ended in the middle of a run is not used again.
  void End() noexcept override {
    for (Tensor& arg : own_args_) arg = empty_;
    for (Tensor& result : own_results_) result = empty_;
    if (!program_.has_control_flow()) step_.cache()->ClearOwnerThread();
    step_.set_services(nullptr);
    Owned<FunctionStep> mine(this);
    if (under_way_ == 0) [[likely]]
      function_->steps->Give(std::move(mine));
  }

 private:
  static Status CountNext(const ForRange& range, Span<Tensor> variables) {
    TENON_ASSIGN_OR_RETURN(variables[0], Tensor::Make(DataType::kInt32, TensorShape{}, range.allocator));
    variables[0].scalar<std::int32_t>()() = static_cast<std::int32_t>(range.next);
    return OkStatus();
  }
  // Whether there is another iteration, which then gets its number, if the loop counts.
  static Status GoesOn(FunctionStep* cond, Span<Tensor> variables, ReadCondition holds, const ForRange* range,
                       bool hopeful, bool* go_on) {
    if (range != nullptr) {
      *go_on = range->More();
      return *go_on ? CountNext(*range, variables) : OkStatus();
    }
    for (std::size_t i = 0; i < variables.size(); ++i) cond->args_[i] = variables[i];
    TENON_RETURN_IF_ERROR(cond->Run(!hopeful));
    return holds(cond->results_[0], go_on);
  }
  // `range`: null, or of a loop that counts and has no condition.
  Status Loop(FunctionStep* cond, Span<Tensor> variables, ReadCondition holds, ForRange* range) {
    if (loop_ != nullptr && !loop_->Fits(cond == nullptr ? nullptr : &cond->program_, variables)) loop_.reset();
    const CancellationManager* const cancellation = CancellationOf(step_);
    for (std::size_t i = 0; i < variables.size(); ++i) loop_shapes_[i] = variables[i].shape();
    const TraceCollector* const trace = TraceOf(step_);  // which shows every node
    bool finished = false;
    for (int in_a_row = 0;;) {
      if (loop_ != nullptr && trace == nullptr) {
        Status status = loop_->Run(variables, holds, range, &finished);
        if (status.ok() && finished) return status;
        loop_.reset();
        if (!status.ok()) return status;
        may_plan_loop_ = false;
      }
      if (IsCancelled(cancellation)) [[unlikely]]
        return LoopCancelled();
      const MakePlannedLoop make = runtime_parts.loops.load(std::memory_order_acquire);
      const bool hopeful = may_plan_loop_ && make != nullptr && trace == nullptr && program_.may_plan() &&
                           (cond == nullptr || cond->program_.may_plan());
      bool go_on = false;
      TENON_RETURN_IF_ERROR(GoesOn(cond, variables, holds, range, hopeful, &go_on));
      if (!go_on) return OkStatus();
      for (std::size_t i = 0; i < variables.size(); ++i) args_[i] = std::move(variables[i]);
      TENON_RETURN_IF_ERROR(Run(!hopeful));
      if (range != nullptr) range->Step();
      bool same = true;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        same = same && results_[i].shape() == loop_shapes_[i];
        loop_shapes_[i] = results_[i].shape();
        variables[i] = std::move(results_[i]);
      }
      if (!hopeful) continue;
      in_a_row = same ? in_a_row + 1 : 0;
      if (in_a_row < program_.plan_after_runs) continue;
      loop_ = make(cond == nullptr ? nullptr : &cond->step_, cond == nullptr ? nullptr : &cond->results_[0], &step_,
                   variables);
      may_plan_loop_ = loop_ != nullptr;
    }
  }
  // `plans`: that have found the step, or null.
  Status RunStep(Step* step, RunPlans* plans) {
    for (std::size_t i = 0; i < args_.size(); ++i) step->value(program_.feeds[i].value) = std::move(args_[i]);
    TraceCollector* const trace = TraceOf(step_);
    Status status = plans != nullptr ? plans->Run(trace) : Execute(trace);
    if (status.ok()) [[likely]] {
      status = TakeResults(step);
      for (const Program::Feed& feed : program_.feeds) step->value(feed.value) = empty_;
    } else {
      step->Clear();
    }
    step->TrimCaches();
    return status;
  }
  Status Execute(TraceCollector* trace) {
    if (!program_.has_control_flow()) [[likely]]
      return RunInOrder(program_, &step_, trace);
    if (frames_ == nullptr) frames_ = runtime_parts.frames.load(std::memory_order_acquire)(program_, &step_);
    TENON_RETURN_IF_ERROR(frames_->Run(nullptr, false, trace));
    return CheckFetches(program_, &step_, Code::kInternal);
  }
  Status TakeResults(Step* step) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Program::Fetch& fetch = program_.fetches[i];
      Tensor& value = step->value(fetch.value);
      if (fetch.last) {
        results_[i] = std::move(value);
        value = empty_;
      } else {
        results_[i] = value;
      }
      if (IsRefType(results_[i].dtype())) [[unlikely]]
        TENON_RETURN_IF_ERROR(ReadReference(Tensor(results_[i]), fetch.name, &results_[i]));
    }
    return OkStatus();
  }
  TENON_DETAIL_COLD Status WrongType(std::size_t i) const {
    return errors::InvalidArgument(
        "Expects arg[", i, "] to be ", program_.feeds[i].dtype, " but ", args_[i].dtype(), " is provided: ",
        function_ == nullptr ? std::string("a loop") : StrCat("function '", function_->call.name, "'"));
  }

  const Program& program_;
  int under_way_ = 0;  // calls of Run and its sisters
  SessionFunction* function_ = nullptr;  // that is being called; null: a part of a loop
  Step step_;
  Owned<Executor> frames_;  // when the function has control flow
  Owned<RunPlans> plans_;  // null: never
  SlimVector<Tensor> own_args_, own_results_;
  SlimVector<TensorShape> loop_shapes_;  // shapes of the variables after the last iteration
  Owned<PlannedLoop> loop_;  // plan of the loop whose body this is; null: none now
  bool may_plan_loop_ = true;
  const Tensor empty_ = EmptySlot();  // to be copied: quicker than making one
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
