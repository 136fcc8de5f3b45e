// SPDX-License-Identifier: Apache-2.0
#pragma once
// TFRecordReaderV2, TextLineReaderV2, WholeFileReaderV2, FixedLengthRecordReaderV2, IdentityReaderV2: readers of
// TensorFlow 1, and the ops that read, count, save and reset. reader_reference.hpp has their older names.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/queue/queue_access.hpp>
#include <tenon/ops/reader/file_records.hpp>
#include <tenon/ops/reader/reader_resource.hpp>
#include <tenon/ops/variable/handle_reference.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status NotNegative(std::string_view attr, std::int64_t value) {
  return value >= 0 ? OkStatus() : errors::InvalidArgument(attr, " must be >= 0 not ", value);
}

inline Status MakeTfRecordRecords(const OpKernelConstruction& c, Owned<FileRecords>* records) {
  std::string_view compression;
  TENON_RETURN_IF_ERROR(c.GetAttr("compression_type", &compression));
  *records = MakeOwned<TfRecordRecords>(compression);
  return OkStatus();
}
inline Status MakeLineRecords(const OpKernelConstruction& c, Owned<FileRecords>* records) {
  std::int64_t skipped = 0;
  TENON_RETURN_IF_ERROR(c.GetAttr("skip_header_lines", &skipped));
  TENON_RETURN_IF_ERROR(NotNegative("skip_header_lines", skipped));
  *records = MakeOwned<LineRecords>(skipped);
  return OkStatus();
}
inline Status MakeFixedSizeRecords(const OpKernelConstruction& c, Owned<FileRecords>* records) {
  constexpr std::string_view kNames[] = {"header_bytes", "record_bytes", "footer_bytes", "hop_bytes"};
  std::int64_t sizes[4] = {};
  std::string_view encoding;
  for (int i = 0; i < 4; ++i) {
    TENON_RETURN_IF_ERROR(c.GetAttr(kNames[i], &sizes[i]));
    TENON_RETURN_IF_ERROR(NotNegative(kNames[i], sizes[i]));
  }
  TENON_RETURN_IF_ERROR(c.GetAttr("encoding", &encoding));
  *records = MakeOwned<FixedSizeRecords>(sizes[0], sizes[1], sizes[2], sizes[3], encoding);
  return OkStatus();
}
template <class Records>
Status MakePlainRecords(const OpKernelConstruction&, Owned<FileRecords>* records) {
  *records = MakeOwned<Records>();
  return OkStatus();
}

// Raw form of the ops that make a reader: it is looked up or made in the first run; its handle is the same in all.
class ReaderKernel : public OpKernel {
 public:
  using Make = Status (*)(const OpKernelConstruction& c, Owned<FileRecords>* records);
  ReaderKernel(OpKernelConstruction* c, Make make) : OpKernel(c) {
    Owned<FileRecords> records;
    c->SetStatus(make(*c, &records));
    Result<ContainerInfo> info = ContainerInfo::From(*c, true);
    c->SetStatus(info.status());
    if (!c->status().ok()) return;
    info_ = *std::move(info);
    reader_ = Ref<FileReader>::Adopt(new FileReader(name(), std::move(records)));
  }
  void Compute(OpKernelContext* context) override {
    const tenon::MutexLock lock(mutex_);
    if (BaseType(handle_.dtype()) != BaseType(output_type(0))) context->SetStatus(Find(*context));
    if (context->status().ok()) context->set_output(0, handle_);
  }

 private:
  Status Find(const OpKernelContext& context) {
    ResourceMgr* resources = nullptr;
    Ref<FileReader> reader;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    TENON_RETURN_IF_ERROR(
        resources->LookupOrCreate<FileReader>(info_.container, info_.name, &reader, [this](Ref<FileReader>* made) {
          *made = reader_;
          return OkStatus();
        }));
    TENON_RETURN_IF_ERROR(MakeHandleFor<FileReader>(context, 0, info_, &handle_));
    reader_ = {};
    return OkStatus();
  }

  Ref<FileReader> reader_;  // until there is a handle
  ContainerInfo info_;
  Mutex mutex_;
  Tensor handle_;
};

inline Status GetReader(const OpKernelContext& context, Ref<FileReader>* reader) {
  return LookupEither<FileReader>(context, 0, reader);
}

inline void RunRead(OpKernelContext& context, const Tensor* count, Done done) {
  Ref<FileReader> reader;
  Ref<TensorQueue> queue;
  Index most = -1;
  Status status = GetReader(context, &reader);
  if (status.ok()) status = LookupEither<TensorQueue>(context, 1, &queue);
  if (status.ok() && count != nullptr) {
    if (count->dims() != 0)
      status = errors::InvalidArgument("num_records must be a scalar, got shape ", count->shape());
    else if (most = *count->data<std::int64_t>(); most < 0)
      status = errors::InvalidArgument("num_records must be >= 0, got ", most);
  }
  if (!status.ok()) return done(status);
  Owned<FileReader::Request> request(
      new FileReader::Request{&context, std::move(queue), most, {}, {}, std::move(done)});
  reader->Read(std::move(request));
}

inline Status SaveReader(OpKernelContext& context) {
  Ref<FileReader> reader;
  std::string state;
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(GetReader(context, &reader));
  TENON_RETURN_IF_ERROR(reader->Save(&state));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &output));
  output->data<tstring>()->assign(state);
  return OkStatus();
}
inline Status RestoreReader(const OpKernelContext& context, const Tensor& state) {
  Ref<FileReader> reader;
  TENON_RETURN_IF_ERROR(GetReader(context, &reader));
  if (state.dims() != 0) return errors::InvalidArgument("Reader state must be scalar, but had shape: ", state.shape());
  return reader->Restore(state.data<tstring>()->view());
}

