// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batch normalisation on the CPU, of float: with given moments, with the batch's own, and both gradients. Sums are kept
// as double (of at most 1,024 neighbours, as float) in parts of fixed size, so that the number of threads does not
// change the results.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/reduce/columns.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/engine/core/half_conversion.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// x: [outer, channels, inner]; channels last means inner = 1.
struct ChannelLayout {
  Index outer = 0, channels = 0, inner = 1;

  Index elements() const { return outer * channels * inner; }
  Index per_channel() const { return outer * inner; }
};

namespace detail {

// The sum of n numbers, or of their squared distances from `mean`: as float in 64 lanes of at most 16 terms, which are
// added by halves; the rest as double.
inline constexpr Index kNormLanes = 64, kNormRows = 16;
#if TENON_DETAIL_LANES
template <bool squares, int bytes>
TENON_HD float NormLanesSum(const float* x, Index rows, float mean) {
  using L = simd::Lanes<float, bytes>;
  constexpr Index kCount = kNormLanes / L::size;
  const L centre = L::Repeat(mean);
  L sums[kCount];
#pragma GCC unroll 16
  for (Index j = 0; j < kCount; ++j) sums[j] = L::Zero();
  for (Index r = 0; r < rows; ++r, x += kNormLanes) {
#pragma GCC unroll 16
    for (Index j = 0; j < kCount; ++j) {
      const L value = L::Load(x + j * L::size), centred = value - centre;
      sums[j] = squares ? Fma(centred, centred, sums[j]) : sums[j] + value;
    }
  }
#pragma GCC unroll 4
  for (Index half = kCount / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (Index j = 0; j < half; ++j) sums[j] = sums[j] + sums[j + half];
  }
  return simd::Fold<simd::AddLanes>(sums[0]);
}
#else
template <bool squares, int>
TENON_HD float NormLanesSum(const float* x, Index rows, float mean) {
  float sum = 0;
  for (Index i = 0; i < rows * kNormLanes; ++i) sum += squares ? (x[i] - mean) * (x[i] - mean) : x[i];
  return sum;
}
#endif
template <bool squares, int bytes>
TENON_HD double NormSumOf(const float* x, Index n, float mean) {
  double total = 0;
  while (n >= kNormLanes) {
    const Index whole = n / kNormLanes, rows = whole < kNormRows ? whole : kNormRows;
    total += static_cast<double>(NormLanesSum<squares, bytes>(x, rows, mean));
    x += rows * kNormLanes;
    n -= rows * kNormLanes;
  }
  for (Index i = 0; i < n; ++i) {
    const float centred = x[i] - mean;
    total += static_cast<double>(squares ? centred * centred : x[i]);
  }
  return total;
}
// out[i] = (x[i] - mean) * factor + offset
template <int bytes>
TENON_HD void NormApplyTo(const float* x, float mean, float factor, float offset, float* out, Index n) {
  Index i = 0;
#if TENON_DETAIL_LANES
  using L = simd::Pair<simd::Lanes<float, bytes>>;
  const L centre = L::Repeat(mean), slope = L::Repeat(factor), shift = L::Repeat(offset);
  for (; i + L::size <= n; i += L::size) Fma(L::Load(x + i) - centre, slope, shift).Store(out + i);
#endif
  for (; i < n; ++i) out[i] = (x[i] - mean) * factor + offset;
}

struct NormSumBody {
  template <int bytes>
  TENON_HD static void Run(const float* x, Index n, double* sum) {
    *sum += NormSumOf<false, bytes>(x, n, 0.0f);
  }
};
struct NormSquaresBody {
  template <int bytes>
  TENON_HD static void Run(const float* x, Index n, float mean, double* sum) {
    *sum += NormSumOf<true, bytes>(x, n, mean);
  }
};
struct NormApplyBody {
  template <int bytes>
  TENON_HD static void Run(const float* x, float mean, float factor, float offset, float* out, Index n) {
    NormApplyTo<bytes>(x, mean, factor, offset, out, n);
  }
};
// A channel that is one run: its moments, and the run normalised, while it is in the first cache.
struct NormRun {
  float scale, offset, epsilon, mean, variance;
};
struct NormRunBody {
  template <int bytes>
  TENON_HD static void Run(const float* x, Index n, NormRun* run, float* y) {
    const double count = static_cast<double>(n);
    run->mean = static_cast<float>(NormSumOf<false, bytes>(x, n, 0.0f) / count);
    run->variance = static_cast<float>(NormSumOf<true, bytes>(x, n, run->mean) / count);
    const float factor = 1.0f / std::sqrt(run->variance + run->epsilon) * run->scale;
    NormApplyTo<bytes>(x, run->mean, factor, run->offset, y, n);
  }
};

#if TENON_DETAIL_LANES
template <class Body, class... Args>
void NormAtBest(Args... args) {
  simd::detail::ForLevels<Body, simd::Compiled, Args...>::Best()(args...);
}
#else
template <class Body, class... Args>
void NormAtBest(Args... args) {
  Body::template Run<16>(args...);
}
#endif

// The rows [begin, end) of the outer dimension, added to first[channels] and (kProducts) second[channels].
template <ColumnSum what>
void NormSumRows(const ChannelLayout& l, const float* a, const float* b, const float* mean, Index begin, Index end,
                 double* first, double* second) {
  const Index row = l.channels * l.inner;
  if (l.inner == 1)
    return AddColumnSums<what>(
        {a + begin * row, b == nullptr ? nullptr : b + begin * row, mean, end - begin, l.channels, first, second});
  for (Index o = begin; o < end; ++o) {
    const float* const x = a + o * row;
    for (Index c = 0; c < l.channels; ++c) {
      const float* const run = x + c * l.inner;
      if constexpr (what == ColumnSum::kSquares) {
        NormAtBest<NormSquaresBody>(run, l.inner, mean[c], first + c);
      } else if constexpr (what == ColumnSum::kFirst) {
        NormAtBest<NormSumBody>(run, l.inner, first + c);
      } else {
        const float* const y = b + o * row;
        for (Index i = c * l.inner; i < (c + 1) * l.inner; ++i) {
          first[c] += static_cast<double>(y[i]);
          second[c] += static_cast<double>(y[i] * (x[i] - mean[c]));
        }
      }
    }
  }
}

// sums[channels], and behind it for kProducts the second sums; `partial` has NormPartial() doubles.
inline constexpr Index kNormParts = 16;
inline Index NormPartial(const ChannelLayout& l) { return kNormParts * 2 * l.channels; }
template <ColumnSum what>
void NormReduce(Cpu& device, const ChannelLayout& l, const float* a, const float* b, const float* mean, double* partial,
                double* sums) {
  const Index width = (what == ColumnSum::kProducts ? 2 : 1) * l.channels;
  const Index parts = std::max<Index>(std::min(kNormParts, l.outer), 1);
  const double ns = 0.7 * static_cast<double>(l.elements()) / static_cast<double>(parts);
  ParallelFor(device, parts, ns, [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      double* const to = partial + part * width;
      std::fill(to, to + width, 0.0);
      NormSumRows<what>(l, a, b, mean, PartBegin(l.outer, parts, 1, part), PartBegin(l.outer, parts, 1, part + 1), to,
                        to + l.channels);
    }
  });
  std::copy(partial, partial + width, sums);
  for (Index part = 1; part < parts; ++part)
    for (Index c = 0; c < width; ++c) sums[c] += partial[part * width + c];
}

