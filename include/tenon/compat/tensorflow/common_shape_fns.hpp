// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common shape functions under shape_inference, Padding, and the sizes of windows.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/compat/tensorflow/shape_inference.hpp>

namespace tensorflow {

enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };
inline std::string GetPaddingAttrString() { return "padding: {'SAME', 'VALID'}"; }
inline std::string GetPaddingAttrStringWithExplicit() { return "padding: {'SAME', 'VALID', 'EXPLICIT'}"; }
inline std::string GetExplicitPaddingsAttrString() { return "explicit_paddings: list(int) = []"; }

inline std::string GetMirrorPadModeAttrString() { return "mode: {'REFLECT', 'SYMMETRIC'}"; }
enum class MirrorPadMode { REFLECT = 1, SYMMETRIC = 2 };
enum ActivationMode { NONE = 0, SIGMOID = 1, RELU = 2, RELU6 = 3, RELUX = 4, TANH = 5, BANDPASS = 6 };
inline Status GetPaddingFromString(StringPiece text, Padding* value) {
  if (text == "VALID") return *value = VALID, Status();
  if (text == "SAME") return *value = SAME, Status();
  if (text == "EXPLICIT") return *value = EXPLICIT, Status();
  return errors::NotFound(text, " is not an allowed padding type");
}
inline Status GetMirrorPadModeFromString(StringPiece text, MirrorPadMode* value) {
  if (text == "REFLECT") return *value = MirrorPadMode::REFLECT, Status();
  if (text == "SYMMETRIC") return *value = MirrorPadMode::SYMMETRIC, Status();
  return errors::NotFound(text, " is not an allowed padding mode.");
}
inline Status GetActivationModeFromString(const std::string& text, ActivationMode* value) {
  constexpr std::string_view kNames[] = {"None", "Sigmoid", "Relu", "Relu6", "ReluX", "Tanh", "BandPass"};
  for (int i = 0; i < 7; ++i)
    if (text == kNames[i]) return *value = static_cast<ActivationMode>(i), Status();
  return errors::NotFound(text, " is not an allowed activation mode");
}
// Attrs that are words.
template <class T, auto kFromText>
struct WordAttr {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, T* value) {
    std::string text;
    TF_RETURN_IF_ERROR(get(name, &text));
    return kFromText(text, value);
  }
};
template <>
struct AttrAs<Padding> : WordAttr<Padding, &GetPaddingFromString> {};
template <>
struct AttrAs<MirrorPadMode> : WordAttr<MirrorPadMode, &GetMirrorPadModeFromString> {};
inline Status CheckValidPadding(Padding padding, const std::vector<int64_t>& explicit_paddings, int num_dims, int = 0) {
  const std::size_t wanted = padding == EXPLICIT ? 2 * static_cast<std::size_t>(num_dims) : 0;
  if (explicit_paddings.size() != wanted)
    return errors::InvalidArgument("explicit_paddings attribute must contain ", wanted,
                                   " values, but got: ", explicit_paddings.size());
  for (const int64_t value : explicit_paddings)
    if (value < 0) return errors::InvalidArgument("All elements of explicit_paddings must be nonnegative");
  return Status();
}

// The size of the output of a window that moves over `input_size`, and the padding on both sides.
inline Status GetWindowedOutputSizeVerboseV2(int64_t input_size, int64_t filter_size, int64_t dilation, int64_t stride,
                                             Padding padding, int64_t* output_size, int64_t* padding_before,
                                             int64_t* padding_after) {
  if (stride <= 0) return errors::InvalidArgument("Stride must be > 0, but got ", stride);
  if (dilation < 1) return errors::InvalidArgument("Dilation rate must be >= 1, but got ", dilation);
  const int64_t window = (filter_size - 1) * dilation + 1;
  if (padding == VALID) {
    *output_size = (input_size - window + stride) / stride;
    *padding_before = *padding_after = 0;
  } else if (padding == SAME) {
    *output_size = (input_size + stride - 1) / stride;
    const int64_t needed = std::max<int64_t>(0, (*output_size - 1) * stride + window - input_size);
    *padding_before = needed / 2;
    *padding_after = needed - *padding_before;
  } else {
    *output_size = (input_size + *padding_before + *padding_after - window + stride) / stride;
  }
  if (*output_size < 0)
    return errors::InvalidArgument("Computed output size would be negative: ", *output_size,
                                   " [input_size: ", input_size, ", effective_filter_size: ", window,
                                   ", stride: ", stride, "]");
  return Status();
}
inline Status GetWindowedOutputSizeVerbose(int64_t input_size, int64_t filter_size, int64_t stride, Padding padding,
                                           int64_t* output_size, int64_t* padding_before, int64_t* padding_after) {
  return GetWindowedOutputSizeVerboseV2(input_size, filter_size, 1, stride, padding, output_size, padding_before,
                                        padding_after);
}
inline Status GetWindowedOutputSize(int64_t input_size, int64_t filter_size, int64_t stride, Padding padding,
                                    int64_t* output_size, int64_t* padding_size) {
  if (padding == EXPLICIT)
    return errors::Internal(
        "GetWindowedOutputSize does not handle EXPLICIT padding; call GetWindowedOutputSizeVerbose "
        "instead");
  int64_t after = 0;
  return GetWindowedOutputSizeVerbose(input_size, filter_size, stride, padding, output_size, padding_size, &after);
}

