// SPDX-License-Identifier: Apache-2.0
#pragma once
// RestoreV2: tensors from checkpoints of either of TensorFlow's formats. Restore, RestoreSlice: from the first one.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/io/checkpoint.hpp>
#include <tenon/io/slice_checkpoint.hpp>
#include <tenon/ops/io/save.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Sets the shape of an output from its slice spec; "" gives an unknown shape.
inline Status SetSliceShape(InferenceContext* c, int i, std::string_view spec) {
  if (spec.empty()) {
    c->set_output(i, c->UnknownShape());
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(const ShapeAndSlice part, ShapeAndSlice::Parse(spec));
  c->set_output(i, c->MakeShape(part.part.dim_sizes()));
  return OkStatus();
}
inline Status RestoreV2Shape(InferenceContext* c) {
  ShapeHandle names, specs, unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &names));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &specs));
  TENON_RETURN_IF_ERROR(c->Merge(names, specs, &unused));
  const Tensor* const texts = c->input_tensor(2);
  if (texts != nullptr && texts->NumElements() != c->num_outputs())
    return errors::InvalidArgument("The number of shape_and_slice doesn't match tensor outputs: ", texts->NumElements(),
                                   " and ", c->num_outputs());
  for (int i = 0; i < c->num_outputs(); ++i)
    TENON_RETURN_IF_ERROR(
        SetSliceShape(c, i, texts == nullptr ? std::string_view() : texts->data<tstring>()[i].view()));
  return OkStatus();
}
inline Status RestoreShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  const Tensor* const text = c->num_inputs() > 2 ? c->input_tensor(2) : nullptr;
  return SetSliceShape(c, 0, text == nullptr ? std::string_view() : text->data<tstring>()->view());
}

inline Status RestoreBundle(OpKernelContext& context, ThreadPoolInterface* pool, const Tensor& prefix,
                            const Tensor& names, const Tensor& specs) {
  TENON_RETURN_IF_ERROR(CheckPrefixAndNames(prefix, names, specs));
  const int count = context.num_outputs();
  if (names.NumElements() != count)
    return errors::InvalidArgument("Got ", names.NumElements(), " tensor names, but ", count, " expected dtypes.");
  const StepServices* const services = context.step_services();
  const bool map = services != nullptr && services->map_checkpoints;
  TENON_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(std::string(prefix.data<tstring>()->view()),
                                                                         map ? FileAccess::kMap : FileAccess::kRead));
  reader.set_pool(pool);
  SlimVector<TensorShape> shapes(static_cast<std::size_t>(count));
  std::string wrong;  // all types that differ from the requested ones
  for (int i = 0; i < count; ++i) {
    const std::string_view name = names.data<tstring>()[i].view();
    DataType stored = DataType::kInvalid;
    std::string stored_name;
    TENON_RETURN_IF_ERROR(reader.Describe(name, &stored, &shapes[static_cast<std::size_t>(i)], &stored_name));
    const DataType wanted = context.expected_output_dtype(i);
    if (stored == wanted) continue;
    if (!reader.IsBundle())
      return errors::InvalidArgument("Expected to restore a tensor of type ", Name(wanted), ", got a tensor of type ",
                                     stored_name, " instead: tensor_name = ", name);
    StrAppend(&wrong, wrong.empty() ? "" : "\n", "tensor_name = ", name, "; expected dtype ", Name(wanted),
              " does not equal original dtype ", stored_name);
  }
  if (!wrong.empty()) return errors::InvalidArgument(wrong);
  for (int i = 0; i < count; ++i) {
    const std::string_view name = names.data<tstring>()[i].view(), spec = specs.data<tstring>()[i].view();
    Allocator* const allocator = context.get_allocator({});
    if (spec.empty()) {
      TENON_ASSIGN_OR_RETURN(Tensor tensor, reader.Read(name, allocator));
      context.set_output(i, std::move(tensor));
      continue;
    }
    TENON_ASSIGN_OR_RETURN(const ShapeAndSlice part, ShapeAndSlice::Parse(spec));
    if (part.shape != shapes[static_cast<std::size_t>(i)])
      return errors::InvalidArgument(
          "tensor_name = ", name, "; shape in shape_and_slice spec ", part.shape,
          " does not match the shape stored in checkpoint: ", shapes[static_cast<std::size_t>(i)]);
    TENON_ASSIGN_OR_RETURN(Tensor tensor, reader.ReadSlice(name, part.slice, allocator));
    context.set_output(i, std::move(tensor));
  }
  return OkStatus();
}

