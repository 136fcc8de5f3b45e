// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParameterizedTruncatedNormal: normal numbers between bounds that are inputs.

#include <algorithm>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/truncated_normal.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/seeded.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status BoundedNormalShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 1; i <= 4; ++i) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &unused));
  return shape_inference::RandomShape(c);
}

// One batch of `samples` for each first index, or, where all have the same parameters, batches of 100.
struct BoundedNormalBatches {
  Index batches, samples;
};

// The parameters means, stdevs, minvals, maxvals: inputs 1 to 4.
inline Status BatchesOfParameters(OpKernelContext& context, const TensorShape& shape, BoundedNormalBatches* out) {
  static constexpr const char* kNames[] = {"means", "stdevs", "minvals", "maxvals"};
  for (int i = 0; i < 4; ++i)
    if (context.input(i + 1).dims() > 1)
      return errors::InvalidArgument("ParameterizedTruncatedNormal: Input ", kNames[i],
                                     " should be a scalar or vector, got shape: ", context.input(i + 1).shape());
  const auto one = [&](int i) { return context.input(i).NumElements() == 1; };
  if (one(1) && one(2) && context.input(3).dims() == 0 && context.input(4).dims() == 0) {
    constexpr Index kSamples = 100;
    *out = {(shape.num_elements() + kSamples - 1) / kSamples, kSamples};
    return OkStatus();
  }
  *out = {shape.dim_size(0), ProductOfSizes(shape, 1, shape.dims())};
  for (int i = 0; i < 4; ++i) {
    const Tensor& parameter = context.input(i + 1);
    if (parameter.dims() == 1 && parameter.dim_size(0) != 1 && parameter.dim_size(0) != out->batches)
      return errors::InvalidArgument("ParameterizedTruncatedNormal: Input ", kNames[i],
                                     " should have length 1 or shape[0], got shape: ", parameter.shape(),
                                     " where shape[0] is ", out->batches);
  }
  return OkStatus();
}

template <class T>
Status FillBoundedNormals(OpKernelContext& context, const BoundedNormalBatches& work, Philox stream, Tensor* output) {
  const auto parameter = [&](int i, Index b) {
    const Tensor& t = context.input(i);
    return t.data<T>()[t.NumElements() == 1 ? 0 : b];
  };
  for (Index b = 0; b < work.batches; ++b) {
    const Index first = b * work.samples, n = std::min(work.samples, output->NumElements() - first);
    const BoundedNormal<T> p{parameter(1, b), parameter(2, b), parameter(3, b), parameter(4, b)};
    TENON_RETURN_IF_ERROR(FillBoundedNormal(p, &stream, output->data<T>() + first, n));
  }
  return OkStatus();
}

}  // namespace detail

// shape: [batches, ...]; the others scalars or vectors of one number or one for each batch. On one thread: each sample
// takes as much of the stream as it needs.
struct ParameterizedTruncatedNormal {
  static constexpr auto signature = Op("ParameterizedTruncatedNormal")
                                        .Input("shape: T")
                                        .Input("means: dtype")
                                        .Input("stdevs: dtype")
                                        .Input("minvals: dtype")
                                        .Input("maxvals: dtype")
                                        .Output("output: dtype")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("dtype: {half, bfloat16, float, double}")
                                        .Attr("T: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::BoundedNormalShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      generator.Seed(this->seed, this->seed2);
      return ServeOnly(c, c.output_type(0),
                       ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble));
    }
    Status operator()(Context<Device>& context, HostIndices shape, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor& output) const {
      return Run(context.op(), &generator, shape, &output);
    }
    mutable detail::SeededGenerator generator;
  };

 private:
  static Status Run(OpKernelContext& context, detail::SeededGenerator* generator, const HostIndices& sizes,
                    Tensor* output) {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::ShapeOfInput("ParameterizedTruncatedNormal", sizes, &shape));
    if (shape.dims() == 0)
      return errors::InvalidArgument("ParameterizedTruncatedNormal: Shape tensor must not be empty, got ",
                                     sizes.shape());
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    detail::BoundedNormalBatches work{};
    TENON_RETURN_IF_ERROR(detail::BatchesOfParameters(context, shape, &work));
    // As many blocks as TensorFlow reserves; the product may wrap around.
    const auto tries = static_cast<std::uint64_t>(work.batches) * 2 * kBoundedNormalTries;
    const Philox stream = generator->Reserve(tries * static_cast<std::uint64_t>(work.samples + 3) / 4);
    if (shape.num_elements() == 0) return OkStatus();  // there may be very many batches without samples
    if (output->dtype() == DataType::kHalf) return detail::FillBoundedNormals<half>(context, work, stream, output);
    if (output->dtype() == DataType::kFloat) return detail::FillBoundedNormals<float>(context, work, stream, output);
    return detail::FillBoundedNormals<double>(context, work, stream, output);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
