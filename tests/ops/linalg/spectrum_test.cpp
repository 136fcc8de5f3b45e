// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/support.hpp"

namespace linalg_spectrum_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// a b, or a b^H, of [m, n] and n rows or columns, k wide
std::vector<Wide> Product(const std::vector<Wide>& a, const std::vector<Wide>& b, std::size_t m, std::size_t n,
                          std::size_t k, bool adjoint) {
  std::vector<Wide> out(m * k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t p = 0; p < n; ++p)
        out[i * k + j] += a[i * n + p] * (adjoint ? std::conj(b[j * n + p]) : b[p * k + j]);
  return out;
}
std::vector<Wide> Unit(std::size_t n) {
  std::vector<Wide> out(n * n);
  for (std::size_t i = 0; i < n; ++i) out[i * n + i] = 1;
  return out;
}
std::string Far(const std::vector<Wide>& got, const std::vector<Wide>& want, double allowed) {
  return FirstFar(got, want, std::vector<double>(want.size(), allowed));
}
std::vector<Tensor> All(std::string_view op, const AttrArgs& attrs, const Tensor& input, int outputs) {
  return RunAll(op, attrs, {input}, outputs);
}

}  // namespace

TEST_SUITE("orthogonal decompositions") {
  TEST_CASE_TEMPLATE("Qr: q is orthogonal, r is upper triangular, and their product is the input", T, float, double,
                     complex64, complex128) {
    const double unit = 100 * RoundingUnit<T>();
    for (const bool full : {false, true})
      for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>(5, 3), {3, 5}, {4, 4}}) {
        const Tensor x = Random<T>({static_cast<Index>(m), static_cast<Index>(n)}, 7);
        const std::vector<Tensor> out = All("Qr", {{"full_matrices", full}}, x, 2);
        const std::size_t kept = full ? m : std::min(m, n);
        const std::vector<Wide> q = Widened<T>(out[0]), r = Widened<T>(out[1]);
        CHECK(Far(Product(q, r, m, kept, n, false), Widened<T>(x), unit) == "");
        std::vector<Wide> turned(q.size());
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < kept; ++j) turned[j * m + i] = std::conj(q[i * kept + j]);
        CHECK(Far(Product(turned, q, kept, m, kept, false), Unit(kept), unit) == "");
        for (std::size_t i = 0; i < kept; ++i)
          for (std::size_t j = 0; j < std::min(i, n); ++j) CHECK(r[i * n + j] == Wide(0));
      }
  }
  TEST_CASE_TEMPLATE("Svd: values descend, and u s v^H is the input", T, float, double, complex128) {
    const double unit = 100 * RoundingUnit<T>();
    for (const bool full : {false, true})
      for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>(5, 3), {3, 5}}) {
        const Tensor x = Random<T>({static_cast<Index>(m), static_cast<Index>(n)}, 8);
        const std::vector<Tensor> out = All("Svd", {{"full_matrices", full}}, x, 3);
        const std::vector<double> s = Numbered<T>(out[0]);
        CHECK(std::is_sorted(s.rbegin(), s.rend()));
        CHECK(s.back() >= 0);
        const std::size_t us = full ? m : 3, vs = full ? n : 3;
        std::vector<Wide> u = Widened<T>(out[1]), v = Widened<T>(out[2]), left(m * 3), right(n * 3);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t k = 0; k < 3; ++k) left[i * 3 + k] = u[i * us + k] * s[k];
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < 3; ++k) right[i * 3 + k] = v[i * vs + k];
        CHECK(Far(Product(left, right, m, 3, n, true), Widened<T>(x), unit) == "");
        if (full) CHECK(Far(Product(u, u, m, m, m, true), Unit(m), unit) == "");
        if (full) CHECK(Far(Product(v, v, n, n, n, true), Unit(n), unit) == "");
        CHECK(Numbered<T>(All("Svd", {{"compute_uv", false}}, x, 3)[0]) == s);
      }
  }
  TEST_CASE("singular values worked out by hand, of a matrix of rank 1 too") {
    const Tensor x = Make<double>({2, 2, 2}, {3, 0, 0, -4, 1, 2, 2, 4});
    const std::vector<double> s = Numbered<double>(All("Svd", {{"compute_uv", false}}, x, 3)[0]);
    CHECK(std::abs(s[0] - 4) < 1e-15);
    CHECK(std::abs(s[1] - 3) < 1e-15);
    CHECK(std::abs(s[2] - 5) < 1e-15);
    CHECK(std::abs(s[3]) < 1e-15);
  }
  TEST_CASE("eigenvalues ascend, are those of the lower triangle, and belong to the vectors") {
    // [2 1; 1 2]; what is above the diagonal is not read.
    const Tensor x = Make<double>({2, 2}, {2, kNaN, 1, 2});
    const std::vector<Tensor> out = All("SelfAdjointEigV2", {}, x, 2);
    const std::vector<double> e = Numbered<double>(out[0]), v = Numbered<double>(out[1]);
    CHECK(std::abs(e[0] - 1) < 1e-15);
    CHECK(std::abs(e[1] - 3) < 1e-15);
    CHECK(std::abs(v[0] + v[2]) < 1e-15);
    CHECK(std::abs(v[1] - v[3]) < 1e-15);
    CHECK(All("SelfAdjointEigV2", {{"compute_v", false}}, x, 2)[1].shape() == TensorShape({0}));
  }
  TEST_CASE("iterations end with anything but NaN, and infinity below the diagonal") {
    using ops::detail::HasEigenvalues;
    const double nan[] = {kNaN};
    CHECK(HasEigenvalues(nan, 1));
    CHECK(HasEigenvalues(nan, 0));
    const double above[] = {1, kNaN, 2, 3}, below[] = {1, 2, kInfinity, 3}, on[] = {1, 2, 2, kNaN};
    const double endless[] = {kInfinity, 0, 0, 1};
    CHECK(HasEigenvalues(above, 2));
    CHECK_FALSE(HasEigenvalues(below, 2));
    CHECK_FALSE(HasEigenvalues(on, 2));
    CHECK(HasEigenvalues(endless, 2));
    const std::complex<double> imaginary[] = {1, 0, {0, kNaN}, 1};
    CHECK_FALSE(HasEigenvalues(imaginary, 2));
    CHECK(
        ErrorOf<ops::SelfAdjointEigV2>({}, {Make<float>({2, 2}, {1, 2, kNaN, 3})}) ==
        "INVALID_ARGUMENT: SelfAdjointEigV2: Self-adjoint eigen decomposition was not successful. The input might not "
        "be valid.");
  }
  TEST_CASE("matrices without rows or columns") {
    const Tensor x(DataType::kFloat, {2, 0, 3});
    const std::vector<Tensor> svd = All("Svd", {{"full_matrices", true}}, x, 3);
    CHECK(svd[0].shape() == TensorShape({2, 0}));
    CHECK(Numbered<float>(svd[2]) == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    CHECK(All("Qr", {}, x, 2)[1].shape() == TensorShape({2, 0, 3}));
    CHECK(All("SelfAdjointEigV2", {}, Tensor(DataType::kFloat, {2, 0, 0}), 2)[0].shape() == TensorShape({2, 0}));
  }
  TEST_CASE("shapes are inferred, and what is no square matrix refused") {
    CHECK(InferredShape<ops::Qr>({{7, 5, 3}}, {{"full_matrices", true}}) == "[7,5,5]");
    CHECK(InferredShape<ops::Qr>({{7, 5, 3}}, {}, 1) == "[7,3,3]");
    CHECK(InferredShape<ops::Svd>({{7, 5, -1}}) == "[7,?]");
    CHECK(InferredShape<ops::Svd>({{7, 5, 3}}, {{"compute_uv", false}}, 2) == "[0]");
    CHECK(InferredShape<ops::SelfAdjointEigV2>({{7, 5, -1}}, {}, 1) == "[7,5,5]");
    CHECK(ErrorOf<ops::SelfAdjointEigV2>({}, {Tensor(DataType::kFloat, {7, 5, 3})}) ==
          "INVALID_ARGUMENT: SelfAdjointEigV2: Input matrix must be square, got shape [7,5,3]");
    CHECK(ErrorOf<ops::Svd>({}, {Tensor(DataType::kFloat, {7})}) ==
          "INVALID_ARGUMENT: Svd: Input tensor 0 must have rank >= 2, got 1");
  }
}
}  // namespace linalg_spectrum_test
