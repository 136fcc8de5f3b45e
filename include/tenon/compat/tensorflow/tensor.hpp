// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensor: Tenon's, with views that are Eigen's maps. It has no members of its own, so that a tensor of Tenon is one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/compat/tensorflow/allocator.hpp>
#include <tenon/compat/tensorflow/proto/tensor.hpp>
#include <tenon/compat/tensorflow/tensor_buffer.hpp>
#include <tenon/compat/tensorflow/tensor_shape.hpp>
#include <tenon/compat/tensorflow/base/tensor_types.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>

namespace tensorflow {

class Tensor : public tenon::Tensor {
 public:
  using Base = tenon::Tensor;
  Tensor() = default;
  Tensor(const Base& tensor) : Base(tensor) {}
  Tensor(Base&& tensor) noexcept : Base(std::move(tensor)) {}
  explicit Tensor(DataType type) : Base(ToTenon(type)) {}
  Tensor(DataType type, const tenon::TensorShape& shape) : Base(ToTenon(type), shape) {}
  Tensor(DataType type, std::initializer_list<int64_t> sizes) : Base(ToTenon(type), TensorShape(sizes)) {}
  Tensor(tenon::Allocator* allocator, DataType type, const tenon::TensorShape& shape)
      : Base(allocator, ToTenon(type), shape) {}
  Tensor(tenon::Allocator* allocator, DataType type, const tenon::TensorShape& shape, const AllocationAttributes&)
      : Base(allocator, ToTenon(type), shape) {}
  // Shares the buffer, of which it holds one more reference. Kernels do not write to such tensors in place.
  Tensor(DataType type, const tenon::TensorShape& shape, TensorBuffer* buffer)
      : Base(ToTenon(type), shape, Wrapped(ToTenon(type), shape, buffer)) {}
  Tensor(DataType type, const tenon::TensorShape& shape, core::RefCountPtr<TensorBuffer> buffer)
      : Tensor(type, shape, buffer.get()) {}
  // One element without dimensions.
  template <class T>
    requires(IsValidDataType<T>::value && !std::is_same_v<T, DataType>)
  explicit Tensor(const T& value) : Base(DataTypeOf<T>(), tenon::TensorShape()) {
    scalar<T>()() = value;
  }
  explicit Tensor(const char* text) : Base(Base::Scalar(std::string_view(text))) {}
  explicit Tensor(const std::string& text) : Base(Base::Scalar(std::string_view(text))) {}
  static Status BuildTensor(DataType type, const tenon::TensorShape& shape, Tensor* out) {
    TF_ASSIGN_OR_RETURN(*out, Base::Make(ToTenon(type), shape));
    return Status();
  }

  // False: the message does not make a tensor.
  bool FromProto(const TensorProto& proto) { return FromProto(cpu_allocator(), proto); }
  bool FromProto(tenon::Allocator*, const TensorProto& proto) {
    const std::string bytes = proto.SerializeAsString();
    auto made = tenon::TensorFromProto(tenon::wire::AsBytes(bytes));
    if (!made.ok()) return false;
    *static_cast<Base*>(this) = *std::move(made);
    return true;
  }
  void AsProtoField(TensorProto* proto) const { ToProto(tenon::TensorProtoForm::kTyped, proto); }
  void AsProtoTensorContent(TensorProto* proto) const {
    ToProto(DataTypeCanUseMemcpy(dtype()) ? tenon::TensorProtoForm::kContent : tenon::TensorProtoForm::kTyped, proto);
  }

