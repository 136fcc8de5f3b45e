// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/stop_at_nan.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gradients/training/trained.hpp"

namespace stop_at_nan_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// loss = sum(sqrt(w) x) of a variable w, which begins at the values.
GraphDef RootModel(const std::vector<float>& start) {
  GraphBuilder b;
  const auto w = AddVariable(&b, "w", DataType::kFloat, {2}, initializers::Values{Floats(start, {2})});
  REQUIRE(w.ok());
  const Output one = b.Const("one", Tensor::Scalar(1.f));
  const Output x = b.Add("PlaceholderWithDefault", "x", {one}, {{"shape", PartialTensorShape({})}});
  const Output root = b.Add("Sqrt", "root", {w->value});
  const Output scaled = b.Add("Mul", "scaled", {b.Add("Neg", "neg", {root}), x});
  b.Add("Sum", "loss", {scaled, b.Const("axis", Tensor::Scalar(0))});
  b.Add("Identity", "init", {b.Const("nothing", Tensor::Scalar(0.f))});
  GraphDef graph = b.graph_def();
  for (NodeDef& node : graph.node)
    if (node.name == "init") {
      node = NodeDef();
      node.name = "init";
      node.op = "NoOp";
      node.input.push_back("^w/init");
    }
  return graph;
}
}  // namespace

TEST_SUITE("StopAtNaN") {
  TEST_CASE("names the forward node that makes the first NaN") {
    Trained model(Chain{StopAtNaN{}, Sgd{.learning_rate = 0.1}}, RootModel({4, -1}));
    for (int i = 0; i < 5; ++i) {
      const Status status = model.Step();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK_MESSAGE(status.ToString().find("node 'root' (Sqrt) : Tensor had NaN values") != std::string::npos,
                    status.ToString());
    }
    CHECK(model.Variable("w") == std::vector<double>{4, -1});  // no update
  }
  TEST_CASE("names the node of a gradient") {
    // sqrt(0) is fine; its gradient is infinite.
    Trained model(Chain{StopAtNaN{}, Sgd{.learning_rate = 0.1}}, RootModel({4, 0}));
    const Status status = model.Step();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(status.ToString().find("gradients/root_grad/") != std::string::npos, status.ToString());
    CHECK(model.Variable("w") == std::vector<double>{4, 0});
  }
  TEST_CASE("names feeds and changes no good step") {
    Trained checked(Chain{StopAtNaN{}, Sgd{.learning_rate = 0.1}}, RootModel({4, 9}));
    Trained plain(Sgd{.learning_rate = 0.1}, RootModel({4, 9}));
    checked.Steps(3);
    plain.Steps(3);
    CHECK(checked.Variable("w") == plain.Variable("w"));
    const Status status = checked.Step(std::numeric_limits<float>::quiet_NaN());
    CHECK_MESSAGE(status.ToString().find("node 'x' (PlaceholderWithDefault)") != std::string::npos, status.ToString());
  }
}

}  // namespace stop_at_nan_test
