// SPDX-License-Identifier: Apache-2.0
#pragma once
// Discrete Fourier transforms of the last dimensions of tensors: complex ones and their inverses, and those of real
// numbers, of which the first n / 2 + 1 elements of the last dimension determine the others. Calculated in the type of
// the elements, with roots of one that are rounded from more digits.
//
// Lines of the last dimension are transformed first (by the inverse of a real transform: last), then those of the
// others, in place in the output. n real numbers, n even, are n / 2 complex ones, from whose transform a pass of sums
// makes theirs (W. H. Press et al., "Numerical Recipes", "FFT of real functions").

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/fft/lines.hpp>
#include <tenon/engine/fft/plan.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class FftKind : std::uint8_t { kForward, kInverse, kRealForward, kRealInverse };

// The blocks that are transformed: `in` of the input, of which the first are used, `full` while they are transformed,
// `out` of the output. No size is 0.
struct FftSizes {
  static constexpr int kMost = 3;
  int dims = 0;
  Index in[kMost] = {}, full[kMost] = {}, out[kMost] = {};
  Index blocks = 1;
};

namespace detail {

// One call.
template <class T>
class FftRun {
 public:
  FftRun(const FftKernels<T>& kernels, FftKind kind, const FftSizes& sizes, const T* in, T* out)
      : kernels_(kernels),
        kind_(kind),
        sizes_(sizes),
        last_(sizes.dims - 1),
        n_(sizes.full[last_]),
        in_(in),
        out_(out) {}

  // `who` is the op's name.
  Status Run(Cpu& device, std::string_view who) {
    for (int d = 0; d <= last_; ++d) {
      plans_[d] = FftPlans<T>::Find(d == last_ && IsHalved() ? n_ / 2 : sizes_.full[d], kernels_);
      if (!plans_[d]) return NoMemory(who);
    }
    const Index lines = last_ == 0 ? sizes_.blocks : 1, blocks = last_ == 0 ? 1 : sizes_.blocks;
    rows_ = last_ == 0 ? lines : LinesOf(sizes_.full);
    Index parts = WorthwhileParts(device, static_cast<double>(blocks) * BlockNs());
    const bool by_blocks = parts > 1 && blocks >= parts && (blocks % parts == 0 || blocks >= 4 * parts);
    const Index block_size = last_ > 0 && kind_ == FftKind::kRealInverse ? FftRoundUp(rows_ * 2 * Half(), 32) : 0;
    const Index work = PartWork();
    const std::size_t bytes = static_cast<std::size_t>(parts * work + (by_blocks ? parts : 1) * block_size) * sizeof(T);
    alignas(Allocator::kAlignment) char few[16384];
    const Scratch scratch(device, bytes <= sizeof few ? 0 : bytes);
    TENON_RETURN_IF_ERROR(scratch.status(who));
    T* const begin = bytes <= sizeof few ? reinterpret_cast<T*>(few) : scratch.As<T>();
    T* const work_begin = begin + (by_blocks ? parts : 1) * block_size;
    if (by_blocks) {
      RunParts(device, parts, [&](Index part) {
        const Threads one{nullptr, 1, work_begin + part * work, work};
        for (Index i = PartBegin(blocks, parts, 1, part); i < PartBegin(blocks, parts, 1, part + 1); ++i)
          Block(one, i, begin + part * block_size);
      });
    } else {
      const Threads all{parts > 1 ? &device : nullptr, parts, work_begin, work};
      for (Index i = 0; i < blocks; ++i) Block(all, i, begin);
    }
    return OkStatus();
  }

 private:
  static constexpr double kNs = 0.3;  // time of a vector operation, with its reads and writes
  // Threads that run a step: `parts` of them, each with memory of its own.
  struct Threads {
    Cpu* device;
    Index parts;
    T* work;
    Index work_step;

    // body(begin, end, work) on ranges of [0, total), if that is worth it.
    template <class Body>
    void Split(Index total, Index step, double ns, const Body& body) const {
      const Index worth = device == nullptr ? 1 : WorthwhileParts(*device, ns), most = worth < parts ? worth : parts;
      if (most <= 1) return body(Index{0}, total, work);
      RunParts(*device, most, [&](Index part) {
        body(PartBegin(total, most, step, part), PartBegin(total, most, step, part + 1), work + part * work_step);
      });
    }
  };

