// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions for simd::Lanes, float and double: modified Bessel functions, Dawson's integral, the exponential
// integral, erfc, and the inverses of erf and of the normal distribution. All are calculated as doubles by polynomials
// and their quotients, fitted on two or three intervals (Remez, of the relative error): to 2e-9 for floats, so that a
// result is within 0.6 ulp, to 2e-16 for doubles (8 ulp; erf 2, erfc 4). Outside of their domains they answer as
// Eigen's do.

#include <cmath>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/engine/lane_math.hpp>
#include <tenon/engine/lane_math_inverse.hpp>
#include <tenon/engine/lanes.hpp>

TENON_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

// The vector of doubles that is as long as L's.
template <class L>
struct DoublesOf;
template <class T, int bytes>
struct DoublesOf<Lanes<T, bytes>> {
  using type = Lanes<double, bytes>;
};
template <class L>
struct DoublesOf<Pair<L>> : DoublesOf<L> {};

template <int bytes>
TENON_HD void LoadWide(const double* p, Lanes<double, bytes>* x) {
  *x = Lanes<double, bytes>::Load(p);
}
template <int bytes>
TENON_HD void LoadWide(const float* p, Lanes<double, bytes>* x) {
  const auto narrow = Lanes<float, bytes / 2>::Load(p);
  x->v = __builtin_convertvector(narrow.v, typename Lanes<double, bytes>::Vector);
}
template <int bytes>
TENON_HD void StoreNarrow(const Lanes<double, bytes>& x, double* p) {
  x.Store(p);
}
template <int bytes>
TENON_HD void StoreNarrow(const Lanes<double, bytes>& x, float* p) {
  const Lanes<float, bytes / 2> narrow(__builtin_convertvector(x.v, typename Lanes<float, bytes / 2>::Vector));
  narrow.Store(p);
}

// Function::Of<T>(x), computed as doubles: one vector after the other, so that the function is there once.
template <class Function, class L>
TENON_HD L Evaluate(const L& x) {
  using T = typename L::value_type;
  using D = typename DoublesOf<L>::type;
  T values[L::size];
  x.Store(values);
  for (int i = 0; i < L::size; i += D::size) {
    D wide;
    LoadWide(values + i, &wide);
    StoreNarrow(Function::template Of<T>(wide), values + i);
  }
  return L::Load(values);
}

inline constexpr double kLaneInfinity = std::numeric_limits<double>::infinity();
template <class T>
inline constexpr double kLargestLog = 709.782712893383996;  // exp of more is infinite in T
template <>
inline constexpr double kLargestLog<float> = 88.7228393554687500;

// exp(x) for x <= 0: for floats with a relative error of 4e-11.
template <class T, class D>
TENON_HD D ExpBelow(const D& x) {
  if constexpr (sizeof(T) == 8) return Exp(x);
  using C = Constants<double>;
  constexpr double kExp[] = {0.99999999996163214,   1.0000000002431817,    0.50000001045886278,
                             0.16666665126195856,   0.041666225309047691,  0.0083335610336898267,
                             0.0013948190045369653, 0.00019775212660305715};
  const D clamped = Greater(D(C::least_normal_exp), x), round(C::round + C::bias);
  const D rounded = Fma(clamped, D(C::log2_e), round), whole = rounded - round;
  const D r = Fma(whole, D(-0.69314718055994530942), clamped);
  return Polynomial(r, kExp) * D::FromBits(rounded.Bits() << C::fraction_bits);
}

// x scale - shift: for polynomials in [-1, 1], which lose nothing to opposite signs.
template <class D>
TENON_HD D Shifted(const D& x, double scale, double shift) {
  return Fma(x, D(scale), D(-shift));
}

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
    if constexpr (order == 1) y = WithSignOf(y, x);
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
    return WithSignOf(Select(is_far, far, near) / below, x);
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
    // log(x / root) from the rounded quotient, and near the root what it has lost: (x - quotient root) / x.
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
    // The logarithm has what is to be at 0 and below; what is large is NaN at infinity.
    return Select(x > D(Fit::least_far), Select(x > D(kLargestLog<T>), large + D(kLaneInfinity), large), small);
  }
};

