// SPDX-License-Identifier: Apache-2.0
#pragma once
// TFRecordDataset, TextLineDataset, FixedLengthRecordDataset and their second forms: the records of files as strings.
// DatasetToTFRecord: the elements of a dataset as the records of a file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/io/record_format.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/io/record_source.hpp>
#include <tenon/io/record_writer.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The files of a dataset, and how they are read.
struct FileList {
  SlimVector<std::string> names;
  std::string compression;
  SlimVector<std::int64_t> offsets;  // where reading begins; empty: at the beginning
  std::int64_t header = 0, record = 0, footer = 0;  // bytes
};

// A dataset of the records of files, which an R reads:
//   R(const FileList&, std::size_t file)
//   Status Open();
//   Status Read(std::string* record);         OutOfRange at the end; may be moved to a record again by
//   Status Seek(std::int64_t place); std::int64_t Place() const;
template <class R>
class FileData final : public DatasetBase {
 public:
  FileData(ElementSpec spec, FileList list) : DatasetBase(std::move(spec)), files(std::move(list)) {}
  std::string_view TypeString() const override { return R::kType; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const FileList files;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const FileData* dataset) : dataset_(Ref<const FileData>::Share(dataset)) {}
    Status Initialize(IteratorContext&) { return OkStatus(); }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      std::string record;
      for (;;) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (reader_ == nullptr) {
          *end = file_ == dataset_->files.names.size();
          if (*end) return OkStatus();
          const Status opened = OpenFile();
          if (opened.code() == Code::kOutOfRange) ++file_;  // it is too short
          TENON_RETURN_IF_ERROR(opened);
        }
        const Status status = reader_->Read(&record);
        if (status.ok()) break;
        // After an error in a TFRecord file the next file follows, for datasets that leave out errors.
        if (status.code() != Code::kOutOfRange && !R::kLeavesBrokenFiles) return status;
        reader_.reset();
        ++file_;
        if (status.code() != Code::kOutOfRange) return status;
      }
      element->push_back(Tensor::Scalar(std::string_view(record)));
      return (*element)[0].IsInitialized() ? OkStatus() : errors::ResourceExhausted("No memory for a record");
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(static_cast<std::int64_t>(file_));
      writer->Add(reader_ == nullptr ? -1 : reader_->Place());
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      std::int64_t file = 0, place = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(static_cast<std::int64_t>(dataset_->files.names.size()), &file));
      TENON_RETURN_IF_ERROR(reader->Take(&place));
      file_ = static_cast<std::size_t>(file);
      if (place < 0) return OkStatus();
      if (file_ == dataset_->files.names.size()) return IteratorStateReader::Unfit();
      TENON_RETURN_IF_ERROR(OpenFile());
      return reader_->Seek(place);
    }

   private:
    Status OpenFile() {
      auto opened = MakeOwned<R>(dataset_->files, file_);
      TENON_RETURN_IF_ERROR(opened->Open());
      reader_ = std::move(opened);
      return OkStatus();
    }
    const Ref<const FileData> dataset_;
    std::size_t file_ = 0;
    Owned<R> reader_;  // reads file_; null: not open
  };
};

class TfRecords {
 public:
  static constexpr std::string_view kType = "TFRecord";
  static constexpr bool kLeavesBrokenFiles = true;
  TfRecords(const FileList& files, std::size_t i)
      : path_(files.names[i]), compression_(files.compression), from_(files.offsets.empty() ? 0 : files.offsets[i]) {}
  Status Open() {
    TENON_ASSIGN_OR_RETURN(RecordReader opened, RecordReader::Open(path_, {.compression = compression_}));
    reader_ = MakeOwned<RecordReader>(std::move(opened));
    return from_ == 0 ? OkStatus() : Seek(from_);
  }
  Status Read(std::string* record) {
    std::string_view text;
    TENON_RETURN_IF_ERROR(reader_->Read(&text));
    *record = std::string(text);
    return OkStatus();
  }
  Status Seek(std::int64_t place) { return reader_->Seek(static_cast<std::uint64_t>(place)); }
  std::int64_t Place() const { return static_cast<std::int64_t>(reader_->offset()); }

 private:
  const std::string path_, compression_;
  const std::int64_t from_;
  Owned<RecordReader> reader_;
};

