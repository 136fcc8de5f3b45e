// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the random ops: the generator that a seeded op keeps, streams from the inputs of stateless ops, shapes
// that are inputs, and the shape functions.

#include <atomic>
#include <cstdint>
#include <string_view>

#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// 64 bits that differ each time: the system's, or the clock and a counter where it has none.
inline std::uint64_t UnpredictableBits() {
#if __has_include(<sys/random.h>)
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == static_cast<long>(sizeof bits)) return bits;
#endif
  static std::atomic<std::uint64_t> calls{0};
  const std::int64_t now = SteadyNanoseconds();
  Philox mixed = Philox::FromSeeds(static_cast<std::uint64_t>(now), calls.fetch_add(1));
  const PhiloxBlock block = mixed.Next();
  return block.word[0] | std::uint64_t{block.word[1]} << 32;
}

// The stream of a stateful random op: one per node and session, each run takes the next part of it. thread-safe.
class SeededGenerator {
 public:
  // Attrs seed and seed2; both 0: seeds of its own, another stream each time.
  void Seed(std::int64_t seed, std::int64_t seed2) {
    const bool any = seed == 0 && seed2 == 0;
    philox_ = Philox::FromSeeds(any ? UnpredictableBits() : static_cast<std::uint64_t>(seed),
                                any ? UnpredictableBits() : static_cast<std::uint64_t>(seed2));
  }
  // A stream of which the next `blocks` blocks are the caller's.
  Philox Reserve(std::uint64_t blocks) {
    SpinLockHolder hold(lock_);
    const Philox start = philox_;
    philox_.Skip(blocks);
    return start;
  }
  // A stream of which the blocks of n elements are the caller's.
  Philox ReserveElements(Index n) { return Reserve(static_cast<std::uint64_t>(n) * kRandomBlocksPerElement); }

 private:
  SpinLock lock_;
  Philox philox_;
};

// The stream that two seeds stand for: they are the counter of a block that gives key and counter, so that no part of
// them is weaker than another. The constants are TensorFlow's.
inline Philox ScrambledSeeds(std::uint64_t seed, std::uint64_t seed2) {
  Philox mix{0x02461e293ec8f720, seed, seed2};
  const PhiloxBlock block = mix.Next();
  return {block.word[0] | std::uint64_t{block.word[1]} << 32, 0, block.word[2] | std::uint64_t{block.word[3]} << 32};
}
template <class Seed>
Status CheckSeed(std::string_view op, const Seed& seed) {
  if (seed.shape().dims() == 1 && seed.shape().dim_size(0) == 2) return OkStatus();
  return errors::InvalidArgument(op, ": seed must have shape [2], not ", seed.shape());
}
// seed: [2], int32 or int64.
inline Status StreamOfSeed(std::string_view op, const Tensor& seed, Philox* stream) {
  TENON_RETURN_IF_ERROR(CheckSeed(op, seed));
  std::uint64_t two[2];
  for (int i = 0; i < 2; ++i) {
    switch (seed.dtype()) {
      case DataType::kInt32: two[i] = static_cast<std::uint64_t>(std::int64_t{seed.data<std::int32_t>()[i]}); break;
      case DataType::kInt64: two[i] = static_cast<std::uint64_t>(seed.data<std::int64_t>()[i]); break;
      default: return errors::InvalidArgument(op, ": Invalid seed type: ", seed.dtype());
    }
  }
  *stream = ScrambledSeeds(two[0], two[1]);
  return OkStatus();
}

inline Status StreamOfSeed(std::string_view op, const HostIndices& seed, Philox* stream) {
  TENON_RETURN_IF_ERROR(CheckSeed(op, seed));
  *stream = ScrambledSeeds(static_cast<std::uint64_t>(seed[0]), static_cast<std::uint64_t>(seed[1]));
  return OkStatus();
}

// Numbers of the algorithms, as in TensorFlow.
inline constexpr std::int32_t kAlgorithmPhilox = 1, kAlgorithmThreeFry = 2, kAlgorithmAuto = 3;

inline const std::uint64_t* WordsOf(const Tensor& words) { return words.data<std::uint64_t>(); }
inline const std::uint64_t* WordsOf(const HostIn<std::uint64_t>& words) { return words.data; }

// Words: Tensor or HostIn. key: [1], counter: [1] or longer, alg: [] number `alg_input` of the op's inputs. The upper
// half is 0 where a counter has one word. On CPU there is Philox only: *supported says whether alg means it.
template <class Words>
Status StreamOfKey(std::string_view op, const Words& key, const Words& counter, const HostIndices& alg, int alg_input,
                   Philox* stream, bool* supported) {
  if (alg.shape().dims() != 0)
    return errors::InvalidArgument(op, ": input ", alg_input, " (0-based) must have shape [], not ", alg.shape());
  const Index asked = alg[0] == kAlgorithmAuto ? kAlgorithmPhilox : alg[0];
  // TensorFlow takes an algorithm's number for the length of its counter.
  if (key.shape().dims() != 1 || key.shape().dim_size(0) != 1)
    return errors::InvalidArgument(op, ": key must have shape [1], not ", key.shape(),
                                   ". (Note that batched keys are not supported yet.)");
  if (counter.shape().dims() != 1 || counter.shape().dim_size(0) < asked)
    return errors::InvalidArgument(op, ": counter must be a vector with length at least ", asked,
                                   "; got shape: ", counter.shape(),
                                   ". (Note that batched counters are not supported yet.)");
  *supported = asked == kAlgorithmPhilox;
  if (!*supported) return OkStatus();
  const std::uint64_t* words = WordsOf(counter);
  *stream = {WordsOf(key)[0], words[0], counter.shape().dim_size(0) > 1 ? words[1] : 0};
  return OkStatus();
}
inline Status UnsupportedAlgorithm(std::string_view op, const HostIndices& alg) {
  return errors::InvalidArgument(op, ": Unsupported algorithm id: ", alg[0], "; on CPU there is Philox, ",
                                 kAlgorithmPhilox);
}

