// SPDX-License-Identifier: Apache-2.0
#pragma once
// One pixel of a pool: the pixels of a window put together channel by channel, a few vectors of channels at a time
// whose results stay in registers while the window's pixels go by. For float and double, where there are vectors.

#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T>
inline constexpr bool kPoolsByVectors =
    TENON_DETAIL_LANES != 0 && (std::is_same_v<T, float> || std::is_same_v<T, double>);

// An NHWC window: `first` is channel 0 of its upper left pixel, `row` the elements between two rows of the image.
template <class T>
struct PoolWindow {
  const T* first;
  Index rows, columns, row, depth;
};

#if TENON_DETAIL_LANES

// `vectors` vectors of channels from channel `d` on.
template <int vectors, class L, class Step, class T = typename L::value_type>
TENON_HD void PoolVectors(const PoolWindow<T>& w, Index d, const Step& step, T* out) {
  L result[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) result[v] = L(step.Start());
  for (Index r = 0; r < w.rows; ++r) {
    const T* x = w.first + r * w.row + d;
    for (Index c = 0; c < w.columns; ++c, x += w.depth) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) result[v] = step.Combine(result[v], L::Load(x + v * L::size));
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) step.Finish(result[v]).Store(out + d + v * L::size);
}

template <class Step, class T>
struct PoolBody {
  template <int bytes>
  TENON_HD static void Run(const PoolWindow<T>& w, const Step& step, T* out) {
    // The second cache does not deliver data fast enough to keep longer vectors busy.
    using L = simd::Lanes < T, bytes<32 ? bytes : 32>;
    constexpr int kAtOnce = 8;
    Index d = 0;
    for (; d + kAtOnce * L::size <= w.depth; d += kAtOnce * L::size) PoolVectors<kAtOnce, L>(w, d, step, out);
    for (; d + L::size <= w.depth; d += L::size) PoolVectors<1, L>(w, d, step, out);
    for (; d < w.depth; ++d) {
      T result = step.Start();
      for (Index r = 0; r < w.rows; ++r)
        for (Index c = 0; c < w.columns; ++c) result = step.Combine(result, w.first[r * w.row + c * w.depth + d]);
      out[d] = step.Finish(result);
    }
  }
};

// out[d] = Finish(Combine(... Combine(Start, a pixel's channel d) ..., the last pixel's)), row by row. Step is for
// vectors and for single numbers.
template <class Step, class T, class Isa = simd::Compiled>
void RunPoolWindow(const PoolWindow<T>& w, const Step& step, T* out) {
  simd::detail::ForLevels<PoolBody<Step, T>, Isa, const PoolWindow<T>&, const Step&, T*>::Best()(w, step, out);
}

#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
