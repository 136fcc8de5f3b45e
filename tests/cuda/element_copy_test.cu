// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/element_copy.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace element_copy_test {
using tenon::Cpu;
using tenon::DataType;
using tenon::ElementMover;
using tenon::Index;
using tenon::MoverOf;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

TEST_CASE("a unit of bytes divides sizes, steps and addresses") {
  CHECK(tenon::detail::UnitBytes(0) == 16);
  CHECK(tenon::detail::UnitBytes(48) == 16);
  CHECK(tenon::detail::UnitBytes(24) == 8);
  CHECK(tenon::detail::UnitBytes(16 | 4) == 4);
  CHECK(tenon::detail::UnitBytes(static_cast<std::uint64_t>(-2)) == 2);
  CHECK(tenon::detail::UnitBytes(7) == 1);
}

TEST_CASE("Fill, FillWithConstant, Zero and Copy on a GPU" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const DataType type : kTypeOfEachSize) {
    CAPTURE(type);
    const ElementMover mover = MoverOf(type);
    const Tensor value = Bytes(type, 1, 77), value_there = gpu.Up(value);
    for (const Index first : {0, 1, 3})
      for (const Index n : {0, 1, 5, 16, 4099}) {
        Tensor want = Bytes(type, first + n + 2);
        Cpu cpu;
        const Tensor before = gpu.Up(want);
        Fill(cpu, mover, value.raw_data(), mover.At(want.raw_data(), first), n);
        Tensor filled = gpu.Up(gpu.Down(before)), constant = gpu.Up(gpu.Down(before));
        REQUIRE(Fill(gpu.cuda(), mover, value_there.raw_data(), mover.At(filled.raw_data(), first), n).ok());
        CHECK(IsSame(gpu.Down(filled), want));
        REQUIRE(FillWithConstant(gpu.cuda(), mover, value.raw_data(), mover.At(constant.raw_data(), first), n).ok());
        CHECK(IsSame(gpu.Down(constant), want));
        Zero(cpu, mover, mover.At(want.raw_data(), first), n);
        REQUIRE(Zero(gpu.cuda(), mover, mover.At(filled.raw_data(), first), n).ok());
        CHECK(IsSame(gpu.Down(filled), want));
        Copy(cpu, mover, Bytes(type, n, 5).raw_data(), mover.At(want.raw_data(), first), n);
        const Tensor source = gpu.Up(Bytes(type, n, 5));
        REQUIRE(Copy(gpu.cuda(), mover, source.raw_data(), mover.At(filled.raw_data(), first), n).ok());
        CHECK(IsSame(gpu.Down(filled), want));
      }
  }
}

TEST_CASE("Concat on a GPU takes any number of parts" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  struct Case {
    Index outer;
    std::vector<Index> runs;
  };
  std::vector<Case> cases{{1, {4}}, {3, {1, 2, 3}}, {5, {0, 4, 0, 8, 0}}, {2, {300, 1}}, {0, {2, 2}}, {70, {16, 32}}};
  cases.push_back({3, std::vector<Index>(300, 2)});  // more than one launch takes
  for (const DataType type : kTypeOfEachSize)
    for (const Case& c : cases) {
      CAPTURE(type);
      CAPTURE(c.outer);
      CAPTURE(c.runs.size());
      std::vector<Tensor> parts, parts_there;
      std::vector<tenon::ConcatPart> from, from_there;
      Index row = 0;
      for (std::size_t i = 0; i < c.runs.size(); ++i) {
        parts.push_back(Bytes(type, c.outer * c.runs[i], static_cast<unsigned>(i * 2 + 3)));
        parts_there.push_back(gpu.Up(parts.back()));
        from.push_back({parts[i].raw_data(), c.runs[i]});
        from_there.push_back({parts_there[i].raw_data(), c.runs[i]});
        row += c.runs[i];
      }
      Tensor want(type, TensorShape{c.outer * row}), joined = gpu.New(type, {c.outer * row});
      Cpu cpu;
      Concat(cpu, MoverOf(type), {from.data(), from.size()}, c.outer, want.raw_data());
      const Status status =
          Concat(gpu.cuda(), MoverOf(type), {from_there.data(), from_there.size()}, c.outer, joined.raw_data());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(IsSame(gpu.Down(joined), want));
    }
}
}  // namespace element_copy_test
