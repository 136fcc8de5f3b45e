// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/select.cuh>

#include <doctest/doctest.h>

#include <cstring>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace select_test {
using tenon::DataType;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

template <class T>
void CheckSelect(Gpu& gpu, const TensorShape& condition_shape, const TensorShape& yes_shape,
                 const TensorShape& no_shape, const TensorShape& shape) {
  CAPTURE(shape.DebugString());
  const DataType type = tenon::dtype_of_v<T>;
  Tensor condition(DataType::kBool, condition_shape);
  for (tenon::Index i = 0; i < condition.NumElements(); ++i) condition.data<bool>()[i] = i % 3 == 0;
  const Tensor yes = Pattern<T>(yes_shape), no = Pattern<T>(no_shape, 5, 11, -4);
  const Tensor condition_there = gpu.Up(condition), yes_there = gpu.Up(yes), no_there = gpu.Up(no);
  Tensor expected(type, shape), out_there = gpu.New(type, shape);
  tenon::Cpu cpu;
  REQUIRE(Select(cpu, type, condition.data<bool>(), condition_shape, yes.raw_data(), yes_shape, no.raw_data(), no_shape,
                 expected.raw_data(), shape)
              .ok());
  REQUIRE(Select(gpu.cuda(), type, condition_there.data<bool>(), condition_shape, yes_there.raw_data(), yes_shape,
                 no_there.raw_data(), no_shape, out_there.raw_data(), shape)
              .ok());
  const Tensor out = gpu.Down(out_there);
  CHECK(std::memcmp(out.raw_data(), expected.raw_data(), out.TotalBytes()) == 0);
}
template <class T>
void CheckShapes(Gpu& gpu) {
  CheckSelect<T>(gpu, {103}, {103}, {103}, {103});
  CheckSelect<T>(gpu, {}, {5, 4}, {5, 4}, {5, 4});
  CheckSelect<T>(gpu, {6, 1, 1}, {6, 2, 3}, {6, 2, 3}, {6, 2, 3});
  CheckSelect<T>(gpu, {4, 1, 3}, {2, 1}, {4, 1, 1}, {4, 2, 3});
}

}  // namespace

TEST_CASE("all three operands are broadcast, in every element size" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckShapes<std::int8_t>(gpu);
  CheckShapes<tenon::half>(gpu);
  CheckShapes<float>(gpu);
  CheckShapes<double>(gpu);
}
}  // namespace select_test
