// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions for simd::Lanes, float and double: modified Bessel functions, Dawson's integral and the exponential
// integral. All are calculated as doubles by polynomials and their quotients, fitted on two or three intervals (Remez,
// least relative error): to 2e-9 for floats, so that a result is within 0.6 ulp, to 2e-16 for doubles (8 ulp).

#include <tenon/base/config.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_float_via_double.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

// I_order(x), over x where order is 1, in x^2 up to `least_far`; sqrt(x) exp(-x) I_order(x) in scale / x - shift
// beyond.
template <int order, class T>
struct BesselFit;
template <>
struct BesselFit<0, float> {
  static constexpr double least_far = 8, scale = 1, shift = 0;
  static constexpr double near[] = {1.0000000002803935,     0.24999999796376271,    0.015625002163191147,
                                    0.00043402696157761995, 6.7818307131847268e-06, 6.780234915727215e-08,
                                    4.7180000163566928e-10, 2.3721349258573294e-12, 1.0069623273707564e-14,
                                    1.9912875630452471e-17, 1.3566563242933762e-19};
  static constexpr double far[] = {0.3989422803687826,   0.049867823002055923, 0.028043817484533964,
                                   0.029676784258195955, 0.029998105500492363, 0.33887874382200267,
                                   -1.9142914604331882,  8.5437083844031658};
};
template <>
struct BesselFit<1, float> {
  static constexpr double least_far = 8, scale = 1, shift = 0;
  static constexpr double near[] = {0.50000000002998746,    0.062499999822923445,   0.0026041668269026659,
                                    5.4253418986356695e-05, 6.7817703890046151e-07, 5.6506185754412976e-09,
                                    3.3682256029916671e-11, 1.4871170378780487e-13, 5.5253359175276282e-16,
                                    1.0528295941392503e-18, 5.9673456855137028e-21};
  static constexpr double far[] = {0.39894228044421004,   -0.1496034009681417,   -0.046743014177677795,
                                   -0.041438942353061954, -0.040569782704695405, -0.39369394189247953,
                                   2.1534834358561619,    -9.6243761778992702};
};
template <>
struct BesselFit<0, double> {
  static constexpr double least_far = 16, scale = 32, shift = 1;
  static constexpr double near[] = {1.0,
                                    0.24999999999999998993,
                                    0.015625000000000013583,
                                    0.00043402777777777227923,
                                    6.7816840277788325145e-6,
                                    6.7816840277661027924e-8,
                                    4.7095027971510942051e-10,
                                    2.4028075491155301814e-12,
                                    9.3859670048591081842e-15,
                                    2.8969033534978138311e-17,
                                    7.2422592642856131825e-20,
                                    1.4963331556840412438e-22,
                                    2.5978182558548534892e-25,
                                    3.8427500431805029236e-28,
                                    4.902875729052417736e-31,
                                    5.4386437173319019076e-34,
                                    5.3569462558799662819e-37,
                                    4.4499165906536599572e-40,
                                    4.0112190434897800389e-43,
                                    1.3952665088392350253e-46,
                                    3.3089481953562431252e-49,
                                    -1.1039374354895314004e-52,
                                    1.686418170980534986e-55};
  static constexpr double far[] = {0.4005289791871826876,     0.0016160154003827018031,  0.000030355013467490560668,
                                   1.0944942096260005704e-6,  6.0263171294696117892e-8,  4.5697888903486365934e-9,
                                   4.5056197140388726852e-10, 5.5784658346611031669e-11, 8.4769643368246008369e-12,
                                   1.4816608019382932891e-12, 3.09707029925705291e-13,   1.4015739494339675657e-13,
                                   5.0261236636067281624e-14};
};
template <>
struct BesselFit<1, double> {
  static constexpr double least_far = 16, scale = 32, shift = 1;
  static constexpr double near[] = {0.5,
                                    0.062499999999999999798,
                                    0.0026041666666666669389,
                                    0.000054253472222222112062,
                                    6.7816840277779890429e-7,
                                    5.6514033564791434681e-9,
                                    3.363930569350871584e-11,
                                    1.5017547183709237373e-13,
                                    5.2144261086464399016e-16,
                                    1.4484516883197090205e-18,
                                    3.2919358296599146507e-21,
                                    6.234724171040719163e-24,
                                    9.9915800845210549492e-27,
                                    1.3724348564078763456e-29,
                                    1.6341300596359755651e-32,
                                    1.7004372518863055206e-35,
                                    1.5719648343460616852e-38,
                                    1.2478349301587697867e-41,
                                    1.0264901651234469227e-44,
                                    4.0173858679738833452e-48,
                                    7.2121784479985606667e-51,
                                    -1.9905086546655954117e-54,
                                    3.4783467066278302327e-57};
  static constexpr double far[] = {0.39422021340612099474,     -0.0047703982909135440182,  -0.000049766991026145262127,
                                   -1.5068432529067757125e-6,  -7.6168571481549442858e-8,  -5.4886421679923344248e-9,
                                   -5.2305422282187767473e-10, -6.3195267766420093575e-11, -9.4275127827338493031e-12,
                                   -1.6268758331223277223e-12, -3.3570422271581114309e-13, -1.4940709293185577449e-13,
                                   -5.3424198832850844958e-14};
};

