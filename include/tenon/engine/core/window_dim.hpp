// SPDX-License-Identifier: Apache-2.0
#pragma once
// One dimension of a sliding window, as convolutions and pools need it.

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/op/shape/window.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct Window {
  Index input = 0;
  Index size = 1;      // elements that the window looks at
  Index stride = 1;
  Index dilation = 1;  // distance between the elements it looks at
  Index pad_before = 0, pad_after = 0;
  Index output = 0;    // positions of the window

  // From the first to the last element it looks at.
  Index extent() const { return (size - 1) * dilation + 1; }
};

// Fills in `output` and, unless the padding is explicit, the paddings. TensorFlow's errors.
inline Status PlaceWindow(Padding padding, Window* w) {
  constexpr Index kMost = (Index{1} << 62) - 1;  // positions plus paddings fit; only empty tensors have more
  if (w->input > kMost) return detail::padded_input_is_too_large(w->input, 0, 0);
  return GetWindowedOutputSize(w->input, w->size, w->dilation, w->stride, padding, &w->output, &w->pad_before,
                               &w->pad_after);
}

TENON_DETAIL_NAMESPACE_END
