// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops that the optimizer makes in networks trained for 8 bits, whose numbers go through FakeQuant ops: images and
// matrices of bytes, and convolutions and products of them by 8-bit weights.

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/int8_conv.hpp>
#include <tenon/engine/gemm/int8_layer.hpp>
#include <tenon/engine/math/fake_quant.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/packs_input.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The range of a FakeQuant op; `divides` as FakeQuantRange has it.
struct ByteRangeAttrs {
  float min, max;
  std::int64_t num_bits;
  bool narrow_range, divides;

  Status Check(std::string_view op) const {
    if (num_bits < 2 || num_bits > 8)
      return errors::InvalidArgument(op, ": num_bits must be between 2 and 8, inclusive, got ", num_bits);
    if (!(min < max)) return errors::InvalidArgument(op, ": min has to be smaller than max, was: ", min, " >= ", max);
    return OkStatus();
  }
  FakeQuantRange range() const { return {min, max, num_bits, narrow_range, divides}; }
};

struct Int8MatMulAttrs {
  std::int64_t zero;
  float low, high, origin, per_unit;
};
struct Int8ConvAttrs {
  std::int64_t zero;
  float low, high, origin, per_unit;
  std::span<const std::int64_t> strides, explicit_paddings, dilations;
  std::string_view padding;

  Status Geometry(const TensorShape& images, const TensorShape& filter, Conv2DGeometry* g) const {
    Padding kind{};
    TENON_RETURN_IF_ERROR(ParsePadding(padding, &kind));
    return MakeConv2DGeometry(images, filter, strides, dilations, kind, explicit_paddings, g);
  }
};
// Makes the steps behind a layer's sums: numbers, or bytes where `out` is DT_UINT8. A row has `columns` numbers.
// InvalidArgument: factors or offsets of another number, a zero that is no byte, or limits that are in no order or
// beyond the bytes.
template <class Attrs>
Status Int8StepsOf(std::string_view op, const Attrs& a, const Tensor& factor, const Tensor& offset, Index columns,
                   DataType out, Int8Steps* steps) {
  if (a.zero < 0 || a.zero > 255) return errors::InvalidArgument(op, ": zero must be a byte, got ", a.zero);
  if (factor.dims() != 1 || offset.dims() != 1 || factor.NumElements() != columns || offset.NumElements() != columns)
    return errors::InvalidArgument(op, ": factor and offset must have one number for each of ", columns,
                                   " channels, got ", factor.shape(), " and ", offset.shape());
  *steps = {factor.data<float>(), offset.data<float>(), a.low, a.high, out == DataType::kUint8, a.origin, a.per_unit};
  const float first = (a.low - a.origin) * a.per_unit, last = (a.high - a.origin) * a.per_unit;
  if (a.low <= a.high && (!steps->to_bytes || (first > -0.5f && last < 255.5f))) return OkStatus();
  return errors::InvalidArgument(op, ": low ", a.low, " and high ", a.high,
                                 " must be in order, and bytes when they count from ", a.origin, " on, ", a.per_unit,
                                 " a unit");
}
template <class Op>
constexpr auto Int8LayerOf(const Op& op) {
  return op.Input("x: uint8")
      .Input("filter: int8")
      .Input("factor: float")
      .Input("offset: float")
      .Output("y: out_type")
      .Attr("out_type: {float, uint8}")
      .Attr("zero: int = 0")
      .Attr("low: float")
      .Attr("high: float")
      .Attr("origin: float = 0.0")
      .Attr("per_unit: float = 0.0");
}
template <class Op>
constexpr auto Int8ConvOf(const Op& op) {
  return Int8LayerOf(op)
      .Attr("strides: list(int)")
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
      .Attr("explicit_paddings: list(int) = []")
      .Attr("dilations: list(int) = [1, 1, 1, 1]");
}
constexpr Status Int8MatMulShape(InferenceContext* c) {
  ShapeHandle x, filter;
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &filter));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(x, 1), c->Dim(filter, 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(x, 0), c->Dim(filter, 1)));
  return OkStatus();
}

}  // namespace detail

