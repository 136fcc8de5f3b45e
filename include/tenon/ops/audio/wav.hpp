// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodeWav, EncodeWav: sound as files of 16-bit samples.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Reads numbers, the lowest byte first, and names of chunks.
class WavReader {
 public:
  explicit WavReader(std::string_view bytes) : bytes_(bytes) {}
  bool AtEnd() const { return at_ >= bytes_.size(); }

  Status Skip(std::size_t n) {
    if (n > bytes_.size() || at_ > bytes_.size() - n)
      return errors::InvalidArgument("Data too short when trying to read string: ", bytes_.size(), " bytes, wanted ", n,
                                     " from ", at_);
    at_ += n;
    return OkStatus();
  }
  Status Take(std::size_t n, std::string_view* text) {
    TENON_RETURN_IF_ERROR(Skip(n));
    *text = bytes_.substr(at_ - n, n);
    return OkStatus();
  }
  // `size` bytes, at most 4.
  Status Number(std::size_t size, std::uint32_t* value) {
    std::string_view text;
    TENON_RETURN_IF_ERROR(Take(size, &text));
    *value = 0;
    for (std::size_t i = size; i-- > 0;) *value = *value << 8 | static_cast<unsigned char>(text[i]);
    return OkStatus();
  }
  Status Expect(std::string_view name) {
    std::string_view found;
    TENON_RETURN_IF_ERROR(Take(name.size(), &found));
    if (found == name) return OkStatus();
    return errors::InvalidArgument("Header mismatch: Expected ", name, " but found ", found);
  }
  // A chunk that is not read may be longer than the file.
  void SkipChunk(std::size_t n) { at_ = n > bytes_.size() - at_ ? bytes_.size() : at_ + n; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

struct WavSound {
  std::uint32_t channels = 0, rate = 0;
  Index frames = 0;  // samples of each channel
  std::string_view samples;  // two bytes each
};

inline Status ReadWavFormat(WavReader* in, WavSound* sound) {
  std::uint32_t size = 0, format = 0, bytes_per_second = 0, bytes_per_frame = 0, bits = 0;
  TENON_RETURN_IF_ERROR(in->Number(4, &size));
  if (size != 16 && size != 18)
    return errors::InvalidArgument("Bad format chunk size for WAV: Expected 16 or 18, but got", size);
  TENON_RETURN_IF_ERROR(in->Number(2, &format));
  if (format != 1) return errors::InvalidArgument("Bad audio format for WAV: Expected 1 (PCM), but got", format);
  TENON_RETURN_IF_ERROR(in->Number(2, &sound->channels));
  if (sound->channels < 1)
    return errors::InvalidArgument("Bad number of channels for WAV: Expected at least 1, but got ", sound->channels);
  TENON_RETURN_IF_ERROR(in->Number(4, &sound->rate));
  TENON_RETURN_IF_ERROR(in->Number(4, &bytes_per_second));
  TENON_RETURN_IF_ERROR(in->Number(2, &bytes_per_frame));
  TENON_RETURN_IF_ERROR(in->Number(2, &bits));
  if (bits != 16) return errors::InvalidArgument("Can only read 16-bit WAV files, but received ", bits);
  if (bytes_per_frame != 2 * sound->channels)
    return errors::InvalidArgument("Bad bytes per sample in WAV header: Expected ", 2 * sound->channels, " but got ",
                                   bytes_per_frame);
  if (bytes_per_second != bytes_per_frame * sound->rate)
    return errors::InvalidArgument("Bad bytes per second in WAV header: Expected ", bytes_per_frame * sound->rate,
                                   " but got ", bytes_per_second);
  if (size == 18) in->SkipChunk(2);
  return OkStatus();
}

inline Status ReadWav(std::string_view file, WavSound* sound) {
  WavReader in(file);
  std::uint32_t size = 0;
  std::string_view name;
  TENON_RETURN_IF_ERROR(in.Expect("RIFF"));
  TENON_RETURN_IF_ERROR(in.Number(4, &size));
  TENON_RETURN_IF_ERROR(in.Expect("WAVE"));
  TENON_RETURN_IF_ERROR(in.Take(4, &name));
  while (name != "fmt ") {
    constexpr std::string_view kSkipped = "JUNK bext iXML qlty mext levl link axml";
    if (kSkipped.find(name) == std::string_view::npos) return errors::InvalidArgument("Unexpected field ", name);
    TENON_RETURN_IF_ERROR(in.Number(4, &size));
    TENON_RETURN_IF_ERROR(in.Skip(size));
    TENON_RETURN_IF_ERROR(in.Take(4, &name));
  }
  TENON_RETURN_IF_ERROR(ReadWavFormat(&in, sound));
  bool found = false;
  while (!in.AtEnd()) {
    TENON_RETURN_IF_ERROR(in.Take(4, &name));
    TENON_RETURN_IF_ERROR(in.Number(4, &size));
    if (size > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
      return errors::InvalidArgument("WAV data chunk '", name, "' is too large: ", size, " bytes");
    if (name != "data") {
      in.SkipChunk(size);
      continue;
    }
    if (found) return errors::InvalidArgument("More than one data chunk found in WAV");
    found = true;
    sound->frames = size / (2 * sound->channels);
    TENON_RETURN_IF_ERROR(in.Take(static_cast<std::size_t>(sound->frames) * 2 * sound->channels, &sound->samples));
  }
  return found ? OkStatus() : errors::InvalidArgument("No data chunk found in WAV");
}

inline Status DecodeWavShape(InferenceContext* c) {
  ShapeHandle unused;
  std::int64_t sizes[2] = {-1, -1};
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TENON_RETURN_IF_ERROR(c->GetAttr("desired_samples", &sizes[0]));
  TENON_RETURN_IF_ERROR(c->GetAttr("desired_channels", &sizes[1]));
  DimensionHandle dims[2];
  for (int d = 0; d < 2; ++d) {
    if (sizes[d] < -1)
      return errors::InvalidArgument(d == 0 ? "samples" : "channels", " must be non-negative, got ", sizes[d]);
    dims[d] = sizes[d] == -1 ? c->UnknownDim() : c->MakeDim(sizes[d]);
  }
  c->set_output(0, c->Matrix(dims[0], dims[1]));
  c->set_output(1, c->Scalar());
  return OkStatus();
}
inline Status EncodeWavShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

inline void AppendNumber(std::uint32_t value, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i) & 255));
}

