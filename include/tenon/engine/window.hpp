// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sliding windows of convolutions and pools: how many places one has along a dimension, and what is padded. The checks and
// their texts are TensorFlow's.

#include <span>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/op/window.hpp>

TENON_NAMESPACE_BEGIN

// One dimension of a sliding window.
struct Window {
  Index input = 0;
  Index size = 1;      // of the window, in elements it looks at
  Index stride = 1;
  Index dilation = 1;  // distance between the elements it looks at
  Index pad_before = 0, pad_after = 0;
  Index output = 0;    // places of the window

  // From the first to the last element it looks at.
  Index extent() const { return (size - 1) * dilation + 1; }
};

// Fills in `output` and, unless the padding is explicit, the paddings. SAME puts the odd one at the end.
inline Status PlaceWindow(Padding padding, Window* w) {
  return GetWindowedOutputSize(w->input, w->size, w->dilation, w->stride, padding, &w->output, &w->pad_before, &w->pad_after);
}

// The attr `explicit_paddings`, before and after of each of four dimensions: empty unless the padding is EXPLICIT, and then
// zero for the batch and the depth.
inline Status CheckExplicitPaddings(Padding padding, std::span<const Index> paddings, TensorFormat format = TensorFormat::kNHWC) {
  return CheckValidPadding(padding, paddings, 4, format);
}

TENON_NAMESPACE_END
