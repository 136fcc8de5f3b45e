// SPDX-License-Identifier: Apache-2.0
#pragma once
// One dimension of a sliding window, as convolutions and pools need it; images whose channels come first.

#include <cstddef>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
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

// Whether windows move over images of this data format on Device. As in TensorFlow, NCHW is for GPUs alone.
template <class Device>
constexpr bool TakesImageFormat(std::string_view data_format) {
  return data_format == "NHWC" || (Device::type != "CPU" && data_format == "NCHW");
}

// An attr in the order of NHWC, from the order of NHWC or NCHW: `per_dim` values for each of four dimensions. A list of
// another length stays as it is. Views `list` where it can.
class InOrderOfNhwc {
 public:
  InOrderOfNhwc(bool channels_first, Span<const Index> list, std::size_t per_dim = 1) : list_(list) {
    if (!channels_first || list.size() != 4 * per_dim) return;
    constexpr std::size_t kFrom[] = {0, 2, 3, 1};
    for (std::size_t i = 0; i < list.size(); ++i) values_[i] = list[kFrom[i / per_dim] * per_dim + i % per_dim];
    list_ = Span<const Index>(values_, list.size());
  }
  InOrderOfNhwc(const InOrderOfNhwc&) = delete;
  InOrderOfNhwc& operator=(const InOrderOfNhwc&) = delete;
  operator Span<const Index>() const { return list_; }

 private:
  Index values_[8] = {};
  Span<const Index> list_;
};

// The shape in the order of NHWC. A shape of another rank than 4 stays as it is.
inline TensorShape ShapeInOrderOfNhwc(bool channels_first, const TensorShape& shape) {
  if (!channels_first || shape.dims() != 4) return shape;
  return TensorShape({shape.dim_size(0), shape.dim_size(2), shape.dim_size(3), shape.dim_size(1)});
}
// The shape of images in their own order.
inline TensorShape ImageShape(bool channels_first, Index batch, Index rows, Index columns, Index depth) {
  return channels_first ? TensorShape({batch, depth, rows, columns}) : TensorShape({batch, rows, columns, depth});
}

// Fills in `output` and, unless the padding is explicit, the paddings. TensorFlow's errors.
inline Status PlaceWindow(Padding padding, Window* w) {
  constexpr Index kMost = (Index{1} << 62) - 1;  // positions plus paddings fit; only empty tensors have more
  if (w->input > kMost) return detail::padded_input_is_too_large(w->input, 0, 0);
  return GetWindowedOutputSize(w->input, w->size, w->dilation, w->stride, padding, &w->output, &w->pad_before,
                               &w->pad_after);
}

// Moves windows that pass over elements to the middle of the input: the paddings become negative. TensorFlow's ops on
// volumes place their windows so with the padding SAME, and their gradients do not.
inline void CentreWindow(Padding padding, Window* w) {
  if (padding != Padding::kSame || w->output <= 0) return;
  const Index left_out = w->input - w->extent() - (w->output - 1) * w->stride;
  if (left_out <= 1) return;
  w->pad_before = -(left_out / 2);
  w->pad_after = -(left_out - left_out / 2);
}

TENON_DETAIL_NAMESPACE_END
