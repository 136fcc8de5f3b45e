// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace random_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of samples") {
  TEST_CASE("a row for each distribution of gamma samples") {
    const GradientIndex functions;
    for (const char* op : {"RandomGamma", "StatelessRandomGammaV2", "StatelessRandomGammaV3"})
      CHECK(functions.Find(op) != nullptr);
  }
  // As in TensorFlow, the mean moves samples and not the bounds.
  TEST_CASE("samples of a normal distribution with bounds") {
    const Tensor shape = Tensor::From<std::int32_t>({4, 3}, {2}), seed = Tensor::From<std::int64_t>({1, 2}, {2});
    GraphBuilder b;
    std::vector<GraphBuilder::Input> inputs{b.Const("shape", shape), b.Const("seed", seed)};
    const std::vector<NamedTensor> feeds{{"mean", RandomTensor({3}, -0.2, 0.2)},
                                         {"deviation", RandomTensor({3}, 0.8, 1.2, 2)},
                                         {"low", Tensor::Scalar(-0.9f)},
                                         {"high", RandomTensor({3}, 0.9, 1.3, 3)}};
    for (const NamedTensor& feed : feeds)
      inputs.push_back(b.Placeholder(feed.name, DataType::kFloat, PartialTensorShape(feed.tensor.shape())));
    b.Add("StatelessParameterizedTruncatedNormal", "y", inputs, std::vector<GraphBuilder::Attr>());
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"mean", "deviation", "low", "high"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    std::vector<std::string> fetches{"y:0"};
    for (const GradientNames& name : *names) fetches.push_back(name.tensor + ":0");
    const auto got = Session::FromGraphDef(graph)->Run(feeds, fetches);
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    const float *const mean = feeds[0].tensor.data<float>(), *const deviation = feeds[1].tensor.data<float>();
    double low = 0;  // samples at low have the slope 1, samples at high 0
    for (int i = 0; i < 3; ++i) {
      double standard = 0;
      for (int k = 0; k < 4; ++k) {
        const double sample = static_cast<double>((*got)[0].data<float>()[3 * k + i] - mean[i]) / deviation[i];
        const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
        const double a = static_cast<double>(-0.9f - mean[i]) / deviation[i];
        const double b2 = static_cast<double>(feeds[3].tensor.data<float>()[i] - mean[i]) / deviation[i];
        const double share = (below(sample) - below(a)) / (below(b2) - below(a));
        low += (1 - share) * std::exp((sample * sample - a * a) / 2);
        standard += sample;
      }
      CHECK((*got)[1].data<float>()[i] == 4);
      CHECK(static_cast<double>((*got)[2].data<float>()[i]) == doctest::Approx(standard).epsilon(1e-4));
    }
    CHECK(static_cast<double>((*got)[3].data<float>()[0]) == doctest::Approx(low).epsilon(1e-3));
  }
}

}  // namespace random_gradient_test
