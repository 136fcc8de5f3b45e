// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/sdca_optimizer.hpp>

#include "ops/outputs.hpp"

namespace training_sdca_optimizer_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// Steps for dense features alone: outputs [state, delta].
Result<std::vector<Tensor>> Steps(const Tensor& features, const Tensor& labels, const Tensor& weights,
                                  const char* loss = "squared_loss", bool adaptive = false) {
  GraphBuilder b;
  const Index n = labels.NumElements();
  Tensor ones(DataType::kFloat, {n}), state(DataType::kFloat, {n, 4});
  for (Index i = 0; i < n; ++i) ones.data<float>()[i] = 1;
  for (Index i = 0; i < 4 * n; ++i) state.data<float>()[i] = 0;
  SlimVector<GraphBuilder::Input> in;
  for (int list = 0; list < 3; ++list) in.push_back(SlimVector<Output>());
  in.push_back(SlimVector<Output>{b.Const("x", features)});
  in.push_back(b.Const("w", ones));
  in.push_back(b.Const("y", labels));
  for (int list = 0; list < 2; ++list) in.push_back(SlimVector<Output>());
  in.push_back(SlimVector<Output>{b.Const("v", weights)});
  in.push_back(b.Const("s", state));
  const GraphBuilder::Attr attrs[] = {{"loss_type", loss},
                                      {"adaptive", adaptive},
                                      {"num_sparse_features", 0},
                                      {"num_sparse_features_with_values", 0},
                                      {"num_dense_features", 1},
                                      {"l1", 0.0f},
                                      {"l2", 1.0f},
                                      {"num_loss_partitions", 1},
                                      {"num_inner_iterations", 1}};
  b.AddNode("SdcaOptimizerV2", "sdca", in, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  return session.Run({}, std::vector<std::string>{"sdca:0", "sdca:1"});
}

}  // namespace

TEST_SUITE("SdcaOptimizer") {
  TEST_CASE("one example comes to the optimum of its squared loss and the weights' norm") {
    // Least 0.5 (2 v - 3)^2 + 0.5 v^2: v = 6 / 5.
    const Result<std::vector<Tensor>> out =
        Steps(Make<float>({1, 1}, {2}), Make<float>({1}, {3}), Make<float>({1}, {0}));
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[1].data<float>()[0] == doctest::Approx(1.2));
    CHECK((*out)[0].data<float>()[0] == doctest::Approx(0.6));
    CHECK((*out)[0].data<float>()[1] == doctest::Approx(4.5));
    CHECK((*out)[0].data<float>()[3] == 1);
  }
  TEST_CASE("examples that share a feature are taken one after the other, in any order and with repetitions") {
    for (const bool adaptive : {false, true}) {
      const Result<std::vector<Tensor>> out = Steps(Make<float>({3, 1}, {1, 1, 1}), Make<float>({3}, {1, 1, 1}),
                                                    Make<float>({1}, {0}), "logistic_loss", adaptive);
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      const float* const state = (*out)[0].data<float>();
      CHECK(state[0] + state[4] + state[8] == doctest::Approx((*out)[1].data<float>()[0]));
      CHECK((*out)[1].data<float>()[0] > 0.3f);
    }
  }
  TEST_CASE("refuses what does not fit") {
    CHECK(Steps(Make<float>({2, 1}, {1, 2}), Make<float>({1}, {3}), Make<float>({1}, {0})).status().code() ==
          Code::kInvalidArgument);
    CHECK(Steps(Make<float>({1, 2}, {1, 2}), Make<float>({1}, {3}), Make<float>({1}, {0})).status().code() ==
          Code::kInvalidArgument);
    CHECK(Steps(Make<float>({1, 1}, {1}), Make<float>({1}, {3}), Make<float>({1}, {0}), "hinge_loss").status().code() ==
          Code::kInvalidArgument);
  }
}
}  // namespace training_sdca_optimizer_test