// The step of each number within the range, counted from its lower end; NaN is the step of 0.
struct QuantizeUint8 {
  static constexpr auto signature = Op("_QuantizeUint8")
                                        .Input("x: float")
                                        .Output("y: uint8")
                                        .Attr("min: float")
                                        .Attr("max: float")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("divides: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  using Attrs = detail::ByteRangeAttrs;
  template <class Device>
    requires(Device::type == "CPU")  // no GPU has kernels that read these bytes
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return this->Check("_QuantizeUint8"); }
    Status operator()(Device& device, In<float> x, Out<std::uint8_t> y) const {
      const FakeQuantRange range = this->range();
      ParallelFor(device, x.size(), 0.5, [&](Index begin, Index end) {
        float part[kPart];
        for (; begin < end; begin += kPart) {
          const Index count = end - begin < kPart ? end - begin : kPart;
          tenon::detail::FakeQuantPart(range, x.data + begin, part, count);
          ToBytes(part, range.zero + 0.5f, range.inverse, count, y.data + begin);
        }
      });
      return OkStatus();
    }

   private:
    static constexpr Index kPart = 1024;
    TENON_DETAIL_LOOPS_BEGIN
    static TENON_DETAIL_LOOP void ToBytes(const float* x, float zero, float inverse, Index n, std::uint8_t* to) {
      TENON_DETAIL_INDEPENDENT
      for (Index i = 0; i < n; ++i) {
        const float number = x[i] == x[i] ? x[i] : 0;
        to[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(number * inverse + zero));
      }
    }
    TENON_DETAIL_LOOPS_END
  };
};

// The numbers that a FakeQuant op would give, from their steps.
struct DequantizeUint8 {
  static constexpr auto signature = Op("_DequantizeUint8")
                                        .Input("x: uint8")
                                        .Output("y: float")
                                        .Attr("min: float")
                                        .Attr("max: float")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("divides: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  using Attrs = detail::ByteRangeAttrs;
  template <class Device>
    requires(Device::type == "CPU")  // no GPU has kernels that write these bytes
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return this->Check("_DequantizeUint8"); }
    Status operator()(Device& device, In<std::uint8_t> x, Out<float> y) const {
      const FakeQuantRange range = this->range();
      const auto zero = static_cast<std::int32_t>(range.zero);
      ParallelFor(device, x.size(), 0.3, [&](Index begin, Index end) {
        ToNumbers(x.data + begin, zero, range.scale, end - begin, y.data + begin);
      });
      return OkStatus();
    }

   private:
    TENON_DETAIL_LOOPS_BEGIN
    static TENON_DETAIL_LOOP void ToNumbers(const std::uint8_t* x, std::int32_t zero, float scale, Index n, float* to) {
      TENON_DETAIL_INDEPENDENT
      for (Index i = 0; i < n; ++i) to[i] = static_cast<float>(x[i] - zero) * scale;
    }
    TENON_DETAIL_LOOPS_END
  };
};

// x: [n, h, w, c], bytes for the numbers less `zero`  filter: [fh, fw, c, k]  factor, offset: [k]  ->  [n, oh, ow, k]
struct Int8Conv2D {
  static constexpr auto signature =
      detail::Int8ConvOf(Op("_Int8Conv2D")).SetShapeFn(shape_inference::Conv2DShapeWithExplicitPadding);
  using Attrs = detail::Int8ConvAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // products of bytes are for processors
  struct kernel : Attrs, PacksInput<1> {
    Status operator()(Context<Device>& context, In<std::uint8_t> x, In<std::int8_t> filter, const Tensor& factor,
                      const Tensor& offset, Tensor&) const {
      Conv2DGeometry g;
      TENON_RETURN_IF_ERROR(this->Geometry(x.shape(), filter.shape(), &g));
      if (g.groups != 1)
        return errors::Unimplemented("_Int8Conv2D: convolutions of groups are not implemented, got ", g.groups,
                                     " groups");
      OpKernelContext& op = context.op();
      Int8Steps steps;
      TENON_RETURN_IF_ERROR(
          detail::Int8StepsOf("_Int8Conv2D", *this, factor, offset, g.out_depth, op.expected_output_dtype(0), &steps));
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(op.allocate_output(0, g.output_shape(), &out));
      return tenon::Int8Conv2D(context.device(), g, x.data, static_cast<std::int32_t>(this->zero), filter.data, steps,
                               out->raw_data(), this->packed());
    }
  };
};