// body(x offset of a run of one channel, its channel); inner is not 1.
template <class Body>
void ForNormRuns(Cpu& device, const ChannelLayout& l, const Body& body) {
  const Index row = l.channels * l.inner;
  ParallelFor(device, l.outer, 0.5 * static_cast<double>(row), [&](Index begin, Index end) {
    for (Index o = begin; o < end; ++o)
      for (Index c = 0; c < l.channels; ++c) body(o * row + c * l.inner, c);
  });
}

// `call` for all rows of its matrix.
template <ColumnStep step>
void StepAllColumns(Cpu& device, const ColumnStepCall& call) {
  ParallelFor(device, call.rows, 0.3 * static_cast<double>(call.columns), [&](Index begin, Index end) {
    ColumnStepCall part = call;
    part.x += begin * call.columns;
    if (step == ColumnStep::kGradient) part.dy += begin * call.columns;
    part.out += begin * call.columns;
    part.rows = end - begin;
    StepColumns<step>(part);
  });
}

inline void NormApplyAll(Cpu& device, const ChannelLayout& l, const float* x, const float* mean, const float* factor,
                         const float* offset, float* y) {
  if (l.inner == 1)
    return StepAllColumns<ColumnStep::kCentre>(device,
                                               {x, nullptr, mean, factor, offset, nullptr, l.outer, l.channels, y});
  ForNormRuns(device, l, [&](Index at, Index c) {
    NormAtBest<NormApplyBody>(x + at, mean[c], factor[c], offset[c], y + at, l.inner);
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

// BatchNorm with the batch's own moments: mean[channels] and variance[channels] (divided by the number of elements, not
// one less) are outputs too. x has elements.
inline Status BatchNormTraining(Cpu& device, const ChannelLayout& l, const float* x, const float* scale,
                                const float* offset, float epsilon, float* mean, float* variance, float* y) {
  const double n = static_cast<double>(l.per_channel());
  if (l.outer == 1 && l.inner > 1) {  // as in layer normalisation
    ParallelFor(device, l.channels, static_cast<double>(l.inner), [&](Index begin, Index end) {
      for (Index c = begin; c < end; ++c) {
        detail::NormRun run{scale[c], offset[c], epsilon, 0, 0};
        detail::NormAtBest<detail::NormRunBody>(x + c * l.inner, l.inner, &run, y + c * l.inner);
        mean[c] = run.mean;
        variance[c] = run.variance;
      }
    });
    return OkStatus();
  }
  const std::size_t sum_bytes = detail::ScratchBytes<double>(l.channels);
  Scratch scratch(device, sum_bytes + detail::ScratchBytes<double>(detail::NormPartial(l)));
  TENON_RETURN_IF_ERROR(scratch.status("FusedBatchNorm"));
  double* const sums = scratch.As<double>();
  double* const partial = scratch.As<double>(sum_bytes);
  detail::NormReduce<detail::ColumnSum::kFirst>(device, l, x, nullptr, nullptr, partial, sums);
  for (Index c = 0; c < l.channels; ++c) mean[c] = static_cast<float>(sums[c] / n);
  detail::NormReduce<detail::ColumnSum::kSquares>(device, l, x, nullptr, mean, partial, sums);
  for (Index c = 0; c < l.channels; ++c) variance[c] = static_cast<float>(sums[c] / n);
  return BatchNorm(device, l, x, scale, offset, mean, variance, epsilon, y);
}

// One FusedBatchNorm: x and y are images of half, bfloat16 or float, the rest float, one number a channel. In training
// the moments are the batch's: two with Bessel's correction and, where it blends, what was there before by `factor`;
// and two as they were used. Otherwise they are those given. NaN without images.
struct BatchNormCall {
  ChannelLayout layout;
  DataType type = DataType::kFloat;
  const void* x = nullptr;
  const float* scale = nullptr;
  const float* offset = nullptr;
  const float* mean = nullptr;
  const float* variance = nullptr;
  float epsilon = 0, factor = 1;
  bool training = false, blends = false;
  void* y = nullptr;
  float* moments[4] = {};
};
inline Status NormalizeBatch(Cpu& device, const BatchNormCall& call) {
  const ChannelLayout& l = call.layout;
  const Index channels = l.channels, n = l.elements();
  float* const* const moments = call.moments;
  if (n == 0) {
    for (float* moment : call.moments)
      for (Index c = 0; c < channels; ++c) moment[c] = std::numeric_limits<float>::quiet_NaN();
    return OkStatus();
  }
  const bool converts = IsSmallFloat(call.type);
  const std::size_t bytes = converts ? detail::ScratchBytes<float>(n) : 0;
  const Scratch wide(device, 2 * bytes);
  TENON_RETURN_IF_ERROR(wide.status("FusedBatchNorm"));
  if (converts) WidenFloats(device, call.type, call.x, wide.As<float>(), n);
  const float* const x = converts ? wide.As<float>() : static_cast<const float*>(call.x);
  float* const y = converts ? wide.As<float>(bytes) : static_cast<float*>(call.y);
  if (!call.training) {
    for (int i = 0; i < 4; ++i)
      for (Index c = 0; c < channels; ++c) moments[i][c] = (i % 2 == 0 ? call.mean : call.variance)[c];
    TENON_RETURN_IF_ERROR(BatchNorm(device, l, x, call.scale, call.offset, call.mean, call.variance, call.epsilon, y));
  } else {
    TENON_RETURN_IF_ERROR(
        BatchNormTraining(device, l, x, call.scale, call.offset, call.epsilon, moments[2], moments[3], y));
    const float count = static_cast<float>(l.per_channel()), correction = count > 1 ? count / (count - 1) : 1;
    const float kept = 1.0f - call.factor, factor = call.factor;
    for (Index c = 0; c < channels; ++c) {
      const float variance = moments[3][c] * correction;
      moments[0][c] = call.blends ? kept * call.mean[c] + factor * moments[2][c] : moments[2][c];
      moments[1][c] = call.blends ? kept * call.variance[c] + factor * variance : variance;
    }
  }
  if (converts) NarrowFloats(device, y, call.type, call.y, n);
  return OkStatus();
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
  detail::NormReduce<detail::ColumnSum::kProducts>(device, l, x, dy, mean, scratch.As<double>(sum_bytes), sums);
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
  if (l.inner == 1 && training) {
    detail::StepAllColumns<detail::ColumnStep::kGradient>(device,
                                                          {x, dy, mean, factor, shift, slope, l.outer, l.channels, dx});
    return OkStatus();
  }
  if (l.inner == 1) {  // shift is 0
    detail::StepAllColumns<detail::ColumnStep::kCentre>(
        device, {dy, nullptr, shift, factor, shift, nullptr, l.outer, l.channels, dx});
    return OkStatus();
  }
  detail::ForNormRuns(device, l, [&](Index at, Index c) {
    if (!training) {
      for (Index i = at; i < at + l.inner; ++i) dx[i] = dy[i] * factor[c];
    } else {
      for (Index i = at; i < at + l.inner; ++i) dx[i] = factor[c] * (dy[i] - shift[c] - (x[i] - mean[c]) * slope[c]);
    }
  });
  return OkStatus();
}

// The gradient of a BatchNormCall: dy, x and dx are images of half, bfloat16 or float, the rest float.
struct BatchNormGradCall {
  ChannelLayout layout;
  DataType type = DataType::kFloat;
  bool training = false;
  const void* dy = nullptr;
  const void* x = nullptr;
  const float* scale = nullptr;
  const float* mean = nullptr;
  const float* variance = nullptr;
  float epsilon = 0;
  void* dx = nullptr;
  float* dscale = nullptr;
  float* doffset = nullptr;
};
inline Status NormalizeBatchGrad(Cpu& device, const BatchNormGradCall& call) {
  const ChannelLayout& l = call.layout;
  const Index n = l.elements();
  if (n == 0) {
    std::fill(call.dscale, call.dscale + l.channels, 0.0f);
    std::fill(call.doffset, call.doffset + l.channels, 0.0f);
    return OkStatus();
  }
  const bool converts = IsSmallFloat(call.type);
  const std::size_t bytes = converts ? detail::ScratchBytes<float>(n) : 0;
  const Scratch wide(device, 3 * bytes);
  TENON_RETURN_IF_ERROR(wide.status("FusedBatchNormGrad"));
  if (converts) {
    WidenFloats(device, call.type, call.dy, wide.As<float>(), n);
    WidenFloats(device, call.type, call.x, wide.As<float>(bytes), n);
  }
  const float* const dy = converts ? wide.As<float>() : static_cast<const float*>(call.dy);
  const float* const x = converts ? wide.As<float>(bytes) : static_cast<const float*>(call.x);
  float* const dx = converts ? wide.As<float>(2 * bytes) : static_cast<float*>(call.dx);
  TENON_RETURN_IF_ERROR(BatchNormGrad(device, l, call.training, dy, x, call.scale, call.mean, call.variance,
                                      call.epsilon, dx, call.dscale, call.doffset));
  if (converts) NarrowFloats(device, dx, call.type, call.dx, n);
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
