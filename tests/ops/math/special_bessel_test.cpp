// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/special_bessel.hpp>

#include <vector>
#include <initializer_list>

#include "ops/support.hpp"

namespace math_special_bessel_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Bessel, Fresnel, Spence") {
  template <class Op, class T>
  double At(double x) {
    return ToDouble(*Run<Op>({}, {Tensor::Scalar(FromDouble<T>(x))}).template data<T>());
  }

  TEST_CASE_TEMPLATE("are the engine's functions", T, float, double) {
    for (const double x : {0.5, 3.25, 11.0}) {
      const auto t = static_cast<T>(x);
      CHECK(At<ops::BesselJ0, T>(x) == ToDouble(BesselJ0(t)));
      CHECK(At<ops::BesselJ1, T>(x) == ToDouble(BesselJ1(t)));
      CHECK(At<ops::BesselY0, T>(x) == ToDouble(BesselY0(t)));
      CHECK(At<ops::BesselY1, T>(x) == ToDouble(BesselY1(t)));
      CHECK(At<ops::BesselK0, T>(x) == ToDouble(BesselK0(t)));
      CHECK(At<ops::BesselK0e, T>(x) == ToDouble(BesselK0e(t)));
      CHECK(At<ops::BesselK1, T>(x) == ToDouble(BesselK1(t)));
      CHECK(At<ops::BesselK1e, T>(x) == ToDouble(BesselK1e(t)));
      CHECK(At<ops::FresnelSin, T>(x) == ToDouble(FresnelSin(t)));
      CHECK(At<ops::FresnelCos, T>(x) == ToDouble(FresnelCos(t)));
      CHECK(At<ops::Spence, T>(x) == ToDouble(Spence(t)));
    }
  }
  TEST_CASE("half goes through float; Spence has none, as in TensorFlow") {
    CHECK(At<ops::BesselJ0, half>(2) == ToDouble(half(0.22389078f)));
    CHECK(ErrorOf<ops::Spence>({}, {Make<half>({1}, {1})}).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace math_special_bessel_test
