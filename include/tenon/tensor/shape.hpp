// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorShape: the dimensions of a tensor, up to 254 of them, whose product always fits an int64.
// Up to four dimensions live in the object; only more than four allocate.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>

#include <tenon/base/check.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

using Index = std::int64_t;

inline constexpr int kMaxTensorRank = 254;

// x * y; negative if that overflows or if either is negative.
constexpr Index MultiplyWithoutOverflow(Index x, Index y) {
  if (x < 0 || y < 0) return -1;
  if (x == 0) return 0;
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  const std::uint64_t product = ux * uy;
  if (((ux | uy) >> 32) != 0 && product / ux != uy) return -1;
  return static_cast<Index>(product);  // negative when it needs the 64th bit
}

// x * y of sizes, or 0 on overflow. Overflow happens only when another dimension is 0, in tensors without elements.
constexpr Index MultiplySizes(Index x, Index y) {
  const Index product = MultiplyWithoutOverflow(x, y);
  return product < 0 ? 0 : product;
}

class Tensor;

namespace detail {

// The storage of both kinds of shapes. Unused inline dimensions are 1, so that a product needs no loop.
class DimVector {
 public:
  static constexpr int kInline = 4;

  DimVector() : rep_{} { ResetInline(0); }
  DimVector(const DimVector& other) : rep_(other.rep_) {
    if (on_heap()) [[unlikely]]
      CopyHeap();
  }
  // The source keeps inline dimensions; one with heap dimensions becomes empty.
  DimVector(DimVector&& other) noexcept : rep_(other.rep_) {
    if (on_heap()) [[unlikely]]
      other.ResetInline(0);
  }
  DimVector& operator=(const DimVector& other) {
    if (on_heap() || other.on_heap()) [[unlikely]] {
      Assign(other);
    } else {
      rep_ = other.rep_;
    }
    return *this;
  }
  DimVector& operator=(DimVector&& other) noexcept {
    if (on_heap() || other.on_heap()) [[unlikely]] {
      SwapOutOfLine(other);
    } else {
      rep_ = other.rep_;
    }
    return *this;
  }
  ~DimVector() {
    if (on_heap()) [[unlikely]]
      FreeHeap();
  }

  int size() const { return rep_.rank; }
  bool on_heap() const { return rep_.rank > kInline; }
  Index* data() { return on_heap() ? rep_.heap : rep_.dims; }
  const Index* data() const { return on_heap() ? rep_.heap : rep_.dims; }

  bool unknown_rank() const { return rep_.unknown_rank; }
  void set_unknown_rank(bool unknown) { rep_.unknown_rank = unknown; }
  std::int16_t dtype() const { return rep_.dtype; }
  void set_dtype(std::int16_t dtype) { rep_.dtype = dtype; }

  // n <= kMaxTensorRank values from anywhere but this object.
  void Assign(const Index* dims, int n) {
    Resize(n);
    Index* out = data();
    for (int i = 0; i < n; ++i) out[i] = dims[i];
  }
  // New dimensions are 1; the first min(n, size()) keep their values.
  void Resize(int n) {
    if (n > kInline || on_heap()) [[unlikely]] {
      ResizeHeap(n);
    } else {
      for (unsigned i = static_cast<unsigned>(n); i < rep_.rank; ++i) rep_.dims[i] = 1;
      rep_.rank = static_cast<std::uint8_t>(n);
    }
  }
  void PushBack(Index size) {
    const int n = rep_.rank;
    Resize(n + 1);
    data()[n] = size;
  }
  void Insert(int d, Index size) {
    PushBack(size);
    Index* dims = data();
    for (int i = rep_.rank - 1; i > d; --i) dims[i] = dims[i - 1];
    dims[d] = size;
  }
  void Erase(int begin, int end) {
    Index* dims = data();
    const int n = rep_.rank - (end - begin);
    for (int i = begin; i < n; ++i) dims[i] = dims[i + end - begin];
    Resize(n);
  }

