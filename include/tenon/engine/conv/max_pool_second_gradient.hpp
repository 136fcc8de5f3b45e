// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of MaxPoolGrad with respect to its gradient, on the CPU: NDHWC.

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/pool3d.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// result, of the shape of `output`: the element of `gradient`, which has the shape of `input`, at the first place of
// the window where input is equal to output; 0 without such a place.
template <class T>
void MaxPoolSecondGradient(Cpu& device, const Pool3DGeometry& g, const T* input, const T* output, const T* gradient,
                           T* result) {
  if (g.depth == 0) return;
  ParallelFor(device, g.batch * g.places(), 2 * detail::Pool3DNs(g), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index volume = i / g.places() * g.volume();
      for (Index e = i * g.depth; e < (i + 1) * g.depth; ++e) {
        const T most = output[e];
        bool found = false;
        result[e] = T(0);
        detail::ForWindow3D(g, i % g.places(), [&](Index pixel) {
          const Index at = volume + pixel + (e - i * g.depth);
          if (found || !(input[at] == most)) return;
          found = true;
          result[e] = gradient[at];
        });
      }
    }
  });
}

TENON_DETAIL_NAMESPACE_END