  DataType dtype() const { return FromTenon(Base::dtype()); }
  const TensorShape& shape() const { return static_cast<const TensorShape&>(Base::shape()); }
  std::size_t AllocatedBytes() const { return TotalBytes(); }
  void* data() const { return buffer() != nullptr ? const_cast<void*>(raw_data()) : nullptr; }
  template <class T>
  T* base() const {
    return static_cast<T*>(data());
  }
  // Sets dtype and shape, and how many bytes there are, of a TensorDescription.
  template <class Description>
  void FillDescription(Description* description) const {
    description->set_dtype(dtype());
    shape().AsProto(description->mutable_shape());
    if (data() == nullptr) return;
    auto* const memory = description->mutable_allocation_description();
    memory->set_requested_bytes(static_cast<int64_t>(TotalBytes()));
    memory->set_allocated_bytes(static_cast<int64_t>(AllocatedBytes()));
    memory->set_allocator_name("cpu");
    memory->set_ptr(reinterpret_cast<std::uintptr_t>(data()));
  }
  bool CanUseDMA() const { return DataTypeCanUseMemcpy(dtype()); }
  AllocatorMemoryType GetMemoryType() const {
    if (buffer() == nullptr) return AllocatorMemoryType::kUnknown;
    return buffer()->allocator() == nullptr ? AllocatorMemoryType::kHostPageable
                                            : buffer()->allocator()->GetMemoryType();
  }
  // The object that the constructor got; null: the tensor's memory has none.
  TensorBuffer* foreign_buffer() const {
    return buffer() == nullptr ? nullptr : static_cast<TensorBuffer*>(buffer()->root()->arg_of(&DropBuffer));
  }
  Tensor Slice(int64_t start, int64_t limit) const { return Base::Slice(start, limit); }
  Tensor SubSlice(int64_t index) const { return Base::SubSlice(index); }
  using Base::CopyFrom;
  void set_shape(const tenon::TensorShape& shape) {
    const Base same = *this;
    TENON_CHECK(Base::CopyFrom(same, shape), "set_shape: ", shape, " has another number of elements");
  }
  Status BitcastFrom(const Base& other, DataType type, const tenon::TensorShape& shape) {
    return Base::BitcastFrom(other, ToTenon(type), shape);
  }
  void UnsafeCopyFromInternal(const Base& other, DataType type, const tenon::TensorShape& shape) {
    TF_CHECK_OK(BitcastFrom(other, type, shape));
  }

// Each view twice: of a tensor that may change, and of one that may only be read.
#define TENON_COMPAT_VIEWS(CONST, Const)                                                                               \
  template <class T>                                                                                                   \
  typename TTypes<T>::Const##Flat flat() CONST {                                                                       \
    return View<typename TTypes<T>::Const##Flat, T>(Sizes<1>{NumElements()});                                          \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  typename TTypes<T>::Const##Vec vec() CONST {                                                                         \
    return tensor<T, 1>();                                                                                             \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  typename TTypes<T>::Const##Matrix matrix() CONST {                                                                   \
    return tensor<T, 2>();                                                                                             \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  typename TTypes<T>::Const##Scalar scalar() CONST {                                                                   \
    TENON_CHECK(NumElements() == 1, "Must have a one element tensor");                                                 \
    return typename TTypes<T>::Const##Scalar(Elements<T>(true));                                                       \
  }                                                                                                                    \
  template <class T, std::size_t N>                                                                                    \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor tensor() CONST {                                              \
    return View<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(OwnSizes<N>());                             \
  }                                                                                                                    \
  template <class T, std::size_t N>                                                                                    \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor shaped(gtl::ArraySlice<int64_t> sizes) CONST {                \
    return View<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(GivenSizes<N>(sizes, 0));                   \
  }                                                                                                                    \
  template <class T, std::size_t N = 2>                                                                                \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor flat_inner_dims() CONST {                                     \
    return View<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(InnerSizes<N>(OwnDims()));                  \
  }                                                                                                                    \
  template <class T, std::size_t N = 2>                                                                                \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor flat_outer_dims() CONST {                                     \
    return View<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(OuterSizes<N>(OwnDims()));                  \
  }                                                                                                                    \
  template <class T, std::size_t N = 3>                                                                                \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor flat_inner_outer_dims(int64_t begin) CONST {                  \
    return View<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(MiddleSizes<N>(begin));                     \
  }                                                                                                                    \
  template <class T, std::size_t N>                                                                                    \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor bit_casted_tensor() CONST {                                   \
    return BitView<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(OwnSizes<N>());                          \
  }                                                                                                                    \
  template <class T, std::size_t N>                                                                                    \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor bit_casted_shaped(gtl::ArraySlice<int64_t> sizes) CONST {     \
    return BitView<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(GivenSizes<N>(sizes, sizeof(T)));        \
  }                                                                                                                    \
  template <class T, std::size_t N>                                                                                    \
  typename TTypes<T, static_cast<int>(N)>::Const##Tensor reinterpret_last_dimension() CONST {                          \
    return BitView<typename TTypes<T, static_cast<int>(N)>::Const##Tensor, T>(LastJoined<N, T>());                     \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  typename TTypes<T>::Unaligned##Const##Flat unaligned_flat() CONST {                                                  \
    return View<typename TTypes<T>::Unaligned##Const##Flat, T>(Sizes<1>{NumElements()}, false);                        \
  }                                                                                                                    \
  template <class T, std::size_t N>                                                                                    \
  typename TTypes<T, static_cast<int>(N)>::Unaligned##Const##Tensor unaligned_shaped(gtl::ArraySlice<int64_t> sizes)   \
      CONST {                                                                                                          \
    return View<typename TTypes<T, static_cast<int>(N)>::Unaligned##Const##Tensor, T>(GivenSizes<N>(sizes, 0), false); \
  }
  TENON_COMPAT_VIEWS(, )
  TENON_COMPAT_VIEWS(const, Const)
