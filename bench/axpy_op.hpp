// SPDX-License-Identifier: Apache-2.0
#pragma once
// An op for measuring what lies around a kernel: two inputs, one output, two attrs; the kernel adds two numbers.

#include <cstdint>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/tenon.hpp>

namespace tenon::bench {

struct BenchAxpy {
  static constexpr auto signature = Op("BenchAxpy")
                                        .Input("x: T")
                                        .Input("y: T")
                                        .Output("z: T")
                                        .Attr("a: float = 1.0")
                                        .Attr("first: int = 0")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float a;
    std::int64_t first;
  };
  template <class Device, class T>
  struct kernel : Attrs {
    Status operator()(Device&, In<T> x, In<T> y, Out<T> z) const {
      z[this->first] = static_cast<T>(this->a) * x[this->first] + y[this->first];
      return OkStatus();
    }
  };
};

}  // namespace tenon::bench
