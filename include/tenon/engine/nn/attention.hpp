// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention: softmax(q k^T) v without the matrix of all scores, which for long texts is larger than everything else. A
// block of queries meets the keys block by block. For each query, the largest score, the sum of the exponentials and
// the weighted sum of the values are kept, and scaled anew when a larger score turns up. Scores stay in the second
// cache. Milakov and Gimelshein 2018, arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682.

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Row-major matrices: queries [batch, queries, depth], keys [batch, keys, depth], values [batch, keys, value_depth],
// the result [batch, queries, value_depth]. The heads of all sequences are the batch.
struct AttentionShape {
  Index batch = 1, queries = 0, keys = 0, depth = 0, value_depth = 0;
};

template <class T>
struct AttentionOptions {
  T scale = 0;  // factor of the scores; 0: 1 / sqrt(depth)
  bool causal = false;  // a query sees the keys up to its own position; the last query's is the last key's
  const T* bias = nullptr;  // added to the scaled scores; [bias_batch, queries, keys], or null. -infinity hides a key
  Index bias_batch = 1;  // 1 (one for all) or `batch`
};

#if !defined(__NVCC__)  // vectors are for the host's compiler

namespace detail {

// State of one query while its keys go by.
template <class T>
struct SeenKeys {
  T largest, sum;  // score; of exp(score - largest)
};

// One query's scores for n more keys, a whole number of vectors, become exp(score * scale + bias - largest). Gives the
// factor by which the sums so far are to be multiplied. Scores of -infinity have no weight.
#if TENON_DETAIL_LANES
template <class T>
struct WeighKeys {
  template <int bytes>
  TENON_HD static void Run(T* scores, const T* bias, T scale, Index n, SeenKeys<T>* seen, T* factor) {
    using L = simd::Lanes<T, bytes>;
    const L scales = L::Repeat(scale);
    L most = L::Repeat(seen->largest);
    for (Index i = 0; i < n; i += L::size) {
      L score = L::Load(scores + i) * scales;
      if (bias != nullptr) score = score + L::Load(bias + i);
      score.Store(scores + i);
      most = simd::Greater(most, score);
    }
    const T largest = simd::Fold<simd::GreaterLanes>(most);
    constexpr T kNone = -std::numeric_limits<T>::infinity();
    const L shift = L::Repeat(largest == kNone ? T(0) : largest);
    L sum = L::Zero();
    for (Index i = 0; i < n; i += L::size) {
      const L weight = simd::ExpOfNegative(L::Load(scores + i) - shift);
      weight.Store(scores + i);
      sum = sum + weight;
    }
    *factor = seen->largest == kNone ? T(0) : std::exp(seen->largest - largest);
    seen->sum = seen->sum * *factor + simd::Fold<simd::AddLanes>(sum);
    seen->largest = largest;
  }
};
template <class T, class Isa>
auto WeighKeysFunction() {
  return simd::detail::ForLevels<WeighKeys<T>, Isa, T*, const T*, T, Index, SeenKeys<T>*, T*>::Best();
}
#else
template <class T, class Isa>
auto WeighKeysFunction() {
  return +[](T* scores, const T* bias, T scale, Index n, SeenKeys<T>* seen, T* factor) {
    constexpr T kNone = -std::numeric_limits<T>::infinity();
    T largest = seen->largest, sum = 0;
    for (Index i = 0; i < n; ++i) {
      scores[i] = scores[i] * scale + (bias == nullptr ? T(0) : bias[i]);
      if (!(scores[i] <= largest)) largest = scores[i];
    }
    const T shift = largest == kNone ? T(0) : largest;
    for (Index i = 0; i < n; ++i) sum += scores[i] = std::exp(scores[i] - shift);
    *factor = seen->largest == kNone ? T(0) : std::exp(seen->largest - largest);
    *seen = {largest, seen->sum * *factor + sum};
  };
}
#endif

TENON_DETAIL_LOOPS_BEGIN

// sums[i] = sums[i] * factor + more[i], n elements.
template <class T>
TENON_DETAIL_LOOP void AddToScaled(const T* more, T factor, T* sums, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sums[i] = sums[i] * factor + more[i];
}
template <class T>
TENON_DETAIL_LOOP void ScaleRun(T factor, T* sums, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sums[i] *= factor;
}

TENON_DETAIL_LOOPS_END

template <class T>
class AttentionWork {
 public:
  AttentionWork(const AttentionShape& shape, const AttentionOptions<T>& options, const T* q, const T* k, const T* v,
                T* out)
      : s_(shape), o_(options), q_(q), k_(k), v_(v), out_(out) {
    if (o_.scale == 0) o_.scale = static_cast<T>(1 / std::sqrt(static_cast<double>(s_.depth)));
    hidden_ = o_.scale < 0 ? -kNoScore : kNoScore;  // which the scale makes a score of -infinity
    block_keys_ = s_.keys < kBlockKeys ? (s_.keys + kPad - 1) / kPad * kPad : kBlockKeys;
    query_blocks_ = (s_.queries + kBlockQueries - 1) / kBlockQueries;
  }

