// SPDX-License-Identifier: Apache-2.0
#pragma once
// PartialTensorShape: a shape of which the rank, or some sizes, may be unknown. Graphs and attrs hold such shapes.

#include <cstdint>
#include <initializer_list>
#include <new>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Unknown rank, or a list of sizes of which some may be -1 (unknown). The product of the sizes fits an int64 where all
// are known. externally synchronised.
class PartialTensorShape {
 public:
  PartialTensorShape() { dims_.set_unknown_rank(true); }  // unknown rank
  // Makes a shape of sizes, -1 for an unknown one; bad sizes end the process. Make() is for sizes of users.
  PartialTensorShape(std::initializer_list<Index> dims)
      : PartialTensorShape(Span<const Index>(dims.begin(), dims.size())) {}
  explicit PartialTensorShape(Span<const Index> dims) { detail::CheckShape(Set(dims)); }
  PartialTensorShape(const TensorShape& shape) : dims_(shape.dims_) { dims_.set_dtype(0); }

  // Makes a shape of sizes from a user or a graph; -1 is unknown. InvalidArgument: a size below -1, too many
  // dimensions, or too many elements.
  static Status Build(Span<const Index> dims, PartialTensorShape* shape) {
    PartialTensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    *shape = std::move(made);
    return OkStatus();
  }
  // As Build.
  static Result<PartialTensorShape> Make(Span<const Index> dims) {
    PartialTensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    return made;
  }

  // Appends a dimension. A shape of unknown rank stays as it is, here and below. InvalidArgument: a size below -1, too
  // many dimensions, or too many elements.
  void AddDim(Index size) { detail::CheckShape(AddDimWithStatus(size)); }
  Status AddDimWithStatus(Index size) {
    if (unknown_rank()) return OkStatus();
    if (size < -1) return errors::InvalidArgument("Expected a size of at least -1, where -1 means unknown, got ", size);
    if (dims_.size() >= kMaxTensorRank) return errors::InvalidArgument("Too many dimensions in tensor");
    const Index before = num_elements();
    if (before >= 0 && size >= 0) {
      const Index product = MultiplyWithoutOverflow(before, size);
      if (product < 0) {
        return errors::InvalidArgument("Encountered overflow when multiplying ", before, " with ", size,
                                       ", result: ", product);
      }
    }
    dims_.PushBack(size);
    return OkStatus();
  }
  // Puts a dimension before dimension d. Internal: no such d, or too many dimensions. InvalidArgument: a size below -1,
  // or too many elements.
  void InsertDim(int d, Index size) { detail::CheckShape(InsertDimWithStatus(d, size)); }
  Status InsertDimWithStatus(int d, Index size) {
    if (unknown_rank()) return OkStatus();
    TENON_RETURN_IF_ERROR(detail::CheckInsertion(dims(), d));
    PartialTensorShape changed = *this;
    changed.dims_.Insert(d, size);
    return TakeIfValid(std::move(changed));
  }
  // As SetDimWithStatus; an error ends the process.
  void set_dim(int d, Index size) { detail::CheckShape(SetDimWithStatus(d, size)); }
  // Changes the size of dimension d. InvalidArgument: no such d (always with unknown rank), a size below -1, or too
  // many elements.
  Status SetDimWithStatus(int d, Index size) {
    if (d < 0) return errors::InvalidArgument("Index must be non-negative, got ", d);
    if (d >= dims()) return errors::InvalidArgument("Index must be less than ", dims(), ", got ", d);
    PartialTensorShape changed = *this;
    changed.dims_.data()[d] = size;
    return TakeIfValid(std::move(changed));
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
    if (unknown_rank()) return OkStatus();
    TENON_RETURN_IF_ERROR(detail::ResolveDimRange(dims(), &begin, &end));
    if (begin >= end) return OkStatus();
    PartialTensorShape changed = *this;
    changed.dims_.Erase(begin, end);
    return TakeIfValid(std::move(changed));  // a zero or an unknown size may be among the removed
  }
  // Removes the last n dimensions. Internal: n is negative or more than there are.
  void RemoveLastDims(int n) { detail::CheckShape(RemoveLastDimsWithStatus(n)); }
  Status RemoveLastDimsWithStatus(int n) {
    if (unknown_rank()) return OkStatus();
    TENON_RETURN_IF_ERROR(detail::CheckRemoveLast(dims(), n));
    return RemoveDimRangeWithStatus(dims() - n, dims());
  }
  // Appends the dimensions of another shape; does nothing if one of both has unknown rank. InvalidArgument: too many
  // dimensions or elements.
  void AppendShape(const PartialTensorShape& other) { detail::CheckShape(AppendShapeWithStatus(other)); }
  Status AppendShapeWithStatus(const PartialTensorShape& other) {
    if (unknown_rank() || other.unknown_rank()) return OkStatus();
    PartialTensorShape longer;
    TENON_RETURN_IF_ERROR(Concatenate(other, &longer));
    *this = std::move(longer);
    return OkStatus();
  }
  // Becomes a scalar.
  void Clear() {
    dims_.Resize(0);
    dims_.set_unknown_rank(false);
  }

