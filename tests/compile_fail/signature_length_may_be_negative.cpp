// expect: op_signature_error_length_of_an_argument_must_have_a_minimum_of_0_or_more
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// A list cannot have -1 tensors.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("N: int >= -1").Input("to_zero: N * float");
};
static_assert(ZeroOut::signature.Validate());
