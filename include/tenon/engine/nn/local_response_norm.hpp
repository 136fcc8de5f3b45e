// SPDX-License-Identifier: Apache-2.0
#pragma once
// Local response normalisation over neighbouring channels, and its gradient, on the CPU: rows of float.

#include <algorithm>
#include <cmath>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct LrnParameters {
  Index radius = 5;
  float bias = 1, alpha = 1, beta = 0.5;
};

namespace detail {

// bias + alpha * the sum of the squares of x[c - radius ... c + radius].
inline float LrnNorm(const LrnParameters& p, const float* x, Index depth, Index c) {
  const Index first = c < p.radius ? 0 : c - p.radius, last = p.radius >= depth - c ? depth - 1 : c + p.radius;
  float sum = 0;
  for (Index i = first; i <= last; ++i) sum += x[i] * x[i];
  return p.bias + p.alpha * sum;
}

// norm[c] = LrnNorm(p, x, depth, c) for each c, by the same additions.
inline void LrnNorms(const LrnParameters& p, const float* x, Index depth, float* norm) {
  std::fill_n(norm, depth, 0.0f);
  const Index reach = std::min(p.radius, depth - 1);
  for (Index k = -reach; k <= reach; ++k) {
    const Index end = k > 0 ? depth - k : depth;
    for (Index c = k < 0 ? -k : 0; c < end; ++c) norm[c] += x[c + k] * x[c + k];
  }
  for (Index c = 0; c < depth; ++c) norm[c] = p.bias + p.alpha * norm[c];
}
// y[c] = x[c] / norm[c]^beta; y is norm. Roots serve the usual powers.
inline void LrnDivide(float beta, const float* x, Index depth, float* y) {
  if (beta == 0.5f) {
    for (Index c = 0; c < depth; ++c) y[c] = x[c] / std::sqrt(y[c]);
  } else if (beta == 0.75f) {
    for (Index c = 0; c < depth; ++c) {
      const float root = std::sqrt(y[c]);
      y[c] = x[c] / (root * std::sqrt(root));
    }
  } else if (beta == 1.0f) {
    for (Index c = 0; c < depth; ++c) y[c] = x[c] / y[c];
  } else {
    for (Index c = 0; c < depth; ++c) y[c] = x[c] * std::pow(y[c], -beta);
  }
}

}  // namespace detail

// y[c] = x[c] / norm(c)^beta for each of `rows` rows of `depth` channels.
inline Status Lrn(Cpu& device, const LrnParameters& p, const float* x, Index rows, Index depth, float* y) {
  const double ns = static_cast<double>(depth) * (20 + static_cast<double>(std::min(p.radius, depth)));
  ParallelFor(device, rows, ns, [&](Index begin, Index end) {
    for (Index i = begin * depth; i < end * depth; i += depth) {
      detail::LrnNorms(p, x + i, depth, y + i);
      detail::LrnDivide(p.beta, x + i, depth, y + i);
    }
  });
  return OkStatus();
}

// From the gradient of y, x and y.
inline Status LrnGrad(Cpu& device, const LrnParameters& p, const float* dy, const float* x, const float* y, Index rows,
                      Index depth, float* dx) {
  const double ns = static_cast<double>(depth) * (30 + 3 * static_cast<double>(std::min(p.radius, depth)));
  ParallelFor(device, rows, ns, [&](Index begin, Index end) {
    for (Index i = begin * depth; i < end * depth; i += depth) {
      std::fill_n(dx + i, depth, 0.0f);
      for (Index j = 0; j < depth; ++j) {
        const float norm = detail::LrnNorm(p, x + i, depth, j);
        const Index first = j < p.radius ? 0 : j - p.radius, last = p.radius >= depth - j ? depth - 1 : j + p.radius;
        for (Index k = first; k <= last; ++k) {
          float slope = -2.0f * p.alpha * p.beta * x[i + k] * y[i + j] / norm;
          if (k == j) slope += std::pow(norm, -p.beta);
          dx[i + k] += slope * dy[i + j];
        }
      }
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
