// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/optimizers.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/training.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace optimizers_test {
using namespace tenon;

namespace {
// loss = sum((w - 3)^2) of a variable w of two elements that begins at 1.
GraphDef Model() {
  GraphBuilder b;
  const Output w = b.Add("VarHandleOp", "w", {},
                         {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}, {"shared_name", "w"}});
  b.Add("AssignVariableOp", "init", {w, b.Const("start", Tensor::From<float>({1, 1}, {2}))});
  const Output value = b.Add("ReadVariableOp", "value", {w}, {{"dtype", DataType::kFloat}});
  const Output d = b.Add("SquaredDifference", "d", {value, b.Const("goal", Tensor::Scalar(3.f))});
  b.Add("Sum", "loss", {d, b.Const("axis", Tensor::Scalar(0))});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
// The loss after each step.
template <class Optimizer>
std::vector<float> Train(const Optimizer& optimizer, int steps) {
  GraphDef graph = Model();
  const std::vector<std::string> variables{"w"};
  const auto names = AddTraining(&graph, "loss", variables, optimizer);
  REQUIRE_MESSAGE(names.ok(), names.status().ToString());
  const auto session = Session::FromGraphDef(graph);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  REQUIRE(session->Run({}, {}, {"init"}).ok());
  REQUIRE(session->Run({}, {}, {names->initialize}).ok());
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) {
    const Result<std::vector<Tensor>> loss = session->Run({}, {"loss"}, {names->step});
    REQUIRE_MESSAGE(loss.ok(), loss.status().ToString());
    losses.push_back((*loss)[0].data<float>()[0]);
  }
  return losses;
}
}  // namespace

TEST_SUITE("optimizers") {
  TEST_CASE("Sgd and Momentum follow their rules") {
    // g = 2 (w - 3) = -4, so that w is 1.4 after a step of 0.1.
    const auto sgd = Train(Sgd{.learning_rate = 0.1}, 2);
    CHECK(sgd[0] == doctest::Approx(8));
    CHECK(sgd[1] == doctest::Approx(2 * 1.6 * 1.6));
    const auto momentum = Train(Momentum{.learning_rate = 0.1, .momentum = 0.5}, 3);
    CHECK(momentum[1] == doctest::Approx(2 * 1.6 * 1.6));
    // a = 0.5 * -4 - 3.2 = -5.2
    CHECK(momentum[2] == doctest::Approx(2 * 1.08 * 1.08));
  }
  TEST_CASE("Adam counts its steps once, however many variables there are") {
    const auto adam = Train(Adam{.learning_rate = 0.1, .epsilon = 1e-12}, 3);
    CHECK(adam[1] == doctest::Approx(2 * 1.9 * 1.9).epsilon(1e-4));
    CHECK(adam[2] < adam[1]);
  }
  TEST_CASE("all lower the loss") {
    for (const std::vector<float>& losses :
         {Train(Momentum{.learning_rate = 0.05, .momentum = 0.5, .nesterov = true}, 20),
          Train(Adagrad{.learning_rate = 0.5}, 20), Train(RmsProp{.learning_rate = 0.05}, 20),
          Train(RmsProp{.learning_rate = 0.05, .centered = true}, 20), Train(Adadelta{.learning_rate = 1}, 20),
          Train(Ftrl{.learning_rate = 0.5}, 20)})
      CHECK(losses.back() < losses.front());
  }
}

}  // namespace optimizers_test
