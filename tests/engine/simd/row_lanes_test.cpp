// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/simd/row_lanes.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace row_lanes_test {
using namespace tenon;

#if TENON_DETAIL_LANES
namespace {

// y = 2 x + y
template <class L, class Access>
TENON_HD void AddTwice(const float* x, float* y, const Access& at) {
  const L twice = at.Load(x) + at.Load(x);
  at.Store(y, twice + at.Load(y));
}
struct AddTwiceBody {
  template <int bytes>
  TENON_HD static void Run(const float* x, float* y, int n) {
    using L = simd::Lanes<float, bytes>;
    int i = 0;
    for (; i + L::size <= n; i += L::size) AddTwice<L>(x + i, y + i, simd::AllLanes<L>());
    if (i < n) AddTwice<L>(x + i, y + i, simd::FirstLanes<L>{static_cast<std::size_t>(n - i)});
  }
};

}  // namespace

TEST_SUITE("rows by lanes") {
  TEST_CASE("rows of every length are read and written to their end") {
    for (int n = 0; n < 70; ++n) {
      CAPTURE(n);
      std::vector<float> x, y, want;
      for (int i = 0; i < n; ++i) {
        x.push_back(static_cast<float>(i));
        y.push_back(static_cast<float>(100 - i));
        want.push_back(static_cast<float>(100 + i));
      }
      simd::detail::ForLevels<AddTwiceBody, simd::Compiled, const float*, float*, int>::Best()(x.data(), y.data(), n);
      CHECK(y == want);
    }
  }
}
#endif
}  // namespace row_lanes_test