  Index blocks() const { return s_.batch * query_blocks_; }
  double ns_of_block() const {
    return 0.05 * static_cast<double>(kBlockQueries * s_.keys) * static_cast<double>(s_.depth + s_.value_depth + 16);
  }
  std::size_t scratch_bytes() const {
    return ScratchBytes<T>(kBlockQueries * block_keys_) + ScratchBytes<T>(kBlockQueries * s_.value_depth) +
           ScratchBytes<T>(block_keys_);
  }

  using WeighFn = void (*)(T*, const T*, T, Index, SeenKeys<T>*, T*);
  Status RunBlock(Cpu& device, WeighFn weigh, Index block, char* memory) const {
    const Index item = block / query_blocks_, query = block % query_blocks_ * kBlockQueries;
    const Index rows = s_.queries - query < kBlockQueries ? s_.queries - query : kBlockQueries;
    T* const scores = reinterpret_cast<T*>(memory);
    memory += ScratchBytes<T>(kBlockQueries * block_keys_);
    T* const part = reinterpret_cast<T*>(memory);
    T* const bias_row = reinterpret_cast<T*>(memory + ScratchBytes<T>(kBlockQueries * s_.value_depth));
    const T* const q = q_ + (item * s_.queries + query) * s_.depth;
    T* const out = out_ + (item * s_.queries + query) * s_.value_depth;
    SeenKeys<T> seen[kBlockQueries];
    for (Index r = 0; r < rows; ++r) seen[r] = {kNoScore, T(0)};
    // No query of the block sees a key from `visible` on.
    const Index visible = VisibleKeys(query + rows - 1);
    bool first = true;
    for (Index key = 0; key < visible; key += block_keys_) {
      const Index n = visible - key < block_keys_ ? visible - key : block_keys_, padded = (n + kPad - 1) / kPad * kPad;
      TENON_RETURN_IF_ERROR(Multiply(device, {rows, n, s_.depth, q, s_.depth, 1, k_ + (item * s_.keys + key) * s_.depth,
                                              1, s_.depth, scores, block_keys_}));
      T factors[kBlockQueries];
      for (Index r = 0; r < rows; ++r) {
        T* const row = scores + r * block_keys_;
        const Index ahead = VisibleKeys(query + r) - key, sees = ahead < 0 ? 0 : ahead < n ? ahead : n;
        for (Index i = sees; i < padded; ++i) row[i] = hidden_;
        weigh(row, BiasRow(item, query + r, key, sees, padded, bias_row), o_.scale, padded, &seen[r], &factors[r]);
      }
      T* const to = first ? out : part;
      TENON_RETURN_IF_ERROR(
          Multiply(device, {rows, s_.value_depth, n, scores, block_keys_, 1,
                            v_ + (item * s_.keys + key) * s_.value_depth, s_.value_depth, 1, to, s_.value_depth}));
      if (!first) {
        for (Index r = 0; r < rows; ++r)
          AddToScaled(part + r * s_.value_depth, factors[r], out + r * s_.value_depth, s_.value_depth);
      }
      first = false;
    }
    for (Index r = 0; r < rows; ++r) {
      if (first) {
        for (Index i = 0; i < s_.value_depth; ++i) out[r * s_.value_depth + i] = 0;
      }
      ScaleRun(T(1) / seen[r].sum, out + r * s_.value_depth, s_.value_depth);  // nothing seen: 0 / 0
    }
    return OkStatus();
  }

