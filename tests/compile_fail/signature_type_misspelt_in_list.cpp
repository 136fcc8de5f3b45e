// expect: op_signature_error_unknown_type_in_list
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// There is no int31.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("T: {float, int31}").Input("to_zero: T");
};
static_assert(ZeroOut::signature.Validate());
