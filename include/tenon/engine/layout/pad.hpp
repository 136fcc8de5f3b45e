// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor in a frame of one value.

#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/transpose.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The dimensions of a tensor and of the frame around it, in elements. Dimensions without a frame are joined with the
// one outside of them. immutable once made.
struct PadPlan {
  struct Dim {
    Index before, size, after;
    Index whole() const { return before + size + after; }
  };
  InlinedVector<Dim, 8> dims;  // outermost first; at least one

  PadPlan() { dims.push_back({0, 1, 0}); }
  // Adds the next dimension, inside of those that there are.
  void Add(Index before, Index size, Index after) {
    if (before == 0 && after == 0) {
      Dim& outer = dims.back();
      outer = {MultiplySizes(outer.before, size), MultiplySizes(outer.size, size), MultiplySizes(outer.after, size)};
    } else {
      dims.push_back({before, size, after});
    }
  }
  // The tensor's place in the frame.
  NdCopy Middle() const {
    NdCopy copy;
    InlinedVector<Index, 8> sizes, wholes;
    for (const Dim& dim : dims) {
      sizes.push_back(dim.size);
      wholes.push_back(dim.whole());
    }
    const InlinedVector<Index, 8> from = StridesOf({sizes.data(), sizes.size()}),
                                  to = StridesOf({wholes.data(), wholes.size()});
    for (std::size_t d = 0; d < dims.size(); ++d) {
      copy.out_first += dims[d].before * to[d];
      copy.Add(dims[d].size, from[d], to[d]);
    }
    return copy;
  }
  Index elements() const {  // number of elements in frame and tensor
    Index n = 1;
    for (const Dim& dim : dims) n = MultiplySizes(n, dim.whole());
    return n;
  }
};

namespace detail {

// Writes `value`, or zeros when it is null, around the middle. Slab by slab, so that the middle is written once; where
// the slabs' runs are short, everywhere: that is one long run.
inline void FillFrame(Cpu& device, const ElementMover& mover, const PadPlan& plan, const void* value, void* out) {
  constexpr Index kShortBytes = 64;
  InlinedVector<Index, 8> step(plan.dims.size(), 1);
  for (std::size_t d = plan.dims.size(); d-- > 1;) step[d - 1] = MultiplySizes(step[d], plan.dims[d].whole());
  bool by_slab = value != nullptr || mover.assign == nullptr;
  for (std::size_t d = 0; d < plan.dims.size(); ++d)
    for (const Index side : {plan.dims[d].before, plan.dims[d].after})
      if (side > 0 && side * step[d] * mover.bytes < kShortBytes) by_slab = false;
  if (!by_slab && value == nullptr) return (void)Zero(device, mover, out, plan.elements());
  if (!by_slab) return (void)Fill(device, mover, value, out, plan.elements());
  constexpr unsigned char kZeros[16] = {};  // the widest type that is not assigned
  for (std::size_t d = 0; d < plan.dims.size(); ++d) {
    for (const bool behind : {false, true}) {
      const Index thickness = behind ? plan.dims[d].after : plan.dims[d].before;
      if (thickness == 0) continue;
      NdCopy slab;  // the middle of the dimensions outside of d, all of the dimensions inside
      slab.out_first = behind ? (plan.dims[d].before + plan.dims[d].size) * step[d] : 0;
      for (std::size_t outside = 0; outside < d; ++outside) {
        slab.out_first += plan.dims[outside].before * step[outside];
        slab.Add(plan.dims[outside].size, 0, step[outside]);
      }
      slab.Add(thickness * step[d], 0, 1);
      CopyNd(device, mover, slab, value != nullptr ? value : kZeros, out);
    }
  }
}

}  // namespace detail

// out = `in` in a frame of `*value`, or of zeros when it is null.
inline AlwaysOk Pad(Cpu& device, const ElementMover& mover, const PadPlan& plan, const void* value, const void* in,
                    void* out) {
  detail::FillFrame(device, mover, plan, value, out);
  return CopyNd(device, mover, plan.Middle(), in, out);
}

TENON_DETAIL_NAMESPACE_END
