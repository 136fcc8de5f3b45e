// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simple loops (runtime/control_flow/while_pattern.hpp) of a program with frames, ready to run: each as two
// programs, as a While.

#include <algorithm>
#include <cstddef>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/condition.hpp>
#include <tenon/runtime/control_flow/frame_plan.hpp>
#include <tenon/runtime/function/function_step.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/control_flow/while_pattern.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// One loop with the steps of its programs, which use the cache of `lender`'s step. externally synchronised.
class SimpleLoopRun {
 public:
  SimpleLoopRun(Owned<SimpleLoop> loop, Step* lender)
      : loop_(std::move(loop)), cond_(*loop_->cond, lender), body_(*loop_->body, lender), enters_(loop_->enters) {
    std::sort(enters_.begin(), enters_.end(),
              [](const SimpleLoop::Enter& a, const SimpleLoop::Enter& b) { return a.program_node < b.program_node; });
  }

  const SimpleLoop& loop() const { return *loop_; }
  // The variable that begins with what this Enter hands on, which must be one of the loop's.
  int VariableOf(int program_node) const {
    const auto at = std::lower_bound(enters_.begin(), enters_.end(), program_node,
                                     [](const SimpleLoop::Enter& e, int node) { return e.program_node < node; });
    return at->variable;
  }
  // The variables become what they are when the condition no longer holds. An error names its node; Cancelled: the run
  // of `step` is.
  Status Run(const StepEnvironment& step, Span<Tensor> variables) {
    cond_.BeginWithin(step);
    body_.BeginWithin(step);
    return body_.RunLoop(&cond_, variables, &ToPredicate);
  }

 private:
  Owned<SimpleLoop> loop_;
  FunctionStep cond_, body_;
  SlimVector<SimpleLoop::Enter> enters_;  // sorted by program_node
};

// Those of a program, made when they are first asked for. externally synchronised.
class SimpleLoopRuns {
 public:
  // All of them outlive this.
  SimpleLoopRuns(const Program& program, const FramePlan& plan, Step* lender)
      : program_(program), plan_(plan), lender_(lender) {}

  // Null: the frame is no simple loop.
  SimpleLoopRun* Find(int frame) {
    if (frames_.empty()) frames_ = SlimVector<Frame>(program_.frames.size());
    Frame& found = frames_[static_cast<std::size_t>(frame)];
    if (!std::exchange(found.tried, true)) [[unlikely]] {
      if (finder_ == nullptr) finder_ = MakeOwned<SimpleLoopFinder>(program_, plan_);
      if (Owned<SimpleLoop> loop = finder_->Find(frame); loop != nullptr)
        found.run = MakeOwned<SimpleLoopRun>(std::move(loop), lender_);
    }
    return found.run.get();
  }

 private:
  struct Frame {
    bool tried = false;
    Owned<SimpleLoopRun> run;
  };
  const Program& program_;
  const FramePlan& plan_;
  Step* lender_;
  Owned<SimpleLoopFinder> finder_;  // null until a frame is asked for
  SlimVector<Frame> frames_;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
