// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunAttention on a GPU: one kernel. A block of threads takes some queries of a matrix past tiles of keys and values in
// shared memory. The largest score, the sum of the exponentials and the weighted sums are scaled anew as they grow.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/attention_tiles.cuh> only from files that nvcc compiles."
#endif

#include <cmath>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/elementwise/steps.cuh>
#include <tenon/engine/nn/attention_tiles.hpp>
#include <tenon/engine/nn/softmax.cuh>
#include <tenon/engine/reduce/fold.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct LargerOfTwo {
  template <class A>
  TENON_HD static A Combine(const A& a, const A& b) {
    return a > b ? a : b;
  }
};
struct SumOfTwo {
  template <class A>
  TENON_HD static A Combine(const A& a, const A& b) {
    return a + b;
  }
};

// A step of a score: the op, and a further operand before or behind it.
struct ScoreStep {
  std::uint8_t op, other;
  bool binary, other_first;
  float alpha;
};

// A block has 4 warps; each lane of a warp works on a key, then on a column of the values.
template <class T, class Unary, class Binary>
struct CudaAttention {
  using Element = T;
  using A = RowNumber<T>;
  static constexpr int kWarps = 4, kThreads = kWarps * static_cast<int>(kWarp);
  static constexpr int kQueriesEach = 4, kQueries = kWarps * kQueriesEach, kKeys = static_cast<int>(kWarp);
  static constexpr int kDepth = 64, kPitch = kDepth + 1;  // one more: keys begin in different banks
  static constexpr int kColumnsEach = 4, kColumns = kColumnsEach * static_cast<int>(kWarp);
  static constexpr int kMostSteps = 8, kFixed = 4;  // q, k, v and y
  static constexpr int kViews = kFixed + 1 + kMostSteps;

  AttentionView views[kViews];  // q, k, v, y, the mask, further operands of the steps
  ScoreStep steps[kMostSteps];
  A masked;
  Index queries, keys, depth, columns;
  Index blocks, parts, units;  // blocks of queries, parts of the columns, both for all items
  int rank, num_views, num_steps;
  bool has_mask;

  // Where the matrix of an item begins.
  __device__ Index Begin(const AttentionView& view, Index item) const {
    Index at = 0;
    for (int d = rank - 2; d-- > 0; item /= views[3].size[d]) at += item % views[3].size[d] * view.stride[d];
    return at;
  }
  __device__ static Index Place(const AttentionView& view, Index begin, Index row, Index column, int rank) {
    return begin + row * view.stride[rank - 2] + column * view.stride[rank - 1];
  }
  // An element as a number for sums; 0 where `there` is false.
  __device__ __forceinline__ A Load(int view, const Index* begins, Index row, Index column, bool there) const {
    if (!there) return A(0);
    return static_cast<A>(static_cast<const T*>(views[view].data)[Place(views[view], begins[view], row, column, rank)]);
  }
  // The steps and the mask of one score.
  __device__ A Finish(A score, Index query, Index key, const Index* begins) const {
    for (int s = 0; s < num_steps; ++s) {
      const ScoreStep step = steps[s];
      if (!step.binary) {
        score = CallUnaryStep<A>(Unary(), step.op, score, step.alpha);
        continue;
      }
      const A other = Load(kFixed + 1 + step.other, begins, query, key, true);
      score = CallBinaryStep<A>(Binary(), step.op, step.other_first ? other : score, step.other_first ? score : other);
    }
    if (!has_mask) return score;
    const AttentionView& mask = views[kFixed];
    return static_cast<const bool*>(mask.data)[Place(mask, begins[kFixed], query, key, rank)] ? score : masked;
  }
};

