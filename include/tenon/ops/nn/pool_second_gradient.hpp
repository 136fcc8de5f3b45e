// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPoolGradGrad, MaxPoolGradGradV2, MaxPool3DGradGrad: gradients of MaxPool's gradients.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/conv/max_pool_second_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/nn/pool3d.hpp>
#include <tenon/ops/nn/pool_max.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using PoolTypes = TypeList<half, bfloat16, float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                           std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;

// orig_output has the output's shape, and grad the shape of orig_input.
inline Status MergePoolShapes(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->Merge(c->input(1), c->output(0), &unused));
  return c->Merge(c->input(2), c->input(0), &unused);
}

// Output 0, of the shape of input 1.
inline Status RunPoolSecondGradient(OpKernelContext& context, Cpu& device, std::string_view op, const Pool3DGeometry& g,
                                    const TensorShape& want) {
  const Tensor &input = context.input(0), &output = context.input(1), &grad = context.input(2);
  TENON_RETURN_IF_ERROR(CheckPool3DGrad(op, "orig_output", output.shape(), want));
  TENON_RETURN_IF_ERROR(CheckPool3DGrad(op, "grad", grad.shape(), input.shape()));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, output.shape(), &out));
  return DispatchType<PoolTypes>(input.dtype(), [&]<class T>() {
    MaxPoolSecondGradient(device, g, input.data<T>(), output.data<T>(), grad.data<T>(), out->data<T>());
  });
}

inline Status CheckPoolRanks(std::string_view op, OpKernelContext& context, int rank) {
  constexpr std::string_view kNames[] = {"tensor_in", "tensor_out", "out_grad_backprop"};
  for (int i = 0; i < 3; ++i)
    if (context.input(i).dims() != rank)
      return errors::InvalidArgument(op, ": ", kNames[i], " must be ", rank, "-dimensional, got shape ",
                                     context.input(i).shape());
  return OkStatus();
}

inline Status RunMaxPoolGradGrad(OpKernelContext& context, Cpu& device, std::string_view op,
                                 std::span<const Index> ksize, std::span<const Index> strides, std::string_view padding,
                                 std::string_view data_format) {
  if (data_format != "NHWC")
    return errors::InvalidArgument("Default MaxPoolingGradGradOp only supports NHWC on device type CPU, got ",
                                   data_format);
  if (ksize.size() == 4 && strides.size() == 4 && (ksize[3] != 1 || strides[3] != 1))
    return errors::Unimplemented("MaxPoolingGradGrad is not yet supported on the depth dimension.");
  TENON_RETURN_IF_ERROR(CheckPoolRanks(op, context, 4));
  PoolGeometry g;
  TENON_RETURN_IF_ERROR(SpatialPoolGeometry(op, context.input(0).shape(), ksize, strides, padding, {}, &g));
  const Pool3DGeometry volumes{g.batch, {.input = 1, .output = 1}, g.rows, g.columns, g.depth};
  return RunPoolSecondGradient(context, device, op, volumes, g.output_shape());
}

inline Status RunMaxPool3DGradGrad(OpKernelContext& context, Cpu& device, const PoolAttrs& attrs) {
  constexpr std::string_view kName = "MaxPool3DGradGrad";
  Pool3DGeometry g;
  TensorShape want;
  TENON_RETURN_IF_ERROR(CheckPoolBatch(attrs.ksize, attrs.strides));
  const std::size_t channels = attrs.data_format == "NCDHW" ? 1 : 4;
  if (attrs.ksize.size() == 5 && attrs.strides.size() == 5 &&
      (attrs.ksize[channels] != 1 || attrs.strides[channels] != 1))
    return errors::Unimplemented("MaxPooling3dGradGrad is not yet supported on the depth dimension.");
  TENON_RETURN_IF_ERROR(CheckPoolRanks(kName, context, 5));
  if (context.input(0).NumElements() == 0)
    return errors::InvalidArgument(kName, ": received empty tensor tensor_in: ", context.input(0).shape());
  TENON_RETURN_IF_ERROR(MakePool3DGeometry(kName, attrs, context.input(0).shape(), &g, &want));
  return RunPoolSecondGradient(context, device, kName, g, want);
}

}  // namespace detail

// orig_input, grad: [n, h, w, c], orig_output: what MaxPool made of orig_input  ->  the shape of orig_output
struct MaxPoolGradGrad {
  static constexpr auto signature =
      Op("MaxPoolGradGrad")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Input("orig_input: T")
          .Input("orig_output: T")
          .Input("grad: T")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            TENON_RETURN_IF_ERROR(shape_inference::MaxPoolShape(c));
            return detail::MergePoolShapes(c);
          });
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      TENON_RETURN_IF_ERROR(detail::CheckPoolBatch(this->ksize, this->strides));
      return detail::RunMaxPoolGradGrad(context.op(), context.device(), "MaxPoolGradGrad", this->ksize, this->strides,
                                        this->padding, this->data_format);
    }
  };
};

// ksize, strides: four values each
struct MaxPoolGradGradV2 {
  static constexpr auto signature =
      Op("MaxPoolGradGradV2")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Input("orig_input: T")
          .Input("orig_output: T")
          .Input("grad: T")
          .Input("ksize: int32")
          .Input("strides: int32")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            TENON_RETURN_IF_ERROR(shape_inference::MaxPoolV2Shape(c, 3));
            return detail::MergePoolShapes(c);
          });
  struct Attrs {
    std::string_view padding, data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, HostIndices ksize,
                      HostIndices strides, Tensor&) const {
      Index sizes[4], steps[4];
      TENON_RETURN_IF_ERROR(detail::ReadFour("MaxPoolGradGradV2", "ksize", ksize, sizes));
      TENON_RETURN_IF_ERROR(detail::ReadFour("MaxPoolGradGradV2", "strides", strides, steps));
      return detail::RunMaxPoolGradGrad(context.op(), context.device(), "MaxPoolGradGradV2", sizes, steps,
                                        this->padding, this->data_format);
    }
  };
};

// orig_input, grad: [n, d, h, w, c]  ->  the shape of orig_output
struct MaxPool3DGradGrad {
  static constexpr auto signature =
      Op("MaxPool3DGradGrad")
          .Input("orig_input: T")
          .Input("orig_output: T")
          .Input("grad: T")
          .Output("output: T")
          .Attr("ksize: list(int) >= 5")
          .Attr("strides: list(int) >= 5")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            TENON_RETURN_IF_ERROR(detail::Pool3DShape(c));
            return detail::MergePoolShapes(c);
          });
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPool3DTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunMaxPool3DGradGrad(context.op(), context.device(), *this);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
