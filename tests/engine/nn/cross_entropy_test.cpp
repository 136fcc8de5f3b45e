// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/cross_entropy.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace cross_entropy_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("cross entropy") {
  TEST_CASE_TEMPLATE("agrees with float64", T, float, double) {
    Cpu device;
    constexpr Index kRows = 4;
    for (const Index classes_count : {6, 16, 21, 64, 100}) {
      const std::vector<T> logits = RandomVector<T>(kRows * classes_count, 1, -20, 20),
                           labels = RandomVector<T>(kRows * classes_count, 2, 0, 1);
      const Index classes[] = {0, 5, 3, 3};
      std::vector<T> loss(kRows), back(logits.size()), sparse_loss(kRows), sparse_back(logits.size());
      CrossEntropy<T>(device, kRows, classes_count, {logits.data(), classes_count, 1},
                      {labels.data(), classes_count, 1}, loss.data(), back.data());
      SparseCrossEntropy(device, kRows, classes_count, logits.data(), classes, sparse_loss.data(), sparse_back.data());
      std::vector<double> loss_want(kRows), back_want, sparse_want(kRows), sparse_back_want;
      const std::size_t n = static_cast<std::size_t>(classes_count);
      for (std::size_t r = 0; r < kRows; ++r) {
        double sum = 0;
        for (std::size_t c = 0; c < n; ++c) sum += std::exp(ToDouble(logits[r * n + c]));
        for (std::size_t c = 0; c < n; ++c) {
          const double x = ToDouble(logits[r * n + c]), label = ToDouble(labels[r * n + c]);
          const double chosen = static_cast<Index>(c) == classes[r] ? 1 : 0;
          loss_want[r] += label * (std::log(sum) - x);
          sparse_want[r] += chosen * (std::log(sum) - x);
          back_want.push_back(std::exp(x) / sum - label);
          sparse_back_want.push_back(std::exp(x) / sum - chosen);
        }
      }
      CHECK(LargestDifference(loss, loss_want) <= 100 * (5 + static_cast<double>(classes_count)) * RoundingUnit<T>());
      CHECK(LargestDifference(back, back_want) <= 50 * RoundingUnit<T>());
      CHECK(LargestDifference(sparse_loss, sparse_want) <= 500 * RoundingUnit<T>());
      CHECK(LargestDifference(sparse_back, sparse_back_want) <= 50 * RoundingUnit<T>());
    }
  }
  TEST_CASE("one row for all; infinities as in TensorFlow") {
    Cpu device;
    const float infinity = std::numeric_limits<float>::infinity(), logits[] = {-infinity, 0, 1}, ones[] = {1, 1};
    const Index second[] = {1}, first[] = {0};
    float loss[2], back[6];
    SparseCrossEntropy(device, 1, 3, logits, second, loss, back);
    CHECK(loss[0] == doctest::Approx(1.31326162815094));
    CHECK(back[0] == 0);
    SparseCrossEntropy(device, 1, 3, logits, first, loss, back);
    CHECK(loss[0] == infinity);
    const float row[] = {1, 0, 1};
    CrossEntropy<float>(device, 2, 3, {row, 0, 1}, {ones, 1, 0}, loss, back);
    CHECK(loss[0] == doctest::Approx(3.585984230041504));
    CHECK(loss[1] == doctest::Approx(3.585984230041504));
    CHECK(back[4] == doctest::Approx(-0.8446375727653503));
  }
}
}  // namespace cross_entropy_test
