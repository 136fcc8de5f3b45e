// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/dense.hpp>

#include "ops/state/training_case.hpp"

namespace state_training_dense_test {
using namespace state_test;
using tenon::testing::Make;

TEST_SUITE("optimizer steps on variables by reference") {
  TEST_CASE("each op follows its formula, with every input in its place") {
    CheckRule<ops::ApplyAdaMax>(rules::AdaMax);
    CheckRule<ops::ApplyAdadelta>(rules::Adadelta);
    CheckRule<ops::ApplyAdagrad>(rules::Adagrad, "update_slots");
    CheckRule<ops::ApplyAdagradDA>(rules::AdagradDA);
    CheckRule<ops::ApplyAdagradV2>(rules::AdagradV2, "update_slots");
    CheckRule<ops::ApplyAdam>(rules::Adam, "use_nesterov");
    CheckRule<ops::ApplyAddSign>(rules::AddSign);
    CheckRule<ops::ApplyCenteredRMSProp>(rules::CenteredRMSProp);
    CheckRule<ops::ApplyFtrl>(rules::Ftrl, "multiply_linear_by_lr");
    CheckRule<ops::ApplyFtrlV2>(rules::FtrlV2, "multiply_linear_by_lr");
    CheckRule<ops::ApplyGradientDescent>(rules::GradientDescent);
    CheckRule<ops::ApplyMomentum>(rules::Momentum, "use_nesterov");
    CheckRule<ops::ApplyPowerSign>(rules::PowerSign);
    CheckRule<ops::ApplyProximalAdagrad>(rules::ProximalAdagrad);
    CheckRule<ops::ApplyProximalGradientDescent>(rules::ProximalGradientDescent);
    CheckRule<ops::ApplyRMSProp>(rules::RMSProp);
    CheckRuleFor<ops::ApplyAdam, float>(rules::Adam, "use_nesterov", 1e-5);
  }
  TEST_CASE("the output is the variable, with its new value") {
    const Training<ops::ApplyGradientDescent, float> m;
    m.Initialize();
    const Tensor out = m.Get({"step"}, {{"g", Make<float>({3, 2}, {1})}})[0];
    CHECK(tenon::testing::Numbered<float>(out) == m.Slot(0));
  }
  TEST_CASE("a variable that is its own slot is changed once by each of both") {
    Machine m;
    const Output v = m.Reference("v", Make<float>({2}, {4, 9}));
    m.b.Add("ApplyAdagrad", "step",
            {v, v, m.b.Const("lr", Tensor::Scalar(6.0f)), m.b.Const("g", Make<float>({2}, {0, 0}))});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Do("step").ok());
    CHECK(m.Floats("v") == Floats{4, 9});
  }
  TEST_CASE("what does not fit is refused by name and changes no slot") {
    const Training<ops::ApplyMomentum, float> m({}, "lr");
    const std::vector<NamedTensor> good{{"lr", Tensor::Scalar(.5f)}};
    CHECK(m.Step(Make<float>({3, 2}, {1}), {}, good).message() ==
          "Attempting to use uninitialized value slot0 [node 'step', CPU:0]");
    REQUIRE(m.Do("slot0/init").ok());
    CHECK(m.Step(Make<float>({3, 2}, {1}), {}, good).message() ==
          "Attempting to use uninitialized value slot1 [node 'step', CPU:0]");
    m.Initialize();
    const auto before = m.Slots();
    CHECK(m.Step(Make<float>({2, 2}, {1}), {}, good).message() ==
          "var and grad do not have the same shape: [3,2] [2,2] [node 'step', CPU:0]");
    CHECK(m.Step(Make<float>({3, 2}, {1}), {}, {{"lr", Make<float>({1}, {1})}}).message() ==
          "lr is not a scalar: [1] [node 'step', CPU:0]");
    CHECK(m.Slots() == before);
  }
  TEST_CASE("rates: ProximalAdagrad looks at them, and a NaN is none") {
    for (const double lr : {0.0, -1.0, tenon::testing::kNaN}) {
      const Training<ops::ApplyProximalAdagrad, double> m({}, "lr");
      m.Initialize();
      CHECK(m.Step(Make<double>({3, 2}, {1}), {}, {{"lr", Tensor::Scalar(lr)}}).message() ==
            StrCat("lr is not a positive scalar: ", lr, " [node 'step', CPU:0]"));
    }
    const Training<ops::ApplyProximalAdagrad, double> l1({}, "l1");
    l1.Initialize();
    CHECK(l1.Step(Make<double>({3, 2}, {1}), {}, {{"l1", Tensor::Scalar(-.5)}}).message() ==
          "l1 is not a non-negative scalar: -0.5 [node 'step', CPU:0]");
    const Training<ops::ApplyProximalGradientDescent, double> unchecked({}, "alpha");
    unchecked.Initialize();
    CHECK(unchecked.Step(Make<double>({3, 2}, {1}), {}, {{"alpha", Tensor::Scalar(-1.0)}}).ok());
  }
  TEST_CASE("a type that no kernel serves, and a tensor in place of a reference") {
    Machine m;
    const Output v = m.Reference("v", tenon::testing::Ints({1}));
    m.b.Add("ApplyGradientDescent", "step",
            {v, m.b.Const("a", Tensor::Scalar(1)), m.b.Const("g", tenon::testing::Ints({1}))});
    const Result<Session> session = Session::FromGraph(m.b);
    const Status status = session.ok() ? session->Run({}, {}, {"step"}).status() : session.status();
    CHECK(status.message().find("no kernel for op 'ApplyGradientDescent'") == 0);
    const Training<ops::ApplyGradientDescent, float> fed;
    fed.Initialize();
    CHECK(fed.Step(Make<float>({3, 2}, {1}), {}, {{"slot0", Make<float>({3, 2}, {1})}}).message() ==
          "Input 0 of node step was passed float incompatible with expected float_ref. [node 'step', CPU:0]");
  }
}
}  // namespace state_training_dense_test
