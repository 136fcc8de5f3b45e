// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax over the last dimension.

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/engine/softmax.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

// logits: [..., n]  ->  the same shape; each row sums to 1
struct Softmax {
  static constexpr auto signature = Op("Softmax")
                                        .Input("logits: T")
                                        .Output("softmax: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 1);
                                        });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device& device, In<T> logits, Forward<T, 0> softmax) const {
      const TensorShape& shape = logits.shape();
      if (shape.dims() < 1) return errors::InvalidArgument("Softmax: logits must have >= 1 dimension, got ", shape);
      const Index columns = shape.dim_size(shape.dims() - 1);
      return tenon::Softmax(device, logits.data, softmax.data, columns == 0 ? 0 : logits.size() / columns, columns);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END
