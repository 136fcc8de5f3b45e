// expect: op_signature_error_expected_colon_after_name
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// The colon behind the name is missing.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Input("to_zero T").Attr("T: {float, int32}");
};
static_assert(ZeroOut::signature.Validate());
