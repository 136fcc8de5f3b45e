// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_softmax_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// Compares with exponentials of doubles. Allowed are some roundings of the type that is computed in (float for half and
// bfloat16), one of the result, and what is too small for a half.
template <class T>
std::string Difference(const TensorShape& shape, double range, SessionOptions options = {}) {
  const Tensor logits = Random<T>(shape, 3, -range, range),
               softmax = Run<ops::Softmax>({}, {logits}, std::move(options));
  if (softmax.dtype() != dtype_of_v<T> || !(softmax.shape() == shape)) return softmax.DebugString();
  constexpr bool kSmall = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
  const std::vector<double> x = Numbered<T>(logits);
  const auto columns = static_cast<std::size_t>(shape.dim_size(shape.dims() - 1));
  std::vector<Wide> want;
  std::vector<double> allowed;
  for (std::size_t row = 0; row < x.size(); row += columns) {
    const double most = *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(row),
                                          x.begin() + static_cast<std::ptrdiff_t>(row + columns));
    double sum = 0;
    for (std::size_t i = row; i < row + columns; ++i) sum += std::exp(x[i] - most);
    for (std::size_t i = row; i < row + columns; ++i) {
      want.push_back(std::exp(x[i] - most) / sum);
      const double unit =
          (kSmall ? 0x1p-24 : RoundingUnit<T>()) * (12 + std::abs(x[i] - most) + 0.02 * static_cast<double>(columns));
      allowed.push_back(want.back().real() * (unit + (kSmall ? RoundingUnit<T>() : 0)) +
                        (std::is_same_v<T, half> ? 0x1p-24 : 1.2e-38));
    }
  }
  return FirstFar(Widened<T>(softmax), want, allowed);
}

template <class T>
std::vector<double> Row(std::initializer_list<double> logits) {
  return Numbered<T>(Run<ops::Softmax>({}, {Make<T>({static_cast<Index>(logits.size())}, logits)}));
}

}  // namespace

#define TENON_TEST_FLOATS float, double, half, bfloat16

TEST_SUITE("Softmax") {
  TEST_CASE_TEMPLATE("turns each row into numbers that sum to one", T, TENON_TEST_FLOATS) {
    CHECK(Row<T>({0, 0, 0, 0}) == std::vector<double>{0.25, 0.25, 0.25, 0.25});
    CHECK(Row<T>({7}) == std::vector<double>{1});
    const std::vector<double> y = Numbered<T>(Run<ops::Softmax>({}, {Make<T>({2, 2}, {0, 0, 0, std::log(3.0)})}));
    CHECK(y[0] == doctest::Approx(0.5).epsilon(0.01));
    CHECK(y[2] == doctest::Approx(0.25).epsilon(0.01));
    CHECK(y[3] == doctest::Approx(0.75).epsilon(0.01));
  }

  TEST_CASE_TEMPLATE("agrees with exponentials of doubles, for rows of any length and any rank", T, TENON_TEST_FLOATS) {
    for (const TensorShape& shape : {TensorShape{1},
                                     {7},
                                     {3, 10},
                                     {1, 1001},
                                     {2, 3, 33},
                                     {2, 1, 2, 1, 5},
                                     {5, 1},
                                     {0},
                                     {3, 0},
                                     {0, 4},
                                     {2, 0, 3}}) {
      CAPTURE(shape.DebugString());
      CHECK(Difference<T>(shape, 5) == "");
      CHECK(Difference<T>(shape, 60) == "");
    }
  }

  TEST_CASE_TEMPLATE("logits may be as large as they like", T, TENON_TEST_FLOATS) {
    CHECK(Row<T>({30000, 30000}) == std::vector<double>{0.5, 0.5});
    CHECK(Row<T>({-30000, -30000}) == std::vector<double>{0.5, 0.5});
    CHECK(Row<T>({30000, -30000}) == std::vector<double>{1, 0});
    CHECK(Row<T>({1, -kInfinity, 1}) == std::vector<double>{0.5, 0, 0.5});
  }

  TEST_CASE_TEMPLATE("a row with NaN or infinity, or of nothing but minus infinity, is NaN; other rows are not", T,
                     TENON_TEST_FLOATS) {
    const Tensor logits = Make<T>({4, 2}, {1, kNaN, kInfinity, 1, -kInfinity, -kInfinity, 2, 2});
    const std::vector<double> y = Numbered<T>(Run<ops::Softmax>({}, {logits}));
    for (const std::size_t i : {0u, 1u, 2u, 4u, 5u}) CHECK(std::isnan(y[i]));
    CHECK(y[6] == 0.5);
    CHECK(y[7] == 0.5);
  }

  TEST_CASE_TEMPLATE("takes over the buffer of logits that nobody else reads", T, TENON_TEST_FLOATS) {
    bool took_over = false;
    const Tensor logits = Random<T>({5, 37}, 1);
    CHECK(SameTensor(RunOnOwnInputs<ops::Softmax, T>({}, {logits}, &took_over), Run<ops::Softmax>({}, {logits})));
    CHECK(took_over);
  }

  TEST_CASE_TEMPLATE("several threads give the same", T, TENON_TEST_FLOATS) {
    CHECK(Difference<T>({300, 100}, 5, {.intra_op_threads = 1}) == "");
    CHECK(Difference<T>({300, 100}, 5, {.intra_op_threads = 4}) == "");
  }

  TEST_CASE("takes floats with at least one dimension") {
    CHECK(ErrorOf<ops::Softmax>({}, {Tensor::Scalar(1.0f)}) ==
          "INVALID_ARGUMENT: Softmax: Shape must be at least rank 1 but is rank 0");
    CHECK(
        ErrorOf<ops::Softmax>({}, {Make<std::int32_t>({2}, {1})}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of int32 is not in the list of allowed values: half, bfloat16, float, double");
  }
  TEST_CASE("gives everything back when memory runs out") {
    CHECK(FailEveryAllocation<ops::Softmax>({}, {Random<float>({3, 5}, 1)}) == 1);
    CHECK(FailEveryAllocation<ops::Softmax>({}, {Random<half>({3, 5}, 1)}) == 2);  // a row as float
  }
}

#undef TENON_TEST_FLOATS

}  // namespace nn_softmax_test
