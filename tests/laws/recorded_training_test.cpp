// SPDX-License-Identifier: Apache-2.0
// Training graphs that TensorFlow wrote: without their gradients and updates, and derived anew by AddTraining, they
// lose as before. The new graph is not larger.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/training.hpp>
#include <tenon/graph/prune.hpp>
#include <tenon/io/read_graph.hpp>
#include <tenon/runtime/api/session.hpp>

#include "ops/support.hpp"

namespace recorded_training_test {
namespace {
using namespace tenon;
using namespace tenon::testing;

const std::vector<std::string> kVariables{"b0", "b1", "w0", "w1"};

GraphDef Recorded(const std::string& name) {
  Result<GraphDef> graph = ReadGraphFile(TENON_TEST_DATA "/models/" + name + "/graph.pb");
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  return std::move(*graph);
}
// The model, its loss and the first values of its variables.
GraphDef ForwardOf(const GraphDef& graph) {
  std::vector<std::string> needed{"loss"};
  for (const std::string& variable : kVariables) needed.push_back("^" + variable + "/Assign");
  Result<GraphDef> forward = Prune(graph, needed);
  REQUIRE_MESSAGE(forward.ok(), forward.status().ToString());
  return std::move(*forward);
}
// Nodes that a run of `target` needs.
std::size_t Size(const GraphDef& graph, const std::string& target) {
  const Result<GraphDef> part = Prune(graph, {"^" + target});
  REQUIRE_MESSAGE(part.ok(), part.status().ToString());
  return part->node.size();
}
std::vector<float> Losses(const GraphDef& graph, const std::vector<std::vector<std::string>>& first,
                          const std::string& step, int steps) {
  const Result<Session> session = Session::FromGraphDef(graph);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  for (const std::vector<std::string>& nodes : first) {
    const Status status = session->Run({}, {}, nodes).status();
    REQUIRE_MESSAGE(status.ok(), status.ToString());
  }
  const std::vector<std::string> fetches{"loss"}, targets{step};
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) {
    Tensor labels = Tensor::Zeros<std::int64_t>({8});
    const Tensor x = Random<float>({8, 6}, static_cast<std::uint64_t>(i % 7));
    for (Index row = 0; row < 8; ++row)
      labels.data<std::int64_t>()[row] =
          (x.data<float>()[row * 6] > 0 ? 1 : 0) + (x.data<float>()[row * 6 + 1] > 0 ? 1 : 0);
    const std::vector<NamedTensor> feeds{{"x", x}, {"labels", labels}};
    const auto loss = session->Run(feeds, fetches, {});
    REQUIRE_MESSAGE(loss.ok(), loss.status().ToString());
    losses.push_back((*loss)[0].data<float>()[0]);
    const Status trained = session->Run(feeds, {}, targets).status();
    REQUIRE_MESSAGE(trained.ok(), trained.ToString());
  }
  return losses;
}
template <class Optimizer>
void Check(const std::string& name, const Optimizer& optimizer) {
  CAPTURE(name);
  const GraphDef recorded = Recorded(name);
  GraphDef anew = ForwardOf(recorded);
  const Result<TrainingNames> names = AddTraining(&anew, "loss", kVariables, optimizer);
  REQUIRE_MESSAGE(names.ok(), names.status().ToString());
  std::vector<std::string> assigns;
  for (const std::string& variable : kVariables) assigns.push_back(variable + "/Assign");
  const std::vector<float> want = Losses(recorded, {{"init"}}, "train", 100);
  const std::vector<float> got = Losses(anew, {assigns, {names->initialize}}, names->step, 100);
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(got[i] - want[i]) <= 1e-6f * std::abs(want[i]));
  }
  CHECK(want.back() < want.front());
  CHECK(static_cast<double>(Size(anew, names->step)) <= 1.1 * static_cast<double>(Size(recorded, "train")));
}
}  // namespace

TEST_SUITE("Recorded trainings") {
  TEST_CASE("lose as before when they are derived anew, by no larger graph") {
    Check("train_sgd", Sgd{.learning_rate = 0.2});
    Check("train_sgd_ref", Sgd{.learning_rate = 0.2});
    Check("train_momentum", Momentum{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
    Check("train_adam", Adam{.learning_rate = 0.02});
  }
}
}  // namespace recorded_training_test
