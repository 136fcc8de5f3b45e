// expect: op_signature_error_length_of_an_argument_must_be_a_declared_int_attr
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// N is nowhere declared.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Input("to_zero: N * float");
};
static_assert(ZeroOut::signature.Validate());
