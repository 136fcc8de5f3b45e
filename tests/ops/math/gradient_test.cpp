// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/gradient.hpp>

#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_gradient_test {
using namespace tenon;
using namespace tenon::testing;

#define TENON_TEST_TYPES float, double, half, bfloat16, complex64, complex128

TEST_SUITE("Gradients") {
  TEST_CASE_TEMPLATE("follow from the output and what is behind it", T, TENON_TEST_TYPES) {
    const Tensor y = Make<T>({2, 1}, {2, -0.5}), dy = Make<T>({2}, {3, 1});
    const auto of = [](const Tensor& z) {
      CHECK(z.shape() == TensorShape{2, 1});  // y's
      return Numbered<T>(z);
    };
    CHECK(of(Run<ops::TanhGrad>({}, {y, dy})) == std::vector<double>{-9, 0.75});
    CHECK(of(Run<ops::SigmoidGrad>({}, {y, dy})) == std::vector<double>{-6, -0.75});
    CHECK(of(Run<ops::SqrtGrad>({}, {y, dy})) == std::vector<double>{0.75, -1});
    CHECK(of(Run<ops::RsqrtGrad>({}, {y, dy})) == std::vector<double>{-12, 0.0625});
    CHECK(of(Run<ops::ReciprocalGrad>({}, {y, dy})) == std::vector<double>{-12, -0.25});
    CHECK(of(Run<ops::InvGrad>({}, {y, dy})) == std::vector<double>{-12, -0.25});
  }
  TEST_CASE_TEMPLATE("of roots are 0 where dy is, even at 0 and NaN", T, float, half) {
    const Tensor y = Make<T>({2}, {0, kNaN}), none = Make<T>({2}, {0});
    CHECK(Numbered<T>(Run<ops::SqrtGrad>({}, {y, none})) == std::vector<double>{0, 0});
    CHECK(Numbered<T>(Run<ops::RsqrtGrad>({}, {y, none})) == std::vector<double>{0, 0});
    CHECK(Numbered<T>(Run<ops::InvGrad>({}, {y, none})) == std::vector<double>{0, 0});
  }
  TEST_CASE("need as many elements of dy as of y") {
    CHECK(ErrorOf<ops::TanhGrad>({}, {Make<float>({2}, {1}), Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: TanhGrad: the two arguments to a cwise op must have same number of elements, got 2 and 3");
    CHECK(Call<ops::SqrtGrad>({}, {Make<float>({2}, {1}), Make<float>({}, {1})}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("take over either buffer") {
    bool took_over = false;
    const Tensor y = Random<float>({50}, 1), dy = Random<float>({50}, 2);
    CHECK(SameTensor(RunOnOwnInputs<ops::TanhGrad, float>({}, {y, dy}, &took_over), Run<ops::TanhGrad>({}, {y, dy})));
    CHECK(took_over);
  }
}

#undef TENON_TEST_TYPES

}  // namespace math_gradient_test
