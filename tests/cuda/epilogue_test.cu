// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/epilogue.cuh>

#include <doctest/doctest.h>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/device/cpu.hpp>

namespace epilogue_test {
using tenon::FusedActivation;
using tenon::FusedOutput;
using tenon::Index;
using tenon::Tensor;

namespace {

template <class C>
void CheckNear(const Tensor& got, const Tensor& wanted) {
  Index wrong = 0;
  for (Index i = 0; i < got.NumElements(); ++i) {
    const C difference = got.flat<C>()[i] - wanted.flat<C>()[i];
    wrong += !(difference < C(1e-5) && difference > C(-1e-5));
  }
  CHECK(wrong == 0);
}

template <class C>
void CheckEpilogue(Gpu& gpu, bool normalises, FusedActivation activation) {
  tenon::Cpu cpu;
  const auto type = tenon::dtype_of_v<C>;
  const Tensor offset = Pattern<C>({7}, 3, 5, -2), mean = Pattern<C>({7}, 2, 7, -3), scale = Pattern<C>({7}, 5, 11, 1),
               variance = Pattern<C>({7}, 4, 9, 1);
  const Tensor offset_there = gpu.Up(offset), mean_there = gpu.Up(mean), scale_there = gpu.Up(scale),
               variance_there = gpu.Up(variance);
  Tensor factors(type, {7}), factors_there = gpu.New(type, {7});
  REQUIRE(tenon::NormFactors(cpu, scale.data<C>(), variance.data<C>(), C(0.5), 7, factors.data<C>()).ok());
  REQUIRE(tenon::NormFactors(gpu.cuda(), scale_there.data<C>(), variance_there.data<C>(), C(0.5), 7,
                             factors_there.data<C>())
              .ok());
  CheckNear<C>(gpu.Down(factors_there), factors);
  Tensor x = Pattern<C>({9, 7}, 37, 61, -30);
  Tensor there = gpu.Up(x);
  FusedOutput<C> f{offset.data<C>(), nullptr, nullptr, activation, C(0.25)};
  FusedOutput<C> f_there{offset_there.data<C>(), nullptr, nullptr, activation, C(0.25)};
  if (normalises) {
    f.mean = mean.data<C>();
    f.factor = factors.data<C>();
    f_there.mean = mean_there.data<C>();
    f_there.factor = factors_there.data<C>();
  }
  REQUIRE(tenon::FinishFused(cpu, f, 9, 7, x.data<C>()).ok());
  REQUIRE(tenon::FinishFused(gpu.cuda(), f_there, 9, 7, there.data<C>()).ok());
  CheckNear<C>(gpu.Down(there), x);
}

}  // namespace

TEST_CASE("biases, normalisations and activations are the CPU's" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool normalises : {false, true})
    for (int a = 0; a <= static_cast<int>(FusedActivation::kSigmoid); ++a) {
      CAPTURE(a);
      CheckEpilogue<float>(gpu, normalises, static_cast<FusedActivation>(a));
      CheckEpilogue<double>(gpu, normalises, static_cast<FusedActivation>(a));
    }
}

TEST_CASE("a bias with Relu, Relu6 or nothing is left to the kernel before") {
  const float offset[] = {1, 2};
  FusedOutput<float> f{.offset = offset};
  for (int a = 0; a <= static_cast<int>(FusedActivation::kSigmoid); ++a) {
    CAPTURE(a);
    f.activation = static_cast<FusedActivation>(a);
    tenon::CudaEpilogue epilogue;
    const bool known = f.activation <= FusedActivation::kRelu6, clamps = f.activation != FusedActivation::kNone;
    CHECK(tenon::IsEpilogue(f, &epilogue) == known);
    CHECK((epilogue.offset == offset) == known);
    CHECK(epilogue.clamps_below() == (known && clamps));
    CHECK((epilogue.high == 6) == (f.activation == FusedActivation::kRelu6));
  }
  f = {.offset = offset, .mean = offset, .factor = offset};
  tenon::CudaEpilogue epilogue;
  CHECK(!tenon::IsEpilogue(f, &epilogue));
}

TEST_CASE("nothing is started without rows, with or without a GPU") {
  tenon::Cuda device;
  CHECK(tenon::FinishFused<float>(device, FusedOutput<float>{}, 0, 4, nullptr).ok());
}
}  // namespace epilogue_test
