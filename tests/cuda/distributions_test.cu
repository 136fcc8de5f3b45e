// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/distributions.cuh>

#include <doctest/doctest.h>

#include <cstdint>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/types/numeric.hpp>

namespace distributions_test {
using tenon::Index;
using tenon::Philox;
using tenon::RandomKind;
using tenon::Tensor;

namespace {

// `near`: the last bits of sines and logarithms are a machine's own.
template <class T>
void CheckFill(Gpu& gpu, RandomKind kind, float near) {
  tenon::Cpu cpu;
  const auto type = tenon::dtype_of_v<T>;
  const tenon::RandomFill fill = tenon::RandomFillOf(kind, type);
  for (const Philox& from : {Philox{3, 1, 2}, Philox{7, ~std::uint64_t{0} - 1, 5}})  // the counter carries
    for (const Index n : {Index{0}, Index{1}, Index{6}, Index{1003}}) {
      CAPTURE(n);
      Tensor wanted(type, {n}), there = gpu.New(type, {n});
      REQUIRE(tenon::FillRandom(cpu, fill, from, wanted.raw_data(), n).ok());
      REQUIRE(tenon::FillRandom(gpu.cuda(), fill, from, there.raw_data(), n).ok());
      const Tensor got = gpu.Down(there);
      Index wrong = 0;
      for (Index i = 0; i < n; ++i) {
        const float difference = static_cast<float>(got.flat<T>()[i]) - static_cast<float>(wanted.flat<T>()[i]);
        wrong += !(difference <= near && difference >= -near);
      }
      CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("a GPU draws the CPU's numbers" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckFill<float>(gpu, RandomKind::kUniform, 0);
  CheckFill<double>(gpu, RandomKind::kUniform, 0);
  CheckFill<tenon::half>(gpu, RandomKind::kUniform, 0);
  CheckFill<tenon::bfloat16>(gpu, RandomKind::kUniform, 0);
  for (const RandomKind kind : {RandomKind::kNormal, RandomKind::kTruncatedNormal}) {
    CheckFill<float>(gpu, kind, 1e-5f);
    CheckFill<double>(gpu, kind, 1e-6f);
    CheckFill<tenon::half>(gpu, kind, 4e-3f);
    CheckFill<tenon::bfloat16>(gpu, kind, 4e-2f);
  }
}

TEST_CASE("integers are refused before anything runs") {
  tenon::Cuda device;
  const tenon::RandomFill fill = tenon::RandomFillOf(RandomKind::kAnyInteger, tenon::DataType::kInt32);
  CHECK(tenon::FillRandom(device, fill, Philox{}, nullptr, 4).code() == tenon::Code::kUnimplemented);
}
}  // namespace distributions_test
