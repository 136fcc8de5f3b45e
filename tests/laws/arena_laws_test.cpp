// SPDX-License-Identifier: Apache-2.0
// The arena of a planned network is no more than a tenth larger than what lives at one time. An optimised run takes no
// more memory than the graph's own.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/optimizer.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/counters.hpp>

#include <doctest/doctest.h>

namespace {
using namespace tenon;

struct Network {
  const char* name;
  TensorShape input;
};

const Network kNetworks[] = {{"cnn_digits", {4, 28, 28, 1}},  {"mobilenet_v2", {2, 96, 96, 3}},
                             {"resnet50", {2, 64, 64, 3}},    {"dcgan_generator", {2, 64}},
                             {"unet_small", {2, 96, 96, 3}},  {"autoencoder", {2, 28, 28, 1}},
                             {"keyword_spotting", {2, 4000}}, {"quant_mobile", {2, 32, 32, 3}}};

// Bytes that a step keeps after a few planned runs; 0: something failed.
std::int64_t BytesOfStep(const Network& network, OptimizerLevel level, std::int64_t* unplanned) {
  const auto session =
      Session::FromGraphFile(std::string(TENON_TEST_DATA "/models/") + network.name + "/graph.pb",
                             {.intra_op_threads = 1, .plan_after_runs = 2, .optimizer = {.level = level}});
  if (!session.ok()) return 0;
  const auto callable =
      session->MakeCallable({.feeds = {session->inputs()[0].name}, .fetches = {session->outputs().back().name}});
  if (!callable.ok()) return 0;
  const Tensor input = Tensor::Zeros<float>(network.input);
  std::vector<Tensor> outputs(1);
  SessionCounters counters;
  for (int i = 0; i < 5; ++i) {
    if (!callable->Run({&input, 1}, outputs).ok()) return 0;
    if (i == 0 && session->GetCounters(&counters)) *unplanned = counters.step_bytes;
  }
  return session->GetCounters(&counters) ? counters.step_bytes + counters.plan_arena_bytes : 0;
}

TEST_SUITE("arenas") {
  TEST_CASE("of recorded networks") {
    for (const Network& network : kNetworks) {
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
  TEST_CASE("exact passes take no more memory than none") {
    for (const Network& network : kNetworks) {
      CAPTURE(network.name);
      std::int64_t plain_before = 0, exact_before = 0;
      const std::int64_t plain = BytesOfStep(network, OptimizerLevel::kOff, &plain_before);
      const std::int64_t exact = BytesOfStep(network, OptimizerLevel::kExact, &exact_before);
      REQUIRE(plain > 0);
      REQUIRE(exact > 0);
      CHECK(exact <= plain);
      CHECK(exact_before <= plain_before);
    }
  }
}
}  // namespace
