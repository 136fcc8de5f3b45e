// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/update_builder.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/training.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace update_builder_test {
using namespace tenon;

TEST_SUITE("UpdateBuilder") {
  TEST_CASE("repeated rows are summed and other rows are left alone") {
    GraphBuilder b;
    const Output e = b.Add("VarHandleOp", "e", {},
                           {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3, 1})}, {"shared_name", "e"}});
    b.Add("AssignVariableOp", "init", {e, b.Const("start", Tensor::From<float>({1, 2, 3}, {3, 1}))});
    const Output rows = b.Const("rows", Tensor::From<std::int32_t>({2, 0, 2}, {3}));
    const Output read = b.Add("ResourceGather", "read", {e, rows}, {{"dtype", DataType::kFloat}});
    b.Add("Sum", "loss", {read, b.Const("axes", Tensor::From<std::int32_t>({0, 1}, {2}))});
    b.Add("ReadVariableOp", "value", {e}, {{"dtype", DataType::kFloat}});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const std::vector<std::string> variables{"e"};
    const auto train = [&](const auto& optimizer) {
      GraphDef graph = b.graph_def();
      const auto names = AddTraining(&graph, "loss", variables, optimizer);
      REQUIRE_MESSAGE(names.ok(), names.status().ToString());
      const auto session = Session::FromGraphDef(graph);
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      REQUIRE(session->Run({}, {}, {"init"}).ok());
      REQUIRE(session->Run({}, {}, {names->initialize}).ok());
      REQUIRE(session->Run({}, {}, {names->step}).ok());
      const auto value = session->Run({}, {"value"}, {});
      REQUIRE(value.ok());
      return (*value)[0];
    };
    const Tensor sgd = train(Sgd{.learning_rate = 0.5});
    CHECK(sgd.data<float>()[0] == doctest::Approx(0.5));
    CHECK(sgd.data<float>()[1] == 2);
    CHECK(sgd.data<float>()[2] == doctest::Approx(2));
    const Tensor adagrad = train(Adagrad{.learning_rate = 1, .initial_accumulator_value = 0});
    CHECK(adagrad.data<float>()[1] == 2);
    CHECK(adagrad.data<float>()[2] == doctest::Approx(2));  // 3 - 2 / sqrt(4)
  }
  TEST_CASE("rows of a variable of TensorFlow 1") {
    GraphBuilder b;
    const Output e = b.Add("VariableV2", "e", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3, 1})}});
    b.Add("Assign", "init", {e, b.Const("start", Tensor::From<float>({1, 2, 3}, {3, 1}))});
    const Output rows = b.Const("rows", Tensor::From<std::int32_t>({2, 0, 2}, {3}));
    const Output read = b.Add("Gather", "read", {e, rows});
    b.Add("Sum", "loss", {read, b.Const("axes", Tensor::From<std::int32_t>({0, 1}, {2}))});
    b.Add("Identity", "value", {e});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const std::vector<std::string> variables{"e"};
    const auto train = [&](const auto& optimizer) {
      GraphDef graph = b.graph_def();
      const auto names = AddTraining(&graph, "loss", variables, optimizer);
      REQUIRE_MESSAGE(names.ok(), names.status().ToString());
      const auto session = Session::FromGraphDef(graph);
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      REQUIRE(session->Run({}, {}, {"init"}).ok());
      REQUIRE(session->Run({}, {}, {names->initialize}).ok());
      const Status step = session->Run({}, {}, {names->step}).status();
      REQUIRE_MESSAGE(step.ok(), step.ToString());
      const auto value = session->Run({}, {"value"}, {});
      REQUIRE(value.ok());
      return (*value)[0];
    };
    const Tensor sgd = train(Sgd{.learning_rate = 0.5});
    CHECK(sgd.data<float>()[0] == doctest::Approx(0.5));
    CHECK(sgd.data<float>()[1] == 2);
    CHECK(sgd.data<float>()[2] == doctest::Approx(2));
    const Tensor adagrad = train(Adagrad{.learning_rate = 1, .initial_accumulator_value = 0});
    CHECK(adagrad.data<float>()[1] == 2);
    CHECK(adagrad.data<float>()[2] == doctest::Approx(2));  // 3 - 2 / sqrt(4)
  }
}

}  // namespace update_builder_test
