// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/step_builder.hpp>

#include <doctest/doctest.h>

#include "gradients/training/trained.hpp"

namespace step_builder_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("StepBuilder") {
  TEST_CASE("a part changes gradients and leaves out steps") {
    struct Halve {
      void Gradients(StepBuilder& step) const {
        CHECK(step.size() == 1);
        CHECK(step.loss().dtype() == DataType::kFloat);
        CHECK_FALSE(step.gradient(0).is_slices());
        step.set_values(0, step.values(0) * 0.5);
        GraphEditor& e = step.editor();
        step.set_condition(e.Add("Less", {step.loss(), e.Scalar(DataType::kFloat, 1000)}));
      }
      void Update(UpdateBuilder& u) const { Sgd{.learning_rate = 0.5}.Update(u); }
    };
    Trained model(Halve{});
    model.Steps(1);
    CheckNear(model.Variable("w"), {2, -0.875, 0.5});
    CHECK(model.Step(10000).ok());
    CheckNear(model.Variable("w"), {2, -0.875, 0.5});
  }
}

}  // namespace step_builder_test
