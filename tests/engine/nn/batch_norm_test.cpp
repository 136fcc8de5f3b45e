// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/batch_norm.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace batch_norm_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr float kEpsilon = 0.01f;

// All in float64, by the textbook's formulas.
struct Reference {
  std::vector<double> mean, variance, y, dx, dscale, doffset;

  Reference(const ChannelLayout& l, bool training, const std::vector<float>& x, const std::vector<float>& dy,
            const std::vector<float>& scale, const std::vector<float>& offset, const std::vector<float>& given_mean,
            const std::vector<float>& given_variance)
      : mean(scale.size()),
        variance(scale.size()),
        y(x.size()),
        dx(x.size()),
        dscale(scale.size()),
        doffset(scale.size()) {
    const double n = static_cast<double>(l.per_channel());
    for (std::size_t c = 0; c < scale.size(); ++c) {
      std::vector<std::size_t> own;
      for (Index o = 0; o < l.outer; ++o)
        for (Index i = 0; i < l.inner; ++i)
          own.push_back(static_cast<std::size_t>((o * l.channels + static_cast<Index>(c)) * l.inner + i));
      if (training) {
        for (const std::size_t i : own) mean[c] += static_cast<double>(x[i]) / n;
        for (const std::size_t i : own)
          variance[c] += (static_cast<double>(x[i]) - mean[c]) * (static_cast<double>(x[i]) - mean[c]) / n;
      } else {
        mean[c] = static_cast<double>(given_mean[c]);
        variance[c] = static_cast<double>(given_variance[c]);
      }
      const double deviation = std::sqrt(variance[c] + static_cast<double>(kEpsilon)),
                   a = static_cast<double>(scale[c]);
      double dy_sum = 0, product_sum = 0;
      for (const std::size_t i : own) {
        const double normal = (static_cast<double>(x[i]) - mean[c]) / deviation;
        y[i] = normal * a + static_cast<double>(offset[c]);
        dy_sum += static_cast<double>(dy[i]);
        product_sum += static_cast<double>(dy[i]) * normal;
      }
      dscale[c] = product_sum;
      doffset[c] = dy_sum;
      for (const std::size_t i : own) {
        const double normal = (static_cast<double>(x[i]) - mean[c]) / deviation;
        dx[i] = a / deviation * (static_cast<double>(dy[i]) - (training ? dy_sum / n + normal * product_sum / n : 0.0));
      }
    }
  }
};

double Error(Cpu device, const ChannelLayout& l, bool training) {
  const std::vector<float> x = RandomVector<float>(l.elements(), 1), dy = RandomVector<float>(l.elements(), 2),
                           scale = RandomVector<float>(l.channels, 3), offset = RandomVector<float>(l.channels, 4);
  std::vector<float> mean = RandomVector<float>(l.channels, 5), variance = RandomVector<float>(l.channels, 6, 0.1, 2);
  const Reference want(l, training, x, dy, scale, offset, mean, variance);
  std::vector<float> y(x.size()), dx(x.size()), dscale(scale.size()), doffset(scale.size());
  const Status forward = training ? BatchNormTraining(device, l, x.data(), scale.data(), offset.data(), kEpsilon,
                                                      mean.data(), variance.data(), y.data())
                                  : BatchNorm(device, l, x.data(), scale.data(), offset.data(), mean.data(),
                                              variance.data(), kEpsilon, y.data());
  const Status backward = BatchNormGrad(device, l, training, dy.data(), x.data(), scale.data(), mean.data(),
                                        variance.data(), kEpsilon, dx.data(), dscale.data(), doffset.data());
  if (!forward.ok() || !backward.ok()) return 1e300;
  double most = LargestDifference(mean, want.mean);
  most = std::max(most, LargestDifference(variance, want.variance));
  most = std::max(most, LargestDifference(y, want.y));
  most = std::max(most, LargestDifference(dx, want.dx));
  most = std::max(most, LargestDifference(dscale, want.dscale) / 20);
  return std::max(most, LargestDifference(doffset, want.doffset) / 20);
}

}  // namespace

TEST_SUITE("batch normalisation") {
  TEST_CASE("agrees with float64, channels last and first, whatever the threads") {
    ThreadPool pool(4, "test");
    for (const ChannelLayout& l :
         {ChannelLayout{40, 3, 1}, ChannelLayout{1, 5, 1}, ChannelLayout{3, 4, 7}, ChannelLayout{5000, 17, 1},
          ChannelLayout{2, 3, 900}, ChannelLayout{1, 300, 70}, ChannelLayout{1, 3, 2500}}) {
      for (const bool training : {false, true}) {
        if (training && l.per_channel() == 1) continue;
        CAPTURE(l.outer);
        CHECK(Error({}, l, training) < 2e-5);
        CHECK(Error({.pool = &pool}, l, training) < 2e-5);
      }
    }
  }
  TEST_CASE("nothing in, nothing out") {
    Cpu device;
    CHECK(BatchNorm(device, {0, 3, 1}, nullptr, std::vector<float>(3).data(), nullptr, nullptr,
                    std::vector<float>(3, 1.f).data(), 0.1f, nullptr)
              .ok());
  }
}
}  // namespace batch_norm_test
