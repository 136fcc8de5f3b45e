// SPDX-License-Identifier: Apache-2.0
#pragma once
// CheckpointReader: a checkpoint of either of TensorFlow's formats. BundleWriter and SliceCheckpointWriter write them.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/io/bundle_reader.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/slice_checkpoint.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Reads a checkpoint of either format. Tensors are copies. one thread.
//
//   TENON_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open("/tmp/model"));
//   TENON_ASSIGN_OR_RETURN(const Tensor kernel, reader.Read("dense/kernel"));
class CheckpointReader {
 public:
  // Opens the bundle if PREFIX.index exists, otherwise files of the first format, where `prefix` is a pattern. Returns
  // the errors of BundleReader::Open or SliceCheckpointReader::Open.
  // With FileAccess::kMap, tensors of a bundle may be views, as BundleReader says.
  static Result<CheckpointReader> Open(const std::string& prefix, FileAccess access = FileAccess::kRead) {
    CheckpointReader reader;
    if (detail::FileExists(detail::BundleIndexName(prefix))) {
      TENON_ASSIGN_OR_RETURN(BundleReader bundle, BundleReader::Open(prefix, access));
      reader.bundle_.emplace(std::move(bundle));
    } else {
      TENON_ASSIGN_OR_RETURN(SliceCheckpointReader slices, SliceCheckpointReader::Open(prefix));
      reader.slices_.emplace(std::move(slices));
    }
    return reader;
  }

  // As BundleReader::set_pool; files of the first format are read on the caller's thread.
  void set_pool(ThreadPoolInterface* pool) {
    if (bundle_) bundle_->set_pool(pool);
  }

  bool IsBundle() const { return bundle_.has_value(); }  // whether it is of the second format

  // Lists the names of all tensors, in order. DataLoss: the index is damaged.
  Result<SlimVector<std::string>> Names() const {
    if (bundle_) return bundle_->Names();
    return slices_->Names();
  }
  // Describes the tensor of that name: its type (kInvalid for a type that Tenon does not know) and its full shape.
  // *type_name, unless null, becomes the name of the type. NotFound: no such name. DataLoss: its entry is damaged.
  Status Describe(std::string_view name, DataType* dtype, TensorShape* shape, std::string* type_name = nullptr) const {
    if (bundle_) {
      TENON_ASSIGN_OR_RETURN(const BundleEntry entry, bundle_->Entry(name));
      *dtype = entry.GetDtype();
      if (type_name != nullptr) *type_name = entry.DtypeName();
      return entry.GetShape(name, shape);
    }
    const detail::SlicedTensor* const tensor = slices_->Find(name);
    if (tensor == nullptr)
      return errors::NotFound("Tensor name \"", name, "\" not found in checkpoint files ", slices_->pattern(),
                              detail::PrefixHint(slices_->pattern()));
    *dtype = tensor->dtype;
    *shape = tensor->shape;
    if (type_name != nullptr) *type_name = std::string(tenon::Name(tensor->dtype));
    return OkStatus();
  }
  // Reads a tensor. A null allocator means DefaultAllocator(). Returns the errors of BundleReader::Read or
  // SliceCheckpointReader::Read.
  Result<Tensor> Read(std::string_view name, Allocator* allocator = nullptr) {
    return bundle_ ? bundle_->Read(name, allocator) : slices_->Read(name, allocator);
  }
  // Reads a slice of a tensor, otherwise as Read.
  Result<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice, Allocator* allocator = nullptr) {
    return bundle_ ? bundle_->ReadSlice(name, slice, allocator) : slices_->ReadSlice(name, slice, allocator);
  }

 private:
  CheckpointReader() = default;

  std::optional<BundleReader> bundle_;  // one of the two is set
  std::optional<SliceCheckpointReader> slices_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
