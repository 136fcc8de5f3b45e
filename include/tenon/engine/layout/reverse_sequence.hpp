// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sequences of different lengths, each reversed within its length.

#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/transpose.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Entry b of dimension `batch` has its first lengths[b] entries of dimension `seq` in the reverse order, and the others
// as they are. The two dimensions differ; a length is in [0, size of `seq`]. `in` and `out` must not overlap.
inline AlwaysOk ReverseSequence(Cpu& device, const ElementMover& mover, const TensorShape& shape, int seq, int batch,
                                Span<const Index> lengths, const void* in, void* out) {
  const InlinedVector<Index, 8> steps = StridesOf(shape.dim_sizes());
  const Index seq_step = steps[static_cast<std::size_t>(seq)], batch_step = steps[static_cast<std::size_t>(batch)];
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const auto part = [&](Index first, Index count, bool reversed) {
      NdCopy copy;
      copy.out_first = static_cast<Index>(b) * batch_step + first * seq_step;
      copy.in_first = copy.out_first + (reversed ? (count - 1) * seq_step : 0);
      for (int d = 0; d < shape.dims(); ++d) {
        const Index step = steps[static_cast<std::size_t>(d)];
        if (d == seq)
          copy.Add(count, reversed ? -step : step, step);
        else if (d != batch)
          copy.Add(shape.dim_size(d), step, step);
      }
      CopyNd(device, mover, copy, in, out);
    };
    part(0, lengths[b], true);
    part(lengths[b], shape.dim_size(seq) - lengths[b], false);
  }
  return {};
}

TENON_DETAIL_NAMESPACE_END
