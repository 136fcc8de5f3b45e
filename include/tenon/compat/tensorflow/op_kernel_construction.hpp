// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelConstruction: Tenon's, with TensorFlow's types.

#include <string>
#include <utility>

#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context_access.hpp>
#include <tenon/compat/tensorflow/device_base.hpp>
#include <tenon/compat/tensorflow/function_runtime.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

class Env;
class ResourceMgr;

// A tensor that a kernel keeps between its calls.
class PersistentTensor {
 public:
  PersistentTensor() = default;
  explicit PersistentTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  template <class Context>
  Tensor* AccessTensor(Context*) {
    return &tensor_;
  }
  bool IsInitialized() const { return tensor_.IsInitialized(); }
  int64_t NumElements() const { return tensor_.NumElements(); }
  int64_t AllocatedBytes() const { return static_cast<int64_t>(tensor_.AllocatedBytes()); }

 private:
  Tensor tensor_;
};

class OpKernelConstruction : public tenon::OpKernelConstruction {
 public:
  using Base = tenon::OpKernelConstruction;
  template <class T>
  Status GetAttr(StringPiece name, T* value) const {
    const auto get = [this](StringPiece of, auto* to) { return this->Base::GetAttr(of, to); };
    if constexpr (std::is_same_v<T, const NameAttrList*>)  // a part of def(), and valid as long
      return GetNodeAttr(AttrSlice(this->def()), name, value);
    else
      return AttrAs<T>::Read(get, name, value);
  }
  const NodeDef& def() const { return KeptMessage(Base::def()); }
  Env* env() const { return internal::DefaultEnv(); }
  FunctionLibraryRuntime* function_library() const {
    return static_cast<FunctionLibraryRuntime*>(Base::function_library());
  }
  DeviceType device_type() const { return DeviceType(Base::device_type()); }
  DeviceBase* device() const {
    thread_local DeviceBase device;
    return &device;
  }
  ResourceMgr* resource_manager() const;
  Status allocate_temp(DataType type, const tenon::TensorShape& shape, Tensor* out,
                       AllocatorAttributes attributes = {}) {
    return Base::allocate_temp(ToTenon(type), shape, out, attributes);
  }
  Status allocate_persistent(DataType type, const tenon::TensorShape& shape, PersistentTensor* out, Tensor** tensor) {
    Tensor made;
    TF_RETURN_IF_ERROR(allocate_temp(type, shape, &made));
    *out = PersistentTensor(std::move(made));
    if (tensor != nullptr) *tensor = out->AccessTensor(this);
    return Status();
  }
  DataType input_type(int i) const { return FromTenon(Base::input_type(i)); }
  DataType output_type(int i) const { return FromTenon(Base::output_type(i)); }
  DataTypeVector input_types() const { return FromTenonTypes(Base::input_types()); }
  DataTypeVector output_types() const { return FromTenonTypes(Base::output_types()); }
  // By the types alone: HostMemory of the registration is not known yet.
  MemoryTypeVector input_memory_types() const { return MemoryTypesOf(Base::input_types()); }
  MemoryTypeVector output_memory_types() const { return MemoryTypesOf(Base::output_types()); }
  Status MatchSignature(const DataTypeSlice inputs, const DataTypeSlice outputs) const {
    const std::vector<tenon::DataType> in = ToTenonTypes(inputs), out = ToTenonTypes(outputs);
    return Base::MatchSignature(in, out);
  }

 private:
  static MemoryTypeVector MemoryTypesOf(tenon::Span<const tenon::DataType> types) {
    MemoryTypeVector memory;
    for (const tenon::DataType type : types) memory.push_back(tenon::AlwaysOnHost(type) ? HOST_MEMORY : DEVICE_MEMORY);
    return memory;
  }
};
static_assert(sizeof(OpKernelConstruction) == sizeof(tenon::OpKernelConstruction));

}  // namespace tensorflow
