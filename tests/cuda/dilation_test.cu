// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/dilation.cuh>

#include <doctest/doctest.h>

#include <cstdint>

#include <cuda/gpu.hpp>
#include <cuda/images.cuh>
#include <tenon/types/numeric.hpp>

namespace dilation_test {
using tenon::DilationGeometry;
using tenon::Index;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

template <class T>
void CheckDilation(Gpu& gpu) {
  tenon::Cpu cpu;
  for (const Index stride : {Index{1}, Index{2}})
    for (const Index rate : {Index{1}, Index{2}}) {
      DilationGeometry g;
      g.batch = 2;
      g.depth = 3;
      g.rows = {.input = 7, .size = 3, .stride = stride, .dilation = rate};
      g.columns = {.input = 6, .size = 2, .stride = stride, .dilation = rate};
      REQUIRE(tenon::PlaceWindow(tenon::Padding::kSame, &g.rows).ok());
      REQUIRE(tenon::PlaceWindow(tenon::Padding::kSame, &g.columns).ok());
      const Tensor input = Pattern<T>({2, 7, 6, 3}, 37, 61, 0), filter = Pattern<T>({3, 2, 3}, 3, 11, 0);
      const Tensor there = gpu.Up(input), filter_there = gpu.Up(filter);
      const TensorShape shape{2, g.rows.output, g.columns.output, 3};
      Tensor wanted(tenon::dtype_of_v<T>, shape), got = gpu.New(tenon::dtype_of_v<T>, shape);
      REQUIRE(tenon::Dilate(cpu, g, input.data<T>(), filter.data<T>(), wanted.data<T>()).ok());
      REQUIRE(tenon::Dilate(gpu.cuda(), g, there.data<T>(), filter_there.data<T>(), got.data<T>()).ok());
      CHECK(Differences<T>(gpu.Down(got), wanted) == 0);
    }
}

}  // namespace

TEST_CASE("largest sums are the CPU's" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckDilation<float>(gpu);
  CheckDilation<tenon::bfloat16>(gpu);
  CheckDilation<std::uint8_t>(gpu);
}

TEST_CASE("a dilation without output starts nothing, with or without a GPU") {
  tenon::Cuda device;
  CHECK(tenon::Dilate<float>(device, DilationGeometry{}, nullptr, nullptr, nullptr).ok());
}
}  // namespace dilation_test
