// SPDX-License-Identifier: Apache-2.0
#pragma once
// An op as a struct: `signature` describes it to TensorFlow, `kernel` computes it.

#include <cstdint>

#include <tenon/tenon.hpp>

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
  };                   // bound by name

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;                          // the loop is ForEach's

    struct Body {                                                  // one element; CPU thread or GPU thread
      tenon::In<T> x;
      tenon::Out<T> y;
      std::int64_t keep;
      TENON_HD void operator()(tenon::Index i) const { y[i] = i == keep ? x[i] : T(0); }
    };

    tenon::Status operator()(Device& device, tenon::In<T> to_zero, tenon::Out<T> zeroed) const {
      if (preserve_index >= to_zero.size())
        return tenon::errors::InvalidArgument("ZeroOut: preserve_index = ", preserve_index,
                                              " is outside the input, which has ", to_zero.size(), " elements");
      return ForEach(device, to_zero.size(), Body{to_zero, zeroed, preserve_index});
    }
  };
};
