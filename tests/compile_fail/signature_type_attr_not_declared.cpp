// expect: op_signature_error_type_is_neither_a_dtype_nor_a_declared_attr
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// U is nowhere declared.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("T: {float, int32}").Input("to_zero: U");
};
static_assert(ZeroOut::signature.Validate());