inline Status RestoreOne(OpKernelContext& context, const Tensor& pattern, const Tensor& names, const Tensor* specs) {
  if (pattern.NumElements() != 1)
    return errors::InvalidArgument("Input 0 (file_pattern) must be a string scalar; got a tensor of ",
                                   pattern.NumElements(), " elements");
  if (names.NumElements() < 1 || (specs != nullptr && specs->NumElements() < 1))
    return errors::InvalidArgument("Restore: tensor_name and shape_and_slice must have an element, got the shape ",
                                   names.NumElements() < 1 ? names.shape() : specs->shape());
  TENON_ASSIGN_OR_RETURN(const SliceCheckpointReader reader,
                         SliceCheckpointReader::Open(std::string(pattern.data<tstring>()->view())));
  const std::string_view name = names.data<tstring>()->view();
  const tenon::detail::SlicedTensor* const stored = reader.Find(name);
  if (stored == nullptr)
    return errors::NotFound("Tensor name \"", name, "\" not found in checkpoint files ", reader.pattern());
  const DataType wanted = context.expected_output_dtype(0);
  if (stored->dtype != wanted)
    return errors::InvalidArgument("Expected to restore a tensor of type ", Name(wanted), ", got a tensor of type ",
                                   Name(stored->dtype), " instead: tensor_name = ", name);
  TensorSlice slice(stored->shape.dims());
  if (const std::string_view spec = specs == nullptr ? std::string_view() : specs->data<tstring>()->view();
      !spec.empty()) {
    TENON_ASSIGN_OR_RETURN(const ShapeAndSlice part, ShapeAndSlice::Parse(spec));
    if (part.shape != stored->shape)
      return errors::InvalidArgument("Shape in shape_and_slice spec does not match the shape in the save file: ",
                                     part.shape, ", save file shape: ", stored->shape);
    slice = part.slice;
  }
  TENON_ASSIGN_OR_RETURN(Tensor tensor, reader.ReadSlice(name, slice, context.get_allocator({})));
  context.set_output(0, std::move(tensor));
  return OkStatus();
}

}  // namespace detail

// The tensors of these names. A string of shape_and_slices asks for a slice of a tensor ("4 5 0,2:-": rows 0 and 1 of a
// [4,5]); "" asks for all of it.
struct RestoreV2 {
  static constexpr auto signature = Op("RestoreV2")
                                        .Input("prefix: string")
                                        .Input("tensor_names: string")
                                        .Input("shape_and_slices: string")
                                        .Output("tensors: dtypes")
                                        .Attr("dtypes: list(type) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RestoreV2Shape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& prefix, const Tensor& tensor_names,
                      const Tensor& shape_and_slices, std::span<Tensor>) const {
      return detail::RestoreBundle(context.op(), context.device().pool, prefix, tensor_names, shape_and_slices);
    }
  };
};

namespace detail {

// Where to look first, which mapped files need no hint for: it is checked and not used.
struct RestoreAttrs {
  std::int64_t preferred_shard;

  Status Init(OpKernelConstruction&) const {
    if (preferred_shard >= -1) return OkStatus();
    return errors::InvalidArgument("Attribute 'preferred_shard' must be greater or equal to -1, got ", preferred_shard);
  }
};

}  // namespace detail

struct Restore {
  static constexpr auto signature = Op("Restore")
                                        .Input("file_pattern: string")
                                        .Input("tensor_name: string")
                                        .Output("tensor: dt")
                                        .Attr("dt: type")
                                        .Attr("preferred_shard: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RestoreShape);
  using Attrs = detail::RestoreAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& file_pattern, const Tensor& tensor_name, Tensor&) const {
      return detail::RestoreOne(context.op(), file_pattern, tensor_name, nullptr);
    }
  };
};

struct RestoreSlice {
  static constexpr auto signature = Op("RestoreSlice")
                                        .Input("file_pattern: string")
                                        .Input("tensor_name: string")
                                        .Input("shape_and_slice: string")
                                        .Output("tensor: dt")
                                        .Attr("dt: type")
                                        .Attr("preferred_shard: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RestoreShape);
  using Attrs = detail::RestoreAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& file_pattern, const Tensor& tensor_name,
                      const Tensor& shape_and_slice, Tensor&) const {
      return detail::RestoreOne(context.op(), file_pattern, tensor_name, &shape_and_slice);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
