// SPDX-License-Identifier: Apache-2.0
#pragma once
// Local response normalisation over neighbouring channels, and its gradient, on the CPU: rows of float.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/scratch.hpp>

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

// Rows that are normalised together: their squares, with zeros around each row's, are in `squares`.
struct LrnRows {
  const LrnParameters* p;
  const float* x;  // [rows, depth]
  Index rows, depth, reach;  // reach: the radius, less than depth
  float* squares;  // [rows, reach + depth + reach + kLrnSpace]
  float* y;
};
inline constexpr Index kLrnSpace = 16;  // what the last vector of a row may read or write beyond it
inline Index LrnWidth(Index depth, Index reach) { return depth + 2 * reach + kLrnSpace; }
// As many rows as fit the first cache.
inline Index LrnRowsTogether(Index width) { return width >= 4096 ? 1 : 4096 / width; }

inline void LrnSquares(const LrnRows& r) {
  const Index width = LrnWidth(r.depth, r.reach);
  for (Index i = 0; i < r.rows; ++i)
    for (Index c = 0; c < r.depth; ++c) {
      const float x = r.x[i * r.depth + c];
      r.squares[i * width + r.reach + c] = x * x;
    }
}
#if TENON_DETAIL_LANES
struct LrnBody {
  template <int bytes>
  TENON_HD static void Run(const LrnRows& r) {
    using L = simd::Lanes<float, bytes>;
    const Index width = LrnWidth(r.depth, r.reach), whole = r.depth / L::size * L::size;
    const L bias = L::Repeat(r.p->bias), alpha = L::Repeat(r.p->alpha);
    for (Index i = 0; i < r.rows; ++i) {
      const float *const squares = r.squares + i * width, *const x = r.x + i * r.depth;
      float* const y = r.y + i * r.depth;
      for (Index c = 0; c < r.depth; c += L::size) {
        L sum = L::Load(squares + c);
        for (Index k = 1; k <= 2 * r.reach; ++k) sum = sum + L::Load(squares + c + k);
        const L norm = Fma(alpha, sum, bias);
        if (c < whole) {
          Divide(r.p->beta, L::Load(x + c), norm).Store(y + c);
        } else {
          float part[L::size];
          for (Index j = 0; j < L::size; ++j) part[j] = c + j < r.depth ? x[c + j] : 1.0f;
          Divide(r.p->beta, L::Load(part), norm).Store(part);
          for (Index j = 0; c + j < r.depth; ++j) y[c + j] = part[j];
        }
      }
    }
  }

 private:
  // x / norm^beta. Roots serve the usual powers.
  template <class L>
  TENON_HD static L Divide(float beta, const L& x, const L& norm) {
    if (beta == 0.5f) return x / Sqrt(norm);
    if (beta == 0.75f) {
      const L root = Sqrt(norm);
      return x / (root * Sqrt(root));
    }
    if (beta == 1.0f) return x / norm;
    L power;
    for (int j = 0; j < L::size; ++j) power.v[j] = std::pow(norm.v[j], -beta);
    return x * power;
  }
};
inline void LrnNormalize(const LrnRows& r) {
  LrnSquares(r);
  simd::detail::ForLevels<LrnBody, simd::Compiled, const LrnRows&>::Best()(r);
}
#else
inline void LrnNormalize(const LrnRows& r) {
  LrnSquares(r);
  const Index width = LrnWidth(r.depth, r.reach);
  const float beta = r.p->beta;
  for (Index i = 0; i < r.rows; ++i)
    for (Index c = 0; c < r.depth; ++c) {
      float sum = 0;
      for (Index k = 0; k <= 2 * r.reach; ++k) sum += r.squares[i * width + c + k];
      const float norm = r.p->bias + r.p->alpha * sum, x = r.x[i * r.depth + c];
      const float root = std::sqrt(norm);
      r.y[i * r.depth + c] = beta == 0.5f    ? x / root
                             : beta == 0.75f ? x / (root * std::sqrt(root))
                             : beta == 1.0f  ? x / norm
                                             : x * std::pow(norm, -beta);
    }
}
#endif

}  // namespace detail

// y[c] = x[c] / norm(c)^beta for each of `rows` rows of `depth` channels. ResourceExhausted without scratch memory.
inline Status Lrn(Cpu& device, const LrnParameters& p, const float* x, Index rows, Index depth, float* y) {
  if (rows == 0 || depth == 0) return OkStatus();
  const Index reach = std::min(p.radius, depth - 1), width = detail::LrnWidth(depth, reach),
              together = std::min(detail::LrnRowsTogether(width), rows), blocks = (rows + together - 1) / together;
  const double ns = static_cast<double>(together * depth) * (1 + 0.1 * static_cast<double>(reach));
  const std::size_t bytes = detail::ScratchBytes<float>(together * width);
  const Index parts = std::min<Index>(blocks, device.pool == nullptr ? 1 : device.pool->NumThreads());
  Scratch scratch(device, bytes * static_cast<std::size_t>(parts));
  TENON_RETURN_IF_ERROR(scratch.status("LRN"));
  ParallelFor(device, parts, ns * static_cast<double>(blocks / parts), [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      float* const squares = scratch.As<float>(bytes * static_cast<std::size_t>(part));
      std::fill_n(squares, together * width, 0.0f);
      for (Index block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) {
        const Index first = block * together;
        detail::LrnNormalize(
            {&p, x + first * depth, std::min(together, rows - first), depth, reach, squares, y + first * depth});
      }
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
