// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/cast.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace cast_test {
using tenon::DataType;
using tenon::Index;
using tenon::Tensor;

namespace {

// Every bit is that of the CPU.
void CheckCast(Gpu& gpu, const Tensor& x, DataType to, bool truncate = false) {
  CAPTURE(tenon::Name(x.dtype()));
  CAPTURE(tenon::Name(to));
  Tensor expected(to, x.shape());
  tenon::Cpu cpu;
  REQUIRE(Cast(cpu, x.dtype(), x.raw_data(), to, expected.raw_data(), x.NumElements(), truncate).ok());
  const Tensor there = gpu.Up(x);
  Tensor out_there = gpu.New(to, x.shape());
  REQUIRE(Cast(gpu.cuda(), x.dtype(), there.raw_data(), to, out_there.raw_data(), x.NumElements(), truncate).ok());
  const Tensor out = gpu.Down(out_there);
  CHECK(std::memcmp(out.raw_data(), expected.raw_data(), out.TotalBytes()) == 0);
}

constexpr DataType kTypes[] = {DataType::kBool,   DataType::kInt8,      DataType::kUint8,     DataType::kInt16,
                               DataType::kUint16, DataType::kInt32,     DataType::kUint32,    DataType::kInt64,
                               DataType::kUint64, DataType::kHalf,      DataType::kFloat,     DataType::kBfloat16,
                               DataType::kDouble, DataType::kComplex64, DataType::kComplex128};

}  // namespace

TEST_CASE("every pair of types gives what the CPU gives" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  Tensor floats = Pattern<float>({37}, 7, 26, -12);
  floats.data<float>()[1] = 2.5f;
  floats.data<float>()[2] = -1e20f;
  floats.data<float>()[3] = std::numeric_limits<float>::infinity();
  floats.data<float>()[4] = 1.00390625f;  // between two of bfloat16
  for (const DataType from : kTypes) {
    Tensor x = floats;
    if (from != DataType::kFloat) {
      x = Tensor(from, floats.shape());
      tenon::Cpu cpu;
      REQUIRE(Cast(cpu, DataType::kFloat, floats.raw_data(), from, x.raw_data(), 37, false).ok());
    }
    for (const DataType to : kTypes)
      if (to != from) CheckCast(gpu, x, to);
  }
  CheckCast(gpu, floats, DataType::kBfloat16, true);
  CheckCast(gpu, floats, DataType::kHalf, true);
  CheckCast(gpu, floats, DataType::kFloat8E5M2);
}

TEST_CASE("pairs without a conversion are refused before anything runs") {
  tenon::Cuda device;
  char x = 0;
  const tenon::Status status = Cast(device, DataType::kInt4, &x, DataType::kFloat, &x, 1, false);
  CHECK(status.code() == tenon::Code::kUnimplemented);
  CHECK(status.message() == "Cast int4 to float is not supported");
}
}  // namespace cast_test
