// SPDX-License-Identifier: Apache-2.0
#pragma once
// The index of a checkpoint (TensorFlow's tensor bundle): a BundleHeader for the whole, a BundleEntry for each
// tensor, and the names of the files.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/wire/writer.hpp>
#include <tenon/op/graph_def/versions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline constexpr int kCheckpointVersion = 1;

// Returns PREFIX-00003-of-00010, the name that ops and checkpoints give to one shard.
inline std::string ShardName(std::string_view prefix, std::int64_t shard, std::int64_t shards) {
  char text[64];
  std::snprintf(text, sizeof text, "-%05lld-of-%05lld", static_cast<long long>(shard), static_cast<long long>(shards));
  return StrCat(prefix, text);
}
inline std::string BundleIndexName(std::string_view prefix) { return StrCat(prefix, ".index"); }
inline std::string BundleDataName(std::string_view prefix, std::int64_t shard, std::int64_t shards) {
  return ShardName(StrCat(prefix, ".data"), shard, shards);
}

// TensorSliceProto: extent = 1 {start = 1, length = 2 (absent: all)}
inline bool ReadSlice(wire::Reader& reader, TensorSlice* slice) {
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.field != 1 || tag.type != wire::WireType::kBytes) {
      if (tag.type != wire::WireType::kBytes && !reader.Skip(tag)) return false;
      continue;
    }
    wire::Reader::Outer outer;
    if (!reader.Enter(bytes, &outer)) return false;
    std::uint64_t start = 0, length = static_cast<std::uint64_t>(TensorSlice::kFull);
    for (wire::Tag inner; reader.ReadTag(&inner);) {
      if (inner.type == wire::WireType::kVarint && (inner.field == 1 || inner.field == 2)) {
        if (!reader.ReadVarint(inner.field == 1 ? &start : &length)) return false;
      } else if (!reader.Skip(inner)) {
        return false;
      }
    }
    if (!reader.ok()) return false;
    reader.Leave(outer);
    slice->Add(static_cast<Index>(start), static_cast<Index>(length));
  }
  return reader.ok();
}
inline void WriteSlice(wire::Writer& writer, const TensorSlice& slice) {
  for (int d = slice.dims(); d-- > 0;) {
    const std::size_t end = writer.size();
    if (!slice.IsFullAt(d)) {
      writer.Varint(static_cast<std::uint64_t>(slice.length(d)));
      writer.FieldTag(2, wire::WireType::kVarint);
      if (slice.start(d) != 0) {
        writer.Varint(static_cast<std::uint64_t>(slice.start(d)));
        writer.FieldTag(1, wire::WireType::kVarint);
      }
    }
    writer.BytesTag(1, writer.size() - end);
  }
}
// VersionDef: producer = 1, min_consumer = 2, bad_consumers = 3
inline bool ReadVersions(wire::Reader& reader, VersionDef* versions) {
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    std::uint64_t value;
    if (tag.type == wire::WireType::kBytes) {
      if (tag.field != 3) continue;
      wire::Reader::Outer outer;
      if (!reader.Enter(bytes, &outer)) return false;
      while (!reader.AtEnd()) {
        if (!reader.ReadVarint(&value)) return false;
        versions->bad_consumers.push_back(static_cast<int>(value));
      }
      reader.Leave(outer);
    } else if (tag.type != wire::WireType::kVarint || tag.field > 3) {
      if (!reader.Skip(tag)) return false;
    } else {
      if (!reader.ReadVarint(&value)) return false;
      if (tag.field == 3)
        versions->bad_consumers.push_back(static_cast<int>(value));
      else
        (tag.field == 1 ? versions->producer : versions->min_consumer) = static_cast<int>(value);
    }
  }
  return reader.ok();
}

// Returns the last index of a slice in dimension d, for an empty slice its start; INT64_MAX for all of the dimension.
inline Index LastAt(const TensorSlice& slice, int d) {
  if (slice.IsFullAt(d)) return INT64_MAX;
  return slice.length(d) > 0 ? slice.end(d, 0) - 1 : slice.start(d);
}

// Slices in the order of their starts in one dimension. Only slices that share an index there can overlap.
struct SliceOrder {
  int dim = -1;                        // -1: no dimension, so all pairs must be compared
  std::uint64_t pairs = 0;             // pairs of slices that share an index
  SlimVector<std::size_t> slices;
};