// I_order(x), or exp(-|x|) times that.
template <int order, bool is_scaled>
struct BesselI {
  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    using Fit = BesselFit<order, T>;
    const D magnitude = Abs(x), inverse = D(1) / magnitude;
    D near = Polynomial(magnitude * magnitude, Fit::near);
    if constexpr (order == 1) near = near * magnitude;
    D far = Polynomial(Shifted(inverse, Fit::scale, Fit::shift), Fit::far) * Sqrt(inverse);
    if constexpr (is_scaled)
      near = near * ExpBelow<T>(-magnitude);
    else
      far = far * Exp(magnitude);
    D y = Select(magnitude > D(Fit::least_far), far, near);
    if constexpr (!is_scaled) y = Select(magnitude > D(kLargestLog<T>), y + D(kLaneInfinity), y);  // NaN at infinity
    if constexpr (order == 1) y = Odd(y, x);
    return y;
  }
};

// The integral over x: (1 + x^2 near(near_scale x^2 - near_shift)) / near_below(x^2) up to 4; times x: far(far_scale /
// x^2 - far_shift) beyond.
template <class T>
struct DawsonFit;
template <>
struct DawsonFit<float> {
  static constexpr double near_scale = 1, near_shift = 0, far_scale = 1, far_shift = 0;
  static constexpr double near[] = {-0.03233528901682696,   0.036651385764453051,   0.0014749259513757642,
                                    0.00030440158994549625, 1.6323759906073453e-05, 9.86177926515054e-07};
  static constexpr double near_below[] = {0.99999999805580475,    0.63433147077447027,   0.19287160251666854,
                                          0.037093880638712613,   0.0049957684243900962, 0.00049306973268204682,
                                          3.3956251306027479e-05, 1.949148132630964e-06};
  static constexpr double far[] = {0.50000000046085447, 0.24999953945017125, 0.3750596539229778, 0.93853587447471643,
                                   2.8019613743402694,  41.378380650371938,  -521.0718209868561, 5815.5201066633153};
};
template <>
struct DawsonFit<double> {
  static constexpr double near_scale = 0.125, near_shift = 1, far_scale = 32, far_shift = 1;
  static constexpr double near[] = {
      0.018648032150869847893,    -0.041958157526562501379,    0.071096069807494402786,   -0.10470230415581513008,
      0.13760518100026651463,     -0.16212938038893304808,     0.17164437967294706241,    -0.16389719066550120841,
      0.141872950405262044,       -0.11196687952231261919,     0.081029437883979309492,   -0.054069591171543676898,
      0.033438384537765932265,    -0.019255547605829860566,    0.010368948802268754128,   -0.0052415237279908302301,
      0.0024959759784652470136,   -0.0011231822209042573973,   0.00047899938918579226539, -0.00019413562566804599258,
      0.000074955587460144189835, -0.000027584528719622120718, 9.6916471470967058112e-6,  -3.3001763684730797929e-6,
      1.0950386634305469501e-6,   -3.2582158271519453988e-7,   8.3369856962742282892e-8,  -2.921649869204611753e-8,
      1.2963691501571568027e-8,   -2.7437782245458154618e-9};
  static constexpr double near_below[] = {1, 2};
  static constexpr double far[] = {
      0.5082109864490417618,     0.0086460731448144640865, 0.00047683227375673026231, 0.000047925937140677409491,
      7.507678019922663604e-6,   1.7379271835959965049e-6, 5.9681607583837406885e-7,  2.9709604481274217447e-7,
      1.6497217688081607579e-7,  3.612220901333009804e-8,  -9.145585102792185634e-8,  -1.2472009289131342099e-7,
      -1.8421871712635865929e-8, 9.2868920249014462305e-8, 5.123288845336362006e-8,   -5.663580076568500749e-8,
      -4.6772162807721487275e-8, 3.0766037446890731589e-8, 2.9790042982099656301e-8,  -1.3360029309791733741e-8,
      -1.3337424913858964388e-8, 3.8573510066205427955e-9, 3.7340791096956908264e-9,  -5.317680946466552896e-10,
      -4.8676098619947770536e-10};
};

