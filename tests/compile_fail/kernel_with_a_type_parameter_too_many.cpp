// expect: exactly one type per type attr
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// One type attr, two type parameters.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut")
                                        .Attr("preserve_index: int >= 0 = 0")
                                        .Attr("T: {float, int32}")
                                        .Input("to_zero: T")
                                        .Output("zeroed: T")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs {
    std::int64_t preserve_index;
  };
  template <class Device, class T, class U>
  struct kernel : Attrs {
    tenon::Status operator()(Device&, tenon::In<T>, tenon::Out<T>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(ZeroOut);
