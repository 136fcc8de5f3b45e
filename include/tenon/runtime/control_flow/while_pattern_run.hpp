// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simple loops (runtime/control_flow/while_pattern.hpp) of a program with frames, ready to run: each as two programs, as a While.

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

TENON_NAMESPACE_BEGIN

namespace detail {

// One loop with the steps of its programs, which use the cache of `lender`'s step. externally synchronised.
class SimpleLoopRun {
 public:
  SimpleLoopRun(Owned<SimpleLoop> loop, Step* lender)
      : loop_(std::move(loop)), cond_(*loop_->cond, lender), body_(*loop_->body, lender) {}

  const SimpleLoop& loop() const { return *loop_; }
  // The variable that begins with what this Enter hands on, which must be one of the loop's.
  int VariableOf(int program_node) const {
    std::size_t i = 0;
    while (loop_->enters[i].program_node != program_node) ++i;
    return loop_->enters[i].variable;
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
      if (Owned<SimpleLoop> loop = MakeSimpleLoop(program_, plan_, frame); loop != nullptr)
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
  SlimVector<Frame> frames_;
};

}  // namespace detail

TENON_NAMESPACE_END