 private:
  static constexpr Index kBlockQueries = 64, kBlockKeys = 256, kPad = 64 / static_cast<Index>(sizeof(T));
  static constexpr T kNoScore = -std::numeric_limits<T>::infinity();

  Index VisibleKeys(Index query) const {
    if (!o_.causal) return s_.keys;
    const Index last = query + s_.keys - s_.queries + 1;
    return last < 0 ? 0 : last;
  }
  // The bias from `key` on, where the query sees `sees` keys; null without a bias. Whole vectors of it are read.
  const T* BiasRow(Index item, Index query, Index key, Index sees, Index padded, T* copy) const {
    if (o_.bias == nullptr) return nullptr;
    const T* const row = o_.bias + ((o_.bias_batch == 1 ? 0 : item) * s_.queries + query) * s_.keys + key;
    if (sees == padded) return row;
    for (Index i = 0; i < padded; ++i) copy[i] = i < sees ? row[i] : T(0);
    return copy;
  }
  static Status Multiply(Cpu& device, const GemmArgs<T>& g) {
    if (g.k > 0) return GemmArranged(device, g);
    for (Index i = 0; i < g.m; ++i) {
      for (Index j = 0; j < g.n; ++j) g.c[i * g.c_row + j] = T(0);
    }
    return OkStatus();
  }

  const AttentionShape s_;
  AttentionOptions<T> o_;
  const T *q_, *k_, *v_;
  T* out_;
  T hidden_;
  Index block_keys_, query_blocks_;
};

}  // namespace detail

// out = softmax(q k^T * scale + bias) v for every matrix of the batch, T float or double. A query that sees none of the
// keys gives NaNs, as does one with a score of NaN or +infinity; where there are no keys at all, zeros. The rows of a
// batch's element are computed by one thread; the result does not depend on how many there are. ResourceExhausted
// without scratch memory (64 rows of min(keys, 256) and of value_depth elements for each thread), InvalidArgument for a
// bias_batch that is neither 1 nor batch.
template <class T, class Isa = simd::Compiled>
Status ScaledDotProductAttention(Cpu& device, const AttentionShape& shape, const T* q, const T* k, const T* v, T* out,
                                 const AttentionOptions<T>& options = {}) {
  static_assert(std::is_floating_point_v<T>, "tenon: attention is computed in float or double");
  if (options.bias != nullptr && options.bias_batch != 1 && options.bias_batch != shape.batch) {
    return errors::InvalidArgument("ScaledDotProductAttention: bias_batch must be 1 or the batch ", shape.batch,
                                   ", got ", options.bias_batch);
  }
  const Index results = shape.batch * shape.queries * shape.value_depth;
  if (shape.keys == 0) {
    for (Index i = 0; i < results; ++i) out[i] = 0;
  }
  if (results == 0 || shape.keys == 0) return OkStatus();
  const detail::AttentionWork<T> work(shape, options, q, k, v, out);
  const auto weigh = detail::WeighKeysFunction<T, Isa>();
  return detail::RunWithScratch(
      device, work.blocks(), work.ns_of_block(), work.scratch_bytes(), "ScaledDotProductAttention",
      [&](Cpu& on, Index block, char* memory) { return work.RunBlock(on, weigh, block, memory); });
}

#endif  // !__NVCC__

TENON_DETAIL_NAMESPACE_END
