// SPDX-License-Identifier: Apache-2.0
#pragma once
// Iterator, IteratorV2, AnonymousIterator, MakeIterator, IteratorGetNext and their forms: positions in datasets that
// stay from run to run.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/kernel/dataset/iterator_resource.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/optional.hpp>
#include <tenon/ops/data/scan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// An iterator that the node's name, or its shared_name, stands for.
class IteratorKernel : public OpKernel {
 public:
  explicit IteratorKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("output_types", &spec_.types));
    c->SetStatus(c->GetAttr("output_shapes", &spec_.shapes));
    Result<ContainerInfo> info = ContainerInfo::From(*c);
    c->SetStatus(info.status());
    if (info.ok()) info_ = *std::move(info);
  }
  void Compute(OpKernelContext* context) override {
    Ref<IteratorResource> iterator;
    context->SetStatus(Open(context, &iterator));
  }

 protected:
  // Sets output 0 to the handle.
  Status Open(OpKernelContext* context, Ref<IteratorResource>* iterator) const {
    ResourceMgr* resources = nullptr;
    TENON_RETURN_IF_ERROR(GetResources(*context, &resources));
    TENON_RETURN_IF_ERROR(
        resources->LookupOrCreate<IteratorResource>(info_.container, info_.name, iterator, [&](auto* made) {
          *made = Ref<IteratorResource>::Adopt(new IteratorResource(spec_));
          return OkStatus();
        }));
    TENON_RETURN_IF_ERROR(VerifyTypesMatch(spec_.types, (*iterator)->spec().types));
    TENON_RETURN_IF_ERROR(VerifyShapesCompatible(spec_.shapes, (*iterator)->spec().shapes));
    context->set_output(
        0, HandleTensor(MakeResourceHandle<IteratorResource>(context->device_name(), info_.container, info_.name)));
    return OkStatus();
  }
  ElementSpec spec_;
  ContainerInfo info_;
};

// An iterator of the dataset that a function makes in the first run; an error of it comes again in every run.
class OneShotIteratorKernel : public IteratorKernel {
 public:
  explicit OneShotIteratorKernel(OpKernelConstruction* c) : IteratorKernel(c) {
    std::string_view shared_name;
    c->SetStatus(c->GetAttr("dataset_factory", &factory_.call));
    c->SetStatus(c->GetAttr("shared_name", &shared_name));
    if (!shared_name.empty())
      c->SetStatus(
          errors::InvalidArgument("OneShotIteratorOp does not currently support the 'shared_name' attr, which is '",
                                  shared_name, "'; leave it empty."));
    if (c->status().ok() && c->function_library() != nullptr)
      c->SetStatus(c->function_library()->Find(factory_.call).status());
  }
  void Compute(OpKernelContext* context) override {
    const tenon::MutexLock lock(mutex_);
    if (!is_made_) made_status_ = Make(context);
    is_made_ = true;
    Ref<IteratorResource> iterator;
    context->SetStatus(made_status_.ok() ? Open(context, &iterator) : made_status_);
  }

 private:
  Status Make(OpKernelContext* op) const {
    IteratorContext context(op->environment());
    FunctionCaller caller(&factory_);
    DatasetElement results;
    Ref<const DatasetBase> dataset;
    Ref<IteratorResource> iterator;
    TENON_RETURN_IF_ERROR(caller.Run(context, {}, &results));
    if (results.size() != 1 || results[0].dtype() != DataType::kVariant || results[0].dims() != 0)
      return errors::InvalidArgument("The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.");
    TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(results[0], &dataset));
    TENON_RETURN_IF_ERROR(Open(op, &iterator));
    return iterator->SetDataset(context, std::move(dataset));
  }
  CapturedFunction factory_;
  Mutex mutex_;
  bool is_made_ = false;
  Status made_status_;
};

// The second output of AnonymousIteratorV2 and others: keeps the resource, as the handle does.
struct ResourceDeleter {
  Ref<RefCounted> resource;
  std::string_view TypeName() const { return "ResourceDeleter"; }
  std::string DebugString() const { return "ResourceDeleter"; }
};
// Outputs: a handle that keeps the resource alive and, where the op has one, a deleter.
template <class T>
Status SetAnonymous(OpKernelContext* context, Ref<T> resource) {
  if (context->num_outputs() > 1) {
    TENON_ASSIGN_OR_RETURN(Tensor deleter, Tensor::Make(DataType::kVariant, TensorShape()));
    deleter.data<Variant>()[0] = ResourceDeleter{resource};
    context->set_output(1, std::move(deleter));
  }
  context->set_output(0, HandleTensor(MakeRefCountingHandle<T>(context->device_name(), std::move(resource))));
  return OkStatus();
}

class AnonymousIteratorKernel : public OpKernel {
 public:
  explicit AnonymousIteratorKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("output_types", &spec_.types));
    c->SetStatus(c->GetAttr("output_shapes", &spec_.shapes));
  }
  void Compute(OpKernelContext* context) override {
    context->SetStatus(SetAnonymous(context, Ref<IteratorResource>::Adopt(new IteratorResource(spec_))));
  }

 private:
  ElementSpec spec_;
};

class MakeIteratorKernel : public OpKernel {
 public:
  explicit MakeIteratorKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    Ref<const DatasetBase> dataset;
    Ref<IteratorResource> iterator;
    TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(op->input(0), &dataset));
    TENON_RETURN_IF_ERROR(LookupResource(*op, op->input(1), &iterator));
    IteratorContext context(op->environment());
    return iterator->SetDataset(context, std::move(dataset));
  }
};

