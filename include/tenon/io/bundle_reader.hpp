// SPDX-License-Identifier: Apache-2.0
#pragma once
// BundleReader: reads a checkpoint in TensorFlow's format (a tensor bundle: PREFIX.index and PREFIX.data-00000-of-...).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/tensor_util.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/ordered_code.hpp>
#include <tenon/io/table.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline constexpr DataTypeSet kSlicedTypes = {
    ToSet(DataType::kFloat).mask | ToSet(DataType::kDouble).mask | ToSet(DataType::kInt32).mask |
    ToSet(DataType::kUint8).mask | ToSet(DataType::kInt16).mask | ToSet(DataType::kInt8).mask |
    ToSet(DataType::kComplex64).mask | ToSet(DataType::kComplex128).mask | ToSet(DataType::kInt64).mask |
    ToSet(DataType::kBool).mask | ToSet(DataType::kQint32).mask | ToSet(DataType::kQuint8).mask |
    ToSet(DataType::kQint8).mask | ToSet(DataType::kBfloat16).mask};

// Copies the elements that both slices of a tensor of shape `full` share from `from` to *to. Takes any type.
Status CopySlice(const TensorShape& full, const TensorSlice& from_slice, const Tensor& from,
                 const TensorSlice& to_slice, Tensor* to);

// Returns whether the stored slices of a tensor hold all of `want`. CheckSlices must have accepted them.
inline bool Covers(const TensorShape& full, const SlimVector<TensorSlice>& stored, const TensorSlice& want) {
  TensorShape part;
  if (!want.SliceShape(full, &part).ok()) return false;
  Index missing = part.num_elements();
  for (const TensorSlice& slice : stored) {
    TensorSlice both;
    if (slice.Intersect(want, &both) && both.SliceShape(full, &part).ok()) missing -= part.num_elements();
  }
  return missing == 0;
}

// Sums `bytes`, and copies them to `to` unless that is null. Parts of large ones go to threads of `pool`, unless null.
inline std::uint32_t SumAndCopy(std::string_view bytes, char* to, ThreadPoolInterface* pool) {
  constexpr std::size_t kMostParts = 64, kLeastPart = std::size_t{1} << 20;
  struct Work {
    std::string_view bytes;
    char* to;
    std::size_t part;  // bytes of each part; the last one may be shorter
    std::uint32_t sums[kMostParts];

    static void Run(void* work, Index begin, Index end) {
      constexpr std::size_t kCached = std::size_t{1} << 16;
      auto& [bytes, to, part, sums] = *static_cast<Work*>(work);
      for (Index i = begin; i < end; ++i) {
        const std::size_t first = static_cast<std::size_t>(i) * part, last = std::min(first + part, bytes.size());
        std::uint32_t sum = 0;
        for (std::size_t at = first; at < last; at += kCached) {
          const std::string_view some = bytes.substr(at, std::min(kCached, last - at));
          sum = Crc32c(some, sum);
          if (to != nullptr) std::memcpy(to + at, some.data(), some.size());
        }
        sums[i] = sum;
      }
    }
  };
  Work work{bytes, to, std::max(kLeastPart, bytes.size() / kMostParts + 1), {}};
  const std::size_t parts = (bytes.size() + work.part - 1) / work.part;
  if (pool == nullptr || parts < 2)
    Work::Run(&work, 0, static_cast<Index>(parts));
  else
    pool->ParallelFor(static_cast<Index>(parts), 1, &Work::Run, &work);
  std::uint32_t sum = work.sums[0];
  for (std::size_t i = 1; i < parts; ++i)
    sum = Crc32cOfBoth(sum, work.sums[i], std::min(work.part, bytes.size() - i * work.part));
  return sum;
}

}  // namespace detail

