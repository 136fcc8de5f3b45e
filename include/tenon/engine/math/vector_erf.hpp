// SPDX-License-Identifier: Apache-2.0
#pragma once
// erf, erfc and the inverses of erf and of the normal distribution for simd::Lanes, float and double, by polynomials
// and their quotients: a float is within 0.6 ulp, a double within 2 (erf), 4 (erfc) or 8 ulp (the inverses). Outside of
// their domains they answer as Eigen's do.

#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_inverse_trig.hpp>
#include <tenon/engine/math/vector_float_via_double.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/math/scalar_erf_gamma.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

template <class T>
struct QuantileFit;
template <>
struct QuantileFit<float> {
  double central[5] = {3.3871328718101545, 71.185069574152195, 423.49483754112174, 697.7257215728207,
                       151.81540868492718};
  double central_below[5] = {1, 24.021577070497383, 175.16364626199041, 410.81537747510617, 209.54105129627555};
  double near[5] = {1.4234371112166635, 3.2201573436363606, 2.1643241319256772, 0.53228643293616651,
                    0.039608126238331549};
  double near_below[4] = {1, 1.0625047525202356, 0.33222328994200634, 0.027996307709117284};
  double far[5] = {6.6579046483395041, 3.6206712230538933, 0.66543343039883207, 0.047427315236905514,
                   0.0010217837153530382};
  double far_below[4] = {1, 0.32300132771072115, 0.029928062509359317, 0.00072249206656423192};
};
template <>
struct QuantileFit<double> : tenon::detail::NormalQuantileFit {};

// The standard normal quantile of 1/2 + q, where `tail` is 1/2 - |q|, given apart because it may be tiny, by three
// quotients of polynomials: q times one in 0.180625 - q^2 up to 0.425, then in r - 1.6 and, where kHasFar, from 5 on in
// r - 5, with r = sqrt(-log(tail)). For double, the polynomials are those of NormalQuantile.
template <class T, bool kHasFar, class D>
TENON_HD D Quantile(const D& q, const D& tail) {
  static constexpr QuantileFit<T> kFit{};
  const D square = Fma(-q, q, D(0.180625));
  const typename D::Ints is_central = Abs(q) < D(0.425);
  const D r = Sqrt(-Log(tail));
  const D near = r - D(1.6);
  D above = Polynomial(near, kFit.near), below = Polynomial(near, kFit.near_below);
  if constexpr (kHasFar) {
    const D far = r - D(5);
    const typename D::Ints is_far = r > D(5);
    above = Select(is_far, Polynomial(far, kFit.far), above);
    below = Select(is_far, Polynomial(far, kFit.far_below), below);
  }
  above = Select(is_central, Polynomial(square, kFit.central) * Abs(q), above);
  below = Select(is_central, Polynomial(square, kFit.central_below), below);
  return Odd(Select(tail == D(0), D(kLaneInfinity), above / below), q);
}

struct Ndtri {
  template <class T, class D>
  TENON_HD static D Of(const D& p) {
    return Quantile<T, true>(p - D(0.5), Lesser(p, D(1) - p));
  }
};
struct Erfinv {
  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    constexpr double kRootOfHalf = 0.70710678118654752440;
    return Quantile<T, (sizeof(T) == 8)>(x * D(0.5), (D(1) - Abs(x)) * D(0.5)) * D(kRootOfHalf);
  }
};

// (1 + 2 x) exp(x^2) erfc(x) in (x - middle) / (x + middle), for x from 0 to `most`, where erfc is 0. (M. M. Shepherd
// and J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", 1981.)
template <class T>
struct ErfcFit;
template <>
struct ErfcFit<float> {
  static constexpr double middle = 3, most = 11;
  static constexpr double scaled[] = {1.2530080582782914,      -0.13562110720245929,    -0.047562295795949887,
                                      0.12964521372841134,     -0.11927360070468247,    0.068307246261881602,
                                      -0.023771576926781113,   0.0025337662209283973,   0.0018963667891276012,
                                      -0.00078885541693887024, -0.00012927629940326501, 0.00012339744892969769,
                                      3.1985650987461406e-05};
};
template <>
struct ErfcFit<double> {
  static constexpr double middle = 3.75, most = 28;
  static constexpr double scaled[] = {
      1.2375126308378275819,     -0.14024059858554701851,    0.0035854154854636459335,    0.082276738490151019495,
      -0.10880393014170452126,   0.092304321160199533286,    -0.058693398590624325218,    0.028362277421471711845,
      -0.0097465795465785130266, 0.0017556258331443601858,   0.00029371358642761568215,   -0.00029015398602104812742,
      0.00005164945066027648354, 0.000022383951225349888212, -0.000011445193517136715541, -9.7299927822502483149e-7,
      1.7537644526951393981e-6,  -5.7880773130934316432e-8,  -2.6160325210667058914e-7,   2.3643387039621735024e-8,
      4.134290611446643803e-8,   -3.6925708268030795545e-9,  -6.6529441522192954148e-9,   1.1224415377570664057e-10,
      8.4060634049937301084e-10, 8.100681719294604865e-11,   -3.1083779110987426968e-11};
};

