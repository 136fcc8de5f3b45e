// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sliding windows of convolutions and pools: the attrs `padding`, `data_format` and `explicit_paddings`, and how many
// places a window has along a dimension. Shape functions and engines share these; the texts are TensorFlow's.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class Padding : std::uint8_t { kValid = 1, kSame = 2, kExplicit = 3 };
constexpr std::string_view Name(Padding padding) {
  return padding == Padding::kValid ? "VALID" : padding == Padding::kSame ? "SAME" : "EXPLICIT";
}

// How images lie in memory: N batch, C channels, D H W space. The VECT_C form has a fifth, innermost dimension of 4 or
// 32 channels, the VECT_W form one of 4 columns.
enum class TensorFormat : std::uint8_t { kNHWC, kNCHW, kNCHW_VECT_C, kNDHWC, kNCDHW, kNHWC_VECT_W, kHWNC, kHWCN };
// How filters lie: O output channels, I input channels, H W space. The VECT_I form has a fifth, innermost dimension of
// 4 input channels.
enum class FilterTensorFormat : std::uint8_t { kHWIO, kOIHW, kOHWI, kOIHW_VECT_I };

namespace detail {

inline constexpr std::string_view kTensorFormats[] = {"NHWC",  "NCHW",        "NCHW_VECT_C", "NDHWC",
                                                      "NCDHW", "NHWC_VECT_W", "HWNC",        "HWCN"};
inline constexpr std::string_view kFilterTensorFormats[] = {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"};
// The value whose name `text` is, of an enumeration whose names are `names`; false when there is none.
template <class Format, std::size_t N>
constexpr bool FindFormat(const std::string_view (&names)[N], std::string_view text, Format* format) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] != text) continue;
    *format = static_cast<Format>(i);
    return true;
  }
  return false;
}

TENON_DETAIL_COLD inline Status padding_is_not_allowed(std::string_view text) {
  return errors::NotFound(text, " is not an allowed padding type");
}
TENON_DETAIL_COLD inline Status data_format_is_not_allowed(std::string_view text) {
  return errors::InvalidArgument("Invalid data format string: ", text);
}
TENON_DETAIL_COLD inline Status filter_format_is_not_allowed(std::string_view text) {
  return errors::InvalidArgument("Invalid filter format string: ", text);
}
TENON_DETAIL_COLD inline Status stride_must_be_positive(std::int64_t stride) {
  return errors::InvalidArgument("Stride must be > 0, but got ", stride);
}
TENON_DETAIL_COLD inline Status dilation_must_be_positive(std::int64_t dilation) {
  return errors::InvalidArgument("Dilation rate must be >= 1, but got ", dilation);
}
TENON_DETAIL_COLD inline Status window_is_larger_than_the_input(std::int64_t out, std::int64_t in, std::int64_t window,
                                                                std::int64_t stride) {
  return errors::InvalidArgument("Computed output size would be negative: ", out, " [input_size: ", in,
                                 ", effective_filter_size: ", window, ", stride: ", stride, "]");
}
TENON_DETAIL_COLD inline Status window_is_too_large(std::int64_t filter, std::int64_t dilation) {
  return errors::InvalidArgument("A window of ", filter, " elements with a dilation of ", dilation,
                                 " is larger than int64 holds");
}
TENON_DETAIL_COLD inline Status padded_input_is_too_large(std::int64_t in, std::int64_t before, std::int64_t after) {
  return errors::InvalidArgument("An input of ", in, " elements with paddings of ", before, " and ", after,
                                 " is larger than int64 holds");
}
TENON_DETAIL_COLD inline Status explicit_paddings_have_the_wrong_length(int want, std::size_t got) {
  return errors::InvalidArgument("explicit_paddings attribute must contain ", want, " values, but got: ", got);
}
TENON_DETAIL_COLD inline Status explicit_paddings_must_not_be_negative() {
  return errors::InvalidArgument("All elements of explicit_paddings must be nonnegative");
}
TENON_DETAIL_COLD inline Status explicit_paddings_of_batch_and_depth_must_be_zero() {
  return errors::InvalidArgument("Nonzero explicit padding in the batch or depth dimensions is not supported");
}
TENON_DETAIL_COLD inline Status explicit_paddings_must_be_empty() {
  return errors::InvalidArgument("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
}

}  // namespace detail