// Returns the order in the dimension where the fewest pairs share an index. All slices lie in a tensor of that rank.
inline SliceOrder BestSliceOrder(const SlimVector<TensorSlice>& slices, int rank) {
  const std::size_t count = slices.size();
  SliceOrder best;
  best.pairs = count == 0 ? 0 : std::uint64_t{count} * (count - 1) / 2;
  best.slices = SortedOrder(count, [](std::size_t, std::size_t) { return false; });
  for (int d = 0; d < rank && best.pairs > 0; ++d) {
    SlimVector<std::size_t> by_start =
        SortedOrder(count, [&](std::size_t a, std::size_t b) { return slices[a].start(d) < slices[b].start(d); });
    const SlimVector<std::size_t> by_last =
        SortedOrder(count, [&](std::size_t a, std::size_t b) { return LastAt(slices[a], d) < LastAt(slices[b], d); });
    std::uint64_t pairs = 0;
    std::size_t ended = 0;
    for (std::size_t i = 0; i < count; ++i) {
      while (LastAt(slices[by_last[ended]], d) < slices[by_start[i]].start(d)) ++ended;
      pairs += i - ended;
    }
    if (best.dim >= 0 && pairs >= best.pairs) continue;
    best.dim = d;
    best.pairs = pairs;
    best.slices.swap(by_start);
  }
  return best;
}

// Checks that the slices lie inside a tensor of this shape and do not overlap. ResourceExhausted: the check would
// take too long, which no cut along a few dimensions causes.
inline Status CheckSlices(std::string_view key, const TensorShape& shape, const SlimVector<TensorSlice>& slices) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 25;
  for (const TensorSlice& slice : slices) {
    TensorShape part;
    for (int d = 0; d < slice.dims(); ++d)
      if (slice.start(d) < 0 || slice.length(d) < TensorSlice::kFull)
        return errors::DataLoss("slice of '", key, "' in a checkpoint: a start or a length is negative");
    TENON_RETURN_IF_ERROR(slice.SliceShape(shape, &part));
  }
  const SliceOrder order = BestSliceOrder(slices, shape.dims());
  if (order.pairs > kMostPairs)
    return errors::ResourceExhausted("the ", slices.size(), " slices of '", key, "' in a checkpoint: ", order.pairs,
                                     " pairs may overlap, and no more than ", kMostPairs, " are compared");
  for (std::size_t i = 0; i < order.slices.size(); ++i) {
    for (std::size_t j = i + 1; j < order.slices.size(); ++j) {
      const std::size_t a = order.slices[i], b = order.slices[j];
      if (order.dim >= 0 && slices[b].start(order.dim) > LastAt(slices[a], order.dim)) break;
      TensorSlice both;
      if (slices[a].Intersect(slices[b], &both))
        return errors::Internal("Overlapping slices: existing slice = ", slices[a < b ? a : b].DebugString(),
                                ", new slice = ", slices[a < b ? b : a].DebugString(), ", of tensor '", key, "'");
    }
  }
  return OkStatus();
}

}  // namespace detail

// BundleHeaderProto: num_shards = 1, endianness = 2, version = 3
struct BundleHeader {
  std::int64_t shards = 0;
  bool big_endian = false;
  VersionDef version;

  // DataLoss: the bytes are not such a message.
  static Result<BundleHeader> Parse(std::string_view bytes) {
    BundleHeader header;
    wire::Reader reader(wire::AsBytes(bytes));
    std::string_view inner;
    for (wire::Tag tag; reader.ReadField(&tag, &inner);) {
      std::uint64_t value = 0;
      if (tag.type == wire::WireType::kVarint && tag.field <= 2) {
        if (!reader.ReadVarint(&value)) break;
        if (tag.field == 1)
          header.shards = static_cast<std::int32_t>(value);
        else
          header.big_endian = value == 1;
      } else if (tag.type == wire::WireType::kBytes) {
        wire::Reader::Outer outer;
        if (tag.field != 3) continue;
        if (!reader.Enter(inner, &outer) || !detail::ReadVersions(reader, &header.version)) break;
        reader.Leave(outer);
      } else if (!reader.Skip(tag)) {
        break;
      }
    }
    TENON_RETURN_IF_ERROR(reader.status("BundleHeaderProto"));
    return header;
  }
  std::string Serialize() const {
    wire::Writer writer;
    if (version.producer != 0) {
      writer.Varint(static_cast<std::uint64_t>(version.producer));
      writer.FieldTag(1, wire::WireType::kVarint);
    }
    writer.BytesTag(3, writer.size());
    if (big_endian) {
      writer.Varint(1);
      writer.FieldTag(2, wire::WireType::kVarint);
    }
    if (shards != 0) {
      writer.Varint(static_cast<std::uint64_t>(shards));
      writer.FieldTag(1, wire::WireType::kVarint);
    }
    return std::string(writer.view());
  }
};

