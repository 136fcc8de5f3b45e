// SPDX-License-Identifier: Apache-2.0
#pragma once
// _FusedConv2D and _FusedMatMul: what TensorFlow's optimiser makes of a convolution or a matrix product followed by a
// bias or a batch normalisation, and an activation.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/nn/epilogue.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/kernel/packs_input.hpp>
#include <tenon/ops/nn/conv.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct Fusion {
  bool normalises = false;
  FusedActivation activation = FusedActivation::kNone;
};

// `product`: of a matrix product, which knows more activations and no batch normalisation.
inline Status ReadFusion(std::string_view op, std::span<const std::string> names, Index args, bool product,
                         Fusion* fusion) {
  struct Known {
    std::string_view name;
    FusedActivation activation;
  };
  constexpr Known kKnown[] = {{"Relu", FusedActivation::kRelu}, {"Relu6", FusedActivation::kRelu6},
                              {"Elu", FusedActivation::kElu},   {"LeakyRelu", FusedActivation::kLeakyRelu},
                              {"Tanh", FusedActivation::kTanh}, {"Sigmoid", FusedActivation::kSigmoid}};
  if (names.empty()) return errors::InvalidArgument(op, ": Fused ops must have at least one fused op.");
  bool known = names.size() <= 2 && (names[0] == "BiasAdd" || (!product && names[0] == "FusedBatchNorm"));
  fusion->normalises = names[0] == "FusedBatchNorm";
  if (known && names.size() == 2) {
    known = false;
    for (const Known& k : kKnown) {
      if (names[1] != k.name || (!product && k.activation >= FusedActivation::kTanh)) continue;
      fusion->activation = k.activation;
      known = true;
    }
  }
  if (!known) return errors::Unimplemented(op, ": Fusion is not implemented: [", StrJoin(names, ","), "]");
  if (!fusion->normalises && args != 1)
    return errors::InvalidArgument(op, ": Fused op with BiasAdd must have one extra argument: bias. Got ", args);
  if (fusion->normalises && args != 4)
    return errors::InvalidArgument(
        op, ": Fused Conv2D with FusedBatchNorm must have four extra arguments: scale, offset, mean, variance. Got ",
        args);
  return OkStatus();
}

inline Status CheckFusedVector(std::string_view op, std::string_view name, const Tensor& vector, DataType dtype,
                               Index channels) {
  if (vector.dims() != 1) return errors::InvalidArgument(op, ": ", name, " must be 1-dimensional", vector.shape());
  if (vector.dtype() != dtype)
    return errors::InvalidArgument(op, ": ", name, " must be of type ", dtype, ", got ", vector.dtype());
  if (vector.NumElements() < channels)
    return errors::InvalidArgument(op, ": ", name, " must have an element for each of ", channels, " channels, got ",
                                   vector.NumElements());
  return OkStatus();
}

template <class C, class Device>
Status RunFusedConv(OpKernelContext& context, Device& device, const Conv2DGeometry& g, const Fusion& fusion,
                    float epsilon, float leaky_alpha, PackedWeights* weights, ConvAlgorithm algorithm) {
  Tensor factors;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, g.output_shape(), &out));
  FusedOutput<C> f{.activation = fusion.activation, .leaky_alpha = static_cast<C>(leaky_alpha)};
  f.offset = context.input(fusion.normalises ? 3 : 2).data<C>();
  if (fusion.normalises) {
    TENON_RETURN_IF_ERROR(context.allocate_temp(dtype_of_v<C>, TensorShape{g.out_depth}, &factors));
    const C *scale = context.input(2).data<C>(), *variance = context.input(5).data<C>();
    TENON_RETURN_IF_ERROR(
        NormFactors(device, scale, variance, static_cast<C>(epsilon), g.out_depth, factors.data<C>()));
    f.mean = context.input(4).data<C>();
    f.factor = factors.data<C>();
  }
  const C *input = context.input(0).data<C>(), *filter = context.input(1).data<C>();
  if constexpr (Device::type == "CPU") {
    TENON_RETURN_IF_ERROR(tenon::Conv2D(device, g, input, filter, out->data<C>(), weights, algorithm));
  } else {
    std::remove_pointer_t<decltype(Device::epilogue)> epilogue;
    Device own = device;
    if (IsEpilogue(f, &epilogue)) own.epilogue = &epilogue;
    TENON_RETURN_IF_ERROR(tenon::Conv2D(own, g, input, filter, out->data<C>(), weights));
    if (epilogue.done) return OkStatus();
  }
  if (out->NumElements() == 0) return OkStatus();
  return FinishFused(device, f, out->NumElements() / g.out_depth, g.out_depth, out->data<C>());
}

}  // namespace detail

