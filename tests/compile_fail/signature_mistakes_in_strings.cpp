// expect: op_signature_error_attr_has_the_name_of_a_dtype
// SPDX-License-Identifier: Apache-2.0
// Mistakes that are rare, one a line.
#include <string_view>

#include <tenon/op/signature/signature.hpp>

using tenon::Op;
static_assert(Op("A").Attr("float: int").Validate());
// expect: op_signature_error_control_output_name_is_not_an_identifier
static_assert(Op("A").ControlOutput("1st").Validate());
// expect: op_signature_error_deprecated_is_set_twice
static_assert(Op("A").Deprecated(5, "Use B.").Deprecated(6, "Use C.").Validate());
// expect: op_signature_error_doc_explains_a_name_that_is_no_argument_and_no_attr
static_assert(Op("A").Input("x: float").Doc("One.\ny: what is not there.").Validate());
// expect: op_signature_error_doc_is_set_twice
static_assert(Op("A").Doc("One.").Doc("Two.").Validate());
// expect: op_signature_error_escape_in_string_is_not_valid
static_assert(Op("A").Attr("s: {'a\\q'}").Validate());
// expect: op_signature_error_expected_a_type_after_the_colon
static_assert(Op("A").Input("x:").Validate());
// expect: op_signature_error_minimum_of_a_list_must_be_0_or_more
static_assert(Op("A").Attr("l: list(int) >= -1").Validate());
// expect: op_signature_error_spec_is_too_long
static_assert(Op("A").Input(std::string_view("x: float", 70000)).Validate());
// expect: op_signature_error_string_in_list_is_not_closed
static_assert(Op("A").Attr("s: {'a}").Validate());
