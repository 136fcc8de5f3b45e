// expect: op_signature_error_default_is_not_an_allowed_value
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// The default must be one of the list.
#include <tenon/op/signature/signature.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut").Attr("mode: {'fast', 'slow'} = 'medium'");
};
static_assert(ZeroOut::signature.Validate());