// args: bias, or scale, offset, mean and variance
struct FusedConv2D {
  static constexpr auto signature = Op("_FusedConv2D")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Input("args: TArgs")
                                        .Input("host_args: num_host_args * float")
                                        .Output("output: T")
                                        .Attr("T: {half, float, double, int8, qint8}")
                                        .Attr("TArgs: list(type) >= 1")
                                        .Attr("num_args: int >= 0")
                                        .Attr("num_host_args: int >= 0 = 0")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
                                        .Attr("filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .Attr("use_cudnn_on_gpu: bool = true")
                                        .Attr("fused_ops: list(string) = []")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("leakyrelu_alpha: float = 0.2")
                                        .SetShapeFn(shape_inference::Conv2DShapeWithExplicitPadding);
  struct Attrs {
    std::span<const std::int64_t> strides, explicit_paddings, dilations;
    std::string_view padding, data_format, filter_format;
    std::span<const std::string> fused_ops;
    std::int64_t num_args;
    float epsilon, leakyrelu_alpha;
  };
  static constexpr std::string_view unused[] = {"use_cudnn_on_gpu", "num_host_args"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs, detail::PacksFilter<Device> {
    static constexpr bool for_gpu = true;

    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, std::span<const Tensor>, InList<float>,
                      Tensor&) const {
      return Run(context.op(), context.device(), *this, this->packed(), this->algorithm);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Attrs& a, PackedWeights* weights,
                    ConvAlgorithm algorithm) {
    constexpr std::string_view kName = "_FusedConv2D";
    detail::Fusion fusion;
    TENON_RETURN_IF_ERROR(detail::ReadFusion(kName, a.fused_ops, a.num_args, false, &fusion));
    if (a.data_format != "NHWC" || a.filter_format != "HWIO")
      return errors::Unimplemented(kName, ": Fused conv implementation does not support ", a.data_format, " and ",
                                   a.filter_format, " tensor formats on CPU, only NHWC and HWIO");
    const Tensor &input = context.input(0), &filter = context.input(1);
    // Without a kernel for int8: the codes are those of TensorFlow's checks.
    const bool is_int8 = input.dtype() == DataType::kInt8 || input.dtype() == DataType::kQint8;
    if (is_int8 && context.num_inputs() == 6 &&
        (fusion.normalises ||
         (fusion.activation != FusedActivation::kNone && fusion.activation != FusedActivation::kRelu)))
      return errors::Unimplemented(kName,
                                   ": Fused conv implementation for int8/qint8 on CPU only supports BiasAdd + "
                                   "None or BiasAdd + Relu.");
    if (input.dtype() != DataType::kFloat && input.dtype() != DataType::kDouble)  // TensorFlow too finds it out here
      return errors::InvalidArgument(kName, ": Op does not support ", input.dtype(), " inputs, only float and double");
    Padding kind{};
    TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &kind));
    Conv2DGeometry g;
    // Before the geometry, which wants the output's depth to be a multiple of the groups.
    const Index depth = filter.dims() == 4 ? filter.dim_size(2) : 0;
    if (input.dims() == 4 && depth > 0 && input.dim_size(3) > depth && input.dim_size(3) % depth == 0)
      return errors::Unimplemented(kName,
                                   ": Fused conv implementation does not support grouped convolutions for now, got ",
                                   input.dim_size(3) / depth, " groups");
    TENON_RETURN_IF_ERROR(
        MakeConv2DGeometry(input.shape(), filter.shape(), a.strides, a.dilations, kind, a.explicit_paddings, &g));
    constexpr std::string_view kBias[] = {"bias"}, kNorm[] = {"scale", "offset", "mean", "variance"};
    if (context.num_inputs() < 2 + static_cast<int>(a.num_args))
      return errors::InvalidArgument(kName, ": num_args is ", a.num_args, ", but there are ", context.num_inputs() - 2,
                                     " arguments");
    for (int i = 0; i < static_cast<int>(a.num_args); ++i)
      TENON_RETURN_IF_ERROR(detail::CheckFusedVector(kName, fusion.normalises ? kNorm[i] : kBias[i],
                                                     context.input(2 + i), input.dtype(), g.out_depth));
    if (input.dtype() == DataType::kDouble)
      return detail::RunFusedConv<double>(context, device, g, fusion, a.epsilon, a.leakyrelu_alpha, weights, algorithm);
    return detail::RunFusedConv<float>(context, device, g, fusion, a.epsilon, a.leakyrelu_alpha, weights, algorithm);
  }
};

