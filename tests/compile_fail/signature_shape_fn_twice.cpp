// expect: op_signature_error_shape_fn_is_set_twice
// max-lines: 40
// SPDX-License-Identifier: Apache-2.0
// One shape function is enough.
#include <tenon/op/shape/shape_fns.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut")
                                        .Input("to_zero: float")
                                        .Output("zeroed: float")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape)
                                        .SetShapeFn(tenon::shape_inference::ScalarShape);
};
static_assert(ZeroOut::signature.Validate());