#undef TENON_COMPAT_VIEWS

 private:
  static void DropBuffer(void*, void* buffer) { static_cast<TensorBuffer*>(buffer)->Unref(); }
  static tenon::Buffer* Wrapped(tenon::DataType type, const tenon::TensorShape& shape, TensorBuffer* buffer) {
    const auto bytes = static_cast<std::size_t>(shape.num_elements()) * static_cast<std::size_t>(tenon::SizeOf(type));
    if (bytes == 0) return nullptr;
    TENON_CHECK(buffer != nullptr && buffer->size() >= bytes, "a buffer too small for a tensor of shape ", shape);
    buffer->Ref();
    return tenon::Buffer::Wrap(buffer->data(), bytes, &DropBuffer, buffer);
  }
  void ToProto(tenon::TensorProtoForm form, TensorProto* proto) const {
    std::string bytes;
    tenon::TensorToProto(*this, &bytes, form);
    proto->ParseFromString(bytes);
  }
  template <std::size_t N>
  using Sizes = Eigen::DSizes<Eigen::DenseIndex, static_cast<int>(N)>;
  template <class T>
  static constexpr tenon::DataType DataTypeOf() {
    return ToTenon(DataTypeToEnum<T>::value);
  }
  // The elements; another type, no memory or, where `aligned`, another address than Eigen wants end the process.
  void* Checked(tenon::DataType type, bool aligned) const {
    TENON_CHECK(Base::dtype() == type, " ", type, " expected, got ", Base::dtype());
    return CheckedBytes(aligned);
  }
  void* CheckedBytes(bool aligned) const {
    TENON_CHECK(IsInitialized(), "a view of a tensor without memory");
    constexpr std::uintptr_t kAlignment = EIGEN_MAX_ALIGN_BYTES == 0 ? 1 : EIGEN_MAX_ALIGN_BYTES;
    TENON_CHECK(!aligned || Base::dtype() == tenon::DataType::kString ||
                    reinterpret_cast<std::uintptr_t>(data()) % kAlignment == 0,
                "ptr = ", reinterpret_cast<std::uintptr_t>(data()), " is not aligned as Eigen wants it");
    return data();
  }
  template <class T>
  typename TTypes<T>::Flat::Scalar* Elements(bool aligned) const {
    return static_cast<typename TTypes<T>::Flat::Scalar*>(Checked(DataTypeOf<T>(), aligned));
  }
  template <class Map, class T, class MapSizes>
  Map View(const MapSizes& sizes, bool aligned = true) const {
    return Map(Elements<T>(aligned), sizes);
  }
  template <class Map, class T, class MapSizes>
  Map BitView(const MapSizes& sizes) const {
    return Map(static_cast<T*>(CheckedBytes(true)), sizes);
  }
  template <std::size_t N>
  Sizes<N> OwnSizes() const {
    TENON_CHECK(dims() == static_cast<int>(N), "Asking for tensor of ", N, " dimensions from a tensor of ", dims(),
                " dimensions");
    Sizes<N> sizes;
    for (std::size_t d = 0; d < N; ++d) sizes[d] = dim_size(static_cast<int>(d));
    return sizes;
  }
  tenon::Span<const tenon::Index> OwnDims() const { return Base::shape().dim_sizes(); }
  // `element` 0: as many elements as the tensor has; else as many bytes.
  template <std::size_t N>
  Sizes<N> GivenSizes(gtl::ArraySlice<int64_t> given, std::size_t element) const {
    TENON_CHECK(given.size() == N, "a view of ", N, " dimensions, with ", given.size(), " sizes");
    Sizes<N> sizes;
    int64_t count = 1;
    for (std::size_t d = 0; d < N; ++d) count *= sizes[d] = given[d];
    const bool fits =
        element == 0 ? count == NumElements() : static_cast<std::size_t>(count) * element == tensor_data().size();
    TENON_CHECK(fits, "a view of ", count, " vs. ", NumElements(), " elements of a tensor of shape ", Base::shape());
    return sizes;
  }
  template <std::size_t N>
  static Sizes<N> InnerSizes(tenon::Span<const tenon::Index> dims) {
    Sizes<N> sizes;
    for (std::size_t d = 0; d < N; ++d) sizes[d] = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::size_t from_end = dims.size() - 1 - d;
      sizes[from_end < N ? N - 1 - from_end : 0] *= dims[d];
    }
    return sizes;
  }
  template <std::size_t N>
  static Sizes<N> OuterSizes(tenon::Span<const tenon::Index> dims) {
    Sizes<N> sizes;
    for (std::size_t d = 0; d < N; ++d) sizes[d] = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) sizes[d < N ? d : N - 1] *= dims[d];
    return sizes;
  }
  // Dimensions before `begin` join the first one, those behind begin + N the last one.
  template <std::size_t N>
  Sizes<N> MiddleSizes(int64_t begin) const {
    std::vector<tenon::Index> outer(static_cast<std::size_t>(begin) + N, 1);
    const tenon::Span<const tenon::Index> dims = OwnDims();
    for (std::size_t d = 0; d < dims.size(); ++d) outer[std::min(d, outer.size() - 1)] *= dims[d];
    return InnerSizes<N>(tenon::Span<const tenon::Index>(outer.data(), outer.size()));
  }
  template <std::size_t N, class T>
  Sizes<N> LastJoined() const {
    if (dims() == static_cast<int>(N)) return OwnSizes<N>();
    TENON_CHECK(dims() == static_cast<int>(N) + 1 &&
                    static_cast<std::size_t>(dim_size(dims() - 1)) * static_cast<std::size_t>(DataTypeSize(dtype())) ==
                        sizeof(T),
                "reinterpret_last_dimension of shape ", Base::shape());
    Sizes<N> sizes;
    for (std::size_t d = 0; d < N; ++d) sizes[d] = dim_size(static_cast<int>(d));
    return sizes;
  }
};
static_assert(sizeof(Tensor) == sizeof(tenon::Tensor));
inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << tensor.DebugString(100); }

