// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/logarithm.hpp>

#include <cmath>

#include "ops/outputs.hpp"

namespace linalg_logarithm_test {
using namespace tenon;
using namespace tenon::testing;
using ops::MatrixLogarithm;

TEST_SUITE("MatrixLogarithm") {
  TEST_CASE("a batch") {
    const Tensor log =
        tenon::testing::Run<MatrixLogarithm>({}, {Make<complex128>({2, 2, 2}, {2, 0, 0, 4, 1, 1, 0, 1})});
    const complex128* const at = log.data<complex128>();
    CHECK(at[0].real() == doctest::Approx(std::log(2.0)));
    CHECK(at[3].real() == doctest::Approx(std::log(4.0)));
    CHECK(at[5].real() == doctest::Approx(1));
    CHECK(std::abs(at[6]) < 1e-14);
  }
  TEST_CASE("NaN where there is none") {
    const Tensor log = tenon::testing::Run<MatrixLogarithm>({}, {Make<complex64>({2, 2}, {0, 1, 0, 0})});
    for (Index i = 0; i < 4; ++i) CHECK(std::isnan(log.data<complex64>()[i].real()));
    const Tensor zero = tenon::testing::Run<MatrixLogarithm>({}, {Make<complex64>({1, 1}, {0})});
    CHECK(std::isinf(zero.data<complex64>()[0].real()));
  }
  TEST_CASE("refuses what is not square") {
    CHECK(ErrorOf<MatrixLogarithm>({}, {Make<complex64>({2, 3}, {0})}) ==
          "INVALID_ARGUMENT: MatrixLogarithm: Input matrix must be square, got shape [2,3]");
    CHECK(ShapesOf<MatrixLogarithm>({{5, 2, 2}}) == "[5,2,2]");
  }
}
}  // namespace linalg_logarithm_test
