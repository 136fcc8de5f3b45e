// expect: op_signature_error_default_does_not_fit_the_attr
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// A tensor's dtype is written as an enum's name.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature =
      tenon::Op("ZeroOut").Attr("value: tensor = { dtype: int32 tensor_shape {} int_val: 1 }");
};
static_assert(ZeroOut::signature.Validate());
