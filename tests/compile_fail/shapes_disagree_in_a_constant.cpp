// expect: dimensions_must_be_equal
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// A network whose layers do not fit, found while it is compiled.
#include <tenon/op/shape/shape_fns.hpp>

struct MatMul {
  static constexpr auto signature = tenon::Op("MatMul")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Output("product: T")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("T: {float, double, int32}")
                                        .SetShapeFn(tenon::shape_inference::MatMulShape);
};
static_assert(tenon::InferShape<MatMul>({{32, 784}, {10, 784}}) == tenon::StaticShape{32, 10});
