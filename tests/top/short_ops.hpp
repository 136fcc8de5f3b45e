// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shortest forms of an op, for CPU and GPU from one source: the test beside this counts their lines.

#include <cstdint>

#include <tenon/device/cpu.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>

namespace short_ops {
using namespace tenon;

// clang-format off
// begin: 15 lines
struct ZeroAllButFirst {
  static constexpr auto signature = Op("TopTestZeroAllButFirst")
      .Input("to_zero: int32")
      .Output("zeroed: int32").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    static constexpr bool for_gpu = true;
    struct Body {
      In<std::int32_t> x; Out<std::int32_t> y;
      TENON_HD void operator()(Index i) const { y[i] = i == 0 ? x[i] : 0; }
    };
    Status operator()(Device& device, In<std::int32_t> x, Out<std::int32_t> y) const { return ForEach(device, x.size(), Body{x, y}); }
  };
};
// end
// begin: 15 lines
struct ZeroAllBut {
  static constexpr auto signature = Op("TopTestZeroAllBut")
      .Attr("preserve_index: int >= 0 = 0").Attr("T: {float, int32}")
      .Input("to_zero: T").Output("zeroed: T").SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs { std::int64_t preserve_index; };
  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;
    struct Body {
      In<T> x; Out<T> y; Index keep;
      TENON_HD void operator()(Index i) const { y[i] = i == keep ? x[i] : T(0); }
    };
    Status operator()(Device& device, In<T> x, Out<T> y) const { return ForEach(device, x.size(), Body{x, y, preserve_index}); }
  };
};
// end
// begin: 6 lines
struct Cube {
  static constexpr auto signature = Op("TopTestCube")
      .Input("x: T").Output("y: T").Attr("T: {float, double, int32}").SetShapeFn(shape_inference::UnchangedShape);
  template <class T> TENON_HD static T map(T x) { return x * x * x; }
  template <class Device, class T> using kernel = Map1<Cube, Device, T>;
};
// end
// clang-format on

}  // namespace short_ops
