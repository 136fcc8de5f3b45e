// expect: op_signature_error_unknown_attr_kind__use_int_float_bool_
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// An attr is an int, not an integer.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("preserve_index: integer = 0");
};
static_assert(ZeroOut::signature.Validate());
