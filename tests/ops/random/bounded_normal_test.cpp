// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/bounded_normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace random_bounded_normal_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const AttrArgs kSeeds{{"seed", std::int64_t{3}}, {"seed2", std::int64_t{4}}};

template <class T>
Tensor Drawn(const Tensor& shape, std::initializer_list<double> means, double deviation, double low, double high) {
  const Tensor mean = means.size() == 1 ? Make<T>({}, means) : Make<T>({static_cast<Index>(means.size())}, means);
  return Run<ops::ParameterizedTruncatedNormal>(
      kSeeds, {shape, mean, Make<T>({}, {deviation}), Make<T>({}, {low}), Make<T>({}, {high})});
}
// The mean of a normal number between bounds: mean + deviation (phi(a) - phi(b)) / (Phi(b) - Phi(a)).
double Mean(double mean, double deviation, double low, double high) {
  const double a = (low - mean) / deviation, b = (high - mean) / deviation, root = std::sqrt(2.0);
  const auto phi = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979); };
  return mean + deviation * (phi(a) - phi(b)) / ((std::erf(b / root) - std::erf(a / root)) / 2);
}
std::string Error(const Tensor& shape, const Tensor& means, const Tensor& deviations, const Tensor& lows,
                  const Tensor& highs) {
  return ErrorOf<ops::ParameterizedTruncatedNormal>(kSeeds, {shape, means, deviations, lows, highs});
}

}  // namespace

TEST_SUITE("ParameterizedTruncatedNormal") {
  TEST_CASE_TEMPLATE("numbers lie between the bounds and have the mean that those leave", T, float, double, half) {
    struct Case {
      double mean, deviation, low, high;
    };
    // Around the mean, on one side of it, far out, a narrow strip.
    for (const Case c : {Case{0, 1, -1, 2}, {1, 2, 2, 9}, {0, 1, 3, 4}, {0, 1, -.125, .125}}) {
      const std::vector<double> x = Numbered<T>(Drawn<T>(Ints({20000}), {c.mean}, c.deviation, c.low, c.high));
      CHECK(*std::min_element(x.begin(), x.end()) >= c.low);
      CHECK(*std::max_element(x.begin(), x.end()) <= c.high);
      double sum = 0;
      for (const double v : x) sum += v;
      const double width = std::min(c.high - c.low, 2 * c.deviation);
      CHECK(std::abs(sum / 20000 - Mean(c.mean, c.deviation, c.low, c.high)) <
            5 * width / 2 / std::sqrt(20000.0) + 2 * RoundingUnit<T>() * c.high);
    }
  }
  TEST_CASE("each batch has parameters of its own") {
    const std::vector<double> x = Numbered<float>(Drawn<float>(Ints({2, 3}), {0, 100}, 1, -3, 200));
    CHECK(std::all_of(x.begin(), x.begin() + 3, [](double v) { return v < 6; }));
    CHECK(std::all_of(x.begin() + 3, x.end(), [](double v) { return v > 90; }));
  }
  TEST_CASE("a seeded op goes on in its stream, and begins anew in another session") {
    const Tensor a = Drawn<double>(Ints({5}), {0}, 1, -1, 1), b = Drawn<double>(Ints({5}), {0}, 1, -1, 1);
    CHECK_UNARY(SameTensor(a, b));
    GraphBuilder graph;
    const Output one = graph.Const("one", Tensor::Scalar(1.0)), low = graph.Const("low", Tensor::Scalar(-1.0));
    graph.Add("ParameterizedTruncatedNormal", "call",
              {graph.Const("shape", Ints({5})), graph.Const("zero", Tensor::Scalar(0.0)), one, low, one},
              {{"seed", std::int64_t{3}}, {"seed2", std::int64_t{4}}});
    const Result<Session> session = Session::FromGraph(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<std::string> fetches{"call:0"};
    const std::vector<NamedTensor> no_feeds;
    const Result<std::vector<Tensor>> first = session->Run(no_feeds, fetches), second = session->Run(no_feeds, fetches);
    REQUIRE((first.ok() && second.ok()));
    CHECK_UNARY(SameTensor((*first)[0], a));
    CHECK_FALSE(SameTensor((*second)[0], a));
  }
  TEST_CASE("nothing is drawn, however many batches there are") {
    CHECK(Drawn<float>(Ints({0, 3}), {0}, 1, -1, 1).shape() == TensorShape({0, 3}));
    CHECK(Drawn<float>(Longs({std::int64_t{1} << 50, 0}), {0}, 1, -1, 1).NumElements() == 0);
  }
  TEST_CASE("says which parameter does not fit") {
    const Tensor zero = Tensor::Scalar(0.f), one = Tensor::Scalar(1.f), three = Make<float>({3}, {1});
    const std::string start = "INVALID_ARGUMENT: ParameterizedTruncatedNormal: ";
    CHECK(Error(Ints({2}), zero, three, zero, one) ==
          start + "Input stdevs should have length 1 or shape[0], got shape: [3] where shape[0] is 2");
    CHECK(Error(Ints({2}), zero, one, zero, Make<float>({1, 1}, {1})) ==
          start + "Input maxvals should be a scalar or vector, got shape: [1,1]");
    CHECK(Error(Ints({}), zero, one, zero, one) == start + "Shape tensor must not be empty, got [0]");
    CHECK(Error(Ints({-1}), zero, one, zero, one) == start + "Dimension -1 must be >= 0 (dimension 0)");
    CHECK(Error(Ints({2}), zero, one, one, zero).find("INVALID_ARGUMENT") == 0);
    CHECK(InferredShape<ops::ParameterizedTruncatedNormal>({StaticInput::Vector({4, 5}), {}, {4}, {}, {}}) == "[4,5]");
    CHECK(InferredShape<ops::ParameterizedTruncatedNormal>({{2}, {}, {4, 1}, {}, {}}) ==
          "Shape must be at most rank 1 but is rank 2");
  }
}
}  // namespace random_bounded_normal_test
