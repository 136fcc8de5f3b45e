// SPDX-License-Identifier: Apache-2.0
#include <tenon/types/complex.hpp>

#include <doctest/doctest.h>

namespace complex_test {
using namespace tenon;

TEST_SUITE("complex") {
  TEST_CASE("is a plain element of two floats or two doubles") {
    CHECK(dtype_of_v<complex64> == DataType::kComplex64);
    CHECK(dtype_of_v<complex128> == DataType::kComplex128);
    CHECK(Trivial<complex64>);
    const complex64 z = complex64(1, 2) * complex64(0, 1);
    CHECK(z.real() == -2);
    CHECK(z.imag() == 1);
  }
}
}  // namespace complex_test
