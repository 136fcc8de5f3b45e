// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/arg_reduce.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace arg_reduce_test {
using tenon::DataType;
using tenon::Index;
using tenon::Tensor;

namespace {

template <class T>
void CheckPlaces(Gpu& gpu, const Tensor& x, Index outer, Index n, Index inner) {
  CAPTURE(n);
  const Tensor there = gpu.Up(x);
  tenon::Cpu cpu;
  for (const bool max : {true, false}) {
    for (const DataType type : {DataType::kInt64, DataType::kInt32, DataType::kInt16}) {
      Tensor expected(type, {outer * inner}), out_there = gpu.New(type, {outer * inner});
      REQUIRE(ArgReduce(cpu, max, x.dtype(), x.raw_data(), outer, n, inner, type, expected.raw_data()).ok());
      REQUIRE(
          ArgReduce(gpu.cuda(), max, x.dtype(), there.raw_data(), outer, n, inner, type, out_there.raw_data()).ok());
      const Tensor out = gpu.Down(out_there);
      CHECK(std::memcmp(out.raw_data(), expected.raw_data(), out.TotalBytes()) == 0);
    }
  }
}
template <class T>
void CheckShapes(Gpu& gpu) {
  CheckPlaces<T>(gpu, Pattern<T>({50, 5}), 50, 5, 1);
  CheckPlaces<T>(gpu, Pattern<T>({3, 100}), 3, 100, 1);
  CheckPlaces<T>(gpu, Pattern<T>({2, 3000}), 2, 3000, 1);
  CheckPlaces<T>(gpu, Pattern<T>({2, 40, 3}), 2, 40, 3);
  CheckPlaces<T>(gpu, Pattern<T>({2, 9, 70}), 2, 9, 70);
}

}  // namespace

TEST_CASE("the first of equal elements wins, in each type" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckShapes<float>(gpu);
  CheckShapes<std::int64_t>(gpu);
  CheckShapes<std::uint8_t>(gpu);
  CheckShapes<tenon::half>(gpu);
}

TEST_CASE("NaN is passed over, and place 0 stands for none" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  Tensor x = Pattern<float>({3, 40});
  for (Index i = 0; i < 40; ++i) x.data<float>()[i] = std::nanf("");
  x.data<float>()[45] = std::nanf("");
  for (Index i = 80; i < 120; ++i) x.data<float>()[i] = -INFINITY;
  CheckPlaces<float>(gpu, x, 3, 40, 1);
}
}  // namespace arg_reduce_test
