// SPDX-License-Identifier: Apache-2.0
#pragma once
// KmeansPlusPlusInitialization, KMC2ChainInitialization: random centers to start a clustering from.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline float DotProduct(const float* a, const float* b, Index size) {
  float sum = 0;
  for (Index d = 0; d < size; ++d) sum += a[d] * b[d];
  return sum;
}
// distances[i]: from point i to the nearest of `center` and the points that nearest[i] is for. Half of each point's
// square is in `norms`. Returns the sum of all distances.
inline float AddCenter(const float* points, Index count, Index size, const float* norms, Index center,
                       const float* nearest, float* distances) {
  const float *const from = points + center * size, norm = norms[center];
  float sum = 0;
  for (Index i = 0; i < count; ++i) {
    const float distance = norms[i] - DotProduct(points + i * size, from, size) + norm;
    sum += distances[i] = std::min(nearest[i], distance);
  }
  return sum;
}

TENON_DETAIL_SETUP_CODE_BEGIN

// Points that are drawn in proportion to the squares of their distances from the points drawn before.
class CenterDraws {
 public:
  CenterDraws(const float* points, Index count, Index size, std::uint64_t seed)
      : points_(points), count_(count), size_(size), words_(Philox{seed, 0, 0}) {
    const auto n = static_cast<std::size_t>(count);
    norms_.resize(n);
    nearest_.resize(n);
    sums_.resize(n);
    is_drawn_.resize(n);
    for (Index i = 0; i < count; ++i) norms_[At(i)] = 0.5f * DotProduct(points + i * size, points + i * size, size);
    std::fill(nearest_.begin(), nearest_.end(), std::numeric_limits<float>::infinity());
  }
  // The best of 1 + `retries` draws: that with the least sum of distances. It counts as drawn.
  Index Next(Index retries) {
    if (num_drawn_ > 0) {
      float sum = 0;
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = sum += nearest_[i];
    }
    Index best = 0;
    SlimVector<float> best_nearest(nearest_.size()), now(nearest_.size());
    float least = std::numeric_limits<float>::infinity();
    for (Index i = 0; i <= retries; ++i) {
      const Index drawn = Draw();
      const float sum = AddCenter(points_, count_, size_, norms_.data(), drawn, nearest_.data(), now.data());
      if (retries > 0 && !(sum < least)) continue;
      least = sum;
      best = drawn;
      std::swap(best_nearest, now);
    }
    std::swap(nearest_, best_nearest);
    num_drawn_ += is_drawn_[At(best)] ? 0 : 1;
    is_drawn_[At(best)] = true;
    return best;
  }

 private:
  static std::size_t At(Index i) { return static_cast<std::size_t>(i); }
  Index Below(Index n) {
    const auto range = static_cast<std::uint64_t>(n);
    const std::uint64_t most = ~std::uint64_t{0} - (~std::uint64_t{0} % range + 1) % range;
    for (;;) {
      const std::uint64_t low = words_.Next(), word = low | std::uint64_t{words_.Next()} << 32;
      if (word <= most) return static_cast<Index>(word % range);
    }
  }
  // A point that was not drawn.
  Index Draw() {
    if (num_drawn_ == 0) return Below(count_);
    if (num_drawn_ == count_) return 0;
    constexpr int kMostTries = 1 << 16;  // rounding may leave all weight with drawn points
    for (int tries = 0; tries < kMostTries; ++tries) {
      Index drawn = 0;
      if (const float total = sums_.back(); total > 0) {
        const float place = tenon::detail::UniformFloat(words_.Next()) * total;
        drawn = std::min<Index>(std::upper_bound(sums_.begin(), sums_.end(), place) - sums_.begin(), count_ - 1);
      } else {
        drawn = Below(count_);
      }
      if (!is_drawn_[At(drawn)]) return drawn;
    }
    return std::find(is_drawn_.begin(), is_drawn_.end(), false) - is_drawn_.begin();
  }

  const float* const points_;
  const Index count_, size_;
  PhiloxWords words_;
  SlimVector<float> norms_, nearest_, sums_;  // half of each point's square; distances; sums of the distances so far
  SlimVector<bool> is_drawn_;
  Index num_drawn_ = 0;
};

