// SPDX-License-Identifier: Apache-2.0
#pragma once
// Views of a tensor's elements beyond the members of Tensor: as another type, at any address, with dimensions
// collapsed. On a mistake, each either ends the process or returns a Status.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include <tenon/base/check.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/view.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Elements at an address that need not suit their type, as in a file. Read and written by value. Borrowed, packed,
// row-major, trivially copyable.
template <class T, int Rank = 1>
  requires Trivial<T> && (Rank >= 0)
struct UnalignedIn {
  using element_type = T;
  static constexpr int rank = Rank;
  const unsigned char* data;
  Index dims[Rank == 0 ? 1 : Rank];  // outermost first

  Index size() const {
    Index n = 1;
    for (int d = 0; d < Rank; ++d) n *= dims[d];
    return n;
  }
  Index dim(int d) const { return dims[d]; }
  TensorShape shape() const { return TensorShape(Span<const Index>(dims, static_cast<std::size_t>(Rank))); }
  // Element number i in row-major order; not checked.
  T operator[](Index i) const {
    T value;
    std::memcpy(static_cast<void*>(&value), data + Offset(i), sizeof(T));
    return value;
  }
  template <class... I>
    requires(sizeof...(I) == static_cast<std::size_t>(Rank) && (std::is_convertible_v<I, Index> && ...))
  T operator()(I... indices) const {
    return (*this)[Number(indices...)];
  }

 protected:
  static std::size_t Offset(Index i) { return static_cast<std::size_t>(i) * sizeof(T); }
  template <class... I>
  Index Number(I... indices) const {
    Index number = 0;
    int d = 0;
    ((number = number * dims[d] + static_cast<Index>(indices), ++d), ...);
    static_cast<void>(d);
    return number;
  }
};

// An UnalignedIn whose elements can be written: Set(value, i, j).
template <class T, int Rank = 1>
struct UnalignedOut : UnalignedIn<T, Rank> {
  template <class... I>
    requires(sizeof...(I) == static_cast<std::size_t>(Rank) && (std::is_convertible_v<I, Index> && ...))
  void Set(const T& value, I... indices) const {
    SetAt(this->Number(indices...), value);
  }
  // Element number i in row-major order.
  void SetAt(Index i, const T& value) const {
    std::memcpy(const_cast<unsigned char*>(this->data) + this->Offset(i), static_cast<const void*>(&value), sizeof(T));
  }
};