inline Status GetWindowedOutputSizeV2(int64_t input_size, int64_t filter_size, int64_t dilation, int64_t stride,
                                      Padding padding, int64_t* output_size, int64_t* padding_size) {
  int64_t after = 0;
  return GetWindowedOutputSizeVerboseV2(input_size, filter_size, dilation, stride, padding, output_size, padding_size,
                                        &after);
}
inline Status Get3dOutputSizeV2(const std::array<int64_t, 3>& input, const std::array<int64_t, 3>& window,
                                const std::array<int64_t, 3>& dilations, const std::array<int64_t, 3>& strides,
                                Padding padding, std::array<int64_t, 3>* output, std::array<int64_t, 3>* padding_out) {
  for (std::size_t i = 0; i < 3; ++i)
    TF_RETURN_IF_ERROR(GetWindowedOutputSizeV2(input[i], window[i], dilations[i], strides[i], padding, &(*output)[i],
                                               &(*padding_out)[i]));
  return Status();
}
inline Status Get3dOutputSize(const std::array<int64_t, 3>& input, const std::array<int64_t, 3>& window,
                              const std::array<int64_t, 3>& strides, Padding padding, std::array<int64_t, 3>* output,
                              std::array<int64_t, 3>* padding_out) {
  for (std::size_t i = 0; i < 3; ++i)
    TF_RETURN_IF_ERROR(
        GetWindowedOutputSize(input[i], window[i], strides[i], padding, &(*output)[i], &(*padding_out)[i]));
  return Status();
}