// exp(-x^2) times the integral of exp(t^2) from 0 to x.
struct Dawson {
  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    using Fit = DawsonFit<T>;
    const D magnitude = Abs(x), square = magnitude * magnitude;
    const typename D::Ints is_far = magnitude > D(4);
    const D near =
        Fma(Polynomial(Shifted(square, Fit::near_scale, Fit::near_shift), Fit::near), square, D(1)) * magnitude;
    const D far = Polynomial(Shifted(D(1) / square, Fit::far_scale, Fit::far_shift), Fit::far);
    const D below = Select(is_far, magnitude, Polynomial(square, Fit::near_below));
    return Odd(Select(is_far, far, near) / below, x);
  }
};

// (Ei(x) - log(x / root)) / (x - root) in x up to `least_far`; x exp(-x) Ei(x) = far / far_below in scale / x - shift
// beyond.
template <class T>
struct ExpintFit;
template <>
struct ExpintFit<float> {
  static constexpr double least_far = 8, scale = 1, shift = 0;
  static constexpr double near[] = {1.1014081071650155,      0.27223102668690297,     0.05968054247840783,
                                    0.011067393577717783,    0.0017651600984888336,   0.00023196854942955511,
                                    3.8267654827045626e-05,  -1.6739270626883092e-06, 2.2254243637748787e-06,
                                    -4.9676587659958809e-07, 1.0424350170663748e-07,  -1.3533670791226529e-08,
                                    1.2410942107639886e-09,  -6.6120966218554122e-11, 1.8053935433779467e-12};
  static constexpr double far[] = {0.99999999929041716, -45.041553308708863, 947.83358907279899, -11185.797537315008,
                                   79135.890175041466,  -318796.17936061346, 642155.39935424563, -275000.61283457704};
  static constexpr double far_below[] = {1,
                                         -46.041554379393098,
                                         991.87545272148429,
                                         -12091.625554998534,
                                         89498.048978430554,
                                         -389137.82859488938,
                                         906708.5664584398,
                                         -743933.15438677138};
};
template <>
struct ExpintFit<double> {
  static constexpr double least_far = 12, scale = 24, shift = 1;
  static constexpr double near[] = {
      1.1014081059037334222,     0.27223110995569484854,     0.059679644786297147271,    0.011071160227621269814,
      0.0017569947390135011761,  0.00024248664482668461181,  0.000029543475929614230259, 3.2182016401438581566e-6,
      3.1678397771190882627e-7,  2.8429565049193020322e-8,   2.3447114558954233188e-9,   1.7828694852631623025e-10,
      1.2858824618682711408e-11, 7.6314454194244213643e-13,  7.6506039371573081932e-14,  -3.4757144576846260254e-15,
      1.6228528305381880584e-15, -2.6160018547107570388e-16, 4.2424905211993225455e-17,  -5.410128651647988381e-18,
      5.8396548242875496918e-19, -5.1542507396091759867e-20, 3.7242434947329681604e-21,  -2.1569422847205747492e-22,
      9.8202402235805739097e-24, -3.3853309639117854892e-25, 8.3617301976142115259e-27,  -1.3238851188815968805e-28,
      1.0348697400658873276e-30};
  static constexpr double far[] = {
      1.0456658121249737539,       0.050313678874394363583,     0.0054607221187299209041,   0.0010421208361114563451,
      0.00033347195799401540954,   0.00016671918001608716329,   0.000083331805838833143344, -0.000011951486884553365504,
      -0.000086364482106915684846, -0.000056559351609236434982, 0.000049487508452345303145, 0.000065014960425587487352,
      -0.000040214689738381247333, -0.000057566823663255194419, 0.000050952423965851525216, 0.000039647158004718005784,
      -0.000069413000967537960397, -9.9478895619583724707e-6,   0.000082170353342108936027, -0.000024597115549427861946,
      -0.000078530289086374186768, 0.00004825508372030167946,   0.000058157898040520342237, -0.00004950794020949106629,
      -0.000031946790589378510108, 0.000033077942294043875278,  0.000012203361546472278534, -0.000014410232207370043103,
      -2.8850170640705923646e-6,   3.7391072431264832837e-6,    3.1717004851563672191e-7,   -4.3984914486579573318e-7};
  static constexpr double far_below[] = {1};
};

