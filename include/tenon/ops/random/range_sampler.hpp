// SPDX-License-Identifier: Apache-2.0
#pragma once
// RangeSampler: draws classes for the candidate samplers, and says how often each is expected.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/unigram_weights.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

TENON_DETAIL_SETUP_CODE_BEGIN

enum class SamplerKind : std::uint8_t { kUniform, kLogUniform, kUnigram, kFixed, kAll };

// Draws numbers of [0, range) and knows how often each comes.
struct RangeSampler {
  SamplerKind kind = SamplerKind::kUniform;
  Index range = 0;
  double log_range = 0;      // kLogUniform
  GrowingWeights growing;    // kUnigram
  AliasTable table;          // kFixed
  SlimVector<float> fixed;   // kFixed: the weights
  float total = 0;           // kFixed: their sum
  Index drawable = 0;        // how many numbers can be drawn at all

  void Make(SamplerKind k, Index r) {
    kind = k;
    range = drawable = r;
    log_range = std::log1p(static_cast<double>(r));
    if (k == SamplerKind::kUnigram) growing = GrowingWeights(r);
  }
  Index Draw(PhiloxWords* words) const {
    switch (kind) {
      case SamplerKind::kUniform: return static_cast<Index>(BelowOf64(words, static_cast<std::uint64_t>(range)));
      case SamplerKind::kLogUniform: {
        const std::uint32_t high = words->Next(), low = words->Next();
        const double drawn = std::exp(tenon::detail::UniformDouble(high, low) * log_range);
        return drawn < 0x1p63 ? (static_cast<Index>(drawn) - 1) % range : std::numeric_limits<Index>::max() % range;
      }
      case SamplerKind::kUnigram:
        return growing.Pick(Index{BelowOf32(words, static_cast<std::uint32_t>(growing.total()))});
      case SamplerKind::kFixed: return table.Draw(words);
      default: return 0;
    }
  }
  float Probability(Index value) const {
    switch (kind) {
      case SamplerKind::kUniform: return static_cast<float>(1.0 / static_cast<double>(range));
      case SamplerKind::kLogUniform: {
        const auto number = static_cast<double>(value);
        return static_cast<float>(std::log((number + 2.0) / (number + 1.0)) / log_range);
      }
      case SamplerKind::kUnigram:
        return static_cast<float>(growing.Weight(value)) / static_cast<float>(growing.total());
      case SamplerKind::kFixed: return fixed[static_cast<std::size_t>(value)] / total;
      default: return 1;
    }
  }
};

// How often a number of probability p is expected among `count` drawn by so many tries.
inline float ExpectedCount(float p, Index count, Index tries) {
  if (tries == count) return p * static_cast<float>(count);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
}

// drawn: [count], all different. Returns the tries; 0 where they were too many, -1 where the run is cancelled. slots: a
// power of two of them, empty.
inline Index DrawDifferent(const RangeSampler& sampler, PhiloxWords* words, Index count, std::int64_t* drawn,
                           std::int64_t* slots, Index num_slots, const CancellationManager* cancellation = nullptr) {
  constexpr Index kLookEvery = 1 << 14;
  Index tries = 0;
  for (Index picked = 0; picked < count;) {
    if (++tries == std::numeric_limits<std::int32_t>::max()) return 0;
    if (tries % kLookEvery == 0 && cancellation != nullptr && cancellation->IsCancelled()) return -1;
    const Index value = sampler.Draw(words);
    const auto hash = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15;
    auto slot = static_cast<Index>((hash >> 32) & static_cast<std::uint64_t>(num_slots - 1));
    while (slots[slot] >= 0 && slots[slot] != value) slot = (slot + 1) & (num_slots - 1);
    if (slots[slot] == value) continue;
    slots[slot] = value;
    drawn[picked++] = value;
  }
  return tries;
}

struct CandidateAttrs {
  std::int64_t num_true;
  std::int64_t num_sampled;
  bool unique;
  std::int64_t seed;
  std::int64_t seed2;
};

inline Status CheckCandidateAttrs(const OpKernelConstruction& c, const CandidateAttrs& attrs) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (attrs.num_true > kMost || attrs.num_sampled > kMost)
    return errors::InvalidArgument(c.op().name, ": num_true and num_sampled must be int32, got ", attrs.num_true,
                                   " and ", attrs.num_sampled);
  return OkStatus();
}

