// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceHandle, VariantTensorData and Variant: Tenon's, with TensorFlow's accessors. They have no members of their
// own.

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

struct DtypeAndPartialTensorShape {
  DataType dtype;
  PartialTensorShape shape;
};

class ResourceHandle : public tenon::ResourceHandle {
 public:
  using Base = tenon::ResourceHandle;
  ResourceHandle() = default;
  ResourceHandle(const Base& handle) : Base(handle) {}
  ResourceHandle(Base&& handle) : Base(std::move(handle)) {}

  static constexpr const char* ANONYMOUS_NAME = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
  const std::string& device() const { return Base::device; }
  void set_device(const std::string& device) { Base::device = device; }
  const std::string& container() const { return Base::container; }
  void set_container(const std::string& container) { Base::container = container; }
  const std::string& name() const { return Base::name; }
  void set_name(const std::string& name) { Base::name = name; }
  uint64_t hash_code() const { return Base::hash_code; }
  void set_hash_code(uint64_t hash) { Base::hash_code = hash; }
  const std::string& maybe_type_name() const { return Base::maybe_type_name; }
  void set_maybe_type_name(const std::string& name) { Base::maybe_type_name = name; }
  std::vector<DtypeAndPartialTensorShape> dtypes_and_shapes() const {
    std::vector<DtypeAndPartialTensorShape> out;
    for (const tenon::DtypeAndPartialShape& item : Base::dtypes_and_shapes)
      out.push_back({FromTenon(item.dtype), item.shape});
    return out;
  }
  void set_dtypes_and_shapes(const std::vector<DtypeAndPartialTensorShape>& items) {
    Base::dtypes_and_shapes.clear();
    for (const DtypeAndPartialTensorShape& item : items)
      Base::dtypes_and_shapes.push_back({ToTenon(item.dtype), item.shape});
  }
  // Takes over the caller's reference.
  template <class T>
  static ResourceHandle MakeRefCountingHandle(T* resource, const std::string& device,
                                              const std::vector<DtypeAndPartialTensorShape>& values = {},
                                              const std::optional<int>& = {}) {
    ResourceHandle handle = tenon::MakeRefCountingHandle<T>(device, tenon::Ref<T>::Adopt(resource));
    handle.set_dtypes_and_shapes(values);
    return handle;
  }
  // Borrowed. InvalidArgument: the handle names a resource instead of keeping it, or one of another type.
  template <class T>
  StatusOr<T*> GetResource() const {
    TF_RETURN_IF_ERROR(ValidateType<T>());
    if (!IsRefCounting()) return errors::InvalidArgument("GetResource: the handle keeps no resource: ", DebugString());
    return static_cast<T*>(object.get());
  }
  template <class T>
  Status ValidateType() const {
    if (Base::hash_code == tenon::kResourceType<T>.hash) return Status();
    return errors::InvalidArgument("Trying to access a handle's resource using the wrong type. The handle points to a ",
                                   "resource (name '", name(), "') of type '", maybe_type_name(), "' but you are ",
                                   "trying to access the resource as type '", tenon::kResourceType<T>.name, "'");
  }
};
static_assert(sizeof(ResourceHandle) == sizeof(tenon::ResourceHandle));

class VariantTensorData : public tenon::VariantTensorData {
 public:
  using Base = tenon::VariantTensorData;
  VariantTensorData() = default;
  VariantTensorData(const Base& data) : Base(data) {}
  const std::string& type_name() const { return Base::type_name; }
  void set_type_name(const std::string& name) { Base::type_name = name; }
  const std::string& metadata_string() const { return metadata; }
  template <class T>
  void set_metadata(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      metadata = std::string(std::string_view(value));
    } else {
      SetMetadata(value);
    }
  }
  template <class T>
  bool get_metadata(T* value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      *value = metadata;
      return true;
    } else {
      return GetMetadata(value);
    }
  }
  Tensor* add_tensors() { return Add(tenon::Tensor()); }
  Tensor* add_tensor() { return add_tensors(); }
  Tensor* add_tensors(const Tensor& tensor) { return Add(tensor); }
  int tensors_size() const { return static_cast<int>(Base::tensors.size()); }
  const Tensor& tensors(int i) const { return AsTensorFlow(Base::tensors[static_cast<std::size_t>(i)]); }
  std::vector<Tensor> tensors() const { return {Base::tensors.begin(), Base::tensors.end()}; }

 private:
  Tensor* Add(const tenon::Tensor& tensor) {
    Base::tensors.push_back(tensor);
    return AsTensorFlow(&Base::tensors.back());
  }
};

class Variant : public tenon::Variant {
 public:
  using Base = tenon::Variant;
  Variant() = default;
  Variant(const Base& variant) : Base(variant) {}
  Variant(Base&& variant) noexcept : Base(std::move(variant)) {}
  template <class T>
    requires(!std::is_base_of_v<Base, std::remove_cvref_t<T>>)
  Variant(T&& value) : Base(std::forward<T>(value)) {}
  template <class T>
    requires(!std::is_base_of_v<Base, std::remove_cvref_t<T>>)
  Variant& operator=(T&& value) {
    Base::operator=(Base(std::forward<T>(value)));
    return *this;
  }
};
static_assert(sizeof(Variant) == sizeof(tenon::Variant));

}  // namespace tensorflow

// Accepted: variants that come from files keep their serialised form.
#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Type, NAME) static_assert(true, NAME)
