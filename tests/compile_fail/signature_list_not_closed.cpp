// expect: op_signature_error_expected_closing_parenthesis_of_list
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// The parenthesis of list( is missing.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("strides: list(int >= 4");
};
static_assert(ZeroOut::signature.Validate());
