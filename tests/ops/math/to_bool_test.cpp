// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/to_bool.hpp>

#include "ops/outputs.hpp"

namespace math_to_bool_test {
using namespace tenon;
using namespace tenon::testing;
using ops::ToBool;

TEST_SUITE("ToBool") {
  TEST_CASE("scalars by their value, other tensors by their size") {
    CHECK(OutputsOf<ToBool>({}, {Make<float>({}, {-0.5})}) == "1");
    CHECK(OutputsOf<ToBool>({}, {Make<float>({}, {-0.0})}) == "0");
    CHECK(OutputsOf<ToBool>({}, {Make<std::int8_t>({}, {7})}) == "1");
    CHECK(OutputsOf<ToBool>({}, {Ints({0})}) == "1");
    CHECK(OutputsOf<ToBool>({}, {Ints({})}) == "0");
    CHECK(OutputsOf<ToBool>({}, {Tensor(DataType::kString, TensorShape())}) == "0");
  }
  TEST_CASE("refuses other types") {
    CHECK(ErrorOf<ToBool>({}, {Make<std::uint16_t>({}, {1})}) ==
          "INVALID_ARGUMENT: ToBool: uint16 cannot be converted to a boolean");
  }
  TEST_CASE("shapes") { CHECK(ShapesOf<ToBool>({{2, 3}}) == "[]"); }
}
}  // namespace math_to_bool_test
