// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions over any set of axes. What is compiled for each op and type is four plain loops (kReduceLoops); the walk over the
// dimensions, the splitting over threads and the order of additions are in drivers that know neither.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/isa.hpp>

TENON_NAMESPACE_BEGIN

// What an op is to the drivers. x is of the input's type, `acc` of the accumulator's.
struct ReduceLoops {
  // acc[i] = the value of no elements.
  void (*start)(void* acc, Index n);
  // acc[i] = acc[i] op x[r * row_step + i] for all r in [0, rows), i in [0, n).
  void (*add)(const void* x, Index row_step, Index rows, void* acc, Index n);
  // acc[i] = acc[i] op other[i].
  void (*merge)(const void* other, void* acc, Index n);
  // out[i] = the result from acc[i], into which `count` elements went.
  void (*finish)(const void* acc, Index count, void* out, Index n);
  int in_bytes;
  int acc_bytes;
  float cost_ns;  // of one element
};

namespace reduction {

// An op: `start`, `combine` over accumulators, and (Mean) `finish`. Integers wrap around; Max and Min give NaN if there is one.
struct Sum {
  template <class A>
  TENON_HD static A start() {
    return A(0);
  }
  template <class A>
  TENON_HD static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) return static_cast<A>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else return a + b;
  }
};
struct Mean : Sum {};
struct Prod {
  template <class A>
  TENON_HD static A start() {
    return A(1);
  }
  template <class A>
  TENON_HD static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else return a * b;
  }
  template <class A>
  TENON_HD static std::complex<A> combine(std::complex<A> a, std::complex<A> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};
struct Max {
  template <class A>
  TENON_HD static A start() {
    if constexpr (std::numeric_limits<A>::has_infinity) return -std::numeric_limits<A>::infinity();
    else return std::numeric_limits<A>::lowest();
  }
  template <class A>
  TENON_HD static A combine(A a, A b) {
    return static_cast<bool>(static_cast<int>(b > a) | static_cast<int>(b != b)) ? b : a;
  }
};
struct Min {
  template <class A>
  TENON_HD static A start() {
    if constexpr (std::numeric_limits<A>::has_infinity) return std::numeric_limits<A>::infinity();
    else return std::numeric_limits<A>::max();
  }
  template <class A>
  TENON_HD static A combine(A a, A b) {
    return static_cast<bool>(static_cast<int>(b < a) | static_cast<int>(b != b)) ? b : a;
  }
};
struct All {
  template <class A>
  TENON_HD static A start() {
    return A(true);
  }
  template <class A>
  TENON_HD static A combine(A a, A b) {
    return a && b;
  }
};
struct Any {
  template <class A>
  TENON_HD static A start() {
    return A(false);
  }
  template <class A>
  TENON_HD static A combine(A a, A b) {
    return a || b;
  }
};

// What T is accumulated in: half and bfloat16 as float, the mean of integers in 64 bits.
template <class Op, class T>
using Accumulator = std::conditional_t<
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float,
    std::conditional_t<std::is_same_v<Op, Mean> && std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>, T>>;

}  // namespace reduction

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

template <class Op, class A>
void ReduceStart(void* acc, Index n) {
  for (Index i = 0; i < n; ++i) static_cast<A*>(acc)[i] = Op::template start<A>();
}

template <class Op, class T, class A>
TENON_DETAIL_LOOP void ReduceAdd(const void* px, Index row_step, Index rows, void* pacc, Index n) {
  const T* x = static_cast<const T*>(px);
  A* acc = static_cast<A*>(pacc);
  for (Index r = 0; r < rows; ++r, x += row_step) {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) acc[i] = Op::combine(acc[i], static_cast<A>(x[i]));
  }
}

TENON_DETAIL_LOOPS_END

template <class Op, class A>
void ReduceMerge(const void* other, void* pacc, Index n) {
  A* acc = static_cast<A*>(pacc);
  for (Index i = 0; i < n; ++i) acc[i] = Op::combine(acc[i], static_cast<const A*>(other)[i]);
}

template <class Op, class T, class A>
void ReduceFinish(const void* pacc, [[maybe_unused]] Index count, void* pout, Index n) {
  const A* acc = static_cast<const A*>(pacc);
  T* out = static_cast<T*>(pout);
  for (Index i = 0; i < n; ++i) {
    if constexpr (!std::is_same_v<Op, reduction::Mean>) out[i] = static_cast<T>(acc[i]);
    else if constexpr (std::is_integral_v<A>) out[i] = static_cast<T>(count == 0 ? A(0) : static_cast<A>(acc[i] / static_cast<A>(count)));
    else if constexpr (std::is_floating_point_v<A>) out[i] = static_cast<T>(acc[i] / static_cast<A>(count));
    else out[i] = acc[i] / static_cast<typename A::value_type>(count);
  }
}

