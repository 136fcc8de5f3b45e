// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps that fused convolutions and matrix products apply to their output, in place: a bias or a batch normalisation
// per channel, and an activation. For float and double.

#include <cmath>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class FusedActivation : std::uint8_t { kNone, kRelu, kRelu6, kElu, kLeakyRelu, kTanh, kSigmoid };

// x[c] becomes activation((x[c] - mean[c]) * factor[c] + offset[c]); where mean is null, x[c] + offset[c].
template <class C>
struct FusedOutput {
  const C* offset = nullptr;
  const C* mean = nullptr;
  const C* factor = nullptr;
  FusedActivation activation = FusedActivation::kNone;
  C leaky_alpha = C(0.2);
};

namespace detail {

template <class C>
TENON_HD C FusedActivate(FusedActivation activation, C leaky_alpha, C x) {
  switch (activation) {
    case FusedActivation::kRelu: return x > C(0) || std::isnan(x) ? x : C(0);
    case FusedActivation::kRelu6: return x > C(6) ? C(6) : x > C(0) || std::isnan(x) ? x : C(0);
    case FusedActivation::kElu: return x < C(0) ? std::expm1(x) : x;
    case FusedActivation::kLeakyRelu: return x > C(0) ? x : x * leaky_alpha;
    case FusedActivation::kTanh: return std::tanh(x);
    case FusedActivation::kSigmoid: return C(1) / (C(1) + std::exp(-x));
    case FusedActivation::kNone: break;
  }
  return x;
}

}  // namespace detail

// factors[c] = scale[c] / sqrt(variance[c] + epsilon)
template <class C>
Status NormFactors(Cpu&, const C* scale, const C* variance, C epsilon, Index channels, C* factors) {
  for (Index c = 0; c < channels; ++c) factors[c] = scale[c] / std::sqrt(variance[c] + epsilon);
  return OkStatus();
}

// x: [rows, channels]
template <class C>
Status FinishFused(Cpu& device, const FusedOutput<C>& f, Index rows, Index channels, C* x) {
  const double ns = (f.activation >= FusedActivation::kElu ? 8.0 : 1.0) * static_cast<double>(channels);
  ParallelFor(device, rows, ns, [&](Index begin, Index end) {
    for (C* row = x + begin * channels; row != x + end * channels; row += channels) {
      if (f.mean == nullptr) {
        for (Index c = 0; c < channels; ++c) row[c] += f.offset[c];
      } else {
        for (Index c = 0; c < channels; ++c) row[c] = (row[c] - f.mean[c]) * f.factor[c] + f.offset[c];
      }
      if (f.activation == FusedActivation::kNone) continue;
      for (Index c = 0; c < channels; ++c) row[c] = detail::FusedActivate(f.activation, f.leaky_alpha, row[c]);
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