// The shape whose sizes are the elements of an input.
inline Status ShapeOfInput(std::string_view op, const HostIndices& sizes, TensorShape* shape) {
  if (sizes.shape().dims() != 1)
    return errors::InvalidArgument(op, ": shape must be a vector of {int32,int64}, got shape ", sizes.shape());
  InlinedVector<Index, 8> list;
  for (Index d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0) return errors::InvalidArgument(op, ": Dimension ", sizes[d], " must be >= 0 (dimension ", d, ")");
    list.push_back(sizes[d]);
  }
  return TensorShape::Build({list.data(), list.size()}, shape);
}

// Sets the range [minval, maxval) of drawn integers. Both bounds are scalars of fill's dtype, 32 or 64 bits.
inline Status SetRange(std::string_view op, const Tensor& minval, const Tensor& maxval, RandomFill* fill) {
  const bool wide = minval.dtype() == DataType::kInt64 || minval.dtype() == DataType::kUint64;
  const bool is_signed = minval.dtype() == DataType::kInt64 || minval.dtype() == DataType::kInt32;
  const auto bits = [&](const Tensor& x) {
    if (wide) return *static_cast<const std::uint64_t*>(x.raw_data());
    const std::uint32_t word = *static_cast<const std::uint32_t*>(x.raw_data());
    return is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)}) : std::uint64_t{word};
  };
  const std::uint64_t low = bits(minval), high = bits(maxval);
  const bool less = is_signed ? static_cast<std::int64_t>(low) < static_cast<std::int64_t>(high) : low < high;
  if (!less) {
    if (is_signed)
      return errors::InvalidArgument(op, ": Need minval < maxval, got ", static_cast<std::int64_t>(low),
                                     " >= ", static_cast<std::int64_t>(high));
    return errors::InvalidArgument(op, ": Need minval < maxval, got ", low, " >= ", high);
  }
  fill->low = low;
  fill->range = high - low;
  return OkStatus();
}
inline Status CheckBoundsAreScalars(std::string_view op, const Tensor& minval, const Tensor& maxval) {
  if (minval.dims() != 0) return errors::InvalidArgument(op, ": minval must be 0-D, got shape ", minval.shape());
  if (maxval.dims() != 0) return errors::InvalidArgument(op, ": maxval must be 0-D, got shape ", maxval.shape());
  return OkStatus();
}

// ---- shape functions
inline Status BoundIsScalar(InferenceContext* c, int input, const char* name) {
  ShapeHandle unused;
  if (c->WithRank(c->input(input), 0, &unused).ok()) return OkStatus();
  return errors::InvalidArgument(name, " must be a scalar; got a tensor of shape ", c->DebugString(c->input(input)));
}
inline Status SeedIsPair(InferenceContext* c, int input) {
  ShapeHandle seed;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, &seed));
  return c->WithValue(c->Dim(seed, 0), 2, &unused);
}
inline Status RandomIntShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(BoundIsScalar(c, 1, "minval"));
  TENON_RETURN_IF_ERROR(BoundIsScalar(c, 2, "maxval"));
  return shape_inference::RandomShape(c);
}
inline Status StatelessShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SeedIsPair(c, 1));
  return shape_inference::RandomShape(c);
}
inline Status StatelessIntShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  return StatelessShape(c);
}
inline Status KeyCounterAlgorithm(InferenceContext* c, int key_input) {
  ShapeHandle key, unused;
  DimensionHandle unused_dim;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(key_input), 1, &key));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(key_input + 1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(key_input + 2), 0, &unused));
  return c->WithValue(c->Dim(key, 0), 1, &unused_dim);
}
inline Status StatelessShapeV2(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(KeyCounterAlgorithm(c, 1));
  return shape_inference::RandomShape(c);
}
inline Status StatelessIntShapeV2(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(BoundIsScalar(c, 4, "minval"));
  TENON_RETURN_IF_ERROR(BoundIsScalar(c, 5, "maxval"));
  return StatelessShapeV2(c);
}
inline Status KeyCounterShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SeedIsPair(c, 0));
  c->set_output(0, c->Vector(1));
  c->set_output(1, c->Vector(2));
  if (c->num_outputs() > 2) c->set_output(2, c->Scalar());
  return OkStatus();
}
// shape: [s...], parameters: [p...]  ->  [s..., p...]
inline Status SamplesOfParametersShape(InferenceContext* c) {
  ShapeHandle samples, out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &samples));
  TENON_RETURN_IF_ERROR(c->Concatenate(samples, c->input(1), &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