namespace detail {

[[noreturn]] TENON_DETAIL_COLD inline void DieOnView(const Status& status) {
  TENON_CHECK(status.ok(), status.message());
  std::abort();
}

// `dtype`: the type that the elements must have; kInvalid: any. `alignment`: the C++ type's, in bytes.
TENON_DETAIL_COLD inline Status CheckElements(const char* where, const Tensor& tensor, DataType dtype,
                                              std::size_t alignment) {
  if (dtype != DataType::kInvalid && tensor.dtype() != dtype) {
    return errors::InvalidArgument("Tensor::", where, ": ", Name(dtype), " expected, got ",
                                   DataTypeString(tensor.dtype()), "; the tensor has shape ", tensor.shape());
  }
  if (!tensor.IsInitialized()) {
    return errors::FailedPrecondition("Tensor::", where, ": the tensor of type ", DataTypeString(tensor.dtype()),
                                      " and shape ", tensor.shape(),
                                      " is not initialised; its elements must have memory");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.raw_data());
  if (address % alignment != 0 && tensor.NumElements() != 0)
    return errors::InvalidArgument("Tensor::", where, ": ", MisalignedText(tensor.raw_data(), alignment));
  return OkStatus();
}
TENON_DETAIL_COLD inline Status CheckRankOf(const char* where, const Tensor& tensor, int rank) {
  if (tensor.dims() == rank) return OkStatus();
  return errors::InvalidArgument("Tensor::", where, ": Asking for tensor of ", rank, " dimensions from a tensor of ",
                                 tensor.dims(), " dimensions: ", tensor.shape());
}
TENON_DETAIL_COLD inline Status CheckOneElementOf(const char* where, const Tensor& tensor) {
  if (tensor.NumElements() == 1) return OkStatus();
  return errors::InvalidArgument("Tensor::", where, ": Must have a one element tensor, got shape ", tensor.shape());
}
// Do elements of `bytes` bytes under these sizes fill the tensor? 0: elements of the tensor's own size.
TENON_DETAIL_COLD inline Status CheckSizes(const char* where, const Tensor& tensor, Span<const Index> sizes,
                                           std::size_t bytes) {
  Index product = 1;
  for (const Index size : sizes) product = size < 0 || product < 0 ? -1 : MultiplyWithoutOverflow(product, size);
  Index wanted = product, have = tensor.NumElements();
  const int element = SizeOf(tensor.dtype());
  if (bytes != 0 && element != 0 && bytes != static_cast<std::size_t>(element)) {
    wanted = MultiplyWithoutOverflow(wanted, static_cast<Index>(bytes));
    have = MultiplyWithoutOverflow(have, element);
  }
  if (product >= 0 && wanted == have) return OkStatus();
  const std::string text = StrCat("[", StrJoin(sizes, ","), "]");
  return errors::InvalidArgument("Tensor::", where, ": the tensor of type ", Name(tensor.dtype()), " and shape ",
                                 tensor.shape(), " does not have the elements of ", text,
                                 bytes == 0 ? std::string() : StrCat(" with ", bytes, " bytes each"),
                                 "; the numbers of elements (bytes) must be the same");
}
// Plain elements may be seen as any plain type, other elements only as their own type.
TENON_DETAIL_COLD inline Status CheckBitCast(const char* where, const Tensor& tensor, DataType to) {
  if (tensor.dtype() == to || (SizeOf(to) != 0 && SizeOf(tensor.dtype()) != 0)) return OkStatus();
  return errors::InvalidArgument("Tensor::", where, ": elements of type ", DataTypeString(tensor.dtype()),
                                 " cannot be seen as ", Name(to), "; both must be plain types");
}
// The dimensions from `begin` on as `rank` ones: earlier ones go into the first, later ones into the last.
// A dimension that does not exist is 1; begin may be negative, but begin + rank not. A size that overflows (a zero
// stands before it) is negative.
inline void CollapseDims(const TensorShape& shape, Index begin, int rank, Index* out) {
  const Index end = begin + rank, dims = shape.dims();
  for (int d = 0; d < rank; ++d) out[d] = 1;
  for (Index d = 0; d < dims; ++d) {
    const Index kept = d < end ? d : end - 1;  // -1: nothing is kept of a scalar
    const Index to = kept - begin > 0 ? kept - begin : 0;
    out[to] = MultiplyWithoutOverflow(out[to], shape.dim_size(static_cast<int>(d)));
  }
}

// kChecked: functions return Result<View>; otherwise the view, and a mistake ends the program. Views are In where the
// tensor is const and Out where it is not. Borrows the tensor.
template <bool kChecked, bool kMutable>
class TensorViews {
 public:
  template <class T, int Rank = kAnyRank>
  using View = std::conditional_t<kMutable, Out<T, Rank>, In<T, Rank>>;
  template <class T, int Rank>
  using Unaligned = std::conditional_t<kMutable, UnalignedOut<T, Rank>, UnalignedIn<T, Rank>>;
  template <class V>
  using Returned = std::conditional_t<kChecked, Result<V>, V>;
  template <int Rank>
  using Sizes = Index[static_cast<std::size_t>(Rank)];  // at least one

  explicit TensorViews(const Tensor& tensor) : tensor_(tensor) {}

  template <class T>
  Returned<View<T>> flat() const {
    const Status s = Check<T>("flat");
    if (!s.ok()) [[unlikely]]
      return Fail<View<T>>(s);
    return View<T>(data<T>(), tensor_.NumElements(), &tensor_.shape());
  }
  template <class T, int Rank>
  Returned<View<T, Rank>> tensor() const {
    return Ranked<T, Rank>("tensor");
  }
  template <class T>
  Returned<View<T, 1>> vec() const {
    return Ranked<T, 1>("vec");
  }
  template <class T>
  Returned<View<T, 2>> matrix() const {
    return Ranked<T, 2>("matrix");
  }
  // The one element of a tensor of any rank.
  template <class T>
  Returned<View<T, 0>> scalar() const {
    Status s = Check<T>("scalar");
    if (s.ok()) s = CheckOneElementOf("scalar", tensor_);
    return Make<T, 0>(s, tensor_.shape().begin());
  }
  // The elements under other dimensions with the same product: shaped<float, 2>({rows, columns}).
  template <class T, int Rank>
  Returned<View<T, Rank>> shaped(const Sizes<Rank>& sizes) const {
    Status s = Check<T>("shaped");
    if (s.ok()) s = CheckSizes("shaped", tensor_, sizes, 0);
    return Make<T, Rank>(s, sizes);
  }

