// SPDX-License-Identifier: Apache-2.0
#pragma once
// Three ops of a user, written once for CPU and GPU. kernels.cpp makes their CPU kernels, kernels.cu their GPU kernels.

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>

namespace my_ops {

// snippet zero_out
// Keeps one element of the input and zeroes the rest.
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

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;  // the loop is ForEach's

    struct Body {  // one element: a turn of a loop on the CPU, a thread on the GPU
      tenon::In<T> x;
      tenon::Out<T> y;
      std::int64_t keep;
      TENON_HD void operator()(tenon::Index i) const { y[i] = i == keep ? x[i] : T(0); }
    };

    tenon::Status operator()(Device& device, tenon::In<T> to_zero, tenon::Out<T> zeroed) const {
      if (this->preserve_index >= to_zero.size())
        return tenon::errors::InvalidArgument("ZeroOut: preserve_index = ", this->preserve_index,
                                              " is outside the input, which has ", to_zero.size(), " elements");
      return ForEach(device, to_zero.size(), Body{to_zero, zeroed, this->preserve_index});
    }
  };
};
// end

// x + y with broadcasting: an element-wise op is its scalar function.
struct Add {
  static constexpr auto signature = tenon::Op("Add")
                                        .Input("x: T")
                                        .Input("y: T")
                                        .Output("z: T")
                                        .Attr("T: {float, double, int32}")
                                        .SetShapeFn(tenon::shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(T x, T y) {
    return x + y;
  }

  template <class Device, class T>
  using kernel = tenon::Map2<Add, Device, T>;
};

// The product of two matrices: a library's on each device.
struct MatMul {
  static constexpr auto signature = tenon::Op("MatMul")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Output("product: T")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("T: {float, double, int32}")
                                        .SetShapeFn(tenon::shape_inference::MatMulShape);

  struct Attrs {
    bool transpose_a, transpose_b;
  };

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    tenon::Status operator()(Device& device, tenon::In<T, 2> a, tenon::In<T, 2> b, tenon::Out<T, 2> product) const {
      return Gemm(device, a, this->transpose_a, b, this->transpose_b, product);
    }
  };
};

}  // namespace my_ops
