// expect: op_signature_error_default_does_not_fit_the_attr
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// A bool is true or false.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("keep: bool = yes");
};
static_assert(ZeroOut::signature.Validate());
