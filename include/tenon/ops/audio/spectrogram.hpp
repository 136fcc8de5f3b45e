// SPDX-License-Identifier: Apache-2.0
#pragma once
// AudioSpectrogram, Mfcc: the frequencies of sound over time, and cepstral coefficients of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/fft/fft.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

constexpr Index kMostInt32 = std::numeric_limits<std::int32_t>::max();

inline Status CheckInt32Attr(std::string_view name, std::int64_t value) {
  if (value >= std::numeric_limits<std::int32_t>::min() && value <= kMostInt32) return OkStatus();
  return errors::InvalidArgument("Attr ", name, " has value ", value, " out of range for an int32");
}

inline Index PowerOfTwoFrom(Index least) {
  Index power = 1;
  while (power < least) power *= 2;
  return power;
}
// How many windows fit into the samples.
inline Index SpectrogramFrames(Index samples, Index window, Index stride) {
  return samples < window ? 0 : 1 + (samples - window) / stride;
}

inline Status SpectrogramShape(InferenceContext* c) {
  ShapeHandle input;
  std::int64_t window = 0, stride = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->GetAttr("window_size", &window));
  TENON_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
  TENON_RETURN_IF_ERROR(CheckInt32Attr("window_size", window));
  TENON_RETURN_IF_ERROR(CheckInt32Attr("stride", stride));
  if (window <= 1) return errors::InvalidArgument("window size must be > 1, got ", window);
  if (stride <= 0) return errors::InvalidArgument("stride must be strictly positive, got ", stride);
  const DimensionHandle samples = c->Dim(input, 0);
  DimensionHandle frames = c->UnknownDim();
  if (c->ValueKnown(samples)) frames = c->MakeDim(SpectrogramFrames(c->Value(samples), window, stride));
  c->set_output(0, c->MakeShape({c->Dim(input, 1), frames, c->MakeDim(1 + PowerOfTwoFrom(window) / 2)}));
  return OkStatus();
}

inline Status MfccShape(InferenceContext* c) {
  ShapeHandle spectrogram, unused;
  std::int64_t coefficients = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &spectrogram));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->GetAttr("dct_coefficient_count", &coefficients));
  TENON_RETURN_IF_ERROR(CheckInt32Attr("dct_coefficient_count", coefficients));
  const DimensionHandle width = coefficients < 0 ? c->UnknownDim() : c->MakeDim(coefficients);
  c->set_output(0, c->MakeShape({c->Dim(spectrogram, 0), c->Dim(spectrogram, 1), width}));
  return OkStatus();
}

struct SpectrogramAttrs {
  std::int64_t window_size, stride;
  bool magnitude_squared;
};

// Each window of a channel is tapered as by Hann, padded with zeros to a power of two, and transformed.
inline Status RunSpectrogram(OpKernelContext& context, Cpu& device, const SpectrogramAttrs& attrs,
                             const Tensor& input) {
  const Index window = attrs.window_size, stride = attrs.stride;
  if (input.dims() != 2) return errors::InvalidArgument("input must be 2-dimensional", input.shape());
  if (window < 2 || stride < 1)
    return errors::InvalidArgument("Spectrogram initialization failed for window size ", window, " and stride ",
                                   stride);
  const Index samples = input.dim_size(0), channels = input.dim_size(1);
  const Index frames = SpectrogramFrames(samples, window, stride);
  const Index length = PowerOfTwoFrom(window), width = 1 + length / 2;
  const Index sizes[] = {channels, frames, width};
  TensorShape shape;
  Tensor* spectrogram = nullptr;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &spectrogram));
  if (shape.num_elements() == 0) return OkStatus();
  const Index together = std::min(frames, std::max<Index>(1, (Index{1} << 15) / length));  // frames a transform
  const auto numbers = static_cast<std::size_t>(window + together * (length + 2 * width));
  Scratch scratch(device, numbers * sizeof(double));
  TENON_RETURN_IF_ERROR(scratch.status("AudioSpectrogram"));
  double* const taper = scratch.As<double>();
  double *const waves = taper + window, *const spectrum = waves + together * length;
  constexpr double kPi = 3.14159265358979323846;
  for (Index i = 0; i < window; ++i)
    taper[i] = 0.5 - 0.5 * std::cos(2.0 * kPi / static_cast<double>(window) * static_cast<double>(i));
  const float* const sound = input.data<float>();
  float* to = spectrogram->data<float>();
  for (Index channel = 0; channel < channels; ++channel)
    for (Index first = 0; first < frames; first += together) {
      const Index count = std::min(together, frames - first);
      for (Index f = 0; f < count; ++f) {
        double* const wave = waves + f * length;
        const float* const from = sound + (first + f) * stride * channels + channel;
        for (Index i = 0; i < window; ++i) wave[i] = taper[i] * static_cast<double>(from[i * channels]);
        std::fill(wave + window, wave + length, 0.0);
      }
      FftSizes plan;
      plan.dims = 1;
      plan.in[0] = plan.full[0] = length;
      plan.out[0] = width;
      plan.blocks = count;
      TENON_RETURN_IF_ERROR(Fft<double>(device, FftKind::kRealForward, plan, waves, spectrum, "AudioSpectrogram"));
      for (Index i = 0; i < count * width; ++i, ++to) {
        const double real = spectrum[2 * i], imaginary = spectrum[2 * i + 1];
        const auto square = static_cast<float>(real * real + imaginary * imaginary);
        *to = attrs.magnitude_squared ? square : std::sqrt(square);
      }
    }
  return OkStatus();
}

