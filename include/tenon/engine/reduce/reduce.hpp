// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions over any set of dimensions: shapes, threads and accuracy, in a driver that knows neither the operation nor
// the type but its loops (engine/reduce/loops.hpp). The result does not depend on the number of threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/reduce/loops.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A set of dimensions.
class AxisSet {
 public:
  bool contains(int d) const { return (words_[d / 64] >> (d % 64) & 1) != 0; }
  void Add(int d) { words_[d / 64] |= std::uint64_t{1} << (d % 64); }

 private:
  std::uint64_t words_[(kMaxTensorRank + 63) / 64] = {};
};

namespace detail {

// Some dimensions of the input: their sizes and steps in elements, outermost last.
struct ReduceDims {
  int rank = 0;
  Index size[kMaxTensorRank / 2 + 1];
  Index step[kMaxTensorRank / 2 + 1];

  void Add(Index n, Index elements) {
    size[rank] = n;
    step[rank++] = elements;
  }
};

// A position among some dimensions. one thread.
class ReduceWalk {
 public:
  ReduceWalk(const ReduceDims& dims, Index index) : dims_(dims) {
    for (int d = 0; d < dims.rank; ++d) {
      at_[d] = index % dims.size[d];
      index /= dims.size[d];
      offset += at_[d] * dims.step[d];
    }
  }
  void Next() {
    for (int d = 0; d < dims_.rank; ++d) {
      offset += dims_.step[d];
      if (++at_[d] < dims_.size[d]) return;
      offset -= dims_.size[d] * dims_.step[d];
      at_[d] = 0;
    }
  }

  Index offset = 0;  // element of the input

 private:
  const ReduceDims& dims_;
  Index at_[kMaxTensorRank / 2 + 1];
};

// How to walk over the input. Kept and reduced dimensions alternate: neighbours of one kind count as one, and
// dimensions of size 1 do not count. The two innermost make a block: `line` outputs of `run` terms each, lying as
// [line, run] or [run, line].
struct ReducePlan {
  bool runs = false;  // the block is [line, run]
  Index line = 1;
  Index run = 1;
  ReduceDims kept, reduced;  // the dimensions outside the block
  Index outputs = 1;
  Index terms = 1;  // elements that make one output
  // Terms of an output are added up in pieces of so many, for accuracy and for threads to share; then groups of pieces.
  Index piece = 1;

  ReducePlan(const TensorShape& shape, const AxisSet& axes) {
    int position = 0;  // among the dimensions after joining, innermost first
    Index step = 1;
    for (int d = shape.dims() - 1; d >= 0;) {
      const bool is_reduced = axes.contains(d);
      Index n = 1;
      for (; d >= 0 && (axes.contains(d) == is_reduced || shape.dim_size(d) == 1); --d)
        n = MultiplySizes(n, shape.dim_size(d));
      if (n == 1) continue;  // possible only for the innermost ones: others of size 1 went to the group before
      (is_reduced ? terms : outputs) = MultiplySizes(is_reduced ? terms : outputs, n);
      if (position == 0) runs = is_reduced;
      if (position < 2)
        (is_reduced ? run : line) = n;
      else
        (is_reduced ? reduced : kept).Add(n, step);
      ++position;
      step = MultiplySizes(step, n);
    }
    piece = runs ? 8192 : std::max<Index>(16384 / std::max<Index>(line, 1), 256);
  }

  Index pieces() const { return (terms + piece - 1) / piece; }
  // Outputs that one thread should do together: whole short lines, else a cache line's worth when terms lie
  // interleaved.
  Index unit(Index bytes) const {
    if (runs) return 1;
    return line < kShortLine ? line * std::max<Index>(kShortLine / line, 1) : std::max<Index>(64 / bytes, 1);
  }

  static constexpr Index kShortLine = 32;
};

// One reduction; shared by all threads that work on it.
struct ReduceWork {
  static constexpr Index kTileBytes = 4096;  // bytes of accumulators: a tile has as many outputs as they hold

  const ReduceLoops& loops;
  const ReducePlan& plan;
  const char* x;
  char* out;

  const char* X(Index i) const { return x + i * loops.in_bytes; }
  Index tile() const { return kTileBytes / loops.acc_bytes; }

  // acc = outputs [from, from + n) of the line that begins at `base`, terms [begin, end) of each.
  void Accumulate(Index base, Index from, Index n, Index begin, Index end, char* acc) const {
    if (begin >= end) return;
    ReduceWalk walk(plan.reduced, begin / plan.run);
    for (Index skip = begin % plan.run; begin < end; skip = 0, walk.Next()) {
      const Index m = std::min(plan.run - skip, end - begin);
      const Index first = base + walk.offset;
      if (plan.runs)
        Runs(X(first + from * plan.run + skip), n, m, acc);
      else
        Rows(X(first + skip * plan.line + from), m, n, acc);
      begin += m;
    }
  }

  // Outputs [begin, end), on this thread.
  void Outputs(Index begin, Index end) const {
    alignas(64) Accumulators part;
    ReduceWalk walk(plan.kept, begin / plan.line);
    for (Index from = begin % plan.line; begin < end; from = 0, walk.Next()) {
      const Index stop = std::min(plan.line, from + end - begin);
      while (from < stop) {
        const Index n = std::min(stop - from, tile());
        if (plan.terms <= plan.piece) {
          loops.fill(part, n);
          Accumulate(walk.offset, from, n, 0, plan.terms, part);
          loops.finish(part, plan.terms, out + begin * loops.in_bytes, n);
        } else {
          PieceSum sum(*this, n);
          for (Index p = 0; p < plan.pieces(); ++p) {
            loops.fill(part, n);
            Piece(walk.offset, from, n, p, part);
            sum.Add(part);
          }
          sum.Finish(begin);
        }
        from += n;
        begin += n;
      }
    }
  }

