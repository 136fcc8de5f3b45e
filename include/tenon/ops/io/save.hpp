// SPDX-License-Identifier: Apache-2.0
#pragma once
// SaveV2, MergeV2Checkpoints: checkpoints in TensorFlow's format. Save, SaveSlices: in its first format.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/slice_checkpoint.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// A scalar, and `vectors` vectors of as many elements as there are inputs behind them.
inline Status SaveShape(InferenceContext* c, int vectors) {
  ShapeHandle shape;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &shape));
  for (int i = 1; i <= vectors; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &shape));
    TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(shape, 0), c->num_inputs() - 1 - vectors, &unused));
  }
  return OkStatus();
}

inline Status CheckPrefixAndNames(const Tensor& prefix, const Tensor& names, const Tensor& specs) {
  if (prefix.NumElements() != 1)
    return errors::InvalidArgument("Input prefix should have a single element, got ", prefix.NumElements(),
                                   " instead.");
  if (names.dims() != 1 || specs.dims() != 1)
    return errors::InvalidArgument("Input tensor_names and shape_and_slices should be an 1-D tensors, got ",
                                   names.shape(), " and ", specs.shape(), " instead.");
  if (names.NumElements() != specs.NumElements())
    return errors::InvalidArgument("tensor_names and shape_and_slices have different number of elements: ",
                                   names.NumElements(), " vs. ", specs.NumElements());
  return OkStatus();
}
// Parses the slice spec of the tensor to save; "" is all of it.
inline Result<ShapeAndSlice> SliceToSave(std::string_view spec, const Tensor& tensor) {
  if (spec.empty()) return ShapeAndSlice{tensor.shape(), TensorSlice(tensor.dims()), tensor.shape()};
  TENON_ASSIGN_OR_RETURN(ShapeAndSlice part, ShapeAndSlice::Parse(spec));
  if (part.part != tensor.shape())
    return errors::InvalidArgument("Slice in shape_and_slice specification does not match the shape of the tensor to ",
                                   " save: ", spec, ", tensor: ", tensor.shape());
  return part;
}

inline Status SaveBundle(std::string_view prefix, const Tensor& names, const Tensor& specs,
                         std::span<const Tensor> tensors) {
  if (names.NumElements() != static_cast<Index>(tensors.size()))
    return errors::InvalidArgument("Got ", names.NumElements(), " tensor names but ", tensors.size(), " tensors.");
  BundleWriter writer(prefix);
  TENON_RETURN_IF_ERROR(writer.Open());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string_view name = names.data<tstring>()[i].view(), spec = specs.data<tstring>()[i].view();
    if (spec.empty()) {
      TENON_RETURN_IF_ERROR(writer.Add(name, tensors[i]));
      continue;
    }
    TENON_ASSIGN_OR_RETURN(const ShapeAndSlice part, SliceToSave(spec, tensors[i]));
    TENON_RETURN_IF_ERROR(writer.AddSlice(name, part.shape, part.slice, tensors[i]));
  }
  return writer.Finish();
}

// specs: null for whole tensors.
inline Status SaveTable(const Tensor& filename, const Tensor& names, const Tensor* specs,
                        std::span<const Tensor> tensors) {
  if (filename.NumElements() != 1)
    return errors::InvalidArgument("Input 0 (filename) must be a string scalar; got a tensor of ",
                                   filename.NumElements(), " elements");
  const auto count = static_cast<std::size_t>(names.NumElements());
  const int before = specs == nullptr ? 2 : 3;
  if (specs != nullptr && specs->NumElements() != names.NumElements())
    return errors::InvalidArgument("Expected ", count, " elements for the tensor shapes and slices but got ",
                                   specs->NumElements());
  if (count != tensors.size())
    return errors::InvalidArgument("Expected totally ", count + static_cast<std::size_t>(before),
                                   " inputs as input #1 (which is a string tensor of saved names) contains ", count,
                                   " names, but received ", tensors.size() + static_cast<std::size_t>(before),
                                   " inputs");
  const tstring* const name = names.data<tstring>();
  SliceCheckpointWriter writer;
  for (const std::size_t i :
       SortedOrder(count, [&](std::size_t a, std::size_t b) { return name[a].view() < name[b].view(); })) {
    TENON_ASSIGN_OR_RETURN(
        const ShapeAndSlice part,
        SliceToSave(specs == nullptr ? std::string_view() : specs->data<tstring>()[i].view(), tensors[i]));
    TENON_RETURN_IF_ERROR(writer.Add(name[i].view(), part.shape, part.slice, tensors[i]));
  }
  return writer.Finish(std::string(filename.data<tstring>()->view()));
}

