// SPDX-License-Identifier: Apache-2.0
#pragma once
// The errors of shape inference, with TensorFlow's messages. The functions are not constant expressions: where a shape
// function runs in one, the compiler stops at the call, whose name states the mistake (docs/reference/errors.md).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

TENON_DETAIL_COLD inline Status shape_has_the_wrong_rank(std::string_view what, std::int64_t want, std::int64_t got) {
  return errors::InvalidArgument("Shape must be ", what, "rank ", want, " but is rank ", got);
}
TENON_DETAIL_COLD inline Status rank_is_too_large() { return errors::InvalidArgument("Rank cannot exceed kint32max"); }
TENON_DETAIL_COLD inline Status dimension_has_the_wrong_size(std::int64_t want, std::int64_t got) {
  return errors::InvalidArgument("Dimension must be ", want, " but is ", got);
}
TENON_DETAIL_COLD inline Status dimensions_must_be_equal(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Dimensions must be equal, but are ", a, " and ", b);
}
TENON_DETAIL_COLD inline Status shapes_must_have_equal_rank(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Shapes must be equal rank, but are ", a, " and ", b);
}
TENON_DETAIL_COLD inline Status subshape_is_out_of_bounds(std::string_view which, std::int64_t at, std::int64_t rank) {
  return errors::InvalidArgument("Subshape ", which, " out of bounds: ", at, ", for shape with rank ", rank);
}
TENON_DETAIL_COLD inline Status subshape_ends_before_it_starts(std::int64_t start, std::int64_t end,
                                                               std::int64_t start_in, std::int64_t end_in,
                                                               std::int64_t rank, std::int64_t stride) {
  const std::string from = StrCat(start, " and ", end, " (computed from start ", start_in, " and end ", end_in,
                                  " over shape with rank ", rank);
  if (stride > 0) return errors::InvalidArgument("Subshape must have computed start <= end, but is ", from, ")");
  return errors::InvalidArgument("Subshape must have computed start >= end since stride is negative, but is ", from,
                                 " and stride", stride, ")");
}
TENON_DETAIL_COLD inline Status dimension_index_is_out_of_range(std::int64_t index, std::int64_t rank) {
  return errors::InvalidArgument("Out of range dim_index ", index, " for shape with ", rank, " dimensions");
}
TENON_DETAIL_COLD inline Status divisor_must_be_positive(std::int64_t k) {
  return errors::InvalidArgument("Divisor must be positive but is ", k);
}
TENON_DETAIL_COLD inline Status dimension_must_be_divisible(std::int64_t k, std::int64_t size) {
  return errors::InvalidArgument("Dimension size must be evenly divisible by ", k, " but is ", size);
}
TENON_DETAIL_COLD inline Status dimension_overflows_in_a_sum(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Dimension size overflow from adding ", a, " and ", b);
}
TENON_DETAIL_COLD inline Status dimension_becomes_negative(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Negative dimension size caused by subtracting ", b, " from ", a);
}
TENON_DETAIL_COLD inline Status dimension_overflows_in_a_product(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Negative dimension size caused by overflow when multiplying ", a, " and ", b);
}
TENON_DETAIL_COLD inline Status too_many_dimensions(std::int64_t n, std::int64_t max) {
  return errors::Internal("Cannot create a tensor with ", n, " dimensions, as these would be more than maximum of ",
                          max);
}
TENON_DETAIL_COLD inline Status shape_value_is_invalid(std::int64_t v) {
  return errors::InvalidArgument("Invalid value in tensor used for shape: ", v);
}
TENON_DETAIL_COLD inline Status scalar_shape_must_be_minus_one(std::int64_t v) {
  return errors::InvalidArgument(
      "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape).  ",
      "Saw value: ", v);
}
TENON_DETAIL_COLD inline Status size_must_not_be_negative(int input, std::int64_t v) {
  return errors::InvalidArgument("Dimension size, given by scalar input ", input, ", must be non-negative but is ", v);
}
TENON_DETAIL_COLD inline Status index_is_out_of_range(std::int64_t v, std::int64_t rank) {
  return errors::InvalidArgument("Dimension size, given by scalar input ", v, " must be in range [-", rank, ", ", rank,
                                 ")");
}
TENON_DETAIL_COLD inline Status wrong_number_of_inputs(std::size_t got, std::size_t want) {
  return errors::InvalidArgument("Wrong number of inputs passed: ", got, " while ", want, " expected based on NodeDef");
}
TENON_DETAIL_COLD inline Status unknown_argument_name(std::string_view which, std::string_view name) {
  return errors::InvalidArgument("Unknown ", which, " name: ", name);
}
TENON_DETAIL_COLD inline Status wrong_number_of_shapes(std::size_t want) {
  return errors::InvalidArgument("Must have exactly ", want, " shapes.");
}
TENON_DETAIL_COLD inline Status shapes_attribute_is_empty() { return errors::Internal("shapes attribute is empty"); }
TENON_DETAIL_COLD inline Status attr_is_not_in_the_signature(std::string_view name, std::string_view op) {
  return errors::InvalidArgument("op '", op, "' has no attr named '", name, "'");
}
TENON_DETAIL_COLD inline Status attr_is_missing_or_has_another_type(std::string_view name, std::string_view op) {
  return errors::NotFound("No attr named '", name, "' in NodeDef: ", op);
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
