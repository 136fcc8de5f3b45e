// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quantized numbers: integers that stand for evenly spaced numbers of a range, step for step as TensorFlow counts them.
// Thread-safe.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The integers of a quantized type.
struct QuantizedKind {
  std::int64_t lowest = 0, highest = 255;
  double steps = 255;  // from the lowest to the highest

  static QuantizedKind Of(DataType type) {
    switch (type) {
      case DataType::kQint8: return {-128, 127, 255};
      case DataType::kQint16: return {-32768, 32767, 65535};
      case DataType::kQuint16: return {0, 65535, 65535};
      case DataType::kQint32: return {-2147483648LL, 2147483647, 4294967295.0};
      default: return {};
    }
  }
  std::int64_t Clamp(std::int64_t x) const { return std::min(std::max(x, lowest), highest); }
};

// Element i of quantized numbers.
inline std::int32_t LoadQuantized(const void* data, DataType type, Index i) {
  switch (type) {
    case DataType::kQint8: return static_cast<const std::int8_t*>(data)[i];
    case DataType::kQint16: return static_cast<const std::int16_t*>(data)[i];
    case DataType::kQuint16: return static_cast<const std::uint16_t*>(data)[i];
    case DataType::kQint32: return static_cast<const std::int32_t*>(data)[i];
    default: return static_cast<const std::uint8_t*>(data)[i];
  }
}
inline void StoreQuantized(std::int64_t x, void* data, DataType type, Index i) {
  switch (type) {
    case DataType::kQint8: static_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(x); break;
    case DataType::kQint16: static_cast<std::int16_t*>(data)[i] = static_cast<std::int16_t>(x); break;
    case DataType::kQuint16: static_cast<std::uint16_t*>(data)[i] = static_cast<std::uint16_t>(x); break;
    case DataType::kQint32: static_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(x); break;
    default: static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(x); break;
  }
}

// Differences and products that wrap around.
inline std::int32_t WrapSubtract(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
inline std::int32_t WrapMultiply(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

// A double as int64, the nearest end where it is beyond; NaN gives 0.
inline std::int64_t ToInt64(double x) {
  constexpr double kMost = 9223372036854774784.0;  // the last double below 2^63
  return std::isnan(x) ? 0 : static_cast<std::int64_t>(std::min(std::max(x, -kMost), kMost));
}

// The integer that stands for x, which may lie beyond the type's.
inline std::int64_t FloatToQuantizedUnclamped(const QuantizedKind& kind, float x, float low, float high) {
  if (low == high) return kind.lowest;
  const double steps = kind.steps + 1, range = static_cast<double>(high - low) * (steps / kind.steps);
  const double scale = steps / range;
  return ToInt64(std::round(static_cast<double>(x) * scale) - std::round(static_cast<double>(low) * scale)) +
         kind.lowest;
}
inline std::int64_t FloatToQuantized(const QuantizedKind& kind, float x, float low, float high) {
  return kind.Clamp(FloatToQuantizedUnclamped(kind, x, low, high));
}
inline float QuantizedToFloat(const QuantizedKind& kind, std::int64_t x, float low, float high) {
  if (low == high) return low;
  const double steps = kind.steps + 1, range = static_cast<double>(high - low) * (steps / kind.steps);
  const double scale = range / steps;
  const auto step = static_cast<float>(scale);
  const float start = std::round(low / step) * step;  // in float, as TensorFlow
  return static_cast<float>(static_cast<double>(start) + static_cast<double>(x - kind.lowest) * scale);
}
inline float FloatForOneStep(const QuantizedKind& kind, float low, float high) {
  return (high - low) / static_cast<float>(kind.highest - kind.lowest);
}

// A range that products of numbers of two ranges have, in integers of `kind`.
inline void RangeOfProduct(float one_step, float other_step, const QuantizedKind& kind, float* low, float* high) {
  const float step = one_step * other_step;
  *low = step * static_cast<float>(kind.lowest);
  *high = step * static_cast<float>(kind.highest);
}

// The float arithmetic with which TensorFlow converts whole tensors.
struct QuantizedToFloatScale {
  float scale, start;

  QuantizedToFloatScale(const QuantizedKind& kind, float low, float high)
      : scale(static_cast<float>(static_cast<double>(high - low) / kind.steps)) {
    const float rounded = low == high ? low : std::round(low / scale) * scale;
    start = rounded - static_cast<float>(kind.lowest) * scale;
  }
  float operator()(std::int32_t x) const { return start + static_cast<float>(x) * scale; }
};
struct FloatToQuantizedScale {
  float scale, start, least, most;

  FloatToQuantizedScale(const QuantizedKind& kind, float low, float high)
      : scale(low == high ? 0.0f : static_cast<float>(kind.steps / static_cast<double>(high - low))),
        start(std::round(low * scale) - static_cast<float>(kind.lowest)),
        least(static_cast<float>(kind.lowest)),
        most(std::min(static_cast<float>(kind.highest), 2147483520.0f)) {}
  std::int32_t operator()(float x) const {
    // In this order NaN becomes the least.
    return static_cast<std::int32_t>(std::min(most, std::max(least, std::round(x * scale) - start)));
  }
};

TENON_DETAIL_NAMESPACE_END
