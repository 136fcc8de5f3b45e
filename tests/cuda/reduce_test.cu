// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/reduce.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/reduce/fold.cuh>

namespace reduce_test {
using tenon::AxisSet;
using tenon::Index;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

AxisSet Axes(std::initializer_list<int> axes) {
  AxisSet set;
  for (const int axis : axes) set.Add(axis);
  return set;
}

// Sums are whole numbers, exact in any order.
template <class T>
void CheckSum(Gpu& gpu, const TensorShape& shape, std::initializer_list<int> axes) {
  CAPTURE(shape.DebugString());
  const AxisSet set = Axes(axes);
  TensorShape out_shape;
  for (int d = 0; d < shape.dims(); ++d)
    if (!set.contains(d)) out_shape.AddDim(shape.dim_size(d));
  const Tensor x = Pattern<T>(shape);
  Tensor expected(tenon::dtype_of_v<T>, out_shape);
  tenon::Cpu cpu;
  REQUIRE(Reduce(cpu, tenon::ReduceLoopsFor<tenon::SumReducer, T>(cpu), x.raw_data(), shape, set, expected.raw_data())
              .ok());
  const Tensor there = gpu.Up(x);
  Tensor out_there = gpu.New(tenon::dtype_of_v<T>, out_shape);
  const tenon::Status status = Reduce(gpu.cuda(), tenon::ReduceLoopsFor<tenon::SumReducer, T>(gpu.cuda()),
                                      there.raw_data(), shape, set, out_there.raw_data());
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const Tensor out = gpu.Down(out_there);
  Index wrong = 0;
  for (Index i = 0; i < out.NumElements(); ++i) wrong += !(out.data<T>()[i] == expected.data<T>()[i]);
  CHECK(wrong == 0);
}
template <class T>
void CheckSums(Gpu& gpu) {
  CheckSum<T>(gpu, {7}, {0});
  CheckSum<T>(gpu, {100, 3}, {1});
  CheckSum<T>(gpu, {3, 100}, {1});
  CheckSum<T>(gpu, {100, 3}, {0});
  CheckSum<T>(gpu, {3, 300}, {0});
  CheckSum<T>(gpu, {2, 5000}, {1});
  CheckSum<T>(gpu, {2, 13, 5, 7}, {0, 2});
  CheckSum<T>(gpu, {2, 13, 5, 7}, {1, 3});
  CheckSum<T>(gpu, {4, 0, 3}, {1});
}

}  // namespace

TEST_CASE("sums over any axes, in every element size" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckSums<float>(gpu);
  CheckSums<double>(gpu);
  CheckSums<std::int8_t>(gpu);
  CheckSums<std::int64_t>(gpu);
  CheckSums<tenon::bfloat16>(gpu);
  CheckSum<float>(gpu, {100003}, {0});     // in parts, unaligned at the end
  CheckSum<float>(gpu, {20011, 3}, {0});
  CheckSum<float>(gpu, {3, 40, 200}, {0, 2});
}

TEST_CASE("complex products" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor x = tenon::MakeTensor<tenon::complex64>({2, 2}, {{1, 2}, {3, -1}, {0, 1}, {2, 2}});
  const Tensor there = gpu.Up(x);
  Tensor out_there = gpu.New(tenon::DataType::kComplex64, {2});
  REQUIRE(Reduce(gpu.cuda(), tenon::ReduceLoopsFor<tenon::ProdReducer, tenon::complex64>(gpu.cuda()), there.raw_data(),
                 x.shape(), Axes({1}), out_there.raw_data())
              .ok());
  const Tensor out = gpu.Down(out_there);
  CHECK(out.data<tenon::complex64>()[0] == tenon::complex64(5, 5));
  CHECK(out.data<tenon::complex64>()[1] == tenon::complex64(-2, 2));
}

TEST_CASE("NaN stays, and nothing has a mean and an extreme" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  Tensor x = Pattern<float>({2, 50});
  x.data<float>()[60] = std::nanf("");
  const Tensor there = gpu.Up(x);
  Tensor out_there = gpu.New(tenon::DataType::kFloat, {2});
  REQUIRE(Reduce(gpu.cuda(), tenon::ReduceLoopsFor<tenon::MaxReducer, float>(gpu.cuda()), there.raw_data(), x.shape(),
                 Axes({1}), out_there.raw_data())
              .ok());
  Tensor out = gpu.Down(out_there);
  CHECK(out.data<float>()[0] == 6);
  CHECK(std::isnan(out.data<float>()[1]));
  const TensorShape empty{2, 0};
  REQUIRE(Reduce(gpu.cuda(), tenon::ReduceLoopsFor<tenon::MeanReducer, float>(gpu.cuda()), there.raw_data(), empty,
                 Axes({1}), out_there.raw_data())
              .ok());
  CHECK(std::isnan(gpu.Down(out_there).data<float>()[0]));
  REQUIRE(Reduce(gpu.cuda(), tenon::ReduceLoopsFor<tenon::MinReducer, float>(gpu.cuda()), there.raw_data(), empty,
                 Axes({1}), out_there.raw_data())
              .ok());
  CHECK(std::isinf(gpu.Down(out_there).data<float>()[0]));
}

TEST_CASE("too many separate groups of dimensions are refused") {
  tenon::Cuda device;
  float x[1] = {};
  TensorShape shape;
  for (int i = 0; i < 14; ++i) shape.AddDim(2);
  const tenon::Status status = Reduce(device, tenon::ReduceLoopsFor<tenon::SumReducer, float>(device), x, shape,
                                      Axes({0, 2, 4, 6, 8, 10, 12}), x);
  CHECK(status.code() == tenon::Code::kUnimplemented);
}
}  // namespace reduce_test
