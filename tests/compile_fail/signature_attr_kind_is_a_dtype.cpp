// expect: op_signature_error_unknown_attr_kind__use_int_float_bool_
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// Dtypes stand in braces.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("T: int32");
};
static_assert(ZeroOut::signature.Validate());
