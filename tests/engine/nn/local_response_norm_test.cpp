// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/local_response_norm.hpp>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace lrn_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("local response normalisation") {
  TEST_CASE("agrees with float64; its gradient with differences of it") {
    Cpu device;
    for (const Index depth : {1, 4, 11}) {
      for (const LrnParameters& p :
           {LrnParameters{}, LrnParameters{2, 2.f, 1e-2f, 0.75f}, LrnParameters{0, 1.f, 0.5f, 1.f},
            LrnParameters{3, 1.f, 0.5f, 0.3f}, LrnParameters{2147483646, 1.f, 0.5f, 0.5f}}) {
        const auto reference = [&](const std::vector<double>& x) {
          std::vector<double> y(x.size());
          for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
            double sum = 0;
            for (Index j = i / depth * depth; j < (i / depth + 1) * depth; ++j)
              if (std::abs(i - j) <= p.radius) sum += x[static_cast<std::size_t>(j)] * x[static_cast<std::size_t>(j)];
            y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)] *
                                             std::pow(static_cast<double>(p.bias) + static_cast<double>(p.alpha) * sum,
                                                      -static_cast<double>(p.beta));
          }
          return y;
        };
        const std::vector<float> x = RandomVector<float>(3 * depth, 1), dy = RandomVector<float>(3 * depth, 2);
        std::vector<float> y(x.size()), dx(x.size());
        CHECK(Lrn(device, p, x.data(), 3, depth, y.data()).ok());
        const std::vector<double> wide(x.begin(), x.end());
        CHECK(LargestDifference(y, reference(wide)) < 1e-6);
        CHECK(LrnGrad(device, p, dy.data(), x.data(), y.data(), 3, depth, dx.data()).ok());
        std::vector<double> slopes(x.size());
        constexpr double kStep = 1e-5;
        for (std::size_t i = 0; i < x.size(); ++i) {
          std::vector<double> up = wide, down = wide;
          up[i] += kStep;
          down[i] -= kStep;
          const std::vector<double> high = reference(up), low = reference(down);
          for (std::size_t j = 0; j < x.size(); ++j)
            slopes[i] += static_cast<double>(dy[j]) * (high[j] - low[j]) / (2 * kStep);
        }
        CHECK(LargestDifference(dx, slopes) < 1e-4);
      }
    }
  }
}
}  // namespace lrn_test