template <class Op, class T>
constexpr ReduceLoops MakeReduceLoops() {
  using A = reduction::Accumulator<Op, T>;
  return {&ReduceStart<Op, A>,    &ReduceAdd<Op, T, A>,       &ReduceMerge<Op, A>,
          &ReduceFinish<Op, T, A>, static_cast<int>(sizeof(T)), static_cast<int>(sizeof(A)),
          std::is_arithmetic_v<T> ? 0.05f * static_cast<float>(sizeof(T)) : 2.f};
}

}  // namespace detail

// The loops of reduction::Sum, ... for elements of type T.
template <class Op, class T>
inline constexpr ReduceLoops kReduceLoops = detail::MakeReduceLoops<Op, T>();

// Which dimensions are reduced: `axes` may count from the end and come in any order. reduced[d] is set for each of the
// shape's dimensions. The errors are TensorFlow's.
inline Status ReducedDimensions(const TensorShape& shape, std::span<const Index> axes, bool* reduced) {
  const Index dims = shape.dims();
  for (Index d = 0; d < dims; ++d) reduced[d] = false;
  for (const Index axis : axes) {
    if (axis < -dims || axis >= dims) {
      return errors::InvalidArgument("Invalid reduction dimension (", axis, " for input with ", dims, " dimension(s)");
    }
    const Index d = axis < 0 ? axis + dims : axis;
    if (reduced[d]) return errors::InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: ", axis);
    reduced[d] = true;
  }
  return OkStatus();
}
inline Status ReducedShape(const TensorShape& shape, std::span<const Index> axes, bool keep_dims, TensorShape* out) {
  bool reduced[kMaxTensorRank];
  TENON_RETURN_IF_ERROR(ReducedDimensions(shape, axes, reduced));
  TensorShape result;
  for (int d = 0; d < shape.dims(); ++d) {
    if (!reduced[d]) TENON_RETURN_IF_ERROR(result.AddDimWithStatus(shape.dim_size(d)));
    else if (keep_dims) result.AddDim(1);
  }
  *out = result;
  return OkStatus();
}

namespace detail {

// Dimensions joined where neighbours are treated alike: kept and reduced ones, each with its stride in the input, outermost
// first. `inner` is the innermost kept dimension if it lies inside all reduced ones, else 1; `run` the innermost reduced one if
// it lies inside all kept ones, else 1. Neither is among the lists.
struct ReducePlan {
  struct Dim {
    Index size, stride;
  };
  Dim kept[kMaxTensorRank], folded[kMaxTensorRank];
  int kept_dims = 0, folded_dims = 0;
  Index inner = 1, run = 1;
  Index outputs = 1, count = 1;  // elements of the output; elements that go into each

  ReducePlan(const TensorShape& shape, const bool* reduced) {
    Index stride = 1;
    bool last_reduced = false;
    for (int d = shape.dims() - 1; d >= 0; --d) {  // innermost first; turned round by At
      const Index size = shape.dim_size(d);
      (reduced[d] ? count : outputs) *= size;
      if (size != 1) {
        Dim* dims = reduced[d] ? folded : kept;
        int& n = reduced[d] ? folded_dims : kept_dims;
        if (n > 0 && last_reduced == reduced[d]) dims[n - 1].size *= size;
        else dims[n++] = {size, stride};
        last_reduced = reduced[d];
      }
      stride *= size;
    }
    if (kept_dims > 0 && kept[0].stride == 1) inner = Take(kept, &kept_dims);
    else if (folded_dims > 0 && folded[0].stride == 1) run = Take(folded, &folded_dims);
  }

  // Where element number i of the dimensions lies; `dims` innermost first.
  static Index At(const Dim* dims, int n, Index i) {
    Index at = 0;
    for (int d = 0; d < n; ++d) {
      at += i % dims[d].size * dims[d].stride;
      i /= dims[d].size;
    }
    return at;
  }

 private:
  static Index Take(Dim* dims, int* n) {
    const Index size = dims[0].size;
    --*n;
    for (int d = 0; d < *n; ++d) dims[d] = dims[d + 1];
    return size;
  }
};

// Adds up in blocks, so that an error grows with the block and the number of blocks and not with their product.
class ReduceWork {
 public:
  ReduceWork(const ReduceLoops& loops, const ReducePlan& plan, const void* x, void* out)
      : loops_(loops), plan_(plan), x_(static_cast<const char*>(x)), out_(static_cast<char*>(out)) {}

  // Outputs are numbered in pieces of `piece` inner elements.
  Index piece() const { return kAccBytes / loops_.acc_bytes; }
  Index pieces() const { return (plan_.inner + piece() - 1) / piece(); }
  void Run(Index number) const {
    alignas(64) char total[kAccBytes];
    const Index row = number / pieces(), first = number % pieces() * piece();
    const Index n = plan_.inner - first < piece() ? plan_.inner - first : piece();
    const Index at = ReducePlan::At(plan_.kept, plan_.kept_dims, row) + first;
    loops_.start(total, n);
    if (plan_.run > 1) {
      for (Index i = 0; i < plan_.count / plan_.run; ++i) {
        AddRun(at + ReducePlan::At(plan_.folded, plan_.folded_dims, i), plan_.run, total);
      }
    } else if (plan_.count > 0) {
      AddRows(at, total, n);
    }
    loops_.finish(total, plan_.count, out_ + (row * plan_.inner + first) * out_bytes(), n);
  }

