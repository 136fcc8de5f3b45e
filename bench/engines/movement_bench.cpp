// SPDX-License-Identifier: Apache-2.0
// What only moves elements: transposition, concatenation, rows by number, a part of a matrix. The number is the side of
// the matrix, or what the name says.
#include <cstdint>

#include <tenon/engine/layout/gather.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/transpose.hpp>

#include "support.hpp"

namespace tenon::bench {
namespace {

void TimeTranspose(State& state, Index rows, Index columns) {
  Machine machine(state);
  const Tensor x = Numbers({rows, columns});
  Tensor y(DataType::kFloat, {columns, rows});
  NdCopy copy;
  copy.Add(columns, 1, rows);
  copy.Add(rows, columns, 1);
  const ElementMover mover = MoverOf(DataType::kFloat);
  CopyNd(machine.cpu, mover, copy, x.raw_data(), y.raw_data());
  const Rows r{x.data<float>(), rows, columns, y.data<float>()};
  AddOneDnnTranspose(state, r);
  AddEigenTranspose(state, r);
  AddCopyingGoal(state, 2.0 * static_cast<double>(x.TotalBytes()), 0);
  state.Goal(1 / 1.3, "oneDNN");
  TimeOn(state, machine, rows * columns, [&](Cpu& device) { CopyNd(device, mover, copy, x.raw_data(), y.raw_data()); });
}

// `parts` matrices [rows, columns] side by side.
void TimeConcat(State& state, Index rows, Index columns) {
  constexpr Index kParts = 4;
  Machine machine(state);
  const Tensor x = Numbers({kParts, rows, columns});
  Tensor y(DataType::kFloat, {rows, kParts * columns});
  ConcatPart parts[kParts];
  for (Index i = 0; i < kParts; ++i) parts[i] = {x.data<float>() + i * rows * columns, columns};
  AddCopyingGoal(state, 2.0 * static_cast<double>(x.TotalBytes()), 0.8);
  TimeOn(state, machine, kParts * rows * columns,
         [&](Cpu& device) { Concat(device, MoverOf(DataType::kFloat), {parts, kParts}, rows, y.raw_data()); });
}

// The bytes of the cache lines in which `count` pieces lie, each `first` bytes behind the beginning of a line: as many
// have to come from memory.
double LineBytes(Index count, Index first, Index bytes) {
  constexpr Index kLine = 64;
  return static_cast<double>(count * ((first % kLine + bytes + kLine - 1) / kLine * kLine));
}

// `count` rows of [limit, columns].
void TimeGather(State& state, Index limit, Index count, Index columns) {
  Machine machine(state);
  const Tensor x = Numbers({limit, columns}), at = Numbers<std::int32_t>({count}, 0, static_cast<double>(limit), 2);
  Tensor y(DataType::kFloat, {count, columns});
  const GatherPlan plan{.limit = limit, .count = count, .run = columns};
  AddCopyingGoal(state, LineBytes(count, 0, columns * 4) + static_cast<double>(y.TotalBytes()), 0.8);
  TimeOn(state, machine, count * columns,
         [&](Cpu& device) { Keep(Gather(device, MoverOf(DataType::kFloat), plan, x.raw_data(), at, y.raw_data())); });
}

// The middle columns of a matrix with twice as many.
void TimeSlice(State& state, Index rows, Index columns) {
  Machine machine(state);
  const Tensor x = Numbers({rows, 2 * columns});
  Tensor y(DataType::kFloat, {rows, columns});
  NdCopy copy;
  copy.in_first = columns / 2;
  copy.Add(rows, 2 * columns, columns);
  copy.Add(columns, 1, 1);
  AddCopyingGoal(state, LineBytes(rows, copy.in_first * 4, columns * 4) + static_cast<double>(y.TotalBytes()), 0.8);
  TimeOn(state, machine, rows * columns,
         [&](Cpu& device) { CopyNd(device, MoverOf(DataType::kFloat), copy, x.raw_data(), y.raw_data()); });
}

}  // namespace

TENON_BENCH(transpose, {64, 256, 1024}) { TimeTranspose(state, state.arg(), state.arg()); }
TENON_BENCH(transpose_Nx3, {65536}) { TimeTranspose(state, state.arg(), 3); }
TENON_BENCH(concat_4_of_256xN, {16, 64, 256}) { TimeConcat(state, 256, state.arg()); }
TENON_BENCH(gather_1024_rows_of_N, {8, 64, 256}) { TimeGather(state, 4096, 1024, state.arg()); }
TENON_BENCH(slice_256xN, {16, 64, 256}) { TimeSlice(state, 256, state.arg()); }

}  // namespace tenon::bench
