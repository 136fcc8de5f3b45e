// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/dense_handles.hpp>

#include <thread>

#include "ops/outputs.hpp"
#include "ops/state/training_case.hpp"

namespace state_training_handles_test {
using namespace state_test;
using tenon::testing::Make;
using tenon::testing::ShapesOf;

TEST_SUITE("optimizer steps on resource variables") {
  TEST_CASE("each op follows its formula, with every input in its place") {
    CheckRule<ops::ResourceApplyAdaMax>(rules::AdaMax);
    CheckRule<ops::ResourceApplyAdadelta>(rules::Adadelta);
    CheckRule<ops::ResourceApplyAdagrad>(rules::Adagrad, "update_slots");
    CheckRule<ops::ResourceApplyAdagradDA>(rules::AdagradDA);
    CheckRule<ops::ResourceApplyAdagradV2>(rules::AdagradV2, "update_slots");
    CheckRule<ops::ResourceApplyAdam>(rules::Adam, "use_nesterov");
    CheckRule<ops::ResourceApplyAdamWithAmsgrad>(rules::AdamWithAmsgrad);
    CheckRule<ops::ResourceApplyAddSign>(rules::AddSign);
    CheckRule<ops::ResourceApplyCenteredRMSProp>(rules::CenteredRMSProp);
    CheckRule<ops::ResourceApplyFtrl>(rules::Ftrl, "multiply_linear_by_lr");
    CheckRule<ops::ResourceApplyFtrlV2>(rules::FtrlV2, "multiply_linear_by_lr");
    CheckRule<ops::ResourceApplyGradientDescent>(rules::GradientDescent);
    CheckRule<ops::ResourceApplyKerasMomentum>(rules::KerasMomentum, "use_nesterov");
    CheckRule<ops::ResourceApplyMomentum>(rules::Momentum, "use_nesterov");
    CheckRule<ops::ResourceApplyPowerSign>(rules::PowerSign);
    CheckRule<ops::ResourceApplyProximalAdagrad>(rules::ProximalAdagrad);
    CheckRule<ops::ResourceApplyProximalGradientDescent>(rules::ProximalGradientDescent);
    CheckRule<ops::ResourceApplyRMSProp>(rules::RMSProp);
    CheckRuleFor<ops::ResourceApplyRMSProp, float>(rules::RMSProp, nullptr, 1e-5);
  }
  TEST_CASE("values that were read before a step stay as they were, of the variable and its slots") {
    const Training<ops::ResourceApplyMomentum, double> m;
    m.Initialize();
    const std::vector<Tensor> kept = m.Get({"slot0/read", "slot1/read"});
    const auto before = m.Slots();
    REQUIRE(m.Step(Make<double>({3, 2}, {1})).ok());
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(tenon::testing::Numbered<double>(kept[k]) == before[k]);
      CHECK(m.Slot(static_cast<int>(k)) != before[k]);
    }
  }
  TEST_CASE("the gradient may be the variable's own value") {
    Machine m;
    const Output v = m.Handle("v", Make<float>({2}, {4, -8}));
    const Output value = m.b.Add("ReadVariableOp", "value", {v}, {{"dtype", DataType::kFloat}});
    m.b.Add("ResourceApplyGradientDescent", "step", {v, m.b.Const("a", Tensor::Scalar(.25f)), value});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Do("step").ok());
    CHECK(m.Floats("v/read") == Floats{3, -6});
  }
  TEST_CASE("a variable that does not exist, of another shape or another type") {
    const Training<ops::ResourceApplyAdagrad, float> m;
    CHECK(m.Step(Make<float>({3, 2}, {1})).ToString() == "INTERNAL: Invalid variable reference. [node 'step', CPU:0]");
    m.Initialize();
    const auto before = m.Slots();
    CHECK(m.Step(Make<float>({3}, {1})).message() ==
          "var and grad do not have the same shape: [3,2] [3] [node 'step', CPU:0]");
    CHECK(m.Slots() == before);
    Machine other;
    const Output v = other.Handle("v", Make<float>({2}, {1, 2})), accum = other.Handle("accum", Make<float>({3}, {1}));
    const Output wide = other.Handle("wide", Make<double>({2}, {1}));
    const Output handle = other.b.Placeholder("h", DataType::kResource);
    other.b.Add("ResourceApplyAdagrad", "step",
                {v, handle, other.b.Const("lr", Tensor::Scalar(1.0f)), other.b.Const("g", Make<float>({2}, {1}))});
    static_cast<void>(accum), static_cast<void>(wide);
    other.Start();
    for (const char* init : {"v/init", "accum/init", "wide/init"}) REQUIRE(other.Do(init).ok());
    CHECK(other.Do("step", {{"h", other.Get({"accum"})[0]}}).message() ==
          "var and accum do not have the same shape: [2] [3] [node 'step', CPU:0]");
    CHECK(other.Do("step", {{"h", other.Get({"wide"})[0]}}).message() ==
          "Trying to update variable with wrong dtype. Expected double got float [node 'step', CPU:0]");
    CHECK(other.Do("step", {{"h", Tensor::Scalar(1.0f)}}).code() == Code::kInvalidArgument);
    CHECK(other.Floats("v/read") == Floats{1, 2});
  }
  TEST_CASE("steps of two threads on variables in either order end, and none is lost") {
    Machine m;
    const Output a = m.Handle("a", Make<float>({100}, {0})), b = m.Handle("b", Make<float>({100}, {0}));
    const Output g = m.b.Const("g", Make<float>({100}, {1})), lr = m.b.Const("lr", Tensor::Scalar(0.0f));
    const Output momentum = m.b.Const("momentum", Tensor::Scalar(1.0f));
    m.b.Add("ResourceApplyMomentum", "ab", {a, b, lr, g, momentum});
    m.b.Add("ResourceApplyMomentum", "ba", {b, a, lr, g, momentum});
    m.Start();
    for (const char* init : {"a/init", "b/init"}) REQUIRE(m.Do(init).ok());
    const auto step = [&](const char* node) {
      for (int i = 0; i < 100; ++i)
        if (!m.Do(node).ok()) return;
    };
    std::thread other(step, "ba");
    step("ab");
    other.join();
    CHECK(m.Floats("a/read") == Floats(100, 100));
    CHECK(m.Floats("b/read") == Floats(100, 100));
  }
  TEST_CASE("shapes: scalars must be such; a gradient is compared by two ops only, as in TensorFlow") {
    CHECK(ShapesOf<ops::ResourceApplyMomentum>({{}, {}, {}, {3}, {}}) == "");
    CHECK(ShapesOf<ops::ResourceApplyMomentum>({{}, {}, {2}, {3}, {}}) ==
          "INVALID_ARGUMENT: Shape must be rank 0 but is rank 1");
    using ops::detail::ComparesGradient;
    CHECK(ComparesGradient(ops::ResourceApplyGradientDescent::signature.view()));
    CHECK(ComparesGradient(ops::ResourceApplyProximalAdagrad::signature.view()));
    CHECK(!ComparesGradient(ops::ResourceApplyAdam::signature.view()));
  }
}
}  // namespace state_training_handles_test
