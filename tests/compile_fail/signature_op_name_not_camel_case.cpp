// expect: op_signature_error_op_name_must_be_CamelCase
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// Op names are CamelCase.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("zero_out");
};
static_assert(ZeroOut::signature.Validate());
