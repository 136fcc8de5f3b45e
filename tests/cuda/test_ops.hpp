// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops that the CUDA tests run in sessions: those of example 03, and a few that meet the GPU's other paths.

#include "../../examples/03_custom_op_cuda/my_ops.hpp"

namespace cuda_tests {

// x scaled by the one element of `factor`, which the kernel reads on the host.
struct ScaleBy {
  static constexpr auto signature = tenon::Op("ScaleBy")
                                        .Input("x: T")
                                        .Input("factor: int32")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);

  template <class Device, class T>
  struct kernel {
    static constexpr bool for_gpu = true;

    struct Body {
      tenon::In<T> x;
      tenon::Out<T> y;
      T factor;
      TENON_HD void operator()(tenon::Index i) const { y[i] = x[i] * factor; }
    };
    tenon::Status operator()(Device& device, tenon::In<T> x, tenon::HostIn<std::int32_t> factor,
                             tenon::Forward<T, 0> y) const {
      if (factor.size() != 1)
        return tenon::errors::InvalidArgument("ScaleBy: factor must have one element, got ", factor.size());
      return ForEach(device, x.size(), Body{x, y, static_cast<T>(factor[0])});
    }
  };
};

// An element-wise op whose map takes attrs.
struct LeakyRelu {
  static constexpr auto signature = tenon::Op("LeakyRelu")
                                        .Input("features: T")
                                        .Output("activations: T")
                                        .Attr("alpha: float = 0.2")
                                        .Attr("T: {float}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);

  struct Attrs {
    float alpha;
  };

  template <class T>
  TENON_HD static T map(T x, const Attrs& attrs) {
    return x > T(0) ? x : attrs.alpha * x;
  }
  template <class Device, class T>
  using kernel = tenon::Map1<LeakyRelu, Device, T>;
};

// Has a CPU kernel only: in a session on a GPU its inputs come back to the host for it.
struct Reverse {
  static constexpr auto signature = tenon::Op("ReverseOnHost")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Out<T> y) const {
      for (tenon::Index i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i];
      return tenon::OkStatus();
    }
  };
};

}  // namespace cuda_tests
