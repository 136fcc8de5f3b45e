// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodeImage, DecodeGif: picture files of any kind. DecodeAndCropJpeg, ExtractJpegShape. PNG and JPEG need the
// component tenon::image (engine/image/png.hpp), WebP needs tenon::webp (engine/image/webp.hpp).

#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/decode.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// A GIF file may give four dimensions, of which nothing is known.
inline Status DecodeAnyImageShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  std::int64_t channels = 0;
  bool expands = true;
  TENON_RETURN_IF_ERROR(c->GetAttr("channels", &channels));
  TENON_RETURN_IF_ERROR(c->GetAttr("expand_animations", &expands));
  if (channels < 0) return errors::InvalidArgument("channels must be non-negative, got ", channels);
  if (expands) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const DimensionHandle depth = channels == 0 ? c->UnknownDim() : c->MakeDim(channels);
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), depth}));
  return OkStatus();
}
inline Status DecodeGifShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), c->UnknownDim(), c->MakeDim(3)}));
  return OkStatus();
}
inline Status DecodeAndCropJpegShape(InferenceContext* c) {
  ShapeHandle unused, window;
  DimensionHandle depth = c->UnknownDim(), count, height = c->UnknownDim(), width = c->UnknownDim();
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  std::int64_t channels = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("channels", &channels));
  if (channels != 0) {
    if (channels < 0) return errors::InvalidArgument("channels must be non-negative, got ", channels);
    depth = c->MakeDim(channels);
  }
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &window));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(window, 0), 4, &count));
  SlimVector<std::int64_t> values;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &values, &known));
  if (known && values[2] >= 0) height = c->MakeDim(values[2]);
  if (known && values[3] >= 0) width = c->MakeDim(values[3]);
  c->set_output(0, c->MakeShape({height, width, depth}));
  return OkStatus();
}

inline Status DecodeAnyFile(OpKernelContext& context, const Tensor& contents, std::int64_t channels,
                            const DecodedForm& form) {
  std::string_view file;
  TENON_RETURN_IF_ERROR(EncodedImage(contents, &file));
  DecodedForm one = form;
  one.has_frames = false;
  if (IsBmp(file)) return channels == 1 ? OneChannelOfBmp() : DecodeBmpFile(context, file, channels, one);
  return DecodeAnyButBmp(context, "DecodeImage", contents, {.channels = static_cast<int>(channels)},
                         IsGif(file) ? form : one);
}

inline Status DecodeJpegWindow(OpKernelContext& context, const Tensor& contents, const Tensor& window,
                               const JpegAttrs& attrs) {
  std::string_view file;
  TENON_RETURN_IF_ERROR(EncodedImage(contents, &file));
  if (IsWebp(file)) return WrongImageOp("WebP", "DecodeAndCropJpeg");
  if (!IsJpeg(file)) {
    if (!IsPng(file) && !IsGif(file) && !IsBmp(file)) return UnknownImageFormat();
    return errors::InvalidArgument("DecodeAndCropJpeg operation can run on JPEG only, but detected ",
                                   IsPng(file)   ? "PNG."
                                   : IsGif(file) ? "GIF."
                                                 : "BMP.");
  }
  if (attrs.channels == 4) return errors::InvalidArgument("JPEG does not support 4 channels");
  if (window.dims() != 1) return errors::InvalidArgument("crop_window must be 1-D, got shape ", window.shape());
  if (window.dim_size(0) != 4) return errors::InvalidArgument("crop_size must have four elements ", window.shape());
  const std::int32_t* sides = window.data<std::int32_t>();
  JpegReadOptions options = JpegOptionsOf(attrs);
  options.crop = true;
  options.top = sides[0];
  options.left = sides[1];
  options.height = sides[2];
  options.width = sides[3];
  return ImageFiles::Jpeg(context, file, options, {});
}

inline Status ExtractShape(OpKernelContext& context, const Tensor& contents) {
  if (contents.dims() != 0) return errors::InvalidArgument("contents must be scalar, got shape ", contents.shape());
  const std::string_view file = contents.data<tstring>()->view();
  if (file.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return errors::InvalidArgument("JPEG contents are too large for int: ", file.size());
  if (file.empty()) return errors::InvalidArgument("Invalid JPEG data, size 0");
  Index sizes[3] = {};
  TENON_RETURN_IF_ERROR(ImageFiles::JpegShape(file, sizes));
  Tensor* shape = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({3}), &shape));
  for (int i = 0; i < 3; ++i) {
    if (shape->dtype() == DataType::kInt32)
      shape->data<std::int32_t>()[i] = static_cast<std::int32_t>(sizes[i]);
    else
      shape->data<std::int64_t>()[i] = sizes[i];
  }
  return OkStatus();
}

}  // namespace detail

// [height, width, channels], or [frames, height, width, 3] for a GIF file when expand_animations.
struct DecodeImage {
  static constexpr auto signature = Op("DecodeImage")
                                        .Input("contents: string")
                                        .Attr("channels: int = 0")
                                        .Attr("dtype: {uint8, uint16, float} = DT_UINT8")
                                        .Output("image: dtype")
                                        .Attr("expand_animations: bool = true")
                                        .SetShapeFn(detail::DecodeAnyImageShape);

  struct Attrs {
    std::int64_t channels;
    DataType dtype;
    bool expand_animations;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckDecodeChannels(this->channels); }
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      return detail::DecodeAnyFile(context.op(), contents, this->channels,
                                   {this->dtype, this->expand_animations, !this->expand_animations});
    }
  };
};

// [frames, height, width, 3], also for PNG and JPEG files. Each frame is painted over the one before it.
struct DecodeGif {
  static constexpr auto signature =
      Op("DecodeGif").Input("contents: string").Output("image: uint8").SetShapeFn(detail::DecodeGifShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      return detail::DecodeAnyButBmp(context.op(), "DecodeGif", contents, {.channels = 3}, {.has_frames = true});
    }
  };
};

// crop_window: [4], top, left, height and width of the part that is decoded, in pixels after the reduction by `ratio`.
struct DecodeAndCropJpeg {
  static constexpr auto signature = Op("DecodeAndCropJpeg")
                                        .Input("contents: string")
                                        .Input("crop_window: int32")
                                        .Attr("channels: int = 0")
                                        .Attr("ratio: int = 1")
                                        .Attr("fancy_upscaling: bool = true")
                                        .Attr("try_recover_truncated: bool = false")
                                        .Attr("acceptable_fraction: float = 1.0")
                                        .Attr("dct_method: string = ''")
                                        .Output("image: uint8")
                                        .SetShapeFn(detail::DecodeAndCropJpegShape);

  static constexpr std::string_view unused[] = {"acceptable_fraction"};
  using Attrs = detail::JpegAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckJpegAttrs(*this); }
    Status operator()(Context<Device>& context, const Tensor& contents, const Tensor& crop_window, Tensor&) const {
      return detail::DecodeJpegWindow(context.op(), contents, crop_window, *this);
    }
  };
};

// [3]: height, width and channels of a JPEG file. Only its header is read.
struct ExtractJpegShape {
  static constexpr auto signature = Op("ExtractJpegShape")
                                        .Input("contents: string")
                                        .Output("image_shape: output_type")
                                        .Attr("output_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          c->set_output(0, c->Vector(3));
                                          return OkStatus();
                                        });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      return detail::ExtractShape(context.op(), contents);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