namespace shape_inference {

using tenon::shape_inference::AvgPool3DGradShape;
using tenon::shape_inference::AvgPoolGradShape;
using tenon::shape_inference::AvgPoolShape;
using tenon::shape_inference::BatchMatMulShape;
using tenon::shape_inference::BatchMatMulV2Shape;
using tenon::shape_inference::BiasAddGradShape;
using tenon::shape_inference::BiasAddShape;
using tenon::shape_inference::BroadcastBinaryOpOutputShapeFn;
using tenon::shape_inference::BroadcastBinaryOpOutputShapeFnHelper;
using tenon::shape_inference::BroadcastBinaryOpShapeFn;
using tenon::shape_inference::ConcatShape;
using tenon::shape_inference::ConcatV2Shape;
using tenon::shape_inference::Conv2DBackpropFilterShape;
using tenon::shape_inference::Conv2DBackpropFilterWithBiasShape;
using tenon::shape_inference::Conv2DBackpropInputShape;
using tenon::shape_inference::Conv2DShape;
using tenon::shape_inference::Conv2DShapeWithExplicitPadding;
using tenon::shape_inference::Conv3DShape;
using tenon::shape_inference::ConvShape;
using tenon::shape_inference::DepthwiseConv2DNativeShape;
using tenon::shape_inference::DepthwiseConv2DNativeShapeWithExplicitPadding;
using tenon::shape_inference::EinsumShape;
using tenon::shape_inference::ExplicitShape;
using tenon::shape_inference::ExplicitShapes;
using tenon::shape_inference::FusedBatchNormExShape;
using tenon::shape_inference::FusedBatchNormGradExShape;
using tenon::shape_inference::FusedBatchNormGradShape;
using tenon::shape_inference::FusedBatchNormShape;
using tenon::shape_inference::FusedBatchNormV3Shape;
using tenon::shape_inference::FusedQuantizedConv2DShape;
using tenon::shape_inference::FusedQuantizedDepthwiseConv2D;
using tenon::shape_inference::GatherNdShape;
using tenon::shape_inference::GetWindowedOutputSizeFromDims;
using tenon::shape_inference::GetWindowedOutputSizeFromDimsV2;
using tenon::shape_inference::MatMulShape;
using tenon::shape_inference::MatrixDiagPartV2Shape;
using tenon::shape_inference::MatrixDiagV2Shape;
using tenon::shape_inference::MatrixSetDiagV2Shape;
using tenon::shape_inference::MaxPool3DGradShape;
using tenon::shape_inference::MaxPoolGradShape;
using tenon::shape_inference::MaxPoolShape;
using tenon::shape_inference::MaxPoolShapeWithExplicitPadding;
using tenon::shape_inference::MaxPoolV2Shape;
using tenon::shape_inference::MergeBothInputsShapeFn;
using tenon::shape_inference::NoOutputs;
using tenon::shape_inference::Pool3DShape;
using tenon::shape_inference::QuantizedAvgPoolShape;
using tenon::shape_inference::QuantizedConcatV2Shape;
using tenon::shape_inference::QuantizedConv2DShape;
using tenon::shape_inference::QuantizeV2Shape;
using tenon::shape_inference::RandomShape;
using tenon::shape_inference::ReduceScatterShape;
using tenon::shape_inference::ReductionShape;
using tenon::shape_inference::ScalarShape;
using tenon::shape_inference::ScatterNdShape;
using tenon::shape_inference::ScatterNdShapeHelper;
using tenon::shape_inference::SegmentReductionWithNumSegmentsShapeFn;
using tenon::shape_inference::SliceShape;
using tenon::shape_inference::SparseReduceShapeFn;
using tenon::shape_inference::StridedSliceShape;
using tenon::shape_inference::TensorScatterShape;
using tenon::shape_inference::UnchangedShape;
using tenon::shape_inference::UnchangedShapeWithRank;
using tenon::shape_inference::UnchangedShapeWithRankAtLeast;
using tenon::shape_inference::UnchangedShapeWithRankAtMost;
using tenon::shape_inference::UnknownShape;
using tenon::shape_inference::ValidateSparseTensor;

// The shapes of the attr output_shapes, one for each output.
inline Status DatasetIteratorShape(InferenceContext* c) {
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  if (static_cast<int>(shapes.size()) != c->num_outputs())
    return errors::InvalidArgument("`output_shapes` must be the same length as `output_types` (", shapes.size(),
                                   " vs. ", c->num_outputs(), ")");
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[static_cast<std::size_t>(i)], &shape));
    c->set_output(i, shape);
  }
  return Status();
}
constexpr tenon::Padding ToTenon(Padding padding) {
  return padding == VALID  ? tenon::Padding::kValid
         : padding == SAME ? tenon::Padding::kSame
                           : tenon::Padding::kExplicit;
}
inline Status GetWindowedOutputSizeFromDimsV2(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter,
                                              int64_t dilation, int64_t stride, Padding padding, int64_t before,
                                              int64_t after, DimensionHandle* out) {
  return tenon::shape_inference::GetWindowedOutputSizeFromDimsV2(c, input, filter, dilation, stride, ToTenon(padding),
                                                                 before, after, out);
}
inline Status GetWindowedOutputSizeFromDims(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter,
                                            int64_t stride, Padding padding, DimensionHandle* out) {
  return GetWindowedOutputSizeFromDimsV2(c, input, filter, 1, stride, padding, 0, 0, out);
}

// The shape and type that the handle of input 0 holds, in *held; checks them against the attr `dtype`.
inline Status ValidateVariableResourceHandle(InferenceContext* c, std::vector<ShapeAndType>* held) {
  tenon::SlimVector<tenon::ShapeAndType> found;
  TF_RETURN_IF_ERROR(tenon::shape_inference::ValidateVariableResourceHandle(c, &found));
  held->assign(found.begin(), found.end());
  return Status();
}

}  // namespace shape_inference
}  // namespace tensorflow
