// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise work: broadcasting, splitting over threads and sharing of buffers, in drivers that know neither the op
// nor the type but its loops (engine/elementwise/loops.hpp).

#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/elementwise/loops.hpp>
#include <tenon/engine/core/half_conversion.hpp>
#include <tenon/engine/core/nontemporal_store.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
TENON_DETAIL_NOINLINE inline void UnaryPastCaches(const UnaryLoop& loop, const void* attrs, const char* x, char* out,
                                                  Index n) {
  RunPastCaches({out, loop.out_bytes, x, loop.in_bytes, nullptr, 0}, n,
                [&](const char* a, const char*, char* to, Index m) { loop.v(attrs, a, to, m); });
}
}  // namespace detail

// out[i] = op(x[i]) for n elements.
inline Status Unary(Cpu& device, const UnaryLoop& loop, const void* attrs, const void* x, void* out, Index n) {
  const detail::StreamedRun all{static_cast<char*>(out), loop.out_bytes, static_cast<const char*>(x),
                                loop.in_bytes,           nullptr,        0};
  const bool streams = detail::WritesPastCaches(all, n);
  ParallelFor(device, n, static_cast<double>(loop.cost_ns), [&](Index begin, Index end) {
    const char* const from = all.a + begin * all.a_bytes;
    char* const to = all.out + begin * all.out_bytes;
    if (streams)
      detail::UnaryPastCaches(loop, attrs, from, to, end - begin);
    else
      loop.v(attrs, from, to, end - begin);
  });
  return OkStatus();
}

namespace detail {

inline constexpr Index kTileBytes = 4096;   // bytes of one repeated operand, spread out on the stack

// Rows of at most so many elements are joined into tiles: where a row's element repeats (with a loop for that, and
// without), where a row repeats for all of the output, and where it does only for some neighbours.
inline constexpr Index kShortRow = 7, kShortSpreadRow = 63, kShortRepeatedRow = 31, kShortInnerRow = 15;

// A loop over rows, which lie so many bytes apart. A function of its own, so that all of it stays in registers.
TENON_DETAIL_NOINLINE inline void RunEachRow(BinaryLoops::Loop loop, const void* attrs, const char* a, Index step_a,
                                             const char* b, Index step_b, char* to, Index step, char* end, Index n) {
  for (; to != end; to += step, a += step_a, b += step_b) loop(attrs, a, b, to, n);
}

// One operation: operands, loops and (for broadcasting) the plan. Shared by all threads that work on it.
struct BinaryWork {
  const BinaryLoops& loops;
  const void* attrs;
  const char* a;
  const char* b;
  char* out;

  const char* A(Index i) const { return a + i * loops.in_bytes; }
  const char* B(Index i) const { return b + i * loops.in_bytes; }
  char* Out(Index i) const { return out + i * loops.out_bytes; }

  // n elements at `to`; an operand whose step is 0 is one element for all of them.
  void Run(const char* x, Index step_x, const char* y, Index step_y, char* to, Index n) const {
    const BinaryLoops::Loop loop = n == 1 ? loops.vv : LoopFor(step_x, step_y);
    if (loop != nullptr) return loop(attrs, x, y, to, n);
    RunSpread(x, step_x, y, to, n);
  }
  // Null where a repeated operand must be spread out.
  BinaryLoops::Loop LoopFor(Index step_x, Index step_y) const {
    if (step_x != 0 && step_y != 0) return loops.vv;
    return step_x == 0 && loops.sv != nullptr ? loops.sv : step_y == 0 ? loops.vs : nullptr;
  }
  BinaryLoops::Rows RowsFor(Index step_x, Index step_y) const {
    return step_x == 0 ? nullptr : step_y == 0 ? loops.rows_vs : loops.rows_vv;
  }

  void RunPlan(const BroadcastPlan& plan, Index begin, Index end) const;
  void RunStreamed(Index step_a, Index step_b, Index begin, Index end) const;

