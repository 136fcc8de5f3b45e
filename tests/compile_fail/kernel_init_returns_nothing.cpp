// expect: the kernel's Init cannot be called
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// Init must be able to refuse.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Copy {
  static constexpr auto signature =
      tenon::Op("Copy").Input("x: float").Output("y: float").SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    void Init(tenon::OpKernelConstruction&) {}
    tenon::Status operator()(Device&, tenon::In<float>, tenon::Out<float>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(Copy);
