// SPDX-License-Identifier: Apache-2.0
// The engines of the CPU in a file that nvcc compiles, as one with kernels of both devices is. There they have no
// vectors.
#include <tenon/engines.hpp>
#include <tenon/ops/math/matmul.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace host_engines_test {
TEST_CASE("engines of the CPU compute in nvcc's files, too") {
  tenon::Cpu device;
  float x[4] = {-1, 0, 1, 2}, out[4];
  REQUIRE(tenon::Gelu(device, x, out, 4).ok());
  CHECK(out[2] == doctest::Approx(0.841345));
  REQUIRE(tenon::LayerNorm<float>(device, x, nullptr, nullptr, 0, out, 1, 4).ok());
  CHECK(out[3] == doctest::Approx(1.341641));
  const std::uint8_t a[2] = {2, 3};
  const std::int8_t b[2] = {-5, 7};
  std::int32_t c = 0;
  REQUIRE(tenon::GemmInt8(device, 1, 1, 2, {a, false, 2, 1}, {b, true, 1, 1}, &c, 1).ok());
  CHECK(c == 11);
}
}  // namespace host_engines_test
