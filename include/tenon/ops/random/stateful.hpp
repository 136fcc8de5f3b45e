// SPDX-License-Identifier: Apache-2.0
#pragma once
// StatefulUniform and its sisters, RngReadAndSkip, RngSkip: streams whose place is kept in a variable, [counter's lower
// half, its upper half, key] in int64. Philox only, as on TensorFlow's CPU.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr Index kPhiloxStateSize = 3;

// resource: [], algorithm: [], shape: [rank]
inline Status StatefulRandomShape(InferenceContext* c) {
  ShapeHandle unused, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status StatefulRandomIntShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(4), 0, &unused));
  return StatefulRandomShape(c);
}
inline Status RngSkipShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  if (c->num_outputs() > 0) c->set_output(0, c->Vector(kPhiloxStateSize));
  return OkStatus();
}

inline Status CheckRngDelta(const Tensor& delta) {
  if (delta.dims() == 0) return OkStatus();
  return errors::InvalidArgument("delta must be a scalar, got shape ", delta.shape());
}
inline Status CheckRngAlgorithm(const HostIndices& alg) {
  if (alg.shape().dims() != 0) return errors::InvalidArgument("algorithm must be of shape [], not ", alg.shape());
  if (alg[0] == kAlgorithmThreeFry)
    return errors::Unimplemented("Non-XLA devices don't support the ThreeFry algorithm, ", kAlgorithmThreeFry,
                                 "; Philox is ", kAlgorithmPhilox);
  if (alg[0] != kAlgorithmPhilox && alg[0] != kAlgorithmAuto)
    return errors::InvalidArgument("Unsupported algorithm id: ", alg[0], "; on CPU there is Philox, ",
                                   kAlgorithmPhilox);
  return OkStatus();
}

// The stream at the variable's place, which goes on by `elements` elements. `has_algorithm`: the state begins with its
// algorithm.
inline Status AdvanceRng(const OpKernelContext& context, std::uint64_t elements, Philox* start,
                         bool has_algorithm = false) {
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, context.input(0), DataType::kInt64));
  const TensorShape shape = variable.tensor().shape();
  if (shape.dims() != 1)
    return errors::InvalidArgument("RNG state must have one and only one dimension, not ", shape.dims(), ": ", shape);
  const Index size = kPhiloxStateSize + (has_algorithm ? 1 : 0);
  if (has_algorithm) {
    if (shape.dim_size(0) == 0) return errors::InvalidArgument("Size of tensor must be at least 1, got ", shape);
    const Tensor algorithm = Tensor::Scalar(variable.tensor().data<std::int64_t>()[0]);
    TENON_RETURN_IF_ERROR(CheckRngAlgorithm(HostIndices(algorithm.any_view(), DataType::kInt64)));
  }
  if (shape.dim_size(0) < size)
    return errors::InvalidArgument("For the Philox algorithm, the size of state must be at least ", size, "; got ",
                                   shape.dim_size(0));
  TENON_RETURN_IF_ERROR(variable.MakeWritable(context));
  std::int64_t* const state = variable.tensor().data<std::int64_t>() + (has_algorithm ? 1 : 0);
  *start = {static_cast<std::uint64_t>(state[2]), static_cast<std::uint64_t>(state[0]),
            static_cast<std::uint64_t>(state[1])};
  const std::uint64_t blocks = elements * kRandomBlocksPerElement;
  Philox next = start->Skipped(blocks);
  // TensorFlow adds words of 32 bits, and loses the carry where it makes the upper word of `blocks` overflow: most
  // skips back, by a negative delta, leave the counter's upper half as it is.
  if (blocks >> 32 == 0xffffffff && static_cast<std::uint32_t>(next.low) < static_cast<std::uint32_t>(blocks))
    next.high = start->high;
  state[0] = static_cast<std::int64_t>(next.low);
  state[1] = static_cast<std::int64_t>(next.high);
  return OkStatus();
}

