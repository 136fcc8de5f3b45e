// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/logical.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_logical_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Not(const Tensor& x) { return Run<ops::LogicalNot>({}, {x}); }
Tensor And(const Tensor& x, const Tensor& y) { return Run<ops::LogicalAnd>({}, {x, y}); }
Tensor Or(const Tensor& x, const Tensor& y) { return Run<ops::LogicalOr>({}, {x, y}); }

}  // namespace

TEST_SUITE("Logical") {
  const Tensor f = Make<bool>({2, 2}, {0, 0, 1, 1}), g = Make<bool>({2}, {0, 1});

  TEST_CASE("the tables") {
    CHECK(Numbered<bool>(And(f, g)) == std::vector<double>{0, 0, 0, 1});
    CHECK(Numbered<bool>(Or(f, g)) == std::vector<double>{0, 1, 1, 1});
    CHECK(Numbered<bool>(Not(g)) == std::vector<double>{1, 0});
  }
  TEST_CASE("De Morgan's laws, with broadcasting, for rows of any length") {
    for (Index n = 0; n <= 70; n += 7) {
      const Tensor x = AnyBits(DataType::kBool, {3, n}, 1), y = AnyBits(DataType::kBool, {3, 1}, 2);
      CHECK(SameTensor(Not(And(x, y)), Or(Not(x), Not(y))));
      CHECK(SameTensor(Or(x, y), Or(y, x)));
      CHECK(SameTensor(And(x, y), And(y, x)));
      CHECK(SameTensor(Not(Not(x)), x));
      CHECK(Numbered<bool>(And(x, Not(x))) == std::vector<double>(static_cast<std::size_t>(3 * n), 0));
    }
  }
  TEST_CASE("shapes that do not fit, and numbers") {
    CHECK(ErrorOf<ops::LogicalAnd>({}, {f, Make<bool>({3}, {1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::LogicalNot>({}, {Make<float>({2}, {1})}).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace math_logical_test