// Reads a tensor bundle: PREFIX.index and PREFIX.data-00000-of-... Tensors are copies: the files may change when the
// reader is gone. Until then its data files are mapped (io/mapped_file.hpp). With FileAccess::kMap, tensors that are
// stored whole and aligned for their type are views, which keep the mapping. one thread.
//
//   TENON_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open("/tmp/model"));
//   TENON_ASSIGN_OR_RETURN(const Tensor kernel, reader.Read("dense/kernel"));
class BundleReader {
 public:
  // Opens a bundle. NotFound: no PREFIX.index. DataLoss: it is damaged. InvalidArgument: it is for newer readers only.
  static Result<BundleReader> Open(std::string_view prefix, FileAccess access = FileAccess::kRead) {
    const std::string index = detail::BundleIndexName(prefix);
    TENON_ASSIGN_OR_RETURN(TableReader table, TableReader::Open(index, FileAccess::kRead));
    BundleReader reader(std::string(prefix), std::move(table));
    reader.access_ = access;
    std::string bytes;
    Result<BundleHeader> header = errors::DataLoss("it has no entry");
    const Status read = reader.table_.First(&bytes);
    header = read.ok() ? BundleHeader::Parse(bytes) : Result<BundleHeader>(read);
    if (!header.ok())
      return errors::DataLoss("Unable to read file (", index,
                              "). Perhaps the file is corrupt or was produced by a newer version of TensorFlow with "
                              "format changes (",
                              header.status().message(), ")");
    reader.header_ = *std::move(header);
    TENON_RETURN_IF_ERROR(
        CheckVersions(reader.header_.version, detail::kCheckpointVersion, 0, "Checkpoint", "checkpoint"));
    return reader;
  }

  // Sums and copies large tensors on threads of `pool`, which outlives the reader. Null, the default: on the caller's
  // thread.
  void set_pool(ThreadPoolInterface* pool) { pool_ = pool; }

  // Returns whether there is such a tensor. DataLoss: the index is damaged.
  Result<bool> Contains(std::string_view key) const {
    std::string bytes;
    return table_.Find(key, &bytes);
  }
  // Returns the entry of the tensor. NotFound: no such key. DataLoss: the entry is damaged.
  Result<BundleEntry> Entry(std::string_view key) const {
    std::string bytes;
    TENON_ASSIGN_OR_RETURN(const bool found, table_.Find(key, &bytes));
    if (!found) return errors::NotFound("Key ", key, " not found in checkpoint");
    Result<BundleEntry> entry = BundleEntry::Parse(bytes);
    if (!entry.ok()) return errors::DataLoss("Entry for key ", key, " not parseable: ", entry.status().message());
    return entry;
  }
  // Lists the names of all tensors, in order, without the keys of their slices. DataLoss: the index is damaged.
  Result<SlimVector<std::string>> Names() const {
    SlimVector<std::string> names;
    TENON_RETURN_IF_ERROR(table_.ForEach(
        [](void* state, std::string_view key, std::string_view) -> Status {
          if (!key.empty() && key[0] != '\0') static_cast<SlimVector<std::string>*>(state)->push_back(std::string(key));
          return OkStatus();
        },
        &names));
    return names;
  }

  // Reads the tensor, joined where it is stored in slices. NotFound: no such name or data file. OutOfRange: a data
  // file is too short. DataLoss: its bytes are not the bytes that were written. InvalidArgument: slices are missing.
  // ResourceExhausted: no memory, or too many slices to check. A null allocator means the default one. Variants stay
  // serialised.
  Result<Tensor> Read(std::string_view key, Allocator* allocator = nullptr) {
    TENON_ASSIGN_OR_RETURN(const BundleEntry entry, Entry(key));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(entry.GetShape(key, &shape));
    if (!entry.slices.empty()) return ReadParts(key, entry, shape, TensorSlice(shape.dims()), allocator);
    return ReadEntry(key, entry, allocator);
  }
  // Reads a slice of the tensor, as Read. Internal: the slice leaves the tensor.
  Result<Tensor> ReadSlice(std::string_view key, const TensorSlice& slice, Allocator* allocator = nullptr) {
    TENON_ASSIGN_OR_RETURN(const BundleEntry entry, Entry(key));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(entry.GetShape(key, &shape));
    return ReadParts(key, entry, shape, slice, allocator);
  }

 private:
  BundleReader(std::string prefix, TableReader table) : prefix_(std::move(prefix)), table_(std::move(table)) {}

