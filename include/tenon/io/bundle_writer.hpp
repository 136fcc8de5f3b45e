// SPDX-License-Identifier: Apache-2.0
#pragma once
// BundleWriter: writes a checkpoint in TensorFlow's format (a tensor bundle), byte by byte what TensorFlow would write:
// PREFIX.index and PREFIX.data-00000-of-00001. MergeBundles makes one checkpoint of several.

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/tensor_util.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/new_bundle.hpp>
#include <tenon/io/ordered_code.hpp>
#include <tenon/io/table.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Writes a tensor bundle. Makes missing folders. A checkpoint of that name is replaced in one step when Finish has
// written all files; without Finish nothing stays. A process that is killed leaves the old checkpoint or the new one,
// and perhaps files ending with ".tmp". one thread.
//
//   BundleWriter writer("/tmp/model");
//   TENON_RETURN_IF_ERROR(writer.Open());
//   TENON_RETURN_IF_ERROR(writer.Add("dense/kernel", kernel));
//   TENON_RETURN_IF_ERROR(writer.Finish());
class BundleWriter {
 public:
  explicit BundleWriter(std::string_view prefix) : prefix_(prefix) {}  // path without suffix
  // Opens the files; comes before all other calls. NotFound, PermissionDenied: the files cannot be made. Other
  // errors of the system have the code that fits.
  Status Open() {
    TENON_RETURN_IF_ERROR(MakeFoldersOf(prefix_));
    return data_.Open(detail::BundleDataName(prefix_, 0, 1));
  }

  // Writes the tensor. InvalidArgument: a key that is there already, the key "", or a tensor of resources.
  // FailedPrecondition: a tensor that the host cannot read, or a call before Open or after Finish.
  Status Add(std::string_view key, const Tensor& tensor) {
    if (key.empty()) return errors::InvalidArgument("BundleWriter: a tensor in a checkpoint must have a name, got ''");
    if (entries_.Find(key) != nullptr) return errors::InvalidArgument("Adding duplicate key: ", key);
    if (tensor.dtype() == DataType::kResource || !IsKnownType(tensor.dtype()))
      return errors::InvalidArgument("BundleWriter: '", key, "' is of type ", Name(tensor.dtype()),
                                     ", which cannot be stored");
    TENON_RETURN_IF_ERROR(detail::CheckReadable("BundleWriter", tensor));
    BundleEntry entry;
    entry.dtype = static_cast<std::uint64_t>(tensor.dtype());
    entry.SetShape(tensor.shape());
    entry.offset = size_;
    sum_ = 0;
    if (tensor.dtype() == DataType::kString)
      TENON_RETURN_IF_ERROR(WriteTexts(tensor));
    else if (tensor.dtype() == DataType::kVariant)
      TENON_RETURN_IF_ERROR(WriteVariants(tensor));
    else
      TENON_RETURN_IF_ERROR(Write(tensor.raw_data(), tensor.TotalBytes()));
    entry.size = size_ - entry.offset;
    entry.crc = MaskCrc(sum_);
    *entries_.Add(key) = std::move(entry);
    return OkStatus();
  }
  // Writes a slice of the tensor `key`, whose full shape is `full`. InvalidArgument: another shape or type than earlier
  // slices, or the errors of Add.
  Status AddSlice(std::string_view key, const TensorShape& full, const TensorSlice& slice, const Tensor& part) {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(slice.SliceShape(full, &shape));
    if (shape != part.shape())
      return errors::InvalidArgument("BundleWriter: slice ", slice.DebugString(), " of '", key, "' ", full,
                                     " has the shape ", shape, ", the tensor given ", part.shape());
    if (shape == full) return Add(key, part);
    if (key.empty()) return errors::InvalidArgument("BundleWriter: a tensor in a checkpoint must have a name, got ''");
    if (const BundleEntry* whole = entries_.Find(key)) {
      TensorShape before;
      TENON_RETURN_IF_ERROR(whole->GetShape(key, &before));
      if (whole->slices.empty()) return errors::InvalidArgument("Adding duplicate key: ", key);
      if (before != full || whole->GetDtype() != part.dtype())
        return errors::InvalidArgument("BundleWriter: '", key, "' is ", Name(whole->GetDtype()), before,
                                       " in one slice and ", Name(part.dtype()), full, " in another");
    }
    TENON_RETURN_IF_ERROR(Add(ordered_code::SliceKey(key, slice), part));
    BundleEntry* whole = entries_.Find(key);
    if (whole == nullptr) {
      whole = entries_.Add(key);
      whole->dtype = static_cast<std::uint64_t>(part.dtype());
      whole->SetShape(full);
    }
    whole->slices.push_back(slice);
    return OkStatus();
  }
  // Writes the index and gives both files their names. Returns the error of an earlier Add that could not write, too.
  Status Finish() {
    TENON_RETURN_IF_ERROR(data_.Close());
    const Status published = detail::PublishBundle(prefix_, {&data_.temporary(), 1}, entries_);
    data_.Drop();
    return published;
  }