template <class T>
struct QuantileFit;
template <>
struct QuantileFit<float> {
  static constexpr double central[] = {3.3871328718101545, 71.185069574152195, 423.49483754112174, 697.7257215728207,
                                       151.81540868492718};
  static constexpr double central_below[] = {1, 24.021577070497383, 175.16364626199041, 410.81537747510617,
                                             209.54105129627555};
  static constexpr double near[] = {1.4234371112166635, 3.2201573436363606, 2.1643241319256772, 0.53228643293616651,
                                    0.039608126238331549};
  static constexpr double near_below[] = {1, 1.0625047525202356, 0.33222328994200634, 0.027996307709117284};
  static constexpr double far[] = {6.6579046483395041, 3.6206712230538933, 0.66543343039883207, 0.047427315236905514,
                                   0.0010217837153530382};
  static constexpr double far_below[] = {1, 0.32300132771072115, 0.029928062509359317, 0.00072249206656423192};
};
template <>
struct QuantileFit<double> {
  static constexpr double central[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double central_below[] = {1.0,
                                             4.2313330701600911252e+1,
                                             6.8718700749205790830e+2,
                                             5.3941960214247511077e+3,
                                             2.1213794301586595867e+4,
                                             3.9307895800092710610e+4,
                                             2.8729085735721942674e+4,
                                             5.2264952788528545610e+3};
  static constexpr double near[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                    3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                    2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double near_below[] = {1.0,
                                          2.05319162663775882187e0,
                                          1.67638483018380384940e0,
                                          6.89767334985100004550e-1,
                                          1.48103976427480074590e-1,
                                          1.51986665636164571966e-2,
                                          5.47593808499534494600e-4,
                                          1.05075007164441684324e-9};
  static constexpr double far[] = {6.6579046435011033367,     5.5627706714279216982,     1.8637821799618994323,
                                   0.32142640717966391994,    0.030469407982054011463,   0.0015724954164045795799,
                                   4.1186020010216108176e-05, 4.6843148950596821706e-07, 1.6029639965782638411e-09};
  static constexpr double far_below[] = {1,
                                         0.61469961087661761923,
                                         0.1455058805356654883,
                                         0.016735845192838397222,
                                         0.00097541811647680338581,
                                         2.7499509965769491665e-05,
                                         3.2556475597823422342e-07,
                                         1.1334661016400652829e-09};
};

// The standard normal quantile of 1/2 + q, where `tail` is 1/2 - |q|, given apart because it may be tiny, by three
// quotients of polynomials: q times one in 0.180625 - q^2 up to 0.425, then in r - 1.6 and, where kHasFar, from 5 on in
// r - 5, with r = sqrt(-log(tail)). The middle two for double: M. J. Wichura, "Algorithm AS 241", Applied Statistics 37
// (1988), routine PPND16.
template <class T, bool kHasFar, class D>
TENON_HD D Quantile(const D& q, const D& tail) {
  using Fit = QuantileFit<T>;
  const D square = Fma(-q, q, D(0.180625));
  const typename D::Ints is_central = Abs(q) < D(0.425);
  const D r = Sqrt(-Log(tail));
  const D near = r - D(1.6);
  D above = Polynomial(near, Fit::near), below = Polynomial(near, Fit::near_below);
  if constexpr (kHasFar) {
    const D far = r - D(5);
    const typename D::Ints is_far = r > D(5);
    above = Select(is_far, Polynomial(far, Fit::far), above);
    below = Select(is_far, Polynomial(far, Fit::far_below), below);
  }
  above = Select(is_central, Polynomial(square, Fit::central) * Abs(q), above);
  below = Select(is_central, Polynomial(square, Fit::central_below), below);
  return WithSignOf(Select(tail == D(0), D(kLaneInfinity), above / below), q);
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
// Of doubles; lane_math.hpp has it for floats.
template <LaneValue L>
  requires std::is_same_v<typename L::value_type, double>
TENON_HD L Erf(const L& x) {
  return detail::Evaluate<detail::Erf>(x);
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
template <class L>
L Ndtri(const L&);
template <class L>
L Erfinv(const L&);
template <class L>
L Erfc(const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_NAMESPACE_END