inline Status StatefulShapeOf(std::string_view op, const Tensor& sizes, TensorShape* shape) {
  if (sizes.dtype() != DataType::kInt32 && sizes.dtype() != DataType::kInt64)
    return errors::InvalidArgument(op, ": shape must be a vector of {int32,int64}, got ", sizes.dtype());
  return ShapeOfInput(op, HostIndices(sizes.any_view(), sizes.dtype()), shape);
}
// StatefulStandardNormal: the algorithm is the first element of the state.
inline Status RunOldStatefulNormal(OpKernelContext& context, Cpu& device, const RandomFill& fill) {
  TensorShape shape;
  Philox stream;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(StatefulShapeOf(context.op_kernel().type_string(), context.input(1), &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  TENON_RETURN_IF_ERROR(AdvanceRng(context, static_cast<std::uint64_t>(shape.num_elements()), &stream, true));
  if (out->NumElements() == 0) return OkStatus();
  return FillRandom(device, fill, stream, out->raw_data(), out->NumElements());
}
// NonDeterministicInts: any bits.
inline Status RunNonDeterministicInts(OpKernelContext& context, Cpu& device, const RandomFill& fill) {
  TensorShape shape;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(StatefulShapeOf(context.op_kernel().type_string(), context.input(0), &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return OkStatus();
  const Philox stream{UnpredictableBits(), UnpredictableBits(), UnpredictableBits()};
  return FillRandom(device, fill, stream, out->raw_data(), out->NumElements());
}

// minval, maxval: both or none.
inline Status RunStatefulFill(OpKernelContext& context, Cpu& device, RandomFill fill, const HostIndices& alg,
                              const Tensor& sizes_in, const Tensor* minval, const Tensor* maxval, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  TensorShape shape;
  Philox stream;
  TENON_RETURN_IF_ERROR(CheckRngAlgorithm(alg));
  TENON_RETURN_IF_ERROR(StatefulShapeOf(op, sizes_in, &shape));
  if (minval != nullptr) {
    TENON_RETURN_IF_ERROR(CheckBoundsAreScalars(op, *minval, *maxval));
    TENON_RETURN_IF_ERROR(SetRange(op, *minval, *maxval, &fill));
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  TENON_RETURN_IF_ERROR(AdvanceRng(context, static_cast<std::uint64_t>(shape.num_elements()), &stream));
  if (output->NumElements() == 0) return OkStatus();
  return FillRandom(device, fill, stream, output->raw_data(), output->NumElements());
}

template <class Device, RandomKind kKind>
struct StatefulFill {
  Status Init(OpKernelConstruction& c) {
    fill = RandomFillOf(kKind, c.output_type(0));
    return fill.exists() ? OkStatus() : ServeOnly(c, c.output_type(0), DataTypeSet{});
  }
  Status operator()(Context<Device>& context, const Tensor&, HostIndices algorithm, const Tensor& shape,
                    Tensor& output) const {
    return RunStatefulFill(context.op(), context.device(), fill, algorithm, shape, nullptr, nullptr, &output);
  }
  RandomFill fill;
};

constexpr auto StatefulRandomOp(std::string_view name, std::string_view dtype) {
  return Op(name)
      .Input("resource: resource")
      .Input("algorithm: int64")
      .Input("shape: shape_dtype")
      .Output("output: dtype")
      .Attr(dtype)
      .Attr("shape_dtype: type = DT_INT64")
      .SetIsStateful()
      .SetShapeFn(StatefulRandomShape);
}

}  // namespace detail

struct StatefulUniform {
  static constexpr auto signature = detail::StatefulRandomOp("StatefulUniform", "dtype: type = DT_FLOAT");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::StatefulFill<Device, RandomKind::kUniform>;
};

struct StatefulStandardNormalV2 {
  static constexpr auto signature = detail::StatefulRandomOp("StatefulStandardNormalV2", "dtype: type = DT_FLOAT");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::StatefulFill<Device, RandomKind::kNormal>;
};

struct StatefulStandardNormal {
  static constexpr auto signature = Op("StatefulStandardNormal")
                                        .Input("resource: resource")
                                        .Input("shape: shape_dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: type = DT_FLOAT")
                                        .Attr("shape_dtype: type = DT_INT64")
                                        .SetIsStateful()
                                        .Deprecated(29, "Use StatefulStandardNormalV2 instead")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused, out;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      fill = RandomFillOf(RandomKind::kNormal, c.output_type(0));
      return fill.exists() ? OkStatus() : ServeOnly(c, c.output_type(0), DataTypeSet{});
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunOldStatefulNormal(context.op(), context.device(), fill);
    }
    RandomFill fill;
  };
};

// Integers that differ each time.
struct NonDeterministicInts {
  static constexpr auto signature = Op("NonDeterministicInts")
                                        .Input("shape: shape_dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: type = DT_INT64")
                                        .Attr("shape_dtype: type = DT_INT64")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      fill = RandomFillOf(RandomKind::kAnyInteger, c.output_type(0));
      return fill.exists() ? OkStatus() : ServeOnly(c, c.output_type(0), DataTypeSet{});
    }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunNonDeterministicInts(context.op(), context.device(), fill);
    }
    RandomFill fill;
  };
};