// Sets *file to a WAV file of `count` samples, those of a moment side by side.
inline Status WriteWav(std::string_view who, const float* audio, Index count, Index channels, Index per_second,
                       std::string* file) {
  if (per_second <= 0 || per_second > Index{0xffffffff})
    return errors::InvalidArgument(who, ": sample_rate must be in (0, 2^32), got: ", per_second);
  if (channels <= 0 || channels > 65535)
    return errors::InvalidArgument(who, ": num_channels must be in (0, 2^16), got: ", channels);
  if (count > (Index{1} << 31) - 64)
    return errors::InvalidArgument(who, ": Provided channels and frames cannot be encoded as a WAV.");
  const auto bytes = static_cast<std::uint32_t>(2 * count), width = static_cast<std::uint32_t>(channels);
  *file = "RIFF";
  file->reserve(static_cast<std::size_t>(bytes) + 44);
  AppendNumber(bytes + 36, 4, file);
  *file += "WAVEfmt ";
  AppendNumber(16, 4, file);
  AppendNumber(1, 2, file);
  AppendNumber(width, 2, file);
  AppendNumber(static_cast<std::uint32_t>(per_second), 4, file);
  AppendNumber(static_cast<std::uint32_t>(per_second) * 2 * width, 4, file);
  AppendNumber(2 * width, 2, file);
  AppendNumber(16, 2, file);
  *file += "data";
  AppendNumber(bytes, 4, file);
  const std::size_t head = file->size();
  file->resize(head + bytes);
  char* to = file->data() + head;
  for (Index i = 0; i < count; ++i, to += 2) {
    // In this order NaN becomes the least.
    const float sample = std::min(32767.0f, std::max(-32768.0f, audio[i] * 32768.0f));
    auto whole = static_cast<std::int32_t>(sample);  // towards 0; the rest is exact
    const float rest = sample - static_cast<float>(whole);
    whole += (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
    to[0] = static_cast<char>(whole & 255);
    to[1] = static_cast<char>(whole >> 8 & 255);
  }
  return OkStatus();
}

}  // namespace detail

// contents: []  ->  audio: [samples, channels], in [-1, 1); sample_rate: []. More channels than there are repeat the
// last one; more samples are 0.
struct DecodeWav {
  static constexpr auto signature = Op("DecodeWav")
                                        .Input("contents: string")
                                        .Output("audio: float")
                                        .Output("sample_rate: int32")
                                        .Attr("desired_channels: int = -1")
                                        .Attr("desired_samples: int = -1")
                                        .SetShapeFn(detail::DecodeWavShape);
  struct Attrs {
    std::int64_t desired_channels, desired_samples;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&, Tensor&) const {
      return Run(context.op(), contents, this->desired_channels, this->desired_samples);
    }
  };

 private:
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, const Tensor& contents, Index channels, Index samples) {
    if (contents.dims() != 0)
      return errors::InvalidArgument("DecodeWav: contents must be scalar, got ", contents.shape());
    detail::WavSound sound;
    TENON_RETURN_IF_ERROR(detail::ReadWav(contents.data<tstring>()[0].view(), &sound));
    if (channels == -1) channels = sound.channels;
    if (samples == -1) samples = sound.frames;
    TensorShape shape;
    const Index sizes[] = {samples, channels};
    Tensor *audio = nullptr, *rate = nullptr;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &audio));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape(), &rate));
    *rate->data<std::int32_t>() = static_cast<std::int32_t>(sound.rate);
    float* out = audio->data<float>();
    for (Index s = 0; s < samples; ++s)
      for (Index c = 0; c < channels; ++c, ++out) {
        *out = 0;
        if (s >= sound.frames) continue;
        const auto at = static_cast<std::size_t>(s * sound.channels + std::min<Index>(c, sound.channels - 1)) * 2;
        const int low = static_cast<unsigned char>(sound.samples[at]),
                  high = static_cast<signed char>(sound.samples[at + 1]);
        *out = static_cast<float>(high * 256 + low) / 32768.0f;
      }
    return OkStatus();
  }
};

// audio: [samples, channels], sample_rate: []  ->  []
struct EncodeWav {
  static constexpr auto signature = Op("EncodeWav")
                                        .Input("audio: float")
                                        .Input("sample_rate: int32")
                                        .Output("contents: string")
                                        .SetShapeFn(detail::EncodeWavShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& audio, const Tensor& rate, Tensor&) const {
      return Run(context.op(), audio, rate);
    }
  };

 private:
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, const Tensor& audio, const Tensor& rate) {
    if (audio.dims() != 2) return errors::InvalidArgument("EncodeWav: audio must be 2-dimensional", audio.shape());
    if (rate.dims() != 0)
      return errors::InvalidArgument("EncodeWav: Input sample_rate should be a scalar tensor, got ", rate.shape());
    std::string file;
    TENON_RETURN_IF_ERROR(detail::WriteWav("EncodeWav", audio.data<float>(), audio.NumElements(), audio.dim_size(1),
                                           *rate.data<std::int32_t>(), &file));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &out));
    out->data<tstring>()[0].assign(file);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