  // One long run with one result: `part` of `parts`, to be merged and finished by the caller.
  void RunPart(Index begin, Index end, void* acc) const {
    loops_.start(acc, 1);
    if (begin < end) AddRun(begin, end - begin, static_cast<char*>(acc));
  }

 private:
  static constexpr Index kAccBytes = 4096;
  static constexpr Index kBlockRows = 512;
  static constexpr Index kLanes = 64;  // independent sums of a run

  Index out_bytes() const { return loops_.in_bytes; }
  const char* X(Index i) const { return x_ + i * loops_.in_bytes; }

  // total[0] = total[0] op all of n neighbouring elements.
  void AddRun(Index at, Index n, char* total) const {
    if (n < kLanes) return AddSteps(at, n, total);
    alignas(64) char sums[kLanes * 16], block[kLanes * 16];
    loops_.start(sums, kLanes);
    for (Index i = 0; i + kLanes <= n; i += kBlockRows * kLanes) {
      const Index rows = (n - i) / kLanes < kBlockRows ? (n - i) / kLanes : kBlockRows;
      loops_.start(block, kLanes);
      loops_.add(X(at + i), kLanes, rows, block, kLanes);
      loops_.merge(block, sums, kLanes);
    }
    for (Index width = kLanes / 2; width > 0; width /= 2) loops_.merge(sums + width * loops_.acc_bytes, sums, width);
    loops_.merge(sums, total, 1);
    AddSteps(at + n / kLanes * kLanes, n % kLanes, total);
  }
  void AddSteps(Index at, Index n, char* total) const { loops_.add(X(at), 1, n, total, 1); }

  // total[i] = total[i] op rows of n elements, one for each element of the reduced dimensions.
  void AddRows(Index at, char* total, Index n) const {
    const Index rows = plan_.folded_dims > 0 ? plan_.folded[0].size : 1;
    const Index step = plan_.folded_dims > 0 ? plan_.folded[0].stride : 0;
    for (Index i = 0; i < plan_.count / rows; ++i) {
      Index from = at;
      if (plan_.folded_dims > 1) from += ReducePlan::At(plan_.folded + 1, plan_.folded_dims - 1, i);
      if (rows <= kBlockRows) {
        loops_.add(X(from), step, rows, total, n);
        continue;
      }
      alignas(64) char block[kAccBytes];
      for (Index r = 0; r < rows; r += kBlockRows) {
        loops_.start(block, n);
        loops_.add(X(from + r * step), step, rows - r < kBlockRows ? rows - r : kBlockRows, block, n);
        loops_.merge(block, total, n);
      }
    }
  }

  const ReduceLoops& loops_;
  const ReducePlan& plan_;
  const char* x_;
  char* out_;
};

}  // namespace detail

// out = the reduction of x over the dimensions marked in `reduced`; out has an element for each place of the others. Of no
// elements: 0, 1, the lowest or highest number (infinite where there is one), and NaN or 0 for the mean.
inline Status Reduce(Cpu& device, const ReduceLoops& loops, const void* x, const TensorShape& shape, const bool* reduced, void* out) {
  const detail::ReducePlan plan(shape, reduced);
  if (plan.outputs == 0) return OkStatus();
  const detail::ReduceWork work(loops, plan, x, out);
  constexpr Index kParts = 16;
  const double ns = static_cast<double>(loops.cost_ns);
  if (plan.outputs == 1 && plan.run == plan.count && static_cast<double>(plan.count) * ns > 60000 && device.pool != nullptr) {
    alignas(64) char sums[kParts * 16];
    ParallelFor(device, kParts, ns * static_cast<double>(plan.count / kParts), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        work.RunPart(plan.count / kParts * i, i + 1 == kParts ? plan.count : plan.count / kParts * (i + 1), sums + i * loops.acc_bytes);
      }
    });
    for (Index width = kParts / 2; width > 0; width /= 2) loops.merge(sums + width * loops.acc_bytes, sums, width);
    loops.finish(sums, plan.count, out, 1);
    return OkStatus();
  }
  const Index pieces = plan.outputs / plan.inner * work.pieces();
  ParallelFor(device, pieces, ns * static_cast<double>(plan.count) * static_cast<double>(plan.outputs) / static_cast<double>(pieces),
              [&](Index begin, Index end) {
                for (Index i = begin; i < end; ++i) work.Run(i);
              });
  return OkStatus();
}

TENON_NAMESPACE_END
