// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedAdd, QuantizedMul, QuantizedBiasAdd, QuantizedMatMul: sums and products of numbers of 8 bits, in 32.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status ServeBytes(const OpKernelConstruction& c, DataTypeSet first, DataTypeSet second) {
  TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), first));
  TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(1), second));
  return ServeOnly(c, c.output_type(0), ToSet(DataType::kQint32));
}

// A range in which numbers of both ranges can be added `spare` times.
inline QuantizedRange RangeOfSum(const QuantizedRange& a, const QuantizedRange& b, float spare) {
  const float most = std::max(a.high, std::max(-a.low, std::max(b.high, -b.low))) * spare;
  return {-most, most};
}
inline QuantizedRange RangeOfBytesProduct(const Tensor& x, const QuantizedRange& a, const Tensor& y,
                                          const QuantizedRange& b) {
  QuantizedRange out;
  RangeOfProduct(FloatForOneStep(QuantizedKind::Of(x.dtype()), a.low, a.high),
                 FloatForOneStep(QuantizedKind::Of(y.dtype()), b.low, b.high), QuantizedKind::Of(DataType::kQint32),
                 &out.low, &out.high);
  return out;
}
// The integer that stands for 0.
inline std::int32_t ZeroOf(DataType type, const QuantizedRange& range) {
  return static_cast<std::int32_t>(FloatToQuantizedUnclamped(QuantizedKind::Of(type), 0.0f, range.low, range.high));
}

// The bytes of one range as integers of another: multiples of the first step, as TensorFlow counts them, but for a
// single number.
inline void BytesInRange(const QuantizedRange& from, const QuantizedRange& to, bool single, std::int32_t* out) {
  const QuantizedKind bytes = QuantizedKind::Of(DataType::kQuint8), wide = QuantizedKind::Of(DataType::kQint32);
  std::int64_t ends[2];
  for (int i = 0; i < 2; ++i)
    ends[i] = FloatToQuantizedUnclamped(wide, QuantizedToFloat(bytes, i, from.low, from.high), to.low, to.high);
  for (std::int64_t i = 0; i < 256; ++i)
    out[i] = static_cast<std::int32_t>(
        single ? FloatToQuantized(wide, QuantizedToFloat(bytes, i, from.low, from.high), to.low, to.high)
               : wide.Clamp(ends[0] + i * static_cast<std::int32_t>(ends[1] - ends[0])));
}

// Inputs 0 and 1 broadcast, their ranges from input 2 on.
inline Status RunQuantizedBinary(OpKernelContext& context, bool multiply) {
  const Tensor &x = context.input(0), &y = context.input(1);
  QuantizedRange a, b;
  TensorShape shape;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(a.Read(context, 2, "x"));
  TENON_RETURN_IF_ERROR(b.Read(context, 4, "y"));
  if (!BroadcastShape(x.shape(), y.shape(), &shape).ok())
    return errors::InvalidArgument(context.op_kernel().type_string(), ": Incompatible shapes: ", x.shape(), " vs. ",
                                   y.shape());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  TENON_RETURN_IF_ERROR(a.RequireSome(context, "x"));
  TENON_RETURN_IF_ERROR(b.RequireSome(context, "y"));
  const QuantizedRange sum = multiply ? RangeOfBytesProduct(x, a, y, b) : RangeOfSum(a, b, 1 << 14);
  std::int32_t of_x[256], of_y[256];  // what each byte becomes
  if (multiply) {
    for (std::int32_t i = 0; i < 256; ++i) {
      of_x[i] = WrapSubtract(i, ZeroOf(x.dtype(), a));
      of_y[i] = WrapSubtract(i, ZeroOf(y.dtype(), b));
    }
  } else {
    BytesInRange(a, sum, x.NumElements() == 1, of_x);
    BytesInRange(b, sum, x.NumElements() != 1 && y.NumElements() == 1, of_y);
  }
  const auto* const px = static_cast<const std::uint8_t*>(x.raw_data());
  const auto* const py = static_cast<const std::uint8_t*>(y.raw_data());
  auto* to = static_cast<std::int32_t*>(out->raw_data());
  Index places[2] = {};
  const int rank = shape.dims();
  for (Index i = 0; i < out->NumElements(); ++i) {
    for (int k = 0; k < 2; ++k) {
      const TensorShape& own = (k == 0 ? x : y).shape();
      Index at = 0, step = 1, rest = i;
      for (int d = rank - 1, p = own.dims() - 1; p >= 0; --d, --p) {
        if (own.dim_size(p) > 1) at += rest % shape.dim_size(d) * step;
        rest /= shape.dim_size(d);
        step *= own.dim_size(p);
      }
      places[k] = at;
    }
    const std::int32_t u = of_x[px[places[0]]], v = of_y[py[places[1]]];
    to[i] = multiply ? WrapMultiply(u, v)
                     : static_cast<std::int32_t>(static_cast<std::uint32_t>(u) + static_cast<std::uint32_t>(v));
  }
  return sum.Write(context, 1);
}

