// SPDX-License-Identifier: Apache-2.0
// The arena of a planned network is no more than a tenth larger than what lives at one time.
#include <cstddef>
#include <string>
#include <vector>

#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

namespace {
using namespace tenon;

struct Network {
  const char* name;
  TensorShape input;
};

TEST_SUITE("arenas") {
  TEST_CASE("of recorded networks") {
    for (const Network& network : {Network{"cnn_digits", {4, 28, 28, 1}}, Network{"mobilenet_v2", {2, 96, 96, 3}},
                                   Network{"resnet50", {2, 64, 64, 3}}, Network{"dcgan_generator", {2, 64}},
                                   Network{"unet_small", {2, 96, 96, 3}}, Network{"autoencoder", {2, 28, 28, 1}},
                                   Network{"keyword_spotting", {2, 4000}}, Network{"quant_mobile", {2, 32, 32, 3}}}) {
      CAPTURE(network.name);
      const auto session = Session::FromGraphFile(std::string(TENON_TEST_DATA "/models/") + network.name + "/graph.pb",
                                                  {.intra_op_threads = 1, .plan_after_runs = 1});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto callable =
          session->MakeCallable({.feeds = {session->inputs()[0].name}, .fetches = {session->outputs().back().name}});
      REQUIRE_MESSAGE(callable.ok(), callable.status().message());
      const Tensor input = Tensor::Zeros<float>(network.input);
      std::vector<Tensor> outputs(1);
      for (int i = 0; i < 2; ++i) {
        const Status status = callable->Run({&input, 1}, outputs);
        REQUIRE_MESSAGE(status.ok(), status.message());
      }
      PlanReport report;
      REQUIRE(callable->GetPlanReport(&report));
      CHECK(report.planned_nodes > 0);
      CHECK(10 * report.arena_bytes <= 11 * report.lower_bound_bytes);
      CHECK(report.arena_bytes < report.value_bytes);
    }
  }
}
}  // namespace