  // The bytes [offset, ...) of a data file.
  Result<std::string_view> Bytes(const BundleEntry& entry) {
    const MappedFile* file = nullptr;
    if (const std::size_t* const known = shards_.FindValue(entry.shard)) {
      file = &files_[*known];
    } else {
      TENON_ASSIGN_OR_RETURN(MappedFile opened,
                             MappedFile::Open(detail::BundleDataName(prefix_, entry.shard, header_.shards)));
      shards_.try_emplace(entry.shard, files_.size());
      files_.push_back(std::move(opened));
      file = &files_[files_.size() - 1];
    }
    if (entry.offset < 0) return errors::InvalidArgument("Seeking to a negative position: ", entry.offset);
    const std::string_view all(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    if (static_cast<std::uint64_t>(entry.offset) > all.size()) return TooShort(entry);
    return all.substr(static_cast<std::size_t>(entry.offset));
  }
  Status TooShort(const BundleEntry& entry) const {
    return errors::OutOfRange("Read less bytes than requested: TensorBundle at ", prefix_, " shard ", entry.shard, ": ",
                              entry.size, " bytes from ", entry.offset, " on");
  }

  // The bytes from the entry's first on, if the entry can be of a tensor of that shape and the file has all of them.
  Result<std::string_view> StoredBytes(std::string_view key, const BundleEntry& entry, const TensorShape& shape) {
    const DataType dtype = entry.GetDtype();
    if (dtype == DataType::kInvalid || dtype == DataType::kResource)
      return errors::DataLoss("BundleReader: '", key, "' has the type ", entry.DtypeName(),
                              ", which no checkpoint has");
    // Before memory is allocated: the least number of bytes that so many elements take in the file.
    const std::uint64_t least = dtype == DataType::kString || dtype == DataType::kVariant
                                    ? static_cast<std::uint64_t>(shape.num_elements())
                                    : detail::BytesWanted(dtype, shape);
    const bool plain = SizeOf(dtype) != 0;
    if (plain ? static_cast<std::uint64_t>(entry.size) != least
              : entry.size < 0 || static_cast<std::uint64_t>(entry.size) < least)
      return errors::DataLoss("Invalid size in bundle entry: key ", key, "; stored size ", entry.size,
                              plain ? "; expected size " : "; expected size is at least ", least);
    TENON_ASSIGN_OR_RETURN(const std::string_view bytes, Bytes(entry));
    if (static_cast<std::uint64_t>(entry.size) > bytes.size()) return TooShort(entry);
    return bytes;
  }

  Result<Tensor> ReadEntry(std::string_view key, const BundleEntry& entry, Allocator* allocator) {
    const DataType dtype = entry.GetDtype();
    const bool plain = SizeOf(dtype) != 0;
    TensorShape shape;
    TENON_RETURN_IF_ERROR(entry.GetShape(key, &shape));
    TENON_ASSIGN_OR_RETURN(std::string_view bytes, StoredBytes(key, entry, shape));
    if (IsViewable(dtype, bytes, allocator)) {
      bytes = bytes.substr(0, static_cast<std::size_t>(entry.size));
      TENON_RETURN_IF_ERROR(CheckSum(key, entry, detail::SumAndCopy(bytes, nullptr, pool_)));
      return Tensor::ViewOf(files_[*shards_.FindValue(entry.shard)].buffer(), dtype, shape, bytes.data());
    }
    TENON_ASSIGN_OR_RETURN(Tensor result, Tensor::Make(dtype, shape, allocator));
    std::uint32_t sum = 0;
    if (plain) {
      bytes = bytes.substr(0, static_cast<std::size_t>(entry.size));
      sum = detail::SumAndCopy(bytes, static_cast<char*>(result.raw_data()), pool_);
      if (header_.big_endian) SwapBytes(&result);
    } else if (dtype == DataType::kString) {
      TENON_RETURN_IF_ERROR(ReadTexts(entry, bytes, &result, &sum));
    } else {
      TENON_RETURN_IF_ERROR(ReadVariants(entry, bytes, &result, &sum));
    }
    TENON_RETURN_IF_ERROR(CheckSum(key, entry, sum));
    return result;
  }
  Status CheckSum(std::string_view key, const BundleEntry& entry, std::uint32_t sum) const {
    if (UnmaskCrc(entry.crc) == sum) return OkStatus();
    return errors::DataLoss("TensorBundle at ", prefix_, " shard ", entry.shard, " (", entry.size,
                            " bytes): Checksum does not match: stored ", UnmaskCrc(entry.crc),
                            " vs. calculated on the restored bytes ", sum, ", of '", key, "'");
  }
  // Whether a tensor may be a view: not where its memory is a device's.
  bool IsViewable(DataType dtype, std::string_view bytes, const Allocator* allocator) const {
    return access_ == FileAccess::kMap && SizeOf(dtype) != 0 && !header_.big_endian && !bytes.empty() &&
           detail::IsAlignedFor(dtype, bytes.data()) && (allocator == nullptr || allocator->HostAccessible());
  }

  Status ReadTexts(const BundleEntry& entry, std::string_view bytes, Tensor* result, std::uint32_t* sum) const {
    const auto count = static_cast<std::size_t>(result->NumElements());
    const std::size_t all = bytes.size();
    std::string_view lengths = bytes, texts = bytes;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!detail::TakeVarint(&texts, &length)) return TooShort(entry);
      AddLength(length, sum);
    }
    if (all - texts.size() > static_cast<std::uint64_t>(entry.size))
      return errors::DataLoss("String lengths longer than expected offset ", entry.offset + entry.size);
    std::uint32_t stored = 0;
    if (texts.size() < sizeof stored) return TooShort(entry);
    std::memcpy(&stored, texts.data(), sizeof stored);
    const std::uint32_t wanted = UnmaskCrc(header_.big_endian ? Swapped(stored) : stored);
    if (wanted != *sum)
      return errors::DataLoss("The length checksum does not match: expected ", wanted, " but actual is ", *sum);
    *sum = Crc32c(texts.substr(0, sizeof stored), *sum);
    texts.remove_prefix(sizeof stored);
    auto* const out = result->data<tstring>();
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<void>(detail::TakeVarint(&lengths, &length));
      if (length > texts.size()) return TooShort(entry);
      const std::string_view text = texts.substr(0, static_cast<std::size_t>(length));
      *sum = Crc32c(text, *sum);
      out[i].assign(text);
      texts.remove_prefix(text.size());
    }
    return OkStatus();
  }
  Status ReadVariants(const BundleEntry& entry, std::string_view bytes, Tensor* result, std::uint32_t* sum) const {
    auto* const out = result->data<Variant>();
    for (Index i = 0; i < result->NumElements(); ++i) {
      std::uint64_t length = 0;
      std::uint32_t stored = 0;
      if (!detail::TakeVarint(&bytes, &length) || bytes.size() < sizeof stored || length > bytes.size() - sizeof stored)
        return TooShort(entry);
      const std::string_view message = bytes.substr(0, static_cast<std::size_t>(length));
      *sum = Crc32c({reinterpret_cast<const char*>(&length), sizeof length}, *sum);
      *sum = Crc32c(message, *sum);
      const std::string_view trailer = bytes.substr(message.size(), sizeof stored);
      std::memcpy(&stored, trailer.data(), sizeof stored);
      if (UnmaskCrc(stored) != *sum)
        return errors::DataLoss("The checksum after Variant ", i, " does not match. Expected: ", UnmaskCrc(stored),
                                " Actual: ", *sum);
      *sum = Crc32c(trailer, *sum);
      bytes.remove_prefix(message.size() + sizeof stored);
      TENON_RETURN_IF_ERROR(wire::Parse(wire::AsBytes(message), &out[i]));
    }
    return OkStatus();
  }
  // Adds a length to the sum as a number of four bytes, or of eight where it needs them.
  void AddLength(std::uint64_t length, std::uint32_t* sum) const {
    char bytes[8];
    const std::size_t size = length <= UINT32_MAX ? 4 : 8;
    for (std::size_t i = 0; i < size; ++i)
      bytes[header_.big_endian ? size - 1 - i : i] = static_cast<char>(length >> (8 * i));
    *sum = Crc32c({bytes, size}, *sum);
  }
  static std::uint32_t Swapped(std::uint32_t value) {
    return value >> 24 | (value >> 8 & 0xff00u) | (value & 0xff00u) << 8 | value << 24;
  }
  static void SwapBytes(Tensor* tensor) {
    const auto element = static_cast<std::size_t>(SizeOf(tensor->dtype()));
    const std::size_t number = IsComplex(tensor->dtype()) ? element / 2 : element;
    auto* const bytes = static_cast<char*>(tensor->raw_data());
    for (std::size_t at = 0, all = tensor->TotalBytes(); at + number <= all; at += number)
      for (std::size_t i = 0; i < number / 2; ++i) std::swap(bytes[at + i], bytes[at + number - 1 - i]);
  }

  Result<Tensor> ReadParts(std::string_view key, const BundleEntry& entry, const TensorShape& full,
                           const TensorSlice& want, Allocator* allocator) {
    TensorShape shape, part_shape;
    TENON_RETURN_IF_ERROR(want.SliceShape(full, &shape));
    SlimVector<TensorSlice> stored = entry.slices;
    if (stored.empty()) stored.push_back(TensorSlice(full.dims()));
    TENON_RETURN_IF_ERROR(detail::CheckSlices(key, full, stored));
    for (const TensorSlice& slice : stored) {  // `want` may be one stored slice, or all of a whole tensor
      TENON_RETURN_IF_ERROR(slice.SliceShape(full, &part_shape));
      if (slice == want || (part_shape == full && shape == full))
        return ReadPart(key, entry, slice, part_shape, allocator);
    }
    if (!detail::Covers(full, stored, want))
      return errors::InvalidArgument("Does not have sufficient slices for partitioned tensor ", key,
                                     " to restore in slice_spec: ", want.DebugString());
    if (!detail::kSlicedTypes.contains(entry.GetDtype()))
      return errors::InvalidArgument("Dtype ", entry.DtypeName(), " not supported.");
    // Before memory is allocated for the whole: checks that all slices are there, in files that are long enough.
    struct Part {
      const TensorSlice* slice;
      BundleEntry entry;
    };
    SlimVector<Part> parts;
    for (const TensorSlice& slice : stored) {
      TensorSlice both;
      if (!slice.Intersect(want, &both)) continue;
      TENON_RETURN_IF_ERROR(slice.SliceShape(full, &part_shape));
      TENON_ASSIGN_OR_RETURN(BundleEntry part, PartEntry(key, entry, slice, part_shape));
      TENON_RETURN_IF_ERROR(StoredBytes(key, part, part_shape).status());
      parts.push_back({&slice, std::move(part)});
    }
    TENON_ASSIGN_OR_RETURN(Tensor result, Tensor::Make(entry.GetDtype(), shape, allocator));
    for (const Part& part : parts) {
      TENON_ASSIGN_OR_RETURN(const Tensor values, ReadEntry(key, part.entry, nullptr));
      TENON_RETURN_IF_ERROR(detail::CopySlice(full, *part.slice, values, want, &result));
    }
    return result;
  }
  // Reads one stored slice, or the whole tensor where it is not stored in slices.
  Result<Tensor> ReadPart(std::string_view key, const BundleEntry& whole, const TensorSlice& slice,
                          const TensorShape& shape, Allocator* allocator) {
    TENON_ASSIGN_OR_RETURN(const BundleEntry entry, PartEntry(key, whole, slice, shape));
    return ReadEntry(key, entry, allocator);
  }
  Result<BundleEntry> PartEntry(std::string_view key, const BundleEntry& whole, const TensorSlice& slice,
                                const TensorShape& shape) const {
    if (slice.IsFull()) return whole;
    TENON_ASSIGN_OR_RETURN(BundleEntry entry, Entry(ordered_code::SliceKey(key, slice)));
    TensorShape stored;
    TENON_RETURN_IF_ERROR(entry.GetShape(key, &stored));
    if (stored != shape || entry.dtype != whole.dtype)
      return errors::DataLoss("BundleReader: slice ", slice.DebugString(), " of '", key, "' is ", entry.DtypeName(),
                              stored, " in the checkpoint, where ", whole.DtypeName(), shape, " belongs");
    return entry;
  }

  std::string prefix_;
  FileAccess access_ = FileAccess::kRead;
  ThreadPoolInterface* pool_ = nullptr;
  TableReader table_;
  BundleHeader header_;
  FlatMap<std::int64_t, std::size_t> shards_;  // number -> index in files_
  SlimVector<MappedFile> files_;
};