 private:
  void RunSpread(const char* x, Index step_x, const char* y, char* to, Index n) const;
  Index RunTiles(const BroadcastPlan& plan, BroadcastWalk* walk, Index begin, Index end) const;
  Index RunRows(const BroadcastPlan& plan, BroadcastWalk* walk, BinaryLoops::Loop loop, BinaryLoops::Rows rows_loop,
                Index begin, Index end) const;
};

// `count` copies of one element of `bytes` bytes.
inline void Repeat(const char* element, Index bytes, Index count, char* to) {
  switch (bytes) {
    case 1: std::memset(to, static_cast<unsigned char>(*element), static_cast<std::size_t>(count)); return;
    case 2:
      for (Index i = 0; i < count; ++i) std::memcpy(to + 2 * i, element, 2);
      return;
    case 4:
      for (Index i = 0; i < count; ++i) std::memcpy(to + 4 * i, element, 4);
      return;
    case 8:
      for (Index i = 0; i < count; ++i) std::memcpy(to + 8 * i, element, 8);
      return;
    default:
      for (Index i = 0; i < count; ++i) std::memcpy(to + bytes * i, element, static_cast<std::size_t>(bytes));
  }
}

// A repeated operand without a loop of its own: spread out once, then used again and again.
TENON_DETAIL_NOINLINE inline void BinaryWork::RunSpread(const char* x, Index step_x, const char* y, char* to,
                                                        Index n) const {
  alignas(64) char tile[kTileBytes];
  const Index length = kTileBytes / loops.in_bytes < n ? kTileBytes / loops.in_bytes : n;
  Repeat(step_x == 0 ? x : y, loops.in_bytes, length, tile);
  for (Index i = 0; i < n; i += length) {
    const Index m = n - i < length ? n - i : length;
    const Index offset = i * loops.in_bytes;
    loops.vv(attrs, step_x == 0 ? tile : x + offset, step_x == 0 ? y + offset : tile, to + i * loops.out_bytes, m);
  }
}

// Elements [begin, end) of the output, past the caches.
TENON_DETAIL_NOINLINE inline void BinaryWork::RunStreamed(Index step_a, Index step_b, Index begin, Index end) const {
  RunPastCaches({Out(begin), loops.out_bytes, A(begin * step_a), step_a * loops.in_bytes, B(begin * step_b),
                 step_b * loops.in_bytes},
                end - begin,
                [&](const char* x, const char* y, char* to, Index n) { Run(x, step_a, y, step_b, to, n); });
}

// Several short rows of one operand as one run: in place where they lie so, otherwise in a buffer.
class RowTile {
 public:
  // Steps between rows and between the elements of a row, in elements.
  RowTile(Index row_step, Index step, Index inner, Index bytes, Index most_rows)
      : row_step_(row_step), step_(step), inner_(inner), bytes_(bytes), most_rows_(most_rows) {}

  const char* Rows(const char* first, Index rows) {
    if (step_ != 0 && row_step_ != 0) return first;
    if (step_ == 0) {
      for (Index r = 0; r < rows; ++r) Repeat(first + r * bytes_, bytes_, inner_, buffer_ + r * inner_ * bytes_);
    } else if (held_ != first) {
      const Index row_bytes = inner_ * bytes_, all = most_rows_ * row_bytes;
      std::memcpy(buffer_, first, static_cast<std::size_t>(row_bytes));
      for (Index done = row_bytes; done < all; done *= 2)  // repeats the content
        std::memcpy(buffer_ + done, buffer_, static_cast<std::size_t>(done < all - done ? done : all - done));
      held_ = first;
    }
    return buffer_;
  }