// BundleEntryProto: dtype = 1, shape = 2, shard_id = 3, offset = 4, size = 5, crc32c = 6 (fixed), slices = 7
struct BundleEntry {
  std::uint64_t dtype = 0;  // number of the type, as stored
  SlimVector<Index> sizes;    // sizes of the tensor's dimensions, as stored
  std::int64_t shard = 0;
  std::int64_t offset = 0, size = 0;  // bytes
  std::uint32_t crc = 0;              // masked
  SlimVector<TensorSlice> slices;     // if any, the tensor is stored in slices, each with an entry of its own

  // DataLoss: the bytes are not such a message. Nothing else is checked.
  static Result<BundleEntry> Parse(std::string_view bytes) {
    BundleEntry entry;
    wire::Reader reader(wire::AsBytes(bytes));
    std::string_view inner;
    for (wire::Tag tag; reader.ReadField(&tag, &inner);) {
      if (tag.type == wire::WireType::kBytes ? !entry.TakeMessage(reader, tag.field, inner)
                                             : !entry.TakeNumber(reader, tag))
        break;
    }
    TENON_RETURN_IF_ERROR(reader.status("BundleEntryProto"));
    return entry;
  }
  std::string Serialize() const {
    wire::Writer writer;
    for (std::size_t i = slices.size(); i-- > 0;) {
      const std::size_t end = writer.size();
      detail::WriteSlice(writer, slices[i]);
      writer.BytesTag(7, writer.size() - end);
    }
    if (crc != 0) {
      writer.Fixed32(crc);
      writer.FieldTag(6, wire::WireType::kFixed32);
    }
    WriteNumber(writer, 5, static_cast<std::uint64_t>(size));
    WriteNumber(writer, 4, static_cast<std::uint64_t>(offset));
    WriteNumber(writer, 3, static_cast<std::uint64_t>(shard));
    const std::size_t end = writer.size();
    wire::detail::WriteShape(writer, {sizes.data(), sizes.size()}, false);
    writer.BytesTag(2, writer.size() - end);
    WriteNumber(writer, 1, dtype);
    return std::string(writer.view());
  }

  void SetShape(const TensorShape& from) {
    sizes.clear();
    for (int d = 0; d < from.dims(); ++d) sizes.push_back(from.dim_size(d));
  }
  // DataLoss: no tensor can have these sizes.
  Status GetShape(std::string_view key, TensorShape* to) const {
    if (const Status made = TensorShape::Build({sizes.data(), sizes.size()}, to); !made.ok())
      return errors::DataLoss("Invalid tensor shape: ", key, ": ", made.message());
    return OkStatus();
  }
  // Returns kInvalid where the number is not that of a type that tensors have.
  DataType GetDtype() const { return dtype < kDataTypeCount ? static_cast<DataType>(dtype) : DataType::kInvalid; }
  std::string DtypeName() const {
    if (dtype == 0) return "INVALID";
    return GetDtype() == DataType::kInvalid ? StrCat("unknown dtype enum (", dtype, ")")
                                            : std::string(Name(GetDtype()));
  }

 private:
  bool TakeMessage(wire::Reader& reader, std::uint32_t field, std::string_view bytes) {
    if (field != 2 && field != 7) return true;
    wire::Reader::Outer outer;
    if (!reader.Enter(bytes, &outer)) return false;
    if (field == 2) {
      wire::detail::RawShape shape;
      if (!wire::detail::ReadShape(reader, &shape)) return false;
      sizes.clear();
      for (int d = 0; d < shape.rank; ++d) sizes.push_back(d < kMaxTensorRank ? shape.dims[d] : -1);
    } else {
      TensorSlice slice;
      if (!detail::ReadSlice(reader, &slice)) return false;
      slices.push_back(slice);
    }
    reader.Leave(outer);
    return true;
  }
  bool TakeNumber(wire::Reader& reader, wire::Tag tag) {
    if (tag.field == 6 && tag.type == wire::WireType::kFixed32) return reader.ReadFixed32(&crc);
    if (tag.type != wire::WireType::kVarint) return reader.Skip(tag);
    std::uint64_t value = 0;
    if (!reader.ReadVarint(&value)) return false;
    switch (tag.field) {
      case 1: dtype = static_cast<std::uint32_t>(value); break;
      case 3: shard = static_cast<std::int32_t>(value); break;
      case 4: offset = static_cast<std::int64_t>(value); break;
      case 5: size = static_cast<std::int64_t>(value); break;
      default: break;
    }
    return true;
  }
  static void WriteNumber(wire::Writer& writer, std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    writer.Varint(value);
    writer.FieldTag(field, wire::WireType::kVarint);
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