template <class Work>
__global__ void __launch_bounds__(Work::kThreads) AttentionKernel(const __grid_constant__ Work work) {
  using A = typename Work::A;
  constexpr int kEach = Work::kQueriesEach, kQueries = Work::kQueries, kKeys = Work::kKeys, kDepth = Work::kDepth;
  constexpr int kPitch = Work::kPitch, kColumns = Work::kColumns, kColumnsEach = Work::kColumnsEach;
  constexpr int kTile = kKeys * kColumns;
  static_assert(kTile >= kKeys * kPitch);
  constexpr A kNothing = ExpSum<A>::kNothing;
  __shared__ A queries[kQueries * kDepth];
  __shared__ A tile[kTile];  // keys, then values
  __shared__ A weights[kQueries * kKeys];
  __shared__ Index begins[Work::kViews];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % static_cast<int>(kWarp);
  const int own = thread / static_cast<int>(kWarp) * kEach;  // the warp's first query
  for (Index unit = blockIdx.x; unit < work.units; unit += gridDim.x) {
    const Index first_column = unit % work.parts * kColumns, block = unit / work.parts;
    const Index first = block % work.blocks * kQueries, item = block / work.blocks;
    __syncthreads();  // shared memory is read until here
    if (thread < work.num_views) begins[thread] = work.Begin(work.views[thread], item);
    __syncthreads();
    A sums[kEach][kColumnsEach], largest[kEach], total[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      largest[e] = kNothing;
      total[e] = A(0);
#pragma unroll
      for (int c = 0; c < kColumnsEach; ++c) sums[e][c] = A(0);
    }
    for (Index key = 0; key < work.keys; key += kKeys) {
      A scores[kEach];
#pragma unroll
      for (int e = 0; e < kEach; ++e) scores[e] = A(0);
      for (Index d = 0; d < work.depth; d += kDepth) {
        __syncthreads();
        for (int i = thread; i < kQueries * kDepth && (key == 0 || work.depth > kDepth); i += Work::kThreads)
          queries[i] = work.Load(0, begins, first + i / kDepth, d + i % kDepth,
                                 first + i / kDepth < work.queries && d + i % kDepth < work.depth);
        for (int i = thread; i < kKeys * kDepth; i += Work::kThreads)
          tile[i / kDepth * kPitch + i % kDepth] = work.Load(
              1, begins, key + i / kDepth, d + i % kDepth, key + i / kDepth < work.keys && d + i % kDepth < work.depth);
        __syncthreads();
        const int depth = work.depth - d < kDepth ? static_cast<int>(work.depth - d) : kDepth;
#pragma unroll 4
        for (int p = 0; p < depth; ++p) {
          const A of_key = tile[lane * kPitch + p];
#pragma unroll
          for (int e = 0; e < kEach; ++e) scores[e] += queries[(own + e) * kDepth + p] * of_key;
        }
      }
#pragma unroll
      for (int e = 0; e < kEach; ++e) weights[(own + e) * kKeys + lane] = scores[e];
#pragma unroll 1
      for (int e = 0; e < kEach; ++e) {  // the steps are long: their code is there once
        A* const score = &weights[(own + e) * kKeys + lane];
        if (key + lane >= work.keys)
          *score = kNothing;
        else if (first + own + e < work.queries)
          *score = work.Finish(*score, first + own + e, key + lane, begins);
      }
#pragma unroll
      for (int e = 0; e < kEach; ++e) {
        const A score = weights[(own + e) * kKeys + lane];
        const A most = LargerOfTwo::Combine(FoldWarp<LargerOfTwo>(score), largest[e]);
        const A factor = most == largest[e] ? A(1) : std::exp(largest[e] - most);
        const A weight = score == kNothing ? A(0) : std::exp(score - most);
        largest[e] = most;
        total[e] = total[e] * factor + FoldWarp<SumOfTwo>(weight);
        weights[(own + e) * kKeys + lane] = weight;
#pragma unroll
        for (int c = 0; c < kColumnsEach; ++c) sums[e][c] *= factor;
      }
      __syncthreads();  // the keys are read until here
      for (int i = thread; i < kTile; i += Work::kThreads) {
        const Index row = key + i / kColumns, column = first_column + i % kColumns;
        tile[i] = work.Load(2, begins, row, column, row < work.keys && column < work.columns);
      }
      __syncthreads();
#pragma unroll 4
      for (int j = 0; j < kKeys; ++j) {
#pragma unroll
        for (int c = 0; c < kColumnsEach; ++c) {
          const A value = tile[j * kColumns + c * static_cast<int>(kWarp) + lane];
#pragma unroll
          for (int e = 0; e < kEach; ++e) sums[e][c] += weights[(own + e) * kKeys + j] * value;
        }
      }
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const Index query = first + own + e;
      if (query >= work.queries) break;
#pragma unroll
      for (int c = 0; c < kColumnsEach; ++c) {
        const Index column = first_column + c * static_cast<int>(kWarp) + lane;
        if (column >= work.columns) break;
        const AttentionView& y = work.views[3];
        using T = typename Work::Element;
        static_cast<T*>(const_cast<void*>(y.data))[Work::Place(y, begins[3], query, column, work.rank)] =
            static_cast<T>(work.keys == 0 ? A(0) : sums[e][c] / total[e]);
      }
    }
  }
}

}  // namespace detail