struct StatefulTruncatedNormal {
  static constexpr auto signature = detail::StatefulRandomOp("StatefulTruncatedNormal", "dtype: type = DT_FLOAT");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::StatefulFill<Device, RandomKind::kTruncatedNormal>;
};

// All bits random.
struct StatefulUniformFullInt {
  static constexpr auto signature = detail::StatefulRandomOp("StatefulUniformFullInt", "dtype: type = DT_UINT64");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::StatefulFill<Device, RandomKind::kAnyInteger>;
};

// In [minval, maxval).
struct StatefulUniformInt {
  static constexpr auto signature = Op("StatefulUniformInt")
                                        .Input("resource: resource")
                                        .Input("algorithm: int64")
                                        .Input("shape: shape_dtype")
                                        .Input("minval: dtype")
                                        .Input("maxval: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: type = DT_INT64")
                                        .Attr("shape_dtype: type = DT_INT64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::StatefulRandomIntShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kInt32) | ToSet(DataType::kInt64));
    }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices algorithm, const Tensor& shape,
                      const Tensor& minval, const Tensor& maxval, Tensor& output) const {
      return detail::RunStatefulFill(context.op(), context.device(), RandomFillOf(RandomKind::kInRange, minval.dtype()),
                                     algorithm, shape, &minval, &maxval, &output);
    }
  };
};

// The place of the stream, before it goes on by as much as `delta` elements take.
struct RngReadAndSkip {
  static constexpr auto signature = Op("RngReadAndSkip")
                                        .Input("resource: resource")
                                        .Input("alg: int32")
                                        .Input("delta: uint64")
                                        .Output("value: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RngSkipShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices alg, const Tensor& delta,
                      Out<std::int64_t> value) const {
      Philox start;
      TENON_RETURN_IF_ERROR(detail::CheckRngAlgorithm(alg));
      TENON_RETURN_IF_ERROR(detail::CheckRngDelta(delta));
      TENON_RETURN_IF_ERROR(detail::AdvanceRng(context.op(), delta.data<std::uint64_t>()[0], &start));
      value[0] = static_cast<std::int64_t>(start.low);
      value[1] = static_cast<std::int64_t>(start.high);
      value[2] = static_cast<std::int64_t>(start.key);
      return OkStatus();
    }
  };
};

struct RngSkip {
  static constexpr auto signature = Op("RngSkip")
                                        .Input("resource: resource")
                                        .Input("algorithm: int64")
                                        .Input("delta: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RngSkipShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices algorithm, const Tensor& delta) const {
      Philox start;
      TENON_RETURN_IF_ERROR(detail::CheckRngAlgorithm(algorithm));
      TENON_RETURN_IF_ERROR(detail::CheckRngDelta(delta));
      return detail::AdvanceRng(context.op(), static_cast<std::uint64_t>(delta.data<std::int64_t>()[0]), &start);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
