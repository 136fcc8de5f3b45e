// SPDX-License-Identifier: Apache-2.0
#pragma once
// StatelessRandomUniformV2 and its sisters: each value is a function of shape, key and counter. And the ops that make
// key and counter from a seed.

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

template <class Device, class Words>
Status RunKeyedFill(OpKernelContext& context, Device& device, RandomFill fill, const HostIndices& sizes,
                    const Words& key, const Words& counter, const HostIndices& alg, const Tensor* minval,
                    const Tensor* maxval, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  TensorShape shape;
  Philox stream;
  bool supported = false;
  TENON_RETURN_IF_ERROR(StreamOfKey(op, key, counter, alg, 3, &stream, &supported));
  TENON_RETURN_IF_ERROR(ShapeOfInput(op, sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return OkStatus();
  if (minval != nullptr) {
    TENON_RETURN_IF_ERROR(CheckBoundsAreScalars(op, *minval, *maxval));
    TENON_RETURN_IF_ERROR(SetRange(op, *minval, *maxval, &fill));
  }
  if (!supported) return UnsupportedAlgorithm(op, alg);
  return FillRandom(device, fill, stream, output->raw_data(), output->NumElements());
}

// The kernel of all without bounds.
template <class Device, RandomKind kKind>
struct KeyedFill {
  Status Init(OpKernelConstruction& c) {
    fill = RandomFillOf(kKind, c.output_type(0));
    return fill.exists() ? OkStatus() : ServeOnly(c, c.output_type(0), DataTypeSet{});
  }
  Status operator()(Context<Device>& context, HostIndices shape, HostIn<std::uint64_t> key,
                    HostIn<std::uint64_t> counter, HostIndices alg, Tensor& output) const {
    return RunKeyedFill(context.op(), context.device(), fill, shape, key, counter, alg, nullptr, nullptr, &output);
  }
  RandomFill fill;
};

inline Status RunKeyCounter(OpKernelContext& context, const Tensor& seed) {
  Philox stream;
  Tensor *key = nullptr, *counter = nullptr;
  TENON_RETURN_IF_ERROR(StreamOfSeed(context.op_kernel().def().op, seed, &stream));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({1}), &key));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({2}), &counter));
  key->data<std::uint64_t>()[0] = stream.key;
  counter->data<std::uint64_t>()[0] = stream.low;
  counter->data<std::uint64_t>()[1] = stream.high;
  return OkStatus();
}
inline Status RunAlgorithm(OpKernelContext& context, int output) {
  Tensor* alg = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(output, TensorShape(), &alg));
  *alg->data<std::int32_t>() = kAlgorithmPhilox;
  return OkStatus();
}

}  // namespace detail

// In [0, 1).
struct StatelessRandomUniformV2 {
  static constexpr auto signature = Op("StatelessRandomUniformV2")
                                        .Input("shape: Tshape")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::StatelessShapeV2);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::KeyedFill<Device, RandomKind::kUniform> {};
};

// Mean 0, deviation 1.
struct StatelessRandomNormalV2 {
  static constexpr auto signature = Op("StatelessRandomNormalV2")
                                        .Input("shape: Tshape")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::StatelessShapeV2);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::KeyedFill<Device, RandomKind::kNormal> {};
};

// Mean 0, deviation 1, drawn again until it lies in (-2, 2).
struct StatelessTruncatedNormalV2 {
  static constexpr auto signature = Op("StatelessTruncatedNormalV2")
                                        .Input("shape: Tshape")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::StatelessShapeV2);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::KeyedFill<Device, RandomKind::kTruncatedNormal> {};
};

// Integers, all bits random.
struct StatelessRandomUniformFullIntV2 {
  static constexpr auto signature = Op("StatelessRandomUniformFullIntV2")
                                        .Input("shape: Tshape")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Output("output: dtype")
                                        .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::StatelessShapeV2);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // a GPU draws floating numbers alone
  struct kernel : detail::KeyedFill<Device, RandomKind::kAnyInteger> {};
};

// Integers in [minval, maxval). TensorFlow has kernels for signed ones only.
struct StatelessRandomUniformIntV2 {
  static constexpr auto signature = Op("StatelessRandomUniformIntV2")
                                        .Input("shape: Tshape")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Input("minval: dtype")
                                        .Input("maxval: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: {int32, int64, uint32, uint64}")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::StatelessIntShapeV2);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kInt32) | ToSet(DataType::kInt64));
    }
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& key, const Tensor& counter,
                      HostIndices alg, const Tensor& minval, const Tensor& maxval, Tensor& output) const {
      return detail::RunKeyedFill(context.op(), context.device(), RandomFillOf(RandomKind::kInRange, minval.dtype()),
                                  shape, key, counter, alg, &minval, &maxval, &output);
    }
  };
};

struct StatelessRandomGetKeyCounter {
  static constexpr auto signature = Op("StatelessRandomGetKeyCounter")
                                        .Input("seed: Tseed")
                                        .Output("key: uint64")
                                        .Output("counter: uint64")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::KeyCounterShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& seed, Tensor&, Tensor&) const {
      return detail::RunKeyCounter(context.op(), seed);
    }
  };
};

struct StatelessRandomGetKeyCounterAlg {
  static constexpr auto signature = Op("StatelessRandomGetKeyCounterAlg")
                                        .Input("seed: Tseed")
                                        .Output("key: uint64")
                                        .Output("counter: uint64")
                                        .Output("alg: int32")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::KeyCounterShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& seed, Tensor&, Tensor&, Tensor&) const {
      TENON_RETURN_IF_ERROR(detail::RunKeyCounter(context.op(), seed));
      return detail::RunAlgorithm(context.op(), 2);
    }
  };
};

struct StatelessRandomGetAlg {
  static constexpr auto signature =
      Op("StatelessRandomGetAlg").Output("alg: int32").SetIsStateful().SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, Tensor&) const { return detail::RunAlgorithm(context.op(), 0); }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
