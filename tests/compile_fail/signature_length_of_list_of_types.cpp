// expect: op_signature_error_length_and_list_of_type_cannot_be_combined
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// A list(type) has its own length.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("N: int").Attr("L: list(type)").Input("to_zero: N * L");
};
static_assert(ZeroOut::signature.Validate());
