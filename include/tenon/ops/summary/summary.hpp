// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScalarSummary, TensorSummary and V2, HistogramSummary, ImageSummary, AudioSummary and V2, MergeSummary: values for
// TensorBoard as serialised Summary messages. writer.hpp has the ops that write them to files.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/summary/summary_media.hpp>
#include <tenon/ops/summary/summary_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status FinishSummary(OpKernelContext& context, std::string_view summary) {
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &output));
  output->data<tstring>()->assign(summary);
  return OkStatus();
}

inline Status MakeScalarSummary(OpKernelContext& context, const Tensor& tags, const Tensor& values) {
  if (!(tags.shape() == values.shape()))
    return errors::InvalidArgument("tags and values are not the same shape: ", tags.shape(), " != ", values.shape());
  std::string summary;
  for (Index i = 0; i < tags.NumElements(); ++i) {
    std::string value;
    ScalarValue(tags.data<tstring>()[i].view(), ElementAs<float>(values, i), &value);
    PutBytes(kSummaryValue, value, &summary);
  }
  return FinishSummary(context, summary);
}

inline Status MakeTensorSummary(OpKernelContext& context, const Tensor& tensor) {
  std::string value, message, summary;
  TENON_RETURN_IF_ERROR(TensorMessage(tensor, &message));
  PutText(kValueNode, context.op_kernel().name(), &value);
  PutBytes(kValueTensor, message, &value);
  PutBytes(kSummaryValue, value, &summary);
  return FinishSummary(context, summary);
}
inline Status MakeTensorSummaryV2(OpKernelContext& context, const Tensor& tag, const Tensor& tensor,
                                  const Tensor& metadata) {
  if (tag.dims() != 0) return errors::InvalidArgument("tag must be scalar");
  if (metadata.dims() != 0) return errors::InvalidArgument("serialized_summary_metadata must be scalar");
  std::string value, message, summary;
  TENON_RETURN_IF_ERROR(TensorMessage(tensor, &message));
  const std::string_view given = metadata.data<tstring>()->view();
  PutText(kValueTag, tag.data<tstring>()->view(), &value);
  PutBytes(kValueTensor, message, &value);
  PutBytes(kValueMetadata, IsMessage(given, kGivenMetadata) ? given : std::string_view(), &value);
  PutBytes(kSummaryValue, value, &summary);
  return FinishSummary(context, summary);
}

inline Status MakeHistogramSummary(OpKernelContext& context, const Tensor& tag, const Tensor& values) {
  if (tag.dims() != 0) return errors::InvalidArgument("tags must be scalar");
  std::string value, message, summary;
  TENON_RETURN_IF_ERROR(HistogramMessage(values, context.op_kernel().name(), &message));
  PutText(kValueTag, tag.data<tstring>()->view(), &value);
  PutBytes(kValueHistogram, message, &value);
  PutBytes(kSummaryValue, value, &summary);
  return FinishSummary(context, summary);
}

inline Status MakeImageSummary(OpKernelContext& context, const Tensor& tag, const Tensor& tensor, std::int64_t most,
                               const Tensor& bad_color) {
  if (tag.dims() != 0) return errors::InvalidArgument("Tags must be a scalar");
  std::string summary;
  TENON_RETURN_IF_ERROR(AppendPictures(tag.data<tstring>()->view(), tensor, most, bad_color, &summary));
  return FinishSummary(context, summary);
}
inline Status CheckBadColor(const Tensor& color) {
  if (color.dtype() != DataType::kUint8) return errors::InvalidArgument("bad_color must be uint8, got ", color.dtype());
  if (color.dims() == 1) return OkStatus();
  return errors::InvalidArgument("bad_color must be a vector, got shape ", color.shape());
}

inline Status MakeAudioSummary(OpKernelContext& context, const Tensor& tag, const Tensor& tensor, std::int64_t most,
                               float sample_rate) {
  if (tag.dims() != 0) return errors::InvalidArgument("Tag must be a scalar");
  std::string summary;
  TENON_RETURN_IF_ERROR(AppendSounds(tag.data<tstring>()->view(), tensor, most, sample_rate, &summary));
  return FinishSummary(context, summary);
}

inline Status MergeSummaries(OpKernelContext& context, std::span<const Tensor> inputs) {
  std::string summary;
  SlimVector<std::string_view> tags;
  for (const Tensor& input : inputs)
    for (Index i = 0; i < input.NumElements(); ++i)
      if (!AppendValues(input.data<tstring>()[i].view(), &summary, &tags))
        return errors::InvalidArgument("Could not parse one of the summary inputs");
  std::sort(tags.begin(), tags.end());
  const auto twice = std::adjacent_find(tags.begin(), tags.end());
  if (twice != tags.end()) return errors::InvalidArgument("Duplicate tag ", *twice, " found in summary inputs");
  return FinishSummary(context, summary);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// A value for each tag; both inputs have one shape.
struct ScalarSummary {
  static constexpr auto signature = Op("ScalarSummary")
                                        .Input("tags: string")
                                        .Input("values: T")
                                        .Output("summary: string")
                                        .Attr("T: realnumbertype")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& tags, const Tensor& values, Tensor&) const {
      return detail::MakeScalarSummary(context.op(), tags, values);
    }
  };
};