  // The last Rank - 1 dimensions as they are, all before them as one; missing ones are 1, in front.
  template <class T, int Rank = 2>
  Returned<View<T, Rank>> flat_inner_dims() const {
    return Collapsed<T, Rank>("flat_inner_dims", tensor_.dims() - Rank);
  }
  // The first Rank - 1 dimensions as they are, all after them as one; missing ones are 1, at the end.
  template <class T, int Rank = 2>
  Returned<View<T, Rank>> flat_outer_dims() const {
    return Collapsed<T, Rank>("flat_outer_dims", 0);
  }
  // Rank dimensions from `begin` on; all before them belong to the first, all after them to the last. A negative
  // `begin` puts so many ones in front.   [2,3,4,5] with Rank 2 and begin 1 -> [6,20]
  template <class T, int Rank>
  Returned<View<T, Rank>> flat_inner_outer_dims(Index begin) const {
    return Collapsed<T, Rank>("flat_inner_outer_dims", begin);
  }

  // The bytes as elements of another plain type, as many bytes as there are.
  template <class T, int Rank>
  Returned<View<T, Rank>> bit_casted_shaped(const Sizes<Rank>& sizes) const {
    return BitCasted<T, Rank>("bit_casted_shaped", sizes);
  }
  // The bytes under the tensor's own dimensions, as elements of another plain type of the same size.
  template <class T, int Rank>
  Returned<View<T, Rank>> bit_casted_tensor() const {
    if (Status s = CheckRankOf("bit_casted_tensor", tensor_, Rank); !s.ok()) return Fail<View<T, Rank>>(s);
    return BitCasted<T, Rank>("bit_casted_tensor", tensor_.shape().begin());
  }
  // All bytes as elements of another plain type, in one dimension.
  template <class T>
  Returned<View<T, 1>> bit_casted_flat() const {
    const auto element = static_cast<Index>(SizeOf(tensor_.dtype()));
    const bool plain = element != 0 && SizeOf(dtype_of_v<T>) != 0;
    const Index n = tensor_.NumElements();
    const Index sizes[1] = {plain && tensor_.raw_data() != nullptr ? n * element / Index{sizeof(T)} : n};
    return BitCasted<T, 1>("bit_casted_flat", sizes);
  }
  // Rank dimensions: the tensor itself; one dimension less: the elements of the last one are together one T.
  template <class T, int Rank>
  Returned<View<T, Rank>> reinterpret_last_dimension() const {
    if (tensor_.dims() == Rank) return Ranked<T, Rank>("reinterpret_last_dimension");
    if (Status s = CheckRankOf("reinterpret_last_dimension", tensor_, Rank + 1); !s.ok()) {
      return Fail<View<T, Rank>>(s);
    }
    Status s = CheckElements("reinterpret_last_dimension", tensor_, DataType::kInvalid, alignof(T));
    const Index last = tensor_.dim_size(Rank), element = SizeOf(tensor_.dtype());
    if (s.ok() && (element == 0 || SizeOf(dtype_of_v<T>) == 0 ||
                   MultiplyWithoutOverflow(last, element) != static_cast<Index>(sizeof(T)))) {
      s = errors::InvalidArgument("Tensor::reinterpret_last_dimension: the last dimension of shape ", tensor_.shape(),
                                  " and type ", Name(tensor_.dtype()), " must be the ", sizeof(T), " bytes of one ",
                                  Name(dtype_of_v<T>));
    }
    return Make<T, Rank>(s, tensor_.shape().begin());
  }

  // Elements at any address. Plain types only.
  template <class T>
  Returned<Unaligned<T, 1>> unaligned_flat() const {
    const Index sizes[1] = {tensor_.NumElements()};
    return unaligned_shaped<T, 1>(sizes);
  }
  template <class T, int Rank>
  Returned<Unaligned<T, Rank>> unaligned_shaped(const Sizes<Rank>& sizes) const {
    Status s = CheckElements("unaligned_shaped", tensor_, dtype_of_v<T>, 1);
    if (s.ok()) s = CheckSizes("unaligned_shaped", tensor_, sizes, 0);
    if (!s.ok()) [[unlikely]]
      return Fail<Unaligned<T, Rank>>(s);
    Unaligned<T, Rank> view;
    view.data = static_cast<const unsigned char*>(tensor_.raw_data());
    for (int d = 0; d < Rank; ++d) view.dims[d] = sizes[d];
    return view;
  }

