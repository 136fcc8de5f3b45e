// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels about resources, and resources that go with a tensor: IsResourceInitialized, ResourceHandlesOp,
// ResourceDeleter.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/op_kernel.hpp>
#include <tenon/compat/tensorflow/resource_mgr.hpp>

namespace tensorflow {

// Null for handles without a resource.
template <class T>
Status LookupResources(OpKernelContext* context, gtl::ArraySlice<ResourceHandle> handles,
                       std::vector<core::RefCountPtr<T>>* resources) {
  resources->clear();
  for (const ResourceHandle& handle : handles) {
    T* found = nullptr;
    if (!LookupResource(context, handle, &found).ok()) found = nullptr;
    resources->emplace_back(found);
  }
  return Status();
}

// Whether the resource of a handle exists.
template <class T>
class IsResourceInitialized : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    ResourceHandle handle;
    OP_REQUIRES_OK(context, HandleFromInput(context, 0, &handle));
    core::RefCountPtr<T> found;
    out->scalar<bool>()() = LookupResource(context, handle, &found).ok();
  }
};

// As many handles as the attr N says.
template <class T>
class ResourceHandlesOp : public OpKernel {
 public:
  explicit ResourceHandlesOp(OpKernelConstruction* context) : OpKernel(context) {
    int count = 0;
    OP_REQUIRES_OK(context, context->GetAttr("N", &count));
    OP_REQUIRES_OK(context, context->GetAttr("containers", &containers_));
    OP_REQUIRES_OK(context, context->GetAttr("shared_names", &names_));
    OP_REQUIRES(context, containers_.size() == static_cast<std::size_t>(count) && names_.size() == containers_.size(),
                errors::InvalidArgument("The lengths of 'containers' and 'shared_names' must be ", count));
  }
  void Compute(OpKernelContext* context) override {
    for (std::size_t i = 0; i < names_.size(); ++i)
      OP_REQUIRES_OK(context, MakeResourceHandleToOutput<T>(context, static_cast<int>(i), containers_[i], names_[i]));
  }
  bool IsExpensive() const override { return false; }

 private:
  std::vector<std::string> containers_, names_;
};

// Deletes a resource of the manager when its last copy goes: a value of a variant tensor.
class ResourceDeleter {
 public:
  ResourceDeleter() = default;
  ResourceDeleter(ResourceHandle handle, ResourceMgr* manager)
      : held_(std::make_shared<Held>(std::move(handle), manager)) {}
  static const char kTypeName[];
  std::string TypeName() const { return kTypeName; }
  std::string DebugString() const { return "ResourceDeleter"; }
  // Neither is supported: the resource is of this program.
  void Encode(VariantTensorData*) const { LOG(ERROR) << "Encode is not supported for ResourceDeleter objects."; }
  bool Decode(const VariantTensorData&) { return false; }

 private:
  struct Held {
    Held(ResourceHandle h, ResourceMgr* m) : handle(std::move(h)), manager(m) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
      if (manager != nullptr) (void)manager->Delete(handle);
    }
    ResourceHandle handle;
    ResourceMgr* manager;
  };
  std::shared_ptr<Held> held_;
};
inline const char ResourceDeleter::kTypeName[] = "tensorflow::ResourceDeleter";

// A shared pointer as a value of a variant tensor.
template <class T>
struct SharedPtrVariant {
  SharedPtrVariant() = default;
  explicit SharedPtrVariant(std::shared_ptr<T> pointer) : shared_ptr(std::move(pointer)) {}
  std::string TypeName() const { return "tensorflow::SharedPtrVariant"; }
  std::string DebugString() const { return "SharedPtrVariant"; }
  // Neither is supported: the object is of this program.
  void Encode(VariantTensorData*) const {}
  bool Decode(const VariantTensorData&) { return false; }
  std::shared_ptr<T> shared_ptr;
};

// Unlocks a variable's mutex and drops a reference when it goes.
class ScopedUnlockUnrefVar {
 public:
  explicit ScopedUnlockUnrefVar(Var* variable) : variable_(variable) {}
  ScopedUnlockUnrefVar(const ScopedUnlockUnrefVar&) = delete;
  ScopedUnlockUnrefVar& operator=(const ScopedUnlockUnrefVar&) = delete;
  ~ScopedUnlockUnrefVar() { Release(); }
  void Release() {
    Var* const variable = std::exchange(variable_, nullptr);
    if (variable == nullptr) return;
    variable->mu()->unlock();
    variable->Unref();
  }

 private:
  Var* variable_;
};

}  // namespace tensorflow
