// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/scatter_non_aliasing.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ops/support.hpp"

namespace scatter_non_aliasing_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ScatterNdNonAliasingAdd") {
  using Op = ops::ScatterNdNonAliasingAdd;

  TEST_CASE("elements and slices, one place twice, as TensorScatterAdd") {
    const Tensor x = Ints({1, 2, 3, 4});
    const std::vector<Tensor> elements{x, MakeTensor<std::int32_t>({3, 1}, {3, 0, 3}), Ints({10, 20, 30})};
    CHECK(SameTensor(Run<Op>({}, elements), Ints({21, 2, 3, 44})));
    CHECK(SameTensor(RunAll("TensorScatterAdd", {}, elements, 1)[0], Ints({21, 2, 3, 44})));
    const Tensor matrix = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(SameTensor(Run<Op>({}, {matrix, MakeTensor<std::int64_t>({1, 1}, {1}), Make<double>({1, 3}, {10, 20, 30})}),
                     Make<double>({2, 3}, {1, 2, 3, 14, 25, 36})));
    CHECK(SameTensor(Run<Op>({}, {matrix, MakeTensor<std::int64_t>({1, 2}, {1, 2}), Make<double>({1}, {-6})}),
                     Make<double>({2, 3}, {1, 2, 3, 4, 5, 0})));
  }
  TEST_CASE("integers wrap, bools are or-ed, NaN stays") {
    CHECK(SameTensor(Run<Op>({}, {MakeTensor<std::uint8_t>({1}, {255}), MakeTensor<std::int32_t>({1, 1}, {0}),
                                  MakeTensor<std::uint8_t>({1}, {2})}),
                     MakeTensor<std::uint8_t>({1}, {1})));
    CHECK(SameTensor(Run<Op>({}, {MakeTensor<bool>({2}, {true, false}), MakeTensor<std::int32_t>({2, 1}, {0, 1}),
                                  MakeTensor<bool>({2}, {true, true})}),
                     MakeTensor<bool>({2}, {true, true})));
    CHECK(std::isnan(Numbered<float>(
        Run<Op>({}, {Make<float>({1}, {kNaN}), MakeTensor<std::int32_t>({1, 1}, {0}), Make<float>({1}, {2})}))[0]));
  }
  TEST_CASE("nothing") {
    const Tensor x = Ints({1, 2});
    CHECK(SameTensor(Run<Op>({}, {x, Tensor(DataType::kInt32, {0, 1}), Ints({})}), x));
    const Tensor none(DataType::kFloat, {2, 0});
    CHECK(Run<Op>({}, {none, Tensor(DataType::kInt32, {0, 1}), Tensor(DataType::kFloat, {0, 0})}).shape() ==
          TensorShape({2, 0}));
    CHECK(ErrorOf<Op>({}, {none, MakeTensor<std::int32_t>({1, 1}, {1}), Tensor(DataType::kFloat, {1, 0})})
              .find("Indices and updates specified for empty output shape") != std::string::npos);
  }
  TEST_CASE("places outside and shapes that do not fit are refused") {
    const Tensor x = Ints({1, 2, 3});
    for (const std::int32_t bad :
         {3, -1, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()})
      CHECK(ErrorOf<Op>({}, {x, MakeTensor<std::int32_t>({1, 1}, {bad}), Ints({1})}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<Op>({}, {x, Ints({0}), Int(1)}).find("Updates shape must have rank at least one. Found:[]") !=
          std::string::npos);
    CHECK(ErrorOf<Op>({}, {x, MakeTensor<std::int32_t>({1, 2}, {0, 0}), Ints({1})}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<Op>({}, {x, MakeTensor<std::int32_t>({2, 1}, {0, 0}), Ints({1})}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<Op>({}, {Tensor(DataType::kInt32, {0}), MakeTensor<std::int32_t>({1, 1}, {0}), Ints({1})})
              .find("INVALID_ARGUMENT: ") == 0);
  }
}
}  // namespace scatter_non_aliasing_test
