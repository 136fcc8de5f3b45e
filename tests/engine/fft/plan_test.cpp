// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/fft/plan.hpp>

#include <cmath>
#include <cstddef>

#include <tenon/engine/fft/lines.hpp>

#include <doctest/doctest.h>

namespace fft_plan_test {
using namespace tenon;
using namespace tenon::detail;

TEST_SUITE("fft plans") {
  TEST_CASE_TEMPLATE("roots of one are exact to more digits than the type has", T, float, double) {
    for (const Index n : {1, 2, 3, 7, 8, 12, 1000, 1009, 65536, 44100}) {
      CAPTURE(n);
      const FftRoots<T> roots(n);
      REQUIRE(roots.ok());
      long double worst = 0;
      for (Index k = 0; k < n; ++k) {
        const long double angle =
            -2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(n);
        worst = std::max(worst, std::abs(static_cast<long double>(roots(k).re) - std::cos(angle)));
        worst = std::max(worst, std::abs(static_cast<long double>(roots(k).im) - std::sin(angle)));
      }
      CHECK(worst < (sizeof(T) == 4 ? 1e-15L : sizeof(long double) > 8 ? 1e-17L : 1e-15L));
    }
  }
  TEST_CASE("passes multiply up to the length, as two at least") {
    for (Index n = 1; n <= 600; ++n) {
      if (!(FftLanesCost(n) < kFftImpossible)) continue;
      CAPTURE(n);
      FftLanesPlan<float> plan;
      REQUIRE(plan.Make(n));
      Index product = 1;
      for (const auto& pass : plan.passes) {
        CHECK(pass.s == product);
        product *= pass.radix;
        CHECK(pass.m * product == n);
      }
      CHECK(product == n);
      CHECK(plan.passes.size() >= 2);
    }
    CHECK(FftLanesCost(37) == kFftImpossible);
    CHECK(FftLanesCost(2 * 1009) == kFftImpossible);
  }
  TEST_CASE("a plan is kept, and so are not many") {
    const auto plan = FftPlans<double>::Find(360, FftKernelsHere<double, simd::Compiled>());
    CHECK(FftPlans<double>::Find(360, FftKernelsHere<double, simd::Compiled>()).get() == plan.get());
    for (Index n = 1; n < 100; ++n) FftPlans<double>::Find(n, FftKernelsHere<double, simd::Compiled>());
    CHECK(plan->RefCountIsOne());
    CHECK(FftPlans<double>::Find(360, FftKernelsHere<double, simd::Compiled>()).get() != plan.get());
  }
  TEST_CASE("methods") {
    using Method = FftPlan<float>::Method;
    CHECK(FftPlans<float>::Find(4, FftKernelsHere<float, simd::Compiled>())->method == Method::kLanes);
    CHECK(FftPlans<float>::Find(4096, FftKernelsHere<float, simd::Compiled>())->method == Method::kSplit);
    CHECK(FftPlans<float>::Find(10007, FftKernelsHere<float, simd::Compiled>())->method == Method::kConvolution);
    CHECK(FftPlans<float>::Find(10007, FftKernelsHere<float, simd::Compiled>())->padded->n >= 2 * 10007 - 1);
  }
}
}  // namespace fft_plan_test
