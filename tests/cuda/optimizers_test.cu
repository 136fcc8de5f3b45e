// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/optimizers.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace optimizers_test {
using namespace tenon;

namespace {

// The variable and its slots after one step on the GPU agree with those of the CPU's loop.
template <class Rule, class T>
void CheckRule(Gpu& gpu, bool flag, double tolerance) {
  constexpr Index kCount = 1000;
  Tensor slots[4], there[4], scalars[training::kMaxScalars], scalars_there[training::kMaxScalars];
  const void* scalar_data[training::kMaxScalars] = {};
  const void* scalar_data_there[training::kMaxScalars] = {};
  TrainingRun run{}, run_there{};
  for (int k = 0; k < Rule::kSlots; ++k) {
    slots[k] = Pattern<T>({kCount}, 7 + k, 11, 2);  // positive: some are sums of squares
    there[k] = gpu.Up(slots[k]);
    run.slots[k] = slots[k].raw_data();
    run_there.slots[k] = there[k].raw_data();
  }
  for (int k = 0; k < Rule::kScalars; ++k) {
    scalars[k] = Tensor::Scalar(static_cast<T>(0.5f / static_cast<float>(k + 1)));
    scalars_there[k] = gpu.Up(scalars[k]);
    scalar_data[k] = scalars[k].raw_data();
    scalar_data_there[k] = scalars_there[k].raw_data();
  }
  const Tensor g = Pattern<T>({kCount}, 5, 7, -3), g_there = gpu.Up(g);
  run.grad = g.raw_data();
  run_there.grad = g_there.raw_data();
  run.scalars = scalar_data;
  run_there.scalars = scalar_data_there;
  run.flag = run_there.flag = flag;
  run.n = run_there.n = kCount;
  training::RunRule<Rule, T>(run);
  const TrainingLaunch launch = TrainingLaunchFor<Rule>(gpu.cuda(), dtype_of_v<T>);
  const bool is_known = launch != nullptr;
  REQUIRE(is_known);
  REQUIRE(launch(&gpu.cuda(), run_there).ok());
  for (int k = 0; k < Rule::kSlots; ++k) {
    const Tensor got = gpu.Down(there[k]);
    Index wrong = 0;
    for (Index i = 0; i < kCount; ++i) {
      const auto want = static_cast<double>(slots[k].data<T>()[i]), have = static_cast<double>(got.data<T>()[i]);
      wrong += std::isnan(want) ? !std::isnan(have) : !(std::abs(have - want) <= tolerance * (std::abs(want) + 1e-2));
    }
    CAPTURE(k);
    CHECK(wrong == 0);
  }
}
template <class Rule>
void CheckRule(Gpu& gpu) {
  for (const bool flag : {false, true}) {
    CheckRule<Rule, float>(gpu, flag, 1e-5);
    CheckRule<Rule, double>(gpu, flag, 1e-13);
    CheckRule<Rule, half>(gpu, flag, 1e-2);
    CheckRule<Rule, bfloat16>(gpu, flag, 8e-2);
  }
}

}  // namespace

TEST_CASE("rules with one to four slots" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckRule<training::GradientDescent>(gpu);
  CheckRule<training::Momentum>(gpu);
  CheckRule<training::Adam>(gpu);
  CheckRule<training::Adadelta>(gpu);
  CheckRule<training::Ftrl>(gpu);
  CheckRule<training::CenteredRMSProp>(gpu);
}

TEST_CASE("sums and differences of integers wrap" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckRule<training::Add, std::int64_t>(gpu, false, 0);
  CheckRule<training::Subtract, std::int64_t>(gpu, false, 0);
  const bool has_small = TrainingLaunchFor<training::Add>(gpu.cuda(), DataType::kInt32) != nullptr;
  CHECK_FALSE(has_small);
  const bool has_integers = TrainingLaunchFor<training::Momentum>(gpu.cuda(), DataType::kInt64) != nullptr;
  CHECK_FALSE(has_integers);
}
}  // namespace optimizers_test
