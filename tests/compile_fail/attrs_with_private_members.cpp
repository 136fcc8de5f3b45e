// expect: Attrs must be a plain struct
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// A class in place of a struct.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Copy {
  static constexpr auto signature = tenon::Op("Copy")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .Attr("a: int")
                                        .Attr("b: int")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  class Attrs {
    std::int64_t a, b;
  };
  template <class Device>
  struct kernel : Attrs {
    tenon::Status operator()(Device&, tenon::In<float>, tenon::Out<float>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(Copy);
