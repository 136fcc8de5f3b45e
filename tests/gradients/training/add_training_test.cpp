// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/add_training.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/training.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace add_training_test {
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

TEST_SUITE("AddTraining") {
  TEST_CASE("gives the loss from before the step") {
    const auto losses = Train(Sgd{.learning_rate = 0.25}, 3);
    CHECK(losses[0] == doctest::Approx(8));
    CHECK(losses[1] == doctest::Approx(2));
    CHECK(losses[2] == doctest::Approx(0.5));
  }
  TEST_CASE("refuses losses and variables that cannot be trained") {
    GraphDef graph = Model();
    const std::vector<std::string> variables{"w"}, tensor{"value"}, other{"nowhere"};
    CHECK(AddTraining(&graph, "axis", variables, Sgd{}).status().code() == Code::kInvalidArgument);
    CHECK(AddTraining(&graph, "loss", tensor, Sgd{}).status().code() == Code::kInvalidArgument);
    CHECK(AddTraining(&graph, "loss", other, Sgd{}).status().code() == Code::kNotFound);
    CHECK(AddTraining(&graph, "goal", variables, Sgd{}).status().code() == Code::kInvalidArgument);
    CHECK(graph == Model());
  }
  TEST_CASE("a program may have its own optimizer") {
    struct Halve {
      void Update(UpdateBuilder& u) const {
        u.Update(u.editor().Add("AssignVariableOp", {u.variable(), u.Read(u.variable()) * u.number(0.5)}));
      }
    };
    const auto losses = Train(Halve{}, 2);
    CHECK(losses[1] == doctest::Approx(2 * 2.5 * 2.5));
  }
}

}  // namespace add_training_test
