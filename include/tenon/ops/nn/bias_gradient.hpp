// SPDX-License-Identifier: Apache-2.0
#pragma once
// BiasAddV1, and BiasAddGrad: the sum of everything in a channel.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/bias.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// value: [..., c]  bias: [c]  ->  shape of value
struct BiasAddV1 {
  static constexpr auto signature =
      Op("BiasAddV1")
          .Input("value: T")
          .Input("bias: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .SetShapeFn(shape_inference::BiasAddShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed{kPodTypes.mask & ~ToSet(DataType::kBool).mask};

  template <class Device>
    requires(Device::type == "CPU")  // graphs of version 9 and before have it
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor& value, const Tensor& bias, Tensor& output) const {
      const int rank = value.dims();
      if (rank < 2) return errors::InvalidArgument("BiasAddV1: Input tensor must be at least 2D: ", value.shape());
      if (bias.dims() != 1) return errors::InvalidArgument("BiasAddV1: Biases must be 1D: ", bias.shape());
      const Index channels = value.dim_size(rank - 1);
      if (bias.NumElements() != channels)
        return errors::InvalidArgument(
            "BiasAddV1: Must provide as many biases as the last dimension of the input tensor: ", bias.shape(), " vs. ",
            value.shape());
      const Index elements = value.NumElements();
      const void* const x = value.raw_data();
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().forward_input_or_allocate_output({0}, 0, value.shape(), &out));
      if (elements > 0)
        AddBias(context.device(), bias.dtype(), x, bias.raw_data(), elements / channels, channels, out->raw_data());
      return OkStatus();
    }
  };
};

// out_backprop: [..., c] (NHWC) or [n, c, ...] (NCHW)  ->  [c]
struct BiasAddGrad {
  static constexpr auto signature =
      Op("BiasAddGrad")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Input("out_backprop: T")
          .Output("output: T")
          .SetShapeFn(shape_inference::BiasAddGradShape);
  struct Attrs {
    std::string_view data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), BiasAddV1::kServed); }
    Status operator()(Context<Device>& context, const Tensor& out_backprop, Tensor& output) const {
      const TensorShape& shape = out_backprop.shape();
      const int rank = shape.dims();
      if (rank < 2) return errors::InvalidArgument("BiasAddGrad: Input tensor must be at least 2D: ", shape);
      const int channel = this->data_format == "NCHW" ? 1 : rank - 1;
      const Index outer = ProductOfSizes(shape, 0, channel), inner = ProductOfSizes(shape, channel + 1, rank);
      const Index channels = shape.dim_size(channel);
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape{channels}, &out));
      return SumChannels(context.device(), out_backprop.dtype(), out_backprop.raw_data(), outer, channels, inner,
                         out->raw_data());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