// The bytes of a file through a buffer.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path) : source_(path) {}
  Status Open(const std::string& compression) {
    TENON_ASSIGN_OR_RETURN(const RecordCompression kind, ParseRecordCompression(compression));
    return source_.Open(kind);
  }
  // False at the end, and at an error, which status() holds.
  bool Get(char* byte) {
    if (next_ == size_) {
      next_ = size_ = 0;
      status_ = source_.Read(buffer_, sizeof buffer_, &size_);
      if (!status_.ok() || size_ == 0) return false;
    }
    *byte = buffer_[next_++];
    ++place_;
    return true;
  }
  const Status& status() const { return status_; }
  std::int64_t place() const { return place_; }
  // Goes on to a later place. False: the file ends before.
  bool SkipTo(std::int64_t place) {
    char byte;
    while (place_ < place)
      if (!Get(&byte)) return false;
    return true;
  }

 private:
  tenon::detail::RecordSource source_;
  char buffer_[std::size_t{1} << 15];
  std::size_t next_ = 0, size_ = 0;
  std::int64_t place_ = 0;
  Status status_;
};

class TextLines {
 public:
  static constexpr std::string_view kType = "TextLine";
  static constexpr bool kLeavesBrokenFiles = false;
  TextLines(const FileList& files, std::size_t i) : bytes_(files.names[i]), compression_(files.compression) {}
  Status Open() { return bytes_.Open(compression_); }
  // A line without its end; carriage returns are left out wherever they are, as in TensorFlow.
  Status Read(std::string* line) {
    bool any = false;
    line->clear();
    for (char byte; bytes_.Get(&byte);) {
      any = true;
      if (byte == '\n') return OkStatus();
      if (byte != '\r') line->push_back(byte);
    }
    TENON_RETURN_IF_ERROR(bytes_.status());
    return any && !line->empty() ? OkStatus() : errors::OutOfRange("eof");
  }
  Status Seek(std::int64_t place) { return bytes_.SkipTo(place) ? OkStatus() : IteratorStateReader::Unfit(); }
  std::int64_t Place() const { return bytes_.place(); }

 private:
  FileBytes bytes_;
  const std::string compression_;
};

class FixedRecords {
 public:
  static constexpr std::string_view kType = "FixedLengthRecord";
  static constexpr bool kLeavesBrokenFiles = false;
  FixedRecords(const FileList& files, std::size_t i)
      : files_(files), path_(files.names[i]), bytes_(MakeOwned<FileBytes>(path_)) {}
  Status Open() {
    // The size first: of a compressed file it is found by reading it.
    TENON_RETURN_IF_ERROR(bytes_->Open(files_.compression));
    (void)bytes_->SkipTo(INT64_MAX);
    TENON_RETURN_IF_ERROR(bytes_->status());
    const std::int64_t body = bytes_->place() - files_.header - files_.footer;
    if (body < 0) return errors::OutOfRange("The file \"", path_, "\" is shorter than its header and footer");
    left_ = body / files_.record;
    if (body % files_.record != 0) broken_ = Broken(body);
    // A compressed file gives its whole records first.
    if (files_.compression.empty()) TENON_RETURN_IF_ERROR(broken_);
    bytes_ = MakeOwned<FileBytes>(path_);
    TENON_RETURN_IF_ERROR(bytes_->Open(files_.compression));
    return Seek(files_.header);
  }
  Status Read(std::string* record) {
    if (left_ == 0) return broken_.ok() ? errors::OutOfRange("eof") : broken_;
    record->clear();
    for (char byte; static_cast<std::int64_t>(record->size()) < files_.record;) {
      if (!bytes_->Get(&byte)) return errors::DataLoss("The file \"", path_, "\" became shorter while it was read");
      record->push_back(byte);
    }
    --left_;
    return OkStatus();
  }
  Status Seek(std::int64_t place) {
    left_ -= (place - bytes_->place()) / files_.record - (bytes_->place() == 0 ? files_.header / files_.record : 0);
    return bytes_->SkipTo(place) && left_ >= 0 ? OkStatus() : IteratorStateReader::Unfit();
  }
  std::int64_t Place() const { return bytes_->place(); }