 private:
  Status Write(const void* bytes, std::size_t size) {
    sum_ = Crc32c({static_cast<const char*>(bytes), size}, sum_);
    return WriteUnsummed(bytes, size);
  }
  Status WriteUnsummed(const void* bytes, std::size_t size) {
    size_ += static_cast<std::int64_t>(size);
    return data_.Append(bytes, size);
  }
  // Writes all lengths, their sum, all strings. The sums see lengths as numbers of four bytes (eight where needed).
  Status WriteTexts(const Tensor& tensor) {
    const tstring* const texts = tensor.data<tstring>();
    const auto count = static_cast<std::size_t>(tensor.NumElements());
    std::string lengths;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t length = texts[i].size();
      detail::AppendVarint(&lengths, length);
      sum_ = Crc32c({reinterpret_cast<const char*>(&length), length <= UINT32_MAX ? 4u : 8u}, sum_);
    }
    TENON_RETURN_IF_ERROR(WriteUnsummed(lengths.data(), lengths.size()));
    const std::uint32_t masked = MaskCrc(sum_);
    TENON_RETURN_IF_ERROR(Write(&masked, sizeof masked));
    for (std::size_t i = 0; i < count; ++i) TENON_RETURN_IF_ERROR(Write(texts[i].data(), texts[i].size()));
    return OkStatus();
  }
  // Writes for each variant its length, the serialised VariantTensorDataProto and the sum so far.
  Status WriteVariants(const Tensor& tensor) {
    TENON_RETURN_IF_ERROR(CheckTensorCanBeWritten(tensor));
    const Variant* const variants = tensor.data<Variant>();
    for (Index i = 0; i < tensor.NumElements(); ++i) {
      std::string bytes, length_bytes;
      wire::SerializeTo(variants[i], &bytes);
      const std::uint64_t length = bytes.size();
      detail::AppendVarint(&length_bytes, length);
      TENON_RETURN_IF_ERROR(WriteUnsummed(length_bytes.data(), length_bytes.size()));
      sum_ = Crc32c({reinterpret_cast<const char*>(&length), sizeof length}, sum_);
      TENON_RETURN_IF_ERROR(Write(bytes.data(), bytes.size()));
      const std::uint32_t masked = MaskCrc(sum_);
      TENON_RETURN_IF_ERROR(Write(&masked, sizeof masked));
    }
    return OkStatus();
  }

  std::string prefix_;
  detail::NewFile data_;
  std::int64_t size_ = 0;  // bytes of the data file so far
  std::uint32_t sum_ = 0;  // check sum of the tensor that is being written
  detail::BundleEntries entries_;
};

// Moves the data files of all `prefixes` to names of `merged`, and writes its index. A tensor stored whole must be in
// one of them only; slices of one tensor may be in several. The indexes of `prefixes` are removed. InvalidArgument: a
// prefix has no index, unless missing ones are allowed and another one exists. NotFound: a data file is missing.
// DataLoss: an index is damaged. Nothing is moved before all are read and the new index is written.
Status MergeBundles(Span<const std::string> prefixes, const std::string& merged, bool allow_missing_files = false);

namespace detail {

struct BundleMerge {
  BundleEntries entries;
  SlimVector<std::string> files;  // the data files, in the order of their new numbers
  bool first = true, big_endian = false;

  // State of the bundle that is being read.
  std::string_view prefix;
  std::int64_t shards = 0;
  bool has_header = false;

