// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor whose dimensions are turned: elements that leave at the end come back at the beginning.

#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/element_copy.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Element i of a dimension goes to (i + shift) mod size. Dimensions that are not turned are part of the one
// outside. immutable once made.
struct RollPlan {
  struct Dim {
    Index size, shift;
  };
  InlinedVector<Dim, 8> dims;  // outermost first; at least one
  Index elements = 1;

  RollPlan() { dims.push_back({1, 0}); }
  // Adds the next dimension, inside of those that there are. `shift` is in [0, size).
  void Add(Index size, Index shift) {
    elements = MultiplySizes(elements, size);
    if (shift == 0)
      dims.back() = {MultiplySizes(dims.back().size, size), MultiplySizes(dims.back().shift, size)};
    else
      dims.push_back({size, shift});
  }
};

// out = `in`, turned. They must not overlap.
inline AlwaysOk Roll(Cpu& device, const ElementMover& mover, const RollPlan& plan, const void* in, void* out) {
  if (plan.elements == 0) return {};
  const int last = static_cast<int>(plan.dims.size()) - 1;
  const Index row = plan.dims.back().size, moved = plan.dims.back().shift;  // a row is two runs
  const auto rows = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Index from = 0, left = i, step = row;  // the row of the input that comes here
      for (int d = last - 1; d >= 0; --d) {
        const auto [size, shift] = plan.dims[static_cast<std::size_t>(d)];
        const Index at = left % size;
        left /= size;
        from += (at >= shift ? at - shift : at - shift + size) * step;
        step *= size;
      }
      const char* const source = mover.At(in, from);
      char* const target = mover.At(out, i * row);
      CopyRun(mover, source, target + moved * mover.bytes, row - moved);
      CopyRun(mover, source + (row - moved) * mover.bytes, target, moved);
    }
  };
  ParallelFor(device, plan.elements / row, mover.cost_ns() * static_cast<double>(row) + 10, rows);
  return {};
}

TENON_DETAIL_NAMESPACE_END
