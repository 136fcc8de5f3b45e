// expect: HostMemory of kernel_match names something that is neither
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// The input is called x.
#include <string_view>

#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Turn {
  static constexpr auto signature = tenon::Op("Turn")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .Attr("transpose_a: bool = false")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  static constexpr std::string_view unused[] = {"transpose_a"};
  static constexpr auto kernel_match = tenon::KernelMatch().HostMemory("shape");
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T>, tenon::Out<T>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(Turn);
