// SPDX-License-Identifier: Apache-2.0
// The interface alone: a runtime of one's own can stand behind it.
#include <tenon/kernel/function_runtime.hpp>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/op/attr/attr_value.hpp>

#include <doctest/doctest.h>

namespace function_runtime_test {
using namespace tenon;

namespace {

// Knows one function, which hands its arguments back in the opposite order.
class Reversing final : public FunctionRuntime, public FunctionCalls {
 public:
  Result<FunctionHandle> Find(const NameAttrList& call) override {
    if (call.name != "reverse") return errors::InvalidArgument("only 'reverse', not '", call.name, "'");
    return FunctionHandle{0};
  }
  Result<FunctionHandle> FindForBody(const NameAttrList&) override { return FunctionHandle{}; }
  Result<FunctionHandle> FindGradient(const NameAttrList& function) override {
    return errors::NotFound("No gradient defined for op: ", function.name);
  }
  Result<FunctionRuntime*> On(std::string_view) override { return static_cast<FunctionRuntime*>(this); }
  Status CheckSingleTensors(FunctionHandle) override { return OkStatus(); }
  Result<FunctionCalls*> Begin(FunctionHandle, const StepEnvironment& caller, std::size_t num_args,
                               std::size_t num_results) override {
    if (caller.constants->functions != this) return errors::Internal("called from another runtime");
    if (num_args != 2 || num_results != 2) return errors::InvalidArgument("two arguments and two results");
    args_ = {own_, 2};
    results_ = {own_ + 2, 2};
    return static_cast<FunctionCalls*>(this);
  }
  Status Run() override {
    for (std::size_t i = 0; i < 2; ++i) results_[1 - i] = std::move(args_[i]);
    return OkStatus();
  }
  void End() noexcept override { ended = true; }
  Status Run(FunctionHandle function, const StepEnvironment& caller, Span<Tensor> args, Span<Tensor> results) override {
    TENON_ASSIGN_OR_RETURN(FunctionCalls* const calls, Begin(function, caller, args.size(), results.size()));
    for (std::size_t i = 0; i < 2; ++i) calls->args()[i] = std::move(args[i]);
    TENON_RETURN_IF_ERROR(calls->Run());
    for (std::size_t i = 0; i < 2; ++i) results[i] = std::move(calls->results()[i]);
    calls->End();
    return OkStatus();
  }
  Status RunLoop(FunctionHandle, FunctionHandle, const StepEnvironment&, Span<Tensor>, ReadCondition) override {
    return errors::Unimplemented("it has no loops");
  }
  Status RunFor(FunctionHandle, const StepEnvironment&, const ForRange&, Span<Tensor>) override {
    return errors::Unimplemented("it has no loops");
  }

  bool ended = false;

 private:
  Tensor own_[4];
};

}  // namespace

TEST_CASE("FunctionRuntime is found through the environment and called with tensors") {
  Reversing runtime;
  StepEnvironment env;
  CHECK(env.constants->functions == nullptr);
  StepConstants constants;
  constants.functions = &runtime;
  env.constants = &constants;
  NameAttrList call;
  CHECK(errors::IsInvalidArgument(env.constants->functions->Find(call).status()));
  call.name = "reverse";
  const auto handle = env.constants->functions->Find(call);
  REQUIRE(handle.ok());
  Tensor args[] = {Tensor::Scalar(1.0f), Tensor::Scalar(2)},
         results[2] = {Tensor(DataType::kInvalid), Tensor(DataType::kInvalid)};
  REQUIRE(env.constants->functions->Run(*handle, env, args, results).ok());
  CHECK(results[0].scalar<int>()() == 2);
  CHECK(results[1].scalar<float>()() == 1);
  CHECK(runtime.ended);

  const auto calls = env.constants->functions->Begin(*handle, env, 2, 2);
  REQUIRE(calls.ok());
  for (int i = 0; i < 3; ++i) {
    (*calls)->args()[0] = Tensor::Scalar(i);
    (*calls)->args()[1] = Tensor::Scalar(2.0f * static_cast<float>(i));
    REQUIRE((*calls)->Run().ok());
    CHECK((*calls)->results()[1].scalar<int>()() == i);
    CHECK((*calls)->results()[0].scalar<float>()() == 2.0f * static_cast<float>(i));
  }
  (*calls)->End();
  CHECK(errors::IsInvalidArgument(env.constants->functions->Begin(*handle, env, 1, 2).status()));
}
}  // namespace function_runtime_test
