// expect: op_signature_error_text_left_over_after_the_spec
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// There is more than one type.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Input("to_zero: float, int32");
};
static_assert(ZeroOut::signature.Validate());