 private:
  TENON_DETAIL_COLD Status Broken(std::int64_t body) const {
    return Status(files_.compression.empty() ? Code::kInvalidArgument : Code::kDataLoss,
                  StrCat("Excluding the header (", files_.header, " bytes) and footer (", files_.footer,
                         " bytes), input file \"", path_, "\" has body length ", body,
                         " bytes, which is not an exact multiple of the record length (", files_.record, " bytes)."));
  }
  const FileList& files_;
  const std::string path_;
  Owned<FileBytes> bytes_;
  std::int64_t left_ = 0;  // records
  Status broken_;          // the body is not whole records
};

inline Status ReadFileList(const DatasetMaker& m, FileList* files) {
  const Tensor* names = nullptr;
  TENON_RETURN_IF_ERROR(m.Input("filenames", &names));
  if (names->dims() > 1) return errors::InvalidArgument("`filenames` must be a scalar or a vector.");
  for (Index i = 0; i < names->NumElements(); ++i)
    files->names.push_back(std::string(std::string_view(names->data<tstring>()[i])));
  return OkStatus();
}
inline Status ReadCompression(const DatasetMaker& m, FileList* files) {
  TENON_RETURN_IF_ERROR(m.Text("compression_type", &files->compression));
  const std::string& type = files->compression;
  if (type.empty() || type == "ZLIB" || type == "GZIP") return OkStatus();
  return errors::InvalidArgument("Unsupported compression_type.");
}
// As in TensorFlow, other names mean none.
inline void ForgetUnknownCompression(std::string* name) {
  if (*name != "ZLIB" && *name != "GZIP" && *name != "SNAPPY") name->clear();
}
inline Status CheckBufferSize(const DatasetMaker& m, std::int64_t least = 0) {
  std::int64_t size = 0;
  TENON_RETURN_IF_ERROR(m.Scalar("buffer_size", &size));
  return size >= least ? OkStatus() : errors::InvalidArgument("`buffer_size` must be >= 0 (0 == default)");
}
inline ElementSpec OneText() {
  ElementSpec spec;
  spec.types.push_back(DataType::kString);
  spec.shapes.push_back(PartialTensorShape(TensorShape()));
  return spec;
}

inline Status MakeTfRecord(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  FileList files;
  TENON_RETURN_IF_ERROR(ReadFileList(m, &files));
  TENON_RETURN_IF_ERROR(m.Text("compression_type", &files.compression));
  ForgetUnknownCompression(&files.compression);
  TENON_RETURN_IF_ERROR(CheckBufferSize(m, -1));  // -1 lets TensorFlow choose
  if (m.IsOp("TFRecordDatasetV2")) {
    const Tensor* offsets = nullptr;
    TENON_RETURN_IF_ERROR(m.Input("byte_offsets", &offsets));
    if (offsets->dims() > 1) return errors::InvalidArgument("`byte_offsets` must be a scalar or a vector.");
    for (Index i = 0; i < offsets->NumElements(); ++i) files.offsets.push_back(offsets->data<std::int64_t>()[i]);
    if (!files.offsets.empty() && files.offsets.size() < files.names.size())
      return errors::InvalidArgument("`byte_offsets` must be of same size as `filenames`");
    for (const std::int64_t offset : files.offsets)
      if (offset < 0) return errors::InvalidArgument("`byte_offsets` must not be negative, got ", offset);
  }
  *out = Own(new FileData<TfRecords>(OneText(), std::move(files)));
  return OkStatus();
}
inline Status MakeTextLine(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  FileList files;
  TENON_RETURN_IF_ERROR(ReadFileList(m, &files));
  TENON_RETURN_IF_ERROR(ReadCompression(m, &files));
  TENON_RETURN_IF_ERROR(CheckBufferSize(m));
  *out = Own(new FileData<TextLines>(OneText(), std::move(files)));
  return OkStatus();
}
inline Status MakeFixedLength(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  FileList files;
  TENON_RETURN_IF_ERROR(ReadFileList(m, &files));
  TENON_RETURN_IF_ERROR(m.Scalar("header_bytes", &files.header));
  if (files.header < 0) return errors::InvalidArgument("`header_bytes` must be >= 0");
  TENON_RETURN_IF_ERROR(m.Scalar("record_bytes", &files.record));
  if (files.record <= 0) return errors::InvalidArgument("`record_bytes` must be > 0");
  TENON_RETURN_IF_ERROR(m.Scalar("footer_bytes", &files.footer));
  if (files.footer < 0) return errors::InvalidArgument("`footer_bytes` must be >= 0");
  TENON_RETURN_IF_ERROR(CheckBufferSize(m));
  if (m.IsOp("FixedLengthRecordDatasetV2")) TENON_RETURN_IF_ERROR(ReadCompression(m, &files));
  *out = Own(new FileData<FixedRecords>(OneText(), std::move(files)));
  return OkStatus();
}