inline Status MergeCheckpoints(const Tensor& prefixes, const Tensor& destination, bool delete_old_dirs,
                               bool allow_missing_files) {
  if (prefixes.dims() != 1)
    return errors::InvalidArgument("Input checkpoint_prefixes should be an 1-D tensor, got ", prefixes.shape(),
                                   " instead.");
  if (destination.dims() != 0)
    return errors::InvalidArgument("Input destination_prefix should be a scalar tensor, got ", destination.shape(),
                                   " instead.");
  SlimVector<std::string> names;
  for (Index i = 0; i < prefixes.NumElements(); ++i) names.push_back(std::string(prefixes.data<tstring>()[i].view()));
  const std::string merged(destination.data<tstring>()->view());
  TENON_RETURN_IF_ERROR(MergeBundles({names.data(), names.size()}, merged, allow_missing_files));
  if (!delete_old_dirs) return OkStatus();
  for (const std::string& name : names) {  // removes the folders that are empty now
    const std::string_view folder = tenon::detail::FolderOf(name);
    if (!folder.empty() && folder != tenon::detail::FolderOf(merged)) tenon::detail::RemoveFolder(std::string(folder));
  }
  return OkStatus();
}

}  // namespace detail

// Writes PREFIX.index and PREFIX.data-00000-of-00001. A string of shape_and_slices says which slice of a larger tensor
// a tensor is ("4 5 0,2:-": rows 0 and 1 of a [4,5]); "" is all of it.
struct SaveV2 {
  static constexpr auto signature = Op("SaveV2")
                                        .Input("prefix: string")
                                        .Input("tensor_names: string")
                                        .Input("shape_and_slices: string")
                                        .Input("tensors: dtypes")
                                        .Attr("dtypes: list(type) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) { return detail::SaveShape(c, 2); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& prefix, const Tensor& tensor_names, const Tensor& shape_and_slices,
                      std::span<const Tensor> tensors) const {
      TENON_RETURN_IF_ERROR(detail::CheckPrefixAndNames(prefix, tensor_names, shape_and_slices));
      return detail::SaveBundle(prefix.data<tstring>()->view(), tensor_names, shape_and_slices, tensors);
    }
  };
};

// Makes one checkpoint of several and renames their data files. delete_old_dirs: removes their folders when empty.
struct MergeV2Checkpoints {
  static constexpr auto signature = Op("MergeV2Checkpoints")
                                        .Input("checkpoint_prefixes: string")
                                        .Input("destination_prefix: string")
                                        .Attr("delete_old_dirs: bool = true")
                                        .Attr("allow_missing_files: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
                                          return c->WithRank(c->input(1), 0, &unused);
                                        });
  struct Attrs {
    bool delete_old_dirs, allow_missing_files;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device&, const Tensor& checkpoint_prefixes, const Tensor& destination_prefix) const {
      return detail::MergeCheckpoints(checkpoint_prefixes, destination_prefix, this->delete_old_dirs,
                                      this->allow_missing_files);
    }
  };
};

struct Save {
  static constexpr auto signature = Op("Save")
                                        .Input("filename: string")
                                        .Input("tensor_names: string")
                                        .Input("data: T")
                                        .Attr("T: list(type) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) { return detail::SaveShape(c, 1); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& filename, const Tensor& tensor_names, std::span<const Tensor> data) const {
      return detail::SaveTable(filename, tensor_names, nullptr, data);
    }
  };
};

struct SaveSlices {
  static constexpr auto signature = Op("SaveSlices")
                                        .Input("filename: string")
                                        .Input("tensor_names: string")
                                        .Input("shapes_and_slices: string")
                                        .Input("data: T")
                                        .Attr("T: list(type) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) { return detail::SaveShape(c, 2); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& filename, const Tensor& tensor_names, const Tensor& shapes_and_slices,
                      std::span<const Tensor> data) const {
      return detail::SaveTable(filename, tensor_names, &shapes_and_slices, data);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
