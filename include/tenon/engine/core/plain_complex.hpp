// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlainComplex: a complex number with arithmetic that a GPU can call, in the memory layout of std::complex.

#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/types/complex.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class Real>
struct PlainComplex {
  using value_type = Real;
  Real real, imaginary;

  PlainComplex() = default;
  TENON_HD constexpr explicit PlainComplex(Real re, Real im = Real(0)) : real(re), imaginary(im) {}

  TENON_HD friend constexpr PlainComplex operator+(const PlainComplex& a, const PlainComplex& b) {
    return PlainComplex(a.real + b.real, a.imaginary + b.imaginary);
  }
  TENON_HD friend constexpr PlainComplex operator*(const PlainComplex& a, const PlainComplex& b) {
    return PlainComplex(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real);
  }
  TENON_HD friend constexpr PlainComplex operator/(const PlainComplex& a, Real b) {
    return PlainComplex(a.real / b, a.imaginary / b);
  }
  TENON_HD friend constexpr bool operator==(const PlainComplex& a, const PlainComplex& b) {
    return a.real == b.real && a.imaginary == b.imaginary;
  }
};
static_assert(sizeof(PlainComplex<float>) == sizeof(complex64) && sizeof(PlainComplex<double>) == sizeof(complex128));

template <class T>
struct GpuElementOf {
  using type = T;
};
template <>
struct GpuElementOf<complex64> {
  using type = PlainComplex<float>;
};
template <>
struct GpuElementOf<complex128> {
  using type = PlainComplex<double>;
};
// The type that a GPU computes with in place of T.
template <class T>
using GpuElement = typename GpuElementOf<T>::type;

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
