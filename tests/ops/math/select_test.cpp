// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/select.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_select_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Select") {
  TEST_CASE_TEMPLATE("chooses by element, by row or at once", T, float, double, half, std::int8_t, std::uint64_t,
                     complex128, bool) {
    const Tensor t = Make<T>({2, 2}, {1}), e = Make<T>({2, 2}, {0});
    const auto chosen = [&](const Tensor& condition) { return Numbered<T>(Run<ops::Select>({}, {condition, t, e})); };
    CHECK(chosen(Make<bool>({2, 2}, {1, 0, 0, 1})) == std::vector<double>{1, 0, 0, 1});
    CHECK(chosen(Make<bool>({2}, {0, 1})) == std::vector<double>{0, 0, 1, 1});
    CHECK(chosen(Make<bool>({}, {1})) == std::vector<double>{1, 1, 1, 1});
  }
  TEST_CASE("refuses shapes that do not fit") {
    const Tensor t = Make<float>({2, 3}, {1}), yes = Make<bool>({2}, {1});
    CHECK(ErrorOf<ops::Select>({}, {yes, t, Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: Select: 't' and 'e' must have the same size and shape, got [2,3] and [3]");
    CHECK(ErrorOf<ops::Select>({}, {Make<bool>({3}, {1}), t, t}) ==
          "INVALID_ARGUMENT: Select: Number of batches of 't' must match size of 'condition', but saw: 2 vs. 3");
    CHECK(ErrorOf<ops::Select>({}, {yes, Make<float>({}, {1}), Make<float>({}, {1})}) ==
          "INVALID_ARGUMENT: Select: 't' must be at least a vector, but saw shape: []");
    CHECK(ErrorOf<ops::Select>({}, {Make<bool>({}, {1}), Make<qint8>({}, {1}), Make<qint8>({}, {1})}) ==
          "INVALID_ARGUMENT: no kernel for op 'Select' on CPU with types {qint8}");
  }
}

TEST_SUITE("SelectV2") {
  TEST_CASE("broadcasts all three") {
    const std::vector<TensorShape> shapes = {{}, {1}, {3}, {2, 1}, {2, 3}, {4, 1, 3}, {4, 2, 1}, {0, 1, 1}};
    for (const TensorShape& a : shapes) {
      for (const TensorShape& b : shapes) {
        for (const TensorShape& c : shapes) {
          const Tensor condition = Make<bool>(a, {1, 0, 0, 1, 1}), t = Random<float>(b, 2), e = Random<float>(c, 3);
          TensorShape ab, abc;
          if (!BroadcastShape(a, b, &ab).ok() || !BroadcastShape(ab, c, &abc).ok()) continue;
          const Tensor y = Run<ops::SelectV2>({}, {condition, t, e});
          REQUIRE(y.shape() == abc);
          const std::vector<Index> at_c = BroadcastIndices(a, abc), at_t = BroadcastIndices(b, abc),
                                   at_e = BroadcastIndices(c, abc);
          for (std::size_t i = 0; i < at_c.size(); ++i)
            CHECK(y.data<float>()[i] ==
                  (condition.data<bool>()[at_c[i]] ? t.data<float>()[at_t[i]] : e.data<float>()[at_e[i]]));
        }
      }
    }
  }
  TEST_CASE("moves strings") {
    Tensor t(DataType::kString, {2}), e(DataType::kString, {});
    t.data<tstring>()[0] = tstring("a");
    t.data<tstring>()[1] = tstring("a string that does not fit into the object itself");
    e.data<tstring>()[0] = tstring("e");
    const Tensor y = Run<ops::SelectV2>({}, {Make<bool>({2}, {0, 1}), t, e});
    CHECK(y.data<tstring>()[0] == e.data<tstring>()[0]);
    CHECK(y.data<tstring>()[1] == t.data<tstring>()[1]);
  }
  TEST_CASE("refuses shapes that do not broadcast") {
    CHECK(ErrorOf<ops::SelectV2>({}, {Make<bool>({2}, {1}), Make<float>({3}, {1}), Make<float>({}, {1})}) ==
          "INVALID_ARGUMENT: SelectV2: condition [2], then [3], and else [] must be broadcastable");
  }
  TEST_CASE("of large tensors, on several threads") {
    const Tensor condition = Make<bool>({300, 1}, {1, 0, 0, 1, 1}), t = Random<float>({300, 700}, 2),
                 e = Random<float>({700}, 3);
    const Tensor y = Run<ops::SelectV2>({}, {condition, t, e}, {.intra_op_threads = 3});
    int wrong = 0;
    for (Index i = 0; i < 300; ++i)
      for (Index j = 0; j < 700; ++j)
        wrong += y.data<float>()[i * 700 + j] !=
                 (condition.data<bool>()[i] ? t.data<float>()[i * 700 + j] : e.data<float>()[j]);
    CHECK(wrong == 0);
  }
}
}  // namespace math_select_test