 private:
  template <class T>
  T* data() const {
    return static_cast<T*>(const_cast<void*>(tensor_.raw_data()));
  }
  template <class T>
  Status Check(const char* where) const {
    return CheckElements(where, tensor_, dtype_of_v<T>, alignof(T));
  }
  template <class V>
  static Returned<V> Fail(const Status& status) {
    if constexpr (kChecked) {
      return status;
    } else {
      DieOnView(status);
    }
  }
  template <class T, int Rank>
  Returned<View<T, Rank>> Make(const Status& status, const Index* sizes) const {
    if (!status.ok()) [[unlikely]]
      return Fail<View<T, Rank>>(status);
    return View<T, Rank>(data<T>(), sizes);
  }
  template <class T, int Rank>
  Returned<View<T, Rank>> Ranked(const char* where) const {
    Status s = Check<T>(where);
    if (s.ok()) s = CheckRankOf(where, tensor_, Rank);
    return Make<T, Rank>(s, tensor_.shape().begin());
  }
  template <class T, int Rank>
  Returned<View<T, Rank>> Collapsed(const char* where, Index begin) const {
    static_assert(Rank > 0, "tenon: a tensor cannot be collapsed to no dimensions; scalar() sees one element");
    Status s = Check<T>(where);
    Index sizes[Rank];
    if (s.ok() && (begin < -Rank || begin > kMaxTensorRank || (begin == -Rank && tensor_.dims() != 0))) {
      s = errors::InvalidArgument("Tensor::", where, ": begin must be more than -", Rank, " and at most ",
                                  kMaxTensorRank, ", got ", begin);
    }
    if (s.ok()) CollapseDims(tensor_.shape(), begin, Rank, sizes);
    if (s.ok() && sizes[Rank - 1] < 0) {
      s = errors::InvalidArgument("Tensor::", where, ": the dimensions of shape ", tensor_.shape(),
                                  " that become one overflow; they must make less than 2**63");
    }
    return Make<T, Rank>(s, sizes);
  }
  template <class T, int Rank>
  Returned<View<T, Rank>> BitCasted(const char* where, const Index* sizes) const {
    Status s = CheckBitCast(where, tensor_, dtype_of_v<T>);
    if (s.ok()) s = CheckElements(where, tensor_, DataType::kInvalid, alignof(T));
    if (s.ok()) {
      const auto bytes = static_cast<std::size_t>(SizeOf(dtype_of_v<T>));
      s = CheckSizes(where, tensor_, Span<const Index>(sizes, static_cast<std::size_t>(Rank)), bytes);
    }
    return Make<T, Rank>(s, sizes);
  }

  const Tensor& tensor_;
};

}  // namespace detail

// The views of a tensor for code that knows its contents: another type, rank, size or alignment ends the process with
// a message. The views borrow; none may outlive the tensor.
//
//   Views(t).flat_inner_outer_dims<float, 3>(1)(i, j, k)
inline detail::TensorViews<false, true> Views(Tensor& tensor) { return detail::TensorViews<false, true>(tensor); }
inline detail::TensorViews<false, false> Views(const Tensor& tensor) {
  return detail::TensorViews<false, false>(tensor);
}
void Views(const Tensor&&) = delete;

// The views of a tensor of a user: each returns a Result. InvalidArgument, or FailedPrecondition without memory.
//
//   TENON_ASSIGN_OR_RETURN(const auto weights, CheckedViews(t).matrix<float>());
inline detail::TensorViews<true, true> CheckedViews(Tensor& tensor) { return detail::TensorViews<true, true>(tensor); }
inline detail::TensorViews<true, false> CheckedViews(const Tensor& tensor) {
  return detail::TensorViews<true, false>(tensor);
}
void CheckedViews(const Tensor&&) = delete;

namespace tensor {

// Tensor::Slice, SubSlice and CopyFrom with a Status: tensors that share the buffer. InvalidArgument.

// Elements [start, limit) of dimension 0.
inline Result<Tensor> Slice(const Tensor& whole, Index start, Index limit) {
  if (whole.dims() < 1) return errors::InvalidArgument("Slice: the tensor must have a dimension, got shape []");
  if (start < 0 || start > limit || limit > whole.dim_size(0)) {
    return errors::InvalidArgument("Slice: [", start, ",", limit, ") must be inside dimension 0 of shape ",
                                   whole.shape());
  }
  return whole.Slice(start, limit);
}
// Element number `index` of dimension 0, which goes away.
inline Result<Tensor> SubSlice(const Tensor& whole, Index index) {
  if (whole.dims() < 1) return errors::InvalidArgument("SubSlice: the tensor must have a dimension, got shape []");
  if (index < 0 || index >= whole.dim_size(0)) {
    return errors::InvalidArgument("SubSlice: ", index, " must be inside dimension 0 of shape ", whole.shape());
  }
  return whole.SubSlice(index);
}
// The elements of `from` under another shape.
inline Result<Tensor> Reshape(const Tensor& from, const TensorShape& shape) {
  Tensor made;
  if (!made.CopyFrom(from, shape)) {
    return errors::InvalidArgument("Reshape: shape ", from.shape(), " has ", from.NumElements(), " elements, shape ",
                                   shape, " has ", shape.num_elements());
  }
  return made;
}

}  // namespace tensor

TENON_DETAIL_NAMESPACE_END
