// SPDX-License-Identifier: Apache-2.0
#pragma once
// SliceCheckpointWriter, SliceCheckpointReader: checkpoints of TensorFlow's first format, which the ops Save and
// SaveSlices write. It is one table: the key "" lists the tensors, and every slice of a tensor is a message.

#include <cstddef>
#include <cstdint>
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
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/wire/writer.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/bundle_reader.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/ordered_code.hpp>
#include <tenon/io/table.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Types that a file of the first format may hold. TensorFlow never added its other types to it.
inline constexpr DataTypeSet kSliceCheckpointTypes = {
    (kRealNumberTypes.mask | kComplexTypes.mask | ToSet(DataType::kBool).mask | ToSet(DataType::kString).mask |
     ToSet(DataType::kQint8).mask | ToSet(DataType::kQuint8).mask | ToSet(DataType::kQint32).mask) &
    ~(ToSet(DataType::kBfloat16).mask | ToSet(DataType::kUint32).mask | ToSet(DataType::kUint64).mask)};

// A tensor and the slices that there are of it. SavedSliceMeta: name = 1, shape = 2, type = 3, slice = 4
struct SlicedTensor {
  TensorShape shape;
  DataType dtype = DataType::kInvalid;
  SlimVector<TensorSlice> slices;
  SlimVector<std::size_t> files;  // number of each slice's file, for a reader
};

// Joins the slices of the tensor with its slices in another file.
inline Status AddSlices(std::string_view name, const SlicedTensor& more, std::size_t file, SlicedTensor* tensor) {
  if (tensor->dtype == DataType::kInvalid) {
    tensor->dtype = more.dtype;
    tensor->shape = more.shape;
  }
  if (tensor->shape != more.shape)
    return errors::Internal("Mismatching shapes: existing tensor = ", tensor->shape, ", trying to add name ", name,
                            ", shape = ", more.shape);
  if (tensor->dtype != more.dtype)
    return errors::Internal("Mismatching types: existing type = ", Name(tensor->dtype), ", trying to add name ", name,
                            ", type = ", Name(more.dtype));
  for (const TensorSlice& slice : more.slices) {
    tensor->slices.push_back(slice);
    tensor->files.push_back(file);
  }
  return OkStatus();
}

// Where a path is given in the place of a checkpoint's prefix: what to leave out.
TENON_DETAIL_COLD inline std::string_view PrefixHint(std::string_view path) {
  return path.ends_with(".index") ? "; the prefix of a checkpoint has no '.index': leave it out" : "";
}

}  // namespace detail

// Writes a checkpoint of TensorFlow's first format. Finish writes the file, from memory, and makes missing folders. one
// thread.
//
//   SliceCheckpointWriter writer;
//   TENON_RETURN_IF_ERROR(writer.Add("w", {2, 2}, TensorSlice(2), w));
//   TENON_RETURN_IF_ERROR(writer.Finish("/tmp/model"));
class SliceCheckpointWriter {
 public:
  // Adds a slice of the tensor `name`, whose full shape is `full`. Unimplemented or InvalidArgument: the format lacks
  // the type. Internal: the shape or the type is not that of the slices before it.
  Status Add(std::string_view name, const TensorShape& full, const TensorSlice& slice, const Tensor& part) {
    if (!detail::kSliceCheckpointTypes.contains(part.dtype())) {
      if (part.dtype() == DataType::kUint32 || part.dtype() == DataType::kUint64)
        return errors::InvalidArgument("Tensor slice serialization not implemented for dtype ",
                                       static_cast<int>(part.dtype()), " (", Name(part.dtype()), ")");
      return errors::Unimplemented("Saving data type ", Name(part.dtype()), " not yet supported");
    }
    TENON_RETURN_IF_ERROR(detail::CheckReadable("SliceCheckpointWriter", part));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(slice.SliceShape(full, &shape));
    if (shape != part.shape())
      return errors::Internal("SliceCheckpointWriter: slice ", slice.DebugString(), " of '", name, "' ", full,
                              " has the shape ", shape, ", the tensor given ", part.shape());
    detail::SlicedTensor* tensor = nullptr;
    if (const std::size_t* const place = places_.FindValue(name)) {
      tensor = &tensors_[*place];
    } else {
      places_.try_emplace(std::string(name), tensors_.size());
      names_.push_back(std::string(name));
      tensors_.emplace_back();
      tensor = &tensors_[tensors_.size() - 1];
    }
    TENON_RETURN_IF_ERROR(detail::AddSlices(name, {full, part.dtype(), {slice}, {}}, 0, tensor));
    messages_.insert_or_assign(ordered_code::SliceKey(name, slice), Message(name, slice, part));
    return OkStatus();
  }
  // Writes the file. Returns the errors of WriteFile.
  Status Finish(const std::string& path) const {
    TableWriter table;
    TENON_RETURN_IF_ERROR(table.Add("", Meta()));
    for (const auto& [key, message] : messages_) TENON_RETURN_IF_ERROR(table.Add(key, message));
    TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
    return WriteFile(path, table.Finish());
  }