inline Status DrawCandidates(OpKernelContext& context, const RangeSampler& sampler, const CandidateAttrs& attrs,
                             const Philox& stream, Tensor* sampled, Index* tries) {
  const std::string_view op = context.op_kernel().type_string();
  const Index count = attrs.num_sampled;
  std::int64_t* const drawn = sampled->data<std::int64_t>();
  PhiloxWords words(stream);
  *tries = count;
  if (sampler.kind == SamplerKind::kAll || !attrs.unique) {
    for (Index i = 0; i < count; ++i) drawn[i] = sampler.kind == SamplerKind::kAll ? i : sampler.Draw(&words);
    return OkStatus();
  }
  if (sampler.drawable < count)
    return errors::InvalidArgument(op, ": ", count, " different candidates are wanted, but only ", sampler.drawable,
                                   " have a probability");
  const auto num_slots = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * count)));
  Tensor slots;
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({num_slots}), &slots));
  std::int64_t* const slot = slots.data<std::int64_t>();
  std::fill(slot, slot + num_slots, -1);
  *tries = DrawDifferent(sampler, &words, count, drawn, slot, num_slots, context.cancellation_manager());
  if (*tries < 0) return errors::Cancelled(op, " operation was cancelled");
  if (*tries == 0)
    return errors::InvalidArgument(op, ": ", count, " different candidates of ", sampler.range, " were not found in ",
                                   std::numeric_limits<std::int32_t>::max(), " tries");
  return OkStatus();
}

inline Status RunCandidateSampler(OpKernelContext& context, RangeSampler* sampler, const CandidateAttrs& attrs,
                                  SeededGenerator* generator) {
  const std::string_view op = context.op_kernel().type_string();
  const Tensor& classes = context.input(0);
  if (classes.dims() != 2)
    return errors::InvalidArgument(op, ": true_classes must be a matrix, got shape ", classes.shape());
  if (classes.dim_size(1) != attrs.num_true)
    return errors::InvalidArgument(op, ": true_classes must have num_true columns, expected: ", classes.dim_size(1),
                                   " was: ", attrs.num_true);
  if (attrs.unique && attrs.num_sampled > sampler->range)
    return errors::InvalidArgument(op, ": Sampler's range is too small: ", attrs.num_sampled,
                                   " different candidates of ", sampler->range);
  Tensor *sampled = nullptr, *expected_true = nullptr, *expected = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({attrs.num_sampled}), &sampled));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, classes.shape(), &expected_true));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({attrs.num_sampled}), &expected));
  const Index n = classes.NumElements();
  const std::int64_t* const wanted = classes.data<std::int64_t>();
  for (Index i = 0; i < n; ++i)
    if (wanted[i] < 0 || wanted[i] >= sampler->range)
      return errors::InvalidArgument(op, ": `true_candidate` out of range [0, ", sampler->range, "), received ",
                                     wanted[i]);
  // TensorFlow reserves 2048 words a candidate, counted in 32 bits.
  const auto samples = static_cast<std::int32_t>(static_cast<std::uint32_t>(attrs.num_sampled) * 2048);
  const Philox stream = generator->Reserve(static_cast<std::uint64_t>((std::int64_t{samples} + 3) / 4));
  Index tries = 0;
  TENON_RETURN_IF_ERROR(DrawCandidates(context, *sampler, attrs, stream, sampled, &tries));
  const bool all = sampler->kind == SamplerKind::kAll;
  for (Index i = 0; i < attrs.num_sampled; ++i)
    expected->data<float>()[i] =
        all ? 1 : ExpectedCount(sampler->Probability(sampled->data<std::int64_t>()[i]), attrs.num_sampled, tries);
  for (Index i = 0; i < n; ++i)
    expected_true->data<float>()[i] =
        all ? 1 : ExpectedCount(sampler->Probability(wanted[i]), attrs.num_sampled, tries);
  if (sampler->kind != SamplerKind::kUnigram) return OkStatus();
  const Index room = std::numeric_limits<std::int32_t>::max() - sampler->growing.total();
  for (Index i = 0; i < std::min(n, room); ++i) sampler->growing.Add(wanted[i]);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

// The part that the kernels of all samplers have.
struct SamplerState {
  mutable RangeSampler sampler;
  mutable SeededGenerator generator;
  mutable tenon::Mutex mutex;  // guards the weights that grow

  Status Run(OpKernelContext& context, const CandidateAttrs& attrs) const {
    if (sampler.kind != SamplerKind::kUnigram) return RunCandidateSampler(context, &sampler, attrs, &generator);
    const tenon::MutexLock lock(mutex);
    return RunCandidateSampler(context, &sampler, attrs, &generator);
  }
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
