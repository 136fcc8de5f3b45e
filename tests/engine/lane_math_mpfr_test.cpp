// SPDX-License-Identifier: Apache-2.0
// The functions against MPFR (Debian's libmpfr-dev) with 200 bits: the references of lane_math_test.cpp are the
// platform's own library, and only as good as that.
#include <tenon/engine/math/vector_exp_log.hpp>

#if TENON_DETAIL_LANES && defined(TENON_TEST_MPFR)

#include <doctest/doctest.h>
#include <mpfr.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "lane_math_support.hpp"
#include "sanitizers.hpp"

namespace lane_math_mpfr_test {
using namespace lane_math;
namespace {

class Exact {
 public:
  explicit Exact(double x) {
    mpfr_init2(value_, 200);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  // To 64 bits, 2^-11 of a double's last place.
  long double Value() const { return mpfr_get_ld(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

template <class Op>
long double Wanted(double at) {
  Exact exact(at);
  const mpfr_ptr x = exact.get();
  if constexpr (std::is_same_v<Op, Exp>) mpfr_exp(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Expm1>) mpfr_expm1(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Log>) mpfr_log(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Log1p>) mpfr_log1p(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Tanh>) mpfr_tanh(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Erf>) mpfr_erf(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Sin>) mpfr_sin(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Cos>) mpfr_cos(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Sqrt>) mpfr_sqrt(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Rsqrt>) mpfr_rec_sqrt(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Atan>) mpfr_atan(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Asin>) mpfr_asin(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Acos>) mpfr_acos(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Atanh>) mpfr_atanh(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Asinh>) mpfr_asinh(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Acosh>) mpfr_acosh(x, x, MPFR_RNDN);
  if constexpr (std::is_same_v<Op, Sigmoid>) {  // 1 / (1 + exp(-x))
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_ui_div(x, 1, x, MPFR_RNDN);
  }
  if constexpr (std::is_same_v<Op, Softplus>) {  // log(1 + exp(x)), which is x where exp(x) has no room
    if (at > 200) return static_cast<long double>(at);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_log1p(x, x, MPFR_RNDN);
  }
  if (std::is_same_v<Op, Rsqrt> && at == 0) return std::copysign(HUGE_VALL, static_cast<long double>(at));
  return exact.Value();
}

template <class Op, class T>
void Check(double most_ulp) {
  std::vector<T> x;
  for (const double at : DoublesBelowTwo()) {
    if (std::isnan(at) || std::fabs(at) <= static_cast<double>(std::numeric_limits<T>::max()) || std::isinf(at))
      x.push_back(static_cast<T>(at));
  }
  std::vector<long double> wanted;
  for (const T at : x) wanted.push_back(Wanted<Op>(static_cast<double>(at)));
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    std::vector<T> y(x.size());
    if (!RunAt<Op, T>(level, x.data(), y.data(), static_cast<Index>(x.size()))) continue;
    Worst worst;
    for (std::size_t i = 0; i < x.size(); ++i) worst.See(x[i], y[i], wanted[i]);
    INFO(std::string(Op::name), " level ", static_cast<int>(level), ": ", worst.error, " ulp at ", worst.at, ", got ",
         worst.got);
    CHECK(worst.error <= most_ulp);
  }
}

}  // namespace

TEST_SUITE("lane_math, MPFR") {
  TEST_CASE_TEMPLATE("random numbers and the special ones", T, float, double) {
    Check<Exp, T>(1.01);
    Check<Log, T>(1);
    Check<Sqrt, T>(0.501);
    Check<Rsqrt, T>(2);
#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
    Check<Expm1, T>(2);
    Check<Log1p, T>(2);
    Check<Tanh, T>(2);
    Check<Sigmoid, T>(2);
    Check<Softplus, T>(2);
    Check<Sin, T>(2);
    Check<Cos, T>(2);
    Check<Atan, T>(2);
    Check<Asin, T>(2);
    Check<Acos, T>(2);
    Check<Atanh, T>(2);
    Check<Asinh, T>(2);
    Check<Acosh, T>(2);
    if constexpr (std::is_same_v<T, float>) Check<Erf, T>(2);
#endif
  }
}
}  // namespace lane_math_mpfr_test

#endif
