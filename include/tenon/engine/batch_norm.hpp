// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batch normalisation on the CPU, of float: with given moments, with the batch's own, and both gradients. Sums are kept
// as double (of at most 1,024 neighbours, as float) in parts of fixed size, so that results do not depend on the number
// of threads.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/isa.hpp>
#include <tenon/engine/reduce.hpp>
#include <tenon/engine/scratch.hpp>

TENON_NAMESPACE_BEGIN

// x: [outer, channels, inner]; channels last means inner = 1.
struct ChannelLayout {
  Index outer = 0, channels = 0, inner = 1;

  Index elements() const { return outer * channels * inner; }
  Index per_channel() const { return outer * inner; }
};

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

// first[c] += a[c]
TENON_DETAIL_LOOP inline void NormSums(const float* a, double* first, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) first[c] += static_cast<double>(a[c]);
}
// first[c] += (a[c] - mean[c])^2
TENON_DETAIL_LOOP inline void NormSquares(const float* a, const float* mean, double* first, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) {
    const float centred = a[c] - mean[c];
    first[c] += static_cast<double>(centred * centred);
  }
}
// first[c] += b[c], second[c] += b[c] * (a[c] - mean[c])
TENON_DETAIL_LOOP inline void NormProducts(const float* a, const float* b, const float* mean, double* first,
                                           double* second, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) {
    first[c] += static_cast<double>(b[c]);
    second[c] += static_cast<double>(b[c] * (a[c] - mean[c]));
  }
}
// out[c] = (x[c] - mean[c]) * factor[c] + offset[c]
TENON_DETAIL_LOOP inline void NormApply(const float* x, const float* mean, const float* factor, const float* offset,
                                        float* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) out[c] = (x[c] - mean[c]) * factor[c] + offset[c];
}
TENON_DETAIL_LOOP inline void NormApplyOne(const float* x, float mean, float factor, float offset, float* out,
                                           Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = (x[i] - mean) * factor + offset;
}
// out[c] = factor[c] * (dy[c] - shift[c] - (x[c] - mean[c]) * slope[c])
TENON_DETAIL_LOOP inline void NormGradient(const float* dy, const float* x, const float* mean, const float* factor,
                                           const float* shift, const float* slope, float* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) out[c] = factor[c] * (dy[c] - shift[c] - (x[c] - mean[c]) * slope[c]);
}

TENON_DETAIL_LOOPS_END

// The sum of n numbers, or of their squared distances from `mean`: as float in 64 lanes of at most 16 terms, the rest
// as double.
inline constexpr Index kNormLanes = 64;
TENON_DETAIL_LOOPS_BEGIN
// lanes[j] += (x[r * 64 + j] - mean)^2 for every row r; a multiple of four of them.
TENON_DETAIL_LOOP inline void NormSquareLanes(const float* x, float mean, Index rows, float* lanes) {
  for (; rows > 0; rows -= 4, x += 4 * kNormLanes) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < kNormLanes; ++j) {
      const float a = x[j] - mean, b = x[j + kNormLanes] - mean, c = x[j + 2 * kNormLanes] - mean,
                  d = x[j + 3 * kNormLanes] - mean;
      lanes[j] += (a * a + b * b) + (c * c + d * d);
    }
  }
}
TENON_DETAIL_LOOPS_END
inline double NormRunSum(const float* x, Index n, bool squares, float mean) {
  constexpr Index kRows = 16;
  double total = 0;
  for (; n >= 4 * kNormLanes;) {
    const Index rows = std::min(n / (4 * kNormLanes) * 4, kRows);
    alignas(64) float lanes[kNormLanes] = {};
    float sum = 0;
    if (squares)
      NormSquareLanes(x, mean, rows, lanes);
    else
      RowsLoop<AddStep, float, float>(x, rows, kNormLanes, kNormLanes, lanes);
    FoldLoop<AddStep, float>(lanes, &sum);
    total += static_cast<double>(sum);
    x += rows * kNormLanes;
    n -= rows * kNormLanes;
  }
  for (Index i = 0; i < n; ++i) {
    const float centred = squares ? x[i] - mean : x[i];
    total += static_cast<double>(squares ? centred * centred : centred);
  }
  return total;
}

