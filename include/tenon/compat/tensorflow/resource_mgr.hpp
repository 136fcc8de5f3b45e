// SPDX-License-Identifier: Apache-2.0
#pragma once
// Resources: ResourceBase, ResourceMgr, handles and their look-up, Var, ResourceHandleOp and ResourceOpKernel.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/compat/tensorflow/common_shape_fns.hpp>
#include <tenon/compat/tensorflow/kernel_def_builder.hpp>
#include <tenon/compat/tensorflow/base/refcount.hpp>
#include <tenon/compat/tensorflow/base/type_index.hpp>
#include <tenon/compat/tensorflow/variant.hpp>

namespace tensorflow {
class GraphDefBuilder;
class Node;
class ResourceBase : public tenon::Resource {
 public:
  virtual Status AsGraphDef(GraphDefBuilder*, Node**) const {
    return errors::Unimplemented("AsGraphDef not implemented for resource ", DebugString());
  }
  void Ref() const { this->AddRef(); }
  int64_t RefCount() const { return this->num_refs(); }
  std::string DebugString() const override { return {}; }
};
}  // namespace tensorflow

TENON_DETAIL_NAMESPACE_BEGIN
// TensorFlow's resources name no type: it is the class's name in C++.
template <class T>
  requires std::is_base_of_v<::tensorflow::ResourceBase, T>
inline constexpr ResourceType kResourceType<T>{Hash64(detail::CppName<T>()), detail::CppName<T>()};
TENON_DETAIL_NAMESPACE_END

namespace tensorflow {

class ResourceMgr : public tenon::ResourceMgr {
 public:
  using Base = tenon::ResourceMgr;
  ResourceMgr() = default;
  // The default container is "localhost" whatever its name here.
  explicit ResourceMgr(const std::string&) {}
  std::string default_container() const { return std::string(kDefaultContainer); }
  // Takes over the caller's reference.
  template <class T>
  Status Create(const std::string& container, const std::string& name, T* resource) {
    return Base::Create<T>(container, name, tenon::Ref<T>::Adopt(resource));
  }
  // The caller keeps its reference; the manager has one of its own.
  template <class T>
  Status CreateUnowned(const std::string& container, const std::string& name, T* resource) {
    resource->AddRef();
    return Base::Create<T>(container, name, tenon::Ref<T>::Adopt(resource));
  }
  // Null for names without a resource.
  template <class T, bool use_dynamic_cast = false>
  Status LookupMany(gtl::ArraySlice<std::pair<const std::string*, const std::string*>> names,
                    std::vector<core::RefCountPtr<T>>* resources) const {
    resources->clear();
    for (const auto& [container, name] : names) {
      T* found = nullptr;
      if (!Lookup<T>(*container, *name, &found).ok()) found = nullptr;
      resources->emplace_back(found);
    }
    return Status();
  }
  // *resource has a reference of its own, which the caller drops.
  template <class T, bool use_dynamic_cast = false>
  Status Lookup(const std::string& container, const std::string& name, T** resource) const {
    tenon::Ref<T> found;
    TF_RETURN_IF_ERROR(Base::Lookup<T>(container, name, &found));
    *resource = found.release();
    return Status();
  }
  template <class T, bool use_dynamic_cast = false>
  Status LookupOrCreate(const std::string& container, const std::string& name, T** resource,
                        std::function<Status(T**)> creator) {
    const auto make = [&creator](tenon::Ref<T>* out) -> Status {
      T* made = nullptr;
      TF_RETURN_IF_ERROR(creator(&made));
      *out = tenon::Ref<T>::Adopt(made);
      return Status();
    };
    tenon::Ref<T> found;
    TF_RETURN_IF_ERROR(Base::LookupOrCreate<T>(container, name, &found, make));
    *resource = found.release();
    return Status();
  }
  template <class T>
  Status Delete(const std::string& container, const std::string& name) {
    return Base::Delete<T>(container, name);
  }
  Status Delete(const ResourceHandle& handle) { return Base::Delete(handle); }
};
static_assert(sizeof(ResourceMgr) == sizeof(tenon::ResourceMgr));

// The resources of one run.
class ScopedStepContainer : public tenon::StepContainer {
 public:
  using Base = tenon::StepContainer;
  using Base::Base;
  template <class T>
  Status Create(ResourceMgr*, const std::string& name, T* resource) {
    return Base::Create<T>(name, tenon::Ref<T>::Adopt(resource));
  }
  template <class T>
  Status Lookup(ResourceMgr*, const std::string& name, T** resource) const {
    tenon::Ref<T> found;
    TF_RETURN_IF_ERROR(Base::Lookup<T>(name, &found));
    *resource = found.release();
    return Status();
  }
  template <class T>
  Status LookupOrCreate(ResourceMgr* manager, const std::string& name, T** resource,
                        std::function<Status(T**)> creator) {
    MarkUsed();
    return manager->LookupOrCreate<T>(this->name(), name, resource, std::move(creator));
  }
  template <class T>
  Status Delete(ResourceMgr*, const std::string& name) {
    return Base::Delete<T>(name);
  }
};
static_assert(sizeof(ScopedStepContainer) == sizeof(tenon::StepContainer));
inline ScopedStepContainer* OpKernelContext::step_container() const {
  return static_cast<ScopedStepContainer*>(Base::step_container());
}

inline ResourceMgr* OpKernelContext::resource_manager() const {
  return static_cast<ResourceMgr*>(Base::resource_manager());
}
inline ResourceMgr* OpKernelConstruction::resource_manager() const {
  return static_cast<ResourceMgr*>(Base::resource_manager());
}

class ContainerInfo {
 public:
  Status Init(ResourceMgr* manager, const NodeDef& node, bool use_node_name_as_default) {
    const tenon::NodeDef held = ToTenon(node);
    const tenon::OpKernelConstruction reader(&held, nullptr, {}, {}, {}, nullptr);
    TF_ASSIGN_OR_RETURN(info_, tenon::ContainerInfo::From(reader, use_node_name_as_default));
    manager_ = manager;
    return Status();
  }
  Status Init(ResourceMgr* manager, const NodeDef& node) { return Init(manager, node, false); }
  ResourceMgr* resource_manager() const { return manager_; }
  const std::string& container() const { return info_.container; }
  const std::string& name() const { return info_.name; }
  bool resource_is_private_to_kernel() const { return info_.private_to_kernel; }
  std::string DebugString() const {
    return strings::StrCat("[", container(), ",", name(), ",", resource_is_private_to_kernel() ? "private" : "public",
                           "]");
  }

