// expect: op_signature_error_expected_a_whole_number_after_greater_equal
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// A minimum is a whole number.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("n: int >= zero");
};
static_assert(ZeroOut::signature.Validate());
