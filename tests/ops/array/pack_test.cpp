// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/pack.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/types/numeric.hpp>

#include <doctest/doctest.h>

#include "op_call.hpp"

namespace array_pack_test {
using namespace tenon;

namespace {
std::string Show(const Result<std::vector<Tensor>>& outputs) {
  if (!outputs.ok()) return outputs.status().ToString();
  return StrCat((*outputs)[0].shape(), " ", (*outputs)[0].SummarizeValue(30));
}
}  // namespace

TEST_SUITE("Pack") {
  TEST_CASE("stacks along any axis") {
    const Tensor a = MakeTensor<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}),
                 b = MakeTensor<std::int32_t>({2, 3}, {7, 8, 9, 10, 11, 12});
    CHECK(Show(testing::Call<ops::Pack>({}, {a, b})) == "[2,2,3] [[1 2 3][4 5 6]][[7 8 9][10 11 12]]");
    CHECK(Show(testing::Call<ops::Pack>({{"axis", 1}}, {a, b})) == "[2,2,3] [[1 2 3][7 8 9]][[4 5 6][10 11 12]]");
    CHECK(Show(testing::Call<ops::Pack>({{"axis", -1}}, {a, b})) == "[2,3,2] [[1 7][2 8][3 9]][[4 10][5 11][6 12]]");
    CHECK(Show(testing::Call<ops::Pack>({{"axis", -3}}, {a, b})) == Show(testing::Call<ops::Pack>({}, {a, b})));
  }

  TEST_CASE("makes a vector of scalars, however many") {
    std::vector<Tensor> scalars;
    for (int i = 0; i < 100; ++i) scalars.push_back(Tensor::Scalar(static_cast<float>(i)));
    const auto y = testing::Call<ops::Pack>({}, scalars);
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    REQUIRE((*y)[0].shape() == TensorShape{100});
    for (Index i = 0; i < 100; ++i) CHECK_UNARY((*y)[0].data<float>()[i] == static_cast<float>(i));
  }

  TEST_CASE("stacks strings and empty tensors; one tensor alone keeps its buffer") {
    const Tensor s =
        MakeTensor<tstring>({2}, {tstring("a"), tstring("something that needs the heap for its characters")});
    CHECK(
        Show(testing::Call<ops::Pack>({{"axis", 1}}, {s, s})) ==
        "[2,2] [a a][something that needs the heap for its characters something that needs the heap for its characters]");
    CHECK(Show(testing::Call<ops::Pack>(
              {{"axis", 1}}, {Tensor(DataType::kHalf, {3, 0}), Tensor(DataType::kHalf, {3, 0})})) == "[3,2,0] ");
    const Tensor a = MakeTensor<double>({2}, {1, 2});
    const auto alone = testing::Call<ops::Pack>({{"axis", 1}}, {a});
    REQUIRE(alone.ok());
    CHECK((*alone)[0].shape() == TensorShape{2, 1});
    CHECK((*alone)[0].raw_data() == a.raw_data());
  }

  TEST_CASE("names the shapes that differ, and the axes there are") {
    const Tensor a = MakeTensor<float>({2}, {1, 2}), b = MakeTensor<float>({3}, {1, 2, 3});
    const Status shapes = testing::Call<ops::Pack>({}, {a, a, b}).status();
    CHECK(shapes.code() == Code::kInvalidArgument);
    CHECK(shapes.message().find(
              "Pack: Shapes of all inputs must match: values[0].shape = [2] != values[2].shape = [3]") == 0);
    const Status axis = testing::Call<ops::Pack>({{"axis", 2}}, {a, a}).status();
    CHECK(axis.code() == Code::kInvalidArgument);
    CHECK(axis.message().find("Pack: axis = 2 not in [-2, 2)") == 0);
  }
}
}  // namespace array_pack_test
