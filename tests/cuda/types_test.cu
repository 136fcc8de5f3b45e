// SPDX-License-Identifier: Apache-2.0
// Small floats and ConvertScalar on the GPU give the bits that they give on the CPU.
#include <tenon/types/convert.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace types_test {
using tenon::ConvertScalar;
using tenon::Index;
using tenon::Tensor;

namespace {

constexpr int kPatterns = 65536;

// Per pattern of T: as float, back, +, -, *, / with the pattern in reverse order, then as int32, uint8 and uint64.
struct Results {
  float as_float;
  std::uint32_t bits[5];
  bool less;
  std::int32_t int32;
  std::uint8_t uint8;
  std::uint64_t uint64;
};

template <class T>
struct Compute {
  TENON_HD static Results At(std::uint32_t pattern) {
    using Bits = decltype(T::bits);
    const T x = T::FromBits(static_cast<Bits>(pattern));
    T y = T::FromBits(static_cast<Bits>(~pattern * 7919u));
    Results r{};
    r.as_float = ConvertScalar<float>(x);
    r.bits[0] = ConvertScalar<T>(r.as_float * 1.001f).bits;
    r.bits[1] = (x + y).bits;
    r.bits[2] = (x - y).bits;
    r.bits[3] = (x * y).bits;
    y += T(1);
    r.bits[4] = (x / y).bits;
    r.less = x < y;
    r.int32 = ConvertScalar<std::int32_t>(x);
    r.uint8 = ConvertScalar<std::uint8_t>(x);
    r.uint64 = ConvertScalar<std::uint64_t>(x);
    return r;
  }
};

template <class T>
__global__ void ComputeAll(Results* out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kPatterns) out[i] = Compute<T>::At(i);
}

// The same number, or NaN both.
template <class T>
bool SameBits(std::uint32_t a, std::uint32_t b) {
  using Bits = decltype(T::bits);
  const auto value = [](std::uint32_t p) { return static_cast<float>(T::FromBits(static_cast<Bits>(p))); };
  return a == b || (std::isnan(value(a)) && std::isnan(value(b)));
}

template <class T>
int WrongPatterns(Gpu& gpu) {
  Tensor there = gpu.New(tenon::DataType::kUint8, {kPatterns * static_cast<Index>(sizeof(Results))});
  REQUIRE(tenon::LaunchCuda(gpu.cuda(), {kPatterns / 256, 256}, &ComputeAll<T>, static_cast<Results*>(there.raw_data()))
              .ok());
  const Tensor host = gpu.Down(there);
  const auto* results = static_cast<const Results*>(host.raw_data());
  int wrong = 0;
  for (std::uint32_t i = 0; i < kPatterns; ++i) {
    const Results want = Compute<T>::At(i);
    const Results& got = results[i];
    bool same = (std::isnan(want.as_float) ? std::isnan(got.as_float) : want.as_float == got.as_float) &&
                want.less == got.less && want.int32 == got.int32 && want.uint8 == got.uint8 &&
                want.uint64 == got.uint64;
    for (int k = 0; k < 5; ++k) same = same && SameBits<T>(want.bits[k], got.bits[k]);
    wrong += !same;
  }
  return wrong;
}

}  // namespace

TEST_CASE("small floats have the bits on the GPU that they have on the CPU" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CHECK(WrongPatterns<tenon::half>(gpu) == 0);
  CHECK(WrongPatterns<tenon::bfloat16>(gpu) == 0);
  CHECK(WrongPatterns<tenon::float8_e5m2>(gpu) == 0);
  CHECK(WrongPatterns<tenon::float8_e4m3fn>(gpu) == 0);
  CHECK(WrongPatterns<tenon::float8_e4m3fnuz>(gpu) == 0);
  CHECK(WrongPatterns<tenon::float8_e4m3b11fnuz>(gpu) == 0);
  CHECK(WrongPatterns<tenon::float8_e5m2fnuz>(gpu) == 0);
}
}  // namespace types_test
