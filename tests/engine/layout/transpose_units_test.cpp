// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/transpose_units.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace transpose_units_test {
using namespace tenon;

namespace {

template <class Unit>
std::vector<Unit> Numbered(Index n) {
  std::vector<Unit> numbers(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = static_cast<Unit>(i * 31 + i / 256);
  return numbers;
}
std::size_t At(Index i) { return static_cast<std::size_t>(i); }

template <class Unit>
void CheckUnits(Index rows, Index columns, Index from_step, Index to_step) {
  const std::vector<Unit> from = Numbered<Unit>(columns * from_step);
  std::vector<Unit> to(At(rows * to_step), Unit(7)), want = to;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) want[At(r * to_step + c)] = from[At(r + c * from_step)];
  detail::TransposeUnits(from.data(), from_step, to.data(), to_step, rows, columns);
  CHECK(to == want);
}

// Rows and columns at places in any order.
template <class Unit>
void CheckTiles(Index rows, Index columns) {
  const std::vector<Unit> from = Numbered<Unit>(columns * (rows + 3));
  std::vector<Unit> to(At(rows * (columns + 1)), Unit(7)), want = to;
  std::vector<Index> row_at, column_at;
  for (Index r = 0; r < rows; ++r) row_at.push_back((rows - 1 - r) * (columns + 1));
  for (Index c = 0; c < columns; ++c)
    column_at.push_back((c % 2 == 0 ? c : columns - 1 - (columns % 2 == 0 ? c - 1 : c)) * (rows + 3));
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) want[At(row_at[At(r)] + c)] = from[At(column_at[At(c)] + r)];
  detail::TransposeTiles(from.data(), column_at.data(), to.data(), row_at.data(), rows, columns);
  CHECK(to == want);
}

}  // namespace

TEST_SUITE("transposed blocks") {
  TEST_CASE("units of each size, with sides that no square divides") {
    for (const Index rows : {1, 3, 16, 37})
      for (const Index columns : {1, 5, 32, 45}) {
        CheckUnits<std::uint8_t>(rows, columns, rows, columns);
        CheckUnits<std::uint16_t>(rows, columns, rows + 2, columns);
        CheckUnits<std::uint32_t>(rows, columns, rows, columns + 5);
        CheckUnits<std::uint32_t>(rows, columns, 600, columns);
        CheckUnits<std::uint64_t>(rows, columns, rows + 1, columns + 1);
      }
  }
  TEST_CASE("tiles of rows and columns that lie apart") {
    for (const Index rows : {1, 15, 16, 64})
      for (const Index columns : {2, 16, 33, 64}) {
        CheckTiles<std::uint8_t>(rows, columns);
        CheckTiles<std::uint16_t>(rows, columns);
        CheckTiles<std::uint32_t>(rows, columns);
        CheckTiles<std::uint64_t>(rows, columns);
      }
  }
}
}  // namespace transpose_units_test