  bool SameDims(const DimVector& other) const {
    if (rep_.rank != other.rep_.rank) return false;
    if (on_heap()) [[unlikely]]
      return SameHeap(other);
    return ((rep_.dims[0] ^ other.rep_.dims[0]) | (rep_.dims[1] ^ other.rep_.dims[1]) |
            (rep_.dims[2] ^ other.rep_.dims[2]) | (rep_.dims[3] ^ other.rep_.dims[3])) == 0;
  }
  // The product, which the owner has checked to fit; that of some may not where another is 0.
  Index Product() const {
    if (on_heap()) [[unlikely]]
      return HeapProduct();
    const auto size = [this](int d) { return static_cast<std::uint64_t>(rep_.dims[d]); };
    return static_cast<Index>(size(0) * size(1) * (size(2) * size(3)));
  }

 private:
  struct Rep {
    union {
      Index dims[kInline];
      Index* heap;  // HeapCapacity(rank) values at least
    };
    std::int16_t dtype;  // the dtype of the Tensor that the shape is part of; means nothing to the shape
    std::uint8_t rank;
    bool unknown_rank;  // partial shapes only; rank is 0 then
  };
  static int HeapCapacity(int rank) { return (rank + 7) & ~7; }

  void ResetInline(int rank) {
    for (Index& d : rep_.dims) d = 1;
    rep_.rank = static_cast<std::uint8_t>(rank);
  }
  void Swap(DimVector& other) {
    const Rep mine = rep_;
    rep_ = other.rep_;
    other.rep_ = mine;
  }
  TENON_DETAIL_COLD void SwapOutOfLine(DimVector& other) { Swap(other); }
  TENON_DETAIL_COLD void CopyHeap() {
    const Index* from = rep_.heap;
    rep_.heap = new Index[static_cast<std::size_t>(HeapCapacity(rep_.rank))];
    for (int i = 0; i < rep_.rank; ++i) rep_.heap[i] = from[i];
  }
  TENON_DETAIL_COLD void Assign(const DimVector& other) {
    DimVector copy(other);
    Swap(copy);
  }
  TENON_DETAIL_COLD void FreeHeap() { delete[] rep_.heap; }
  TENON_DETAIL_COLD void ResizeHeap(int n) {
    const int old = rep_.rank;
    if (n > kInline && on_heap() && n <= HeapCapacity(old)) {
      for (int i = old; i < n; ++i) rep_.heap[i] = 1;
      rep_.rank = static_cast<std::uint8_t>(n);
      return;
    }
    Index* const from = on_heap() ? rep_.heap : nullptr;
    Index inline_dims[kInline] = {1, 1, 1, 1};
    for (int i = 0; i < kInline && i < old; ++i) inline_dims[i] = data()[i];
    if (n <= kInline) {
      for (int i = 0; i < kInline; ++i) rep_.dims[i] = i < n ? inline_dims[i] : 1;
    } else {
      const Index* source = from != nullptr ? from : inline_dims;
      Index* heap = new Index[static_cast<std::size_t>(HeapCapacity(n))];
      for (int i = 0; i < n; ++i) heap[i] = i < old ? source[i] : 1;
      rep_.heap = heap;
    }
    rep_.rank = static_cast<std::uint8_t>(n);
    delete[] from;
  }
  TENON_DETAIL_COLD bool SameHeap(const DimVector& other) const {
    for (int i = 0; i < rep_.rank; ++i) {
      if (rep_.heap[i] != other.rep_.heap[i]) return false;
    }
    return true;
  }
  TENON_DETAIL_COLD Index HeapProduct() const {
    std::uint64_t product = 1;
    for (int i = 0; i < rep_.rank; ++i) product *= static_cast<std::uint64_t>(rep_.heap[i]);
    return static_cast<Index>(product);
  }