 private:
  ResourceMgr* manager_ = nullptr;
  tenon::ContainerInfo info_;
};

inline const ResourceHandle& HandleFromInput(OpKernelContext* context, int i) {
  return *context->input(i).base<const ResourceHandle>();
}
inline Status HandleFromInput(OpKernelContext* context, int i, ResourceHandle* handle) {
  const tenon::ResourceHandle* found = nullptr;
  TF_RETURN_IF_ERROR(tenon::HandleOf(context->input(i), &found));
  *handle = *found;
  return Status();
}
inline Status HandleFromInput(OpKernelContext* context, StringPiece name, ResourceHandle* handle) {
  const Tensor* tensor = nullptr;
  const tenon::ResourceHandle* found = nullptr;
  TF_RETURN_IF_ERROR(context->input(name, &tensor));
  TF_RETURN_IF_ERROR(tenon::HandleOf(*tensor, &found));
  *handle = *found;
  return Status();
}
template <class T>
ResourceHandle MakeResourceHandle(const OpKernelContext* context, const std::string& container, const std::string& name,
                                  const std::vector<DtypeAndPartialTensorShape>& values = {},
                                  const std::optional<int>& = {}) {
  ResourceHandle handle = tenon::MakeResourceHandle<T>(context->device_name(), container, name);
  handle.set_dtypes_and_shapes(values);
  return handle;
}
// A handle of a resource of this run.
template <class T>
ResourceHandle MakePerStepResourceHandle(OpKernelContext* context, const std::string& name) {
  context->step_container()->MarkUsed();
  return MakeResourceHandle<T>(context, context->step_container()->name(), name);
}
template <class T>
Status MakeResourceHandleToOutput(OpKernelContext* context, int i, const std::string& container,
                                  const std::string& name, const TypeIndex& = TypeIndex::Make<T>()) {
  Tensor* handle = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(i, TensorShape(), &handle));
  *handle->base<ResourceHandle>() = MakeResourceHandle<T>(context, container, name);
  return Status();
}
// *resource has a reference of its own, which the caller drops.
template <class T, bool use_dynamic_cast = false>
Status LookupResource(OpKernelContext* context, const ResourceHandle& handle, T** resource) {
  tenon::Ref<T> found;
  TF_RETURN_IF_ERROR(tenon::LookupResource<T>(*context, handle, &found));
  *resource = found.release();
  return Status();
}
template <class T>
Status LookupResource(OpKernelContext* context, const ResourceHandle& handle, core::RefCountPtr<T>* resource) {
  T* found = nullptr;
  TF_RETURN_IF_ERROR(LookupResource(context, handle, &found));
  resource->reset(found);
  return Status();
}
template <class T>
Status CreateResource(OpKernelContext* context, const ResourceHandle& handle, T* resource) {
  return context->resource_manager()->Create<T>(handle.container(), handle.name(), resource);
}
template <class T>
Status LookupOrCreateResource(OpKernelContext* context, const ResourceHandle& handle, T** resource,
                              std::function<Status(T**)> creator) {
  return context->resource_manager()->LookupOrCreate<T>(handle.container(), handle.name(), resource,
                                                        std::move(creator));
}
template <class T>
Status LookupOrCreateResource(OpKernelContext* context, const ResourceHandle& handle, core::RefCountPtr<T>* resource,
                              std::function<Status(T**)> creator) {
  T* found = nullptr;
  TF_RETURN_IF_ERROR(LookupOrCreateResource(context, handle, &found, std::move(creator)));
  resource->reset(found);
  return Status();
}
template <class T>
Status DeleteResource(OpKernelContext* context, const ResourceHandle& handle) {
  return context->resource_manager()->Delete<T>(handle.container(), handle.name());
}
inline Status DeleteResource(OpKernelContext* context, const ResourceHandle& handle) {
  return context->resource_manager()->Delete(handle);
}
// The resource that an input names, by a handle or by a pair (container, name) of strings.
template <class T>
Status GetResourceFromContext(OpKernelContext* context, const std::string& input_name, T** resource) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(context->input(input_name, &tensor));
  if (tensor->dtype() == DT_RESOURCE) return LookupResource(context, *tensor->base<const ResourceHandle>(), resource);
  if (tensor->dtype() != DT_STRING || tensor->NumElements() != 2)
    return errors::InvalidArgument("Resource handle must have 2 elements, but had shape: ",
                                   tensor->shape().DebugString());
  const auto names = tensor->flat<tstring>();
  return context->resource_manager()->Lookup<T>(names(0), names(1), resource);
}