// The tensor under the node's name.
struct TensorSummary {
  static constexpr auto signature = Op("TensorSummary")
                                        .Input("tensor: T")
                                        .Output("summary: string")
                                        .Attr("T: type")
                                        .Attr("description: string = ''")
                                        .Attr("labels: list(string) = []")
                                        .Attr("display_name: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr std::string_view unused[] = {"description", "labels", "display_name"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& tensor, Tensor&) const {
      return detail::MakeTensorSummary(context.op(), tensor);
    }
  };
};

// The tensor with a tag and a serialised SummaryMetadata.
struct TensorSummaryV2 {
  static constexpr auto signature = Op("TensorSummaryV2")
                                        .Input("tag: string")
                                        .Input("tensor: T")
                                        .Input("serialized_summary_metadata: string")
                                        .Output("summary: string")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& tag, const Tensor& tensor, const Tensor& metadata,
                      Tensor&) const {
      return detail::MakeTensorSummaryV2(context.op(), tag, tensor, metadata);
    }
  };
};

// How many of the values lie in each of TensorFlow's buckets.
struct HistogramSummary {
  static constexpr auto signature = Op("HistogramSummary")
                                        .Input("tag: string")
                                        .Input("values: T")
                                        .Output("summary: string")
                                        .Attr("T: realnumbertype = DT_FLOAT")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& tag, const Tensor& values, Tensor&) const {
      return detail::MakeHistogramSummary(context.op(), tag, values);
    }
  };
};

// tensor: [batch, height, width, 1, 3 or 4], of which max_images are written as PNG files.
struct ImageSummary {
  static constexpr auto signature =
      Op("ImageSummary")
          .Input("tag: string")
          .Input("tensor: T")
          .Output("summary: string")
          .Attr("max_images: int >= 1 = 3")
          .Attr("T: {uint8, float, half, float64} = DT_FLOAT")
          .Attr(
              "bad_color: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 4 } } int_val: 255 int_val: 0 "
              "int_val: 0 int_val: 255 }")
          .SetShapeFn(shape_inference::ScalarShape);
  struct Attrs {
    std::int64_t max_images;
    Tensor bad_color;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckBadColor(this->bad_color); }
    Status operator()(Context<Device>& context, const Tensor& tag, const Tensor& tensor, Tensor&) const {
      return detail::MakeImageSummary(context.op(), tag, tensor, this->max_images, this->bad_color);
    }
  };
};

// tensor: [batch, frames] or [batch, frames, channels], of which max_outputs are written as WAV files.
struct AudioSummary {
  static constexpr auto signature = Op("AudioSummary")
                                        .Input("tag: string")
                                        .Input("tensor: float")
                                        .Output("summary: string")
                                        .Attr("sample_rate: float")
                                        .Attr("max_outputs: int >= 1 = 3")
                                        .Deprecated(15, "Use AudioSummaryV2.")
                                        .SetShapeFn(shape_inference::ScalarShape);
  struct Attrs {
    float sample_rate;
    std::int64_t max_outputs;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& tag, const Tensor& tensor, Tensor&) const {
      return detail::MakeAudioSummary(context.op(), tag, tensor, this->max_outputs, this->sample_rate);
    }
  };
};

struct AudioSummaryV2 {
  static constexpr auto signature = Op("AudioSummaryV2")
                                        .Input("tag: string")
                                        .Input("tensor: float")
                                        .Input("sample_rate: float")
                                        .Output("summary: string")
                                        .Attr("max_outputs: int >= 1 = 3")
                                        .SetShapeFn(shape_inference::ScalarShape);
  struct Attrs {
    std::int64_t max_outputs;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& tag, const Tensor& tensor, const Tensor& sample_rate,
                      Tensor&) const {
      if (sample_rate.NumElements() != 1)
        return errors::InvalidArgument("sample_rate must be rank-0 or contain a single value");
      return detail::MakeAudioSummary(context.op(), tag, tensor, this->max_outputs, *sample_rate.data<float>());
    }
  };
};

// All values of the summaries. No tag may come twice.
struct MergeSummary {
  static constexpr auto signature = Op("MergeSummary")
                                        .Input("inputs: N * string")
                                        .Output("summary: string")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, std::span<const Tensor> inputs, Tensor&) const {
      return detail::MergeSummaries(context.op(), inputs);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