  // Outputs [begin, begin + n) of one line, the pieces of their terms on several threads. `parts`: one row of
  // accumulators for each piece.
  void OutputsByPieces(Cpu& device, Index begin, Index n, char* parts) const {
    const ReduceWalk walk(plan.kept, begin / plan.line);
    const Index from = begin % plan.line, row_bytes = n * loops.acc_bytes;
    ParallelFor(device, plan.pieces(), static_cast<double>(loops.cost_ns) * static_cast<double>(n * plan.piece),
                [&](Index first, Index last) {
                  loops.fill(parts + first * row_bytes, (last - first) * n);
                  for (Index p = first; p < last; ++p) Piece(walk.offset, from, n, p, parts + p * row_bytes);
                });
    PieceSum sum(*this, n);
    for (Index p = 0; p < plan.pieces(); ++p) sum.Add(parts + p * row_bytes);
    sum.Finish(begin);
  }

 private:
  using Accumulators = char[kTileBytes];

  // Puts the pieces of n outputs together, in order.
  class PieceSum {
   public:
    PieceSum(const ReduceWork& work, Index n) : work_(work), n_(n) {
      work.loops.fill(total_, n);
      work.loops.fill(group_, n);
    }
    void Add(const char* part) {
      work_.loops.combine(part, 1, n_, n_, group_);
      if (++in_group_ == kGroup) Flush();
    }
    void Finish(Index begin) {
      if (in_group_ > 0) Flush();
      work_.loops.finish(total_, work_.plan.terms, work_.out + begin * work_.loops.in_bytes, n_);
    }

   private:
    static constexpr int kGroup = 64;
    void Flush() {
      work_.loops.combine(group_, 1, n_, n_, total_);
      work_.loops.fill(group_, n_);
      in_group_ = 0;
    }

    const ReduceWork& work_;
    Index n_;
    int in_group_ = 0;
    alignas(64) Accumulators total_, group_;
  };

  void Piece(Index base, Index from, Index n, Index p, char* acc) const {
    Accumulate(base, from, n, p * plan.piece, std::min((p + 1) * plan.piece, plan.terms), acc);
  }
  // n runs of m elements, plan.run apart. Long ones are added up as rows of lanes.
  void Runs(const char* from, Index n, Index m, char* acc) const {
    const Index rows = m / kReduceLanes, rest = m % kReduceLanes;
    if (rows == 0 || loops.runs_may_be_long) return loops.runs(from, n, plan.run, m, acc);
    for (Index k = 0; k < n; ++k, from += plan.run * loops.in_bytes) {
      alignas(64) char lanes[kReduceLanes * 16];
      loops.fill(lanes, kReduceLanes);
      loops.rows(from, rows, kReduceLanes, kReduceLanes, lanes);
      if (rest > 0) loops.rows(from + (m - rest) * loops.in_bytes, 1, 0, rest, lanes);
      loops.fold(lanes, acc + k * loops.acc_bytes);
    }
  }

  // `rows` rows of n elements, plan.line apart. Many short rows that follow each other are added up as fewer long ones.
  void Rows(const char* from, Index rows, Index n, char* acc) const {
    const Index group = kReduceLanes / n;  // rows in a long one
    if (n >= plan.kShortLine || n != plan.line || rows < 4 * group) return loops.rows(from, rows, plan.line, n, acc);
    alignas(64) char lanes[kReduceLanes * 16];
    loops.fill(lanes, group * n);
    loops.rows(from, rows / group, group * n, group * n, lanes);
    loops.combine(lanes, group, n, n, acc);
    const Index done = rows / group * group;
    if (done < rows) loops.rows(from + done * n * loops.in_bytes, rows - done, n, n, acc);
  }
};

}  // namespace detail

// Reduces the dimensions in `axes` of x, which has the given shape. out: the other dimensions' elements, in order.
inline Status Reduce(Cpu& device, const ReduceLoops& loops, const void* x, const TensorShape& shape,
                     const AxisSet& axes, void* out) {
  const detail::ReducePlan plan(shape, axes);
  if (plan.outputs == 0) return OkStatus();
  const detail::ReduceWork work{loops, plan, static_cast<const char*>(x), static_cast<char*>(out)};
  const Index unit = plan.unit(loops.in_bytes);
  const Index units = (plan.outputs + unit - 1) / unit;
  if (device.pool != nullptr && plan.pieces() > 1 && units < 2 * device.pool->NumThreads()) {
    const Index most = std::min(plan.line, work.tile());
    const Scratch parts(device, static_cast<std::size_t>(plan.pieces() * most * loops.acc_bytes));
    if (parts.status("Reduce").ok()) {
      for (Index begin = 0; begin < plan.outputs;) {
        const Index n = std::min(most, plan.line - begin % plan.line);
        work.OutputsByPieces(device, begin, n, parts.As<char>());
        begin += n;
      }
      return OkStatus();
    }
  }
  ParallelFor(device, units,
              static_cast<double>(loops.cost_ns) * static_cast<double>(plan.terms) * static_cast<double>(unit),
              [&](Index begin, Index end) { work.Outputs(begin * unit, std::min(end * unit, plan.outputs)); });
  return OkStatus();
}

// The loops of a reduction for a device; engine/reduce/reduce.cuh has those of a GPU.
template <class Reducer, class T>
const ReduceLoops& ReduceLoopsFor(const Cpu&) {
  return kReduceLoops<Reducer, T>;
}

TENON_DETAIL_NAMESPACE_END
