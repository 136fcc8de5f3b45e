// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/roll.cuh>

#include <doctest/doctest.h>

#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace roll_test {
using tenon::Cpu;
using tenon::DataType;
using tenon::MoverOf;
using tenon::RollPlan;
using tenon::Status;
using tenon::Tensor;

TEST_CASE("Roll on a GPU turns any dimensions" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const std::vector<std::vector<RollPlan::Dim>> cases{
      {{7, 3}},         {{4, 1}, {5, 0}},  {{4, 0}, {5, 2}}, {{3, 1}, {4, 3}, {2, 1}}, {{6, 2}, {3, 0}, {16, 8}},
      {{0, 0}, {3, 1}}, {{600, 1}, {8, 0}}};
  for (const DataType type : kTypeOfEachSize)
    for (const std::vector<RollPlan::Dim>& dims : cases) {
      CAPTURE(type);
      RollPlan plan;
      for (const RollPlan::Dim& d : dims) plan.Add(d.size, d.shift);
      const Tensor in = Bytes(type, plan.elements), in_there = gpu.Up(in);
      Tensor want(type, in.shape()), out = gpu.New(type, in.shape());
      Cpu cpu;
      Roll(cpu, MoverOf(type), plan, in.raw_data(), want.raw_data());
      const Status status = Roll(gpu.cuda(), MoverOf(type), plan, in_there.raw_data(), out.raw_data());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(IsSame(gpu.Down(out), want));
    }
}
}  // namespace roll_test
