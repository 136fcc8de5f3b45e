// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/gather.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace gather_test {
using tenon::Cpu;
using tenon::DataType;
using tenon::ElementMover;
using tenon::Index;
using tenon::MoverOf;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

TEST_CASE("OneHot on a GPU leaves indices outside cold" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const DataType type : kTypeOfEachSize)
    for (const Index inner : {1, 3}) {
      CAPTURE(type);
      const ElementMover mover = MoverOf(type);
      const Tensor on = Bytes(type, 1, 9), off = Bytes(type, 1, 11), on_there = gpu.Up(on), off_there = gpu.Up(off);
      Tensor indices(DataType::kInt64, TensorShape{6});
      for (Index i = 0; i < 6; ++i) indices.flat<std::int64_t>()[i] = i - 1;
      constexpr Index kDepth = 4;
      Tensor want(type, TensorShape{6 * kDepth}), out = gpu.New(type, {6 * kDepth});
      Cpu cpu;
      OneHot(cpu, mover, indices, inner, kDepth, on.raw_data(), off.raw_data(), want.raw_data());
      const Status status = OneHot(gpu.cuda(), mover, gpu.Up(indices), inner, kDepth, on_there.raw_data(),
                                   off_there.raw_data(), out.raw_data());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(IsSame(gpu.Down(out), want));
    }
}

TEST_CASE("Gather on a GPU takes few indices and many, and refuses bad ones" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  struct Case {
    tenon::GatherPlan plan;
    DataType indices;
  };
  const Case cases[] = {
      {{1, 1, 5, 9, 3}, DataType::kInt32},     {{2, 3, 4, 2, 4}, DataType::kInt16}, {{3, 1, 7, 7, 1}, DataType::kInt64},
      {{1, 2, 11, 1000, 2}, DataType::kInt64},  // more than travel with a launch
      {{2, 1, 11, 500, 5}, DataType::kInt16},  {{1, 1, 4, 0, 2}, DataType::kInt32}};
  for (const DataType type : kTypeOfEachSize)
    for (const Case& c : cases) {
      CAPTURE(type);
      CAPTURE(c.plan.count);
      const ElementMover mover = MoverOf(type);
      const auto& [batch, outer, limit, count, run] = c.plan;
      Tensor indices(c.indices, TensorShape{batch * count});
      const auto set = [&](Index i, Index value) {
        if (c.indices == DataType::kInt16) indices.flat<std::int16_t>()[i] = static_cast<std::int16_t>(value);
        if (c.indices == DataType::kInt32) indices.flat<std::int32_t>()[i] = static_cast<std::int32_t>(value);
        if (c.indices == DataType::kInt64) indices.flat<std::int64_t>()[i] = value;
      };
      for (Index i = 0; i < batch * count; ++i) set(i, i * 5 % limit);
      const Tensor in = Bytes(type, batch * outer * limit * run), in_there = gpu.Up(in);
      Tensor want(type, TensorShape{batch * outer * count * run}), out = gpu.New(type, want.shape());
      Cpu cpu;
      Index bad = 0;
      REQUIRE(Gather(cpu, mover, c.plan, in.raw_data(), indices, want.raw_data()) == -1);
      Status status = Gather(gpu.cuda(), mover, c.plan, in_there.raw_data(), indices, out.raw_data(), &bad);
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(bad == -1);
      CHECK(IsSame(gpu.Down(out), want));
      if (count == 0) continue;
      for (const Index value : {Index{-1}, limit}) {
        set(1, value);
        REQUIRE(Gather(gpu.cuda(), mover, c.plan, in_there.raw_data(), indices, out.raw_data(), &bad).ok());
        CHECK(bad == 1);
      }
    }
}

TEST_CASE("GatherPlaces on a GPU gives zeros where there is no place" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const DataType type : kTypeOfEachSize)
    for (const std::size_t n : {std::size_t{4}, std::size_t{1500}}) {
      CAPTURE(type);
      const ElementMover mover = MoverOf(type);
      constexpr Index kRun = 3;
      std::vector<Index> places;
      for (std::size_t i = 0; i < n; ++i) places.push_back(static_cast<Index>(i * 3 % 8) - 1);
      const Tensor in = Bytes(type, 7 * kRun), in_there = gpu.Up(in);
      Tensor want(type, TensorShape{static_cast<Index>(n) * kRun}), out = gpu.New(type, want.shape());
      Cpu cpu;
      GatherPlaces(cpu, mover, {places.data(), n}, kRun, in.raw_data(), want.raw_data());
      const Status status =
          GatherPlaces(gpu.cuda(), mover, {places.data(), n}, kRun, in_there.raw_data(), out.raw_data());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(IsSame(gpu.Down(out), want));
    }
}
}  // namespace gather_test
