// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensor: a dtype, a shape and a shared buffer. Sessions take and give tensors; tensors flow along a graph's edges.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/check.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/elements.hpp>
#include <tenon/tensor/format.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/variant_element.hpp>
#include <tenon/tensor/view.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

[[noreturn]] TENON_DETAIL_COLD inline void DieOnDtype(DataType wanted, DataType actual, const TensorShape& shape) {
  TENON_CHECK(false, "Tensor: ", Name(wanted), " expected, got ", Name(actual), "; the tensor has shape ", shape);
  std::abort();
}
[[noreturn]] TENON_DETAIL_COLD inline void DieOnRank(int wanted, const TensorShape& shape) {
  TENON_CHECK(false, "Asking for tensor of ", wanted, " dimensions from a tensor of ", shape.dims(),
              " dimensions: ", shape);
  std::abort();
}
[[noreturn]] TENON_DETAIL_COLD inline void DieOnRange(const char* wanted, Index start, Index limit, DataType dtype,
                                                      const TensorShape& shape) {
  TENON_CHECK(false, "Tensor: ", wanted, " inside dimension 0, got [", start, ",", limit, "); the tensor has type ",
              Name(dtype), " and shape ", shape);
  std::abort();
}
[[noreturn]] TENON_DETAIL_COLD inline void DieOnSizes(const Index* sizes, int rank, const TensorShape& shape) {
  const std::span<const Index> wanted(sizes, static_cast<std::size_t>(rank));
  TENON_CHECK(false, "Tensor: shaped() wants as many elements as there are, got [", StrJoin(wanted, ","),
              "]; the tensor has shape ", shape, " and ", shape.num_elements(), " elements");
  std::abort();
}
[[noreturn]] TENON_DETAIL_COLD inline void DieOnTensor(const char* mistake, DataType dtype, const TensorShape& shape) {
  TENON_CHECK(false, "Tensor: ", mistake, "; the tensor has type ", Name(dtype), " and shape ", shape);
  std::abort();
}

}  // namespace detail

// A dtype, a shape and a reference to a Buffer, in 48 bytes. Copying shares the buffer. The elements are packed, in
// row-major order, 64-byte aligned unless the tensor is a slice or a view of foreign memory. A moved-from tensor may
// only be assigned to or destroyed. externally synchronised: different Tensor objects that share a buffer may be used
// from different threads, as long as none writes elements. A buffer lives as long as a tensor that shares it.
//
//   Tensor t = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
//   t.matrix<float>()(1, 2) = 7;
//   t.DebugString();                         // Tensor<type: float shape: [2,3] values: [1 2 3]...>
class Tensor {
 public:
  Tensor() : Tensor(DataType::kFloat) {}  // float [0]
  explicit Tensor(DataType dtype) : buffer_(nullptr) {
    shape_.dims_.PushBack(0);
    set_dtype(dtype);
  }
  // Makes uninitialised elements (strings, handles, variants: empty). Without memory IsInitialized() is false, and the
  // form without an allocator logs that. A dtype that no tensor can hold ends the process. Make() returns a Status
  // instead. The allocator outlives the tensor.
  Tensor(DataType dtype, const TensorShape& shape) : Tensor(DefaultAllocator(), dtype, shape) {
    if (!IsInitialized()) [[unlikely]]
      LogOutOfMemory(dtype, shape);
  }
  Tensor(Allocator* allocator, DataType dtype, const TensorShape& shape) : buffer_(nullptr), shape_(shape) {
    Allocate(allocator, dtype);
  }
  // Becomes Tensor(allocator, dtype, shape), in place. `shape` must not be this tensor's own.
  void Reset(Allocator* allocator, DataType dtype, const TensorShape& shape) {
    Release();
    buffer_ = nullptr;
    shape_ = shape;
    Allocate(allocator, dtype);
  }
  // Takes over the caller's reference to `buffer` (may be null), whose first elements become the tensor's.
  Tensor(DataType dtype, const TensorShape& shape, Buffer* adopted) : buffer_(adopted), shape_(shape) {
    set_dtype(dtype);
  }

