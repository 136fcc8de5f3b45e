// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedConcat, QuantizedConcatV2, QuantizedReshape: quantized numbers moved, in one range.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// QuantizedConcat as TensorFlow's own kernel computes it, or QuantizedConcatV2 as TensorFlow with oneDNN does.
enum class ConcatVersion : std::uint8_t { kFirst, kSecond };

// The range that holds all. It is around 0 for signed types. In the second version it begins at 0 for unsigned ones.
inline QuantizedRange RangeOfAll(ConcatVersion version, std::span<const Tensor> lows, std::span<const Tensor> highs,
                                 bool is_signed) {
  QuantizedRange all{0, -HUGE_VALF};
  for (std::size_t i = 0; i < lows.size(); ++i) {
    all.low = std::min(all.low, *lows[i].data<float>());
    all.high = std::max(all.high, *highs[i].data<float>());
  }
  const float most = std::max(std::fabs(all.low), std::fabs(all.high));
  if (is_signed) return {-most, most};
  return version == ConcatVersion::kFirst ? all : QuantizedRange{0, all.high};
}

inline Status RunQuantizedConcat(OpKernelContext& context, ConcatVersion version, const HostIndices& axis,
                                 std::span<const Tensor> values, std::span<const Tensor> lows,
                                 std::span<const Tensor> highs) {
  if (axis.shape().dims() != 0)
    return errors::InvalidArgument("Concat dim tensor should be a scalar integer, but got shape ", axis.shape());
  TensorShape shape = values[0].shape();
  const int rank = shape.dims();
  const int least = version == ConcatVersion::kFirst ? 0 : -rank;
  if (axis[0] < least || axis[0] >= rank)
    return errors::InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", least, ", ", rank,
                                   "), but got ", axis[0]);
  const int at = static_cast<int>(axis[0]) + (axis[0] < 0 ? rank : 0);
  Index joined = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TensorShape& own = values[i].shape();
    if (lows[i].NumElements() != 1 || highs[i].NumElements() != 1)
      return errors::InvalidArgument("ConcatOp : input_mins and input_maxes must be scalars, got ", lows[i].shape(),
                                     " and ", highs[i].shape());
    if (own.dims() != rank)
      return errors::InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ", shape,
                                     " vs. shape[", i, "] = ", own);
    for (int d = 0; d < rank; ++d)
      if (d != at && own.dim_size(d) != shape.dim_size(d))
        return errors::InvalidArgument("ConcatOp : Dimensions of inputs should match: shape[0] = ", shape,
                                       " vs. shape[", i, "] = ", own);
    joined += own.dim_size(at);
  }
  const DataType type = values[0].dtype();
  const QuantizedKind kind = QuantizedKind::Of(type);
  const QuantizedRange all = RangeOfAll(version, lows, highs, kind.lowest < 0);
  const FloatToQuantizedScale to(kind, all.low, all.high);
  const Index outer = ProductOfSizes(shape, 0, at), inner = ProductOfSizes(shape, at + 1, rank);
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(at, joined));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  Index begin = 0;
  std::size_t number = 0;  // TensorFlow counts ranges by the values that have elements
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].NumElements() == 0) continue;
    const Index run = values[i].dim_size(at) * inner;
    const float low = *lows[number].data<float>(), high = *highs[number].data<float>();
    ++number;
    const bool same = low == all.low && high == all.high;
    const QuantizedToFloatScale from(kind, low, high);
    for (Index o = 0; o < outer; ++o)
      for (Index k = 0; k < run; ++k) {
        const std::int32_t x = LoadQuantized(values[i].raw_data(), type, o * run + k);
        StoreQuantized(same ? x : to(from(x)), out->raw_data(), type, o * joined * inner + begin + k);
      }
    begin += run;
  }
  return all.Write(context, 1);
}

}  // namespace detail

struct QuantizedConcat {
  static constexpr auto signature = Op("QuantizedConcat")
                                        .Input("concat_dim: int32")
                                        .Input("values: N * T")
                                        .Input("input_mins: N * float")
                                        .Input("input_maxes: N * float")
                                        .Output("output: T")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          const int n = (c->num_inputs() - 1) / 3;
                                          TENON_RETURN_IF_ERROR(shape_inference::ConcatShape(c, n));
                                          return detail::ScalarRanges(c, n + 1, c->num_inputs() - 1);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kQuint8) | ToSet(DataType::kQint32));
    }
    Status operator()(Context<Device>& context, HostIndices axis, std::span<const Tensor> values,
                      std::span<const Tensor> lows, std::span<const Tensor> highs, Tensor&, Tensor&, Tensor&) const {
      return detail::RunQuantizedConcat(context.op(), detail::ConcatVersion::kFirst, axis, values, lows, highs);
    }
  };
};

struct QuantizedConcatV2 {
  static constexpr auto signature = Op("QuantizedConcatV2")
                                        .Input("values: N * T")
                                        .Input("axis: Tidx")
                                        .Input("input_mins: N * float")
                                        .Input("input_maxes: N * float")
                                        .Output("output: T")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::QuantizedConcatV2Shape(c, (c->num_inputs() - 1) / 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kQuint8) | ToSet(DataType::kQint8));
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> values, HostIndices axis,
                      std::span<const Tensor> lows, std::span<const Tensor> highs, Tensor&, Tensor&, Tensor&) const {
      return detail::RunQuantizedConcat(context.op(), detail::ConcatVersion::kSecond, axis, values, lows, highs);
    }
  };
};

struct QuantizedReshape {
  static constexpr auto signature = Op("QuantizedReshape")
                                        .Input("tensor: T")
                                        .Input("shape: Tshape")
                                        .Input("input_min: float")
                                        .Input("input_max: float")
                                        .Output("output: T")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("T: type")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(shape_inference::ReshapeShape(c));
                                          return detail::ScalarRanges(c, 2, 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kQuint8) | ToSet(DataType::kQint32));
    }
    Status operator()(Context<Device>& context, const Tensor& tensor, HostIndices shape, const Tensor& low,
                      const Tensor& high, Tensor& output, Tensor&, Tensor&) const {
      TensorShape target;
      TENON_RETURN_IF_ERROR(Reshape::Target(tensor.shape(), shape, &target));
      for (const Tensor* end : {&low, &high})
        if (end->dims() > 1 || end->NumElements() != 1)
          return errors::InvalidArgument("QuantizedReshape: input_", end == &low ? "min" : "max",
                                         " must be a scalar or a vector of 1 element, got ", end->shape());
      output = Tensor(tensor.dtype());
      (void)output.CopyFrom(tensor, target);  // the element counts agree
      return detail::QuantizedRange{*low.data<float>(), *high.data<float>()}.Write(context.op(), 1);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
