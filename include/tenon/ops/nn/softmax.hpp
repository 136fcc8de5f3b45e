// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax and LogSoftmax over the last dimension.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/softmax.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
inline Status RowLength(std::string_view op, const TensorShape& shape, Index* columns) {
  if (shape.dims() < 1) return errors::InvalidArgument(op, ": logits must have >= 1 dimension, got ", shape);
  *columns = shape.dim_size(shape.dims() - 1);
  return OkStatus();
}
}  // namespace detail

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
  struct kernel {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> logits, Forward<T, 0> softmax) const {
      Index columns = 0;
      TENON_RETURN_IF_ERROR(detail::RowLength("Softmax", logits.shape(), &columns));
      return tenon::Softmax(device, logits.data, softmax.data, columns == 0 ? 0 : logits.size() / columns, columns);
    }
  };
};

// logits: [..., n]  ->  the same shape; the logarithm of Softmax
struct LogSoftmax {
  static constexpr auto signature = Op("LogSoftmax")
                                        .Input("logits: T")
                                        .Output("logsoftmax: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 1);
                                        });

  template <class Device, class T>
  struct kernel {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> logits, Forward<T, 0> logsoftmax) const {
      Index columns = 0;
      TENON_RETURN_IF_ERROR(detail::RowLength("LogSoftmax", logits.shape(), &columns));
      return tenon::LogSoftmax(device, logits.data, logsoftmax.data, columns == 0 ? 0 : logits.size() / columns,
                               columns);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
