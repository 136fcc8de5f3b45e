// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/solve.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace linalg_solve_test {
using namespace tenon;
using namespace tenon::testing;
using Numbers = std::vector<double>;

namespace {

// a: [m, n]  b: [n, k]  ->  a b
Numbers Product(const Numbers& a, const Numbers& b, std::size_t m, std::size_t n, std::size_t k) {
  Numbers out(m * k, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t j = 0; j < k; ++j) out[i * k + j] += a[i * n + p] * b[p * k + j];
  return out;
}
bool Near(const Numbers& a, const Numbers& b, double allowed) {
  bool near = a.size() == b.size();
  for (std::size_t i = 0; near && i < a.size(); ++i) near = std::abs(a[i] - b[i]) <= allowed;
  return near;
}
Numbers Turned(const Numbers& a, std::size_t m, std::size_t n) {
  Numbers out(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) out[j * m + i] = a[i * n + j];
  return out;
}

}  // namespace

TEST_SUITE("linear systems") {
  Cpu cpu;

  TEST_CASE("the solution times the matrix is the right-hand side, also of the matrix turned") {
    // The first pivot is 0: rows must be exchanged.
    const Numbers a{0, 2, 1, 1, 1, 0, 3, 0, -1}, b{1, 2, 3, 4, 5, 6};
    Numbers x(6);
    REQUIRE(ops::detail::SolveOne(cpu, a.data(), b.data(), 3, 2, false, x.data()));
    CHECK(Near(Product(a, x, 3, 3, 2), b, 1e-14));
    REQUIRE(ops::detail::SolveOne(cpu, a.data(), b.data(), 3, 2, true, x.data()));
    CHECK(Near(Product(Turned(a, 3, 3), x, 3, 3, 2), b, 1e-14));
    const Numbers singular{1, 2, 2, 4};
    CHECK_FALSE(ops::detail::SolveOne(cpu, singular.data(), b.data(), 2, 1, false, x.data()));
  }
  TEST_CASE("the adjoint of a complex matrix is conjugated, too") {
    const std::complex<double> a[] = {{0, 2}}, b[] = {{4, 0}};
    std::complex<double> x[1];
    REQUIRE(ops::detail::SolveOne(cpu, a, b, 1, 1, false, x));
    CHECK(x[0] == std::complex<double>(0, -2));
    REQUIRE(ops::detail::SolveOne(cpu, a, b, 1, 1, true, x));
    CHECK(x[0] == std::complex<double>(0, 2));
  }
  TEST_CASE("least squares: a line through points, the shortest solution, and none of dependent columns") {
    // y = 1 + 2 t with an error that is orthogonal to both columns.
    const Numbers a{1, 0, 1, 1, 1, 2, 1, 3}, b{1 + 1, 3 - 1, 5 - 1, 7 + 1};
    Numbers x(2);
    REQUIRE(ops::detail::SolveNormal(cpu, a.data(), b.data(), 4, 2, 1, 0.0, x.data()));
    CHECK(Near(x, {1, 2}, 1e-12));
    REQUIRE(ops::detail::SolveIndependent(a.data(), b.data(), 4, 2, 1, x.data()));
    CHECK(Near(x, {1, 2}, 1e-12));
    ops::detail::SolveShortest(cpu, a.data(), b.data(), 4, 2, 1, x.data());
    CHECK(Near(x, {1, 2}, 1e-12));
    // x + 2 y = 5: the shortest is (1, 2).
    const Numbers wide{1, 2}, five{5};
    REQUIRE(ops::detail::SolveNormal(cpu, wide.data(), five.data(), 1, 2, 1, 0.0, x.data()));
    CHECK(Near(x, {1, 2}, 1e-14));
    REQUIRE(ops::detail::SolveIndependent(wide.data(), five.data(), 1, 2, 1, x.data()));
    CHECK(Near(x, {1, 2}, 1e-14));
    const Numbers same{1, 1, 2, 2}, two{2, 4};
    CHECK_FALSE(ops::detail::SolveIndependent(same.data(), two.data(), 2, 2, 1, x.data()));
    ops::detail::SolveShortest(cpu, same.data(), two.data(), 2, 2, 1, x.data());
    CHECK(Near(x, {1, 1}, 1e-14));
    // Regularised: (1 + 1) x = 5 with a = 1.
    const Numbers one{1};
    REQUIRE(ops::detail::SolveNormal(cpu, one.data(), five.data(), 1, 1, 1, 1.0, x.data()));
    CHECK(std::abs(x[0] - 2.5) < 1e-14);
  }
  TEST_CASE("bands are the dense triangular matrix that they stand for") {
    const bool flags[] = {false, true};
    const Numbers b{1, 2, 3, 4};
    for (const bool lower : flags)
      for (const bool adjoint : flags) {
        // Two bands: the diagonal 2 3 4 5 and the one beside it; its unused end is NaN.
        const Numbers diagonal{2, 3, 4, 5};
        const Numbers beside = lower ? Numbers{kNaN, 1, -1, 2} : Numbers{1, -1, 2, kNaN};
        Numbers bands, dense(16, 0), x = b;
        for (const Numbers& band : {lower ? diagonal : beside, lower ? beside : diagonal})
          bands.insert(bands.end(), band.begin(), band.end());
        for (std::size_t i = 0; i < 4; ++i) {
          dense[i * 5] = diagonal[i];
          if (lower && i > 0) dense[i * 4 + i - 1] = beside[i];
          if (!lower && i < 3) dense[i * 4 + i + 1] = beside[i];
        }
        REQUIRE(ops::detail::SolveBanded(bands.data(), 2, 4, {lower, adjoint}, x.data(), 1));
        CHECK(Near(Product(adjoint ? Turned(dense, 4, 4) : dense, x, 4, 4, 1), b, 1e-14));
      }
    Numbers x = b;
    const Numbers zero{1, 0, 1, 1};
    CHECK_FALSE(ops::detail::SolveBanded(zero.data(), 1, 4, {true, false}, x.data(), 1));
    CHECK(x == b);
  }
  TEST_CASE("three diagonals: neighbours are exchanged where the pivot is small; ends beyond are not read") {
    const Numbers d{1, 2, 3, kNaN, 1e-20, 1, 2, 1, kNaN, 4, 1, 2}, b{1, 2, 3, 4};
    const Numbers dense{1e-20, 1, 0, 0, 4, 1, 2, 0, 0, 1, 2, 3, 0, 0, 2, 1};
    Numbers x = b;
    REQUIRE(ops::detail::SolveTridiagonal(d.data(), 4, true, 0.0, x.data(), 1));
    CHECK(Near(Product(dense, x, 4, 4, 1), b, 1e-14));
    const Numbers zero{1, 0, 0, 1, 0, 1};  // [0 1; 1 1]
    x = {2, 3};
    CHECK_FALSE(ops::detail::SolveTridiagonal(zero.data(), 2, false, 0.0, x.data(), 1));
    x = {2, 3};
    CHECK(ops::detail::SolveTridiagonal(zero.data(), 2, true, 0.0, x.data(), 1));
    CHECK(x == Numbers{1, 2});
    const Numbers nothing(3, 0);
    x = {2};
    CHECK_FALSE(ops::detail::SolveTridiagonal(nothing.data(), 1, true, 0.0, x.data(), 1));
    CHECK(ops::detail::SolveTridiagonal(nothing.data(), 1, true, 0.5, x.data(), 1));
    CHECK(x == Numbers{4});
  }
  TEST_CASE("a singular system among others: NaN for three diagonals, an error for the rest") {
    const Tensor d = Make<double>({2, 3, 1}, {0, 4, 0, 0, 0, 0}), b = Make<double>({2, 1, 1}, {8});
    const std::vector<double> x = Numbered<double>(Run<ops::TridiagonalSolve>({}, {d, b}));
    CHECK(x[0] == 2);
    CHECK(std::isnan(x[1]));
    CHECK(ErrorOf<ops::TridiagonalSolve>({{"partial_pivoting", false}, {"perturb_singular", true}}, {d, b}) ==
          "INVALID_ARGUMENT: TridiagonalSolve: Setting perturb_singular requires also setting partial_pivoting.");
    const Tensor zero = Make<float>({2, 2}, {0}), side = Make<float>({2, 1}, {1});
    CHECK(ErrorOf<ops::MatrixSolve>({}, {zero, side}) == "INVALID_ARGUMENT: MatrixSolve: Input is not invertible.");
    CHECK(ErrorOf<ops::BandedTriangularSolve>({}, {zero, side}) ==
          "INVALID_ARGUMENT: BandedTriangularSolve: Input matrix is not invertible.");
    CHECK(ErrorOf<ops::MatrixSolveLs>({}, {zero, side, Tensor::Scalar(0.0)}) ==
          "INVALID_ARGUMENT: MatrixSolveLs: Input matrix was rank deficient or ill-conditioned. Try setting fast=False "
          "or provide a larger l2_regularizer > 0.");
    // A triangular system divides by 0.
    CHECK(std::isinf(Numbered<float>(Run<ops::MatrixTriangularSolve>({}, {zero, side}))[0]));
  }
  TEST_CASE("says which sizes do not fit") {
    const auto of = [](const TensorShape& shape) { return Tensor(DataType::kFloat, shape); };
    const std::string start = "INVALID_ARGUMENT: ";
    CHECK(ErrorOf<ops::MatrixSolve>({}, {of({2, 3, 3}), of({1, 3, 1})}) ==
          start + "MatrixSolve: All input tensors must have the same outer dimensions, got [2,3,3] and [1,3,1]");
    CHECK(ErrorOf<ops::MatrixSolve>({}, {of({2, 3}), of({2, 1})}) ==
          start + "MatrixSolve: Input matrix must be square, got shape [2,3]");
    CHECK(ErrorOf<ops::MatrixSolve>({}, {of({3, 3}), of({2, 1})}) ==
          start + "MatrixSolve: Input matrix and right-hand side must have the same number of rows, got 3 and 2");
    CHECK(ErrorOf<ops::MatrixSolveLs>({}, {of({3, 3}), of({3, 1}), Tensor::Scalar(kNaN)}) ==
          start + "MatrixSolveLs: l2_regularizer must be >= 0, got nan");
    CHECK(ErrorOf<ops::MatrixTriangularSolve>({}, {of({2, 3, 3}), of({4, 3, 1})}) ==
          start + "MatrixTriangularSolve: In[0] and In[1] must have compatible batch dimensions: [2,3,3] vs. [4,3,1]");
    CHECK(ErrorOf<ops::MatrixTriangularSolve>({}, {of({3, 3}), of({2, 1})}) ==
          start + "MatrixTriangularSolve: In[0] mismatch In[1] shape: 3 vs. 2: [3,3] [2,1]");
    CHECK(ErrorOf<ops::BandedTriangularSolve>({}, {of({1, 0}), of({0, 1})}) ==
          start + "BandedTriangularSolve: inputs must not be empty tensors, got shapes [1,0] and [0,1]");
    CHECK(ErrorOf<ops::TridiagonalSolve>({}, {of({2, 3}), of({3, 1})}) ==
          start + "TridiagonalSolve: Expected diagonals to be provided as a matrix with 3 rows, got 2 rows.");
  }
}
}  // namespace linalg_solve_test
