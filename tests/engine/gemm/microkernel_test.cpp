// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/microkernel.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/gemm_support.hpp"
#include "engine/support.hpp"

namespace gemm_tile_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

// A tile of `rows` rows and `columns` columns whose operands and result lie apart from each other, compared with sums
// in double.
template <class T>
bool TileIsRight(const detail::GemmKernels& kernels, bool few, Index columns, Index k, bool add) {
  const Index rows = few ? detail::kGemmFewRows : detail::kGemmRows;
  const Index vectors = detail::DivideUp(columns, kernels.lanes), a_row = k + 3, b_row = columns + 5;
  const std::vector<T> a = RandomVector<T>(rows * a_row, 1), b = RandomVector<T>((k + 1) * b_row, 2);
  const std::vector<T> before = RandomVector<T>(rows * b_row, 3);
  std::vector<T> c = before;
  kernels.tile[few][vectors - 1]({k, a.data(), a_row, 1, b.data(), b_row, c.data(), b_row, add,
                                  reinterpret_cast<const char*>(b.data()), b_row * Index{sizeof(T)},
                                  columns - kernels.lanes});
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < b_row; ++j) {
      const std::size_t at = static_cast<std::size_t>(i * b_row + j);
      double want = add || j >= columns ? static_cast<double>(before[at]) : 0;
      for (Index p = 0; p < k && j < columns; ++p) {
        want += static_cast<double>(a[static_cast<std::size_t>(i * a_row + p)]) *
                static_cast<double>(b[static_cast<std::size_t>(p * b_row + j)]);
      }
      const double allowed = 10 * static_cast<double>(k + 2) * testing::RoundingUnit<T>();
      if (!(std::abs(static_cast<double>(c[at]) - want) <= allowed)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("GemmKernels") {
  TEST_CASE_TEMPLATE("multiply tiles and touch nothing beside them", T, float, double) {
    for (const auto& [name, kernels] : testing::AllGemmKernels<T>()) {
      CAPTURE(name);
      CHECK(kernels->size == Index{sizeof(T)});
      for (const bool few : {false, true}) {
        for (Index columns = kernels->lanes; columns <= kernels->width * kernels->lanes; ++columns) {
          CAPTURE(columns);
          for (const Index k : {0, 1, 2, 7, 50}) {
            CHECK(TileIsRight<T>(*kernels, few, columns, k, false));
            CHECK(TileIsRight<T>(*kernels, few, columns, k, true));
          }
        }
      }
    }
  }

  TEST_CASE_TEMPLATE("pack rows behind each other", T, float, double) {
    for (const auto& [name, kernels] : testing::AllGemmKernels<T>()) {
      CAPTURE(name);
      for (Index vectors = 1; vectors <= kernels->width; ++vectors) {
        const Index columns = kernels->lanes * vectors, k = 5, step = columns + 3;
        const std::vector<T> from = RandomVector<T>(k * step, 4);
        std::vector<T> to(static_cast<std::size_t>(k * columns + 1), T(77));
        kernels->pack[vectors - 1](reinterpret_cast<const char*>(from.data()), step * kernels->size, k,
                                   reinterpret_cast<char*>(to.data()));
        for (Index i = 0; i < k * columns; ++i) {
          CHECK(to[static_cast<std::size_t>(i)] == from[static_cast<std::size_t>(i / columns * step + i % columns)]);
        }
        CHECK(to.back() == T(77));
      }
    }
  }

  TEST_CASE_TEMPLATE("transpose by size, whatever the bits are", T, float, double) {
    const auto& kernels = detail::GemmKernelsOf<T>(100);
    for (const Index rows : {1, 2, 3, 4, 5, 9, 16}) {
      for (const Index columns : {1, 2, 3, 4, 7, 8, 17}) {
        const Index from_row = columns + 2, to_row = rows + 1;
        std::vector<T> from = RandomVector<T>(rows * from_row, 5);
        from[0] = std::numeric_limits<T>::infinity();
        std::vector<T> to(static_cast<std::size_t>(columns * to_row), T(77));
        kernels.transpose(from.data(), from_row, rows, columns, to.data(), to_row);
        for (Index c = 0; c < columns; ++c) {
          for (Index r = 0; r < rows; ++r) {
            CHECK(to[static_cast<std::size_t>(c * to_row + r)] == from[static_cast<std::size_t>(r * from_row + c)]);
          }
          CHECK(to[static_cast<std::size_t>(c * to_row + rows)] == T(77));
        }
      }
    }
  }

  TEST_CASE("the best level stays the same") { CHECK(simd::BestLevel() == simd::BestLevel()); }
}
}  // namespace gemm_tile_test