// args: bias
struct FusedMatMul {
  static constexpr auto signature = Op("_FusedMatMul")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Input("args: num_args * T")
                                        .Output("product: T")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("T: {bfloat16, half, float}")
                                        .Attr("num_args: int >= 0")
                                        .Attr("fused_ops: list(string) = []")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("leakyrelu_alpha: float = 0.2")
                                        .SetShapeFn(shape_inference::MatMulShape);
  struct Attrs {
    bool transpose_a, transpose_b;
    std::int64_t num_args;
    std::span<const std::string> fused_ops;
    float leakyrelu_alpha;
  };
  static constexpr std::string_view unused[] = {"epsilon"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs, PacksInputOn<Device, 1> {
    static constexpr bool for_gpu = true;

    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, std::span<const Tensor>, Tensor&) const {
      return Run(context.op(), context.device(), *this, this->packed());
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Attrs& attrs, PackedWeights* weights) {
    constexpr std::string_view kName = "_FusedMatMul";
    detail::Fusion fusion;
    TENON_RETURN_IF_ERROR(detail::ReadFusion(kName, attrs.fused_ops, attrs.num_args, true, &fusion));
    const Tensor &a = context.input(0), &b = context.input(1);
    if (a.dims() != 2 || b.dims() != 2)
      return errors::InvalidArgument(kName, ": In[0] and In[1] must be matrices, got ", a.shape(), " and ", b.shape());
    const Index inner = a.dim_size(attrs.transpose_a ? 0 : 1), inner_of_b = b.dim_size(attrs.transpose_b ? 1 : 0);
    if (inner != inner_of_b)
      return errors::InvalidArgument(kName, ": Matrix size-incompatible: In[0]: ", a.shape(), ", In[1]: ", b.shape());
    const Index sizes[] = {a.dim_size(attrs.transpose_a ? 1 : 0), b.dim_size(attrs.transpose_b ? 0 : 1)};
    TENON_RETURN_IF_ERROR(detail::CheckFusedVector(kName, "bias", context.input(2), a.dtype(), sizes[1]));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    if constexpr (Device::type != "CPU") {
      switch (a.dtype()) {
        case DataType::kHalf: return RunOnGpu<half>(context, device, attrs, fusion.activation, shape);
        case DataType::kBfloat16: return RunOnGpu<bfloat16>(context, device, attrs, fusion.activation, shape);
        default: return RunOnGpu<float>(context, device, attrs, fusion.activation, shape);
      }
    } else {
      return RunOnCpu(context, device, attrs, fusion, shape, weights);
    }
  }
  // The bias is added in the product's type where the library has no such step.
  template <class T, class Device>
  static Status RunOnGpu(OpKernelContext& context, Device& device, const Attrs& attrs, FusedActivation activation,
                         const TensorShape& shape) {
    const Tensor &a = context.input(0), &b = context.input(1);
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    return FusedGemm<T>(device, In<T, 2>(a.data<T>(), a.shape().begin()), attrs.transpose_a,
                        In<T, 2>(b.data<T>(), b.shape().begin()), attrs.transpose_b, context.input(2).data<T>(),
                        activation, attrs.leakyrelu_alpha, Out<T, 2>(out->data<T>(), shape.begin()));
  }
  static Status RunOnCpu(OpKernelContext& context, Cpu& device, const Attrs& attrs, const detail::Fusion& fusion,
                         const TensorShape& shape, PackedWeights* weights) {
    const Tensor &a = context.input(0), &b = context.input(1);
    const Index sizes[] = {shape.dim_size(0), shape.dim_size(1)}, inner = a.dim_size(attrs.transpose_a ? 0 : 1);
    FloatInput x, y, bias;
    FloatOutput out;
    TENON_RETURN_IF_ERROR(out.Make(context, 0, shape));
    TENON_RETURN_IF_ERROR(x.Read(context, device, a));
    TENON_RETURN_IF_ERROR(y.Read(context, device, b));
    TENON_RETURN_IF_ERROR(bias.Read(context, device, context.input(2)));
    const In<float, 2> left(x.As<float>(), a.shape().begin()), right(y.As<float>(), b.shape().begin());
    TENON_RETURN_IF_ERROR(Gemm<float>(device, left, attrs.transpose_a, right, attrs.transpose_b,
                                      Out<float, 2>(out.As<float>(), sizes), weights));
    // TensorFlow answers an empty product with zeros, without the bias.
    if (out.size() > 0 && inner > 0)
      TENON_RETURN_IF_ERROR(FinishFused<float>(
          device, {.offset = bias.As<float>(), .activation = fusion.activation, .leaky_alpha = attrs.leakyrelu_alpha},
          sizes[0], sizes[1], out.As<float>()));
    out.Finish(device);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
