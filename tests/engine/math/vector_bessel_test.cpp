// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has. Floats against the double series of higher_functions.hpp;
// doubles against values of mpmath with 40 digits.
#include <tenon/engine/math/vector_bessel.hpp>

#include <tenon/engine/math/scalar_bessel_zeta.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/lane_math_support.hpp"
#include "sanitizers.hpp"

namespace lane_special_test {
namespace {

#if TENON_DETAIL_LANES

using lane_math::FloatsAreWithin;
using lane_math::Level;
using lane_math::Worst;
using tenon::testing::RunAt;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Infinite where exp(|x|) of a finite x is for floats.
double Overflowing(double x, double y) {
  return std::fabs(x) > 88.72284 && std::fabs(x) < kInfinity ? std::copysign(kInfinity, y) : y;
}
TENON_TEST_LANE_FUNCTION(BesselI0, Overflowing(x, tenon::BesselI0(x)));
TENON_TEST_LANE_FUNCTION(BesselI1, Overflowing(x, tenon::BesselI1(x)));
TENON_TEST_LANE_FUNCTION(BesselI0e, tenon::BesselI0e(x));
TENON_TEST_LANE_FUNCTION(BesselI1e, tenon::BesselI1e(x));
TENON_TEST_LANE_FUNCTION(Dawsn, tenon::Dawsn(x));
TENON_TEST_LANE_FUNCTION(Expint, x > 0 ? Overflowing(x, tenon::Expint(x)) : tenon::Expint(x));
struct Value {
  double x;
  long double y;
};

template <class Op>
void CheckDouble(double most_ulp, const std::vector<Value>& values) {
  std::vector<double> x, y(values.size());
  for (const Value& value : values) x.push_back(value.x);
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    if (!RunAt<Op, double>(level, x.data(), y.data(), static_cast<tenon::Index>(x.size()))) continue;
    Worst worst;
    for (std::size_t i = 0; i < x.size(); ++i) worst.See(x[i], y[i], values[i].y);
    INFO(std::string(Op::name), " level ", static_cast<int>(level), ": ", worst.error, " ulp at ", worst.at, ", got ",
         worst.got);
    CHECK(worst.error <= most_ulp);
  }
}

TEST_SUITE("lane_special") {
  TEST_CASE("float, every pattern of a sample") {
    CHECK(FloatsAreWithin<BesselI1e>(0.6, 4));
    CHECK(FloatsAreWithin<Expint>(0.6, 4));
#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
    CHECK(FloatsAreWithin<BesselI0>(0.6, 4));
    CHECK(FloatsAreWithin<BesselI1>(0.6, 4));
    CHECK(FloatsAreWithin<BesselI0e>(0.6, 4));
    CHECK(FloatsAreWithin<Dawsn>(0.6, 4));
#endif
  }
  TEST_CASE("double, values of mpmath") {
    CheckDouble<BesselI0e>(8, {{0.0, 1.0L},
                               {-0.5, 0.645035270449150068108L},
                               {1e-09, 0.99999999900000000075L},
                               {3.1, 0.2385126186893657615392L},
                               {15.99, 0.1005760877290956822303L},
                               {16.0, 0.1005441273612520189538L},
                               {16.01, 0.1005121974608460783358L},
                               {250.0, 0.02524396938705475363319L},
                               {4.766913, 0.1882819793291560615832L},
                               {10.889142, 0.1223639223569492863653L},
                               {7.405404, 0.1492974663850872105522L},
                               {12.082362, 0.1160196891203482158612L},
                               {12.518149, 0.1139374401769643652181L},
                               {1.319922, 0.3968157921277385591676L},
                               {0.273228, 0.7751870064817303625874L},
                               {16.751007, 0.09822766196109313803967L},
                               {5.194487, 0.1798508277871114739386L},
                               {kInfinity, 0},
                               {NAN, NAN}});
    CheckDouble<BesselI1e>(8, {{0.0, 0L},
                               {-0.5, -0.1564208031848716971426L},
                               {1e-09, 4.999999995000000314533e-10L},
                               {3.1, 0.1948921309206799620894L},
                               {15.99, 0.09737852595655032112947L},
                               {16.0, 0.09734961475646808249284L},
                               {16.01, 0.09732072917764627747245L},
                               {250.0, 0.02519343075711730526169L},
                               {4.694276, 0.168153135304883397235L},
                               {19.91294, 0.08768972859819541968046L},
                               {9.410568, 0.1246741372667880065404L},
                               {16.730864, 0.09530360313651543990487L},
                               {9.532301, 0.1239463608774520708178L},
                               {12.784972, 0.1082145015984948618126L},
                               {3.020822, 0.1964223896449777308368L},
                               {12.700865, 0.108549276850492725642L},
                               {17.362226, 0.09363588802346948319392L},
                               {-kInfinity, -0.0L},
                               {-0.0, 0.0L},
                               {NAN, NAN}});
    CheckDouble<BesselI0>(8, {{0.0, 1.0L},
                              {-0.5, 1.063483370741323519263L},
                              {1e-09, 1.00000000000000000025L},
                              {3.1, 5.294491489675606857568L},
                              {15.99, 8.848374668963992503399e+5L},
                              {16.01, 9.021389276072295961787e+5L},
                              {709.0, 1.231547706701654063253e+306L},
                              {10.468392, 4393.36949895509481979L},
                              {14.827625, 2.875572880632704217624e+5L},
                              {13.431515, 7.486621962593053987328e+4L},
                              {1.289988, 1.46133773512696016912L},
                              {15.167023, 3.991357466648698423171e+5L},
                              {11.826081, 1.604337501101857756698e+4L},
                              {6.032341, 69.24838566935767430752L},
                              {0.629925, 1.101688891035632388652L},
                              {17.311889, 3.187337770180515348356e+6L},
                              {710, kInfinity},
                              {kInfinity, NAN},
                              {NAN, NAN}});
    CheckDouble<BesselI1>(8, {{0.0, 0L},
                              {-0.5, -0.2578943053908963163625L},
                              {1e-09, 5.000000000000000312033e-10L},
                              {3.1, 4.32620602731359873345L},
                              {15.99, 8.567063024919470552674e+5L},
                              {16.01, 8.734941675956906069542e+5L},
                              {-709.0, -1.230678889652478575362e+306L},
                              {9.460254, 1596.87600422742876616L},
                              {14.37929, 1.799456489820311769637e+5L},
                              {17.577468, 4.005771981361991354825e+6L},
                              {14.285448, 1.643341944925523321034e+5L},
                              {18.422762, 9.121036538945935158229e+6L},
                              {7.905318, 365.684493904375347258L},
                              {16.020166, 8.821533802652313523621e+5L},
                              {8.897975, 935.7385963978992729037L},
                              {18.712379, 1.209430441972129994279e+7L},
                              {-710, -kInfinity},
                              {kInfinity, NAN},
                              {NAN, NAN}});
    CheckDouble<Dawsn>(8, {{0.0, 0L},
                           {-0.5, -0.424436383502022295934L},
                           {1e-09, 1.000000000000000061615e-9L},
                           {0.92413887300459, 0.5410442246351816984728L},
                           {1.28, 0.4884719571827667750117L},
                           {3.99, 0.1296968230601469030961L},
                           {4.0, 0.1293480012360051155915L},
                           {4.01, 0.1290011370381302423214L},
                           {20.0, 0.02503136792640367194699L},
                           {300.0, 1.666675926080251200441e-3L},
                           {17.578545, 0.02849001480194213399746L},
                           {1.958112, 0.3101350078463826539975L},
                           {2.728018, 0.199811144350551166066L},
                           {4.347569, 0.1183304439952671936114L},
                           {19.309948, 0.02592825123212343722684L},
                           {8.728876, 0.05766469214160514391839L},
                           {12.536699, 0.04001101679270631985435L},
                           {6.027514, 0.08414530509442647072613L},
                           {10.149787, 0.04950478064874533893378L},
                           {kInfinity, 0},
                           {-kInfinity, -0.0L},
                           {-0.0, 0.0L},
                           {NAN, NAN}});
    CheckDouble<Expint>(8, {{1e-310, -713.22416316325263224L},
                            {1e-09, -20.14605017104487823302L},
                            {0.3, -0.3026685392658259344229L},
                            {0.372, -1.977827624334297924476e-3L},
                            {0.3725074, -4.200653074036148562968e-8L},
                            {0.3726, 3.607194431577577975916e-4L},
                            {0.5, 0.4542199048631735799205L},
                            {2.0, 4.95423435600189016338L},
                            {11.99, 1.482452339574657271666e+4L},
                            {12.0, 1.495953266639752885229e+4L},
                            {12.01, 1.509578521172479664969e+4L},
                            {100.0, 2.715552744853879821914e+41L},
                            {709.0, 1.16079433665726360248e+305L},
                            {7.723467, 348.8396338758206615193L},
                            {7.024701, 195.4157124699283520624L},
                            {11.705631, 1.146001719652811014042e+4L},
                            {11.689193, 1.129101793821832388533e+4L},
                            {18.084993, 4.200724175688838929255e+6L},
                            {13.642823, 6.707747194847882190386e+4L},
                            {18.579623, 6.693292101275525544529e+6L},
                            {17.129447, 1.712241887413816618598e+6L},
                            {19.819883, 2.159965573724231449724e+7L},
                            {0, -kInfinity},
                            {-1, NAN},
                            {710, kInfinity},
                            {kInfinity, NAN},
                            {-kInfinity, NAN},
                            {NAN, NAN}});
  }
}

#endif

}  // namespace
}  // namespace lane_special_test