  bool IsReal() const { return kind_ == FftKind::kRealForward || kind_ == FftKind::kRealInverse; }
  bool IsInverse() const { return kind_ == FftKind::kInverse || kind_ == FftKind::kRealInverse; }
  bool IsHalved() const { return IsReal() && n_ % 2 == 0; }
  Index Half() const { return n_ / 2 + 1; }
  // Complex numbers of a row while the other dimensions are transformed.
  Index RowSize() const { return IsReal() ? Half() : n_; }
  Index LinesOf(const Index (&sizes)[FftSizes::kMost]) const {
    Index lines = 1;
    for (int d = 0; d < last_; ++d) lines *= sizes[d];
    return lines;
  }
  Index ColumnsOf(int d) const {
    Index columns = RowSize();
    for (int i = d + 1; i < last_; ++i) columns *= sizes_.full[i];
    return columns;
  }

  // Whether `lines` rows are transformed together.
  bool IsTogether(Index lines) const { return FftLines<T>(*plans_[last_], kernels_).IsBetterTogether(lines); }
  Index Group() const { return IsTogether(rows_) ? FftLines<T>(*plans_[last_], kernels_).width() : 1; }
  double RowsNs(Index rows) const {
    const FftLines<T> lines(*plans_[last_], kernels_);
    const double width = static_cast<double>(lines.width()), n = static_cast<double>(n_);
    double each = lines.LineCost();
    if (IsTogether(rows)) each = (plans_[last_]->lanes_cost + 16 * n) / width;
    return static_cast<double>(rows) * (20 + kNs * (each + (IsReal() ? 20 * n / width : 0)));
  }
  double ColumnsNs(int d) const {
    const FftLines<T> lines(*plans_[d], kernels_);
    const Index tiles = (ColumnsOf(d) + lines.width() - 1) / lines.width();
    return static_cast<double>(tiles) * kNs * lines.ColumnsCost();
  }
  double BlockNs() const {
    double ns = RowsNs(rows_);
    for (int d = 0; d < last_; ++d)
      ns += static_cast<double>(rows_ * RowSize() / (sizes_.full[d] * ColumnsOf(d))) * ColumnsNs(d);
    return ns;
  }
  // Work memory of one thread, in numbers of type T.
  Index PartWork() const {
    const FftLines<T> lines(*plans_[last_], kernels_);
    Index most = std::max(lines.LineWork(), Group() > 1 ? lines.TogetherWork() : 0) + StagedSize();
    for (int d = 0; d < last_; ++d) most = std::max(most, FftLines<T>(*plans_[d], kernels_).ColumnsWork());
    return FftRoundUp(most, 32);
  }
  // Rows of an odd number of real elements are transformed as complex ones.
  Index StagedSize() const { return IsReal() && !IsHalved() ? FftRoundUp(2 * n_ * Group(), 32) : 0; }
  TENON_DETAIL_COLD static Status NoMemory(std::string_view who) {
    return errors::ResourceExhausted(who, ": OOM when making the tables of a Fourier transform");
  }

  void Block(const Threads& threads, Index block, T* scratch) {
    const Index out_part = kind_ == FftKind::kRealInverse ? 1 : 2;
    T* const out = out_ + block * rows_ * sizes_.out[last_] * out_part;
    if (kind_ != FftKind::kRealInverse) {
      Rows(threads, block, nullptr, out);
      for (int d = last_; d-- > 0;) Columns(threads, d, out);
    } else if (last_ == 0) {
      Rows(threads, block, nullptr, out);
    } else {
      for (Index i = 0; i < rows_; ++i)
        std::memcpy(scratch + 2 * i * Half(), InRow(block, i), static_cast<std::size_t>(2 * Half()) * sizeof(T));
      for (int d = 0; d < last_; ++d) Columns(threads, d, scratch);
      Rows(threads, block, scratch, out);
    }
  }
  // Row i of a block of the input: the first of each dimension's elements are used.
  const T* InRow(Index block, Index i) const {
    const Index part = kind_ == FftKind::kRealForward ? 1 : 2;
    Index place = block, step = 1;
    if (last_ == 0) {
      place = i;
    } else {
      for (int d = 0; d < last_; ++d) step *= sizes_.full[d];
      for (int d = 0; d < last_; ++d) {
        step /= sizes_.full[d];
        place = place * sizes_.in[d] + i / step % sizes_.full[d];
      }
    }
    return in_ + place * sizes_.in[last_] * part;
  }
  // How many rows lie at the same distances from each other, in the input.
  Index EvenRows() const {
    if (last_ == 0) return rows_;
    for (int d = 1; d < last_; ++d)
      if (sizes_.in[d] != sizes_.full[d]) return sizes_.full[last_ - 1];
    return rows_;
  }

