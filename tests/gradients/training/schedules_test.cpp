// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/schedules.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gradients/training/trained.hpp"

namespace schedules_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// The rate at steps 0, 1, 2, 3, 5, 8, 13, 100.
template <class Schedule>
std::vector<double> Rates(const Schedule& schedule) {
  std::vector<double> rates;
  for (const std::int64_t step : {0, 1, 2, 3, 5, 8, 13, 100}) {
    const Tensor rate = Evaluate({Tensor::Scalar(step)}, [&](GraphEditor& editor, const std::vector<Symbol>& x) {
      return schedule.At(editor, x[0]);
    });
    rates.push_back(Numbers(rate)[0]);
  }
  return rates;
}
}  // namespace

TEST_SUITE("schedules") {
  // Numbers of tools/training_numbers.py schedules.
  TEST_CASE("are those of Keras") {
    CheckNear(Rates(ExponentialDecay{0.1, 4, 0.5}), {0.100000001, 0.0840896443, 0.0707106814, 0.0594603531,
                                                     0.0420448221, 0.0250000004, 0.0105112055, 2.98e-9});
    CheckNear(Rates(ExponentialDecay{0.1, 4, 0.5, true}), {0.1, 0.1, 0.1, 0.1, 0.05, 0.025, 0.0125, 2.98e-9});
    CheckNear(Rates(InverseTimeDecay{0.1, 4, 0.5}), {0.100000001, 0.088888891, 0.0799999982, 0.0727272704, 0.0615384616,
                                                     0.0500000007, 0.0380952395, 0.00740740774});
    CheckNear(Rates(InverseTimeDecay{0.1, 4, 0.5, true}),
              {0.1, 0.1, 0.1, 0.1, 0.0666666701, 0.0500000007, 0.0399999991, 0.00740740774});
    CheckNear(Rates(PolynomialDecay{0.1, 8, 0.01, 2}),
              {0.100000001, 0.078906253, 0.0606250018, 0.0451562479, 0.0226562507, 0.01, 0.01, 0.01});
    CheckNear(Rates(PolynomialDecay{0.1, 4, 0.01, 0.5, true}),
              {0.100000001, 0.0879422873, 0.0736396089, 0.0549999997, 0.0651135221, 0.01, 0.0489711463, 0.01});
    CheckNear(Rates(PiecewiseConstant{{2, 8}, {1, 0.5, 0.1}}), {1, 1, 1, 0.5, 0.5, 0.5, 0.1, 0.1});
    CheckNear(Rates(CosineDecay{0.1, 8, 0.1}), {0.100000001, 0.0965745822, 0.0868198127, 0.0722207576, 0.0377792418,
                                                0.0100000007, 0.0100000007, 0.0100000007});
    CheckNear(Rates(CosineDecay{0.01, 8, 0.1, 0.1, 3}), {0.00999999978, 0.0399999991, 0.0700000003, 0.100000001,
                                                         0.0868198127, 0.0377792418, 0.0100000007, 0.0100000007});
    CheckNear(
        Rates(CosineDecayRestarts{0.1, 4, 2, 0.9, 0.1}),
        {0.100000001, 0.0868198127, 0.054999996, 0.0231801961, 0.0879171193, 0.0504999943, 0.0821996182, 0.0282259583});
    CheckNear(Rates(CosineDecayRestarts{0.1, 4, 1, 0.5}), {0.100000001, 0.0853553414, 0.049999997, 0.0146446619,
                                                           0.0426776707, 0.0250000004, 0.0106694177, 2.98e-9});
  }
  TEST_CASE("PiecewiseConstant refuses lists that do not fit") {
    GraphDef graph = TrainedModel();
    const std::vector<std::string> variables{"w"};
    const Sgd sgd{.learning_rate = PiecewiseConstant{.boundaries = {1, 2}, .values = {0.1, 0.2}}};
    CHECK(AddTraining(&graph, "loss", variables, sgd).status().code() == Code::kInvalidArgument);
  }
}

}  // namespace schedules_test
