// expect: op_signature_error_expected_closing_parenthesis_of_Ref
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// The parenthesis of Ref( is missing.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Input("to_zero: Ref(float");
};
static_assert(ZeroOut::signature.Validate());
