// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/gemv.hpp>

#include <doctest/doctest.h>

#include "engine/gemm_support.hpp"
#include "engine/support.hpp"

namespace gemm_thin_test {
using namespace tenon;

namespace {

template <class T>
bool ThinIsRight(const detail::ThinKernels<T>& kernels, Index m, Index n, Index k) {
  return testing::ProductsAreRight<T>(
      m, n, k, [&](Cpu& device, const detail::GemmArgs<T>& g) { return detail::RunThinGemm(device, kernels, g, 1e9); });
}

}  // namespace

TEST_SUITE("ThinGemm") {
  TEST_CASE_TEMPLATE("few rows, any number of columns and depth", T, float, double) {
    for (const auto& [name, kernels] : testing::AllThinKernels<T>()) {
      CAPTURE(name);
      for (Index n = 1; n <= 150; n += n < 70 ? 1 : 9) {
        CAPTURE(n);
        CHECK(ThinIsRight<T>(*kernels, 1 + n % 4, n, 1 + n * 5 % 43));
      }
      for (const Index k : {1, 2, 8, 9, 16, 33, 100, 1000}) {
        CAPTURE(k);
        CHECK(ThinIsRight<T>(*kernels, 1, 300, k));
        CHECK(ThinIsRight<T>(*kernels, 3, 17, k));
      }
      CHECK(ThinIsRight<T>(*kernels, 3, 2052, 37));
      CHECK(ThinIsRight<T>(*kernels, 8, 8, 64));
    }
  }
}
}  // namespace gemm_thin_test