struct MfccAttrs {
  float upper_frequency_limit, lower_frequency_limit;
  std::int64_t filterbank_channel_count, dct_coefficient_count;
};

inline double MelOf(double frequency) { return 1127.0 * std::log1p(frequency / 700.0); }

// Triangular bands of equal width in mel, and a cosine transform of their logarithms.
class MelBands {
 public:
  // `bins` values of a spectrum up to half of `rate`. `memory` holds Size() doubles.
  MelBands(const MfccAttrs& attrs, Index bins, double rate, double* memory)
      : bands_(attrs.filterbank_channel_count), coefficients_(attrs.dct_coefficient_count) {
    const double lower = static_cast<double>(attrs.lower_frequency_limit);
    const double upper = static_cast<double>(attrs.upper_frequency_limit);
    centers_ = memory;
    weights_ = centers_ + bands_ + 1;
    band_of_ = weights_ + bins;
    cosines_ = band_of_ + bins;
    sums_ = cosines_ + bands_ * coefficients_;
    const double least = MelOf(lower), step = (MelOf(upper) - least) / static_cast<double>(bands_ + 1);
    for (Index i = 0; i <= bands_; ++i) centers_[i] = least + step * static_cast<double>(i + 1);
    const double per_bin = 0.5 * rate / static_cast<double>(bins - 1);
    const double begin = 1.5 + lower / per_bin, end = upper / per_bin;
    begin_ = begin >= 1 && begin < static_cast<double>(bins) ? static_cast<Index>(begin) : begin >= 1 ? bins : 1;
    fits_ = end < static_cast<double>(bins);  // false for NaN
    end_ = fits_ ? static_cast<Index>(end) : 0;
    for (Index i = begin_, band = 0; i <= end_; ++i) {
      const double mel = MelOf(static_cast<double>(i) * per_bin);
      while (band < bands_ && centers_[band] < mel) ++band;
      const double above = centers_[band], below = band == 0 ? least : centers_[band - 1];
      band_of_[i] = static_cast<double>(band - 1);
      weights_[i] = (above - mel) / (above - below);
    }
    const double scale = std::sqrt(2.0 / static_cast<double>(bands_));
    const double angle = 3.14159265358979323846 / static_cast<double>(bands_);
    for (Index i = 0; i < coefficients_; ++i)
      for (Index j = 0; j < bands_; ++j)
        cosines_[i * bands_ + j] = scale * std::cos(static_cast<double>(i) * angle * (static_cast<double>(j) + 0.5));
  }
  static Index Size(const MfccAttrs& attrs, Index bins) {
    const Index bands = attrs.filterbank_channel_count;
    return 2 * bands + 1 + 2 * bins + bands * attrs.dct_coefficient_count;
  }

  void Run(const float* spectrum, float* to) {
    if (!fits_) {  // as in TensorFlow
      std::fill(to, to + coefficients_, 0.0f);
      return;
    }
    std::fill(sums_, sums_ + bands_, 0.0);
    for (Index i = begin_; i <= end_; ++i) {
      const double value = std::sqrt(static_cast<double>(spectrum[i])), below = value * weights_[i];
      const Index band = static_cast<Index>(band_of_[i]);
      if (band >= 0) sums_[band] += below;
      if (band + 1 < bands_) sums_[band + 1] += value - below;
    }
    for (Index j = 0; j < bands_; ++j) sums_[j] = std::log(sums_[j] < 1e-12 ? 1e-12 : sums_[j]);
    for (Index i = 0; i < coefficients_; ++i) {
      double sum = 0;
      for (Index j = 0; j < bands_; ++j) sum += cosines_[i * bands_ + j] * sums_[j];
      to[i] = static_cast<float>(sum);
    }
  }