constexpr Status ParsePadding(std::string_view text, Padding* padding) {
  if (text == "VALID")
    *padding = Padding::kValid;
  else if (text == "SAME")
    *padding = Padding::kSame;
  else if (text == "EXPLICIT")
    *padding = Padding::kExplicit;
  else
    return detail::padding_is_not_allowed(text);
  return OkStatus();
}
constexpr Status ParseTensorFormat(std::string_view text, TensorFormat* format) {
  return detail::FindFormat(detail::kTensorFormats, text, format) ? OkStatus()
                                                                  : detail::data_format_is_not_allowed(text);
}
constexpr Status ParseFilterTensorFormat(std::string_view text, FilterTensorFormat* format) {
  return detail::FindFormat(detail::kFilterTensorFormats, text, format) ? OkStatus()
                                                                        : detail::filter_format_is_not_allowed(text);
}
constexpr std::string_view Name(TensorFormat format) {
  return detail::kTensorFormats[static_cast<std::size_t>(format)];
}
constexpr std::string_view Name(FilterTensorFormat format) {
  return detail::kFilterTensorFormats[static_cast<std::size_t>(format)];
}
constexpr bool ChannelsFirst(TensorFormat format) {
  return format == TensorFormat::kNCHW || format == TensorFormat::kNCHW_VECT_C || format == TensorFormat::kNCDHW;
}
// Position of the batch, of the channels and of the first spatial dimension in a tensor (or in strides, ksize,
// dilations) of `dims` entries.
constexpr int BatchIndex(TensorFormat format, int dims) {
  return format == TensorFormat::kHWNC ? dims - 2 : format == TensorFormat::kHWCN ? dims - 1 : 0;
}
constexpr int ChannelIndex(TensorFormat format, int dims) {
  if (format == TensorFormat::kNHWC_VECT_W || format == TensorFormat::kHWCN) return dims - 2;
  return ChannelsFirst(format) ? 1 : dims - 1;
}
constexpr int SpatialIndex(TensorFormat format) {
  if (format == TensorFormat::kHWNC || format == TensorFormat::kHWCN) return 0;
  return ChannelsFirst(format) ? 2 : 1;
}

// `paddings`: before and after for each dimension, in the order of the data format; none unless the padding is
// EXPLICIT.
constexpr Status CheckValidPadding(Padding padding, Span<const std::int64_t> paddings, int dims, TensorFormat format) {
  if (padding != Padding::kExplicit) return paddings.empty() ? OkStatus() : detail::explicit_paddings_must_be_empty();
  if (paddings.size() != static_cast<std::size_t>(2 * dims))
    return detail::explicit_paddings_have_the_wrong_length(2 * dims, paddings.size());
  for (const std::int64_t p : paddings)
    if (p < 0) return detail::explicit_paddings_must_not_be_negative();
  const auto batch = static_cast<std::size_t>(2 * BatchIndex(format, dims));
  const auto channel = static_cast<std::size_t>(2 * ChannelIndex(format, dims));
  if (paddings[batch] != 0 || paddings[batch + 1] != 0 || paddings[channel] != 0 || paddings[channel + 1] != 0)
    return detail::explicit_paddings_of_batch_and_depth_must_be_zero();
  return OkStatus();
}

// For kernels: the output size of a window that moves over one dimension, and the padding before and after it (given
// for EXPLICIT).
constexpr Status GetWindowedOutputSize(std::int64_t input, std::int64_t filter, std::int64_t dilation,
                                       std::int64_t stride, Padding padding, std::int64_t* output, std::int64_t* before,
                                       std::int64_t* after) {
  if (stride <= 0) return detail::stride_must_be_positive(stride);
  if (dilation < 1) return detail::dilation_must_be_positive(dilation);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if ((filter > 1 && filter - 1 > (kMost - 1) / dilation) || (filter < 1 && filter <= -(kMost / dilation)))
    return detail::window_is_too_large(filter, dilation);
  const std::int64_t window = (filter - 1) * dilation + 1;
  if (padding == Padding::kSame) {
    *output = input > 0 ? (input - 1) / stride + 1 : 0;
    const std::int64_t left = input - (*output - 1) * stride;  // elements from the last place on
    const std::int64_t total = window > left ? window - left : 0;
    *before = total / 2;
    *after = total - *before;
    return OkStatus();
  }
  if (padding == Padding::kValid) *before = *after = 0;
  if (*before > kMost / 4 || *after > kMost / 4 || input > kMost / 2)
    return detail::padded_input_is_too_large(input, *before, *after);
  const std::int64_t padded = input + *before + *after;
  if (window < 1 && padded >= kMost + window) return detail::padded_input_is_too_large(input, *before, *after);
  const std::int64_t room = padded - window;  // behind the first place
  *output = room >= 0 ? room / stride + 1 : (room + stride) / stride;
  return *output < 0 ? detail::window_is_larger_than_the_input(*output, input, window, stride) : OkStatus();
}

TENON_DETAIL_NAMESPACE_END