  Rep rep_;
};

// Resolves dimensions [begin, end) of `rank`: negative indices count from the end. Internal: an index is outside.
inline Status ResolveDimRange(int rank, int* begin, int* end) {
  *begin = *begin < 0 ? rank + *begin + 1 : *begin;
  *end = *end < 0 ? rank + *end + 1 : *end;
  if (*begin < 0) return errors::Internal("Start index must be non-negative, got ", *begin);
  if (*begin > rank) return errors::Internal("Start index must be less than ", rank, ", got ", *begin);
  if (*end < 0) return errors::Internal("End index must be non-negative, got ", *end);
  if (*end > rank) return errors::Internal("End index must be less than ", rank, ", got ", *end);
  return OkStatus();
}
// May a dimension be put before dimension d of a shape of `rank`?
inline Status CheckInsertion(int rank, int d) {
  if (d < 0) return errors::Internal("The insertion index must be non-negative, got ", d);
  if (d > rank) return errors::Internal("The insertion index must be at most ", rank, " got ", d);
  if (rank < kMaxTensorRank) return OkStatus();
  return errors::Internal("Shape has ", rank, " dimensions which is the maximum allowed");
}
// May the last n dimensions of a shape of `rank` be removed?
inline Status CheckRemoveLast(int rank, int n) {
  if (n < 0) return errors::Internal("Expected dimension index to be non-negative, got ", n);
  if (n > rank) return errors::Internal("Expected dimension index to be at most ", rank, ", got ", n);
  return OkStatus();
}

[[noreturn]] TENON_DETAIL_COLD inline void DieOnBadShape(const Status& status) {
  TENON_CHECK(status.ok(), "TensorShape: ", status.message());
  std::abort();
}
inline void CheckShape(const Status& status) {
  if (!status.ok()) [[unlikely]]
    DieOnBadShape(status);
}

}  // namespace detail

// Sizes of all dimensions, outermost first. Always fully known, never negative, and num_elements() fits an int64:
// a call that would break this returns a Status, or, in the forms that return nothing, ends the process. externally
// synchronised.
//
//   TensorShape shape{2, 3};                 // [2,3]
//   shape.AddDim(4);                         // [2,3,4]
//   Index n = shape.num_elements();          // 24
class TensorShape {
 public:
  TensorShape() = default;  // a scalar: no dimensions, one element
  // Makes a shape of known sizes; bad ones end the process. Make() is for sizes of users.
  TensorShape(std::initializer_list<Index> dims) : TensorShape(Span<const Index>(dims.begin(), dims.size())) {}
  explicit TensorShape(Span<const Index> dims) { detail::CheckShape(Set(dims)); }

  // Makes a shape of sizes from a user or a graph. InvalidArgument: a negative size, more than 254 dimensions, or
  // more than 2^63 - 1 elements.
  static Status Build(Span<const Index> dims, TensorShape* shape) {
    TensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    *shape = std::move(made);
    return OkStatus();
  }
  // As Build.
  static Result<TensorShape> Make(Span<const Index> dims) {
    TensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    return made;
  }
  static Result<TensorShape> Make(std::initializer_list<Index> dims) {
    return Make(Span<const Index>(dims.begin(), dims.size()));
  }

  // Appends a dimension. InvalidArgument: a negative size, too many dimensions, or too many elements.
  void AddDim(Index size) { detail::CheckShape(AddDimWithStatus(size)); }
  Status AddDimWithStatus(Index size) {
    if (size < 0) return errors::InvalidArgument("Expected a non-negative size, got ", size);
    if (dims() >= kMaxTensorRank) return errors::InvalidArgument("Too many dimensions in tensor");
    const Index before = num_elements();
    const Index product = MultiplyWithoutOverflow(before, size);
    if (product < 0) return Overflow(before, size, product);
    dims_.PushBack(size);
    return OkStatus();
  }

  // Puts a dimension before dimension d. Internal: no such d, or too many dimensions. InvalidArgument: a negative size,
  // or too many elements.
  void InsertDim(int d, Index size) { detail::CheckShape(InsertDimWithStatus(d, size)); }
  Status InsertDimWithStatus(int d, Index size) {
    TENON_RETURN_IF_ERROR(detail::CheckInsertion(dims(), d));
    if (size < 0) return errors::InvalidArgument("Expected a non-negative size, got ", size);
    TensorShape changed = *this;
    changed.dims_.Insert(d, size);
    return TakeIfSmallEnough(std::move(changed));
  }