// As the CPU's; half and bfloat16 are summed as float and rounded once. Unary and Binary number the ops of the steps.
// Unimplemented: more than 8 steps, or a step that does not read the result of the one before it. Returns when it is
// queued.
template <class T, class Unary, class Binary>
Status RunAttention(Cuda& device, const AttentionOperands& o) {
  using Work = detail::CudaAttention<T, Unary, Binary>;
  const int row = o.rank - 2, column = o.rank - 1;
  Work work{};
  work.units = 1;
  for (int d = 0; d < row; ++d) work.units *= o.y.size[d];
  work.queries = o.queries;
  work.keys = o.keys;
  work.depth = o.q.size[column];
  work.columns = o.v.size[column];
  if (work.units == 0 || work.queries == 0 || work.columns == 0) return OkStatus();
  const int others = static_cast<int>(o.others.size());
  if (o.steps.size() > ToSize(Work::kMostSteps) || others > Work::kMostSteps)
    return errors::Unimplemented("Attention on a GPU: at most ", Work::kMostSteps, " steps, got ", o.steps.size());
  int last = 0;
  for (std::size_t s = 0; s < o.steps.size(); ++s) {
    const ElementwiseStep& step = o.steps[s];
    const bool binary = step.b >= 0, other_first = binary && step.b == last;
    const int other = (other_first ? step.a : step.b) - 1;
    if ((step.a != last && !other_first) || (binary && (other < 0 || other >= others)))
      return errors::Unimplemented("Attention on a GPU: step ", s, " must read the result of the one before it");
    work.steps[s] = {static_cast<std::uint8_t>(step.number), static_cast<std::uint8_t>(binary ? other : 0), binary,
                     other_first, step.alpha};
    last = 1 + others + static_cast<int>(s);
  }
  work.views[0] = o.q;
  work.views[1] = o.k;
  work.views[2] = o.v;
  work.views[3] = o.y;
  work.has_mask = o.has_mask;
  if (o.has_mask) work.views[Work::kFixed] = o.mask;
  for (int i = 0; i < others; ++i) work.views[Work::kFixed + 1 + i] = o.others[ToSize(i)];
  work.num_views = Work::kFixed + 1 + others;
  work.num_steps = static_cast<int>(o.steps.size());
  work.masked = static_cast<typename Work::A>(o.masked);
  work.rank = o.rank;
  work.blocks = (work.queries + Work::kQueries - 1) / Work::kQueries;
  work.parts = (work.columns + Work::kColumns - 1) / Work::kColumns;
  work.units *= work.blocks * work.parts;
  constexpr Index kMostBlocks = 0x7fffffff;
  return LaunchCuda(device,
                    {static_cast<unsigned>(work.units < kMostBlocks ? work.units : kMostBlocks), Work::kThreads},
                    &detail::AttentionKernel<Work>, work);
}

TENON_DETAIL_NAMESPACE_END
