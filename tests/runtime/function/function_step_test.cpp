// SPDX-License-Identifier: Apache-2.0
// A FunctionStep over a program of its own; functions of a library are in functions_test.cpp, loops in
// loop_plan_test.cpp.
#include <tenon/runtime/function/function_step.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>

#include <tenon/kernel/condition.hpp>

#include "runtime/flow_program.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace function_step_test {
using namespace runtime_test;
using tenon::detail::FunctionStep;

namespace {

// x + 1 and x < limit, of int32 scalars.
struct Parts {
  Parts() {
    FlowGraph up(DataType::kInt32), less(DataType::kInt32);
    up.Feed("x").Feed("limit").Const("one", Tensor::Scalar(1)).Node("y", "AddV2", {"x", "one"});
    less.Feed("x").Feed("limit").Node("go_on", "Less", {"x", "limit"});
    body = BuildFlow(up, {"x", "limit"}, {"y", "limit"});
    cond = BuildFlow(less, {"x", "limit"}, {"go_on"});
  }
  std::unique_ptr<FlowProgram> cond, body;
};

}  // namespace

TEST_SUITE("FunctionStep") {
  TEST_CASE("takes its arguments and gives its results, again and again") {
    Parts parts;
    for (const int plan_after_runs : {0, 1, 2}) {
      parts.body->program->plan_after_runs = plan_after_runs;
      FunctionStep step(*parts.body->program);
      step.BeginWithin(StepEnvironment());
      for (std::int32_t i = 0; i < 5; ++i) {
        step.args()[0] = Tensor::Scalar(i);
        step.args()[1] = Tensor::Scalar(10);
        const Status status = step.Run();
        REQUIRE_MESSAGE(status.ok(), status.message());
        CHECK(step.results()[0].scalar<std::int32_t>()() == i + 1);
        CHECK(step.results()[1].scalar<std::int32_t>()() == 10);
      }
    }
  }

  TEST_CASE("refuses arguments of another type, and runs with the right ones afterwards") {
    Parts parts;
    FunctionStep step(*parts.body->program);
    step.BeginWithin(StepEnvironment());
    step.args()[0] = Tensor::Scalar(1.0f);
    step.args()[1] = Tensor::Scalar(1);
    const Status status = step.Run();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(Contains(status.message(), "Expects arg[0] to be int32 but float is provided"), status.message());
    step.args()[0] = Tensor::Scalar(1);
    step.args()[1] = Tensor::Scalar(1);
    CHECK(step.Run().ok());
  }

  TEST_CASE("is the body of a loop, whose plan takes its memory from the lender") {
    Parts parts;
    parts.body->program->plan_after_runs = parts.cond->program->plan_after_runs = 1;
    Step lender(*parts.body->program);
    const tenon::detail::OwnsCache owner(&lender);
    FunctionStep cond(*parts.cond->program, &lender), body(*parts.body->program, &lender);
    cond.BeginWithin(lender.environment(true));
    body.BeginWithin(lender.environment(true));
    for (const std::int32_t limit : {0, 7, 7, 100}) {
      Tensor variables[] = {Tensor::Scalar(0), Tensor::Scalar(limit)};
      const Status status = body.RunLoop(&cond, variables, &tenon::detail::ToBool);
      REQUIRE_MESSAGE(status.ok(), status.message());
      CHECK(variables[0].scalar<std::int32_t>()() == limit);
    }
    CHECK(lender.cache()->held_bytes() > 0);
  }

  TEST_CASE("ends a loop that is given up") {
    Parts parts;
    CancellationManager cancellation;
    RunServices services;
    services.cancellation = &cancellation;
    StepEnvironment env;
    env.services = &services;
    cancellation.StartCancel();
    FunctionStep cond(*parts.cond->program), body(*parts.body->program);
    cond.BeginWithin(env);
    body.BeginWithin(env);
    Tensor variables[] = {Tensor::Scalar(0), Tensor::Scalar(7)};
    CHECK(body.RunLoop(&cond, variables, &tenon::detail::ToBool).code() == Code::kCancelled);
  }
}
}  // namespace function_step_test
