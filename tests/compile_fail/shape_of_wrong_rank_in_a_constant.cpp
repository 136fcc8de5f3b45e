// expect: shape_has_the_wrong_rank
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// An input of three dimensions where two are needed, found while it is compiled.
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
static_assert(tenon::InferShape<MatMul>({{32, 784, 1}, {784, 10}}) == tenon::StaticShape{32, 10});