inline Status RunQuantizedBiasAdd(OpKernelContext& context) {
  constexpr const char* kOp = "QuantizedBiasAdd";
  const Tensor &x = context.input(0), &bias = context.input(1);
  QuantizedRange a, b;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(a.Read(context, 2, "input"));
  TENON_RETURN_IF_ERROR(b.Read(context, 4, "bias"));
  if (x.dims() < 2) return errors::InvalidArgument(kOp, ": Input tensor must be at least 2D: ", x.shape());
  if (bias.dims() != 1) return errors::InvalidArgument(kOp, ": Biases must be 1D: ", bias.shape());
  const Index n = bias.NumElements();
  if (n != x.dim_size(x.dims() - 1))
    return errors::InvalidArgument(kOp, ": Must provide as many biases as the last dimension of the input tensor: ",
                                   bias.shape(), " vs. ", x.shape());
  if (n == 0) return errors::InvalidArgument(kOp, ": Must provide at least one bias");
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &out));
  const QuantizedRange sum = RangeOfSum(a, b, 1 << 17);
  const QuantizedKind bytes = QuantizedKind::Of(x.dtype()), wide = QuantizedKind::Of(DataType::kQint32);
  const QuantizedToFloatScale from_x(bytes, a.low, a.high), from_bias(bytes, b.low, b.high);
  const FloatToQuantizedScale to(wide, sum.low, sum.high);
  const auto zero = static_cast<std::uint32_t>(FloatToQuantized(wide, 0.0f, sum.low, sum.high));
  for (Index i = 0; i < x.NumElements(); ++i) {
    const auto u = static_cast<std::uint32_t>(to(from_x(LoadQuantized(x.raw_data(), x.dtype(), i))));
    const auto v = static_cast<std::uint32_t>(to(from_bias(LoadQuantized(bias.raw_data(), bias.dtype(), i % n))));
    static_cast<std::int32_t*>(out->raw_data())[i] = static_cast<std::int32_t>(u + v + zero);
  }
  return sum.Write(context, 1);
}

inline Status RunQuantizedMatMul(OpKernelContext& context, Cpu& device, bool transpose_a, bool transpose_b) {
  constexpr const char* kOp = "QuantizedMatMul";
  const Tensor &a = context.input(0), &b = context.input(1);
  QuantizedRange ra, rb;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(ra.Read(context, 2, "a"));
  TENON_RETURN_IF_ERROR(rb.Read(context, 4, "b"));
  TENON_RETURN_IF_ERROR(ra.RequireSome(context, "a"));
  TENON_RETURN_IF_ERROR(rb.RequireSome(context, "b"));
  if (a.dims() != 2) return errors::InvalidArgument(kOp, ": In[0] is not a matrix: ", a.shape());
  if (b.dims() != 2) return errors::InvalidArgument(kOp, ": In[1] is not a matrix: ", b.shape());
  const Index m = a.dim_size(transpose_a ? 1 : 0), k = a.dim_size(transpose_a ? 0 : 1),
              n = b.dim_size(transpose_b ? 0 : 1);
  if (k != b.dim_size(transpose_b ? 1 : 0))
    return errors::InvalidArgument(kOp, ": Matrix size-incompatible: In[0]: ", a.shape(), ", In[1]: ", b.shape());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({m, n}), &out));
  const Index wa = a.dim_size(1), wb = b.dim_size(1);
  TENON_RETURN_IF_ERROR(GemmInt8(
      device, m, n, k, {a.raw_data(), false, transpose_a ? 1 : wa, transpose_a ? wa : 1, ZeroOf(a.dtype(), ra)},
      {b.raw_data(), false, transpose_b ? 1 : wb, transpose_b ? wb : 1, ZeroOf(b.dtype(), rb)},
      static_cast<std::int32_t*>(out->raw_data()), n));
  return RangeOfBytesProduct(a, ra, b, rb).Write(context, 1);
}