// Tensors of Tenon as these.
inline const Tensor& AsTensorFlow(const tenon::Tensor& tensor) { return static_cast<const Tensor&>(tensor); }
inline const Tensor* AsTensorFlow(const tenon::Tensor* tensor) { return static_cast<const Tensor*>(tensor); }
inline Tensor* AsTensorFlow(tenon::Tensor* tensor) { return static_cast<Tensor*>(tensor); }

namespace tensor {
inline Tensor DeepCopy(const Tensor& tensor) { return tensor.DeepCopy(); }
inline void DeepCopy(const Tensor& input, Tensor* output) { *output = input.DeepCopy(); }
template <class Shape>
Status MakeShape(const Tensor& sizes, Shape* out) {
  if (sizes.dims() != 1)
    return errors::InvalidArgument("shape must be a vector of {int32,int64}, got shape ", sizes.shape().DebugString());
  if (sizes.dtype() == DT_INT32)
    return TensorShapeUtils::MakeShape(sizes.base<const std::int32_t>(), sizes.NumElements(), out);
  if (sizes.dtype() == DT_INT64)
    return TensorShapeUtils::MakeShape(sizes.base<const int64_t>(), sizes.NumElements(), out);
  return errors::InvalidArgument("shape must be a vector of {int32,int64}.");
}
}  // namespace tensor

}  // namespace tensorflow
