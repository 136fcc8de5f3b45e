// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of saved datasets: their metadata, and the elements of a shard as TFRecords of TensorProtos.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/io/record_writer.hpp>
#include <tenon/kernel/dataset/dataset.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Plain data: the file snapshot.metadata, TensorFlow's SnapshotMetadataRecord.
struct SnapshotMetadata {
  std::string graph_hash, run_id;
  std::int64_t creation_timestamp = 0;  // microseconds
  std::int64_t version = 0;
  SlimVector<DataType> dtypes;
  std::int64_t num_elements = 0;
  bool finalized = false;

  friend bool operator==(const SnapshotMetadata&, const SnapshotMetadata&) = default;
};

}  // namespace ops::detail

namespace wire {
template <>
struct Schema<ops::detail::SnapshotMetadata> {
  static const Message message;
};
inline constexpr Field kSnapshotMetadataFields[] = {
    MakeField<&ops::detail::SnapshotMetadata::graph_hash>(1, "graph_hash"),
    MakeField<&ops::detail::SnapshotMetadata::run_id>(2, "run_id"),
    MakeField<&ops::detail::SnapshotMetadata::creation_timestamp>(3, "creation_timestamp"),
    MakeField<&ops::detail::SnapshotMetadata::version>(4, "version"),
    MakeField<&ops::detail::SnapshotMetadata::dtypes>(5, "dtype"),
    MakeField<&ops::detail::SnapshotMetadata::num_elements>(6, "num_elements"),
    MakeField<&ops::detail::SnapshotMetadata::finalized>(1000, "finalized"),
};
inline constexpr Message Schema<ops::detail::SnapshotMetadata>::message("SnapshotMetadataRecord",
                                                                        kSnapshotMetadataFields);
}  // namespace wire

namespace ops::detail {

inline constexpr std::int64_t kSnapshotVersion = 2;  // files are TFRecords

// NotFound: the folder is not that of a saved dataset. DataLoss: the file is damaged.
inline Status ReadSnapshotMetadata(const std::string& folder, SnapshotMetadata* metadata) {
  const std::string path = StrCat(folder, "/snapshot.metadata");
  Result<MappedFile> file = MappedFile::Open(path, FileAccess::kRead);
  if (file.status().code() == Code::kNotFound) return errors::NotFound("Could not find metadata file [", path, "]");
  TENON_RETURN_IF_ERROR(file.status());
  return wire::Parse(file->bytes(), metadata);
}
// The file appears as a whole.
inline Status WriteSnapshotMetadata(const std::string& folder, const SnapshotMetadata& metadata) {
  const std::string path = StrCat(folder, "/snapshot.metadata"), made = StrCat(path, "-tmp-", metadata.run_id);
  std::string bytes;
  wire::SerializeTo(metadata, &bytes);
  TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
  TENON_RETURN_IF_ERROR(WriteFile(made, bytes));
  if (std::rename(made.c_str(), path.c_str()) != 0) return tenon::detail::FileError("SaveDataset", path, errno);
  return OkStatus();
}

// "00000007.shard"
inline std::string NumberedName(std::uint64_t number, std::string_view ending) {
  std::string digits = StrCat(number);
  if (digits.size() < 8) digits.insert(0, 8 - digits.size(), '0');
  return StrCat(digits, ending);
}
// The folders of the shards of a run, in order.
inline Result<SlimVector<std::string>> ShardsOf(const std::string& folder, std::string_view run_id) {
  const std::string run = StrCat(folder, "/", run_id, "/");
  SlimVector<std::string> names, shards;
  const int error = tenon::detail::ListFolder(run, &names);
  if (error == ENOENT) return shards;
  if (error != 0) return tenon::detail::FileError("LoadDataset", run, error);
  for (const std::string& name : names)
    if (name.size() > 6 && name.compare(name.size() - 6, 6, ".shard") == 0) shards.push_back(run + name);
  std::sort(shards.begin(), shards.end());
  return shards;
}

// Writes the elements of a shard. one thread.
class SnapshotWriter {
 public:
  Status Open(const std::string& shard, const std::string& compression) {
    const std::string path = StrCat(shard, "/00000000.snapshot");
    TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
    TENON_ASSIGN_OR_RETURN(RecordWriter opened, RecordWriter::Open(path, {.compression = compression}));
    writer_ = MakeOwned<RecordWriter>(std::move(opened));
    return OkStatus();
  }
  Status Write(const DatasetElement& element) {
    for (const Tensor& tensor : element) {
      std::string proto;
      TENON_RETURN_IF_ERROR(CheckTensorCanBeWritten(tensor));
      const bool raw = tensor.dtype() != DataType::kString && tensor.dtype() != DataType::kVariant;
      TensorToProto(tensor, &proto, raw ? TensorProtoForm::kContent : TensorProtoForm::kTyped);
      TENON_RETURN_IF_ERROR(writer_->Write(proto));
    }
    return OkStatus();
  }
  Status Close() { return writer_->Close(); }

