// expect: op_signature_error_name_is_not_an_identifier
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// Names of arguments begin with a lower-case letter.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Input("ToZero: float");
};
static_assert(ZeroOut::signature.Validate());