// The state of a variable: Tenon's.
class Var : public tenon::Var {
 public:
  explicit Var(DataType type) : tenon::Var(ToTenon(type)) {}
  void Ref() const { this->AddRef(); }
  ::tensorflow::mutex* mu() { return static_cast<::tensorflow::mutex*>(&this->tenon::Var::mutex); }
  Tensor* tensor() { return AsTensorFlow(&this->tenon::Var::tensor); }
  void Uninitialize() {
    const tenon::MutexLock lock(this->tenon::Var::mutex);
    is_initialized = false;
    this->tenon::Var::tensor = tenon::Tensor();
  }
};
static_assert(sizeof(Var) == sizeof(tenon::Var));

template <class T>
class ResourceHandleOp : public OpKernel {
 public:
  explicit ResourceHandleOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("container", &container_));
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &name_));
  }
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_OK(context, MakeResourceHandleToOutput<T>(context, 0, container_, name_.empty() ? name() : name_));
  }
  bool IsExpensive() const override { return false; }

 private:
  std::string container_, name_;
};

// A kernel that makes a resource when it first runs and gives its handle.
template <class T>
class ResourceOpKernel : public OpKernel {
 public:
  explicit ResourceOpKernel(OpKernelConstruction* context) : OpKernel(context) {}
  ~ResourceOpKernel() override {
    if (resource_ == nullptr) return;
    resource_->Unref();
    if (cinfo_.resource_is_private_to_kernel())
      (void)cinfo_.resource_manager()->template Delete<T>(cinfo_.container(), cinfo_.name());
  }
  void Compute(OpKernelContext* context) override {
    mutex_lock lock(mu_);
    if (resource_ != nullptr && resource_->RefCountIsOne()) {  // the manager has dropped it
      resource_->Unref();
      resource_ = nullptr;
    }
    if (resource_ == nullptr) {
      OP_REQUIRES_OK(context, cinfo_.Init(context->resource_manager(), def(), false));
      T* resource = nullptr;
      OP_REQUIRES_OK(context, cinfo_.resource_manager()->template LookupOrCreate<T>(
                                  cinfo_.container(), cinfo_.name(), &resource,
                                  [this](T** made) { return CreateResource(made); }));
      const Status status = VerifyResource(resource);
      if (!status.ok()) {
        resource->Unref();
        return context->SetStatus(status);
      }
      resource_ = resource;
    }
    if (context->expected_output_dtype(0) == DT_RESOURCE) {
      OP_REQUIRES_OK(context, MakeResourceHandleToOutput<T>(context, 0, cinfo_.container(), cinfo_.name()));
      return;
    }
    Tensor handle(DT_STRING, TensorShape({2}));
    handle.flat<tstring>()(0) = cinfo_.container();
    handle.flat<tstring>()(1) = cinfo_.name();
    if (!IsRefType(context->expected_output_dtype(0))) return context->set_output(0, handle);
    auto variable = tenon::Ref<tenon::LegacyVar>::Adopt(new tenon::LegacyVar(tenon::DataType::kString));
    variable->tensor = handle;
    static_cast<tenon::OpKernelContext*>(context)->set_output_ref(0, std::move(variable));
  }

 protected:
  core::RefCountPtr<T> get_resource() {
    mutex_lock lock(mu_);
    return core::GetNewRef(resource_);
  }
  mutex mu_;
  ContainerInfo cinfo_;
  T* resource_ = nullptr;

 private:
  virtual Status CreateResource(T** resource) = 0;
  virtual Status VerifyResource(T*) { return Status(); }
};

}  // namespace tensorflow

#define REGISTER_RESOURCE_HANDLE_OP(Type) \
  REGISTER_OP(#Type "HandleOp")           \
      .Attr("container: string = ''")     \
      .Attr("shared_name: string = ''")   \
      .Output("resource: resource")       \
      .SetIsStateful()                    \
      .SetShapeFn(::tensorflow::shape_inference::ScalarShape)
#define REGISTER_RESOURCE_HANDLE_KERNEL(Type) \
  REGISTER_KERNEL_BUILDER(Name(#Type "HandleOp").Device(::tensorflow::DEVICE_CPU), ::tensorflow::ResourceHandleOp<Type>)
