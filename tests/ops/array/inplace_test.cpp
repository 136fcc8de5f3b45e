// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/inplace.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ops/support.hpp"

namespace inplace_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("InplaceUpdate, InplaceAdd, InplaceSub, DeepCopy") {
  const Tensor kX = MakeTensor<std::int32_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor kV = MakeTensor<std::int32_t>({2, 2}, {10, 20, 30, 40});

  TEST_CASE("rows, counted from either end, one of them twice") {
    CHECK(SameTensor(Run<ops::InplaceUpdate>({}, {kX, Ints({2, 0}), kV}),
                     MakeTensor<std::int32_t>({3, 2}, {30, 40, 3, 4, 10, 20})));
    CHECK(SameTensor(Run<ops::InplaceUpdate>({}, {kX, Ints({-1, 4}), kV}),
                     MakeTensor<std::int32_t>({3, 2}, {1, 2, 30, 40, 10, 20})));
    CHECK(SameTensor(Run<ops::InplaceUpdate>({}, {kX, Ints({1, 1}), kV}),
                     MakeTensor<std::int32_t>({3, 2}, {1, 2, 30, 40, 5, 6})));
    CHECK(SameTensor(Run<ops::InplaceAdd>({}, {kX, Ints({1, 1}), kV}),
                     MakeTensor<std::int32_t>({3, 2}, {1, 2, 43, 64, 5, 6})));
    CHECK(SameTensor(Run<ops::InplaceSub>({}, {kX, Ints({0, -3}), kV}),
                     MakeTensor<std::int32_t>({3, 2}, {-39, -58, 3, 4, 5, 6})));
    constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min(),
                           kMax = std::numeric_limits<std::int32_t>::max();
    // kMin % 3 = -2: row 1; kMax % 3 = 1.
    CHECK(SameTensor(Run<ops::InplaceUpdate>({}, {kX, Ints({kMin, kMax}), kV}),
                     MakeTensor<std::int32_t>({3, 2}, {1, 2, 30, 40, 5, 6})));
  }
  TEST_CASE("integers wrap, NaN stays") {
    const Tensor top = MakeTensor<std::int8_t>({1}, {127}), one = MakeTensor<std::int8_t>({1}, {1});
    CHECK(SameTensor(Run<ops::InplaceAdd>({}, {top, Ints({0}), one}), MakeTensor<std::int8_t>({1}, {-128})));
    CHECK(std::isnan(
        Numbered<float>(Run<ops::InplaceAdd>({}, {Make<float>({1}, {kNaN}), Ints({0}), Make<float>({1}, {1})}))[0]));
  }
  TEST_CASE("every type that moves") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {4, 3}), v = AnyBits(dtype, {1, 3}, 9);
      const Tensor y = Run<ops::InplaceUpdate>({}, {x, Ints({2}), v});
      CHECK(SameTensor(RunAll("Slice", {}, {y, Ints({2, 0}), Ints({1, 3})}, 1)[0], v));
      CHECK(SameTensor(RunAll("Slice", {}, {y, Ints({0, 0}), Ints({2, 3})}, 1)[0], x.Slice(0, 2).DeepCopy()));
      const Tensor copy = Run<ops::DeepCopy>({}, {x});
      CHECK(SameTensor(copy, x));
      CHECK(copy.raw_data() != x.raw_data());
    }
  }
  TEST_CASE("no rows, rows of nothing, a tensor without rows") {
    CHECK(SameTensor(Run<ops::InplaceAdd>({}, {kX, Ints({}), Tensor(DataType::kInt32, {0, 2})}), kX));
    CHECK(Run<ops::InplaceUpdate>({}, {Tensor(DataType::kFloat, {3, 0}), Ints({5}), Tensor(DataType::kFloat, {1, 0})})
              .shape() == TensorShape({3, 0}));
    CHECK(
        Run<ops::InplaceUpdate>({}, {Tensor(DataType::kFloat, {0, 2}), Ints({0}), Make<float>({1, 2}, {1})}).shape() ==
        TensorShape({0, 2}));
    CHECK(Run<ops::DeepCopy>({}, {Tensor(DataType::kString, {0})}).shape() == TensorShape({0}));
    CHECK(SameTensor(Run<ops::DeepCopy>({}, {Tensor::Scalar(2.0)}), Tensor::Scalar(2.0)));
  }
  TEST_CASE("what is refused") {
    CHECK(ErrorOf<ops::InplaceUpdate>({}, {kX, Ints({0}), kV})
              .find("InplaceUpdate: i and x shape doesn't match at index 0") != std::string::npos);
    CHECK(ErrorOf<ops::InplaceUpdate>({}, {kX, Int(0), kV}).find("InplaceUpdate: i must be a vector") !=
          std::string::npos);
    CHECK(ErrorOf<ops::InplaceAdd>({}, {kX, Ints({0}), Make<std::int32_t>({1, 3}, {1})})
              .find("InplaceAdd: x and v shape doesn't match at index 1") != std::string::npos);
    CHECK(ErrorOf<ops::InplaceAdd>({}, {kX, Ints({0}), Ints({1})}).find("(ranks differ)") != std::string::npos);
    CHECK(ErrorOf<ops::InplaceSub>({}, {Int(1), Ints({}), Int(1)}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::InplaceAdd>({}, {AnyBits(DataType::kString, {1}), Ints({0}), AnyBits(DataType::kString, {1})})
              .find("InplaceAdd: Unsupported data type: string") != std::string::npos);
  }
}
}  // namespace inplace_test
