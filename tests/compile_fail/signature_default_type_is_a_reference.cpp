// expect: op_signature_error_default_type_must_be_a_known_type_and_no_reference
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// References are no values of attrs.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("T: type = DT_FLOAT_REF");
};
static_assert(ZeroOut::signature.Validate());
