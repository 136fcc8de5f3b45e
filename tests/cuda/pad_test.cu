// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/pad.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace pad_test {
using tenon::Cpu;
using tenon::DataType;
using tenon::ElementMover;
using tenon::Index;
using tenon::MoverOf;
using tenon::PadPlan;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

TEST_CASE("Pad on a GPU frames a tensor by zeros or a value" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const std::vector<std::vector<PadPlan::Dim>> cases{
      {{1, 2, 3}},
      {{0, 2, 0}, {1, 3, 0}, {0, 5, 2}},
      {{0, 2, 0}, {1, 3, 2}, {2, 4, 1}, {0, 16, 0}},  // units of 16 bytes
      {{3, 0, 1}, {0, 4, 0}},
      {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}}};  // Fill and
                                                                                                             // CopyNd
  for (const DataType type : kTypeOfEachSize)
    for (const auto& dims : cases) {
      CAPTURE(type);
      const ElementMover mover = MoverOf(type);
      PadPlan plan;
      Index size = 1;
      for (const PadPlan::Dim& d : dims) {
        plan.Add(d.before, d.size, d.after);
        size *= d.size;
      }
      const Tensor in = Bytes(type, size), in_there = gpu.Up(in), value = Bytes(type, 1, 77), there = gpu.Up(value);
      for (const bool zeros : {false, true}) {
        Tensor want(type, TensorShape{plan.elements()}), out = gpu.New(type, {plan.elements()});
        Cpu cpu;
        Pad(cpu, mover, plan, zeros ? nullptr : value.raw_data(), in.raw_data(), want.raw_data());
        const Status status =
            Pad(gpu.cuda(), mover, plan, zeros ? nullptr : there.raw_data(), in_there.raw_data(), out.raw_data());
        REQUIRE_MESSAGE(status.ok(), status.ToString());
        CHECK(IsSame(gpu.Down(out), want));
      }
    }
}
}  // namespace pad_test
