// expect: op_signature_error_expected_comma_or_closing_brace_in_list
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// The brace is missing.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("T: {float, int32");
};
static_assert(ZeroOut::signature.Validate());