  // As SetDimWithStatus; an error ends the process.
  void set_dim(int d, Index size) { detail::CheckShape(SetDimWithStatus(d, size)); }
  // Changes the size of dimension d. InvalidArgument: no such d, a negative size, or too many elements.
  Status SetDimWithStatus(int d, Index size) {
    if (d < 0) return errors::InvalidArgument("Index must be non-negative, got ", d);
    if (d >= dims()) return errors::InvalidArgument("Index must be less than ", dims(), ", got ", d);
    if (size < 0) return errors::InvalidArgument("Expected a non-negative size, got ", size);
    TensorShape changed = *this;
    changed.dims_.data()[d] = size;
    return TakeIfSmallEnough(std::move(changed));
  }

  // Removes dimension d. Internal: no such d.
  void RemoveDim(int d) { detail::CheckShape(RemoveDimWithStatus(d)); }
  Status RemoveDimWithStatus(int d) {
    if (d < 0) return errors::Internal("Expected dimension index to be non-negative, got ", d);
    return RemoveDimRangeWithStatus(d, d + 1);
  }
  // Removes dimensions [begin, end), none if begin >= end. A negative index counts from the end: -1 is one past the
  // last dimension. Internal: an index is outside.
  void RemoveDimRange(int begin, int end) { detail::CheckShape(RemoveDimRangeWithStatus(begin, end)); }
  Status RemoveDimRangeWithStatus(int begin, int end) {
    TENON_RETURN_IF_ERROR(detail::ResolveDimRange(dims(), &begin, &end));
    if (begin >= end) return OkStatus();
    TensorShape changed = *this;
    changed.dims_.Erase(begin, end);
    return TakeIfSmallEnough(std::move(changed));  // a zero may be among the removed
  }
  // Removes the last n dimensions. Internal: n is negative or more than there are.
  void RemoveLastDims(int n) { detail::CheckShape(RemoveLastDimsWithStatus(n)); }
  Status RemoveLastDimsWithStatus(int n) {
    TENON_RETURN_IF_ERROR(detail::CheckRemoveLast(dims(), n));
    return RemoveDimRangeWithStatus(dims() - n, dims());
  }

  // Appends the dimensions of another shape. InvalidArgument: too many dimensions or elements.
  void AppendShape(const TensorShape& other) { detail::CheckShape(AppendShapeWithStatus(other)); }
  Status AppendShapeWithStatus(const TensorShape& other) {
    TensorShape longer = *this;
    for (const Index size : TensorShape(other)) TENON_RETURN_IF_ERROR(longer.AddDimWithStatus(size));
    *this = std::move(longer);
    return OkStatus();
  }

  // Becomes a scalar.
  void Clear() { dims_.Resize(0); }

  int dims() const { return dims_.size(); }  // number of dimensions
  // Returns the size of dimension d, which must be in [0, dims()): not checked.
  Index dim_size(int d) const { return dims_.data()[d]; }
  Span<const Index> dim_sizes() const { return {dims_.data(), static_cast<std::size_t>(dims_.size())}; }  // all sizes
  Index num_elements() const { return dims_.Product(); }  // product of the sizes
  const Index* begin() const { return dims_.data(); }  // first size
  const Index* end() const { return dims_.data() + dims_.size(); }  // one past the last size

  bool IsSameSize(const TensorShape& other) const { return dims_.SameDims(other.dims_); }  // as ==
  friend bool operator==(const TensorShape& a, const TensorShape& b) { return a.dims_.SameDims(b.dims_); }

  // Returns "[2,3]"; "[]" for a scalar.
  std::string DebugString() const {
    std::string text = "[";
    for (int d = 0; d < dims(); ++d) StrAppend(&text, d == 0 ? "" : ",", dim_size(d));
    text += ']';
    return text;
  }

 private:
  friend class Tensor;
  friend class PartialTensorShape;