// What is summed up per channel.
enum class NormSum { kFirst, kSquares, kProducts };

// The rows [begin, end) of the outer dimension, added to first[channels] and (kProducts) second[channels].
inline void NormSumRows(const ChannelLayout& l, NormSum what, const float* a, const float* b, const float* mean,
                        Index begin, Index end, double* first, double* second) {
  const Index row = l.channels * l.inner;
  for (Index o = begin; o < end; ++o) {
    const float* const x = a + o * row;
    const float* const y = b == nullptr ? nullptr : b + o * row;
    if (l.inner == 1) {
      if (what == NormSum::kFirst) NormSums(x, first, l.channels);
      if (what == NormSum::kSquares) NormSquares(x, mean, first, l.channels);
      if (what == NormSum::kProducts) NormProducts(x, y, mean, first, second, l.channels);
      continue;
    }
    for (Index c = 0; c < l.channels; ++c) {
      if (what != NormSum::kProducts) {
        const bool squares = what == NormSum::kSquares;
        first[c] += NormRunSum(x + c * l.inner, l.inner, squares, squares ? mean[c] : 0.0f);
        continue;
      }
      for (Index i = c * l.inner; i < (c + 1) * l.inner; ++i) {
        first[c] += static_cast<double>(y[i]);
        second[c] += static_cast<double>(y[i] * (x[i] - mean[c]));
      }
    }
  }
}

// sums[channels], and behind it for kProducts the second sums; `partial` has NormPartial() doubles.
inline constexpr Index kNormParts = 16;
inline Index NormPartial(const ChannelLayout& l) { return kNormParts * 2 * l.channels; }
inline void NormReduce(Cpu& device, const ChannelLayout& l, NormSum what, const float* a, const float* b,
                       const float* mean, double* partial, double* sums) {
  const Index width = (what == NormSum::kProducts ? 2 : 1) * l.channels;
  const Index parts = std::max<Index>(std::min(kNormParts, l.outer), 1);
  const double ns = 0.7 * static_cast<double>(l.elements()) / static_cast<double>(parts);
  ParallelFor(device, parts, ns, [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      double* const to = partial + part * width;
      std::fill(to, to + width, 0.0);
      NormSumRows(l, what, a, b, mean, PartBegin(l.outer, parts, 1, part), PartBegin(l.outer, parts, 1, part + 1), to,
                  to + l.channels);
    }
  });
  std::copy(partial, partial + width, sums);
  for (Index part = 1; part < parts; ++part)
    for (Index c = 0; c < width; ++c) sums[c] += partial[part * width + c];
}

// body(x offset of a run, its length, its channel), for runs of one channel or (inner = 1) of all of them.
template <class Body>
void ForNormRuns(Cpu& device, const ChannelLayout& l, const Body& body) {
  const Index row = l.channels * l.inner;
  ParallelFor(device, l.outer, 0.5 * static_cast<double>(row), [&](Index begin, Index end) {
    for (Index o = begin; o < end; ++o) {
      if (l.inner == 1) {
        body(o * row, l.channels, Index{0});
      } else {
        for (Index c = 0; c < l.channels; ++c) body(o * row + c * l.inner, l.inner, c);
      }
    }
  });
}

inline void NormApplyAll(Cpu& device, const ChannelLayout& l, const float* x, const float* mean, const float* factor,
                         const float* offset, float* y) {
  ForNormRuns(device, l, [&](Index at, Index n, Index c) {
    if (l.inner == 1)
      NormApply(x + at, mean, factor, offset, y + at, n);
    else
      NormApplyOne(x + at, mean[c], factor[c], offset[c], y + at, n);
  });
}

}  // namespace detail

// y = (x - mean) / sqrt(variance + epsilon) * scale + offset, per channel.
inline Status BatchNorm(Cpu& device, const ChannelLayout& l, const float* x, const float* scale, const float* offset,
                        const float* mean, const float* variance, float epsilon, float* y) {
  Scratch scratch(device, detail::ScratchBytes<float>(l.channels));
  TENON_RETURN_IF_ERROR(scratch.status("FusedBatchNorm"));
  float* const factor = scratch.As<float>();
  for (Index c = 0; c < l.channels; ++c) factor[c] = 1.0f / std::sqrt(variance[c] + epsilon) * scale[c];
  detail::NormApplyAll(device, l, x, mean, factor, offset, y);
  return OkStatus();
}