// x: [n, h, w, c]  filter: [fh, fw, c, 1]  factor, offset: [c]  ->  [n, oh, ow, c]
struct Int8DepthwiseConv2D {
  static constexpr auto signature =
      detail::Int8ConvOf(Op("_Int8DepthwiseConv2D")).SetShapeFn(shape_inference::DepthwiseConv2DNativeShape);
  using Attrs = detail::Int8ConvAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // products of bytes are for processors
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<std::uint8_t> x, In<std::int8_t> filter, const Tensor& factor,
                      const Tensor& offset, Tensor&) const {
      Conv2DGeometry g;
      TENON_RETURN_IF_ERROR(this->Geometry(x.shape(), filter.shape(), &g));
      if (g.groups != 1 || g.out_depth != 1 || g.rows.dilation != 1 || g.columns.dilation != 1)
        return errors::Unimplemented(
            "_Int8DepthwiseConv2D: only one filter a channel without dilation is implemented, ", "got ", filter.shape(),
            " for ", x.shape());
      OpKernelContext& op = context.op();
      Int8Steps steps;
      TENON_RETURN_IF_ERROR(detail::Int8StepsOf("_Int8DepthwiseConv2D", *this, factor, offset, g.in_depth,
                                                op.expected_output_dtype(0), &steps));
      g.out_depth = g.in_depth;
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(op.allocate_output(0, g.output_shape(), &out));
      return tenon::Int8DepthwiseConv2D(context.device(), {g.batch, g.rows, g.columns, g.in_depth}, x.data,
                                        static_cast<std::int32_t>(this->zero), filter.data, steps, out->raw_data());
    }
  };
};

// x: [m, k], bytes for the numbers less `zero`  filter: [k, n]  factor, offset: [n]  ->  [m, n]
struct Int8MatMul {
  static constexpr auto signature = detail::Int8LayerOf(Op("_Int8MatMul")).SetShapeFn(detail::Int8MatMulShape);
  using Attrs = detail::Int8MatMulAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // products of bytes are for processors
  struct kernel : Attrs, PacksInput<1> {
    Status operator()(Context<Device>& context, In<std::uint8_t> x, In<std::int8_t> filter, const Tensor& factor,
                      const Tensor& offset, Tensor&) const {
      if (x.shape().dims() != 2 || filter.shape().dims() != 2 || x.shape().dim_size(1) != filter.shape().dim_size(0))
        return errors::InvalidArgument("_Int8MatMul: Matrix size-incompatible: x: ", x.shape(),
                                       ", filter: ", filter.shape());
      OpKernelContext& op = context.op();
      Int8Steps steps;
      TENON_RETURN_IF_ERROR(detail::Int8StepsOf("_Int8MatMul", *this, factor, offset, filter.shape().dim_size(1),
                                                op.expected_output_dtype(0), &steps));
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(
          op.allocate_output(0, TensorShape{x.shape().dim_size(0), filter.shape().dim_size(1)}, &out));
      return MultiplyInt8Layer(context.device(), x.shape().dim_size(0), filter.shape().dim_size(1),
                               x.shape().dim_size(1), {x.data, static_cast<std::int32_t>(this->zero)}, filter.data,
                               steps, out->raw_data(), this->packed());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