 private:
  // SavedTensorSlices: data = 2 {name = 1, slice = 2, data = 3, a TensorProto of which only the values are written}
  static std::string Message(std::string_view name, const TensorSlice& slice, const Tensor& part) {
    wire::MessageWriter writer = wire::MakeMessageWriter();
    const std::size_t all = writer.size();
    wire::detail::WriteTypedValues(writer, part, static_cast<std::size_t>(part.NumElements()));
    writer.BytesTag(3, writer.size() - all);
    const std::size_t behind_slice = writer.size();
    detail::WriteSlice(writer, slice);
    writer.BytesTag(2, writer.size() - behind_slice);
    writer.Bytes(name);
    writer.BytesTag(1, name.size());
    writer.BytesTag(2, writer.size() - all);
    return std::string(writer.view());
  }
  // SavedTensorSlices: meta = 1 {tensor = 1, versions = 2}
  std::string Meta() const {
    wire::Writer writer;
    const std::size_t all = writer.size();
    writer.Varint(detail::kCheckpointVersion);
    writer.FieldTag(1, wire::WireType::kVarint);
    writer.BytesTag(2, writer.size() - all);
    for (std::size_t i = tensors_.size(); i-- > 0;) {
      const detail::SlicedTensor& tensor = tensors_[i];
      const std::size_t end = writer.size();
      for (std::size_t k = tensor.slices.size(); k-- > 0;) {
        const std::size_t behind = writer.size();
        detail::WriteSlice(writer, tensor.slices[k]);
        writer.BytesTag(4, writer.size() - behind);
      }
      writer.Varint(static_cast<std::uint64_t>(tensor.dtype));
      writer.FieldTag(3, wire::WireType::kVarint);
      const std::size_t behind_shape = writer.size();
      wire::detail::WriteShape(writer, tensor.shape.dim_sizes(), false);
      writer.BytesTag(2, writer.size() - behind_shape);
      writer.Bytes(names_[i]);
      writer.BytesTag(1, names_[i].size());
      writer.BytesTag(1, writer.size() - end);
    }
    writer.BytesTag(1, writer.size() - all);
    return std::string(writer.view());
  }

  FlatMap<std::string, std::size_t> places_;  // index in the next two, which are in the order of Add
  SlimVector<std::string> names_;
  SlimVector<detail::SlicedTensor> tensors_;
  FlatMap<std::string, std::string> messages_;  // by key
};

