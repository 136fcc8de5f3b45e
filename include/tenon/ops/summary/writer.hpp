// SPDX-License-Identifier: Apache-2.0
#pragma once
// SummaryWriter, CreateSummaryFileWriter and the ops that write to the file: WriteSummary, WriteScalarSummary,
// WriteHistogramSummary, WriteImageSummary, WriteAudioSummary, WriteRawProtoSummary, WriteGraphSummary, ImportEvent,
// FlushSummaryWriter, CloseSummaryWriter.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/summary/event_file.hpp>
#include <tenon/ops/summary/summary_media.hpp>
#include <tenon/ops/summary/summary_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status GetEventFile(const OpKernelContext& context, Ref<EventFile>* file) {
  return LookupResource<EventFile>(context, context.input(0), file);
}
inline Status ScalarInput(std::string_view name, const Tensor& tensor) {
  if (tensor.dims() == 0) return OkStatus();
  return errors::InvalidArgument("input ", name, " must be a scalar, got shape ", tensor.shape());
}

inline Status CreateEventFile(const OpKernelContext& context, const Tensor& folder, const Tensor& max_queue,
                              const Tensor& flush_millis, const Tensor& suffix) {
  TENON_RETURN_IF_ERROR(ScalarInput("logdir", folder));
  TENON_RETURN_IF_ERROR(ScalarInput("max_queue", max_queue));
  TENON_RETURN_IF_ERROR(ScalarInput("flush_millis", flush_millis));
  TENON_RETURN_IF_ERROR(ScalarInput("filename_suffix", suffix));
  Ref<EventFile> file;
  return LookupOrCreateResource<EventFile>(context, context.input(0), &file, [&](Ref<EventFile>* made) {
    return EventFile::Open(folder.data<tstring>()->view(), *max_queue.data<std::int32_t>(),
                           *flush_millis.data<std::int32_t>(), suffix.data<tstring>()->view(), made);
  });
}

// Makes the value, or values, of a summary from `tensor`.
enum class SummaryKind : std::uint8_t { kTensor, kScalar, kHistogram, kImage, kAudio };
struct SummaryParts {
  SummaryKind kind;
  const Tensor *tag, *tensor;
  const Tensor* more = nullptr;  // metadata, bad color or sample rate
  std::int64_t most = 0;
};
inline Status MakeSummary(const SummaryParts& parts, std::string* summary) {
  const std::string_view tag = parts.tag->data<tstring>()->view();
  const Tensor& tensor = *parts.tensor;
  std::string value, message;
  switch (parts.kind) {
    case SummaryKind::kImage: return AppendPictures(tag, tensor, parts.most, *parts.more, summary);
    case SummaryKind::kAudio: return AppendSounds(tag, tensor, parts.most, *parts.more->data<float>(), summary);
    case SummaryKind::kScalar:
      if (tensor.NumElements() == 0) return errors::InvalidArgument("a scalar summary needs a value, got none");
      ScalarValue(tag, ElementAs<float>(tensor, 0), &value);
      break;
    case SummaryKind::kHistogram:
      TENON_RETURN_IF_ERROR(HistogramMessage(tensor, tag, &message));
      PutText(kValueTag, tag, &value);
      PutBytes(kValueHistogram, message, &value);
      break;
    default: {
      const std::string_view metadata = parts.more->data<tstring>()->view();
      TENON_RETURN_IF_ERROR(TensorMessage(tensor, &message));
      PutText(kValueTag, tag, &value);
      PutBytes(kValueTensor, message, &value);
      if (!metadata.empty())
        PutBytes(kValueMetadata, IsMessage(metadata, kGivenMetadata) ? metadata : std::string_view(), &value);
    }
  }
  PutBytes(kSummaryValue, value, summary);
  return OkStatus();
}

inline Status WriteSummaryEvent(const OpKernelContext& context, const Tensor& step, const SummaryParts& parts) {
  Ref<EventFile> file;
  std::string summary;
  TENON_RETURN_IF_ERROR(GetEventFile(context, &file));
  TENON_RETURN_IF_ERROR(ScalarInput("step", step));
  TENON_RETURN_IF_ERROR(ScalarInput("tag", *parts.tag));
  if (parts.kind == SummaryKind::kTensor) TENON_RETURN_IF_ERROR(ScalarInput("summary_metadata", *parts.more));
  if (parts.kind == SummaryKind::kAudio) TENON_RETURN_IF_ERROR(ScalarInput("sample_rate", *parts.more));
  TENON_RETURN_IF_ERROR(MakeSummary(parts, &summary));
  return file->Write(EventMessage(*step.data<std::int64_t>(), kEventSummary, summary));
}

