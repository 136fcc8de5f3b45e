// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceHandle, VariantTensorData and Variant: Tenon's, with TensorFlow's accessors. They have no members of their
// own.

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/compat/tensorflow/base/type_index.hpp>
#include <tenon/compat/tensorflow/op_kernel_context.hpp>
#include <tenon/compat/tensorflow/proto/tensor.hpp>
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
  explicit ResourceHandle(const ResourceHandleProto& proto) { (void)FromProto(proto); }
  static Status BuildResourceHandle(const ResourceHandleProto& proto, ResourceHandle* out) {
    return out->FromProto(proto);
  }
  void AsProto(ResourceHandleProto* proto) const {
    proto->Clear();
    proto->set_device(Base::device);
    proto->set_container(Base::container);
    proto->set_name(Base::name);
    proto->set_hash_code(Base::hash_code);
    proto->set_maybe_type_name(Base::maybe_type_name);
    for (const DtypeAndPartialTensorShape& item : dtypes_and_shapes()) {
      ResourceHandleProto_DtypeAndShape* const added = proto->add_dtypes_and_shapes();
      added->set_dtype(item.dtype);
      item.shape.AsProto(added->mutable_shape());
    }
  }
  // The object of the handle stays as it is.
  Status FromProto(const ResourceHandleProto& proto) {
    std::vector<DtypeAndPartialTensorShape> items;
    for (const ResourceHandleProto_DtypeAndShape& item : proto.dtypes_and_shapes()) {
      PartialTensorShape shape;
      TF_RETURN_IF_ERROR(PartialTensorShape::BuildPartialTensorShape(item.shape(), &shape));
      items.push_back({item.dtype(), shape});
    }
    Base::device = proto.device();
    Base::container = proto.container();
    Base::name = proto.name();
    Base::hash_code = proto.hash_code();
    Base::maybe_type_name = proto.maybe_type_name();
    set_dtypes_and_shapes(items);
    return Status();
  }
  std::string SerializeAsString() const {
    ResourceHandleProto proto;
    AsProto(&proto);
    return proto.SerializeAsString();
  }
  bool SerializeToString(std::string* out) const { return *out = SerializeAsString(), true; }
  bool ParseFromString(StringPiece bytes) {
    ResourceHandleProto proto;
    return proto.ParseFromString(bytes) && FromProto(proto).ok();
  }
  std::optional<int> definition_stack_trace() const { return std::nullopt; }
  void set_definition_stack_trace(const std::optional<int>&) {}
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
  std::string& metadata_string() { return metadata; }
  std::string DebugString() const { return Base::DebugString(); }
  void ToProto(VariantTensorDataProto* proto) const {
    proto->Clear();
    proto->set_type_name(Base::type_name);
    proto->set_metadata(metadata);
    for (const tenon::Tensor& tensor : Base::tensors) AsTensorFlow(tensor).AsProtoField(proto->add_tensors());
  }
  bool FromProto(const VariantTensorDataProto& proto) {
    Base::type_name = proto.type_name();
    metadata = proto.metadata();
    Base::tensors.clear();
    for (const TensorProto& tensor : proto.tensors())
      if (!add_tensors()->FromProto(tensor)) return false;
    return true;
  }
  bool FromConstProto(const VariantTensorDataProto& proto) { return FromProto(proto); }
  std::string SerializeAsString() const {
    VariantTensorDataProto proto;
    ToProto(&proto);
    return proto.SerializeAsString();
  }
  bool SerializeToString(std::string* out) const { return *out = SerializeAsString(), true; }
  bool ParseFromString(StringPiece bytes) {
    VariantTensorDataProto proto;
    return proto.ParseFromString(bytes) && FromProto(proto);
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

}  // namespace tensorflow

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {
// Types of TensorFlow's sources take TensorFlow's class.
template <class T>
  requires(
      requires(const T& value, ::tensorflow::VariantTensorData* data) { value.Encode(data); } &&
      !requires(const T& value, VariantTensorData* data) { value.Encode(data); })
struct VariantDataOf<T> {
  using type = ::tensorflow::VariantTensorData;
};
}  // namespace detail
TENON_DETAIL_NAMESPACE_END