// The same with the batch's own moments: mean[channels] and variance[channels] (divided by the number of elements, not
// one less) are outputs too. x has elements.
inline Status BatchNormTraining(Cpu& device, const ChannelLayout& l, const float* x, const float* scale,
                                const float* offset, float epsilon, float* mean, float* variance, float* y) {
  const std::size_t sum_bytes = detail::ScratchBytes<double>(l.channels);
  Scratch scratch(device, sum_bytes + detail::ScratchBytes<double>(detail::NormPartial(l)));
  TENON_RETURN_IF_ERROR(scratch.status("FusedBatchNorm"));
  double* const sums = scratch.As<double>();
  double* const partial = scratch.As<double>(sum_bytes);
  const double n = static_cast<double>(l.per_channel());
  detail::NormReduce(device, l, detail::NormSum::kFirst, x, nullptr, nullptr, partial, sums);
  for (Index c = 0; c < l.channels; ++c) mean[c] = static_cast<float>(sums[c] / n);
  detail::NormReduce(device, l, detail::NormSum::kSquares, x, nullptr, mean, partial, sums);
  for (Index c = 0; c < l.channels; ++c) variance[c] = static_cast<float>(sums[c] / n);
  return BatchNorm(device, l, x, scale, offset, mean, variance, epsilon, y);
}

// The gradient of BatchNormTraining (`training`: mean and variance depend on x) or of BatchNorm with respect to x,
// scale and offset.
inline Status BatchNormGrad(Cpu& device, const ChannelLayout& l, bool training, const float* dy, const float* x,
                            const float* scale, const float* mean, const float* variance, float epsilon, float* dx,
                            float* dscale, float* doffset) {
  const std::size_t sum_bytes = detail::ScratchBytes<double>(2 * l.channels),
                    partial_bytes = detail::ScratchBytes<double>(detail::NormPartial(l)),
                    row_bytes = detail::ScratchBytes<float>(l.channels);
  Scratch scratch(device, sum_bytes + partial_bytes + 3 * row_bytes);
  TENON_RETURN_IF_ERROR(scratch.status("FusedBatchNormGrad"));
  double* const sums = scratch.As<double>();
  float* const factor = scratch.As<float>(sum_bytes + partial_bytes);
  float* const shift = scratch.As<float>(sum_bytes + partial_bytes + row_bytes);
  float* const slope = scratch.As<float>(sum_bytes + partial_bytes + 2 * row_bytes);
  detail::NormReduce(device, l, detail::NormSum::kProducts, x, dy, mean, scratch.As<double>(sum_bytes), sums);
  const double n = static_cast<double>(l.per_channel());
  for (Index c = 0; c < l.channels; ++c) {
    const float inverse = 1.0f / std::sqrt(variance[c] + epsilon);
    const double dy_sum = sums[c], product_sum = sums[l.channels + c];
    doffset[c] = static_cast<float>(dy_sum);
    dscale[c] = static_cast<float>(product_sum) * inverse;
    factor[c] = scale[c] * inverse;
    shift[c] = training ? static_cast<float>(dy_sum / n) : 0.0f;
    slope[c] = training ? static_cast<float>(product_sum / n) * inverse * inverse : 0.0f;
  }
  detail::ForNormRuns(device, l, [&](Index at, Index count, Index c) {
    if (!training && l.inner == 1) {
      for (Index i = 0; i < count; ++i) dx[at + i] = dy[at + i] * factor[i];
    } else if (!training) {
      for (Index i = 0; i < count; ++i) dx[at + i] = dy[at + i] * factor[c];
    } else if (l.inner == 1) {
      detail::NormGradient(dy + at, x + at, mean, factor, shift, slope, dx + at, count);
    } else {
      for (Index i = at; i < at + count; ++i) dx[i] = factor[c] * (dy[i] - shift[c] - (x[i] - mean[c]) * slope[c]);
    }
  });
  return OkStatus();
}

TENON_NAMESPACE_END
