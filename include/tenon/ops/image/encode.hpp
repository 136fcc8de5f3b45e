// SPDX-License-Identifier: Apache-2.0
#pragma once
// EncodePng, EncodeJpeg, EncodeJpegVariableQuality: pictures as files. They need the component tenon::image
// (engine/image/png.hpp).

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/jpeg.hpp>
#include <tenon/engine/image/png.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// One file for each picture in the dimensions before the last three.
inline Status EncodePngShape(InferenceContext* c) {
  ShapeHandle images, batch;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 3, &images));
  TENON_RETURN_IF_ERROR(c->Subshape(images, 0, -3, &batch));
  c->set_output(0, batch);
  return OkStatus();
}
inline Status EncodeJpegShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

#ifdef TENON_WITH_IMAGE
inline Status WritePngFiles(const Tensor& images, int compression, Tensor* files) {
  const int rank = images.dims();
  const Index height = images.dim_size(rank - 3), width = images.dim_size(rank - 2);
  const int channels = static_cast<int>(images.dim_size(rank - 1));
  const bool sixteen = images.dtype() == DataType::kUint16;
  const Index picture = height * width * channels * (sixteen ? 2 : 1);
  const char* pixels = static_cast<const char*>(images.raw_data());
  std::string file, failed;
  for (Index i = 0; i < files->NumElements(); ++i, pixels += picture) {
    file.clear();
    if (tenon::detail::WritePng(pixels, height, width, channels, sixteen, compression, &file))
      files->data<tstring>()[i].assign(file);
    else
      StrAppend(&failed, failed.empty() ? "" : ", ", i);
  }
  return failed.empty() ? OkStatus()
                        : errors::Internal("PNG encoding failed at the following flattened batch indices: ", failed);
}
inline Status WriteJpegFile(const Tensor& image, int channels, const JpegWriteOptions& options, tstring* file) {
  tenon::detail::JpegWriter writer;
  if (!writer.Write(image.data<std::uint8_t>(), image.dim_size(0), image.dim_size(1), channels, options))
    return errors::Internal("JPEG encoding failed");
  file->assign(writer.file());
  return OkStatus();
}
template <bool with_codecs>
struct ImageWriter {
  static Status Png(const Tensor& images, int compression, Tensor* files) {
    return WritePngFiles(images, compression, files);
  }
  static Status Jpeg(const Tensor& image, int channels, const JpegWriteOptions& options, tstring* file) {
    return WriteJpegFile(image, channels, options, file);
  }
};
using ImageWriters = ImageWriter<true>;
#else
template <bool with_codecs>
struct ImageWriter {
  static Status Png(const Tensor&, int, Tensor*) { return tenon::detail::NoImageCodecs(); }
  static Status Jpeg(const Tensor&, int, const JpegWriteOptions&, tstring*) { return tenon::detail::NoImageCodecs(); }
};
using ImageWriters = ImageWriter<false>;
#endif

}  // namespace detail

// image: [..., height, width, 1 to 4]
struct EncodePng {
  static constexpr auto signature = Op("EncodePng")
                                        .Attr("compression: int = -1")
                                        .Attr("T: {uint8, uint16} = DT_UINT8")
                                        .Input("image: T")
                                        .Output("contents: string")
                                        .SetShapeFn(detail::EncodePngShape);

  struct Attrs {
    std::int64_t compression;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      if (this->compression >= -1 && this->compression <= 9) return OkStatus();
      return errors::InvalidArgument("compression should be in [-1,9], got ", this->compression);
    }
    Status operator()(Context<Device>& context, const Tensor& image, Tensor& contents) const {
      if (image.dims() < 3) return errors::InvalidArgument("images must be at least rank 3", image.shape());
      const Index channels = image.dim_size(image.dims() - 1);
      if (channels < 1 || channels > 4)
        return errors::InvalidArgument("image must have 1, 2, 3, or 4 channels, got ", channels);
      TensorShape batch = image.shape();
      TENON_RETURN_IF_ERROR(batch.RemoveLastDimsWithStatus(3));
      Tensor* files = &contents;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, batch, &files));
      return detail::ImageWriters::Png(image, static_cast<int>(this->compression), files);
    }
  };
};

// image: [height, width, 1 or 3]
struct EncodeJpeg {
  static constexpr auto signature = Op("EncodeJpeg")
                                        .Input("image: uint8")
                                        .Attr("format: {'', 'grayscale', 'rgb'} = ''")
                                        .Attr("quality: int = 95")
                                        .Attr("progressive: bool = false")
                                        .Attr("optimize_size: bool = false")
                                        .Attr("chroma_downsampling: bool = true")
                                        .Attr("density_unit: {'in', 'cm'} = 'in'")
                                        .Attr("x_density: int = 300")
                                        .Attr("y_density: int = 300")
                                        .Attr("xmp_metadata: string = ''")
                                        .Output("contents: string")
                                        .SetShapeFn(detail::EncodeJpegShape);

  struct Attrs {
    std::string_view format;
    std::int64_t quality;
    bool progressive;
    bool optimize_size;
    bool chroma_downsampling;
    std::string_view density_unit;
    std::int64_t x_density;
    std::int64_t y_density;
    std::string_view xmp_metadata;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      if (this->quality >= 0 && this->quality <= 100) return OkStatus();
      return errors::InvalidArgument("quality must be in [0,100], got ", this->quality);
    }
    Status operator()(Context<Device>& context, const Tensor& image, Tensor& contents) const {
      if (image.dims() != 3) return errors::InvalidArgument("image must be 3-dimensional", image.shape());
      const Index channels = image.dim_size(2);
      const Index wanted = this->format == "grayscale" ? 1 : this->format == "rgb" ? 3 : channels;
      if (channels != wanted)
        return errors::InvalidArgument("format ", this->format, " expects ", wanted, " channels, got ", image.shape());
      if (channels != 1 && channels != 3)
        return errors::InvalidArgument("image must have 1 or 3 channels, got ", image.shape());
      Tensor* file = &contents;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape(), &file));
      return detail::ImageWriters::Jpeg(
          image, static_cast<int>(channels),
          {static_cast<int>(this->quality), this->progressive, this->optimize_size, this->chroma_downsampling,
           this->density_unit == "cm", static_cast<int>(this->x_density), static_cast<int>(this->y_density),
           this->xmp_metadata},
          file->data<tstring>());
    }
  };
};

// image: [height, width, 1 or 3], quality: [], 0 to 100
struct EncodeJpegVariableQuality {
  static constexpr auto signature = Op("EncodeJpegVariableQuality")
                                        .Input("images: uint8")
                                        .Input("quality: int32")
                                        .Output("contents: string")
                                        .SetShapeFn(detail::EncodeJpegShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& image, const Tensor& quality, Tensor& contents) const {
      if (image.dims() != 3) return errors::InvalidArgument("image must be 3-dimensional", image.shape());
      if (quality.dims() != 0) return errors::InvalidArgument("quality must be scalar: ", quality.shape());
      const std::int32_t percent = *quality.data<std::int32_t>();
      if (percent < 0 || percent > 100) return errors::InvalidArgument("quality must be in [0,100], got ", percent);
      const Index channels = image.dim_size(2);
      if (channels != 1 && channels != 3)
        return errors::InvalidArgument("image must have 1 or 3 channels, got ", image.shape());
      Tensor* file = &contents;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape(), &file));
      return detail::ImageWriters::Jpeg(image, static_cast<int>(channels),
                                        {percent, false, false, true, false, 300, 300, {}}, file->data<tstring>());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
