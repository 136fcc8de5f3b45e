// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/sparse_handles.hpp>

#include "ops/state/training_case.hpp"

namespace state_training_sparse_handles_test {
using namespace state_test;
using tenon::testing::Make;

TEST_SUITE("optimizer steps on rows of resource variables") {
  TEST_CASE("each op follows its formula row after row, one of them twice") {
    CheckRule<ops::ResourceSparseApplyAdadelta>(rules::Adadelta);
    CheckRule<ops::ResourceSparseApplyAdagrad>(rules::Adagrad, "update_slots");
    CheckRule<ops::ResourceSparseApplyAdagradDA>(rules::AdagradDA);
    CheckRule<ops::ResourceSparseApplyAdagradV2>(rules::AdagradV2, "update_slots");
    CheckRule<ops::ResourceSparseApplyCenteredRMSProp>(rules::CenteredRMSProp);
    CheckRule<ops::ResourceSparseApplyFtrl>(rules::Ftrl, "multiply_linear_by_lr");
    CheckRule<ops::ResourceSparseApplyFtrlV2>(rules::FtrlV2, "multiply_linear_by_lr");
    CheckRule<ops::ResourceSparseApplyKerasMomentum>(rules::KerasMomentum, "use_nesterov");
    CheckRule<ops::ResourceSparseApplyMomentum>(rules::Momentum, "use_nesterov");
    CheckRule<ops::ResourceSparseApplyProximalAdagrad>(rules::ProximalAdagrad);
    CheckRule<ops::ResourceSparseApplyProximalGradientDescent>(rules::ProximalGradientDescent);
    CheckRule<ops::ResourceSparseApplyRMSProp>(rules::RMSProp);
    CheckRuleFor<ops::ResourceSparseApplyRMSProp, float>(rules::RMSProp, nullptr, 1e-5);
  }
  TEST_CASE("values that were read before a step stay as they were") {
    const Training<ops::ResourceSparseApplyAdagrad, double> m;
    m.Initialize();
    const Tensor kept = m.Get({"slot0/read"})[0];
    const auto before = m.Slots();
    REQUIRE(m.Step(Make<double>({1, 2}, {1}), {1}).ok());
    CHECK(tenon::testing::Numbered<double>(kept) == before[0]);
    const auto after = m.Slots();
    for (const std::size_t i : {0u, 1u, 4u, 5u}) CHECK(after[0][i] == before[0][i]);  // the other rows
    for (const std::size_t i : {2u, 3u}) CHECK(after[0][i] != before[0][i]);
  }
  TEST_CASE("indices at the ends of int64") {
    Machine m;
    const Output v = m.Handle("v", Make<float>({2, 1}, {1, 2})), accum = m.Handle("accum", Make<float>({2, 1}, {1, 1}));
    m.b.Add("ResourceSparseApplyMomentum", "step",
            {v, accum, m.b.Const("lr", Tensor::Scalar(1.0f)), m.b.Const("g", Make<float>({1, 1}, {1})),
             m.b.Placeholder("rows", DataType::kInt64), m.b.Const("momentum", Tensor::Scalar(1.0f))});
    m.Start();
    for (const char* init : {"v/init", "accum/init"}) REQUIRE(m.Do(init).ok());
    for (const std::int64_t row : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
                                   std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 32})
      CHECK(m.Do("step", {{"rows", MakeTensor<std::int64_t>({1}, {row})}}).message() ==
            StrCat("Index ", row, " at offset 0 in indices is out of range [0, 2) [node 'step', CPU:0]"));
    CHECK(m.Floats("v/read") == Floats{1, 2});
    REQUIRE(m.Do("step", {{"rows", MakeTensor<std::int64_t>({1}, {1})}}).ok());
    CHECK(m.Floats("v/read") == Floats{1, 0});
  }
  TEST_CASE("a scalar has no rows, an empty variable none that could be named") {
    const Training<ops::ResourceSparseApplyMomentum, float> scalar({}, {}, TensorShape()),
        empty({}, {}, TensorShape({0, 2}));
    scalar.Initialize();
    empty.Initialize();
    CHECK(scalar.Step(Tensor::Scalar(1.0f), {0}).message() ==
          "var must be at least 1 dimensional, got shape [] [node 'step', CPU:0]");
    CHECK(empty.Step(Make<float>({1, 2}, {1}), {0}).message() ==
          "Index 0 at offset 0 in indices is out of range [0, 0) [node 'step', CPU:0]");
    CHECK(empty.Step(Make<float>({0, 2}, {1}), {}).ok());
  }
  TEST_CASE("rates that are none are refused before a row changes") {
    const Training<ops::ResourceSparseApplyFtrl, double> m({}, "lr"), by_lr({{"multiply_linear_by_lr", true}}, "lr");
    for (const auto* each : {&m, &by_lr}) each->Initialize();
    const auto before = m.Slots();
    const Tensor g = Make<double>({1, 2}, {1});
    CHECK(m.Step(g, {0}, {{"lr", Tensor::Scalar(0.0)}}).message() ==
          "lr is not a positive scalar: 0 [node 'step', CPU:0]");
    CHECK(m.Slots() == before);
    CHECK(by_lr.Step(g, {0}, {{"lr", Tensor::Scalar(0.0)}}).ok());
    CHECK(by_lr.Step(g, {0}, {{"lr", Tensor::Scalar(-1.0)}}).message() ==
          "lr is not a positive scalar: -1 [node 'step', CPU:0]");
  }
}
}  // namespace state_training_sparse_handles_test
