// expect: struct kernel must be public
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// A class in place of a struct, and no public.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Copy {
  static constexpr auto signature =
      tenon::Op("Copy").Input("x: float").Output("y: float").SetShapeFn(tenon::shape_inference::UnchangedShape);

 private:
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<float>, tenon::Out<float>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(Copy);