inline Status RunKmeansPlusPlus(OpKernelContext& context, const Tensor& points, const Tensor& to_sample,
                                const Tensor& seed, const Tensor& retries) {
  constexpr Index kMostRetries = Index{1} << 20;
  if (points.dims() != 2)
    return errors::InvalidArgument("Input points should be a matrix, got shape ", points.shape(), ".");
  if (to_sample.dims() != 0)
    return errors::InvalidArgument("Input num_to_sample should be a scalar, got shape ", to_sample.shape(), ".");
  if (seed.dims() != 0) return errors::InvalidArgument("Input seed should be a scalar, got shape ", seed.shape(), ".");
  if (retries.dims() != 0)
    return errors::InvalidArgument("Input num_retries_per_sample should be a scalar, got shape ", retries.shape(), ".");
  const Index count = points.dim_size(0), size = points.dim_size(1), wanted = *to_sample.data<std::int64_t>();
  Index tries = *retries.data<std::int64_t>();
  if (count == 0) return errors::InvalidArgument("Expected points.rows() > 0, got shape ", points.shape(), ".");
  if (wanted <= 0) return errors::InvalidArgument("Expected num_to_sample > 0, got ", wanted, ".");
  if (wanted > count)
    return errors::InvalidArgument("Expected num_to_sample <= points.rows(). ", wanted, " vs ", count, ".");
  if (tries > kMostRetries) return errors::InvalidArgument("Expected num_retries_per_sample <= 2^20, got ", tries, ".");
  if (tries < 0) tries = 2 + static_cast<Index>(std::log(static_cast<double>(wanted)));
  const Index sizes[] = {wanted, size}, memory[] = {count, 5 * sizeof(float)};
  TensorShape shape, needed;
  Tensor *samples = nullptr, probe;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(TensorShape::Build(memory, &needed));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, needed, &probe));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &samples));
  probe = Tensor();
  CenterDraws draws(points.data<float>(), count, size, static_cast<std::uint64_t>(*seed.data<std::int64_t>()));
  for (Index i = 0; i < wanted; ++i)
    std::copy_n(points.data<float>() + draws.Next(tries) * size, size, samples->data<float>() + i * size);
  return OkStatus();
}

// A chain of candidates: the next one is taken with the probability min(1, its distance / the last one's).
inline Status RunKmc2(OpKernelContext& context, const Tensor& distances, const Tensor& seed) {
  if (distances.dims() != 1)
    return errors::InvalidArgument("Input distances should be a vector, got shape ", distances.shape(), ".");
  if (seed.dims() != 0) return errors::InvalidArgument("Input seed should be a scalar, got shape ", seed.shape(), ".");
  if (distances.NumElements() == 0) return errors::InvalidArgument("Expected distances_tensor.size() > 0.");
  PhiloxWords words(Philox{static_cast<std::uint64_t>(*seed.data<std::int64_t>()), 0, 0});
  const float* const distance = distances.data<float>();
  Tensor* index = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &index));
  std::int64_t taken = 0;
  for (Index i = 1; i < distances.NumElements(); ++i)
    if (distance[i] > tenon::detail::UniformFloat(words.Next()) * distance[taken]) taken = i;
  *index->data<std::int64_t>() = taken;
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// points: [n, d]  ->  [num_to_sample, d], rows of points. num_retries_per_sample < 0: 2 + log(num_to_sample).
struct KmeansPlusPlusInitialization {
  static constexpr auto signature = Op("KmeansPlusPlusInitialization")
                                        .Input("points: float")
                                        .Input("num_to_sample: int64")
                                        .Input("seed: int64")
                                        .Input("num_retries_per_sample: int64")
                                        .Output("samples: float")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& points, const Tensor& num_to_sample, const Tensor& seed,
                      const Tensor& num_retries_per_sample, Tensor&) const {
      return detail::RunKmeansPlusPlus(context.op(), points, num_to_sample, seed, num_retries_per_sample);
    }
  };
};

// distances: [n]  ->  the number of the next center.
struct KMC2ChainInitialization {
  static constexpr auto signature = Op("KMC2ChainInitialization")
                                        .Input("distances: float")
                                        .Input("seed: int64")
                                        .Output("index: int64")
                                        .SetShapeFn(shape_inference::ScalarShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& distances, const Tensor& seed, Tensor&) const {
      return detail::RunKmc2(context.op(), distances, seed);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