 private:
  Owned<RecordWriter> writer_;
};

// The elements of one file, or of the files 00000000.snapshot, 00000001.snapshot, ... of a shard. immutable.
class SnapshotData final : public DatasetBase {
 public:
  SnapshotData(ElementSpec spec, std::string_view where, std::string_view how, std::int64_t first, bool one)
      : DatasetBase(std::move(spec)), path(where), compression(how), start(first), one_file(one) {}
  std::string_view TypeString() const override { return one_file ? "SnapshotChunk" : "SnapshotDatasetReader"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::string path, compression;
  const std::int64_t start;  // elements that are left out at the beginning
  const bool one_file;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const SnapshotData* dataset) : dataset_(Ref<const SnapshotData>::Share(dataset)) {}
    Status Initialize(IteratorContext& context) {
      std::int64_t skipped = 0;
      bool end = false;
      TENON_RETURN_IF_ERROR(OpenFile());
      return dataset_->start > 0 ? Skip(context, dataset_->start, &end, &skipped) : OkStatus();
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      while (reader_ != nullptr) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        const Status status = Read(element);
        if (status.code() != Code::kOutOfRange) return status;
        element->clear();
        reader_.reset();
        ++file_;
        if (dataset_->one_file) break;
        if (const Status opened = OpenFile(); opened.code() != Code::kNotFound) TENON_RETURN_IF_ERROR(opened);
      }
      *end = true;
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(file_);
      writer->Add(reader_ == nullptr ? -1 : static_cast<std::int64_t>(reader_->offset()));
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      std::int64_t place = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &file_));
      TENON_RETURN_IF_ERROR(reader->Take(&place));
      reader_.reset();
      if (place < 0) return OkStatus();
      TENON_RETURN_IF_ERROR(OpenFile());
      return reader_->Seek(static_cast<std::uint64_t>(place));
    }

   private:
    Status OpenFile() {
      const SnapshotData& data = *dataset_;
      const std::string file =
          data.one_file ? data.path
                        : StrCat(data.path, "/", NumberedName(static_cast<std::uint64_t>(file_), ".snapshot"));
      TENON_ASSIGN_OR_RETURN(RecordReader opened, RecordReader::Open(file, {.compression = data.compression}));
      reader_ = MakeOwned<RecordReader>(std::move(opened));
      return OkStatus();
    }
    Status Read(DatasetElement* element) {
      for (std::size_t i = 0; i < dataset_->spec().types.size(); ++i) {
        std::string_view record;
        TENON_RETURN_IF_ERROR(reader_->Read(&record));
        Result<Tensor> tensor = TensorFromProto(std::as_bytes(std::span<const char>(record)));
        if (!tensor.ok())
          return errors::DataLoss("Unable to parse tensor from stored proto: ", tensor.status().message());
        element->push_back(*std::move(tensor));
      }
      return OkStatus();
    }
    const Ref<const SnapshotData> dataset_;
    std::int64_t file_ = 0;
    Owned<RecordReader> reader_;  // reads file_; null: at the end
  };
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
