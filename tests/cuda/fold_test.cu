// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/fold.cuh>

#include <doctest/doctest.h>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/engine/reduce/loops.hpp>

namespace fold_test {
using tenon::Index;
using tenon::Tensor;
using tenon::detail::RowGrid;

namespace {

struct Pair {
  double sum;
  int count;
};
struct AddPairs {
  template <class A>
  TENON_HD static A Combine(const A& a, const A& b) {
    return {a.sum + b.sum, a.count + b.count};
  }
};

// out[g] = the sum of the numbers of the threads of group g, and how many they are.
__global__ void FoldThreads(double* out, unsigned group) {
  __shared__ tenon::detail::SharedArray<Pair, 32> shared;
  const Pair all =
      tenon::detail::FoldGroup<AddPairs>(Pair{static_cast<double>(threadIdx.x), 1}, Pair{0, 0}, group, shared.data());
  if (threadIdx.x % group == group - 1) {
    out[2 * (threadIdx.x / group)] = all.sum;
    out[2 * (threadIdx.x / group) + 1] = all.count;
  }
}

}  // namespace

TEST_CASE("a thread, a warp and a block fold what their threads have" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const unsigned group : {1u, 32u, 128u}) {
    Tensor out_there = gpu.New(tenon::DataType::kDouble, {2 * 128});
    REQUIRE(LaunchCuda(gpu.cuda(), {1, 128}, &FoldThreads, out_there.data<double>(), group).ok());
    const Tensor out = gpu.Down(out_there);
    Index wrong = 0;
    for (unsigned g = 0; g < 128 / group; ++g) {
      const double first = g * group;
      wrong += out.data<double>()[2 * g] != group * first + group * (group - 1) / 2;
      wrong += out.data<double>()[2 * g + 1] != group;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the grid has a thread, a warp or a block for a row") {
  tenon::Cuda device;
  CHECK(RowGrid(device, 3, 4).group == 1);
  CHECK(RowGrid(device, 3, 4).grid.threads == 32);
  CHECK(RowGrid(device, 3, 100).group == 32);
  CHECK(RowGrid(device, 3, 100).grid.threads == 96);
  CHECK(RowGrid(device, 1000, 100).grid.threads == 256);
  CHECK(RowGrid(device, 1000, 100).grid.blocks == 125);
  CHECK(RowGrid(device, 3, 5000).group == 256);
  CHECK(RowGrid(device, 3, 5000).grid.blocks == 3);
}
}  // namespace fold_test
