// SPDX-License-Identifier: Apache-2.0
#pragma once
// sinh and cosh for simd::Lanes, float and double: at most 2 ulp from the true value with and without fused
// multiplication, for every argument: infinities, NaN, zeros with their sign.

#include <tenon/base/config.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

// Below 1, the power series: 1 / 3!, 1 / 5!, ... What is left out is at most 2e-10 and 2e-20 of it.
template <class T>
struct SinhConstants;
template <>
struct SinhConstants<float> {
  static constexpr float series[] = {1.f / 6, 1.f / 120, 1.f / 5040, 1.f / 362880, 1.f / 39916800};
};
template <>
struct SinhConstants<double> {
  static constexpr double series[] = {1.0 / 6,
                                      1.0 / 120,
                                      1.0 / 5040,
                                      1.0 / 362880,
                                      1.0 / 39916800,
                                      1.0 / 6227020800,
                                      1.0 / 1307674368000,
                                      1.0 / 355687428096000,
                                      1.0 / 121645100408832000};
};

// exp(x) / 2 for x >= 0, also where exp(x) has no room.
template <class L>
TENON_HD L HalfExp(const L& x) {
  using T = typename L::value_type;
  const Reduced<L> p(AtMost(x, sizeof(T) == 4 ? T(91) : T(712)));  // infinite from there on
  return p.Scale(Fma(SmallExpm1(p.r), L(T(0.5)), L(T(0.5))));
}

}  // namespace detail

template <LaneValue L>
TENON_HD L Cosh(const L& x) {
  const L half = detail::HalfExp(detail::Abs(x));
  return half + L(typename L::value_type(0.25)) / half;
}

template <LaneValue L>
TENON_HD L Sinh(const L& x) {
  using T = typename L::value_type;
  const L magnitude = detail::Abs(x), half = detail::HalfExp(magnitude);
  const L large = detail::WithSignOf(half - L(T(0.25)) / half, x);
  const L square = x * x, small = Fma(Polynomial(square, detail::SinhConstants<T>::series) * square, x, x);
  return Select(magnitude < L(T(1)), small, large);
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L Cosh(const L&);
template <class L>
L Sinh(const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