  // The last dimension, from `from` or else the input, to `out`.
  void Rows(const Threads& threads, Index block, const T* from, T* out) const {
    const FftLines<T> lines(*plans_[last_], kernels_);
    const Index group = Group(), even = from != nullptr ? rows_ : EvenRows();
    const double ns = RowsNs(rows_);
    if (rows_ < threads.parts && group == 1) {  // fewer rows than threads: each by all threads
      const Index worth =
          threads.device == nullptr ? 1 : WorthwhileParts(*threads.device, ns / static_cast<double>(rows_));
      const Index parts = worth < threads.parts ? worth : threads.parts;
      for (Index i = 0; i < rows_; ++i)
        OneRow(lines, from != nullptr ? from + 2 * i * Half() : InRow(block, i), OutRow(out, i), threads.work,
               threads.device, parts);
      return;
    }
    threads.Split(rows_, group, ns, [&](Index begin, Index end, T* work) {
      for (Index i = begin; i < end;) {
        Index count = std::min(group, end - i);
        count = std::min(count, even - i % even);
        const T* const row = from != nullptr ? from + 2 * i * Half() : InRow(block, i);
        if (count == 1)
          OneRow(lines, row, OutRow(out, i), work, nullptr, 1);
        else
          SomeRows(lines, row, OutRow(out, i), count, work);
        i += count;
      }
    });
  }
  T* OutRow(T* out, Index i) const { return out + i * sizes_.out[last_] * (kind_ == FftKind::kRealInverse ? 1 : 2); }
  FftDirection<T> Direction(Index n) const { return {IsInverse(), IsInverse() ? T(1) / static_cast<T>(n) : T(1)}; }

  void OneRow(const FftLines<T>& lines, const T* from, T* to, T* work, Cpu* device, Index parts) const {
    if (!IsReal()) return lines.Line(from, to, Direction(n_), work, device, parts);
    if (!IsHalved()) {
      T* const staged = work;
      Spread(from, staged);
      lines.Line(staged, staged, Direction(n_), work + StagedSize(), device, parts);
      return Take(staged, to);
    }
    if (kind_ == FftKind::kRealInverse) {
      ToHalf(from, to);
      from = to;
    }
    lines.Line(from, to, Direction(n_), work, device, parts);
    if (kind_ == FftKind::kRealForward) FromHalf(to);
  }
  // Rows at even distances.
  void SomeRows(const FftLines<T>& lines, const T* from, T* to, Index count, T* work) const {
    const bool is_inner = kind_ == FftKind::kRealInverse && last_ > 0;
    const Index from_row = (is_inner ? Half() : sizes_.in[last_]) * (kind_ == FftKind::kRealForward ? 1 : 2);
    const Index to_row = sizes_.out[last_] * (kind_ == FftKind::kRealInverse ? 1 : 2);
    if (IsReal() && !IsHalved()) {
      T* const staged = work;
      for (Index i = 0; i < count; ++i) Spread(from + i * from_row, staged + 2 * i * n_);
      lines.Together(staged, 2 * n_, staged, 2 * n_, count, Direction(n_), work + StagedSize());
      for (Index i = 0; i < count; ++i) Take(staged + 2 * i * n_, to + i * to_row);
    } else if (kind_ == FftKind::kRealInverse) {
      for (Index i = 0; i < count; ++i) ToHalf(from + i * from_row, to + i * to_row);
      lines.Together(to, to_row, to, to_row, count, Direction(n_), work);
    } else {
      lines.Together(from, from_row, to, to_row, count, Direction(n_), work);
      if (kind_ == FftKind::kRealForward)
        for (Index i = 0; i < count; ++i) FromHalf(to + i * to_row);
    }
  }