  Status NotParsable(std::string_view key, const Status& why) const {
    return errors::DataLoss("Entry for key ", key, " of '", BundleIndexName(prefix),
                            "' not parseable: ", why.message());
  }
  // NotFound where there is no such file: a damaged number must not make a million names.
  Status NumberOf(std::int64_t shard, std::int64_t* number) {
    const std::string name = BundleDataName(prefix, shard, shards);
    *number = static_cast<std::int64_t>(std::find(files.begin(), files.end(), name) - files.begin());
    if (static_cast<std::size_t>(*number) < files.size()) return OkStatus();
    if (!FileExists(name))
      return errors::NotFound("MergeBundles: '", BundleIndexName(prefix), "' is of ", shards,
                              " data files and names number ", shard, ", but there is no '", name, "'");
    files.push_back(name);
    return OkStatus();
  }
  Status TakeHeader(std::string_view bytes) {
    const Result<BundleHeader> parsed = BundleHeader::Parse(bytes);
    if (!parsed.ok()) return NotParsable("''", parsed.status());
    const BundleHeader& header = *parsed;
    TENON_RETURN_IF_ERROR(CheckVersions(header.version, kCheckpointVersion, 0, "Checkpoint", "checkpoint"));
    if (!first && header.big_endian != big_endian)
      return errors::InvalidArgument("Merging bundles with conflicting endianness: '", prefix, "'");
    first = false;
    big_endian = header.big_endian;
    shards = header.shards;
    has_header = true;
    std::int64_t number = 0;
    for (std::int64_t i = 0; i < shards; ++i) TENON_RETURN_IF_ERROR(NumberOf(i, &number));
    return OkStatus();
  }
  Status TakeEntry(std::string_view key, std::string_view bytes) {
    Result<BundleEntry> parsed = BundleEntry::Parse(bytes);
    if (!parsed.ok()) return NotParsable(key, parsed.status());
    BundleEntry& entry = *parsed;
    BundleEntry* const known = entries.Find(key);
    if (known != nullptr && (known->slices.empty() || entry.slices.empty()))
      return errors::InvalidArgument("Duplicate tensor keyed by ", key, " encountered, when merging prefix: ", prefix);
    if (known != nullptr) {
      if (known->dtype != entry.dtype || !(known->sizes == entry.sizes))
        return errors::InvalidArgument("MergeBundles: the type or the shape of '", key, "' in ", prefix,
                                       " is another than in the checkpoints before it");
      for (const TensorSlice& slice : entry.slices) known->slices.push_back(slice);
      return OkStatus();
    }
    if (entry.slices.empty()) TENON_RETURN_IF_ERROR(NumberOf(entry.shard, &entry.shard));
    *entries.Add(key) = std::move(entry);
    return OkStatus();
  }
  Status NoHeader() const {
    return errors::DataLoss("MergeBundles: '", BundleIndexName(prefix), "' does not begin with the entry of the key ",
                            "'', as every checkpoint's index does");
  }
  Status TakeAll(const TableReader& table) {
    has_header = false;
    TENON_RETURN_IF_ERROR(table.ForEach(&Take, this));
    return has_header ? OkStatus() : NoHeader();
  }
  static Status Take(void* state, std::string_view key, std::string_view value) {
    auto* const merge = static_cast<BundleMerge*>(state);
    if (!key.empty() && !merge->has_header) return merge->NoHeader();
    return key.empty() ? merge->TakeHeader(value) : merge->TakeEntry(key, value);
  }
};

}  // namespace detail

inline Status MergeBundles(Span<const std::string> prefixes, const std::string& merged, bool allow_missing_files) {
  detail::BundleMerge merge;
  SlimVector<std::string> read;
  for (const std::string& prefix : prefixes) {
    const std::string index = detail::BundleIndexName(prefix);
    Result<TableReader> table = TableReader::Open(index, FileAccess::kRead);
    if (!table.ok()) {
      if (table.status().code() != Code::kNotFound) return table.status();
      if (allow_missing_files) continue;
      return errors::InvalidArgument("allow_missing_files was set to false and ", prefix,
                                     " did not exist: ", table.status().message());
    }
    merge.prefix = prefix;
    TENON_RETURN_IF_ERROR(merge.TakeAll(*table));
    read.push_back(index);
  }
  if (read.empty()) return errors::InvalidArgument("At least one prefix checkpoint file must exist, but none existed.");
  TENON_RETURN_IF_ERROR(MakeFoldersOf(merged));
  TENON_RETURN_IF_ERROR(detail::PublishBundle(merged, merge.files, merge.entries, merge.big_endian));
  for (const std::string& name : read)
    if (name != detail::BundleIndexName(merged)) std::remove(name.c_str());
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
