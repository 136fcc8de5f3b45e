// SPDX-License-Identifier: Apache-2.0
#pragma once
// BiasAdd: one number per channel added to everything in that channel.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/bias_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/add.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// value: [..., c] (NHWC) or [n, c, ...] (NCHW)  bias: [c]  ->  shape of value
struct BiasAdd {
  static constexpr auto signature =
      Op("BiasAdd")
          .Input("value: T")
          .Input("bias: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .SetShapeFn(shape_inference::BiasAddShape);

  struct Attrs {
    std::string_view data_format;
  };

  template <class Device, class T>
    requires(!IsQuantized(dtype_of_v<T>) && MapsOn<Device, T>)
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    // The kernel takes NCHW values of rank 2, which the shape function refuses: so it sizes its output itself.
    Status operator()(Context<Device>& context, const Tensor& value, In<T> bias, Tensor& output) const {
      const int rank = value.shape().dims();
      if (rank < 2) return errors::InvalidArgument("BiasAdd: Input tensor must be at least 2D: ", value.shape());
      if (bias.shape().dims() != 1) return errors::InvalidArgument("BiasAdd: Biases must be 1D: ", bias.shape());
      const int channel = data_format == "NCHW" ? 1 : rank - 1;
      if (value.shape().dim_size(channel) != bias.size())
        return errors::InvalidArgument(
            "BiasAdd: Must provide as many biases as the channel dimension of the input tensor: ", bias.shape(),
            " vs. ", value.shape().dim_size(channel), " in ", value.shape());
      TensorShape aligned{bias.size()};
      for (int d = channel + 1; d < rank; ++d) aligned.AddDim(1);
      const T* x = value.data<T>();
      const TensorShape shape = value.shape();
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.op().forward_input_or_allocate_output({0}, 0, shape, &out));
      return MapBinary<AddV2, T, T>(context.device(), nullptr, In<T>(x, shape.num_elements(), &shape),
                                    In<T>(bias.data, bias.size(), &aligned),
                                    Out<T>(output.data<T>(), output.NumElements(), &output.shape()));
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
