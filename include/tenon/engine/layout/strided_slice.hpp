// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies a regular part of a tensor: every so many elements of each dimension, forwards or backwards. Dimensions that
// the part leaves together become one, and elements that lie together are copied as one run.

#include <algorithm>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/element_copy.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Where a part's elements lie in the input, in the order of the output. immutable once made.
struct StridedCopy {
  struct Dim {
    Index size;
    Index step;  // elements of the input; may be negative
  };
  InlinedVector<Dim, 6> dims;  // outermost first, none of size 1
  Index first = 0;             // element of the input that the output begins with
  Index elements = 1;          // size of the output

  // Dimension d of the input (of size input[d]) gives count[d] elements: begin[d], begin[d] + stride[d], ...; all
  // inside.
  void Make(Span<const Index> input, Span<const Index> begin, Span<const Index> stride, Span<const Index> count) {
    dims.clear();
    first = 0;
    elements = 1;
    for (const Index n : count) elements *= n;
    if (elements == 0) return;
    for (std::size_t d = 0; d < input.size(); ++d) {
      for (Dim& outer : dims) outer.step *= input[d];
      first = first * input[d] + begin[d];
      if (count[d] != 1) dims.push_back({count[d], stride[d]});
    }
    std::size_t n = 0;  // dimensions after joining, innermost first
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (n > 0 && dims[d].step == dims[dims.size() - n].step * dims[dims.size() - n].size) {
        dims[dims.size() - n].size *= dims[d].size;
      } else {
        ++n;
        dims[dims.size() - n] = dims[d];
      }
    }
    std::copy(dims.end() - static_cast<std::ptrdiff_t>(n), dims.end(), dims.begin());
    dims.resize(n);
  }
};

namespace detail {

// A position in the outer dimensions of a StridedCopy: where in the input the next piece begins. one thread.
class StridedWalk {
 public:
  // Among the first `rank` dimensions, at piece number `index` of them.
  StridedWalk(const StridedCopy& copy, int rank, Index index) : at(copy.first), dims_(copy.dims.data()), rank_(rank) {
    for (int d = rank - 1; d >= 0; --d) {
      index_[d] = index % dims_[d].size;
      index /= dims_[d].size;
      at += index_[d] * dims_[d].step;
    }
  }
  // Pieces that follow each other at one step, this one included.
  Index Left() const { return rank_ == 0 ? 1 : dims_[rank_ - 1].size - index_[rank_ - 1]; }
  Index Step() const { return rank_ == 0 ? 0 : dims_[rank_ - 1].step; }
  // n further, at most Left().
  void Advance(Index n) {
    for (int d = rank_ - 1; d >= 0; --d, n = 1) {
      index_[d] += n;
      at += n * dims_[d].step;
      if (index_[d] < dims_[d].size) return;
      index_[d] = 0;
      at -= dims_[d].size * dims_[d].step;
    }
  }

  Index at;  // element of the input

 private:
  const StridedCopy::Dim* dims_;
  int rank_;
  Index index_[kMaxTensorRank];
};

// Elements [begin, end) of the output.
inline void CopyStridedRange(const ElementMover& mover, const StridedCopy& copy, const void* in, void* out, Index begin,
                             Index end) {
  const int rank = static_cast<int>(copy.dims.size());
  const bool runs = rank > 0 && copy.dims.back().step == 1;
  const Index run = runs ? copy.dims.back().size : 1;  // elements that lie together in the input
  StridedWalk walk(copy, runs ? rank - 1 : rank, begin / run);
  Index skip = begin % run;
  while (begin < end) {
    Index pieces = 1, n = std::min(run - skip, end - begin);
    if (n == run) {
      pieces = std::min(walk.Left(), (end - begin) / run);
      n = pieces * run;
      CopyPieces(mover, run, mover.At(in, walk.at), walk.Step(), mover.At(out, begin), run, pieces);
    } else {
      CopyRun(mover, mover.At(in, walk.at + skip), mover.At(out, begin), n);
      skip = 0;
    }
    begin += n;
    walk.Advance(pieces);
  }
}

}  // namespace detail

// out = the part of `in` that `copy` describes.
inline AlwaysOk CopyStrided(Cpu& device, const ElementMover& mover, const StridedCopy& copy, const void* in,
                            void* out) {
  ParallelFor(device, copy.elements, mover.cost_ns(),
              [&](Index begin, Index end) { detail::CopyStridedRange(mover, copy, in, out, begin, end); });
  return {};
}

TENON_DETAIL_NAMESPACE_END
