// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/kernel/variant_arithmetic.hpp>
#include <tenon/ops/ragged/variant.hpp>
#include <tenon/ops/list/tensor_list_tensor.hpp>

#include "ops/support.hpp"

namespace math_variant_arithmetic_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
const TensorList& ListOf(const Tensor& tensor) { return *tensor.data<Variant>()[0].get<TensorList>(); }
}  // namespace

TEST_SUITE("Sums and zeros of variants") {
  TEST_CASE("lists are added element by element, what is not set counts as zero") {
    const Tensor any = Tensor::Scalar<std::int32_t>(-1);
    const auto full = Call<ops::TensorListFromTensor>({}, {Make<float>({2, 2}, {1, 2, 3, 4}), any});
    const auto half = Call<ops::TensorListScatterV2>(
        {}, {Make<float>({1, 2}, {10, 20}), MakeTensor<std::int32_t>({1}, {1}), any, Tensor::Scalar<std::int32_t>(2)});
    REQUIRE(full.ok());
    REQUIRE(half.ok());
    const auto sum = Call<ops::AddN>({}, {(*full)[0], (*half)[0], (*half)[0]});
    REQUIRE_MESSAGE(sum.ok(), sum.status().ToString());
    CHECK(Numbered<float>(ListOf((*sum)[0]).at(0)) == std::vector<double>{1, 2});
    CHECK(Numbered<float>(ListOf((*sum)[0]).at(1)) == std::vector<double>{23, 44});
    CHECK(Numbered<float>(ListOf((*full)[0]).at(1)) == std::vector<double>{3, 4});
    const auto zeros = Call<ops::ZerosLike>({}, {(*half)[0]});
    REQUIRE(zeros.ok());
    CHECK(!TensorList::IsSet(ListOf((*zeros)[0]).at(0)));
    CHECK(Numbered<float>(ListOf((*zeros)[0]).at(1)) == std::vector<double>{0, 0});
  }
  TEST_CASE("ragged tensors need the same rows") {
    const AttrArgs whole = {{"batched_input", AttrValue(false)}};
    const Tensor values = Make<std::int32_t>({3}, {1, 2, 3});
    const auto a = Call<ops::RaggedTensorToVariant>(whole, {MakeTensor<std::int64_t>({3}, {0, 1, 3}), values});
    const auto b = Call<ops::RaggedTensorToVariant>(whole, {MakeTensor<std::int64_t>({3}, {0, 2, 3}), values});
    REQUIRE_MESSAGE(a.ok(), a.status().ToString());
    REQUIRE(b.ok());
    const auto sum = Call<ops::AddN>({}, {(*a)[0], (*a)[0]});
    REQUIRE_MESSAGE(sum.ok(), sum.status().ToString());
    CHECK(Numbered<std::int32_t>((*sum)[0].data<Variant>()[0].get<RaggedTensorVariant>()->values) ==
          std::vector<double>{2, 4, 6});
    CHECK(Call<ops::AddN>({}, {(*a)[0], (*b)[0]}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("vectors of variants are refused") {
    const Tensor two(DataType::kVariant, TensorShape({2}));
    CHECK(ErrorOf<ops::ZerosLike>({}, {two}).find("of non-scalar Tensor with dtype=DT_VARIANT is not supported") !=
          std::string::npos);
    CHECK(Call<ops::AddN>({}, {two, two}).status().code() == Code::kInvalidArgument);
  }
}
}  // namespace math_variant_arithmetic_test