 private:
  Index row_step_, step_, inner_, bytes_, most_rows_;
  const char* held_ = nullptr;  // the row that the buffer repeats
  alignas(64) char buffer_[kTileBytes];
};

// Elements [begin, end) of the output.
inline void BinaryWork::RunPlan(const BroadcastPlan& plan, Index begin, Index end) const {
  const int last = plan.rank - 1;
  const Index inner = plan.inner();
  const Index step_a = plan.stride_a[last], step_b = plan.stride_b[last];
  if (last == 0) return Run(A(begin * step_a), step_a, B(begin * step_b), step_b, Out(begin), end - begin);

  BroadcastWalk walk(plan, begin / inner);
  const auto run_row = [&](Index column, Index n) {
    Run(A(walk.a + column * step_a), step_a, B(walk.b + column * step_b), step_b, Out(begin), n);
    begin += n;
    walk.Advance(1);
  };
  if (const Index column = begin % inner; column != 0)
    run_row(column, inner - column < end - begin ? inner - column : end - begin);

  const bool bytes_may_be_copied = loops.in_bytes <= 16 && (loops.in_bytes & (loops.in_bytes - 1)) == 0;
  const BinaryLoops::Loop loop = LoopFor(step_a, step_b);
  const Index longest = loop == nullptr              ? kShortSpreadRow
                        : step_a == 0 || step_b == 0 ? kShortRow
                        : plan.rank == 2             ? kShortRepeatedRow
                                                     : kShortInnerRow;
  if (bytes_may_be_copied && inner <= longest)
    begin = RunTiles(plan, &walk, begin, end);
  else if (loop != nullptr)
    begin = RunRows(plan, &walk, loop, RowsFor(step_a, step_b), begin, end);
  while (begin < end) run_row(0, inner < end - begin ? inner : end - begin);
}

// Runs whole rows from element `begin` on, where the walk stands, several at a time. Returns where it stopped.
inline Index BinaryWork::RunTiles(const BroadcastPlan& plan, BroadcastWalk* walk, Index begin, Index end) const {
  const int last = plan.rank - 1;
  const Index inner = plan.inner(), fitting = kTileBytes / (inner * loops.in_bytes);
  const Index most_rows = fitting < plan.size[last - 1] ? fitting : plan.size[last - 1];
  RowTile tile_a(plan.stride_a[last - 1], plan.stride_a[last], inner, loops.in_bytes, most_rows);
  RowTile tile_b(plan.stride_b[last - 1], plan.stride_b[last], inner, loops.in_bytes, most_rows);
  while (end - begin >= inner) {
    Index rows = walk->RowsLeft() < most_rows ? walk->RowsLeft() : most_rows;
    if (rows > (end - begin) / inner) rows = (end - begin) / inner;
    loops.vv(attrs, tile_a.Rows(A(walk->a), rows), tile_b.Rows(B(walk->b), rows), Out(begin), rows * inner);
    begin += rows * inner;
    walk->Advance(rows);
  }
  return begin;
}
// Runs whole rows without tiles, from element `begin` on. Returns where it stopped.
inline Index BinaryWork::RunRows(const BroadcastPlan& plan, BroadcastWalk* walk, BinaryLoops::Loop loop,
                                 BinaryLoops::Rows rows_loop, Index begin, Index end) const {
  const Index inner = plan.inner();
  const Index next_a = plan.stride_a[plan.rank - 2] * loops.in_bytes,
              next_b = plan.stride_b[plan.rank - 2] * loops.in_bytes;
  while (end - begin >= inner) {
    const Index left = (end - begin) / inner, rows = walk->RowsLeft() < left ? walk->RowsLeft() : left;
    if (rows_loop != nullptr)
      rows_loop(attrs, A(walk->a), next_a, B(walk->b), next_b, Out(begin), inner, rows);
    else
      RunEachRow(loop, attrs, A(walk->a), next_a, B(walk->b), next_b, Out(begin), inner * loops.out_bytes,
                 Out(begin + rows * inner), inner);
    begin += rows * inner;
    walk->Advance(rows);
  }
  return begin;
}

inline Status BinaryWithPlan(Cpu& device, const BinaryWork& work, const TensorShape& a, const TensorShape& b,
                             const TensorShape& out) {
  BroadcastPlan plan;
  TENON_RETURN_IF_ERROR(plan.Make(a, b, out));
  ParallelFor(device, out.num_elements(), static_cast<double>(work.loops.cost_ns),
              [&](Index begin, Index end) { work.RunPlan(plan, begin, end); });
  return OkStatus();
}

TENON_DETAIL_NOINLINE inline Status BinaryOfMany(Cpu& device, const BinaryWork& work, const TensorShape& a_shape,
                                                 const TensorShape& b_shape, const TensorShape& out_shape) {
  const BinaryLoops& loops = work.loops;
  const Index n = out_shape.num_elements();
  const bool same = a_shape == b_shape;
  const Index step_a = same || a_shape.num_elements() != 1 ? 1 : 0;
  const Index step_b = same || b_shape.num_elements() != 1 ? 1 : 0;
  // The common cases need no plan: both alike, or one of them a single element.
  const Index longer = step_a != 0 ? a_shape.num_elements() : b_shape.num_elements();
  if (longer != n || !(same || step_a == 0 || step_b == 0) || n == 0) {
    return BinaryWithPlan(device, work, a_shape, b_shape, out_shape);
  }
  const bool streams = WritesPastCaches({work.out, loops.out_bytes, work.a, 0, work.b, 0}, n);
  ParallelFor(device, n, static_cast<double>(loops.cost_ns), [&](Index begin, Index end) {
    if (streams)
      work.RunStreamed(step_a, step_b, begin, end);
    else
      work.Run(work.A(begin * step_a), step_a, work.B(begin * step_b), step_b, work.Out(begin), end - begin);
  });
  return OkStatus();
}

}  // namespace detail

// out = op(a, b), with broadcasting. `out_shape` is the broadcast shape of the operands'; InvalidArgument if it is not.
inline Status BinaryBroadcast(Cpu& device, const BinaryLoops& loops, const void* attrs, const void* a,
                              const TensorShape& a_shape, const void* b, const TensorShape& b_shape, void* out,
                              const TensorShape& out_shape) {
  if (out_shape.num_elements() == 1 && a_shape == b_shape && a_shape == out_shape) {  // scalars: no work for a frame
    loops.vv(attrs, a, b, out, 1);
    return OkStatus();
  }
  return detail::BinaryOfMany(
      device, {loops, attrs, static_cast<const char*>(a), static_cast<const char*>(b), static_cast<char*>(out)},
      a_shape, b_shape, out_shape);
}

