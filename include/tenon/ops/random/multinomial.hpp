// SPDX-License-Identifier: Apache-2.0
#pragma once
// Multinomial, StatelessMultinomial: classes drawn with the probabilities that logits say.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/random/gamma_poisson.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/seeded.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kLogitTypes =
    ToSet(DataType::kHalf) | ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);

inline Status MultinomialShape(InferenceContext* c) {
  ShapeHandle logits, unused;
  DimensionHandle samples;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &logits));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &samples));
  c->set_output(0, c->Matrix(c->Dim(logits, 0), samples));
  return OkStatus();
}
inline Status StatelessMultinomialShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SeedIsPair(c, 2));
  return MultinomialShape(c);
}

// x[i] = exp(x[i] - shift); NaN stays NaN.
struct ShiftedExponentials {
  template <int bytes>
  TENON_HD static void Run(double* x, Index n, double shift) {
    Index i = 0;
#if TENON_DETAIL_LANES
    using L = simd::Lanes<double, bytes>;
    const L all = L::Repeat(shift);
    for (; i + L::size <= n; i += L::size) simd::Exp(L::Load(x + i) - all).Store(x + i);
#endif
    for (; i < n; ++i) x[i] = std::exp(x[i] - shift);
  }
};

// logits: [batch, classes]  ->  out: [batch, samples]. Sample number j of a row takes words 2 j and 2 j + 1 of the
// row's part of the stream; the parts follow each other.
struct MultinomialWork {
  const Tensor& logits;
  Philox from;
  Index classes, samples;
  Tensor* out;

  // cumulative: room for `classes` numbers.
  void Row(Index b, double* cumulative) const {
    double most = -std::numeric_limits<double>::max(), total = 0;
    const auto load = [&](const auto& at) {
      for (Index j = 0; j < classes; ++j) {
        const double x = at(b * classes + j);
        const bool finite = std::abs(x) <= std::numeric_limits<double>::max();
        cumulative[j] = finite ? x : std::numeric_limits<double>::quiet_NaN();
        most = finite && x > most ? x : most;
      }
    };
    if (logits.dtype() == DataType::kFloat)
      load([x = logits.data<float>()](Index i) { return static_cast<double>(x[i]); });
    else
      load([this](Index i) { return tenon::detail::LoadReal(logits.raw_data(), logits.dtype(), i); });
#if TENON_DETAIL_LANES
    simd::detail::ForLevels<ShiftedExponentials, simd::Compiled, double*, Index, double>::Best()(cumulative, classes,
                                                                                                 most);
#else
    ShiftedExponentials::Run<16>(cumulative, classes, most);
#endif
    for (Index j = 0; j < classes; ++j) {
      if (cumulative[j] == cumulative[j]) total += cumulative[j];
      cumulative[j] = total;
    }
    const auto first = static_cast<std::uint64_t>(2 * b * samples);  // word
    PhiloxWords words(from.Skipped(first / 4), static_cast<int>(first % 4));
    for (Index j = 0; j < samples; ++j) {
      const std::uint32_t high = words.Next(), low = words.Next();
      const double wanted = tenon::detail::UniformDouble(high, low) * total;
      const Index found = std::upper_bound(cumulative, cumulative + classes, wanted) - cumulative;
      if (out->dtype() == DataType::kInt32)
        out->data<std::int32_t>()[b * samples + j] = static_cast<std::int32_t>(found);
      else
        out->data<std::int64_t>()[b * samples + j] = found;
    }
  }
};

inline Status RunMultinomial(OpKernelContext& context, Cpu& device, SeededGenerator* generator, const Philox& stream,
                             const Tensor& logits, const HostIndices& num_samples, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  if (logits.dims() != 2) return errors::InvalidArgument(op, ": logits should be a matrix, got shape ", logits.shape());
  if (num_samples.shape().dims() != 0)
    return errors::InvalidArgument(op, ": num_samples should be a scalar, got shape ", num_samples.shape());
  const Index samples = num_samples[0], batch = logits.dim_size(0), classes = logits.dim_size(1);
  if (samples < 0) return errors::InvalidArgument(op, ": num_samples should be non-negative, got ", samples);
  if (batch > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument(op, ": batch_size cannot exceed max int, got ", batch);
  if (classes > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument(op, ": num_classes cannot exceed max int, got ", classes);
  if (classes <= 0) return errors::InvalidArgument(op, ": num_classes should be positive, got ", classes);
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({batch, samples}), &output));
  if (output->NumElements() == 0) return OkStatus();
  // Two words for each sample of a row, of which TensorFlow rounds the number up to a multiple of 4.
  const Index reserved = batch * ((samples + 3) / 4 * 4) * 2;
  const Philox from = generator != nullptr ? generator->ReserveElements(reserved) : stream;
  const MultinomialWork work{logits, from, classes, samples, output};
  const double row_ns = 20.0 * static_cast<double>(classes) +
                        30.0 * static_cast<double>(samples) * (1 + std::log2(static_cast<double>(classes)));
  const Index parts = std::min(batch, tenon::detail::WorthwhileParts(device, row_ns * static_cast<double>(batch)));
  const Scratch scratch(device, static_cast<std::size_t>(parts) * tenon::detail::ScratchBytes<double>(classes));
  TENON_RETURN_IF_ERROR(scratch.status(op));
  tenon::detail::RunParts(device, parts, [&](Index part) {
    double* const cumulative =
        scratch.As<double>(static_cast<std::size_t>(part) * tenon::detail::ScratchBytes<double>(classes));
    const Index end = tenon::detail::PartBegin(batch, parts, 1, part + 1);
    for (Index b = tenon::detail::PartBegin(batch, parts, 1, part); b < end; ++b) work.Row(b, cumulative);
  });
  return OkStatus();
}

}  // namespace detail

// logits: [batch, classes]  ->  [batch, num_samples] of class numbers. A logit that is not finite has no weight.
struct Multinomial {
  static constexpr auto signature =
      Op("Multinomial")
          .Input("logits: T")
          .Input("num_samples: int32")
          .Output("output: output_dtype")
          .Attr("seed: int = 0")
          .Attr("seed2: int = 0")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("output_dtype: {int32, int64} = DT_INT64")
          .SetIsStateful()
          .SetShapeFn(detail::MultinomialShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      generator.Seed(this->seed, this->seed2);
      return ServeOnly(c, c.input_type(0), detail::kLogitTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& logits, HostIndices num_samples, Tensor& output) const {
      return detail::RunMultinomial(context.op(), context.device(), &generator, Philox(), logits, num_samples, &output);
    }
    mutable detail::SeededGenerator generator;
  };
};

// Multinomial as a function of a seed.
struct StatelessMultinomial {
  static constexpr auto signature =
      Op("StatelessMultinomial")
          .Input("logits: T")
          .Input("num_samples: int32")
          .Input("seed: Tseed")
          .Output("output: output_dtype")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("Tseed: {int32, int64} = DT_INT64")
          .Attr("output_dtype: {int32, int64} = DT_INT64")
          .SetShapeFn(detail::StatelessMultinomialShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kLogitTypes); }
    Status operator()(Context<Device>& context, const Tensor& logits, HostIndices num_samples, const Tensor& seed,
                      Tensor& output) const {
      Philox stream;
      TENON_RETURN_IF_ERROR(detail::StreamOfSeed("StatelessMultinomial", seed, &stream));
      return detail::RunMultinomial(context.op(), context.device(), nullptr, stream, logits, num_samples, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
