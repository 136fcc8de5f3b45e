// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/sum_of_squares.cuh>

#include <doctest/doctest.h>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace sum_of_squares_test {
TEST_CASE("squares are added up in double and rounded once" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const tenon::Index n : {tenon::Index{0}, tenon::Index{7}, tenon::Index{50001}}) {
    const tenon::Tensor x = Pattern<float>({n}), there = gpu.Up(x);
    tenon::Tensor out = gpu.New(tenon::DataType::kFloat, {});
    REQUIRE(HalfSumOfSquares(gpu.cuda(), there.data<float>(), n, out.data<float>()).ok());
    double sum = 0;
    for (tenon::Index i = 0; i < n; ++i) sum += static_cast<double>(x.data<float>()[i] * x.data<float>()[i]);
    CHECK(gpu.Down(out).data<float>()[0] == static_cast<float>(sum / 2));
  }
}
}  // namespace sum_of_squares_test
