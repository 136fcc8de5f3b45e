// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/call_frame.hpp>

#include <doctest/doctest.h>

namespace call_frame_test {
using namespace tenon;

TEST_SUITE("FunctionCallFrame") {
  constexpr DataType kArgs[] = {DataType::kFloat, DataType::kInt32};
  constexpr DataType kRets[] = {DataType::kFloat, DataType::kBool};

  TEST_CASE("arguments go in, results come out") {
    FunctionCallFrame frame(kArgs, kRets);
    const Tensor args[] = {Tensor::Scalar(1.5f), Tensor::Scalar(std::int32_t{7})};
    REQUIRE(frame.SetArgs(args).ok());
    CHECK(frame.num_args() == 2);
    const Tensor* arg = nullptr;
    REQUIRE(frame.GetArg(1, &arg).ok());
    CHECK(arg->scalar<std::int32_t>()() == 7);
    Tensor own;
    REQUIRE(frame.ConsumeArg(0, &own).ok());
    CHECK(own.scalar<float>()() == 1.5f);
    REQUIRE(frame.SetRetval(0, own).ok());
    REQUIRE(frame.SetRetval(1, Tensor::Scalar(true)).ok());
    SlimVector<Tensor> results;
    REQUIRE(frame.GetRetvals(&results).ok());
    CHECK(results[1].scalar<bool>()());
    REQUIRE(frame.ConsumeRetvals(&results).ok());
    CHECK(frame.GetRetvals(&results).message() == "Retval[0] does not have value");
  }
  TEST_CASE("what does not fit") {
    FunctionCallFrame frame(kArgs, kRets);
    const Tensor args[] = {Tensor::Scalar(1.5f), Tensor::Scalar(2.5f)};
    CHECK(frame.SetArgs({args, 1}).ToString() == "INVALID_ARGUMENT: Expects 2 arguments, but 1 is provided");
    CHECK(frame.SetArgs(args).ToString() == "INVALID_ARGUMENT: Expects arg[1] to be int32 but float is provided");
    const Tensor* arg = nullptr;
    CHECK(frame.GetArg(2, &arg).message() == "GetArg 2 is not within [0, 0)");
    CHECK(frame.SetRetval(2, args[0]).message() == "SetRetval 2 is not within [0, 2)");
    CHECK(frame.SetRetval(1, args[0]).message() == "Expects ret[1] to be bool, but float is provided.");
    REQUIRE(frame.SetRetval(0, args[0]).ok());
    CHECK(frame.SetRetval(0, args[0]).ToString() == "INTERNAL: Retval[0] has already been set.");
    SlimVector<Tensor> results;
    CHECK(frame.ConsumeRetvals(&results).ToString() == "INTERNAL: Retval[1] does not have value");
    REQUIRE(frame.ConsumeRetvals(&results, true).ok());
    CHECK(results.size() == 2);
  }
}
}  // namespace call_frame_test
