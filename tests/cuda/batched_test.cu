// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/batched.cuh>

#include <doctest/doctest.h>

#include <initializer_list>
#include <utility>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace batched_test {
using tenon::BatchMatMulPlan;
using tenon::Index;
using tenon::Tensor;

namespace {

BatchMatMulPlan Plan(std::initializer_list<std::pair<Index, Index>> batch, Index m, Index k, Index n) {
  BatchMatMulPlan plan;
  for (const auto& [x, y] : batch) REQUIRE(plan.Add(x, y));
  plan.m = m;
  plan.k = k;
  plan.n = n;
  return plan;
}

// Products of small whole numbers, exact in every type.
template <class T>
void CheckProducts(Gpu& gpu, const BatchMatMulPlan& plan) {
  const tenon::DataType type = tenon::dtype_of_v<T>;
  const Tensor x = Pattern<T>({plan.x_batches * plan.m * plan.k}, 3, 7, -3),
               y = Pattern<T>({plan.y_batches * plan.k * plan.n}, 5, 7, -3);
  Tensor expected(type, {plan.batches * plan.m * plan.n});
  tenon::Cpu cpu;
  REQUIRE(BatchMatMul(cpu, type, plan, x.raw_data(), y.raw_data(), expected.raw_data()).ok());
  const Tensor x_there = gpu.Up(x), y_there = gpu.Up(y);
  Tensor out_there = gpu.New(type, expected.shape());
  const tenon::Status status =
      BatchMatMul(gpu.cuda(), type, plan, x_there.raw_data(), y_there.raw_data(), out_there.raw_data());
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const Tensor out = gpu.Down(out_there);
  Index wrong = 0;
  for (Index i = 0; i < out.NumElements(); ++i) wrong += !(out.data<T>()[i] == expected.data<T>()[i]);
  CHECK(wrong == 0);
}
template <class T>
void CheckAll(Gpu& gpu) {
  for (const bool transpose_x : {false, true}) {
    for (const bool transpose_y : {false, true}) {
      for (BatchMatMulPlan plan : {Plan({{3, 3}}, 5, 4, 6), Plan({{3, 1}}, 2, 19, 3), Plan({{1, 4}}, 17, 3, 18),
                                   Plan({{2, 1}, {1, 3}, {2, 2}}, 3, 2, 4), Plan({{2, 2}, {1, 3}}, 2, 2, 2)}) {
        plan.transpose_x = plan.conjugate_x = transpose_x;
        plan.transpose_y = plan.conjugate_y = transpose_y;
        CheckProducts<T>(gpu, plan);
      }
    }
  }
  CheckProducts<T>(gpu, Plan({{2, 2}}, 3, 0, 2));  // zeros
  CheckProducts<T>(gpu, Plan({{0, 1}}, 3, 2, 2));
}

}  // namespace

TEST_CASE("batches at any steps, each operand transposed or not" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckAll<float>(gpu);
  CheckAll<double>(gpu);
  CheckAll<tenon::half>(gpu);
  CheckAll<std::int32_t>(gpu);
  CheckAll<std::int16_t>(gpu);
}

TEST_CASE("a conjugated operand counts with its imaginary part negated" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor x = tenon::MakeTensor<tenon::complex64>({1}, {{1, 2}});
  const Tensor there = gpu.Up(x);
  Tensor out_there = gpu.New(x.dtype(), {1});
  BatchMatMulPlan plan = Plan({}, 1, 1, 1);
  plan.conjugate_y = true;
  REQUIRE(BatchMatMul(gpu.cuda(), x.dtype(), plan, there.raw_data(), there.raw_data(), out_there.raw_data()).ok());
  CHECK(gpu.Down(out_there).data<tenon::complex64>()[0] == tenon::complex64(5, 0));
}

TEST_CASE("batches that lie at regular steps are one call") {
  CHECK(tenon::detail::RegularBatches(Plan({{2, 2}, {3, 3}}, 1, 1, 1)).count == 6);
  CHECK(tenon::detail::RegularBatches(Plan({{2, 1}, {3, 1}}, 1, 1, 1)).count == 6);
  CHECK(tenon::detail::RegularBatches(Plan({{2, 1}, {1, 3}}, 1, 1, 1)).count == 3);
}
}  // namespace batched_test
