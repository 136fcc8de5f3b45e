// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/pad_gradient.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

#include "ops/support.hpp"

namespace pad_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Mode(std::string_view mode) { return {{"mode", std::string(mode)}}; }
Tensor Paddings(std::initializer_list<std::int32_t> values) {
  return MakeTensor<std::int32_t>({static_cast<Index>(values.size()) / 2, 2}, values);
}

}  // namespace

TEST_SUITE("MirrorPadGrad") {
  TEST_CASE("what was put around is folded back") {
    const Tensor x = MakeTensor<std::int32_t>({6}, {1, 20, 300, 4000, 50000, 600000});
    // abc -> cb abc b: REFLECT leaves out the edge, SYMMETRIC repeats it.
    CHECK(SameTensor(Run<ops::MirrorPadGrad>(Mode("REFLECT"), {x, Paddings({2, 1})}), Ints({300, 604020, 50001})));
    CHECK(SameTensor(Run<ops::MirrorPadGrad>(Mode("SYMMETRIC"), {x, Paddings({2, 1})}), Ints({320, 4001, 650000})));
  }
  TEST_CASE("it is the transpose of MirrorPad: <pad(a), g> = <a, grad(g)>") {
    for (const std::string_view mode : {"REFLECT", "SYMMETRIC"}) {
      for (const auto& [shape, paddings] :
           {std::pair(TensorShape({4, 3}), Paddings({3, 1, 0, 2})),
            std::pair(TensorShape({2, 3, 4}), Paddings({1, 1, 2, 0, 3, 3})),
            std::pair(TensorShape({3, 2, 2, 2, 3}), Paddings({1, 2, 1, 1, 0, 1, 0, 0, 2, 2}))}) {
        const Tensor a = Random<double>(shape, 1);
        const Tensor padded = RunAll("MirrorPad", Mode(mode), {a, paddings}, 1)[0];
        const Tensor g = Random<double>(padded.shape(), 2);
        const Tensor grad = Run<ops::MirrorPadGrad>(Mode(mode), {g, paddings});
        REQUIRE(grad.shape() == shape);
        double left = 0, right = 0;
        for (Index i = 0; i < padded.NumElements(); ++i) left += padded.data<double>()[i] * g.data<double>()[i];
        for (Index i = 0; i < a.NumElements(); ++i) right += a.data<double>()[i] * grad.data<double>()[i];
        CHECK(std::abs(left - right) < 1e-11 * static_cast<double>(padded.NumElements()));
      }
    }
  }
  TEST_CASE("no padding shares the buffer; scalars; int64 paddings; NaN is folded like a number") {
    const Tensor x = Make<float>({2, 2}, {1, 2, 3, 4});
    CHECK(Run<ops::MirrorPadGrad>(Mode("REFLECT"), {x, Paddings({0, 0, 0, 0})}).raw_data() == x.raw_data());
    CHECK(SameTensor(Run<ops::MirrorPadGrad>(Mode("REFLECT"), {Tensor::Scalar(1.f), Tensor(DataType::kInt32, {0, 2})}),
                     Tensor::Scalar(1.f)));
    CHECK(SameTensor(Run<ops::MirrorPadGrad>(
                         Mode("SYMMETRIC"), {Make<float>({4}, {1, 2, 3, 4}), MakeTensor<std::int64_t>({1, 2}, {1, 1})}),
                     Make<float>({2}, {3, 7})));
    CHECK(std::isnan(Numbered<float>(
        Run<ops::MirrorPadGrad>(Mode("SYMMETRIC"), {Make<float>({3}, {kNaN, 2, 3}), Paddings({1, 0})}))[0]));
  }
  TEST_CASE("what is refused") {
    constexpr std::int32_t kMax = 2147483647, kMin = -kMax - 1;
    const Tensor x = Make<float>({6}, {1});
    for (const Tensor& bad :
         {Paddings({-1, 0}), Paddings({6, 0}), Paddings({3, 3}), Paddings({kMax, kMax}), Paddings({kMin, kMin}),
          Paddings({3, 0}), Paddings({0, 0, 0, 0}), Ints({0, 0}), MakeTensor<std::int32_t>({1, 3}, {0, 0, 0})})
      CHECK(ErrorOf<ops::MirrorPadGrad>(Mode("REFLECT"), {x, bad}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::MirrorPadGrad>(Mode("SYMMETRIC"), {x, Paddings({4, 0})}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::MirrorPadGrad>(Mode("SYMMETRIC"), {x, Paddings({3, 0})}).empty() == false);
    CHECK(ErrorOf<ops::MirrorPadGrad>(Mode("SIDEWAYS"), {x, Paddings({1, 0})}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::MirrorPadGrad>(Mode("REFLECT"),
                                      {Make<float>({3, 3, 3, 3, 3, 3}, {1}), Tensor::Zeros<std::int32_t>({6, 2})})
              .find("UNIMPLEMENTED: ") == 0);
    CHECK(ErrorOf<ops::MirrorPadGrad>(Mode("REFLECT"), {Tensor(DataType::kFloat, {0}), Paddings({0, 0})})
              .find("INVALID_ARGUMENT: ") == 0);
  }
}
}  // namespace pad_gradient_test
