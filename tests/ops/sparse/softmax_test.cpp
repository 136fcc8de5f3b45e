// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/softmax.hpp>

#include <cmath>

#include "ops/outputs.hpp"

namespace sparse_softmax_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseSoftmax;
using ops::detail::SoftmaxOf;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}
template <class T>
std::vector<double> Softmax(const Tensor& values, std::vector<std::size_t> which) {
  Tensor out(dtype_of_v<T>, {static_cast<Index>(which.size())});
  SoftmaxOf(values.data<T>(), which.data(), out.NumElements(), out.data<T>());
  return Numbered<T>(out);
}
template <class T>
void CheckAgainstLoop(double epsilon) {
  const Tensor values = Random<T>({40}, 11);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < 30; ++i) which.push_back(i * 7 % 40);
  const std::vector<double> x = Numbered<T>(values), got = Softmax<T>(values, which);
  double sum = 0;
  for (const std::size_t i : which) sum += std::exp(x[i]);
  for (std::size_t k = 0; k < which.size(); ++k)
    CHECK(got[k] == doctest::Approx(std::exp(x[which[k]]) / sum).epsilon(epsilon));
}

}  // namespace

TEST_SUITE("SparseSoftmax") {
  TEST_CASE("chosen elements of every type, against a plain loop in double") {
    CheckAgainstLoop<double>(1e-14);
    CheckAgainstLoop<float>(1e-5);
    CheckAgainstLoop<half>(2e-3);
  }
  TEST_CASE("numbers whose exponentials overflow, infinities and NaN") {
    CHECK(Softmax<float>(Make<float>({2}, {3e38, 3e38}), {0, 1}) == std::vector<double>{0.5, 0.5});
    CHECK(Softmax<float>(Make<float>({2}, {-3e38, -3e38}), {0, 1}) == std::vector<double>{0.5, 0.5});
    CHECK(Softmax<half>(Make<half>({2}, {60000, -60000}), {0, 1}) == std::vector<double>{1, 0});
    CHECK(Softmax<double>(Make<double>({2}, {-kInfinity, 5}), {0, 1}) == std::vector<double>{0, 1});
    for (const double x : Softmax<double>(Make<double>({2}, {kNaN, 5}), {0, 1})) CHECK(std::isnan(x));
    CHECK(Softmax<float>(Make<float>({1}, {-7}), {0}) == std::vector<double>{1});
  }
  TEST_CASE("each row by itself, the values in row-major order") {
    const Tensor out =
        Run<SparseSoftmax>({}, {Places({1, 0, 0, 2, 1, 1, 0, 0}), Make<double>({4}, {1, 2, 1, 5}), Longs({2, 3})});
    CHECK(out.data<double>()[0] == doctest::Approx(1 / (1 + std::exp(-3.0))));  // (0, 0): 5 beside 2
    CHECK(out.data<double>()[1] == doctest::Approx(1 / (1 + std::exp(3.0))));
    CHECK(out.data<double>()[2] == 0.5);
    CHECK(out.data<double>()[3] == 0.5);
    CHECK(OutputsOf<SparseSoftmax>({}, {Places({}), Make<float>({0}, {0}), Longs({2, 3})}) == "");
  }
  TEST_CASE("what is no sparse matrix is refused with its shapes") {
    const Tensor values = Make<float>({1}, {1});
    const std::string where = "INVALID_ARGUMENT: SparseSoftmax: ";
    CHECK(ErrorOf<SparseSoftmax>({}, {Longs({0}), values, Longs({2, 2})}) ==
          where + "Input sp_indices should be a matrix but received shape: [1]");
    CHECK(ErrorOf<SparseSoftmax>({}, {MakeTensor<std::int64_t>({1, 1}, {0}), values, Longs({5})}) ==
          where + "Input should have rank >= 2, but received shape: [5]");
    CHECK(ErrorOf<SparseSoftmax>({}, {Places({0, 0, 0, 1}), values, Longs({2, 2})}) ==
          where + "indices and values rows (indexing dimension) must match. (indices = 2, values = 1)");
    CHECK(ErrorOf<SparseSoftmax>({}, {Places({0, 0}), values, Longs({2, 2, 2})}) ==
          where + "Order length must be SparseTensor rank, got indices of shape [1,2] for rank 3");
    CHECK(ErrorOf<SparseSoftmax>({}, {Places({0, 0}), values, Longs({-1, 2})}) ==
          where + "Expected shape dimensions to be non-negative, got -1 for dimension 0");
  }
}
}  // namespace sparse_softmax_test
