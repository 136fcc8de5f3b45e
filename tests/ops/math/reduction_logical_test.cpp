// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/reduction_logical.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_reduction_logical_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Bools(const TensorShape& shape, std::uint64_t seed, Index one_in) {
  tenon::testing::Numbers numbers(seed);
  Tensor x(DataType::kBool, shape);
  for (Index i = 0; i < shape.num_elements(); ++i) x.data<bool>()[i] = numbers.Below(one_in) == 0;
  return x;
}

}  // namespace

TEST_SUITE("All and Any") {
  TEST_CASE("are what loops over the middle dimension find, whatever the sizes") {
    for (const TensorShape& shape :
         {TensorShape({1, 1, 1}), TensorShape({3, 70, 5}), TensorShape({2, 1000, 1}), TensorShape({1, 3, 129})}) {
      for (const Index one_in : {Index{1}, Index{2}, Index{60}}) {
        const Tensor x = Bools(shape, 9, one_in);
        const Index n = shape.dim_size(1), inner = shape.dim_size(2);
        const Tensor all = Run<ops::ReduceAll>({}, {x, Int(1)}), any = Run<ops::ReduceAny>({}, {x, Int(-2)});
        for (Index o = 0; o < shape.dim_size(0); ++o)
          for (Index i = 0; i < inner; ++i) {
            bool every = true, some = false;
            for (Index j = 0; j < n; ++j) {
              every = every && x.data<bool>()[(o * n + j) * inner + i];
              some = some || x.data<bool>()[(o * n + j) * inner + i];
            }
            CHECK(all.data<bool>()[o * inner + i] == every);
            CHECK(any.data<bool>()[o * inner + i] == some);
          }
      }
    }
  }
  TEST_CASE("of nothing: all of it, and none") {
    const Tensor none(DataType::kBool, {2, 0});
    CHECK(Numbered<bool>(Run<ops::ReduceAll>({}, {none, Int(1)})) == std::vector<double>{1, 1});
    CHECK(Numbered<bool>(Run<ops::ReduceAny>({}, {none, Int(1)})) == std::vector<double>{0, 0});
    CHECK(Run<ops::ReduceAny>({}, {none, Int(0)}).shape() == TensorShape({0}));
  }
  TEST_CASE("bools that are bytes other than 0 and 1 are made 1") {
    const std::uint8_t sums[] = {0, 1, 255, 2};
    bool out[4];
    ops::detail::FinishBools(sums, 1, out, 4);
    std::uint8_t bytes[4];
    std::memcpy(bytes, out, 4);
    CHECK((bytes[0] == 0 && bytes[1] == 1 && bytes[2] == 1 && bytes[3] == 1));
  }
  TEST_CASE("no axes change nothing, and dimensions are kept where that is wanted") {
    const Tensor x = MakeTensor<bool>({2, 1}, {true, false});
    CHECK(Numbered<bool>(Run<ops::ReduceAll>({}, {x, Ints({})})) == std::vector<double>{1, 0});
    CHECK(Run<ops::ReduceAll>({{"keep_dims", true}}, {x, Ints({0, 1})}).shape() == TensorShape({1, 1}));
    CHECK(Run<ops::ReduceAny>({}, {x, Longs({0, 1})}).data<bool>()[0]);
    CHECK(Numbered<bool>(Run<ops::ReduceAny>({}, {Tensor::Scalar(true), Ints({})})) == std::vector<double>{1});
  }
  TEST_CASE("says which axis is wrong, under the name that graphs know") {
    const Tensor x = MakeTensor<bool>({2, 1}, {true, false});
    CHECK(
        ErrorOf<ops::ReduceAll>({}, {x, Int(2)}) ==
        "INVALID_ARGUMENT: All: Invalid reduction dimension 2 for input with 2 dimension(s); axes must be in [-2, 2)");
    CHECK(ErrorOf<ops::ReduceAny>({}, {x, Ints({0, -2})}) ==
          "INVALID_ARGUMENT: Any: Invalid reduction arguments: Axes contains duplicate dimension: 0");
  }
}
}  // namespace math_reduction_logical_test
