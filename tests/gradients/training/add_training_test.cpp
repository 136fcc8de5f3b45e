// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/add_training.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/training.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/saved_variables.hpp>

#include "temp_folder.hpp"

namespace add_training_test {
using namespace tenon;

namespace {
// loss = sum((w - 3)^2) of a variable w of two elements that begins at 1, a resource or a reference of TensorFlow 1.
GraphDef Model(bool reference = false) {
  GraphBuilder b;
  const Output w = b.Add(reference ? "VariableV2" : "VarHandleOp", "w", {},
                         {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}, {"shared_name", "w"}});
  const Output start = b.Const("start", Tensor::From<float>({1, 1}, {2}));
  b.Add(reference ? "Assign" : "AssignVariableOp", "init", {w, start});
  const Output value = reference ? b.Add("Identity", "value", {w})
                                 : b.Add("ReadVariableOp", "value", {w}, {{"dtype", DataType::kFloat}});
  const Output d = b.Add("SquaredDifference", "d", {value, b.Const("goal", Tensor::Scalar(3.f))});
  b.Add("Sum", "loss", {d, b.Const("axis", Tensor::Scalar(0))});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
// The loss after each step.
template <class Optimizer>
std::vector<float> Train(const Optimizer& optimizer, int steps, bool reference = false) {
  GraphDef graph = Model(reference);
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
  TEST_CASE("variables of TensorFlow 1 are trained as resources are") {
    const auto check = [](const auto& optimizer) {
      const std::vector<float> want = Train(optimizer, 4);
      CHECK(want[3] != want[0]);
      CHECK(Train(optimizer, 4, true) == want);
    };
    check(Sgd{});
    check(Momentum{.nesterov = true});
    check(Adagrad{});
    check(RmsProp{.centered = true});
    check(Adam{});
    check(Adadelta{});
    check(Ftrl{});
    check(AdamW{});
    check(Lion{});
    check(Lamb{});
    check(Chain{ClipByGlobalNorm{1}, Sgd{}, MovingAverage{.decay = 0.5, .overwrite_every = 2}});
    check(Chain{Sgd{}, MovingAverage{.start = AverageStart::kZero}});
    const auto found = FindVariables(Model(true), "loss");
    REQUIRE_MESSAGE(found.ok(), found.status().ToString());
    CHECK(*found == SlimVector<std::string>{"w"});
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
  TEST_CASE("refuses a variable that is not of a floating type, and a path without gradients") {
    GraphBuilder b;
    const Output n = b.Add("VarHandleOp", "n", {},
                           {{"dtype", DataType::kInt32}, {"shape", PartialTensorShape({2})}, {"shared_name", "n"}});
    const Output w = b.Add("VarHandleOp", "w", {},
                           {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2, 2})}, {"shared_name", "w"}});
    const Output count = b.Add("ReadVariableOp", "count", {n}, {{"dtype", DataType::kInt32}});
    const Output value = b.Add("ReadVariableOp", "value", {w}, {{"dtype", DataType::kFloat}});
    const Output axes = b.Const("axes", Tensor::From<std::int32_t>({0, 1}, {2}));
    b.Add("Sum", "whole",
          {b.Add("Cast", "cast", {count}, {{"DstT", DataType::kFloat}}), b.Const("axis", Tensor::Scalar(0))});
    b.Add("Sum", "lost", {b.Add("Lu", "lu", {value}), axes});
    b.Add("Sum", "integer", {count, b.Const("axis_2", Tensor::Scalar(0))});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ints{"n"}, floats{"w"};
    const auto message = [&](const char* loss, const std::vector<std::string>& variables, Code code) {
      const Status status = AddTraining(&graph, loss, variables, Sgd{}).status();
      CHECK(status.code() == code);
      return status.ToString();
    };
    CHECK(message("whole", ints, Code::kInvalidArgument).find("'n' is of type int32") != std::string::npos);
    CHECK(message("integer", floats, Code::kInvalidArgument).find("has no gradient") != std::string::npos);
    CHECK(message("lost", floats, Code::kNotFound).find("path: lost <- lu <- value") != std::string::npos);
  }
  TEST_CASE("a training that is saved and restored goes on bit for bit, with slots and random state") {
    // loss = sum(((w - goal) noise)^2), with noise of a generator whose state is a variable.
    GraphBuilder b;
    const auto w = AddVariable(&b, "w", DataType::kFloat, {3}, initializers::GlorotUniform{5});
    REQUIRE(w.ok());
    const Output rng = b.Add("VarHandleOp", "rng", {},
                             {{"dtype", DataType::kInt64}, {"shape", PartialTensorShape({3})}, {"shared_name", "rng"}});
    b.Add("AssignVariableOp", "rng_init", {rng, b.Const("seed", Tensor::From<std::int64_t>({1, 2, 3}, {3}))});
    const Output noise = b.Add("StatefulUniform", "noise",
                               {rng, b.Const("philox", Tensor::Scalar<std::int64_t>(1)),
                                b.Const("shape", Tensor::From<std::int32_t>({3}, {1}))},
                               {{"dtype", DataType::kFloat}});
    const Output d = b.Add("Sub", "d", {w->value, b.Const("goal", Tensor::From<float>({3, 0.25f, 0.5f}, {3}))});
    b.Add("Sum", "loss",
          {b.Add("Square", "square", {b.Add("Mul", "noisy", {d, noise})}), b.Const("axis", Tensor::Scalar(0))});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    GraphDef graph = b.graph_def();
    const std::vector<std::string> variables{"w"};
    const auto names = AddTraining(
        &graph, "loss", variables,
        Chain{DynamicLossScale{.initial = 4, .growth_steps = 3}, ClipByGlobalNorm{2},
              AdamW{.learning_rate = CosineDecay{.initial = 0.1, .decay_steps = 20}}, MovingAverage{.decay = 0.9}});
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    const auto open = [&] {
      auto session = Session::FromGraphDef(graph, {.intra_op_threads = 1});
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      return std::move(*session);
    };
    const auto train = [&](const Session& session, int steps) {
      std::vector<float> losses;
      for (int i = 0; i < steps; ++i) {
        const auto loss = session.Run({}, {"loss"}, {names->step});
        REQUIRE_MESSAGE(loss.ok(), loss.status().ToString());
        losses.push_back((*loss)[0].data<float>()[0]);
      }
      return losses;
    };
    const auto start = [&](const Session& session) {
      REQUIRE(session.Run({}, {}, {w->initializer, "rng_init"}).ok());
      REQUIRE(session.Run({}, {}, {names->initialize}).ok());
    };
    const Session straight = open();
    start(straight);
    const auto want = train(straight, 20);
    CHECK(want[0] != want[1]);
    const TempFolder folder;
    const std::string prefix = folder / "ckpt";
    {
      const Session first = open();
      start(first);
      train(first, 10);
      const Status saved = SaveVariables(first, prefix);
      REQUIRE_MESSAGE(saved.ok(), saved.ToString());
    }
    const Session second = open();
    const Status restored = RestoreVariables(second, prefix);
    REQUIRE_MESSAGE(restored.ok(), restored.ToString());
    CHECK(train(second, 10) == std::vector<float>(want.begin() + 10, want.end()));
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