  // Returns this shape with the other's dimensions after its own; unknown rank if one of both has. InvalidArgument: too
  // many dimensions or elements.
  Status Concatenate(const PartialTensorShape& other, PartialTensorShape* result) const {
    if (unknown_rank() || other.unknown_rank()) {
      *result = PartialTensorShape();
      return OkStatus();
    }
    PartialTensorShape longer = *this;
    for (const Index size : other) TENON_RETURN_IF_ERROR(longer.AddDimWithStatus(size));
    *result = std::move(longer);
    return OkStatus();
  }
  PartialTensorShape Concatenate(const PartialTensorShape& other) const {
    PartialTensorShape result;
    detail::CheckShape(Concatenate(other, &result));
    return result;
  }
  // Returns this shape with one dimension more. InvalidArgument: a size below -1, or too many dimensions or elements.
  Status Concatenate(Index size, PartialTensorShape* result) const {
    PartialTensorShape longer = *this;
    TENON_RETURN_IF_ERROR(longer.AddDimWithStatus(size));
    *result = std::move(longer);
    return OkStatus();
  }
  PartialTensorShape Concatenate(Index size) const {
    PartialTensorShape result = *this;
    result.AddDim(size);
    return result;
  }

  // Merges the knowledge of both into *result. InvalidArgument: they contradict each other.
  Status MergeWith(const PartialTensorShape& other, PartialTensorShape* result) const {
    if (result == this) return errors::Internal("PartialTensorShape::MergeWith: Cannot output result to itself");
    if (unknown_rank() || other.unknown_rank()) {
      *result = unknown_rank() ? other : *this;
      return OkStatus();
    }
    if (dims() != other.dims()) {
      return errors::InvalidArgument("PartialTensorShape: Incompatible ranks during merge: ", dims(), " vs. ",
                                     other.dims());
    }
    PartialTensorShape merged{std::initializer_list<Index>{}};
    for (int d = 0; d < dims(); ++d) {
      const Index a = dim_size(d), b = other.dim_size(d);
      if (a >= 0 && b >= 0 && a != b) {
        return errors::InvalidArgument("PartialTensorShape: Incompatible shapes during merge: ", *this, " vs. ", other);
      }
      TENON_RETURN_IF_ERROR(merged.AddDimWithStatus(a >= 0 ? a : b));
    }
    *result = std::move(merged);
    return OkStatus();
  }

  // Returns whether one tensor could have both shapes.
  bool IsCompatibleWith(const PartialTensorShape& other) const {
    if (unknown_rank() || other.unknown_rank()) return true;
    if (dims() != other.dims()) return false;
    for (int d = 0; d < dims(); ++d) {
      const Index a = dim_size(d), b = other.dim_size(d);
      if (a != b && a >= 0 && b >= 0) return false;
    }
    return true;
  }
  // Returns whether rank and sizes are equal; unknown equals only unknown.
  bool IsIdenticalTo(const PartialTensorShape& other) const {
    return unknown_rank() == other.unknown_rank() && dims_.SameDims(other.dims_);
  }
  friend bool operator==(const PartialTensorShape& a, const PartialTensorShape& b) { return a.IsIdenticalTo(b); }