inline Status WriteRawEvent(const OpKernelContext& context, const Tensor& step, const Tensor& summaries) {
  Ref<EventFile> file;
  std::string summary;
  TENON_RETURN_IF_ERROR(GetEventFile(context, &file));
  TENON_RETURN_IF_ERROR(ScalarInput("step", step));
  for (Index i = 0; i < summaries.NumElements(); ++i)
    if (!AppendValues(summaries.data<tstring>()[i].view(), &summary, nullptr))
      return errors::DataLoss("Bad tf.compat.v1.Summary binary proto tensor string at index ", i);
  const std::uint32_t field = summary.empty() ? 0 : kEventSummary;
  return file->Write(EventMessage(*step.data<std::int64_t>(), field, summary));
}
inline Status WriteGraphEvent(const OpKernelContext& context, const Tensor& step, const Tensor& graph) {
  Ref<EventFile> file;
  TENON_RETURN_IF_ERROR(GetEventFile(context, &file));
  TENON_RETURN_IF_ERROR(ScalarInput("step", step));
  TENON_RETURN_IF_ERROR(ScalarInput("tensor", graph));
  const std::string_view bytes = graph.data<tstring>()->view();
  if (!ParseGraphDef({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}).ok())
    return errors::DataLoss("Bad tf.GraphDef binary proto tensor string");
  return file->Write(EventMessage(*step.data<std::int64_t>(), kEventGraph, bytes));
}
inline Status WriteGivenEvent(const OpKernelContext& context, const Tensor& event) {
  Ref<EventFile> file;
  TENON_RETURN_IF_ERROR(GetEventFile(context, &file));
  TENON_RETURN_IF_ERROR(ScalarInput("event", event));
  const std::string_view bytes = event.data<tstring>()->view();
  if (!IsMessage(bytes, kGivenEvent)) return errors::DataLoss("Bad tf.Event binary proto tensor string");
  return file->Write(std::string(bytes));
}
inline Status FlushEventFile(const OpKernelContext& context) {
  Ref<EventFile> file;
  TENON_RETURN_IF_ERROR(GetEventFile(context, &file));
  return file->Flush();
}
inline Status CloseEventFile(const OpKernelContext& context) {
  const ResourceHandle* handle = nullptr;
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(HandleOf(context.input(0), &handle));
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  TENON_RETURN_IF_ERROR(tenon::detail::CheckHandle(context, *handle, kResourceType<EventFile>));
  return resources->Delete<EventFile>(handle->container, handle->name);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// A handle of a writer, whether there is one or not.
struct SummaryWriter {
  static constexpr auto signature = Op("SummaryWriter")
                                        .Output("writer: resource")
                                        .Attr("shared_name: string = ''")
                                        .Attr("container: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) {
      const Result<ContainerInfo> info = ContainerInfo::From(*c, true);
      c->SetStatus(info.status());
      if (!info.ok()) return;
      c->SetStatus(tenon::detail::MakeHandleTensor(
          MakeResourceHandle<detail::EventFile>(c->device_name(), info->container, info->name), &handle_));
    }
    void Compute(OpKernelContext* context) override { context->set_output(0, handle_); }
    bool IsExpensive() const override { return false; }

   private:
    Tensor handle_;
  };
};

// Opens a file in the folder `logdir`, unless the writer has one.
struct CreateSummaryFileWriter {
  static constexpr auto signature = Op("CreateSummaryFileWriter")
                                        .Input("writer: resource")
                                        .Input("logdir: string")
                                        .Input("max_queue: int32")
                                        .Input("flush_millis: int32")
                                        .Input("filename_suffix: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& folder, const Tensor& max_queue,
                      const Tensor& flush_millis, const Tensor& suffix) const {
      return detail::CreateEventFile(context.op(), folder, max_queue, flush_millis, suffix);
    }
  };
};

