// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images for the tests of windows: they are compared with the CPU's engines, which take NHWC alone.

#include <vector>

#include <cuda/fixture.cuh>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/window_dim.hpp>

// NHWC images as NCHW, or the other way round.
template <class T>
tenon::Tensor Reordered(const tenon::Tensor& images, bool to_channels_first) {
  using tenon::Index;
  const tenon::TensorShape& s = images.shape();
  const Index n = s.dim_size(0), a = s.dim_size(1), b = s.dim_size(2), c = s.dim_size(3);
  const tenon::TensorShape shape = to_channels_first ? tenon::TensorShape{n, c, a, b} : tenon::TensorShape{n, b, c, a};
  tenon::Tensor out(images.dtype(), shape);
  Index from = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < a; ++j)
      for (Index k = 0; k < b; ++k)
        for (Index l = 0; l < c; ++l, ++from) {
          const Index to = to_channels_first ? ((i * c + l) * a + j) * b + k : ((i * b + k) * c + l) * a + j;
          out.flat<T>()[to] = images.flat<T>()[from];
        }
  return out;
}
// In the order of a geometry, and back to NHWC.
template <class T>
tenon::Tensor InOrder(const tenon::Tensor& nhwc, bool channels_first) {
  return channels_first ? Reordered<T>(nhwc, true) : nhwc;
}
template <class T>
tenon::Tensor ToNhwc(const tenon::Tensor& images, bool channels_first) {
  return channels_first ? Reordered<T>(images, false) : images;
}

// Elements that differ; NaNs are equal.
template <class T>
tenon::Index Differences(const tenon::Tensor& got, const tenon::Tensor& wanted) {
  REQUIRE(got.shape() == wanted.shape());
  tenon::Index wrong = 0;
  for (tenon::Index i = 0; i < got.NumElements(); ++i) {
    const T x = got.flat<T>()[i], y = wanted.flat<T>()[i];
    wrong += !(x == y || (x != x && y != y));
  }
  return wrong;
}
