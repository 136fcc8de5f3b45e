// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/pool_microkernel.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace pool_window_test {
using namespace tenon;

#if TENON_DETAIL_LANES

namespace {

template <class T>
struct TwiceTheSum {
  static T Start() { return T(1); }
  template <class Value>
  TENON_HD static Value Combine(const Value& a, const Value& b) {
    return a + b;
  }
  template <class Value>
  TENON_HD static Value Finish(const Value& x) {
    return x + x;
  }
};

}  // namespace

TEST_SUITE("RunPoolWindow") {
  TEST_CASE_TEMPLATE("every number of channels, and nothing behind them", T, float, double) {
    for (Index depth = 0; depth <= 150; ++depth) {
      for (const Index rows : {0, 1, 3}) {
        for (const Index columns : {0, 1, 2}) {
          CAPTURE(depth);
          const Index row = 5 * depth;
          std::vector<T> x(static_cast<std::size_t>(4 * row + 1)), out(static_cast<std::size_t>(depth + 1), T(-7));
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 1000);
          detail::RunPoolWindow(detail::PoolWindow<T>{x.data() + depth, rows, columns, row, depth}, TwiceTheSum<T>{},
                                out.data());
          bool right = out.back() == T(-7);
          for (Index d = 0; d < depth; ++d) {
            T sum = 1;
            for (Index r = 0; r < rows; ++r)
              for (Index c = 0; c < columns; ++c) sum += x[static_cast<std::size_t>(r * row + (c + 1) * depth + d)];
            right = right && out[static_cast<std::size_t>(d)] == 2 * sum;
          }
          CHECK(right);
        }
      }
    }
  }
}

#endif

}  // namespace pool_window_test