inline Status QuantizedAddShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpShapeFn(c));
  return ScalarRanges(c, 2, 5);
}
// As TensorFlow's: only the kernel looks at the ranges.
inline Status QuantizedMulShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpShapeFn(c));
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}
template <class ShapeFn>
constexpr auto QuantizedBinaryOp(const char* name, ShapeFn shape) {
  return Op(name)
      .Input("x: T1")
      .Input("y: T2")
      .Input("min_x: float")
      .Input("max_x: float")
      .Input("min_y: float")
      .Input("max_y: float")
      .Output("z: Toutput")
      .Output("min_z: float")
      .Output("max_z: float")
      .Attr("T1: quantizedtype")
      .Attr("T2: quantizedtype")
      .Attr("Toutput: quantizedtype = DT_QINT32")
      .SetShapeFn(shape);
}
template <bool multiply>
struct QuantizedBinaryKernel {
  Status Init(OpKernelConstruction& c) { return ServeBytes(c, ToSet(DataType::kQuint8), ToSet(DataType::kQuint8)); }
  Status operator()(Context<Cpu>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                    const Tensor&, Tensor&, Tensor&, Tensor&) const {
    return RunQuantizedBinary(context.op(), multiply);
  }
};

}  // namespace detail

struct QuantizedAdd {
  static constexpr auto signature = detail::QuantizedBinaryOp("QuantizedAdd", detail::QuantizedAddShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::QuantizedBinaryKernel<false>;
};

struct QuantizedMul {
  static constexpr auto signature = detail::QuantizedBinaryOp("QuantizedMul", detail::QuantizedMulShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::QuantizedBinaryKernel<true>;
};

// input: [..., n], bias: [n]
struct QuantizedBiasAdd {
  static constexpr auto signature = Op("QuantizedBiasAdd")
                                        .Input("input: T1")
                                        .Input("bias: T2")
                                        .Input("min_input: float")
                                        .Input("max_input: float")
                                        .Input("min_bias: float")
                                        .Input("max_bias: float")
                                        .Output("output: out_type")
                                        .Output("min_out: float")
                                        .Output("max_out: float")
                                        .Attr("T1: quantizedtype")
                                        .Attr("T2: quantizedtype")
                                        .Attr("out_type: quantizedtype")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(shape_inference::BiasAddShape(c));
                                          return detail::ScalarRanges(c, 2, 5);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      const bool is_signed = c.input_type(0) == DataType::kQint8;
      const DataTypeSet served = ToSet(is_signed ? DataType::kQint8 : DataType::kQuint8);
      return detail::ServeBytes(c, served, served);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunQuantizedBiasAdd(context.op());
    }
  };
};

// a: [m, k], b: [k, n]  ->  [m, n]
struct QuantizedMatMul {
  static constexpr auto signature = Op("QuantizedMatMul")
                                        .Input("a: T1")
                                        .Input("b: T2")
                                        .Input("min_a: float")
                                        .Input("max_a: float")
                                        .Input("min_b: float")
                                        .Input("max_b: float")
                                        .Output("out: Toutput")
                                        .Output("min_out: float")
                                        .Output("max_out: float")
                                        .Attr("T1: quantizedtype")
                                        .Attr("T2: quantizedtype")
                                        .Attr("Toutput: quantizedtype = DT_QINT32")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("Tactivation: quantizedtype = DT_QUINT8")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(shape_inference::MatMulShape(c));
                                          return detail::ScalarRanges(c, 2, 5);
                                        });
  struct Attrs {
    bool transpose_a, transpose_b;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return detail::ServeBytes(c, ToSet(DataType::kQuint8), ToSet(DataType::kQuint8));
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunQuantizedMatMul(context.op(), context.device(), this->transpose_a, this->transpose_b);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
