// SPDX-License-Identifier: Apache-2.0
#pragma once
// RandomUniform, RandomStandardNormal, TruncatedNormal, RandomUniformInt: the seeded ops that keep a stream from run to
// run.

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

struct SeedAttrs {
  std::int64_t seed;
  std::int64_t seed2;
};

template <class Device>
Status RunSeededFill(OpKernelContext& context, Device& device, const RandomFill& fill, SeededGenerator* generator,
                     const HostIndices& sizes, Tensor* output) {
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfInput(context.op_kernel().def().op, sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  const Index n = output->NumElements();
  return FillRandom(device, fill, generator->ReserveElements(n), output->raw_data(), n);
}

// The kernel of all that are given a shape alone.
template <class Device, RandomKind kKind>
struct SeededFill : SeedAttrs {
  Status Init(OpKernelConstruction& c) {
    generator.Seed(this->seed, this->seed2);
    fill = RandomFillOf(kKind, c.output_type(0));
    return fill.exists() ? OkStatus() : ServeOnly(c, c.output_type(0), DataTypeSet{});
  }
  Status operator()(Context<Device>& context, HostIndices shape, Tensor& output) const {
    return RunSeededFill(context.op(), context.device(), fill, &generator, shape, &output);
  }
  RandomFill fill;
  mutable SeededGenerator generator;
};

}  // namespace detail

// In [0, 1).
struct RandomUniform {
  static constexpr auto signature = Op("RandomUniform")
                                        .Input("shape: T")
                                        .Output("output: dtype")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("dtype: {half, bfloat16, float, double}")
                                        .Attr("T: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::RandomShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::SeededFill<Device, RandomKind::kUniform> {};
};

// Mean 0, deviation 1.
struct RandomStandardNormal {
  static constexpr auto signature = Op("RandomStandardNormal")
                                        .Input("shape: T")
                                        .Output("output: dtype")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("dtype: {half, bfloat16, float, double}")
                                        .Attr("T: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::RandomShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::SeededFill<Device, RandomKind::kNormal> {};
};

// Mean 0, deviation 1, drawn again until it lies in (-2, 2).
struct TruncatedNormal {
  static constexpr auto signature = Op("TruncatedNormal")
                                        .Input("shape: T")
                                        .Output("output: dtype")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("dtype: {half, bfloat16, float, double}")
                                        .Attr("T: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::RandomShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::SeededFill<Device, RandomKind::kTruncatedNormal> {};
};

// Integers in [minval, maxval). Nearly uniform: the remainder of a random number by the range.
struct RandomUniformInt {
  static constexpr auto signature = Op("RandomUniformInt")
                                        .Input("shape: T")
                                        .Input("minval: Tout")
                                        .Input("maxval: Tout")
                                        .Output("output: Tout")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("Tout: {int32, int64}")
                                        .Attr("T: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RandomIntShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // as in TensorFlow
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& minval, const Tensor& maxval,
                      Tensor& output) const {
      return Run(context.op(), context.device(), &generator, shape, minval, maxval, &output);
    }
    mutable detail::SeededGenerator generator;
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, detail::SeededGenerator* generator, const HostIndices& sizes,
                    const Tensor& minval, const Tensor& maxval, Tensor* output) {
    TENON_RETURN_IF_ERROR(detail::CheckBoundsAreScalars("RandomUniformInt", minval, maxval));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::ShapeOfInput("RandomUniformInt", sizes, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    const Index n = output->NumElements();
    if (n == 0) return OkStatus();
    RandomFill fill = RandomFillOf(RandomKind::kInRange, minval.dtype());
    TENON_RETURN_IF_ERROR(detail::SetRange("RandomUniformInt", minval, maxval, &fill));
    return FillRandom(device, fill, generator->ReserveElements(n), output->raw_data(), n);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
