// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/complex_parts.hpp>

#include <cmath>
#include <cstring>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_complex_parts_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr DataType kRealOf(DataType type) {
  return type == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
}

}  // namespace

TEST_SUITE("Complex parts") {
  TEST_CASE("the parts put together are the number, bit by bit") {
    for (const DataType type : {DataType::kComplex64, DataType::kComplex128}) {
      for (const TensorShape& shape : {TensorShape{}, {69}, {2, 1, 3}, {0, 4}}) {
        const Tensor z = AnyBits(type, shape);
        const AttrArgs to_real{{"Tout", kRealOf(type)}};
        const Tensor real = Run<ops::Real>(to_real, {z}), imag = Run<ops::Imag>(to_real, {z});
        CHECK(real.dtype() == kRealOf(type));
        CHECK(SameTensor(Run<ops::Complex>({{"Tout", type}}, {real, imag}), z));
        CHECK(SameTensor(Run<ops::Conj>({}, {Run<ops::Conj>({}, {z})}), z));
      }
    }
  }
  TEST_CASE_TEMPLATE("length and angle agree with float64", T, float, double) {
    using Z = std::complex<T>;
    const Tensor z = Random<Z>({70}, 3, -9, 9);
    const AttrArgs to_real{{"Tout", dtype_of_v<T>}};
    const Tensor size = Run<ops::ComplexAbs>(to_real, {z}), angle = Run<ops::Angle>(to_real, {z});
    for (Index i = 0; i < 70; ++i) {
      const Wide w = ToWide(z.data<Z>()[i]);
      CHECK(size.data<T>()[i] == doctest::Approx(std::hypot(w.real(), w.imag())).epsilon(4 * RoundingUnit<T>()));
      CHECK(angle.data<T>()[i] == doctest::Approx(std::atan2(w.imag(), w.real())).epsilon(4 * RoundingUnit<T>()));
    }
  }
  TEST_CASE("lengths do not run over, angles know the signs of zeros") {
    const Tensor large = Tensor::Scalar(complex64(3e38f * 0.6f, 3e38f * 0.8f));
    CHECK(Run<ops::ComplexAbs>({}, {large}).scalar<float>()() == doctest::Approx(3e38));
    const Tensor odd = Tensor::Scalar(complex64(NAN, INFINITY));
    CHECK(Run<ops::ComplexAbs>({}, {odd}).scalar<float>()() == INFINITY);
    const auto angle = [](float re, float im) {
      return Run<ops::Angle>({}, {Tensor::Scalar(complex64(re, im))}).scalar<float>()();
    };
    CHECK(angle(-1, 0.0f) == doctest::Approx(3.14159265));
    CHECK(angle(-1, -0.0f) == doctest::Approx(-3.14159265));
    CHECK(angle(0, -2) == doctest::Approx(-1.57079633));
    CHECK(angle(0, 0) == 0);
  }
  TEST_CASE("numbers of another width have no kernel; real and imaginary parts broadcast") {
    CHECK(ErrorOf<ops::Real>({{"Tout", DataType::kDouble}}, {Make<complex64>({2}, {1})})
              .find("no kernel for op 'Real'") != std::string::npos);
    CHECK(ErrorOf<ops::Complex>({{"Tout", DataType::kComplex128}}, {Make<float>({2}, {1}), Make<float>({2}, {1})})
              .find("INVALID_ARGUMENT") == 0);
    const Tensor z = Run<ops::Complex>({}, {Make<float>({2, 1}, {1, 2}), Make<float>({3}, {4, 5, 6})});
    REQUIRE(z.shape() == TensorShape({2, 3}));
    CHECK(z.data<complex64>()[5] == complex64(2, 6));
    CHECK(ErrorOf<ops::Complex>({}, {Make<float>({2}, {1}), Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: Complex: Dimensions must be equal, but are 2 and 3");
  }
}
}  // namespace math_complex_parts_test
