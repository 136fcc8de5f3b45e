// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/accumulator.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "ops/state/state_test.hpp"

namespace state_accumulator_test {
using namespace state_test;

TEST_SUITE("accumulators") {
  TEST_CASE("a take waits until there are enough gradients; one that came later waits behind it") {
    Machine m;
    const Output a =
        m.b.Add("ConditionalAccumulator", "a", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
    const Output g = m.b.Placeholder("g", DataType::kFloat), n = m.b.Placeholder("n", DataType::kInt32);
    m.b.Add("AccumulatorApplyGradient", "put", {a, m.b.Placeholder("step", DataType::kInt64), g});
    m.b.Add("AccumulatorTakeGradient", "take", {a, n}, {{"dtype", DataType::kFloat}});
    m.Start();
    const auto put = [&m](float x, std::int64_t step) {
      return m.Do("put", {{"g", MakeTensor<float>({2}, {x, 2 * x})}, {"step", Tensor::Scalar(step)}});
    };
    Floats first, second;
    std::atomic<bool> second_over{false};
    std::thread three([&] { first = m.Floats("take", {{"n", Tensor::Scalar<std::int32_t>(3)}}); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::thread one([&] {
      second = m.Floats("take", {{"n", Tensor::Scalar<std::int32_t>(1)}});
      second_over = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(put(3, 0).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!second_over);
    REQUIRE(put(6, 0).ok());
    REQUIRE(put(0, 0).ok());
    three.join();
    CHECK(first == Floats{3, 6});
    REQUIRE(put(100, 0).ok());  // of the step before: dropped
    REQUIRE(put(5, 1).ok());
    one.join();
    CHECK(second == Floats{5, 10});
  }
  TEST_CASE("who waits is told when the run fails elsewhere") {
    Machine m;
    const Output a = m.b.Add("ResourceConditionalAccumulator", "a", {},
                             {{"dtype", DataType::kHalf}, {"shape", PartialTensorShape({2})}});
    m.b.Add("ResourceAccumulatorTakeGradient", "take", {a, m.b.Const("n", Tensor::Scalar<std::int32_t>(1))},
            {{"dtype", DataType::kHalf}});
    m.Handle("v", MakeTensor<float>({1}, {1}));
    m.Start();
    CHECK(m.Try({"take", "v/read"}).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("the ops of a dense accumulator refuse a sparse one and another type") {
    Machine m;
    const PartialTensorShape shape({2});
    const Output dense =
        m.b.Add("ConditionalAccumulator", "dense", {}, {{"dtype", DataType::kFloat}, {"shape", shape}});
    const Output sparse =
        m.b.Add("SparseConditionalAccumulator", "sparse", {}, {{"dtype", DataType::kFloat}, {"shape", shape}});
    const Output step = m.b.Const("step", Tensor::Scalar<std::int64_t>(0));
    const Output one = m.b.Const("one", Tensor::Scalar<std::int32_t>(1));
    m.b.Add("AccumulatorApplyGradient", "put", {sparse, step, m.b.Const("g", MakeTensor<float>({2}, {1, 2}))});
    m.b.Add("SparseAccumulatorTakeGradient", "take", {dense, one}, {{"dtype", DataType::kFloat}});
    m.b.Add("AccumulatorApplyGradient", "put64", {dense, step, m.b.Const("g64", MakeTensor<double>({2}, {1, 2}))});
    m.b.Add("AccumulatorTakeGradient", "take64", {dense, one}, {{"dtype", DataType::kDouble}});
    m.Start();
    CHECK(m.Do("put").code() == Code::kInvalidArgument);
    CHECK(m.Try({"take"}).code() == Code::kInvalidArgument);
    CHECK(m.Do("put64").code() == Code::kInvalidArgument);
    CHECK(m.Try({"take64"}).code() == Code::kInvalidArgument);
  }
  TEST_CASE("scalars that are none are refused") {
    Machine m;
    const Output a =
        m.b.Add("ConditionalAccumulator", "a", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({1})}});
    const Output g = m.b.Const("g", MakeTensor<float>({1}, {1}));
    const Output step = m.b.Placeholder("step", DataType::kInt64), n = m.b.Placeholder("n", DataType::kInt32);
    m.b.Add("AccumulatorApplyGradient", "put", {a, step, g});
    m.b.Add("AccumulatorSetGlobalStep", "set", {a, step});
    m.b.Add("AccumulatorTakeGradient", "take", {a, n}, {{"dtype", DataType::kFloat}});
    m.Start();
    const Tensor none(DataType::kInt64, TensorShape({0}));
    CHECK(m.Do("put", {{"step", none}}).code() == Code::kInvalidArgument);
    CHECK(m.Do("set", {{"step", none}}).code() == Code::kInvalidArgument);
    CHECK(m.Try({"take"}, {{"n", MakeTensor<std::int32_t>({1}, {1})}}).code() == Code::kInvalidArgument);
  }
}
}  // namespace state_accumulator_test