  // Returns whether rank and all sizes are known.
  bool IsFullyDefined() const {
    if (unknown_rank()) return false;
    for (const Index size : *this) {
      if (size < 0) return false;
    }
    return true;
  }
  // Copies a fully defined shape to *shape. False, and *shape stays: something is unknown.
  bool AsTensorShape(TensorShape* shape) const {
    if (!IsFullyDefined()) return false;
    shape->dims_.Assign(dims_.data(), dims_.size());
    return true;
  }

  bool unknown_rank() const { return dims_.unknown_rank(); }  // whether the rank is unknown
  int dims() const { return unknown_rank() ? -1 : dims_.size(); }  // -1: unknown rank
  Index dim_size(int d) const { return unknown_rank() ? -1 : dims_.data()[d]; }  // -1: unknown
  Span<const Index> dim_sizes() const {
    return {begin(), static_cast<std::size_t>(dims_.size())};
  }  // none if the rank is unknown
  const Index* begin() const { return dims_.data(); }  // first size
  const Index* end() const { return dims_.data() + dims_.size(); }  // one past the last size
  Index num_elements() const { return IsFullyDefined() ? dims_.Product() : -1; }  // -1: unknown

  // Returns "<unknown>", "[2,?]".
  std::string DebugString() const {
    if (unknown_rank()) return "<unknown>";
    std::string text = "[";
    for (int d = 0; d < dims(); ++d) {
      if (d != 0) text += ',';
      if (dim_size(d) < 0) {
        text += '?';
      } else {
        StrAppend(&text, dim_size(d));
      }
    }
    text += ']';
    return text;
  }

 private:
  Status Set(Span<const Index> dims) {
    dims_.Resize(0);
    dims_.set_unknown_rank(false);
    for (const Index size : dims) TENON_RETURN_IF_ERROR(AddDimWithStatus(size));
    return OkStatus();
  }
  Status TakeIfValid(PartialTensorShape changed) {
    PartialTensorShape checked;
    TENON_RETURN_IF_ERROR(checked.Set(changed.dim_sizes()));
    *this = std::move(checked);
    return OkStatus();
  }

  detail::DimVector dims_;
};

namespace detail {
// The shape of unknown rank, for functions that return a reference.
inline const PartialTensorShape& UnknownShape() {
  alignas(PartialTensorShape) static unsigned char memory[sizeof(PartialTensorShape)];  // never destroyed
  static const PartialTensorShape* const unknown = ::new (static_cast<void*>(memory)) PartialTensorShape();
  return *unknown;
}
}  // namespace detail

// The partial shape that a kernel or a user gives as numbers: -1, an unknown size, is allowed.
template <class Int>
Status MakeShape(const Int* dims, Index n, PartialTensorShape* shape) {
  if (n > kMaxTensorRank) return errors::InvalidArgument("Too many dimensions");
  if (n < 0) return errors::InvalidArgument("Negative number of dimensions ", n);
  Index sizes[kMaxTensorRank];
  Index product = 1;
  for (Index i = 0; i < n; ++i) {
    sizes[i] = static_cast<Index>(dims[i]);
    if (sizes[i] < -1) return errors::InvalidArgument("Dimension ", sizes[i], " must be >= -1");
    product = product < 0 || sizes[i] < 0 ? -1 : MultiplyWithoutOverflow(product, sizes[i]);
  }
  const Status status = PartialTensorShape::Build({sizes, static_cast<std::size_t>(n)}, shape);
  if (status.ok()) return status;
  return errors::InvalidArgument("Shape ", detail::DimsText({sizes, static_cast<std::size_t>(n)}),
                                 " would have more than 2**63 - 1 elements");
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
