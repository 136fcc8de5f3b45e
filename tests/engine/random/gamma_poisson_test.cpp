// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/gamma_poisson.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace rejection_test {
using namespace tenon;

namespace {

const Philox kStream = Philox::FromSeeds(1, 2);  // of TensorFlow's ops with seed=1, seed2=2

std::vector<double> Gammas(const std::vector<double>& alphas, Index samples, ThreadPoolInterface* pool = nullptr) {
  Cpu device{.pool = pool};
  const auto count = static_cast<Index>(alphas.size());
  std::vector<double> out(static_cast<std::size_t>(count * samples));
  FillGamma(device, {alphas.data(), DataType::kDouble, count, samples, out.data(), DataType::kDouble}, kStream);
  return out;
}
std::vector<std::int64_t> Poissons(const std::vector<double>& rates, Index samples, Status* status,
                                   DataType type = DataType::kInt64) {
  Cpu device;
  const auto count = static_cast<Index>(rates.size());
  std::vector<std::int64_t> out(static_cast<std::size_t>(count * samples));
  *status = FillPoisson(device, {rates.data(), DataType::kDouble, count, samples, out.data(), type}, kStream);
  return out;
}

}  // namespace

TEST_SUITE("rejection") {
  TEST_CASE("gamma samples are TensorFlow's") {
    const double want[] = {0x1.d927ca5ebff76p-7, 0x1.01f580ba9e433p-2, 0x1.c2d1291720b57p+1,
                           0x1.874d3d623bddcp-3, 0x1.560f10c0be18cp-2, 0x1.817a802dac10ep+0};
    const std::vector<double> got = Gammas({0.5, 1, 3.5}, 2);
    for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(got[i] - want[i]) <= 1e-13 * want[i]);
  }
  TEST_CASE("their mean is alpha, for any number of threads") {
    ThreadPool pool(3, "gamma");
    const std::vector<double> alphas{0.3, 1, 7}, got = Gammas(alphas, 20000);
    CHECK_UNARY(got == Gammas(alphas, 20000, &pool));
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 20000; ++j) sum += got[3 * j + i];
      CHECK(std::abs(sum / 20000 - alphas[i]) < 5 * std::sqrt(alphas[i] / 20000));
    }
  }
  TEST_CASE("what is no alpha ends") {
    const std::vector<double> got = Gammas({std::nan(""), -1, 0, std::numeric_limits<double>::infinity()}, 1);
    CHECK(std::isnan(got[0]));
    CHECK(std::isnan(got[1]));
    CHECK(got[2] == 0);
    CHECK(std::isinf(got[3]));
  }
  TEST_CASE("Poisson samples are TensorFlow's") {
    Status status;
    const std::vector<std::int64_t> want{0, 13, 15, 1013, 1, 5, 7, 978, 0, 6, 13, 1004};
    CHECK(Poissons({0.5, 9, 12, 1000}, 3, &status) == want);
    CHECK(status.ok());
    CHECK(Poissons({-3, 0, std::numeric_limits<double>::infinity()}, 1, &status) == std::vector<std::int64_t>{0, 0, 0});
    CHECK(status.ok());
  }
  TEST_CASE("rates without samples are refused; TensorFlow never comes back") {
    Status status;
    (void)Poissons({1, std::nan("")}, 1, &status);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("rate[1] = nan") != std::string_view::npos);
    (void)Poissons({1e10}, 1, &status, DataType::kInt32);
    CHECK(status.code() == Code::kInvalidArgument);
    (void)Poissons({2147483647}, 1, &status, DataType::kInt32);  // half of the samples are too large
    CHECK(status.ok());
  }
}
}  // namespace rejection_test
