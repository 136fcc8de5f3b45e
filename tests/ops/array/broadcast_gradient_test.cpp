// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/broadcast_gradient.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "ops/support.hpp"

namespace broadcast_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::vector<Tensor> Reduced(const Tensor& s0, const Tensor& s1) {
  return RunAll("BroadcastGradientArgs", {}, {s0, s1}, 2);
}

}  // namespace

TEST_SUITE("BroadcastGradientArgs") {
  TEST_CASE("the dimensions in which one was repeated, or both have one element") {
    auto r = Reduced(Ints({2, 3, 5}), Ints({3, 1}));
    CHECK(SameTensor(r[0], Ints({})));
    CHECK(SameTensor(r[1], Ints({0, 2})));
    r = Reduced(Longs({1}), Longs({2, 3}));
    CHECK(SameTensor(r[0], Longs({0, 1})));
    CHECK(SameTensor(r[1], Longs({})));
    r = Reduced(Ints({1, 4, 1}), Ints({1, 1, 3}));
    CHECK(SameTensor(r[0], Ints({0, 2})));
    CHECK(SameTensor(r[1], Ints({0, 1})));
  }
  TEST_CASE("equal shapes, scalars, dimensions without elements") {
    for (const Tensor& shape : {Ints({}), Ints({1}), Ints({2, 1, 3}), Ints({0, 1})}) {
      const auto r = Reduced(shape, shape);
      CHECK(r[0].NumElements() == 0);
      CHECK(r[1].NumElements() == 0);
    }
    auto r = Reduced(Ints({}), Ints({2, 1}));
    CHECK(SameTensor(r[0], Ints({0, 1})));
    CHECK(SameTensor(r[1], Ints({1})));
    r = Reduced(Ints({0, 3}), Ints({1, 3}));
    CHECK(SameTensor(r[0], Ints({})));
    CHECK(SameTensor(r[1], Ints({0})));
  }
  TEST_CASE("summing over them gives each gradient the size of its input") {
    for (const auto& [a, b] : {std::pair(Ints({2, 1, 4}), Ints({3, 1})), std::pair(Ints({1, 1}), Ints({5, 1, 2}))}) {
      const auto r = Reduced(a, b);
      const Tensor whole = RunAll("BroadcastArgs", {}, {a, b}, 1)[0];
      const Tensor ones = RunAll("Fill", {}, {whole, Tensor::Scalar(1.f)}, 1)[0];
      const Tensor sums[2] = {RunAll("Sum", {}, {ones, r[0]}, 1)[0], RunAll("Sum", {}, {ones, r[1]}, 1)[0]};
      for (int k = 0; k < 2; ++k) {
        double elements = 1;
        for (const double size : Numbered<std::int32_t>(k == 0 ? a : b)) elements *= size;
        CHECK(static_cast<double>(sums[k].NumElements()) == elements);
      }
    }
  }
  TEST_CASE("what is refused") {
    CHECK(ErrorOf<ops::BroadcastGradientArgs>({}, {Ints({2, 3}), Ints({2})}) ==
          "INVALID_ARGUMENT: BroadcastGradientArgs: Incompatible shapes: [2,3] vs. [2]");
    CHECK(ErrorOf<ops::BroadcastGradientArgs>({}, {Int(2), Ints({2})}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::BroadcastGradientArgs>({}, {Ints({2}), Tensor(DataType::kInt32, {1, 1})})
              .find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::BroadcastGradientArgs>({}, {Ints({-2147483647 - 1}), Ints({2147483647})})
              .find("INVALID_ARGUMENT: ") == 0);
  }
}
}  // namespace broadcast_gradient_test
