// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/gemv.hpp>

#include <cstddef>
#include <vector>

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
  TEST_CASE_TEMPLATE("a row by a matrix that is read in order", T, float, double) {
    struct Sizes {
      Index n, k;
    };
    for (const auto& [name, kernels] : testing::AllThinKernels<T>()) {
      CAPTURE(name);
      for (const auto& [n, k] : {Sizes{240, 960}, {1000, 140}, {1031, 131}, {2049, 66}, {4100, 33}, {130, 2100}}) {
        CAPTURE(n);
        REQUIRE(n * k * Index{sizeof(T)} > detail::kThinFarBytes);
        REQUIRE(n * Index{sizeof(T)} > detail::kThinShortRow);
        CHECK(ThinIsRight<T>(*kernels, 1, n, k));
      }
    }
  }
  TEST_CASE_TEMPLATE("a column of such a product has the same bits wherever parts begin", T, float, double) {
    constexpr Index kColumns = 150, kDepth = 70;
    const std::vector<T> a = testing::RandomVector<T>(kDepth, 1), b = testing::RandomVector<T>(kDepth * kColumns, 2);
    for (const auto& [name, kernels] : testing::AllThinKernels<T>()) {
      CAPTURE(name);
      std::vector<T> all(kColumns), part(kColumns);
      kernels->stream(a.data(), 1, b.data(), kColumns, kDepth, all.data(), kColumns);
      for (const Index begin : {1, 64, 128, 140, 149}) {
        kernels->stream(a.data(), 1, b.data() + begin, kColumns, kDepth, part.data() + begin, kColumns - begin);
        for (Index j = begin; j < kColumns; ++j)
          CHECK(part[static_cast<std::size_t>(j)] == all[static_cast<std::size_t>(j)]);
      }
    }
  }
}
}  // namespace gemm_thin_test
