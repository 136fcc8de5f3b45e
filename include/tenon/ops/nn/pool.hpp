// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool: the largest value in a window that moves over images.

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// input: [n, h, w, c]  ->  [n, oh, ow, c] (or [n, h, w, oc] where the window lies along the depth)
struct MaxPool {
  static constexpr auto signature =
      Op("MaxPool")
          .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .Input("input: T")
          .Output("output: T")
          .SetShapeFn(shape_inference::MaxPoolShapeWithExplicitPadding);

  struct Attrs {
    std::span<const std::int64_t> ksize, strides, explicit_paddings;
    std::string_view padding, data_format;
  };

  // Sizes its output itself: the kernel takes windows that the shape function refuses.
  template <class Device, class T>
    requires(!std::is_same_v<T, qint8>)
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> input, Late<T>& output) const {
      if (!TakesImageFormat<Device>(data_format))
        return errors::InvalidArgument("Default MaxPoolingOp only supports NHWC on device type CPU, got ", data_format);
      Padding kind{};
      TENON_RETURN_IF_ERROR(ParsePadding(padding, &kind));
      PoolGeometry geometry;
      TENON_RETURN_IF_ERROR(
          MakePoolGeometry(input.shape(), ksize, strides, kind, explicit_paddings, &geometry, data_format == "NCHW"));
      TENON_ASSIGN_OR_RETURN(const Out<T> out, output.Allocate(geometry.output_shape()));
      return tenon::MaxPool(device, geometry, input.data, out.data);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
