// SPDX-License-Identifier: Apache-2.0
// The interface alone: a runtime of one's own can stand behind it.
#include <tenon/kernel/function_runtime.hpp>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/op/attr_value.hpp>

#include <doctest/doctest.h>

namespace function_runtime_test {
using namespace tenon;

namespace {

// Knows one function, which hands its arguments back in the opposite order.
class Reversing final : public FunctionRuntime {
 public:
  Result<FunctionHandle> Find(const NameAttrList& call) override {
    if (call.name != "reverse") return errors::InvalidArgument("only 'reverse', not '", call.name, "'");
    return FunctionHandle{0};
  }
  Status CheckSingleTensors(FunctionHandle) override { return OkStatus(); }
  Status Run(FunctionHandle, const StepEnvironment& caller, Span<Tensor> args, Span<Tensor> results) override {
    if (caller.functions != this) return errors::Internal("called from another runtime");
    for (std::size_t i = 0; i < args.size(); ++i) results[args.size() - 1 - i] = std::move(args[i]);
    return OkStatus();
  }
};

}  // namespace

TEST_CASE("FunctionRuntime is found through the environment and called with tensors") {
  Reversing runtime;
  StepEnvironment env;
  CHECK(env.functions == nullptr);
  env.functions = &runtime;
  NameAttrList call;
  CHECK(errors::IsInvalidArgument(env.functions->Find(call).status()));
  call.name = "reverse";
  const auto handle = env.functions->Find(call);
  REQUIRE(handle.ok());
  Tensor args[] = {Tensor::Scalar(1.0f), Tensor::Scalar(2)},
         results[2] = {Tensor(DataType::kInvalid), Tensor(DataType::kInvalid)};
  REQUIRE(env.functions->Run(*handle, env, args, results).ok());
  CHECK(results[0].scalar<int>()() == 2);
  CHECK(results[1].scalar<float>()() == 1);
}
}  // namespace function_runtime_test
