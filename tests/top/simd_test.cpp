// SPDX-License-Identifier: Apache-2.0
#include <tenon/simd.hpp>

#include <cstddef>

#include <vector>

#include <doctest/doctest.h>

namespace simd_top_test {
using namespace tenon;

struct Norm {
  template <class B>
  TENON_HD static B Of(B x, B y) {
    return simd::Sqrt(x * x + y * y);
  }
};

TEST_CASE("simd.hpp's example: vectors, then numbers") {
  constexpr int n = 37;
  std::vector<float> x(n), y(n), out(n);
  for (int i = 0; i < n; ++i) {
    x[static_cast<std::size_t>(i)] = 3.f * static_cast<float>(i);
    y[static_cast<std::size_t>(i)] = 4.f * static_cast<float>(i);
  }
  using B = simd::Batch<float>;
  int i = 0;
  for (; i + B::size <= n; i += B::size) Norm::Of(B::Load(&x[0] + i), B::Load(&y[0] + i)).Store(&out[0] + i);
  for (; i < n; ++i)
    out[static_cast<std::size_t>(i)] = Norm::Of(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
  for (int k = 0; k < n; ++k) CHECK(out[static_cast<std::size_t>(k)] == 5.f * static_cast<float>(k));
}
}  // namespace simd_top_test
