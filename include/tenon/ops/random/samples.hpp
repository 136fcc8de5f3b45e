// SPDX-License-Identifier: Apache-2.0
#pragma once
// Samples of gamma and Poisson distributions, one or many at a time.

#include <algorithm>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/gamma_poisson.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/seeded.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// A function that draws samples. DrawGamma adapts FillGamma, which refuses nothing.
using SampleFill = Status (*)(Cpu& device, const SampleTask& task, const Philox& from);
inline Status DrawGamma(Cpu& device, const SampleTask& task, const Philox& from) {
  FillGamma(device, task, from);
  return OkStatus();
}
inline constexpr DataTypeSet kGammaTypes = ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);

// sizes: [s...], parameters: [p...]  ->  [s..., p...], s samples of each parameter.
inline Status RunSeededSamples(OpKernelContext& context, Cpu& device, SampleFill fill, SeededGenerator* generator,
                               const HostIndices& sizes, const Tensor& parameters, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfInput(op, sizes, &shape));
  const Index samples = shape.num_elements();
  for (int d = 0; d < parameters.dims(); ++d) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(parameters.dim_size(d)));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return OkStatus();
  const SampleTask task{parameters.raw_data(), parameters.dtype(), parameters.NumElements(), samples,
                        output->raw_data(),    output->dtype()};
  const Status status = fill(device, task, generator->ReserveElements(output->NumElements()));
  return status.ok() ? status : Status(status.code(), StrCat(op, ": ", status.message()));
}

// sizes: [s..., p...], parameters: [p...]  ->  tensor of these sizes.
inline Status RunStatelessSamples(OpKernelContext& context, Cpu& device, SampleFill fill, const Philox& stream,
                                  const TensorShape& shape, const Tensor& parameters, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return OkStatus();
  bool ends = parameters.dims() <= shape.dims();
  for (int d = 0; d < parameters.dims() && ends; ++d)
    ends = parameters.dim_size(d) == shape.dim_size(shape.dims() - parameters.dims() + d);
  if (!ends)
    return errors::InvalidArgument(op, ": Shape passed in must end with broadcasted shape, got ", shape, " and ",
                                   parameters.shape());
  const Index count = parameters.NumElements();
  const SampleTask task{parameters.raw_data(),         parameters.dtype(), count,
                        output->NumElements() / count, output->raw_data(), output->dtype()};
  const Status status = fill(device, task, stream);
  return status.ok() ? status : Status(status.code(), StrCat(op, ": ", status.message()));
}
inline Status RunSeedSamples(OpKernelContext& context, Cpu& device, SampleFill fill, const HostIndices& sizes,
                             const Tensor& seed, const Tensor& parameters, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  TensorShape shape;
  Philox stream;
  TENON_RETURN_IF_ERROR(ShapeOfInput(op, sizes, &shape));
  TENON_RETURN_IF_ERROR(StreamOfSeed(op, seed, &stream));
  return RunStatelessSamples(context, device, fill, stream, shape, parameters, output);
}

}  // namespace detail

struct RandomGamma {
  static constexpr auto signature = Op("RandomGamma")
                                        .Input("shape: S")
                                        .Input("alpha: T")
                                        .Output("output: T")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("S: {int32, int64}")
                                        .Attr("T: {half, float, double}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::SamplesOfParametersShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& alpha, Tensor& output) const {
      return detail::RunSeededSamples(context.op(), context.device(), &detail::DrawGamma, &generator, shape, alpha,
                                      &output);
    }
    mutable detail::SeededGenerator generator;
  };
};

struct RandomPoisson {
  static constexpr auto signature = Op("RandomPoisson")
                                        .Input("shape: S")
                                        .Input("rate: dtype")
                                        .Output("output: dtype")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("S: {int32, int64}")
                                        .Attr("dtype: {half, float, double}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::SamplesOfParametersShape)
                                        .Deprecated(25, "Replaced by RandomPoissonV2");

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& rate, Tensor& output) const {
      return detail::RunSeededSamples(context.op(), context.device(), &FillPoisson, &generator, shape, rate, &output);
    }
    mutable detail::SeededGenerator generator;
  };
};

// The samples may have another type than the rates.
struct RandomPoissonV2 {
  static constexpr auto signature = Op("RandomPoissonV2")
                                        .Input("shape: S")
                                        .Input("rate: R")
                                        .Output("output: dtype")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("S: {int32, int64}")
                                        .Attr("R: {half, float, double, int32, int64} = DT_DOUBLE")
                                        .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::SamplesOfParametersShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& rate, Tensor& output) const {
      return detail::RunSeededSamples(context.op(), context.device(), &FillPoisson, &generator, shape, rate, &output);
    }
    mutable detail::SeededGenerator generator;
  };
};

struct StatelessRandomGammaV2 {
  static constexpr auto signature = Op("StatelessRandomGammaV2")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Input("alpha: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, float, double}")
                                        .Attr("T: {int32, int64}")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& seed, const Tensor& alpha,
                      Tensor& output) const {
      return detail::RunSeedSamples(context.op(), context.device(), &detail::DrawGamma, shape, seed, alpha, &output);
    }
  };
};

struct StatelessRandomGammaV3 {
  static constexpr auto signature = Op("StatelessRandomGammaV3")
                                        .Input("shape: shape_dtype")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Input("alpha: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: {half, float, double}")
                                        .Attr("shape_dtype: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::StatelessShapeV2);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& key, const Tensor& counter,
                      HostIndices alg, const Tensor& alpha, Tensor& output) const {
      TensorShape sizes;
      Philox stream;
      bool supported = false;
      TENON_RETURN_IF_ERROR(detail::StreamOfKey("StatelessRandomGammaV3", key, counter, alg, 3, &stream, &supported));
      TENON_RETURN_IF_ERROR(detail::ShapeOfInput("StatelessRandomGammaV3", shape, &sizes));
      if (!supported && sizes.num_elements() > 0) return detail::UnsupportedAlgorithm("StatelessRandomGammaV3", alg);
      return detail::RunStatelessSamples(context.op(), context.device(), &detail::DrawGamma, stream, sizes, alpha,
                                         &output);
    }
  };
};

struct StatelessRandomPoisson {
  static constexpr auto signature = Op("StatelessRandomPoisson")
                                        .Input("shape: T")
                                        .Input("seed: Tseed")
                                        .Input("lam: Rtype")
                                        .Output("output: dtype")
                                        .Attr("Rtype: {half, float, double, int32, int64}")
                                        .Attr("dtype: {half, float, double, int32, int64}")
                                        .Attr("T: {int32, int64}")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor& seed, const Tensor& lam,
                      Tensor& output) const {
      return detail::RunSeedSamples(context.op(), context.device(), &FillPoisson, shape, seed, lam, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
