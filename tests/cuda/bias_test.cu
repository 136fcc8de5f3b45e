// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/bias.cuh>

#include <doctest/doctest.h>

#include <cstring>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/engine/nn/bias.hpp>

namespace bias_test {
using tenon::Index;
using tenon::Tensor;

namespace {

template <class T>
void CheckSums(Gpu& gpu, Index outer, Index channels, Index inner) {
  const Tensor x = Pattern<T>({outer, channels, inner}), there = gpu.Up(x);
  Tensor expected(x.dtype(), {channels}), out_there = gpu.New(x.dtype(), {channels});
  tenon::Cpu cpu;
  REQUIRE(SumChannels(cpu, x.dtype(), x.raw_data(), outer, channels, inner, expected.raw_data()).ok());
  REQUIRE(SumChannels(gpu.cuda(), x.dtype(), there.raw_data(), outer, channels, inner, out_there.raw_data()).ok());
  const Tensor out = gpu.Down(out_there);
  CHECK(std::memcmp(out.raw_data(), expected.raw_data(), out.TotalBytes()) == 0);
}

}  // namespace

TEST_CASE("everything in a channel is added up" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckSums<float>(gpu, 20, 3, 1);
  CheckSums<float>(gpu, 5, 4, 30);
  CheckSums<std::int16_t>(gpu, 5, 4, 6);
}
}  // namespace bias_test