// Ei(x), which is 0 at `root`.
struct ExponentialIntegral {
  static constexpr double root = 0.372507410781366634462, root_upper = 0.37250740826129913,
                          root_lower = 2.5200675011612106e-09, root_rest = 1.3140183414386028e-17;

  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    using Fit = ExpintFit<T>;
    const D inverse = D(1) / x;
    // log(x / root) from the rounded quotient, and near the root its rounding error: (x - quotient root) / x.
    const D quotient = x * D(1 / root);
    D log = Log(quotient);
    if constexpr (sizeof(T) == 8) {
      const D upper = D::FromBits(quotient.Bits() & typename D::Ints(-0x8000000)), lower = quotient - upper;
      const D lost = ((x - upper * D(root_upper)) - lower * D(root_upper)) - quotient * D(root_lower);
      log = log + Select(x > D(0.1), lost * inverse, D(0));
    }
    const D small = Fma(Polynomial(x, Fit::near), (x - D(root)) - D(root_rest), log);
    const D u = Shifted(inverse, Fit::scale, Fit::shift);
    const D large = Exp(x) * inverse * Polynomial(u, Fit::far) / Polynomial(u, Fit::far_below);
    // The logarithm gives the results at 0 and below; `large` is NaN at infinity.
    return Select(x > D(Fit::least_far), Select(x > D(kLargestLog<T>), large + D(kLaneInfinity), large), small);
  }
};

}  // namespace detail

template <LaneValue L>
TENON_HD L BesselI0(const L& x) {
  return detail::Evaluate<detail::BesselI<0, false>>(x);
}
template <LaneValue L>
TENON_HD L BesselI1(const L& x) {
  return detail::Evaluate<detail::BesselI<1, false>>(x);
}
// exp(-|x|) I0(x), exp(-|x|) I1(x).
template <LaneValue L>
TENON_HD L BesselI0e(const L& x) {
  return detail::Evaluate<detail::BesselI<0, true>>(x);
}
template <LaneValue L>
TENON_HD L BesselI1e(const L& x) {
  return detail::Evaluate<detail::BesselI<1, true>>(x);
}
template <LaneValue L>
TENON_HD L Dawsn(const L& x) {
  return detail::Evaluate<detail::Dawson>(x);
}
template <LaneValue L>
TENON_HD L Expint(const L& x) {
  return detail::Evaluate<detail::ExponentialIntegral>(x);
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L BesselI0(const L&);
template <class L>
L BesselI1(const L&);
template <class L>
L BesselI0e(const L&);
template <class L>
L BesselI1e(const L&);
template <class L>
L Dawsn(const L&);
template <class L>
L Expint(const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
