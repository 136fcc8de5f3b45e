// SPDX-License-Identifier: Apache-2.0
#pragma once
// MultiDeviceIterator, MultiDeviceIteratorGetNextFromShard and others: one position in a dataset for several devices,
// which get the elements by turns.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/iterator_resource.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/iterator.hpp>
#include <tenon/ops/data/iterator_handle.hpp>
#include <tenon/ops/data/scan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// Shard s gets the elements s, s + n, s + 2 n, ... whatever the order of the calls. thread-safe.
class MultiDeviceResource final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::(anonymous namespace)::MultiDeviceIterator";

  MultiDeviceResource(const ElementSpec& spec, std::size_t shards) : iterator_(spec), shards_(shards) {}
  std::string DebugString() const override { return StrCat("MultiDeviceIterator for ", shards_.size(), " devices"); }
  const ElementSpec& spec() const { return iterator_.spec(); }

  // Begins at the first element. *incarnation: a number that the calls of Next need from now on.
  Status Init(IteratorContext& context, Ref<const DatasetBase> dataset, std::int64_t* incarnation) {
    TENON_RETURN_IF_ERROR(iterator_.SetDataset(context, std::move(dataset)));
    return iterator_.Use(context, [&](IteratorBase*) {
      for (Shard& shard : shards_) shard = Shard();
      next_ = 0;
      *incarnation = ++incarnation_;
      return OkStatus();
    });
  }
  Status Next(IteratorContext& context, std::int64_t shard, std::int64_t incarnation, DatasetElement* element,
              bool* end) {
    return iterator_.Use(
        context, [&](IteratorBase* iterator) { return NextOf(context, iterator, shard, incarnation, element, end); });
  }

 private:
  // An element, or an error, that waits until its shard is asked.
  struct Item {
    Status status;
    DatasetElement element;
  };
  struct Shard {
    SlimVector<Item> items;
    std::size_t first = 0;
  };

  Status NextOf(IteratorContext& context, IteratorBase* iterator, std::int64_t wanted, std::int64_t incarnation,
                DatasetElement* element, bool* end) {
    const auto count = static_cast<std::int64_t>(shards_.size());
    if (iterator == nullptr)
      return errors::FailedPrecondition("GetNextFromShard() failed because the iterator has not been initialized.");
    if (incarnation != incarnation_)
      return errors::InvalidArgument("Invalid incarnation id. Provided: ", incarnation, "; Expected: ", incarnation_);
    if (wanted < 0 || wanted >= count)
      return errors::InvalidArgument("shard_num must be in [0, ", count, "), got ", wanted);
    Shard& shard = shards_[static_cast<std::size_t>(wanted)];
    while (shard.first == shard.items.size()) {
      shard = Shard();
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      Item item;
      item.status = iterator->GetNext(context, &item.element, end);
      if (item.status.code() == Code::kCancelled) return item.status;
      if (item.status.ok() && *end) return OkStatus();
      shards_[static_cast<std::size_t>(next_)].items.push_back(std::move(item));
      next_ = (next_ + 1) % count;
    }
    *end = false;
    Item& item = shard.items[shard.first++];
    *element = std::move(item.element);
    return item.status;
  }

  IteratorResource iterator_;  // its lock guards the members below
  SlimVector<Shard> shards_;
  std::int64_t next_ = 0, incarnation_ = 0;
};

// The resource of a node: named, or new in every run.
class MultiDeviceKernel : public OpKernel {
 public:
  explicit MultiDeviceKernel(OpKernelConstruction* c) : OpKernel(c), anonymous_(c->op().name != "MultiDeviceIterator") {
    SlimVector<std::string_view> devices;
    c->SetStatus(c->GetAttr("devices", &devices));
    c->SetStatus(c->GetAttr("output_types", &spec_.types));
    c->SetStatus(c->GetAttr("output_shapes", &spec_.shapes));
    shards_ = devices.size();
    if (anonymous_) return;
    Result<ContainerInfo> info = ContainerInfo::From(*c);
    c->SetStatus(info.status());
    if (info.ok()) info_ = *std::move(info);
  }
  void Compute(OpKernelContext* context) override {
    if (anonymous_)
      context->SetStatus(
          SetAnonymous(context, Ref<MultiDeviceResource>::Adopt(new MultiDeviceResource(spec_, shards_))));
    else
      context->SetStatus(Open(context));
  }

