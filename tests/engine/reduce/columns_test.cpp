// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/columns.hpp>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace columns_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct Matrices {
  Index rows, columns;
  std::vector<float> a, b, mean, factor, slope;

  Matrices(Index r, Index c)
      : rows(r),
        columns(c),
        a(RandomVector<float>(r * c, 1, -2, 3)),
        b(RandomVector<float>(r * c, 2, -1, 1)),
        mean(RandomVector<float>(c, 3, -1, 1)),
        factor(RandomVector<float>(c, 4, -1, 1)),
        slope(RandomVector<float>(c, 5, -1, 1)) {}
};

// Term (r, c) of the sum, and with `second` of the second one.
double Term(const Matrices& m, detail::ColumnSum what, std::size_t at, std::size_t c, bool second) {
  const double a = static_cast<double>(m.a[at]), b = static_cast<double>(m.b[at]);
  const double centred = a - static_cast<double>(m.mean[c]);
  if (what == detail::ColumnSum::kFirst) return a;
  if (what == detail::ColumnSum::kSquares) return centred * centred;
  return second ? b * centred : b;
}

template <detail::ColumnSum what>
void CheckSums(const Matrices& m) {
  const std::size_t columns = static_cast<std::size_t>(m.columns);
  std::vector<double> first(columns, 0.5), second(columns, 0.25), first_want = first, second_want = second;
  for (std::size_t at = 0; at < m.a.size(); ++at) {
    first_want[at % columns] += Term(m, what, at, at % columns, false);
    if (what == detail::ColumnSum::kProducts) second_want[at % columns] += Term(m, what, at, at % columns, true);
  }
  AddColumnSums<what>({m.a.data(), m.b.data(), m.mean.data(), m.rows, m.columns, first.data(), second.data()});
  for (std::size_t c = 0; c < columns; ++c) {
    CHECK(std::abs(first[c] - first_want[c]) <= 1e-5 * static_cast<double>(m.rows + 1));
    CHECK(std::abs(second[c] - second_want[c]) <= 1e-5 * static_cast<double>(m.rows + 1));
  }
}

}  // namespace

TEST_SUITE("columns") {
  TEST_CASE("sums of columns of any number, over blocks of rows and what is left of them") {
    for (const Index columns : {1, 3, 4, 8, 16, 21, 48, 67})
      for (const Index rows : {0, 1, 5, 16, 39}) {
        const Matrices m(rows, columns);
        CheckSums<detail::ColumnSum::kFirst>(m);
        CheckSums<detail::ColumnSum::kSquares>(m);
        CheckSums<detail::ColumnSum::kProducts>(m);
      }
  }
  TEST_CASE("steps with a number for each column, in place, too") {
    for (const Index columns : {1, 3, 8, 16, 21, 67}) {
      const Matrices m(19, columns);
      const std::size_t n = static_cast<std::size_t>(columns);
      std::vector<float> centred = m.a, gradient(m.a.size());
      StepColumns<detail::ColumnStep::kCentre>({centred.data(), nullptr, m.mean.data(), m.factor.data(), m.slope.data(),
                                                nullptr, m.rows, m.columns, centred.data()});
      StepColumns<detail::ColumnStep::kGradient>({m.a.data(), m.b.data(), m.mean.data(), m.factor.data(), m.mean.data(),
                                                  m.slope.data(), m.rows, m.columns, gradient.data()});
      for (std::size_t at = 0; at < m.a.size(); ++at) {
        const double mean = static_cast<double>(m.mean[at % n]), factor = static_cast<double>(m.factor[at % n]),
                     slope = static_cast<double>(m.slope[at % n]), x = static_cast<double>(m.a[at]) - mean;
        CHECK(std::abs(static_cast<double>(centred[at]) - (x * factor + slope)) <= 2e-6);
        CHECK(std::abs(static_cast<double>(gradient[at]) -
                       factor * (static_cast<double>(m.b[at]) - mean - x * slope)) <= 2e-6);
      }
    }
  }
}
}  // namespace columns_test
