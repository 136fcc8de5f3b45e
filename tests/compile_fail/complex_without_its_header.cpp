// expect: include <tenon/types/complex.hpp> where it is defined
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// complex64 is allowed, but its header is missing.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Twice {
  static constexpr auto signature = tenon::Op("Twice")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, complex64}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T>, tenon::Out<T>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(Twice);