 private:
  // Makes the resource once: DeleteMultiDeviceIterator drops it for good.
  Status Open(OpKernelContext* context) {
    const tenon::MutexLock lock(mutex_);
    if (!made_) {
      ResourceMgr* resources = nullptr;
      TENON_RETURN_IF_ERROR(GetResources(*context, &resources));
      TENON_RETURN_IF_ERROR(
          resources->LookupOrCreate<MultiDeviceResource>(info_.container, info_.name, &made_, [&](auto* made) {
            *made = Ref<MultiDeviceResource>::Adopt(new MultiDeviceResource(spec_, shards_));
            return OkStatus();
          }));
    }
    TENON_RETURN_IF_ERROR(VerifyTypesMatch(spec_.types, made_->spec().types));
    TENON_RETURN_IF_ERROR(VerifyShapesCompatible(spec_.shapes, made_->spec().shapes));
    context->set_output(
        0, HandleTensor(MakeResourceHandle<MultiDeviceResource>(context->device_name(), info_.container, info_.name)));
    return OkStatus();
  }
  const bool anonymous_;
  ElementSpec spec_;
  std::size_t shards_ = 0;
  ContainerInfo info_;
  Mutex mutex_;
  Ref<MultiDeviceResource> made_;
};

template <class T>
Status ScalarOf(OpKernelContext& context, std::string_view name, T* value) {
  return DatasetMaker(&context).Scalar(name, value);
}

class MultiDeviceInitKernel : public OpKernel {
 public:
  explicit MultiDeviceInitKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  static Status Run(OpKernelContext& op) {
    Ref<const DatasetBase> dataset;
    Ref<MultiDeviceResource> resource;
    std::int64_t incarnation = 0;
    // Elements wait as they are asked for, without a limit: one number of any rank is enough.
    if (const Tensor& most = op.input(2); most.NumElements() != 1)
      return errors::InvalidArgument("max_buffer_size must be a scalar, got shape ", most.shape());
    TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(op.input(0), &dataset));
    TENON_RETURN_IF_ERROR(LookupResource(op, op.input(1), &resource));
    IteratorContext context(op.environment());
    TENON_RETURN_IF_ERROR(resource->Init(context, std::move(dataset), &incarnation));
    op.set_output(0, Tensor::Scalar(incarnation));
    return OkStatus();
  }
};

class NextFromShardKernel : public OpKernel {
 public:
  explicit NextFromShardKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("output_types", &spec_.types));
    c->SetStatus(c->GetAttr("output_shapes", &spec_.shapes));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  Status Run(OpKernelContext& op) const {
    Ref<MultiDeviceResource> resource;
    DatasetElement element;
    std::int32_t shard = 0;
    std::int64_t incarnation = 0;
    bool end = false;
    TENON_RETURN_IF_ERROR(ScalarOf(op, "shard_num", &shard));
    TENON_RETURN_IF_ERROR(ScalarOf(op, "incarnation_id", &incarnation));
    TENON_RETURN_IF_ERROR(LookupResource(op, op.input(0), &resource));
    IteratorContext context(op.environment());
    TENON_RETURN_IF_ERROR(resource->Next(context, shard, incarnation, &element, &end));
    if (end) return errors::OutOfRange("End of sequence");
    TENON_RETURN_IF_ERROR(VerifyElement(spec_, element));
    for (std::size_t i = 0; i < element.size(); ++i) op.set_output(static_cast<int>(i), std::move(element[i]));
    return OkStatus();
  }
  ElementSpec spec_;
};