// erf(x) for |x| <= 1.
template <class D>
TENON_HD D SmallErf(const D& x) {
  // (erf(x) / x - 2 / sqrt(pi)) / x^2 in x^2
  constexpr double kSmall[] = {-0.37612638903183596316,     0.11283791670946210398,     -0.026866170643355252027,
                               0.0052239776077412458461,    -0.00085483259951853914548, 0.00012055295292688036581,
                               -0.000014924741589771164287, 1.6447457515417354215e-6,   -1.6208591716139918462e-7,
                               1.372005676060590036e-8,     -7.795195566773674312e-10};
  const D square = x * x;
  return Fma(Polynomial(square, kSmall), square, D(1.12837916709551257390)) * x;
}

struct Erfc {
  // erfc(x) for x >= 0.
  template <class T, class D>
  TENON_HD static D OfPositive(const D& any_x) {
    using Fit = ErfcFit<T>;
    const D x = AtMost(any_x, Fit::most);
    D power;  // exp(-x^2)
    if constexpr (sizeof(T) == 4) {
      power = ExpBelow<T>(-x * x);
    } else {  // x^2 is rounded: exp(-h^2) exp(-(x - h) (x + h)), where h^2 is exact, and the other small
      const D upper = UpperHalf(x), rest = (x - upper) * (x + upper);
      power = ExpBelow<T>(-upper * upper);
      power = power - power * rest * Fma(rest, Fma(rest, D(1.0 / 6), D(-0.5)), D(1));
    }
    const D sum = x + D(Fit::middle), difference = x - D(Fit::middle), scale = Fma(x, D(2), D(1));
    if constexpr (sizeof(T) == 4) {  // one division for both
      const D inverse = D(1) / (sum * scale);
      return Polynomial(difference * scale * inverse, Fit::scaled) * (power * sum * inverse);
    } else {
      return Polynomial(difference / sum, Fit::scaled) * power / scale;
    }
  }
  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    const D magnitude = Abs(x), y = OfPositive<T>(magnitude), large = Select(x < D(0), D(2) - y, y);
    if constexpr (sizeof(T) == 4)
      return large;
    else
      return Select(magnitude < D(0.5), D(1) - SmallErf(x), large);
  }
};

struct Erf {
  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    const D magnitude = Abs(x);
    const D large = WithSignOf(D(1) - Erfc::OfPositive<T>(magnitude), x);
    return Select(magnitude > D(1), large, SmallErf(x));
  }
};

}  // namespace detail

// The x at which the standard normal distribution reaches p; -inf at 0, inf at 1, NaN outside of [0, 1].
template <LaneValue L>
TENON_HD L Ndtri(const L& p) {
  return detail::Evaluate<detail::Ndtri>(p);
}
// The y with erf(y) = x; infinite at -1 and 1, NaN outside.
template <LaneValue L>
TENON_HD L Erfinv(const L& x) {
  return detail::Evaluate<detail::Erfinv>(x);
}
// 1 - erf(x), also where that is tiny.
template <LaneValue L>
TENON_HD L Erfc(const L& x) {
  return detail::Evaluate<detail::Erfc>(x);
}
// erf of doubles; vector_exp_log.hpp has it for floats.
template <LaneValue L>
  requires std::is_same_v<typename L::value_type, double>
TENON_HD L Erf(const L& x) {
  return detail::Evaluate<detail::Erf>(x);
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L Ndtri(const L&);
template <class L>
L Erfinv(const L&);
template <class L>
L Erfc(const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