 private:
  Index bands_, coefficients_;
  Index begin_ = 0, end_ = 0;  // the bins that count
  bool fits_ = false;
  double *centers_, *weights_, *band_of_, *cosines_, *sums_;
};

inline Status RunMfcc(OpKernelContext& context, Cpu& device, const MfccAttrs& attrs, const Tensor& spectrogram,
                      const Tensor& sample_rate) {
  if (spectrogram.dims() != 3) return errors::InvalidArgument("spectrogram must be 3-dimensional", spectrogram.shape());
  if (sample_rate.dims() != 0)
    return errors::InvalidArgument("Input sample_rate should be a scalar tensor, got ", sample_rate.shape(),
                                   " instead.");
  const std::int32_t rate = *sample_rate.data<std::int32_t>();
  const Index bins = spectrogram.dim_size(2), bands = attrs.filterbank_channel_count;
  const Index coefficients = attrs.dct_coefficient_count;
  const float lower = attrs.lower_frequency_limit, upper = attrs.upper_frequency_limit;
  if (bands < 1 || bands >= kMostInt32 || rate <= 0 || bins < 2 || lower < 0 || upper <= lower || coefficients < 1 ||
      coefficients > bands)
    return errors::InvalidArgument("Mfcc initialization failed for channel count ", bins, ", sample rate ", rate,
                                   " and filterbank_channel_count ", bands);
  constexpr Index kMostNumbers = Index{1} << 25;
  if (bands > kMostNumbers / coefficients)
    return errors::ResourceExhausted("Mfcc: a table of ", bands, " by ", coefficients,
                                     " cosines is too large; at most 2^25 are made");
  const Index sizes[] = {spectrogram.dim_size(0), spectrogram.dim_size(1), coefficients};
  TensorShape shape;
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  Scratch scratch(device, static_cast<std::size_t>(MelBands::Size(attrs, bins)) * sizeof(double));
  TENON_RETURN_IF_ERROR(scratch.status("Mfcc"));
  MelBands mel(attrs, bins, rate, scratch.As<double>());
  const Index frames = sizes[0] * sizes[1];
  for (Index f = 0; f < frames; ++f)
    mel.Run(spectrogram.data<float>() + f * bins, output->data<float>() + f * coefficients);
  return OkStatus();
}

}  // namespace detail

// input: [samples, channels]  ->  [channels, windows, 1 + window_size / 2, rounded up to a power of two]
struct AudioSpectrogram {
  static constexpr auto signature = Op("AudioSpectrogram")
                                        .Input("input: float")
                                        .Output("spectrogram: float")
                                        .Attr("window_size: int")
                                        .Attr("stride: int")
                                        .Attr("magnitude_squared: bool = false")
                                        .SetShapeFn(detail::SpectrogramShape);
  using Attrs = detail::SpectrogramAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      TENON_RETURN_IF_ERROR(detail::CheckInt32Attr("window_size", this->window_size));
      return detail::CheckInt32Attr("stride", this->stride);
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&) const {
      return detail::RunSpectrogram(context.op(), context.device(), *this, input);
    }
  };
};

// spectrogram: [channels, windows, bins] of squared magnitudes  ->  [channels, windows, dct_coefficient_count]
struct Mfcc {
  static constexpr auto signature = Op("Mfcc")
                                        .Input("spectrogram: float")
                                        .Input("sample_rate: int32")
                                        .Output("output: float")
                                        .Attr("upper_frequency_limit: float = 4000")
                                        .Attr("lower_frequency_limit: float = 20")
                                        .Attr("filterbank_channel_count: int = 40")
                                        .Attr("dct_coefficient_count: int = 13")
                                        .SetShapeFn(detail::MfccShape);
  using Attrs = detail::MfccAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      TENON_RETURN_IF_ERROR(detail::CheckInt32Attr("filterbank_channel_count", this->filterbank_channel_count));
      return detail::CheckInt32Attr("dct_coefficient_count", this->dct_coefficient_count);
    }
    Status operator()(Context<Device>& context, const Tensor& spectrogram, const Tensor& sample_rate, Tensor&) const {
      return detail::RunMfcc(context.op(), context.device(), *this, spectrogram, sample_rate);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
