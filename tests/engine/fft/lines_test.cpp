// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/fft/lines.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "engine/fft_support.hpp"

namespace fft_lines_test {
using namespace tenon;
using namespace tenon::detail;
using namespace tenon::testing;

namespace {

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

TEST_SUITE("fft lines") {
  TEST_CASE_TEMPLATE("one line, several together, and columns give the same", T, float, double) {
    for (const Index n : {1, 2, 6, 16, 31, 37, 48, 64, 143, 210, 256, 257, 360}) {
      CAPTURE(n);
      const auto plan = FftPlans<T>::Find(n, FftKernelsHere<T, simd::Compiled>());
      const FftLines<T> lines(*plan, FftKernelsHere<T, simd::Compiled>());
      const Index width = lines.width(), columns = width + 3;
      const Dft forward(n, false), inverse(n, true);
      FftTable<T> work(std::max(lines.LineWork(), std::max(lines.TogetherWork(), lines.ColumnsWork())) + 1);
      T& guard = work.data()[work.size() - 1];
      guard = 77;
      const std::vector<T> x = FftNumbers<T>(2 * n * columns);

      std::vector<T> y = x;  // in place
      lines.Line(y.data(), y.data(), {false, 1}, work.data());
      FftError<T> error;
      for (Index k = 0; k < n; ++k)
        error.Add(LongComplexes(y.data(), n)[At(k)], forward(LongComplexes(x.data(), n), k));
      CHECK(error.value() < AllowedFftError(n));
      CHECK(std::vector<T>(y.begin() + 2 * n, y.end()) == std::vector<T>(x.begin() + 2 * n, x.end()));

      for (const Index count : {Index{1}, width}) {
        y = x;
        lines.Columns(y.data() + 2, columns, count, {true, T(1) / static_cast<T>(n)}, work.data());
        FftError<T> of_columns;
        bool others_stay = true;
        for (Index c = 0; c < columns; ++c) {
          const std::vector<LongComplex> before = LongComplexes(x.data() + 2 * c, n, columns),
                                         after = LongComplexes(y.data() + 2 * c, n, columns);
          if (c < 1 || c >= 1 + count)
            others_stay = others_stay && before == after;
          else
            for (Index k = 0; k < n; ++k) of_columns.Add(after[At(k)], inverse(before, k));
        }
        CHECK(others_stay);
        CHECK(of_columns.value() < AllowedFftError(n));
        if (!plan->has_lanes) continue;
        y = x;
        lines.Together(y.data(), 2 * n, y.data(), 2 * n, count, {false, 1}, work.data());
        FftError<T> together;
        for (Index i = 0; i < count; ++i)
          for (Index k = 0; k < n; ++k)
            together.Add(LongComplexes(y.data() + 2 * i * n, n)[At(k)],
                         forward(LongComplexes(x.data() + 2 * i * n, n), k));
        CHECK(together.value() < AllowedFftError(n));
      }
      CHECK(guard == T(77));
    }
  }
}
}  // namespace fft_lines_test