namespace tensorflow {

class Variant : public tenon::Variant {
 public:
  using Base = tenon::Variant;
  template <class T>
  static constexpr bool kIsValue = !std::is_base_of_v<Base, T> && !std::is_same_v<T, VariantTensorData> &&
                                   !std::is_same_v<T, VariantTensorDataProto>;
  Variant() = default;
  std::string SummarizeValue() const { return DebugString(); }
  // The index of the value's type; types of unnamed namespaces have one that Make does not give.
  TypeIndex TypeId() const {
    if (table() == nullptr) return TypeIndex::Make<void>();
    if (!table()->cpp_name.empty()) return TypeIndex(table()->cpp_name);
    return TypeIndex("unnamed", reinterpret_cast<std::uintptr_t>(table()));
  }
  void clear() noexcept { Base::operator=(Base()); }
  void swap(Variant& other) noexcept { std::swap(static_cast<Base&>(*this), static_cast<Base&>(other)); }
  template <class T, class... Arguments>
  T& emplace(Arguments&&... arguments) {
    Base::operator=(Base(T(std::forward<Arguments>(arguments)...)));
    return *Base::get<T>();
  }
  void Encode(VariantTensorData* data) const { static_cast<void>(tenon::EncodeVariant(*this, data)); }
  // The value becomes a serialised one, or is decoded into the type that it has.
  bool Decode(VariantTensorData data) {
    if (is_empty()) return Base::operator=(Base(tenon::VariantTensorData(std::move(data)))), true;
    return table()->decode(&data, value());
  }
  // A copy of the value, decoded where it is still serialised. False: it is of another type.
  template <class T>
  bool MaybeDecodeAndCopy(T* out) const {
    Base copy(*this);
    auto found = tenon::GetVariantValue<T>(&copy);
    if (!found.ok()) return false;
    *out = **found;
    return true;
  }
  Variant(const Base& variant) : Base(variant) {}
  Variant(Base&& variant) noexcept : Base(std::move(variant)) {}
  template <class T>
    requires kIsValue<std::remove_cvref_t<T>>
  Variant(T&& value) : Base(std::forward<T>(value)) {}
  // A serialised value, which is decoded when it is asked for.
  Variant(const VariantTensorData& data) : Base(static_cast<const tenon::VariantTensorData&>(data)) {}
  Variant(VariantTensorData&& data) : Base(static_cast<tenon::VariantTensorData&&>(data)) {}
  Variant(const VariantTensorDataProto& proto) : Variant(DataOf(proto)) {}
  template <class T>
    requires kIsValue<std::remove_cvref_t<T>>
  Variant& operator=(T&& value) {
    Base::operator=(Base(std::forward<T>(value)));
    return *this;
  }

 private:
  static VariantTensorData DataOf(const VariantTensorDataProto& proto) {
    VariantTensorData data;
    data.FromProto(proto);
    return data;
  }
};
static_assert(sizeof(Variant) == sizeof(tenon::Variant));

inline std::string TypeNameVariant(const Variant& variant) { return variant.TypeName(); }
inline std::string DebugStringVariant(const Variant& variant) { return variant.DebugString(); }
inline void EncodeVariant(const Variant& variant, VariantTensorData* data) { variant.Encode(data); }
inline bool DecodeVariant(VariantTensorData* data, Variant* variant) { return variant->Decode(*data); }
inline bool DecodeUnaryVariant(Variant* variant) { return tenon::VariantRegistry::Global().Decode(variant).ok(); }
// No conversion to Variant takes part.
template <class T>
  requires std::is_same_v<T, Variant>
std::ostream& operator<<(std::ostream& out, const T& variant) {
  return out << variant.DebugString();
}

}  // namespace tensorflow