  Tensor(const Tensor& other) : buffer_(other.buffer_), shape_(other.shape_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  Tensor(Tensor&& other) noexcept : buffer_(other.buffer_), shape_(std::move(other.shape_)) { other.buffer_ = nullptr; }
  Tensor& operator=(const Tensor& other) {
    if (other.buffer_ != nullptr) other.buffer_->Ref();
    Release();
    buffer_ = other.buffer_;
    shape_ = other.shape_;
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    Buffer* taken = other.buffer_;
    other.buffer_ = nullptr;  // before the release: assigning a tensor to itself loses nothing
    if (this != &other) Release();
    buffer_ = taken;
    shape_ = std::move(other.shape_);
    return *this;
  }
  ~Tensor() { Release(); }

  // Makes uninitialised elements, from the allocator or from DefaultAllocator(). InvalidArgument: a dtype that no
  // tensor can hold. ResourceExhausted: no memory.
  static Result<Tensor> Make(DataType dtype, const TensorShape& shape, Allocator* allocator = nullptr) {
    if (detail::ElementBytes(dtype) == 0) [[unlikely]]
      return NoSuchTensor(dtype);
    if (allocator == nullptr) allocator = DefaultAllocator();
    Tensor tensor(allocator, dtype, shape);
    if (!tensor.IsInitialized()) [[unlikely]]
      return OutOfMemory(dtype, shape, allocator);
    return tensor;
  }
  // Makes a tensor of one element and no dimensions.
  template <class T>
    requires ElementType<T>
  static Tensor Scalar(const T& value) {
    return From<T>(std::span<const T>(&value, 1), TensorShape());
  }
  static Tensor Scalar(std::string_view text) { return Scalar(tstring(text)); }
  // Copies the values; another number of values than the shape has elements ends the process.
  template <class T>
  static Tensor From(std::span<const T> values, const TensorShape& shape) {
    Tensor tensor(dtype_of_v<T>, shape);
    if (static_cast<Index>(values.size()) != shape.num_elements()) {
      detail::DieOnTensor("the number of values differs from the number of elements", tensor.dtype(), shape);
    }
    T* out = tensor.data<T>();
    if (tensor.buffer_ == nullptr) return tensor;
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
    return tensor;
  }
  template <class T>
  static Tensor From(std::initializer_list<T> values, const TensorShape& shape) {
    return From<T>(std::span<const T>(values.begin(), values.size()), shape);
  }
  // Makes a tensor whose elements are T().
  template <class T>
  static Tensor Zeros(const TensorShape& shape) {
    Tensor tensor(dtype_of_v<T>, shape);
    T* out = tensor.data<T>();
    if (tensor.buffer_ != nullptr)
      for (Index i = 0, n = shape.num_elements(); i < n; ++i) out[i] = T();
    return tensor;
  }
  // Makes a view of the caller's memory, which is aligned for the type and outlives every tensor that shares it. No
  // kernel writes to it in place. Views of misaligned memory end the process; tensor::FromMemory refuses or copies it.
  static Tensor FromMemory(DataType dtype, const TensorShape& shape, void* data) {
    return Tensor(dtype, shape, Buffer::Wrap(data, BytesOf(dtype, shape), nullptr, nullptr));
  }
  // Calls deleter() or deleter(data) when the last tensor that shares the memory goes, on that thread.
  template <class Deleter>
  static Tensor FromMemory(DataType dtype, const TensorShape& shape, void* data, Deleter deleter) {
    return Tensor(dtype, shape, Buffer::Wrap(data, BytesOf(dtype, shape), std::move(deleter)));
  }
  // Makes a view of elements inside the memory of `owner`, which gets a reference (the caller keeps its own). `data`
  // must be aligned for the type.
  static Tensor ViewOf(Buffer* owner, DataType dtype, const TensorShape& shape, const void* data) {
    return Tensor(dtype, shape, Buffer::Slice(owner, const_cast<void*>(data), BytesOf(dtype, shape)));
  }

  DataType dtype() const { return static_cast<DataType>(shape_.dims_.dtype()); }  // type of the elements
  const TensorShape& shape() const { return shape_; }  // lives as long as the tensor
  int dims() const { return shape_.dims(); }  // number of dimensions
  Index dim_size(int d) const { return shape_.dim_size(d); }  // size of dimension d; not checked
  Index NumElements() const { return shape_.num_elements(); }  // product of the sizes
  bool IsSameSize(const Tensor& other) const { return shape_ == other.shape_; }  // whether the shapes are equal
  // Returns whether there is memory for the elements.
  bool IsInitialized() const { return buffer_ != nullptr || shape_.num_elements() == 0; }
  // Returns the bytes of all elements; strings count their characters, too.
  std::size_t TotalBytes() const {
    std::size_t bytes = static_cast<std::size_t>(NumElements()) * detail::ElementBytes(dtype());
    if (dtype() == DataType::kString && buffer_ != nullptr) {
      for (const tstring& text : flat<tstring>()) bytes += text.size();
    }
    return bytes;
  }
  bool IsAligned() const {  // true for an address that is a multiple of 64, and for strings
    return dtype() == DataType::kString || reinterpret_cast<std::uintptr_t>(raw_data()) % Allocator::kAlignment == 0;
  }
  // Returns whether the host may read the elements.
  bool HostAccessible() const { return buffer_ == nullptr || buffer_->HostAccessible(); }

  Buffer* buffer() const { return buffer_; }  // null if there are no elements
  // Returns whether only this object has the elements, so that they may be overwritten.
  bool RefCountIsOne() const { return buffer_ != nullptr && buffer_->RefCountIsOne(); }
  bool SharesBufferWith(const Tensor& other) const {  // Returns whether both tensors keep one buffer alive.
    return buffer_ != nullptr && other.buffer_ != nullptr && buffer_->root() == other.buffer_->root();
  }

  // Returns the address of the first element, or null.
  void* raw_data() { return buffer_ == nullptr ? nullptr : buffer_->data(); }
  const void* raw_data() const { return buffer_ == nullptr ? nullptr : buffer_->data(); }
  // Returns the bytes of a tensor of a plain type.
  std::string_view tensor_data() const {
    return {static_cast<const char*>(raw_data()), buffer_ == nullptr ? 0 : BytesOf(dtype(), shape_)};
  }
  // As raw_data(); another type than T ends the process.
  template <class T>
  T* data() {
    CheckDtype<T>();
    return static_cast<T*>(raw_data());
  }
  template <class T>
  const T* data() const {
    CheckDtype<T>();
    return static_cast<const T*>(raw_data());
  }

  // flat, tensor, vec, matrix and scalar return views, for code that knows type and rank. Another type or rank,
  // elements without memory, or a misaligned address end the process; View() returns a Status. No view may outlive the
  // tensor.
  template <class T> Out<T> flat() { return Out<T>(viewed<T>(), NumElements(), &shape_); }
  template <class T> In<T> flat() const { return In<T>(viewed<T>(), NumElements(), &shape_); }
  template <class T, int Rank> Out<T, Rank> tensor() {  // A view with a rank: tensor<float, 2>()(i, j).
    return CheckRank(Rank), Out<T, Rank>(viewed<T>(), shape_.begin());
  }
  template <class T, int Rank> In<T, Rank> tensor() const {
    return CheckRank(Rank), In<T, Rank>(viewed<T>(), shape_.begin());
  }
  template <class T> Out<T, 1> vec() { return tensor<T, 1>(); }  // tensor<T, 1>
  template <class T> In<T, 1> vec() const { return tensor<T, 1>(); }
  template <class T> Out<T, 2> matrix() { return tensor<T, 2>(); }  // tensor<T, 2>
  template <class T> In<T, 2> matrix() const { return tensor<T, 2>(); }
  // Returns a view of the one element of a tensor of any rank: scalar<float>()().
  template <class T> Out<T, 0> scalar() { return CheckOneElement(), Out<T, 0>(viewed<T>(), shape_.begin()); }
  template <class T> In<T, 0> scalar() const { return CheckOneElement(), In<T, 0>(viewed<T>(), shape_.begin()); }
  // Returns a view with other dimensions of equal product: shaped<float, 2>({rows, columns}).
  template <class T, int Rank> Out<T, Rank> shaped(const Index (&sizes)[static_cast<std::size_t>(Rank)]) {
    return CheckProduct(sizes, Rank), Out<T, Rank>(viewed<T>(), sizes);
  }
  template <class T, int Rank> In<T, Rank> shaped(const Index (&sizes)[static_cast<std::size_t>(Rank)]) const {
    return CheckProduct(sizes, Rank), In<T, Rank>(viewed<T>(), sizes);
  }
  // Returns a view that keeps the last Rank - 1 dimensions and joins all before them; missing ones are 1, in front.
  template <class T, int Rank = 2> Out<T, Rank> flat_inner_dims() {
    return Out<T, Rank>(viewed<T>(), InnerDims<Rank>().items);
  }
  template <class T, int Rank = 2> In<T, Rank> flat_inner_dims() const {
    return In<T, Rank>(viewed<T>(), InnerDims<Rank>().items);
  }
  // Returns a view that keeps the first Rank - 1 dimensions and joins all after them; missing ones are 1, at the end.
  template <class T, int Rank = 2> Out<T, Rank> flat_outer_dims() {
    return Out<T, Rank>(viewed<T>(), OuterDims<Rank>().items);
  }
  template <class T, int Rank = 2> In<T, Rank> flat_outer_dims() const {
    return In<T, Rank>(viewed<T>(), OuterDims<Rank>().items);
  }

  // Returns a view of a type: View<In<float, 2>>(). InvalidArgument: another type or rank, or misaligned.
  // FailedPrecondition: no memory.
  template <class V>
    requires(!V::is_output)
  Result<V> View() const {
    TENON_RETURN_IF_ERROR(CheckView(dtype_of_v<typename V::element_type>, V::rank, alignof(typename V::element_type)));
    return V(any_view());
  }
  template <class V>
    requires(V::is_output)
  Result<V> View() {
    TENON_RETURN_IF_ERROR(CheckView(dtype_of_v<typename V::element_type>, V::rank, alignof(typename V::element_type)));
    return V(any_view());
  }
  // Returns data, size and shape without a type: the source of a kernel's views. Borrows this object.
  AnyView any_view() const { return {const_cast<void*>(raw_data()), NumElements(), &shape_}; }

  // Shares the other's buffer and takes its dtype, with another shape. False, and nothing done: the numbers of elements
  // differ.
  [[nodiscard]] bool CopyFrom(const Tensor& other, const TensorShape& shape) {
    if (other.NumElements() != shape.num_elements()) return false;
    ShareBuffer(other, other.dtype(), shape);
    return true;
  }
  // Shares the other's buffer with another plain dtype and shape. InvalidArgument: other sizes, or no plain dtype.
  Status BitcastFrom(const Tensor& other, DataType dtype, const TensorShape& shape) {
    if (SizeOf(other.dtype()) == 0) return errors::InvalidArgument("other tensor has zero-sized data type");
    if (SizeOf(dtype) == 0) return errors::InvalidArgument("specified output type is zero-sized");
    const std::size_t bytes = BytesOf(other.dtype(), other.shape()), element = detail::ElementBytes(dtype);
    if (bytes % element != 0 || bytes / element != static_cast<std::size_t>(shape.num_elements())) {
      return errors::InvalidArgument("input and output shapes/data type sizes are not compatible");
    }
    ShareBuffer(other, dtype, shape);
    return OkStatus();
  }
  // Returns elements [start, limit) of dimension 0, which share the buffer and may be misaligned. Other bounds end the
  // process.
  Tensor Slice(Index start, Index limit) const {
    if (dims() < 1 || start < 0 || start > limit || limit > dim_size(0)) {
      detail::DieOnRange("Slice wants a range", start, limit, dtype(), shape_);
    }
    if (start == 0 && limit == dim_size(0)) return *this;
    TensorShape shape = shape_;
    shape.set_dim(0, limit - start);
    return Part(start, shape);
  }
  // Returns element `index` of dimension 0, without that dimension; otherwise as Slice.
  Tensor SubSlice(Index index) const {
    if (dims() < 1 || index < 0 || index >= dim_size(0)) {
      detail::DieOnRange("SubSlice wants an index", index, index + 1, dtype(), shape_);
    }
    TensorShape shape = shape_;
    shape.RemoveDim(0);
    return Part(index, shape);
  }
  // Copies the values into a buffer from DefaultAllocator(); a tensor inside a variant keeps its buffer. Elements that
  // the host cannot read end the process. Without memory, which is logged, the copy is not initialised.
  Tensor DeepCopy() const {
    if (buffer_ == nullptr) return Tensor(dtype(), shape_, nullptr);
    Tensor copy(DefaultAllocator(), dtype(), shape_);
    if (copy.buffer_ == nullptr) {
      LogOutOfMemory(dtype(), shape_);
      return copy;
    }
    if (!HostAccessible()) detail::DieOnTensor("DeepCopy wants memory that the host can read", dtype(), shape_);
    detail::CopyElements(dtype(), raw_data(), copy.raw_data(), static_cast<std::size_t>(NumElements()));
    return copy;
  }

  // Prints the first max_entries values (all if negative) as TensorFlow does: "[1 2][3 4]..."; with print_v2 as
  // tf.print does, where max_entries counts at each end of every dimension.
  std::string SummarizeValue(Index max_entries, bool print_v2 = false) const {
    if (!HostAccessible()) return "<values in device memory>";
    return detail::SummarizeArray(dtype(), raw_data(), shape_, max_entries, print_v2);
  }
  // Returns "Tensor<type: float shape: [2,3] values: [1 2 3]...>".
  std::string DebugString(int max_entries = 3) const {
    return StrCat("Tensor<type: ", Name(dtype()), " shape: ", shape_, " values: ", SummarizeValue(max_entries), ">");
  }
  // As DebugString, without the values.
  std::string DeviceSafeDebugString() const { return StrCat("Tensor<type: ", Name(dtype()), " shape: ", shape_, ">"); }

 private:
  template <int Rank>
  struct Sizes {
    Index items[Rank];
  };

  // Called when the shape is set, and there is no buffer yet.
  void Allocate(Allocator* allocator, DataType dtype) {
    set_dtype(dtype);
    const Index n = shape_.num_elements();
    if (n == 0 && !allocator->AllocatesOpaqueHandle()) return;
    if (detail::ElementBytes(dtype) == 0) [[unlikely]]
      detail::DieOnTensor("no elements of this type", dtype, shape_);
    buffer_ = detail::AllocateElements(allocator, dtype, n);
  }
  void set_dtype(DataType dtype) { shape_.dims_.set_dtype(static_cast<std::int16_t>(dtype)); }
  void Release() {
    if (buffer_ != nullptr) buffer_->Unref();
  }
  static std::size_t BytesOf(DataType dtype, const TensorShape& shape) {
    return static_cast<std::size_t>(shape.num_elements()) * detail::ElementBytes(dtype);
  }
  void ShareBuffer(const Tensor& other, DataType dtype, const TensorShape& shape) {
    Tensor made(dtype, shape, other.buffer_);
    if (other.buffer_ != nullptr) other.buffer_->Ref();
    *this = std::move(made);
  }
  // The part of the buffer that starts at element `index` of dimension 0.
  Tensor Part(Index index, const TensorShape& shape) const {
    if (buffer_ == nullptr || shape.num_elements() == 0) return Tensor(dtype(), shape, nullptr);
    const std::size_t row = BytesOf(dtype(), shape_) / static_cast<std::size_t>(dim_size(0));
    return ViewOf(buffer_, dtype(), shape,
                  static_cast<const char*>(buffer_->data()) + row * static_cast<std::size_t>(index));
  }

  template <class T>
  void CheckDtype() const {
    if (dtype() != dtype_of_v<std::remove_const_t<T>>) [[unlikely]]
      detail::DieOnDtype(dtype_of_v<std::remove_const_t<T>>, dtype(), shape_);
  }
  template <class T>
  T* viewed() const {
    CheckDtype<T>();
    if (buffer_ != nullptr) [[likely]] {
      if (reinterpret_cast<std::uintptr_t>(buffer_->data()) % alignof(T) != 0) [[unlikely]]
        detail::DieOnMisaligned(buffer_->data(), alignof(T), dtype(), shape_);
      return static_cast<T*>(buffer_->data());
    }
    if (NumElements() != 0) detail::DieOnTensor("no memory (ask IsInitialized)", dtype(), shape_);
    return nullptr;
  }
  void CheckRank(int rank) const {
    if (dims() != rank) [[unlikely]]
      detail::DieOnRank(rank, shape_);
  }
  void CheckOneElement() const {
    if (NumElements() != 1) [[unlikely]]
      detail::DieOnTensor("Must have a one element tensor", dtype(), shape_);
  }
  void CheckProduct(const Index* sizes, int rank) const {
    Index product = 1;
    for (int d = 0; d < rank; ++d) product = MultiplyWithoutOverflow(product, sizes[d]);
    if (product != NumElements()) [[unlikely]]
      detail::DieOnSizes(sizes, rank, shape_);
  }
  template <int Rank>
  Sizes<Rank> InnerDims() const {
    Sizes<Rank> sizes;
    const int skip = dims() - Rank;  // dimensions to collapse into the first
    for (int d = 0; d < Rank; ++d) sizes.items[d] = d + skip < 0 ? 1 : dim_size(d + skip);
    if (skip > 0) {
      Index rows = 1;
      for (int d = 0; d <= skip; ++d) rows *= dim_size(d);  // from the first on: the shape has room for that
      sizes.items[0] = rows;
    }
    return sizes;
  }
  template <int Rank>
  Sizes<Rank> OuterDims() const {
    Sizes<Rank> sizes;
    for (int d = 0; d < Rank; ++d) sizes.items[d] = d < dims() ? dim_size(d) : 1;
    for (int d = Rank; d < dims(); ++d) {
      sizes.items[Rank - 1] = MultiplyWithoutOverflow(sizes.items[Rank - 1], dim_size(d));
    }
    if (sizes.items[Rank - 1] < 0) [[unlikely]]  // a zero stands before them
      detail::DieOnTensor("the dimensions that become one overflow", dtype(), shape_);
    return sizes;
  }
  TENON_DETAIL_COLD Status CheckView(DataType wanted, int rank, std::size_t alignment) const {
    if (dtype() != wanted) {
      return errors::InvalidArgument("Tensor::View: ", Name(wanted), " expected, got ", Name(dtype()), " of shape ",
                                     shape_);
    }
    if (rank != kAnyRank && dims() != rank) {
      return errors::InvalidArgument("Tensor::View: rank ", rank, " expected, got shape ", shape_);
    }
    if (!IsInitialized())
      return errors::FailedPrecondition("Tensor::View: the tensor of shape ", shape_, " is not initialised");
    if (reinterpret_cast<std::uintptr_t>(raw_data()) % alignment != 0 && NumElements() != 0)
      return errors::InvalidArgument("Tensor::View: ", detail::MisalignedText(raw_data(), alignment));
    return OkStatus();
  }
  TENON_DETAIL_COLD static Status NoSuchTensor(DataType dtype) {
    return errors::InvalidArgument("Tensor: a tensor cannot hold elements of type '", Name(dtype), "' (",
                                   static_cast<std::int32_t>(dtype), ")");
  }
  TENON_DETAIL_COLD static Status OutOfMemory(DataType dtype, const TensorShape& shape, Allocator* allocator) {
    if (SizeOf(dtype) == 0 && !allocator->HostAccessible()) {
      return errors::InvalidArgument("Tensor: elements of type '", Name(dtype),
                                     "' live in host memory, which allocator '", allocator->Name(), "' does not give");
    }
    return errors::ResourceExhausted("OOM when allocating tensor with shape", shape, " and type ", Name(dtype), " by ",
                                     detail::NoMemoryFrom(*allocator, detail::BytesWanted(dtype, shape)));
  }

  // For functions that return no Status.
  TENON_DETAIL_COLD static void LogOutOfMemory(DataType dtype, const TensorShape& shape) {
    TENON_LOG(kError, OutOfMemory(dtype, shape, DefaultAllocator()).message());
  }

  Buffer* buffer_;
  TensorShape shape_;  // the dtype is in its spare bytes
};
static_assert(sizeof(Tensor) == 48);

// A tensor in ordinary memory with the given values, as many as the shape has elements:
// MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}).
template <class T>
Tensor MakeTensor(const TensorShape& shape, std::initializer_list<T> values) {
  return Tensor::From<T>(std::span<const T>(values.begin(), values.size()), shape);
}
template <class T>
Tensor MakeTensor(const TensorShape& shape, std::span<const T> values) {
  return Tensor::From<T>(values, shape);
}

// The shape that a vector of int32 or int64 lists, as shape inputs of ops do. InvalidArgument, with TensorFlow's
// messages; FailedPrecondition: a tensor without memory.
inline Status MakeShape(const Tensor& tensor, TensorShape* shape) {
  if (tensor.dims() != 1) {
    return errors::InvalidArgument("shape must be a vector of {int32,int64}, got shape ", tensor.shape());
  }
  if (!tensor.IsInitialized())
    return errors::FailedPrecondition("shape is a tensor of shape ", tensor.shape(), " without memory");
  if (tensor.dtype() == DataType::kInt32) return MakeShape(tensor.data<std::int32_t>(), tensor.NumElements(), shape);
  if (tensor.dtype() == DataType::kInt64) return MakeShape(tensor.data<std::int64_t>(), tensor.NumElements(), shape);
  return errors::InvalidArgument("shape must be a vector of {int32,int64}.");
}

TENON_DETAIL_STEP_NAMESPACE_END