// A tensor of any type, with a serialised SummaryMetadata.
struct WriteSummary {
  static constexpr auto signature = Op("WriteSummary")
                                        .Input("writer: resource")
                                        .Input("step: int64")
                                        .Input("tensor: T")
                                        .Input("tag: string")
                                        .Input("summary_metadata: string")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tensor,
                      const Tensor& tag, const Tensor& metadata) const {
      return detail::WriteSummaryEvent(context.op(), step, {detail::SummaryKind::kTensor, &tag, &tensor, &metadata});
    }
  };
};

struct WriteScalarSummary {
  static constexpr auto signature = Op("WriteScalarSummary")
                                        .Input("writer: resource")
                                        .Input("step: int64")
                                        .Input("tag: string")
                                        .Input("value: T")
                                        .Attr("T: realnumbertype")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tag,
                      const Tensor& value) const {
      return detail::WriteSummaryEvent(context.op(), step, {detail::SummaryKind::kScalar, &tag, &value});
    }
  };
};

struct WriteHistogramSummary {
  static constexpr auto signature =
      Op("WriteHistogramSummary")
          .Input("writer: resource")
          .Input("step: int64")
          .Input("tag: string")
          .Input("values: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool} = "
              "DT_FLOAT")
          .SetIsStateful()
          .SetShapeFn(shape_inference::NoOutputs);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tag,
                      const Tensor& values) const {
      return detail::WriteSummaryEvent(context.op(), step, {detail::SummaryKind::kHistogram, &tag, &values});
    }
  };
};

// tensor: [batch, height, width, 1, 3 or 4], of which max_images are written as PNG files.
struct WriteImageSummary {
  static constexpr auto signature = Op("WriteImageSummary")
                                        .Input("writer: resource")
                                        .Input("step: int64")
                                        .Input("tag: string")
                                        .Input("tensor: T")
                                        .Input("bad_color: uint8")
                                        .Attr("max_images: int >= 1 = 3")
                                        .Attr("T: {uint8, float64, float, half} = DT_FLOAT")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  struct Attrs {
    std::int64_t max_images;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tag,
                      const Tensor& tensor, const Tensor& bad_color) const {
      return detail::WriteSummaryEvent(context.op(), step,
                                       {detail::SummaryKind::kImage, &tag, &tensor, &bad_color, this->max_images});
    }
  };
};

// tensor: [batch, frames] or [batch, frames, channels], of which max_outputs are written as WAV files.
struct WriteAudioSummary {
  static constexpr auto signature = Op("WriteAudioSummary")
                                        .Input("writer: resource")
                                        .Input("step: int64")
                                        .Input("tag: string")
                                        .Input("tensor: float")
                                        .Input("sample_rate: float")
                                        .Attr("max_outputs: int >= 1 = 3")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  struct Attrs {
    std::int64_t max_outputs;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tag,
                      const Tensor& tensor, const Tensor& sample_rate) const {
      return detail::WriteSummaryEvent(context.op(), step,
                                       {detail::SummaryKind::kAudio, &tag, &tensor, &sample_rate, this->max_outputs});
    }
  };
};

// The values of all serialised Summaries in `tensor`, as one event.
struct WriteRawProtoSummary {
  static constexpr auto signature = Op("WriteRawProtoSummary")
                                        .Input("writer: resource")
                                        .Input("step: int64")
                                        .Input("tensor: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tensor) const {
      return detail::WriteRawEvent(context.op(), step, tensor);
    }
  };
};

// A serialised GraphDef.
struct WriteGraphSummary {
  static constexpr auto signature = Op("WriteGraphSummary")
                                        .Input("writer: resource")
                                        .Input("step: int64")
                                        .Input("tensor: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& step, const Tensor& tensor) const {
      return detail::WriteGraphEvent(context.op(), step, tensor);
    }
  };
};

// A serialised Event, as it is.
struct ImportEvent {
  static constexpr auto signature = Op("ImportEvent")
                                        .Input("writer: resource")
                                        .Input("event: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& event) const {
      return detail::WriteGivenEvent(context.op(), event);
    }
  };
};

// Gives all events that wait to the file.
struct FlushSummaryWriter {
  static constexpr auto signature =
      Op("FlushSummaryWriter").Input("writer: resource").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&) const { return detail::FlushEventFile(context.op()); }
  };
};

// Ends the file. NotFound when the writer has none.
struct CloseSummaryWriter {
  static constexpr auto signature =
      Op("CloseSummaryWriter").Input("writer: resource").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&) const { return detail::CloseEventFile(context.op()); }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