// Scalars in and out.
inline Status ReaderScalars(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return OkStatus();
}
template <int kHandleRank>
Status ReadUpToShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), kHandleRank, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), kHandleRank, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  for (int i = 0; i < 2; ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  return OkStatus();
}
inline Status RestoreReaderShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(CheckTwoElements(c, 0));
  return c->WithRank(c->input(1), 0, &unused);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// The records of TFRecord files.
struct TFRecordReaderV2 {
  static constexpr auto signature = Op("TFRecordReaderV2")
                                        .Output("reader_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("compression_type: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ReaderKernel {
    explicit kernel(OpKernelConstruction* c) : ReaderKernel(c, &detail::MakeTfRecordRecords) {}
  };
};

// The lines of texts.
struct TextLineReaderV2 {
  static constexpr auto signature = Op("TextLineReaderV2")
                                        .Output("reader_handle: resource")
                                        .Attr("skip_header_lines: int = 0")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ReaderKernel {
    explicit kernel(OpKernelConstruction* c) : ReaderKernel(c, &detail::MakeLineRecords) {}
  };
};

// Files as one record each.
struct WholeFileReaderV2 {
  static constexpr auto signature = Op("WholeFileReaderV2")
                                        .Output("reader_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ReaderKernel {
    explicit kernel(OpKernelConstruction* c) : ReaderKernel(c, &detail::MakePlainRecords<detail::WholeFiles>) {}
  };
};

// Records of one size.
struct FixedLengthRecordReaderV2 {
  static constexpr auto signature = Op("FixedLengthRecordReaderV2")
                                        .Output("reader_handle: resource")
                                        .Attr("header_bytes: int = 0")
                                        .Attr("record_bytes: int")
                                        .Attr("footer_bytes: int = 0")
                                        .Attr("hop_bytes: int = 0")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("encoding: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ReaderKernel {
    explicit kernel(OpKernelConstruction* c) : ReaderKernel(c, &detail::MakeFixedSizeRecords) {}
  };
};

// The names that the queue holds.
struct IdentityReaderV2 {
  static constexpr auto signature = Op("IdentityReaderV2")
                                        .Output("reader_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ReaderKernel {
    explicit kernel(OpKernelConstruction* c) : ReaderKernel(c, &detail::MakePlainRecords<detail::NameRecords>) {}
  };
};

// One record, and the key that says where it comes from.
struct ReaderReadV2 {
  static constexpr auto signature = Op("ReaderReadV2")
                                        .Input("reader_handle: resource")
                                        .Input("queue_handle: resource")
                                        .Output("key: string")
                                        .Output("value: string")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReaderScalars);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    void operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&, Tensor&, Done done) const {
      detail::RunRead(context.op(), nullptr, std::move(done));
    }
  };
};

// Up to num_records records of one file; at least one unless num_records is 0.
struct ReaderReadUpToV2 {
  static constexpr auto signature = Op("ReaderReadUpToV2")
                                        .Input("reader_handle: resource")
                                        .Input("queue_handle: resource")
                                        .Input("num_records: int64")
                                        .Output("keys: string")
                                        .Output("values: string")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReadUpToShape<0>);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    void operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor& num_records, Tensor&, Tensor&,
                    Done done) const {
      detail::RunRead(context.op(), &num_records, std::move(done));
    }
  };
};

// How many records were read.
struct ReaderNumRecordsProducedV2 {
  static constexpr auto signature = Op("ReaderNumRecordsProducedV2")
                                        .Input("reader_handle: resource")
                                        .Output("records_produced: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReaderScalars);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int64_t> records) const {
      Ref<detail::FileReader> reader;
      TENON_RETURN_IF_ERROR(detail::GetReader(context.op(), &reader));
      records[0] = reader->produced();
      return OkStatus();
    }
  };
};

// How many files were read to their ends.
struct ReaderNumWorkUnitsCompletedV2 {
  static constexpr auto signature = Op("ReaderNumWorkUnitsCompletedV2")
                                        .Input("reader_handle: resource")
                                        .Output("units_completed: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReaderScalars);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int64_t> units) const {
      Ref<detail::FileReader> reader;
      TENON_RETURN_IF_ERROR(detail::GetReader(context.op(), &reader));
      units[0] = reader->completed();
      return OkStatus();
    }
  };
};

// The position of a WholeFileReader or an IdentityReader.
struct ReaderSerializeStateV2 {
  static constexpr auto signature = Op("ReaderSerializeStateV2")
                                        .Input("reader_handle: resource")
                                        .Output("state: string")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReaderScalars);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::SaveReader(context.op());
    }
  };
};

// Goes to such a position.
struct ReaderRestoreStateV2 {
  static constexpr auto signature = Op("ReaderRestoreStateV2")
                                        .Input("reader_handle: resource")
                                        .Input("state: string")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReaderScalars);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& state) const {
      return detail::RestoreReader(context.op(), state);
    }
  };
};

// Makes the reader as new.
struct ReaderResetV2 {
  static constexpr auto signature =
      Op("ReaderResetV2").Input("reader_handle: resource").SetIsStateful().SetShapeFn(detail::ReaderScalars);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&) const {
      Ref<detail::FileReader> reader;
      TENON_RETURN_IF_ERROR(detail::GetReader(context.op(), &reader));
      reader->Reset();
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
