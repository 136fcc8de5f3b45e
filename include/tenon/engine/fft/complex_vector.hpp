// SPDX-License-Identifier: Apache-2.0
#pragma once
// Complex numbers in vectors, for Fourier transforms. Real and imaginary parts are vectors of their own, so that
// products need no shuffles. Parts that alternate in memory are read and written by shuffles within 16 bytes, which are
// the cheapest. TransposeSquare transposes as many vectors as a vector has lanes.

#include <cstddef>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// One lane, where there are no vectors.
template <class T>
struct FftLane {
  using value_type = T;
  static constexpr int size = 1;
  T v;

  TENON_HD static FftLane Load(const T* p) { return {*p}; }
  TENON_HD static FftLane Repeat(T value) { return {value}; }
  TENON_HD void Store(T* p) const { *p = v; }
  TENON_HD friend FftLane operator+(const FftLane& a, const FftLane& b) { return {a.v + b.v}; }
  TENON_HD friend FftLane operator-(const FftLane& a, const FftLane& b) { return {a.v - b.v}; }
  TENON_HD friend FftLane operator*(const FftLane& a, const FftLane& b) { return {a.v * b.v}; }
};

#if TENON_DETAIL_LANES
template <class T, int bytes>
using FftVector = simd::Lanes<T, bytes>;
#else
template <class T, int bytes>
using FftVector = FftLane<T>;
#endif

// a b + c, a b - c and c - a b, rounded once where the instruction set can.
template <class V>
TENON_HD V MulAdd(const V& a, const V& b, const V& c) {
  V result = a;
  result.v = a.v * b.v + c.v;
  return result;
}
template <class V>
TENON_HD V MulSub(const V& a, const V& b, const V& c) {
  V result = a;
  result.v = a.v * b.v - c.v;
  return result;
}
template <class V>
TENON_HD V SubMul(const V& c, const V& a, const V& b) {
  V result = a;
  result.v = c.v - a.v * b.v;
  return result;
}

// As many complex numbers as V has lanes.
template <class V>
struct FftPair {
  V re, im;

