// expect: a kernel is a template over four types at most
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// Five type attrs with lists, and no kernel_types.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Five {
  static constexpr auto signature = tenon::Op("Five")
                                        .Input("a: A")
                                        .Input("b: B")
                                        .Input("c: C")
                                        .Input("d: D")
                                        .Input("e: E")
                                        .Output("y: A")
                                        .Attr("A: {float, double}")
                                        .Attr("B: {float, double}")
                                        .Attr("C: {float, double}")
                                        .Attr("D: {float, double}")
                                        .Attr("E: {float, double}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device, class A, class B, class C, class D, class E>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<A>, tenon::In<B>, tenon::In<C>, tenon::In<D>, tenon::In<E>,
                             tenon::Out<A>) const {
      return tenon::OkStatus();
    }
  };
};
TENON_REGISTER(Five);