// Input 0 has rank 0 or 1; the next kScalars inputs are scalars.
template <int kScalars>
constexpr Status FilesShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  return ScalarsShape<1, kScalars>(c);
}
constexpr Status RecordsAtShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(3), 1, &unused));
  return FilesShape<2>(c);
}

class ToTfRecordKernel : public OpKernel {
 public:
  explicit ToTfRecordKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(DatasetMaker(context))); }

 private:
  static Status Run(const DatasetMaker& m) {
    std::string path, compression;
    Ref<const DatasetBase> input;
    Owned<IteratorBase> iterator;
    TENON_RETURN_IF_ERROR(m.Text("filename", &path));
    TENON_RETURN_IF_ERROR(m.Text("compression_type", &compression));
    TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
    ForgetUnknownCompression(&compression);
    TENON_ASSIGN_OR_RETURN(RecordWriter writer, RecordWriter::Open(path, {.compression = compression}));
    const SlimVector<DataType>& types = input->spec().types;
    if (types.size() != 1)
      return errors::InvalidArgument("ToTFRecordOp currently only support datasets of 1 single column, but got ",
                                     types.size());
    if (types[0] != DataType::kString)
      return errors::InvalidArgument("ToTFRecordOp currently only supports DT_STRING dataypes, but got ", types[0]);
    IteratorContext context(m.context().environment());
    TENON_RETURN_IF_ERROR(input->MakeIterator(context, &iterator));
    DatasetElement element;
    for (bool end = false;;) {
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
      if (end) return writer.Close();
      if (element[0].dims() != 0)
        return errors::InvalidArgument("DatasetToTFRecord: an element must be a scalar, got shape ",
                                       element[0].shape());
      TENON_RETURN_IF_ERROR(writer.Write(element[0].data<tstring>()[0].view()));
    }
  }
};

}  // namespace detail

// The records of TFRecord files.
struct TFRecordDataset {
  static constexpr auto signature = Op("TFRecordDataset")
                                        .Input("filenames: string")
                                        .Input("compression_type: string")
                                        .Input("buffer_size: int64")
                                        .Output("handle: variant")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::FilesShape<2>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeTfRecord> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The records of TFRecord files from byte offsets on.
struct TFRecordDatasetV2 {
  static constexpr auto signature = Op("TFRecordDatasetV2")
                                        .Input("filenames: string")
                                        .Input("compression_type: string")
                                        .Input("buffer_size: int64")
                                        .Input("byte_offsets: int64")
                                        .Output("handle: variant")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RecordsAtShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeTfRecord> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The lines of text files.
struct TextLineDataset {
  static constexpr auto signature = Op("TextLineDataset")
                                        .Input("filenames: string")
                                        .Input("compression_type: string")
                                        .Input("buffer_size: int64")
                                        .Output("handle: variant")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::FilesShape<2>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeTextLine> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Records of record_bytes bytes, between a header and a footer.
struct FixedLengthRecordDataset {
  static constexpr auto signature = Op("FixedLengthRecordDataset")
                                        .Input("filenames: string")
                                        .Input("header_bytes: int64")
                                        .Input("record_bytes: int64")
                                        .Input("footer_bytes: int64")
                                        .Input("buffer_size: int64")
                                        .Output("handle: variant")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::FilesShape<4>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeFixedLength> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As FixedLengthRecordDataset, of files that may be compressed.
struct FixedLengthRecordDatasetV2 {
  static constexpr auto signature = Op("FixedLengthRecordDatasetV2")
                                        .Input("filenames: string")
                                        .Input("header_bytes: int64")
                                        .Input("record_bytes: int64")
                                        .Input("footer_bytes: int64")
                                        .Input("buffer_size: int64")
                                        .Input("compression_type: string")
                                        .Output("handle: variant")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::FilesShape<4>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeFixedLength> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Writes the input, which has one string an element, to a TFRecord file.
struct DatasetToTFRecord : detail::CpuOp<detail::ToTfRecordKernel> {
  static constexpr auto signature = Op("DatasetToTFRecord")
                                        .Input("input_dataset: variant")
                                        .Input("filename: string")
                                        .Input("compression_type: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
