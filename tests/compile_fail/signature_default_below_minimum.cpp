// expect: op_signature_error_default_is_less_than_the_minimum
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// The default must keep to the minimum.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("keep: int >= 2 = 1");
};
static_assert(ZeroOut::signature.Validate());
