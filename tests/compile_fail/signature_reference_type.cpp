// expect: op_signature_error_reference_type_is_written_Ref_of_the_type
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// References are written Ref(float).
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Input("to_zero: float_ref");
};
static_assert(ZeroOut::signature.Validate());