// Reads the files of a pattern as one checkpoint of TensorFlow's first format. one thread.
class SliceCheckpointReader {
 public:
  // Opens all files that match. NotFound: no file matches. DataLoss: a file is not a table. Internal: a table is not a
  // checkpoint.
  static Result<SliceCheckpointReader> Open(const std::string& pattern) {
    SliceCheckpointReader reader(pattern);
    TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> names, MatchFiles(pattern));
    if (names.empty())
      return errors::NotFound("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
                              pattern);
    for (const std::string& name : names) {
      Result<TableReader> table = TableReader::Open(name);
      if (!table.ok())
        return errors::DataLoss("Unable to open table file ", name, ": ", table.status().ToString(),
                                ": perhaps your file is in a different file format and you need to use a different "
                                "restore operator?");
      reader.tables_.push_back(*std::move(table));
      TENON_RETURN_IF_ERROR(reader.TakeMeta(name));
    }
    return reader;
  }

  const std::string& pattern() const { return pattern_; }  // the argument of Open
  // Returns the tensor of that name, or null.
  const detail::SlicedTensor* Find(std::string_view name) const { return tensors_.FindValue(name); }
  // Lists the names of all tensors, in order.
  SlimVector<std::string> Names() const {
    SlimVector<std::string> names;
    for (const auto& item : tensors_) names.push_back(item.first);
    return names;
  }
  // Reads a slice of a tensor. NotFound: no such name. InvalidArgument: the stored slices do not cover it.
  // Unimplemented: the format lacks the type. DataLoss: damaged bytes. ResourceExhausted: no memory.
  Result<Tensor> ReadSlice(std::string_view name, const TensorSlice& want, Allocator* allocator = nullptr) const {
    const detail::SlicedTensor* const tensor = Find(name);
    if (tensor == nullptr)
      return errors::NotFound("Tensor name \"", name, "\" not found in checkpoint files ", pattern_,
                              detail::PrefixHint(pattern_));
    if (!detail::kSliceCheckpointTypes.contains(tensor->dtype))
      return errors::Unimplemented("Restoring data type ", Name(tensor->dtype), " not yet supported");
    TensorShape shape;
    TENON_RETURN_IF_ERROR(want.SliceShape(tensor->shape, &shape));
    TENON_RETURN_IF_ERROR(detail::CheckSlices(name, tensor->shape, tensor->slices));
    if (!detail::Covers(tensor->shape, tensor->slices, want))
      return errors::InvalidArgument("Error copying slice data: '", name, "' is not stored as a whole: slice ",
                                     want.DebugString(), " is missing or has parts missing in ", pattern_);
    // Before memory is allocated: a value takes at least a byte, and a byte of a compressed block makes at most 64.
    std::uint64_t file_bytes = 0;
    for (const TableReader& table : tables_) file_bytes += table.file_bytes();
    if (static_cast<std::uint64_t>(shape.num_elements()) / 64 > file_bytes)
      return errors::DataLoss("SliceCheckpointReader: the ", file_bytes, " bytes of ", pattern_,
                              " cannot hold the values of '", name, "' ", shape);
    TENON_ASSIGN_OR_RETURN(Tensor result, Tensor::Make(tensor->dtype, shape, allocator));
    for (std::size_t i = 0; i < tensor->slices.size(); ++i) {
      TensorSlice both;
      if (!tensor->slices[i].Intersect(want, &both)) continue;
      TENON_ASSIGN_OR_RETURN(const Tensor part, ReadPart(name, *tensor, i));
      TENON_RETURN_IF_ERROR(detail::CopySlice(tensor->shape, tensor->slices[i], part, want, &result));
    }
    return result;
  }
  // Reads a tensor, otherwise as ReadSlice.
  Result<Tensor> Read(std::string_view name, Allocator* allocator = nullptr) const {
    const detail::SlicedTensor* const tensor = Find(name);
    return ReadSlice(name, TensorSlice(tensor == nullptr ? 0 : tensor->shape.dims()), allocator);
  }

 private:
  explicit SliceCheckpointReader(std::string pattern) : pattern_(std::move(pattern)) {}

  Status TakeMeta(const std::string& file) {
    std::string bytes;
    const Result<bool> found = tables_[tables_.size() - 1].Find("", &bytes);
    if (!found.ok() || !*found)
      return errors::Internal("Failed to find the saved tensor slices at the beginning of the checkpoint file: ", file,
                              found.ok() ? "" : ": ",
                              found.ok() ? std::string() : std::string(found.status().message()));
    wire::Reader reader(wire::AsBytes(bytes));
    VersionDef versions;
    std::string_view message;
    Status status;
    for (wire::Tag tag; status.ok() && reader.ReadField(&tag, &message);) {
      wire::Reader::Outer outer;
      if (tag.type != wire::WireType::kBytes) {
        if (!reader.Skip(tag)) break;
      } else if (tag.field == 1) {
        if (!reader.Enter(message, &outer) || !TakeTensors(reader, &versions, &status)) break;
        if (status.ok()) reader.Leave(outer);
      }
    }
    if (!reader.ok())
      return errors::Internal("Failed to parse the saved tensor slices of the checkpoint file: ", file, ": ",
                              reader.status("SavedTensorSlices").message());
    TENON_RETURN_IF_ERROR(status);
    return CheckVersions(versions, detail::kCheckpointVersion, 0, "Checkpoint", "checkpoint");
  }
  bool TakeTensors(wire::Reader& reader, VersionDef* versions, Status* status) {
    std::string_view message;
    for (wire::Tag tag; reader.ReadField(&tag, &message);) {
      wire::Reader::Outer outer;
      if (tag.type != wire::WireType::kBytes) {
        if (!reader.Skip(tag)) return false;
        continue;
      }
      if (tag.field > 2) continue;
      if (!reader.Enter(message, &outer)) return false;
      if (tag.field == 2 ? !detail::ReadVersions(reader, versions) : !TakeTensor(reader, status)) return false;
      if (!status->ok()) return true;
      reader.Leave(outer);
    }
    return reader.ok();
  }
  bool TakeTensor(wire::Reader& reader, Status* status) {
    std::string_view message, name;
    wire::detail::RawShape shape;
    detail::SlicedTensor tensor;
    for (wire::Tag tag; reader.ReadField(&tag, &message);) {
      wire::Reader::Outer outer;
      std::uint64_t value = 0;
      if (tag.type == wire::WireType::kVarint && tag.field == 3) {
        if (!reader.ReadVarint(&value)) return false;
        tensor.dtype = value < kDataTypeCount ? static_cast<DataType>(value) : DataType::kInvalid;
      } else if (tag.type != wire::WireType::kBytes) {
        if (!reader.Skip(tag)) return false;
      } else if (tag.field == 1) {
        name = message;
      } else if (tag.field == 2 || tag.field == 4) {
        if (!reader.Enter(message, &outer)) return false;
        if (tag.field == 2) {
          if (!wire::detail::ReadShape(reader, &shape)) return false;
        } else {
          TensorSlice slice;
          if (!detail::ReadSlice(reader, &slice)) return false;
          tensor.slices.push_back(slice);
        }
        reader.Leave(outer);
      }
    }
    if (!reader.ok()) return false;
    *status = wire::detail::MakeFullShape(shape, &tensor.shape);
    if (status->ok()) *status = detail::AddSlices(name, tensor, tables_.size() - 1, &tensors_[std::string(name)]);
    return true;
  }

  // Slice `i` of the tensor.
  Result<Tensor> ReadPart(std::string_view name, const detail::SlicedTensor& tensor, std::size_t i) const {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(tensor.slices[i].SliceShape(tensor.shape, &shape));
    std::string bytes;
    TENON_ASSIGN_OR_RETURN(const bool found,
                           tables_[tensor.files[i]].Find(ordered_code::SliceKey(name, tensor.slices[i]), &bytes));
    if (!found)
      return errors::InvalidArgument("Error copying slice data: slice ", tensor.slices[i].DebugString(), " of '", name,
                                     "' has no entry in ", pattern_);
    std::string_view values;
    TENON_RETURN_IF_ERROR(FindValues(bytes, &values));
    // All values are written, and a TensorProto would repeat the last of too few.
    if (static_cast<std::uint64_t>(shape.num_elements()) > values.size())
      return errors::DataLoss("slice ", tensor.slices[i].DebugString(), " of '", name, "' in ", pattern_, " has ",
                              values.size(), " bytes of values, too few for the shape ", shape);
    // The message has values only: type and shape before them make it a whole TensorProto.
    wire::Writer head;
    wire::detail::WriteShape(head, shape.dim_sizes(), false);
    head.BytesTag(2, head.size());
    head.Varint(static_cast<std::uint64_t>(tensor.dtype));
    head.FieldTag(1, wire::WireType::kVarint);
    const std::string proto = StrCat(head.view(), values);
    Result<Tensor> part = TensorFromProto(wire::AsBytes(proto));
    if (part.ok() && (part->dtype() != tensor.dtype || part->shape() != shape))
      return errors::DataLoss("slice ", tensor.slices[i].DebugString(), " of '", name, "' in ", pattern_, " is ",
                              Name(part->dtype()), part->shape(), " instead of ", Name(tensor.dtype), shape);
    return part;
  }
  static Status FindValues(std::string_view bytes, std::string_view* values) {
    wire::Reader reader(wire::AsBytes(bytes));
    std::string_view message;
    for (wire::Tag tag; reader.ReadField(&tag, &message);) {
      wire::Reader::Outer outer;
      if (tag.type != wire::WireType::kBytes) {
        if (!reader.Skip(tag)) break;
        continue;
      }
      if (tag.field != 2) continue;
      if (!reader.Enter(message, &outer)) break;
      for (wire::Tag inner; reader.ReadField(&inner, &message);) {
        if (inner.type != wire::WireType::kBytes ? !reader.Skip(inner) : false) break;
        if (inner.type == wire::WireType::kBytes && inner.field == 3) *values = message;
      }
      if (!reader.ok()) break;
      reader.Leave(outer);
    }
    return reader.status("SavedTensorSlices");
  }

  std::string pattern_;
  SlimVector<TableReader> tables_;
  FlatMap<std::string, detail::SlicedTensor> tensors_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
