// SPDX-License-Identifier: Apache-2.0
#pragma once
// Samples that take a number of tries: gamma and Poisson, number for number as TensorFlow draws them. Each sample has
// its own section of the stream, so that threads do not matter.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/engine/random/distributions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Numbers of one kind from a stream of blocks, two of each block, the second first, as TensorFlow takes them.
template <bool kNormal>
class PairsBackwards {
 public:
  void Clear() { left_ = 0; }
  double Next(Philox* stream) {
    if (left_ == 0) {
      const PhiloxBlock block = stream->Next();
      RandomFill none;
      kNormal ? NormalDoubles(none, block.word, 1, two_) : UniformDoubles(none, block.word, 1, two_);
      left_ = 2;
    }
    return two_[--left_];
  }

 private:
  double two_[2] = {};
  int left_ = 0;
};

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Below 1 the sample is one of alpha + 1
// times a power of a uniform number. alpha = NaN gives NaN.
inline double GammaSample(double alpha, Philox stream) {
  PairsBackwards<true> normal;
  PairsBackwards<false> uniform;
  if (alpha == 1.0) return -std::log1p(-uniform.Next(&stream));
  if (std::isnan(alpha)) return alpha;
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  if (std::isnan(c)) return c;  // a negative alpha
  for (;;) {
    const double x = normal.Next(&stream);
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = uniform.Next(&stream);
    if (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      const double sample = d * v;
      return small ? sample * std::pow(uniform.Next(&stream), 1 / alpha) : sample;
    }
  }
}

// Below 10: Knuth's product of uniform numbers (The Art of Computer Programming 2, 3.4.1). Else Hormann, "The
// transformed rejection method for generating Poisson random variables", 1993. `most` is the largest number that the
// caller can store: samples above it are drawn again. NaN when none is found, for a NaN rate, say.
inline double PoissonSample(double rate, double most, Philox stream) {
  constexpr int kMostTries = 10000;  // the chance of a miss is a quarter at most where `most` does not matter
  PairsBackwards<false> uniform;
  if (rate < 10) {
    const double least = std::exp(-rate);
    double product = 1;
    for (double x = 0; x <= most; x += 1) {
      product *= uniform.Next(&stream);
      if (product <= least) return x;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int tries = 0; tries < kMostTries; ++tries) {
    const double u = uniform.Next(&stream) - 0.5, v = uniform.Next(&stream);
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > most) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    if (s <= -rate + k * log_rate - std::lgamma(k + 1)) return k;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Element i of real numbers or integers, as a double.
inline double LoadReal(const void* data, DataType dtype, Index i) {
  switch (dtype) {
    case DataType::kHalf: return static_cast<double>(static_cast<float>(static_cast<const half*>(data)[i]));
    case DataType::kBfloat16: return static_cast<double>(static_cast<float>(static_cast<const bfloat16*>(data)[i]));
    case DataType::kFloat: return static_cast<double>(static_cast<const float*>(data)[i]);
    case DataType::kInt32: return static_cast<double>(static_cast<const std::int32_t*>(data)[i]);
    case DataType::kInt64: return static_cast<double>(static_cast<const std::int64_t*>(data)[i]);
    default: return static_cast<const double*>(data)[i];
  }
}
// The reverse; x fits the type.
inline void StoreReal(double x, void* data, DataType dtype, Index i) {
  switch (dtype) {
    case DataType::kHalf: static_cast<half*>(data)[i] = half(static_cast<float>(x)); break;
    case DataType::kBfloat16: static_cast<bfloat16*>(data)[i] = bfloat16(static_cast<float>(x)); break;
    case DataType::kFloat: static_cast<float*>(data)[i] = static_cast<float>(x); break;
    case DataType::kInt32: static_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(x); break;
    case DataType::kInt64: static_cast<std::int64_t*>(data)[i] = static_cast<std::int64_t>(x); break;
    default: static_cast<double*>(data)[i] = x;
  }
}
// The largest finite number of the type; that of int64 is the last double below 2^63.
inline double LargestReal(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return 65504;
    case DataType::kFloat: return static_cast<double>(std::numeric_limits<float>::max());
    case DataType::kInt32: return 2147483647;
    case DataType::kInt64: return 9223372036854774784.0;
    default: return std::numeric_limits<double>::max();
  }
}

}  // namespace detail

// Samples of many distributions of one family: parameters [p], out [s, p], sample j of parameter i is number i s + j of
// the stream.
struct SampleTask {
  const void* parameters;
  DataType parameter_type;
  Index parameter_count;  // p
  Index samples;  // s, of each
  void* out;
  DataType type;
};

// alpha: half, bfloat16, float or double; out of the same type. Never fails: an invalid alpha gives NaN.
inline void FillGamma(Cpu& device, const SampleTask& task, const Philox& from) {
  ParallelFor(device, task.parameter_count * task.samples, 150, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const Index i = n / task.samples, j = n % task.samples;
      const double alpha = detail::LoadReal(task.parameters, task.parameter_type, i);
      const Philox own = from.Skipped(static_cast<std::uint64_t>(n) * kRandomBlocksPerElement);
      detail::StoreReal(detail::GammaSample(alpha, own), task.out, task.type, j * task.parameter_count + i);
    }
  });
}

// rate: half, float, double, int32 or int64; out any of these. An infinite rate gives infinity (of an integer type: 0,
// as in TensorFlow). InvalidArgument for NaN, and for rates whose samples are beyond the type, where TensorFlow hangs.
inline Status FillPoisson(Cpu& device, const SampleTask& task, const Philox& from) {
  const double most = detail::LargestReal(task.type);
  const bool floating = IsFloating(task.type);
  for (Index i = 0; i < task.parameter_count; ++i) {
    const double rate = detail::LoadReal(task.parameters, task.parameter_type, i);
    const bool beyond = rate > most && !std::isinf(rate) && rate - 50 * std::sqrt(rate) > most;
    if (std::isnan(rate) || beyond)
      return errors::InvalidArgument("rate[", i, "] = ", rate, " has no samples of type ", task.type,
                                     "; it must be a number that the type can hold");
  }
  ParallelFor(device, task.parameter_count * task.samples, 200, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const Index i = n / task.samples, j = n % task.samples;
      const double rate = detail::LoadReal(task.parameters, task.parameter_type, i);
      double sample = 0;
      if (std::isinf(rate) && rate > 0) {
        sample = floating ? rate : 0;
      } else {
        sample =
            detail::PoissonSample(rate, most, from.Skipped(static_cast<std::uint64_t>(n) * kRandomBlocksPerElement));
        if (std::isnan(sample)) sample = most;  // only where nearly all samples are beyond the type
      }
      detail::StoreReal(sample, task.out, task.type, j * task.parameter_count + i);
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