// ---- half and bfloat16: the op's float loop, a tile of converted elements at a time. Compiled once for all ops.

namespace detail {

inline constexpr Index kFloatTile = 512;  // elements

// Attrs of the loops below.
template <class Loops>
struct FloatWork {
  const Loops& loops;
  const void* attrs;
};

// R is T where the map returns float, else the type that the map returns.
template <class T, class R>
void RunUnaryInFloat(const void* pwork, const void* px, void* pout, Index n) {
  const auto& work = *static_cast<const FloatWork<UnaryLoop>*>(pwork);
  const T* x = static_cast<const T*>(px);
  R* out = static_cast<R*>(pout);
  alignas(64) float tile[kFloatTile];
  for (Index i = 0; i < n; i += kFloatTile) {
    const Index m = n - i < kFloatTile ? n - i : kFloatTile;
    WidenRun(x + i, tile, m);
    if constexpr (std::is_same_v<T, R>) {
      work.loops.v(work.attrs, tile, tile, m);
      NarrowRun(tile, out + i, m);
    } else {
      work.loops.v(work.attrs, tile, out + i, m);
    }
  }
}

template <class T, class R, bool RepeatA, bool RepeatB>
void RunBinaryInFloat(const void* pwork, const void* pa, const void* pb, void* pout, Index n) {
  const auto& work = *static_cast<const FloatWork<BinaryLoops>*>(pwork);
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  R* out = static_cast<R*>(pout);
  alignas(64) float tile_a[kFloatTile], tile_b[kFloatTile];
  if (RepeatA) tile_a[0] = static_cast<float>(*a);
  if (RepeatB) tile_b[0] = static_cast<float>(*b);
  const BinaryLoops::Loop loop = RepeatA ? work.loops.sv : RepeatB ? work.loops.vs : work.loops.vv;
  for (Index i = 0; i < n; i += kFloatTile) {
    const Index m = n - i < kFloatTile ? n - i : kFloatTile;
    if (!RepeatA) WidenRun(a + i, tile_a, m);
    if (!RepeatB) WidenRun(b + i, tile_b, m);
    if constexpr (std::is_same_v<T, R>) {
      float* const result = RepeatA ? tile_b : tile_a;
      loop(work.attrs, tile_a, tile_b, result, m);
      NarrowRun(result, out + i, m);
    } else {
      loop(work.attrs, tile_a, tile_b, out + i, m);
    }
  }
}

template <class T, class R>
inline constexpr UnaryLoop kUnaryInFloat{&RunUnaryInFloat<T, R>, sizeof(T), sizeof(R), 0};
template <class T, class R>
inline constexpr BinaryLoops kBinaryInFloat{&RunBinaryInFloat<T, R, false, false>,
                                            &RunBinaryInFloat<T, R, true, false>,
                                            &RunBinaryInFloat<T, R, false, true>,
                                            sizeof(T),
                                            sizeof(R),
                                            0};

}  // namespace detail

// out[i] = op(x[i]) for n elements of type T (half or bfloat16), where `loop` is the op's for float. R is T where the
// op gives float.
template <class T, class R>
Status UnaryInFloat(Cpu& device, const UnaryLoop& loop, const void* attrs, const void* x, void* out, Index n) {
  const detail::FloatWork<UnaryLoop> work{loop, attrs};
  UnaryLoop outer = detail::kUnaryInFloat<T, R>;
  outer.cost_ns = loop.cost_ns + 1;
  return Unary(device, outer, &work, x, out, n);
}
// out = op(a, b) for T (half or bfloat16) and R as in UnaryInFloat, with broadcasting; `loops` are the op's for float.
template <class T, class R>
Status BinaryInFloat(Cpu& device, const BinaryLoops& loops, const void* attrs, const void* a,
                     const TensorShape& a_shape, const void* b, const TensorShape& b_shape, void* out,
                     const TensorShape& out_shape) {
  const detail::FloatWork<BinaryLoops> work{loops, attrs};
  BinaryLoops outer = detail::kBinaryInFloat<T, R>;
  outer.cost_ns = loops.cost_ns + 2;
  return BinaryBroadcast(device, outer, &work, a, a_shape, b, b_shape, out, out_shape);
}

TENON_DETAIL_NAMESPACE_END
