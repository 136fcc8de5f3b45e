// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/transpose.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace transpose_test {
using tenon::Cpu;
using tenon::DataType;
using tenon::Index;
using tenon::MoverOf;
using tenon::NdCopy;
using tenon::Status;
using tenon::Tensor;

namespace {

// Elements of the input and the output that `dims` reach, from their first ones on.
void CheckCopy(Gpu& gpu, const std::vector<NdCopy::Dim>& dims, Index in_first, Index out_first, Index in_size,
               Index out_size) {
  for (const DataType type : kTypeOfEachSize) {
    CAPTURE(type);
    NdCopy copy;
    copy.in_first = in_first;
    copy.out_first = out_first;
    for (const NdCopy::Dim& d : dims) copy.Add(d.size, d.in, d.out);
    const Tensor in = Bytes(type, in_size);
    Tensor want = Bytes(type, out_size, 7);
    const Tensor in_there = gpu.Up(in);
    Tensor out_there = gpu.Up(want);
    Cpu cpu;
    CopyNd(cpu, MoverOf(type), copy, in.raw_data(), want.raw_data());
    const Status status = CopyNd(gpu.cuda(), MoverOf(type), copy, in_there.raw_data(), out_there.raw_data());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(IsSame(gpu.Down(out_there), want));
  }
}

}  // namespace

TEST_CASE("CopyNd on a GPU transposes" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const Index rows : {1, 2, 15, 16, 33, 70})
    for (const Index columns : {1, 3, 16, 32, 65})
      CheckCopy(gpu, {{rows, 1, columns}, {columns, rows, 1}}, 0, 0, rows * columns, rows * columns);
  CheckCopy(gpu, {{3, 1, 9}, {9, -3, 1}}, 24, 0, 27, 27);
  CheckCopy(gpu, {{3, 35, 35}, {5, 1, 7}, {7, 5, 1}}, 0, 0, 105, 105);
  CheckCopy(gpu, {{5, 1, 21}, {3, 35, 7}, {7, 5, 1}}, 0, 0, 105, 105);
  CheckCopy(gpu, {{20, 1, 40}, {2, 340, 20}, {17, 20, 1}}, 0, 3, 680, 840);  // squares in an outer dimension
  CheckCopy(gpu, {{4, 6, 30}, {3, 2, 8}, {2, 24, 4}, {4, 1, 1}}, 0, 0, 60, 130);  // runs of four elements
}

TEST_CASE("CopyNd on a GPU reverses, repeats, cuts out and puts into a frame" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckCopy(gpu, {{4, -5, 5}, {5, -1, 1}}, 19, 0, 20, 20);
  CheckCopy(gpu, {{3, 0, 8}, {4, 1, 2}, {2, 0, 1}}, 0, 0, 4, 24);
  CheckCopy(gpu, {{2, 6, 9}, {3, 1, 1}}, 2, 10, 12, 30);
  CheckCopy(gpu, {{9, 0, 1}}, 3, 2, 4, 12);
  CheckCopy(gpu, {{5, 7, 3}}, 1, 2, 40, 20);  // neither side lies together
  CheckCopy(gpu, {}, 1, 2, 3, 4);
  CheckCopy(gpu, {{3, 1, 1}, {0, 1, 1}}, 0, 0, 3, 3);
  CheckCopy(gpu, {{1000, 1, 1}}, 1, 3, 1003, 1007);  // one run that begins at an odd element
}

TEST_CASE("CopyNd on a GPU takes more dimensions than one launch has" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  constexpr int kRank = tenon::detail::CudaNdCopy::kMaxRank + 2;
  tenon::detail::NdDims dims;
  for (int d = 0; d < kRank; ++d)
    dims.push_back(d % 7 == 0 ? NdCopy::Dim{2, Index{1} << d / 7, Index{8} >> d / 7} : NdCopy::Dim{1, 0, 0});
  const Tensor in = Bytes(DataType::kFloat, 16), in_there = gpu.Up(in);
  const Tensor out_there = gpu.New(DataType::kFloat, {16});
  const auto* const from = static_cast<const std::uint32_t*>(in_there.raw_data());
  auto* const to = static_cast<std::uint32_t*>(const_cast<void*>(out_there.raw_data()));
  const Status status = tenon::detail::CopyNdUnits(gpu.cuda(), dims, from, to);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const Tensor out = gpu.Down(out_there);
  for (Index i = 0; i < 16; ++i) {  // the bits in the reverse order
    const Index reverse = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3;
    CHECK(out.flat<float>()[reverse] == in.flat<float>()[i]);
  }
}

TEST_CASE("Split on a GPU fills its parts and leaves out those without memory" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const std::vector<std::vector<Index>> cases{{4}, {1, 2, 3}, {0, 4, 0, 8, 0}, std::vector<Index>(300, 2)};
  for (const DataType type : kTypeOfEachSize)
    for (const std::vector<Index>& runs : cases) {
      CAPTURE(type);
      CAPTURE(runs.size());
      constexpr Index kOuter = 3;
      Index row = 0;
      for (const Index run : runs) row += run;
      const Tensor whole = Bytes(type, kOuter * row), whole_there = gpu.Up(whole);
      std::vector<Tensor> want, out;
      std::vector<tenon::SplitPart> to, to_there;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        want.push_back(Bytes(type, kOuter * runs[i], 5));
        out.push_back(gpu.Up(want.back()));
        to.push_back({i == 1 ? nullptr : want[i].raw_data(), runs[i]});
        to_there.push_back({i == 1 ? nullptr : out[i].raw_data(), runs[i]});
      }
      Cpu cpu;
      Split(cpu, MoverOf(type), {to.data(), to.size()}, kOuter, whole.raw_data());
      const Status status =
          Split(gpu.cuda(), MoverOf(type), {to_there.data(), to_there.size()}, kOuter, whole_there.raw_data());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      for (std::size_t i = 0; i < runs.size(); ++i) CHECK(IsSame(gpu.Down(out[i]), want[i]));
    }
}
}  // namespace transpose_test