// Drops a named resource. An anonymous one goes with its handles.
class DeleteMultiDeviceKernel : public OpKernel {
 public:
  explicit DeleteMultiDeviceKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  static Status Run(const OpKernelContext& context) {
    const ResourceHandle* handle = nullptr;
    ResourceMgr* resources = nullptr;
    TENON_RETURN_IF_ERROR(HandleOf(context.input(0), &handle));
    TENON_RETURN_IF_ERROR(tenon::detail::CheckHandle(context, *handle, kResourceType<MultiDeviceResource>));
    if (handle->IsRefCounting()) return OkStatus();
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    return resources->Delete<MultiDeviceResource>(handle->container, handle->name);
  }
};

}  // namespace detail

// A position that the named devices share.
struct MultiDeviceIterator : detail::CpuOp<detail::MultiDeviceKernel> {
  static constexpr auto signature = Op("MultiDeviceIterator")
                                        .Output("handle: resource")
                                        .Attr("devices: list(string) >= 1")
                                        .Attr("shared_name: string")
                                        .Attr("container: string")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
// One that only handles name; new in every run.
struct AnonymousMultiDeviceIterator : detail::CpuOp<detail::MultiDeviceKernel> {
  static constexpr auto signature = Op("AnonymousMultiDeviceIterator")
                                        .Output("handle: resource")
                                        .Output("deleter: variant")
                                        .Attr("devices: list(string) >= 1")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoScalarsShape);
};
struct AnonymousMultiDeviceIteratorV3 : detail::CpuOp<detail::MultiDeviceKernel> {
  static constexpr auto signature = Op("AnonymousMultiDeviceIteratorV3")
                                        .Output("handle: resource")
                                        .Attr("devices: list(string) >= 1")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// Puts it before the first element of a dataset. The output is what GetNextFromShard needs.
struct MultiDeviceIteratorInit : detail::CpuOp<detail::MultiDeviceInitKernel> {
  static constexpr auto signature = Op("MultiDeviceIteratorInit")
                                        .Input("dataset: variant")
                                        .Input("multi_device_iterator: resource")
                                        .Input("max_buffer_size: int64")
                                        .Output("incarnation_id: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// The next element of a device; OutOfRange at the end.
struct MultiDeviceIteratorGetNextFromShard : detail::CpuOp<detail::NextFromShardKernel> {
  static constexpr auto signature = Op("MultiDeviceIteratorGetNextFromShard")
                                        .Input("multi_device_iterator: resource")
                                        .Input("shard_num: int32")
                                        .Input("incarnation_id: int64")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ElementShapes);
};

struct DeleteMultiDeviceIterator : detail::CpuOp<detail::DeleteMultiDeviceKernel> {
  static constexpr auto signature = Op("DeleteMultiDeviceIterator")
                                        .Input("multi_device_iterator: resource")
                                        .Input("iterators: N * resource")
                                        .Input("deleter: variant")
                                        .Attr("N: int >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
};

// A string that names it, and back.
struct MultiDeviceIteratorToStringHandle : detail::CpuOp<detail::ToStringHandleKernelOf<detail::MultiDeviceResource>> {
  static constexpr auto signature = Op("MultiDeviceIteratorToStringHandle")
                                        .Input("multi_device_iterator: resource")
                                        .Output("string_handle: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct MultiDeviceIteratorFromStringHandle
    : detail::CpuOp<detail::FromStringHandleKernelOf<detail::MultiDeviceResource>> {
  static constexpr auto signature = Op("MultiDeviceIteratorFromStringHandle")
                                        .Input("string_handle: string")
                                        .Output("multi_device_iterator: resource")
                                        .Attr("output_types: list(type) >= 0 = []")
                                        .Attr("output_shapes: list(shape) >= 0 = []")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
