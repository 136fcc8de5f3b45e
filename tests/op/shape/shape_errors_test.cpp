// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_errors.hpp>

#include <doctest/doctest.h>

namespace shape_errors_test {
namespace {
using namespace tenon;

// TensorFlow's texts; the others are tested where they are said.
TEST_SUITE("what shape inference says") {
  TEST_CASE("with the code and the text of TensorFlow") {
    CHECK(detail::shape_has_the_wrong_rank("at least ", 2, 1).ToString() ==
          "INVALID_ARGUMENT: Shape must be at least rank 2 but is rank 1");
    CHECK(detail::dimensions_must_be_equal(3, 4).ToString() ==
          "INVALID_ARGUMENT: Dimensions must be equal, but are 3 and 4");
    CHECK(detail::dimension_becomes_negative(2, 3).message() ==
          "Negative dimension size caused by subtracting 3 from 2");
    CHECK(detail::shape_value_is_invalid(-2).message() == "Invalid value in tensor used for shape: -2");
    CHECK(detail::too_many_dimensions(300, 254).code() == Code::kInternal);
    CHECK(detail::attr_is_missing_or_has_another_type("T", "Add").ToString() ==
          "NOT_FOUND: No attr named 'T' in NodeDef: Add");
  }
}
}  // namespace
}  // namespace shape_errors_test
