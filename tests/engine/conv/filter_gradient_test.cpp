// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/filter_gradient.hpp>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace filter_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("the gradient of a filter without columns") {
  TEST_CASE("a block is a sum over pixels of rows, for any number of channels") {
    if (TENON_DETAIL_LANES == 0) return;
    for (const Index in : {1, 3, 4, 7, 8, 9, 16, 21})
      for (const Index out : {4, 8, 12, 16, 20, 24, 28, 32, 36, 60}) {
        const Index rows = 3, pixels = 5, x_step = in + 2, gradient_step = out + 1, x_row = 70 * in,
                    gradient_row = 9 * (out + 1);
        const std::vector<float> x = RandomVector<float>(rows * x_row + pixels * x_step, 1),
                                 gradient = RandomVector<float>(rows * gradient_row + pixels * gradient_step, 2);
        std::vector<float> sums = RandomVector<float>(in * (out + 3), 3);
        std::vector<double> want(sums.begin(), sums.end());
        for (Index row = 0; row < rows; ++row)
          for (Index p = 0; p < pixels; ++p)
            for (Index i = 0; i < in; ++i)
              for (Index o = 0; o < out; ++o)
                want[static_cast<std::size_t>(i * (out + 3) + o)] +=
                    static_cast<double>(x[static_cast<std::size_t>(row * x_row + p * x_step + i)]) *
                    static_cast<double>(gradient[static_cast<std::size_t>(row * gradient_row + p * gradient_step + o)]);
        detail::AddFilterGradient({x.data(), gradient.data(), x_step, gradient_step, x_row, gradient_row, rows, pixels,
                                   in, out, sums.data(), out + 3});
        CAPTURE(in);
        CAPTURE(out);
        CHECK(LargestDifference(sums, want) <= 200 * RoundingUnit<float>());
      }
  }
  TEST_CASE("positions whose tap lies inside") {
    for (const Index stride : {1, 2, 3})
      for (const Index before : {0, 1, 3})
        for (const Index size : {1, 2, 4}) {
          const Window w{
              .input = 5, .size = size, .stride = stride, .pad_before = before, .output = (5 + before + 2) / stride};
          for (Index tap = 0; tap < size; ++tap) {
            Index first = 0, last = 0;
            detail::InsideOfTap(w, tap, &first, &last);
            for (Index place = 0; place < w.output; ++place) {
              const Index position = place * stride - before + tap;
              CHECK((place >= first && place < last) == (position >= 0 && position < w.input));
            }
          }
        }
  }
}
}  // namespace filter_gradient_test
