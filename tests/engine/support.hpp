// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of the engines share: numbers to feed, shapes to try, a second way to compute.

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>

namespace tenon::testing {

// A small generator with the same numbers everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252ull) {}
  std::uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  Index Below(Index n) { return static_cast<Index>((Next() >> 20) % static_cast<std::uint64_t>(n)); }
  double Real(double low, double high) { return low + (high - low) * static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Any number type from a double, and back (the real part).
template <class T>
T FromDouble(double x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(x);
  else if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(x), 0);
  else
    return T(static_cast<float>(x));
}
template <class T>
double ToDouble(const T& x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else if constexpr (kIsComplex<T>)
    return static_cast<double>(x.real());
  else
    return static_cast<double>(static_cast<float>(x));
}

// n small numbers: whole ones for integer types, none below zero for unsigned ones.
template <class T>
std::vector<T> RandomVector(Index n, std::uint64_t seed, double low = std::is_unsigned_v<T> ? 0 : -3, double high = 3) {
  Numbers numbers(seed);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) {
    const double x = numbers.Real(low, high);
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(static_cast<std::int64_t>(std::floor(x)));
    else if constexpr (kIsComplex<T>)
      value = T(static_cast<typename T::value_type>(x), static_cast<typename T::value_type>(numbers.Real(low, high)));
    else
      value = FromDouble<T>(x);
  }
  return values;
}

// Half the distance between neighbours at 1: the error of one rounding.
template <class T>
double RoundingUnit() {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>)
    return 0x1p-24;
  else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>)
    return 0x1p-53;
  else if constexpr (std::is_same_v<T, half>)
    return 0x1p-11;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return 0x1p-8;
  else
    return 0;
}

// Element numbers of an operand for every element of `out`, dimensions aligned at the last.
inline std::vector<Index> BroadcastIndices(const TensorShape& operand, const TensorShape& out) {
  std::vector<Index> indices;
  for (Index i = 0; i < out.num_elements(); ++i) {
    Index rest = i, stride = 1, index = 0;
    for (int d = out.dims() - 1; d >= 0; --d) {
      const Index at = rest % out.dim_size(d);
      rest /= out.dim_size(d);
      const int own = d - (out.dims() - operand.dims());
      if (own < 0) continue;
      if (operand.dim_size(own) != 1) index += at * stride;
      stride *= operand.dim_size(own);
    }
    indices.push_back(index);
  }
  return indices;
}

}  // namespace tenon::testing
