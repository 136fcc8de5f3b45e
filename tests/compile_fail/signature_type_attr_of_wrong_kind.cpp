// expect: op_signature_error_type_must_be_an_attr_of_kind_type_or_list_of_type
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// An int is no type.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("n: int").Input("to_zero: n");
};
static_assert(ZeroOut::signature.Validate());