// Drops the position of a named iterator. An anonymous one goes with its handles.
class DeleteIteratorKernel : public OpKernel {
 public:
  explicit DeleteIteratorKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    Ref<IteratorResource> iterator;
    const ResourceHandle* handle = nullptr;
    TENON_RETURN_IF_ERROR(LookupResource(*op, op->input(0), &iterator));
    TENON_RETURN_IF_ERROR(HandleOf(op->input(0), &handle));
    if (handle->IsRefCounting()) return OkStatus();
    IteratorContext context(op->environment());
    return iterator->Clear(context);
  }
};

class GetNextKernel : public OpKernel {
 public:
  explicit GetNextKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("output_types", &spec_.types));
    c->SetStatus(c->GetAttr("output_shapes", &spec_.shapes));
    as_optional_ = c->op().name == "IteratorGetNextAsOptional";
    if (as_optional_) c->SetStatus(RegisterOptional());
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  Status Run(OpKernelContext* op) const {
    Ref<IteratorResource> iterator;
    DatasetElement element;
    bool end = false;
    TENON_RETURN_IF_ERROR(LookupResource(*op, op->input(0), &iterator));
    IteratorContext context(op->environment());
    TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
    if (end && !as_optional_) return errors::OutOfRange("End of sequence");
    if (!end && !(as_optional_ && element.size() < spec_.types.size()))  // as TensorFlow, which counts no components
      TENON_RETURN_IF_ERROR(VerifyElement(spec_, element));
    if (as_optional_) return SetOptional(op, OptionalVariant{!end, std::move(element)});
    for (std::size_t i = 0; i < element.size(); ++i) op->set_output(static_cast<int>(i), std::move(element[i]));
    return OkStatus();
  }
  ElementSpec spec_;
  bool as_optional_ = false;
};

constexpr Status TwoScalarsShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  c->set_output(1, c->Scalar());
  return OkStatus();
}

}  // namespace detail

// A position in a dataset, by name. MakeIterator gives it the dataset.
struct Iterator {
  static constexpr auto signature = Op("Iterator")
                                        .Output("handle: resource")
                                        .Attr("shared_name: string")
                                        .Attr("container: string")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::IteratorKernel {
    explicit kernel(OpKernelConstruction* c) : IteratorKernel(c) {}
  };
};

// As Iterator.
struct IteratorV2 {
  static constexpr auto signature = Op("IteratorV2")
                                        .Output("handle: resource")
                                        .Attr("shared_name: string")
                                        .Attr("container: string")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::IteratorKernel {
    explicit kernel(OpKernelConstruction* c) : IteratorKernel(c) {}
  };
};

// A position in the dataset that a function makes once.
struct OneShotIterator {
  static constexpr auto signature = Op("OneShotIterator")
                                        .Output("handle: resource")
                                        .Attr("dataset_factory: func")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::OneShotIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : OneShotIteratorKernel(c) {}
  };
};

// A position in a dataset that only handles name; new in every run.
struct AnonymousIterator {
  static constexpr auto signature = Op("AnonymousIterator")
                                        .Output("handle: resource")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::AnonymousIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : AnonymousIteratorKernel(c) {}
  };
};

// As AnonymousIterator, with a deleter for DeleteIterator.
struct AnonymousIteratorV2 {
  static constexpr auto signature = Op("AnonymousIteratorV2")
                                        .Output("handle: resource")
                                        .Output("deleter: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoScalarsShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::AnonymousIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : AnonymousIteratorKernel(c) {}
  };
};

// As AnonymousIterator.
struct AnonymousIteratorV3 {
  static constexpr auto signature = Op("AnonymousIteratorV3")
                                        .Output("handle: resource")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::AnonymousIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : AnonymousIteratorKernel(c) {}
  };
};

// Puts an iterator before the first element of a dataset.
struct MakeIterator {
  static constexpr auto signature = Op("MakeIterator")
                                        .Input("dataset: variant")
                                        .Input("iterator: resource")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::MakeIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : MakeIteratorKernel(c) {}
  };
};

// Drops the position of an iterator.
struct DeleteIterator {
  static constexpr auto signature = Op("DeleteIterator")
                                        .Input("handle: resource")
                                        .Input("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DeleteIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : DeleteIteratorKernel(c) {}
  };
};

// The next element; OutOfRange at the end.
struct IteratorGetNext {
  static constexpr auto signature = Op("IteratorGetNext")
                                        .Input("iterator: resource")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ElementShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::GetNextKernel {
    explicit kernel(OpKernelConstruction* c) : GetNextKernel(c) {}
  };
};

// As IteratorGetNext.
struct IteratorGetNextSync {
  static constexpr auto signature = Op("IteratorGetNextSync")
                                        .Input("iterator: resource")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ElementShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::GetNextKernel {
    explicit kernel(OpKernelConstruction* c) : GetNextKernel(c) {}
  };
};

// The next element as an optional, without a value at the end.
struct IteratorGetNextAsOptional {
  static constexpr auto signature = Op("IteratorGetNextAsOptional")
                                        .Input("iterator: resource")
                                        .Output("optional: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::GetNextKernel {
    explicit kernel(OpKernelConstruction* c) : GetNextKernel(c) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
