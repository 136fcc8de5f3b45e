// expect: op_signature_error_same_name_used_twice
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// Attrs, inputs and outputs share their names.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("x: int").Input("x: float");
};
static_assert(ZeroOut::signature.Validate());