namespace detail {

inline Status CopySlice(const TensorShape& full, const TensorSlice& from_slice, const Tensor& from,
                        const TensorSlice& to_slice, Tensor* to) {
  TensorSlice both;
  TensorShape common;
  if (!from_slice.Intersect(to_slice, &both)) return OkStatus();
  TENON_RETURN_IF_ERROR(both.SliceShape(full, &common));
  const Index rows = common.num_elements();
  if (rows == 0) return OkStatus();
  // Copies runs along the last dimension; `index` counts up in the other dimensions.
  const int rank = full.dims();
  const Index run = rank == 0 ? 1 : common.dim_size(rank - 1);
  SlimVector<Index> index(static_cast<std::size_t>(rank));
  for (Index done = 0; done < rows; done += run) {
    Index from_at = 0, to_at = 0;
    for (int d = 0; d < rank; ++d) {
      const Index at = both.start(d) + index[static_cast<std::size_t>(d)];
      from_at = from_at * from.dim_size(d) + at - from_slice.start(d);
      to_at = to_at * to->dim_size(d) + at - to_slice.start(d);
    }
    CopyElements(from.dtype(), ElementAt(from, from_at), ElementAt(*to, to_at), static_cast<std::size_t>(run));
    for (int d = rank - 1; d-- > 0;) {
      if (++index[static_cast<std::size_t>(d)] < common.dim_size(d)) break;
      index[static_cast<std::size_t>(d)] = 0;
    }
  }
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