  TENON_HD friend FftPair operator+(const FftPair& a, const FftPair& b) { return {a.re + b.re, a.im + b.im}; }
  TENON_HD friend FftPair operator-(const FftPair& a, const FftPair& b) { return {a.re - b.re, a.im - b.im}; }
  TENON_HD friend FftPair operator*(const FftPair& a, const FftPair& w) {
    return {MulSub(a.re, w.re, a.im * w.im), MulAdd(a.re, w.im, a.im * w.re)};
  }
};
// a - i b and a + i b.
template <class V>
TENON_HD FftPair<V> MinusI(const FftPair<V>& a, const FftPair<V>& b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V>
TENON_HD FftPair<V> PlusI(const FftPair<V>& a, const FftPair<V>& b) {
  return {a.re - b.im, a.im + b.re};
}
// a + factor b
template <class V>
TENON_HD FftPair<V> AddTimes(const FftPair<V>& a, const V& factor, const FftPair<V>& b) {
  return {MulAdd(factor, b.re, a.re), MulAdd(factor, b.im, a.im)};
}
template <class V>
TENON_HD FftPair<V> SubtractTimes(const FftPair<V>& a, const V& factor, const FftPair<V>& b) {
  return {SubMul(a.re, factor, b.re), SubMul(a.im, factor, b.im)};
}
template <class V>
TENON_HD FftPair<V> RepeatPair(const typename V::value_type* p) {
  return {V::Repeat(p[0]), V::Repeat(p[1])};
}

// Number (of the `width` complex numbers in memory) of the one in a lane after LoadPair: shuffles within 16 bytes take
// half of a lane's neighbours from the first vector and half from the second.
template <class T>
constexpr int FftNumberOfLane(int width, int lane) {
  const int quarter = static_cast<int>(16 / sizeof(T)), half = quarter / 2;
  if (width < quarter) return lane;
  const int place = lane % quarter;
  return lane / quarter * half + (place < half ? place : width / 2 + place - half);
}

#if TENON_DETAIL_LANES
// In every 16 bytes of the result: the elements named of the same 16 bytes of a, then those of b.
template <int... picked, class V, std::size_t... places>
TENON_HD V PickInQuarters(const V& a, const V& b, std::index_sequence<places...>) {
  constexpr int kPicked[] = {picked...}, kEach = static_cast<int>(sizeof...(picked)), kAll = V::size;
  return V(__builtin_shufflevector(a.v, b.v,
                                   (static_cast<int>(places) / kEach * kEach + kPicked[places % kEach] % kEach +
                                    kPicked[places % kEach] / kEach * kAll)...));
}
// The parts of 16 bytes named of a, then those of b.
template <int... picked, class V, std::size_t... places>
TENON_HD V PickQuarters(const V& a, const V& b, std::index_sequence<places...>) {
  constexpr int kQuarters = static_cast<int>(sizeof...(picked)), kEach = V::size / kQuarters, kAll = V::size;
  constexpr int kPicked[] = {picked...};
  return V(__builtin_shufflevector(a.v, b.v,
                                   (kPicked[places / kEach] % kQuarters * kEach + static_cast<int>(places) % kEach +
                                    kPicked[places / kEach] / kQuarters * kAll)...));
}
template <class V>
inline constexpr auto kPlacesOf = std::make_index_sequence<static_cast<std::size_t>(V::size)>();

template <class V>
TENON_HD FftPair<V> LoadPair(const typename V::value_type* p) {
  const V a = V::Load(p), b = V::Load(p + V::size);
  if constexpr (sizeof(typename V::value_type) == 4)
    return {PickInQuarters<0, 2, 4, 6>(a, b, kPlacesOf<V>), PickInQuarters<1, 3, 5, 7>(a, b, kPlacesOf<V>)};
  else
    return {PickInQuarters<0, 2>(a, b, kPlacesOf<V>), PickInQuarters<1, 3>(a, b, kPlacesOf<V>)};
}
template <class V>
TENON_HD void StorePair(const FftPair<V>& x, typename V::value_type* p) {
  if constexpr (sizeof(typename V::value_type) == 4) {
    PickInQuarters<0, 4, 1, 5>(x.re, x.im, kPlacesOf<V>).Store(p);
    PickInQuarters<2, 6, 3, 7>(x.re, x.im, kPlacesOf<V>).Store(p + V::size);
  } else {
    PickInQuarters<0, 2>(x.re, x.im, kPlacesOf<V>).Store(p);
    PickInQuarters<1, 3>(x.re, x.im, kPlacesOf<V>).Store(p + V::size);
  }
}
// The lanes of a LoadPair in the opposite order of their numbers.
template <class V, std::size_t... places>
TENON_HD V TurnedRound(const V& x, std::index_sequence<places...>) {
  constexpr auto kPlace = [](int lane) {  // the lane with number width - 1 - (that of `lane`)
    const int wanted = V::size - 1 - FftNumberOfLane<typename V::value_type>(V::size, lane);
    int found = 0;
    while (FftNumberOfLane<typename V::value_type>(V::size, found) != wanted) ++found;
    return found;
  };
  return V(__builtin_shufflevector(x.v, x.v, kPlace(static_cast<int>(places))...));
}
template <class V>
TENON_HD V TurnedRound(const V& x) {
  return TurnedRound(x, kPlacesOf<V>);
}

// Lane j of row i becomes lane i of row j: first within squares of 16 bytes, then these.
template <class V>
TENON_HD void TransposeSquare(V (&rows)[V::size]) {
  constexpr int kEach = static_cast<int>(16 / sizeof(typename V::value_type)), kQuarters = V::size / kEach;
  constexpr auto kPlaces = kPlacesOf<V>;
#pragma GCC unroll 8
  for (int i = 0; i < V::size; i += kEach) {
    if constexpr (kEach == 4) {
      const V a = PickInQuarters<0, 4, 1, 5>(rows[i], rows[i + 1], kPlaces);
      const V b = PickInQuarters<2, 6, 3, 7>(rows[i], rows[i + 1], kPlaces);
      const V c = PickInQuarters<0, 4, 1, 5>(rows[i + 2], rows[i + 3], kPlaces);
      const V d = PickInQuarters<2, 6, 3, 7>(rows[i + 2], rows[i + 3], kPlaces);
      rows[i] = PickInQuarters<0, 1, 4, 5>(a, c, kPlaces);
      rows[i + 1] = PickInQuarters<2, 3, 6, 7>(a, c, kPlaces);
      rows[i + 2] = PickInQuarters<0, 1, 4, 5>(b, d, kPlaces);
      rows[i + 3] = PickInQuarters<2, 3, 6, 7>(b, d, kPlaces);
    } else {
      const V a = rows[i], b = rows[i + 1];
      rows[i] = PickInQuarters<0, 2>(a, b, kPlaces);
      rows[i + 1] = PickInQuarters<1, 3>(a, b, kPlaces);
    }
  }
#pragma GCC unroll 4
  for (int t = 0; t < kEach; ++t) {
    if constexpr (kQuarters == 2) {
      const V a = rows[t], b = rows[kEach + t];
      rows[t] = PickQuarters<0, 2>(a, b, kPlaces);
      rows[kEach + t] = PickQuarters<1, 3>(a, b, kPlaces);
    } else if constexpr (kQuarters == 4) {
      const V a = PickQuarters<0, 1, 4, 5>(rows[t], rows[kEach + t], kPlaces);
      const V b = PickQuarters<2, 3, 6, 7>(rows[t], rows[kEach + t], kPlaces);
      const V c = PickQuarters<0, 1, 4, 5>(rows[2 * kEach + t], rows[3 * kEach + t], kPlaces);
      const V d = PickQuarters<2, 3, 6, 7>(rows[2 * kEach + t], rows[3 * kEach + t], kPlaces);
      rows[t] = PickQuarters<0, 2, 4, 6>(a, c, kPlaces);
      rows[kEach + t] = PickQuarters<1, 3, 5, 7>(a, c, kPlaces);
      rows[2 * kEach + t] = PickQuarters<0, 2, 4, 6>(b, d, kPlaces);
      rows[3 * kEach + t] = PickQuarters<1, 3, 5, 7>(b, d, kPlaces);
    }
  }
}
#else
template <class V>
TENON_HD FftPair<V> LoadPair(const typename V::value_type* p) {
  return {V::Load(p), V::Load(p + 1)};
}
template <class V>
TENON_HD void StorePair(const FftPair<V>& x, typename V::value_type* p) {
  x.re.Store(p);
  x.im.Store(p + 1);
}
template <class V>
TENON_HD V TurnedRound(const V& x) {
  return x;
}
template <class V>
TENON_HD void TransposeSquare(V (&)[1]) {}
#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
