// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/reduction.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "op_call.hpp"

namespace math_reduction_test {
using namespace tenon;

namespace {

Tensor Axes(std::initializer_list<std::int32_t> axes) {
  return MakeTensor<std::int32_t>({static_cast<Index>(axes.size())}, axes);
}

std::string Show(const Result<std::vector<Tensor>>& outputs) {
  if (!outputs.ok()) return outputs.status().ToString();
  return StrCat((*outputs)[0].shape(), " ", (*outputs)[0].SummarizeValue(30));
}
template <class Op>
std::string Of(const Tensor& x, std::initializer_list<std::int32_t> axes, bool keep_dims = false) {
  return Show(testing::Call<Op>({{"keep_dims", keep_dims}}, {x, Axes(axes)}));
}

}  // namespace

TEST_SUITE("reduction") {
  TEST_CASE_TEMPLATE("sum, product, mean, largest and smallest", T, float, double, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, half,
                     bfloat16) {
    const Tensor x = MakeTensor<T>({2, 3}, {T(1), T(2), T(3), T(6), T(5), T(4)});
    CHECK(Of<ops::Sum>(x, {0}) == "[3] 7 7 7");
    CHECK(Of<ops::Sum>(x, {1}, true) == "[2,1] [6][15]");
    CHECK(Of<ops::Sum>(x, {-1, 0}) == "[] 21");
    CHECK(Of<ops::Prod>(x, {0}) == "[3] 6 10 12");
    CHECK(Of<ops::Mean>(x, {1}) == "[2] 2 5");
    CHECK(Of<ops::Max>(x, {0}) == "[3] 6 5 4");
    CHECK(Of<ops::Min>(x, {-1}, true) == "[2,1] [1][4]");
    CHECK(Of<ops::Min>(x, {0, 1}, true) == "[1,1] [1]");
  }

  TEST_CASE("complex numbers have sums, products and means") {
    const Tensor x = MakeTensor<complex64>({2}, {complex64(1, 2), complex64(3, -1)});
    const auto sum = testing::Call<ops::Sum>({}, {x, Axes({0})}), prod = testing::Call<ops::Prod>({}, {x, Axes({0})}),
               mean = testing::Call<ops::Mean>({}, {x, Axes({0})});
    REQUIRE((sum.ok() && prod.ok() && mean.ok()));
    CHECK_UNARY((*sum)[0].data<complex64>()[0] == complex64(4, 1));
    CHECK_UNARY((*prod)[0].data<complex64>()[0] == complex64(5, 5));
    CHECK_UNARY((*mean)[0].data<complex64>()[0] == complex64(2, 0.5f));
  }

  TEST_CASE("the mean of integers is exact before it is cut; sums and products wrap") {
    CHECK(Of<ops::Mean>(MakeTensor<std::int8_t>({4}, {127, 126, 127, 7}), {0}) == "[] 96");
    CHECK(Of<ops::Mean>(MakeTensor<std::int32_t>({2}, {-3, -4}), {0}) == "[] -3");
    CHECK(Of<ops::Sum>(MakeTensor<std::int8_t>({2}, {127, 1}), {0}) == "[] -128");
    CHECK(Of<ops::Prod>(MakeTensor<std::int16_t>({2}, {300, 300}), {0}) == "[] 24464");
  }

  TEST_CASE("nothing reduced gives what changes nothing") {
    const Tensor none = MakeTensor<float>({0, 2}, {});
    CHECK(Of<ops::Sum>(none, {0}) == "[2] 0 0");
    CHECK(Of<ops::Prod>(none, {0}) == "[2] 1 1");
    CHECK(Of<ops::Max>(none, {0}) == "[2] -inf -inf");
    CHECK(Of<ops::Min>(none, {0}) == "[2] inf inf");
    CHECK(Of<ops::Mean>(none, {0}) == "[2] nan nan");
    CHECK(Of<ops::Mean>(MakeTensor<std::int32_t>({0, 2}, {}), {0}) == "[2] 0 0");
    CHECK(Of<ops::Max>(MakeTensor<std::int32_t>({0}, {}), {0}) == "[] -2147483648");
    CHECK(Of<ops::Sum>(none, {1}) == "[0] ");
  }

  TEST_CASE("the buffer is shared when only dimensions of size 1 go away") {
    const Tensor x = MakeTensor<float>({1, 3, 1}, {1, 2, 3});
    for (const bool keep_dims : {false, true}) {
      const auto y = testing::Call<ops::Mean>({{"keep_dims", keep_dims}}, {x, Axes({0, -1})});
      REQUIRE(y.ok());
      CHECK((*y)[0].raw_data() == x.raw_data());
      CHECK((*y)[0].shape() == (keep_dims ? TensorShape{1, 3, 1} : TensorShape{3}));
    }
    CHECK(Of<ops::Sum>(x, {}) == "[1,3,1] [[1][2][3]]");
  }

  TEST_CASE("axes may be one number, 64 bits wide, or of any shape when it is known only at run") {
    const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(Show(testing::Call<ops::Sum>({}, {x, MakeTensor<std::int32_t>({}, {1})})) == "[2] 6 15");
    CHECK(Show(testing::Call<ops::Sum>({}, {x, MakeTensor<std::int64_t>({2}, {0, 1})})) == "[] 21");
    CHECK(Show(testing::Call<ops::Sum>({}, {x, MakeTensor<std::int32_t>({1, 2}, {0, 1})})) == "[] 21");
  }

  TEST_CASE("says which axis is wrong") {
    const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(Of<ops::Sum>(x, {2}).find(
              "INVALID_ARGUMENT: Sum: Invalid reduction dimension 2 for input with 2 dimension(s); axes must be in "
              "[-2, 2)") == 0);
    CHECK(Of<ops::Max>(x, {0, -2})
              .find("INVALID_ARGUMENT: Max: Invalid reduction arguments: Axes contains duplicate dimension: 0") == 0);
  }
}
}  // namespace math_reduction_test
