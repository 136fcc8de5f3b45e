// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/sparse.hpp>

#include "ops/outputs.hpp"
#include "ops/state/training_case.hpp"

namespace state_training_sparse_test {
using namespace state_test;
using tenon::testing::Make;
using tenon::testing::ShapesOf;

namespace {

// Rows 0 and then 3, which is outside: the error, and whether row 0 was worked off before.
template <class Op>
std::string Outside(bool* changed) {
  const Training<Op, double> m;
  m.Initialize();
  const auto before = m.Slots();
  const Status status = m.Step(Make<double>({2, 2}, {1}), {0, 3});
  *changed = m.Slots() != before;
  return std::string(status.message());
}

}  // namespace

TEST_SUITE("optimizer steps on rows of variables by reference") {
  TEST_CASE("each op follows its formula row after row, one of them twice") {
    CheckRule<ops::SparseApplyAdadelta>(rules::Adadelta);
    CheckRule<ops::SparseApplyAdagrad>(rules::Adagrad, "update_slots");
    CheckRule<ops::SparseApplyAdagradDA>(rules::AdagradDA);
    CheckRule<ops::SparseApplyAdagradV2>(rules::AdagradV2, "update_slots");
    CheckRule<ops::SparseApplyCenteredRMSProp>(rules::CenteredRMSProp);
    CheckRule<ops::SparseApplyFtrl>(rules::Ftrl, "multiply_linear_by_lr");
    CheckRule<ops::SparseApplyFtrlV2>(rules::FtrlV2, "multiply_linear_by_lr");
    CheckRule<ops::SparseApplyMomentum>(rules::Momentum, "use_nesterov");
    CheckRule<ops::SparseApplyProximalAdagrad>(rules::ProximalAdagrad);
    CheckRule<ops::SparseApplyProximalGradientDescent>(rules::ProximalGradientDescent);
    CheckRule<ops::SparseApplyRMSProp>(rules::RMSProp);
    CheckRuleFor<ops::SparseApplyAdagrad, float>(rules::Adagrad, "update_slots", 1e-5);
  }
  TEST_CASE("an index outside: some ops look at all of them first, the others have worked off those before it") {
    const std::string text = "Index 3 at offset 1 in indices is out of range [0, 3) [node 'step', CPU:0]";
    bool changed = false;
    CHECK(Outside<ops::SparseApplyAdagrad>(&changed) == text);
    CHECK(!changed);
    CHECK(Outside<ops::SparseApplyRMSProp>(&changed) == text);
    CHECK(!changed);
    CHECK(Outside<ops::SparseApplyMomentum>(&changed) == text);
    CHECK(changed);
    CHECK(Outside<ops::SparseApplyProximalGradientDescent>(&changed) == text);
    CHECK(changed);
  }
  TEST_CASE("no rows, and rows of no elements") {
    const Training<ops::SparseApplyAdagrad, double> m;
    m.Initialize();
    const auto before = m.Slots();
    CHECK(m.Step(Make<double>({0, 2}, {0}), {}).ok());
    CHECK(m.Slots() == before);
    const Training<ops::SparseApplyAdagrad, double> narrow({}, {}, TensorShape({3, 0}));
    narrow.Initialize();
    CHECK(narrow.Step(Tensor(DataType::kDouble, {2, 0}), {2, 2}).ok());
    CHECK(narrow.Step(Tensor(DataType::kDouble, {1, 0}), {3}).code() == Code::kInvalidArgument);
  }
  TEST_CASE("shapes that do not fit, with both of them, change nothing") {
    const Training<ops::SparseApplyMomentum, double> m;
    m.Initialize();
    const auto before = m.Slots();
    CHECK(m.Step(Make<double>({2, 2}, {1}), {0}).message() ==
          "grad must be the same size as indices in the first dimension, got 2 and 1 [node 'step', CPU:0]");
    CHECK(m.Step(Make<double>({1, 3}, {1}), {0}).message() ==
          "var and grad must match in dimension 1, got [3,2] and [1,3] [node 'step', CPU:0]");
    CHECK(m.Step(Make<double>({2}, {1}), {0}).message() ==
          "var and grad must have the same number of dimensions, got [3,2] and [2] [node 'step', CPU:0]");
    CHECK(m.Do("step", {{"g", Make<double>({1, 2}, {1})}, {"rows", Tensor::Scalar(0)}}).message() ==
          "indices must be one-dimensional, got shape [] [node 'step', CPU:0]");
    CHECK(m.Slots() == before);
  }
  TEST_CASE("rates that Ftrl does not take") {
    const Tensor g = Make<double>({1, 2}, {1});
    const struct {
      const char *name, *must_be;
      double value;
    } cases[] = {
        {"lr", "positive scalar", 0}, {"l2", "non-negative scalar", -1}, {"lr_power", "non-positive scalar", .5}};
    for (const auto& one : cases) {
      const Training<ops::SparseApplyFtrl, double> m({}, one.name);
      m.Initialize();
      CHECK(m.Step(g, {0}, {{one.name, Tensor::Scalar(one.value)}}).message() ==
            StrCat(one.name, " is not a ", one.must_be, ": ", one.value, " [node 'step', CPU:0]"));
    }
  }
  TEST_CASE("shape functions know how many rows a gradient has") {
    CHECK(ShapesOf<ops::SparseApplyMomentum>({{3, 2}, {3, 2}, {}, {5, 2}, {5}, {}}) == "[3,2]");
    CHECK(ShapesOf<ops::SparseApplyMomentum>({{3, 2}, {3, 2}, {}, {5, 2}, {4}, {}}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ShapesOf<ops::SparseApplyMomentum>({{3, 2}, {3, 2}, {}, {5, 4}, {5}, {}}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ShapesOf<ops::SparseApplyMomentum>({{3, 2}, {3, 2}, {}, {5, 2}, {5, 1}, {}}) ==
          "INVALID_ARGUMENT: Shape must be rank 1 but is rank 2");
  }
}
}  // namespace state_training_sparse_test