  Status Set(Span<const Index> dims) {
    std::uint64_t bits = 0;
    for (const Index size : dims) bits |= static_cast<std::uint64_t>(size);
    if (dims.size() > detail::DimVector::kInline || (bits >> 15) != 0) [[unlikely]]
      return SetCarefully(dims);
    dims_.Assign(dims.data(), static_cast<int>(dims.size()));  // four sizes below 2^15 cannot overflow
    return OkStatus();
  }
  TENON_DETAIL_COLD Status SetCarefully(Span<const Index> dims) {
    bool large = false;  // as TensorFlow: a negative size has another message when some size is large
    for (const Index size : dims) large = large || size > 0xd744;
    for (const Index size : dims) {
      if (size < 0 && !large)
        return errors::InvalidArgument("Expected shape dimensions to be non-negative, got ", size);
    }
    dims_.Resize(0);
    for (const Index size : dims) TENON_RETURN_IF_ERROR(AddDimWithStatus(size));
    return OkStatus();
  }
  TENON_DETAIL_COLD static Status Overflow(Index a, Index b, Index product) {
    return errors::InvalidArgument("Encountered overflow when multiplying ", a, " with ", b, ", result: ", product);
  }
  Status TakeIfSmallEnough(TensorShape changed) {
    Index product = 1;
    for (const Index size : changed) {
      product = MultiplyWithoutOverflow(product, size);
      if (product < 0) {
        return errors::InvalidArgument("Shape ", changed.DebugString(),
                                       " results in overflow when computing number of elements");
      }
    }
    *this = std::move(changed);
    return OkStatus();
  }

  detail::DimVector dims_;
};
static_assert(sizeof(TensorShape) == 40);

// The product of the sizes [begin, end), as MultiplySizes gives it.
inline Index ProductOfSizes(const TensorShape& shape, int begin, int end) {
  Index product = 1;
  for (int d = begin; d < end; ++d) product = MultiplySizes(product, shape.dim_size(d));
  return product;
}

inline bool IsScalar(const TensorShape& shape) { return shape.dims() == 0; }
inline bool IsVector(const TensorShape& shape) { return shape.dims() == 1; }
inline bool IsVectorOrHigher(const TensorShape& shape) { return shape.dims() >= 1; }
inline bool IsMatrix(const TensorShape& shape) { return shape.dims() == 2; }
inline bool IsMatrixOrHigher(const TensorShape& shape) { return shape.dims() >= 2; }
inline bool IsSquareMatrix(const TensorShape& shape) {
  return shape.dims() == 2 && shape.dim_size(0) == shape.dim_size(1);
}
inline bool IsSingleElement(const TensorShape& shape) { return shape.num_elements() == 1; }  // any rank

inline bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
  if (shape.dims() < prefix.dims()) return false;
  for (int d = 0; d < prefix.dims(); ++d) {
    if (shape.dim_size(d) != prefix.dim_size(d)) return false;
  }
  return true;
}
inline bool EndsWith(const TensorShape& shape, const TensorShape& suffix) {
  const int skip = shape.dims() - suffix.dims();
  if (skip < 0) return false;
  for (int d = 0; d < suffix.dims(); ++d) {
    if (shape.dim_size(skip + d) != suffix.dim_size(d)) return false;
  }
  return true;
}

// "[[2], [3,4]]" for several shapes.
template <class Shapes>
std::string ShapeListString(const Shapes& shapes) {
  return StrCat("[", StrJoin(shapes, ", "), "]");
}

namespace detail {
inline std::string DimsText(Span<const Index> dims) { return StrCat("[", StrJoin(dims, ","), "]"); }
}  // namespace detail

// The shape that a kernel or a user gives as numbers (int32 or int64), with the usual messages of such ops.
template <class Int>
Status MakeShape(const Int* dims, Index n, TensorShape* shape) {
  if (n > kMaxTensorRank) return errors::InvalidArgument("Too many dimensions");
  if (n < 0) return errors::InvalidArgument("Negative number of dimensions ", n);
  Index sizes[kMaxTensorRank];
  Index product = 1;
  for (Index i = 0; i < n; ++i) {
    sizes[i] = static_cast<Index>(dims[i]);
    if (sizes[i] < 0) return errors::InvalidArgument("Dimension ", sizes[i], " must be >= 0");
    product = MultiplyWithoutOverflow(product, sizes[i]);
    if (product < 0) {
      for (; i < n; ++i) sizes[i] = static_cast<Index>(dims[i]);
      return errors::InvalidArgument("Shape ", detail::DimsText({sizes, static_cast<std::size_t>(n)}),
                                     " would have more than 2**63 - 1 elements");
    }
  }
  return TensorShape::Build({sizes, static_cast<std::size_t>(n)}, shape);
}

TENON_DETAIL_STEP_NAMESPACE_END
