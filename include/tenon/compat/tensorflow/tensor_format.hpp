// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFormat: where the dimensions of images are.

#include <string>
#include <vector>

#include <tenon/compat/tensorflow/common_shape_fns.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

enum TensorFormat {
  FORMAT_NHWC = 0,
  FORMAT_NCHW = 1,
  FORMAT_NCHW_VECT_C = 2,
  FORMAT_NHWC_VECT_W = 3,
  FORMAT_HWNC = 4,
  FORMAT_HWCN = 5
};
inline bool FormatFromString(StringPiece text, TensorFormat* format) {
  constexpr std::pair<std::string_view, TensorFormat> kNames[] = {{"NHWC", FORMAT_NHWC},
                                                                  {"NDHWC", FORMAT_NHWC},
                                                                  {"NCHW", FORMAT_NCHW},
                                                                  {"NCDHW", FORMAT_NCHW},
                                                                  {"HWNC", FORMAT_HWNC},
                                                                  {"HWCN", FORMAT_HWCN},
                                                                  {"NCHW_VECT_C", FORMAT_NCHW_VECT_C},
                                                                  {"NHWC_VECT_W", FORMAT_NHWC_VECT_W}};
  for (const auto& [name, value] : kNames)
    if (text == name) {
      *format = value;
      return true;
    }
  return false;
}
inline std::string ToString(TensorFormat format) {
  constexpr const char* kNames[] = {"NHWC", "NCHW", "NCHW_VECT_C", "NHWC_VECT_W", "HWNC", "HWCN"};
  return kNames[static_cast<int>(format)];
}
// Where dimension 'N', 'C', 'H', 'W' or '0', '1', ... (the spatial ones in order) is; -1: the format has none.
inline int GetTensorDimIndex(TensorFormat format, char dimension, int dims) {
  const int spatial = dims - (format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W ? 3 : 2);
  const bool hw_first = format == FORMAT_HWNC || format == FORMAT_HWCN;
  const bool c_first = format == FORMAT_NCHW || format == FORMAT_NCHW_VECT_C;
  const int first = hw_first ? 0 : c_first ? 2 : 1;
  switch (dimension) {
    case 'N': return !hw_first ? 0 : format == FORMAT_HWNC ? spatial : spatial + 1;
    case 'C': return c_first ? 1 : format == FORMAT_HWNC ? spatial + 1 : format == FORMAT_HWCN ? spatial : spatial + 1;
    case 'H': return first + spatial - 2;
    case 'W': return first + spatial - 1;
    case 'D': return spatial < 3 ? -1 : first + spatial - 3;
    default: return dimension >= '0' && dimension < '0' + spatial ? first + (dimension - '0') : -1;
  }
}
enum FilterTensorFormat { FORMAT_HWIO = 0, FORMAT_OIHW = 1, FORMAT_OHWI = 2, FORMAT_OIHW_VECT_I = 3 };
inline bool FilterFormatFromString(StringPiece text, FilterTensorFormat* format) {
  constexpr std::pair<std::string_view, FilterTensorFormat> kNames[] = {{"HWIO", FORMAT_HWIO},
                                                                        {"DHWIO", FORMAT_HWIO},
                                                                        {"OIHW", FORMAT_OIHW},
                                                                        {"OIDHW", FORMAT_OIHW},
                                                                        {"OHWI", FORMAT_OHWI},
                                                                        {"ODHWI", FORMAT_OHWI},
                                                                        {"OIHW_VECT_I", FORMAT_OIHW_VECT_I}};
  for (const auto& [name, value] : kNames)
    if (text == name) return *format = value, true;
  return false;
}
inline std::string ToString(FilterTensorFormat format) {
  constexpr const char* kNames[] = {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"};
  return kNames[format];
}
// How many dimensions a filter has, and which of them is the one that is named: 'H', 'W', 'I', 'O', or '0' to '2' for
// the spatial ones.
inline int GetFilterTensorDimsFromSpatialDims(int spatial, FilterTensorFormat format) {
  return spatial + (format == FORMAT_OIHW_VECT_I ? 3 : 2);
}
inline int GetFilterTensorSpatialDims(int dims, FilterTensorFormat format) {
  return dims - (format == FORMAT_OIHW_VECT_I ? 3 : 2);
}
inline int GetFilterTensorInputChannelsDimIndex(int dims, FilterTensorFormat format) {
  return format == FORMAT_HWIO ? dims - 2 : format == FORMAT_OHWI ? dims - 1 : 1;
}
inline int GetFilterTensorInnerInputChannelsDimIndex(int dims, FilterTensorFormat format) {
  return format == FORMAT_OIHW_VECT_I ? dims - 1 : -1;
}
inline int GetFilterTensorOutputChannelsDimIndex(int dims, FilterTensorFormat format) {
  return format == FORMAT_HWIO ? dims - 1 : 0;
}
inline int GetFilterTensorSpatialDimIndex(int, FilterTensorFormat format, int spatial) {
  return spatial + (format == FORMAT_HWIO ? 0 : format == FORMAT_OHWI ? 1 : 2);
}
// -1: the format has no such dimension.
inline int GetFilterDimIndex(FilterTensorFormat format, char dimension, int dims) {
  switch (dimension) {
    case 'I': return GetFilterTensorInputChannelsDimIndex(dims, format);
    case 'O': return GetFilterTensorOutputChannelsDimIndex(dims, format);
    case 'H': return GetFilterTensorSpatialDimIndex(dims, format, GetFilterTensorSpatialDims(dims, format) - 2);
    case 'W': return GetFilterTensorSpatialDimIndex(dims, format, GetFilterTensorSpatialDims(dims, format) - 1);
    default:
      return dimension >= '0' && dimension <= '2' ? GetFilterTensorSpatialDimIndex(dims, format, dimension - '0') : -1;
  }
}
template <int kSpatialDims>
int GetFilterDimIndex(FilterTensorFormat format, char dimension) {
  return GetFilterDimIndex(format, dimension, GetFilterTensorDimsFromSpatialDims(kSpatialDims, format));
}
inline int64_t GetFilterDim(const tenon::TensorShape& shape, FilterTensorFormat format, char dimension) {
  return shape.dim_size(GetFilterDimIndex(format, dimension, shape.dims()));
}
inline int64_t GetFilterDim(const Tensor& tensor, FilterTensorFormat format, char dimension) {
  return GetFilterDim(tensor.shape(), format, dimension);
}
template <class T>
T GetFilterDim(gtl::ArraySlice<T> sizes, FilterTensorFormat format, char dimension) {
  return sizes[static_cast<std::size_t>(GetFilterDimIndex(format, dimension, static_cast<int>(sizes.size())))];
}
inline int GetTensorDimsFromSpatialDims(int spatial, TensorFormat format) {
  return spatial + (format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W ? 3 : 2);
}
template <int kSpatialDims>
int GetTensorDimIndex(TensorFormat format, char dimension) {
  return GetTensorDimIndex(format, dimension, GetTensorDimsFromSpatialDims(kSpatialDims, format));
}
inline int GetTensorBatchDimIndex(int dims, TensorFormat format) { return GetTensorDimIndex(format, 'N', dims); }
inline int GetTensorFeatureDimIndex(int dims, TensorFormat format) { return GetTensorDimIndex(format, 'C', dims); }
inline int GetTensorSpatialDimIndex(int dims, TensorFormat format, int spatial) {
  return GetTensorDimIndex(format, static_cast<char>('0' + spatial), dims);
}
inline int GetTensorSpatialDims(int dims, TensorFormat format) {
  return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W ? dims - 3 : dims - 2;
}
template <class T>
T GetTensorDim(gtl::ArraySlice<T> sizes, TensorFormat format, char dimension) {
  return sizes[static_cast<std::size_t>(GetTensorDimIndex(format, dimension, static_cast<int>(sizes.size())))];
}
template <class T>
T GetTensorDim(const std::vector<T>& sizes, TensorFormat format, char dimension) {
  return GetTensorDim(gtl::ArraySlice<T>(sizes), format, dimension);
}
inline int64_t GetTensorDim(const tenon::TensorShape& shape, TensorFormat format, char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64_t GetTensorDim(const Tensor& tensor, TensorFormat format, char dimension) {
  return GetTensorDim(tensor.shape(), format, dimension);
}
// Paddings in front of and behind 'H', 'W' or another dimension of four; 'N' and 'C' have none.
inline void GetExplicitPaddingForDim(const std::vector<int64_t>& paddings, TensorFormat format, char dimension,
                                     int64_t* before, int64_t* after) {
  const int at = GetTensorDimIndex(format, dimension, static_cast<int>(paddings.size() / 2));
  *before = paddings[static_cast<std::size_t>(2 * at)];
  *after = paddings[static_cast<std::size_t>(2 * at + 1)];
}
// The last argument of these is the result. InvalidArgument: a negative size, too many elements, or a dimension that is
// no multiple of the four elements of VECT.
inline Status ShapeFromFormatWithStatus(TensorFormat format, int64_t n, gtl::ArraySlice<int64_t> spatial, int64_t c,
                                        TensorShape* shape) {
  const bool vect_c = format == FORMAT_NCHW_VECT_C, vect_w = format == FORMAT_NHWC_VECT_W;
  const int dims = GetTensorDimsFromSpatialDims(static_cast<int>(spatial.size()), format);
  std::vector<int64_t> sizes(static_cast<std::size_t>(dims), 4);
  const auto place = [&](char dimension) -> int64_t& {
    return sizes[static_cast<std::size_t>(GetTensorDimIndex(format, dimension, dims))];
  };
  place('N') = n;
  place('C') = c;
  for (std::size_t i = 0; i < spatial.size(); ++i) place(static_cast<char>('0' + i)) = spatial[i];
  if (vect_c || (vect_w && !spatial.empty())) {
    int64_t& divided = vect_c ? place('C') : place(static_cast<char>('0' + spatial.size() - 1));
    if (divided % 4 != 0)
      return errors::InvalidArgument("ShapeFromFormat: ", ToString(format), " needs a multiple of 4 in dimension ",
                                     vect_c ? "C" : "W", ", got ", divided);
    divided /= 4;
  }
  return TensorShape::BuildTensorShape(sizes, shape);
}
inline Status ShapeFromFormatWithStatus(TensorFormat format, int64_t n, int64_t h, int64_t w, int64_t c,
                                        TensorShape* shape) {
  return ShapeFromFormatWithStatus(format, n, {h, w}, c, shape);
}
inline Status ShapeFromFormatWithStatus(TensorFormat to, const tenon::TensorShape& shape, TensorFormat from,
                                        TensorShape* out) {
  std::vector<int64_t> spatial;
  for (int i = 0; i < GetTensorSpatialDims(shape.dims(), from); ++i)
    spatial.push_back(GetTensorDim(shape, from, static_cast<char>('0' + i)));
  if (from == FORMAT_NHWC_VECT_W && !spatial.empty()) spatial.back() *= 4;
  return ShapeFromFormatWithStatus(to, GetTensorDim(shape, from, 'N'), spatial,
                                   GetTensorDim(shape, from, 'C') * (from == FORMAT_NCHW_VECT_C ? 4 : 1), out);
}
// As ShapeFromFormatWithStatus; an empty shape where that is an error.
inline TensorShape ShapeFromFormat(TensorFormat format, int64_t n, gtl::ArraySlice<int64_t> spatial, int64_t c) {
  TensorShape shape;
  return ShapeFromFormatWithStatus(format, n, spatial, c, &shape).ok() ? shape : TensorShape();
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64_t n, int64_t h, int64_t w, int64_t c) {
  return ShapeFromFormat(format, n, {h, w}, c);
}
// The shape with its dimensions in the order of another format.
inline TensorShape ShapeFromFormat(TensorFormat to, const tenon::TensorShape& shape, TensorFormat from) {
  TensorShape out;
  return ShapeFromFormatWithStatus(to, shape, from, &out).ok() ? out : TensorShape();
}
// *out: the batch, the spatial dimensions and the channels in the order of `format`. VECT_C: channels in blocks of
// four, `channels` counts the blocks.
namespace shape_inference {
inline Status MakeShapeFromFormat(TensorFormat format, DimensionOrConstant batch,
                                  const std::vector<DimensionOrConstant>& spatial, DimensionOrConstant channels,
                                  ShapeHandle* out, InferenceContext* context) {
  const bool blocked = format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W;
  const int dims = static_cast<int>(spatial.size()) + (blocked ? 3 : 2);
  std::vector<DimensionHandle> sizes(static_cast<std::size_t>(dims));
  const auto place = [&](char dimension) -> DimensionHandle& {
    return sizes[static_cast<std::size_t>(GetTensorDimIndex(format, dimension, dims))];
  };
  place('N') = context->MakeDim(batch);
  place('C') = context->MakeDim(channels);
  for (std::size_t i = 0; i < spatial.size(); ++i) place(static_cast<char>('0' + i)) = context->MakeDim(spatial[i]);
  if (blocked) sizes.back() = context->MakeDim(4);
  *out = context->MakeShape(sizes);
  return Status();
}
}  // namespace shape_inference

inline std::string GetConvnetFilterFormatAttrString() { return "filter_format: { 'HWIO', 'OIHW' } = 'HWIO' "; }
inline std::string GetConvnet3dFilterFormatAttrString() { return "filter_format: { 'DHWIO', 'OIDHW' } = 'DHWIO' "; }
inline std::string GetConvnetDataFormatAttrString() { return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' "; }
inline std::string GetConvnet3dDataFormatAttrString() { return "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' "; }
inline std::string GetConvnetDataFormat2D3DAttrString() {
  return "data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC' ";
}

}  // namespace tensorflow
