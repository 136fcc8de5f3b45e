// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/plain_complex.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace plain_complex_test {

namespace {

using Complex = tenon::detail::PlainComplex<float>;

TEST_CASE("a complex number computes as std::complex does") {
  const tenon::complex64 a(1, 2), b(3, -4);
  const Complex x(1, 2), y(3, -4);
  const auto same = [](const Complex& got, const tenon::complex64& expected) {
    return got == Complex(expected.real(), expected.imag());
  };
  CHECK(same(x + y, a + b));
  CHECK(same(x * y, a * b));
  CHECK(same(x / 2, a / 2.0f));
  CHECK_FALSE(x == y);
  CHECK(Complex(5) == Complex(5, 0));
}

TEST_CASE("a GPU computes with it in place of std::complex, and with other types as they are") {
  CHECK(std::is_same_v<tenon::detail::GpuElement<tenon::complex128>, tenon::detail::PlainComplex<double>>);
  CHECK(std::is_same_v<tenon::detail::GpuElement<float>, float>);
}

}  // namespace

}  // namespace plain_complex_test
