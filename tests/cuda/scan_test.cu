// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/scan.cuh>

#include <doctest/doctest.h>

#include <cstring>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/device/cpu.hpp>

namespace scan_test {
using tenon::Index;
using tenon::Tensor;

namespace {

template <class Operation, class T>
void CheckScan(Gpu& gpu, Index outer, Index n, Index inner) {
  CAPTURE(n);
  const Tensor x = Pattern<T>({outer, n, inner}, 7, 5, -2), there = gpu.Up(x);
  tenon::Cpu cpu;
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      Tensor expected(x.dtype(), x.shape()), out_there = gpu.New(x.dtype(), x.shape());
      REQUIRE(Scan(cpu, tenon::MakeScanLoop<Operation, T>(&cpu), x.raw_data(), expected.raw_data(), outer, n, inner,
                   exclusive, reverse)
                  .ok());
      REQUIRE(Scan(gpu.cuda(), tenon::MakeScanLoop<Operation, T>(&gpu.cuda()), there.raw_data(), out_there.raw_data(),
                   outer, n, inner, exclusive, reverse)
                  .ok());
      const Tensor out = gpu.Down(out_there);
      CHECK(std::memcmp(out.raw_data(), expected.raw_data(), out.TotalBytes()) == 0);
    }
  }
}

}  // namespace

TEST_CASE("lines are scanned by a thread or a block, either way" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckScan<tenon::ScanSum, float>(gpu, 3, 7, 1);
  CheckScan<tenon::ScanSum, float>(gpu, 2, 9, 5);
  CheckScan<tenon::ScanSum, float>(gpu, 2, 1001, 2);  // whole numbers: exact in any order
  CheckScan<tenon::ScanSum, std::int64_t>(gpu, 1, 700, 1);
  CheckScan<tenon::ScanProduct, std::int32_t>(gpu, 2, 600, 1);  // wraps
  CheckScan<tenon::ScanSum, tenon::half>(gpu, 4, 6, 3);
}
}  // namespace scan_test
