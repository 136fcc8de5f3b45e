// SPDX-License-Identifier: Apache-2.0
#pragma once
// StatelessRandomBinomial, StatefulRandomBinomial: numbers of successes in trials.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/binomial.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/random/broadcast_parameters.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/stateful.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kBinomialTypes =
    ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);

// Inputs `first` and `first` + 1: counts and probs.
template <class T>
void FillBinomial(Cpu& device, OpKernelContext& context, int first, const BroadcastSamples& work, const Philox& stream,
                  Tensor* out) {
  const T *const counts = context.input(first).data<T>(), *const probs = context.input(first + 1).data<T>();
  ParallelFor(device, work.batches * work.samples, 300, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const Index batch = n / work.samples, sample = n % work.samples;
      const double x = tenon::detail::BinomialSample(counts[work.At(0, batch)], probs[work.At(1, batch)], stream,
                                                     static_cast<std::uint64_t>(n));
      StoreSample(x, out->raw_data(), out->dtype(), sample * work.batches + batch);
    }
  });
}
inline Status DrawBinomial(OpKernelContext& context, Cpu& device, int first, const BroadcastSamples& work,
                           const Philox& stream, Tensor* out) {
  return DispatchType<TypeList<half, float, double>>(
      context.input(first).dtype(), [&]<class T>() { FillBinomial<T>(device, context, first, work, stream, out); });
}

}  // namespace detail

// shape: [samples..., batch...], counts and probs: broadcast to [batch...]
struct StatelessRandomBinomial {
  static constexpr auto signature = Op("StatelessRandomBinomial")
                                        .Input("shape: S")
                                        .Input("seed: Tseed")
                                        .Input("counts: T")
                                        .Input("probs: T")
                                        .Output("output: dtype")
                                        .Attr("S: {int32, int64}")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
                                        .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::StatelessShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), detail::kBinomialTypes); }
    Status operator()(Context<Device>& context, HostIndices shape, HostIndices seed, const Tensor&, const Tensor&,
                      Tensor&) const {
      return Run(context.op(), context.device(), shape, seed);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const HostIndices& shape, const HostIndices& seed) {
    Philox stream;
    detail::BroadcastSamples work;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::StreamOfSeed("StatelessRandomBinomial", seed, &stream));
    TENON_RETURN_IF_ERROR(work.Read(context, "StatelessRandomBinomial", "counts and probs", shape, 2, 2));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, work.shape, &out));
    if (out->NumElements() == 0) return OkStatus();
    return detail::DrawBinomial(context, device, 2, work, stream, out);
  }
};

// The stream is kept in a variable.
struct StatefulRandomBinomial {
  static constexpr auto signature = Op("StatefulRandomBinomial")
                                        .Input("resource: resource")
                                        .Input("algorithm: int64")
                                        .Input("shape: S")
                                        .Input("counts: T")
                                        .Input("probs: T")
                                        .Output("output: dtype")
                                        .Attr("S: {int32, int64}")
                                        .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
                                        .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::StatefulRandomShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(3), detail::kBinomialTypes); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices algorithm, HostIndices shape, const Tensor&,
                      const Tensor&, Tensor&) const {
      return Run(context.op(), context.device(), algorithm, shape);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const HostIndices& algorithm, const HostIndices& shape) {
    Philox stream;
    detail::BroadcastSamples work;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(work.Read(context, "StatefulRandomBinomial", "counts and probs", shape, 3, 2));
    if (algorithm.shape().dims() != 0)
      return errors::InvalidArgument("StatefulRandomBinomial: algorithm must be of shape [], not ", algorithm.shape());
    TENON_RETURN_IF_ERROR(context.allocate_output(0, work.shape, &out));
    if (algorithm[0] != detail::kAlgorithmPhilox)
      return errors::InvalidArgument("StatefulRandomBinomial: Unsupported algorithm id: ", algorithm[0],
                                     "; on CPU there is Philox, ", detail::kAlgorithmPhilox);
    const auto reserved = static_cast<std::uint64_t>(work.batches) * 200 * static_cast<std::uint64_t>(work.samples + 3);
    TENON_RETURN_IF_ERROR(detail::AdvanceRng(context, reserved / 4, &stream));
    if (out->NumElements() == 0) return OkStatus();
    return detail::DrawBinomial(context, device, 3, work, stream, out);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
