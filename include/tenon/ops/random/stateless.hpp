// SPDX-License-Identifier: Apache-2.0
#pragma once
// StatelessRandomUniform and its sisters, V1: each value is a function of shape and seed.

#include <cstdint>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

template <class Device, class Seed>
Status RunStatelessFill(OpKernelContext& context, Device& device, RandomFill fill, const HostIndices& sizes,
                        const Seed& seed, const Tensor* minval, const Tensor* maxval, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  TensorShape shape;
  Philox stream;
  TENON_RETURN_IF_ERROR(ShapeOfInput(op, sizes, &shape));
  TENON_RETURN_IF_ERROR(CheckSeed(op, seed));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(StreamOfSeed(op, seed, &stream));
  if (minval != nullptr) {
    TENON_RETURN_IF_ERROR(CheckBoundsAreScalars(op, *minval, *maxval));
    TENON_RETURN_IF_ERROR(SetRange(op, *minval, *maxval, &fill));
  }
  return FillRandom(device, fill, stream, output->raw_data(), output->NumElements());
}

// The kernel of all without bounds. Seed: HostIndices, or const Tensor& where a seed may be unsigned.
template <class Device, RandomKind kKind, class Seed = HostIndices>
struct StatelessFill {
  Status Init(OpKernelConstruction& c) {
    fill = RandomFillOf(kKind, c.output_type(0));
    return fill.exists() ? OkStatus() : ServeOnly(c, c.output_type(0), DataTypeSet{});
  }
  Status operator()(Context<Device>& context, HostIndices shape, Seed seed, Tensor& output) const {
    return RunStatelessFill(context.op(), context.device(), fill, shape, seed, nullptr, nullptr, &output);
  }
  RandomFill fill;
};

}  // namespace detail

// In [0, 1).
struct StatelessRandomUniform {
  static constexpr auto signature = Op("StatelessRandomUniform")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::StatelessFill<Device, RandomKind::kUniform> {};
};

// Mean 0, deviation 1.
struct StatelessRandomNormal {
  static constexpr auto signature = Op("StatelessRandomNormal")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::StatelessFill<Device, RandomKind::kNormal> {};
};

// Mean 0, deviation 1, drawn again until it lies in (-2, 2).
struct StatelessTruncatedNormal {
  static constexpr auto signature = Op("StatelessTruncatedNormal")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::StatelessFill<Device, RandomKind::kTruncatedNormal> {};
};

// Integers, all bits random.
struct StatelessRandomUniformFullInt {
  static constexpr auto signature = Op("StatelessRandomUniformFullInt")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Output("output: dtype")
                                        .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .Attr("Tseed: {int32, int64, uint32, uint64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // seed and bounds are read in the memory that they lie in
  struct kernel : detail::StatelessFill<Device, RandomKind::kAnyInteger, const Tensor&> {};
};

// Integers in [minval, maxval).
struct StatelessRandomUniformInt {
  static constexpr auto signature = Op("StatelessRandomUniformInt")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Input("minval: dtype")
                                        .Input("maxval: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: {int32, int64}")
                                        .Attr("T: {int32, int64}")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessIntShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // seed and bounds are read in the memory that they lie in
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& seed, const Tensor& minval,
                      const Tensor& maxval, Tensor& output) const {
      return detail::RunStatelessFill(context.op(), context.device(),
                                      RandomFillOf(RandomKind::kInRange, minval.dtype()), shape, seed, &minval, &maxval,
                                      &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