  // Writes n real numbers, or the first half of complex ones (the others are their conjugates), as n complex ones.
  void Spread(const T* from, T* to) const {
    if (kind_ == FftKind::kRealForward) {
      for (Index i = 0; i < n_; ++i) {
        to[2 * i] = from[i];
        to[2 * i + 1] = 0;
      }
      return;
    }
    to[0] = from[0];
    to[1] = 0;
    for (Index i = 1; i < Half(); ++i) {
      to[2 * i] = to[2 * (n_ - i)] = from[2 * i];
      to[2 * i + 1] = from[2 * i + 1];
      to[2 * (n_ - i) + 1] = -from[2 * i + 1];
    }
  }
  // Takes the result from n complex numbers: the first half or, for an inverse, the real parts.
  void Take(const T* from, T* to) const {
    if (kind_ == FftKind::kRealForward) {
      std::memcpy(to, from, static_cast<std::size_t>(2 * Half()) * sizeof(T));
      return;
    }
    for (Index i = 0; i < n_; ++i) to[i] = from[2 * i];
  }
  // Converts between the transform of n real numbers and that of n / 2 complex ones.
  void FromHalf(T* row) const {
    const T re = row[0], im = row[1];
    RealSums(row, row, 1, T(0.5));
    row[0] = re + im;
    row[1] = 0;
    row[n_] = re - im;
    row[n_ + 1] = 0;
  }
  void ToHalf(const T* from, T* to) const {
    const T first = from[0], middle = from[n_];  // the imaginary parts of both are ignored
    RealSums(from, to, -1, 1);
    to[0] = first + middle;
    to[1] = first - middle;
  }
  void RealSums(const T* from, T* to, T sign, T scale) const {
    FftStep<T> step;
    step.from = from;
    step.to = to;
    step.m = n_ / 2;
    step.twiddles = plans_[last_]->halves.data();
    step.in_sign = sign;
    step.re_scale = scale;
    kernels_.real_sums(&step);
  }

  // Dimension d of a block of complex numbers, in place.
  void Columns(const Threads& threads, int d, T* x) const {
    const FftLines<T> lines(*plans_[d], kernels_);
    const Index n = sizes_.full[d], columns = ColumnsOf(d), width = lines.width();
    const Index tiles = (columns + width - 1) / width, outer = rows_ * RowSize() / (n * columns);
    if (n == 1) return;
    threads.Split(outer * tiles, 1, static_cast<double>(outer) * ColumnsNs(d), [&](Index begin, Index end, T* work) {
      for (Index i = begin; i < end; ++i) {
        const Index first = i % tiles * width;
        lines.Columns(x + 2 * (i / tiles * n * columns + first), columns, std::min(width, columns - first),
                      Direction(n), work);
      }
    });
  }

  const FftKernels<T>& kernels_;
  FftKind kind_;
  const FftSizes& sizes_;
  int last_;
  Index n_;  // size of the last dimension
  const T* in_;
  T* out_;
  Index rows_ = 1;  // rows of a block
  Ref<const FftPlan<T>> plans_[FftSizes::kMost];
};

}  // namespace detail

// T is float or double, the type of the parts of complex numbers. in: [blocks, sizes.in], out: [blocks, sizes.out],
// which may be `in` where the sizes are the same and there is one dimension. Inverse transforms are divided by the
// number of elements. `who` is the op's name.
template <class T, class Isa = simd::Compiled>
Status Fft(Cpu& device, FftKind kind, const FftSizes& sizes, const void* in, void* out, std::string_view who) {
  return detail::FftRun<T>(detail::FftKernelsHere<T, Isa>(), kind, sizes, static_cast<const T*>(in),
                           static_cast<T*>(out))
      .Run(device, who);
}

TENON_DETAIL_NAMESPACE_END
