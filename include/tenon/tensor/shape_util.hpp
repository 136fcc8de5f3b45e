// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions on shapes that are needed now and then: products of sizes, lists of shapes, dimensions as objects or as
// an array of a fixed length, hashes.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>

#include <tenon/base/array.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The number of elements of a tensor with these sizes. InvalidArgument if a size is negative or the product does not
// fit an int64; the order counts: {0, huge, huge} fits, {huge, huge, 0} does not.
inline Result<Index> NumElements(Span<const Index> dims) {
  Index product = 1;
  for (const Index size : dims) {
    if (size < 0) {
      return errors::InvalidArgument("NumElements: sizes must be non-negative, got shape ", detail::DimsText(dims));
    }
    product = MultiplyWithoutOverflow(product, size);
    if (product < 0) {
      return errors::InvalidArgument("Can't compute total size of shape ", detail::DimsText(dims),
                                     "; product would overflow int64");
    }
  }
  return product;
}
inline Result<Index> NumElements(std::initializer_list<Index> dims) {
  return NumElements(Span<const Index>(dims.begin(), dims.size()));
}

// Is every shape of one list the same as, or compatible with, the shape at its index in the other?
inline bool AreIdentical(Span<const PartialTensorShape> a, Span<const PartialTensorShape> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].IsIdenticalTo(b[i])) return false;
  }
  return true;
}
inline bool AreCompatible(Span<const PartialTensorShape> a, Span<const PartialTensorShape> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].IsCompatibleWith(b[i])) return false;
  }
  return true;
}

// One dimension as an object. -1 is an unknown size.
struct TensorShapeDim {
  Index size;
  friend constexpr bool operator==(TensorShapeDim, TensorShapeDim) = default;
};

// The dimensions of a shape as objects: for (const TensorShapeDim dim : DimsOf(shape)) use(dim.size). The shape must
// outlive it and stay as it is.
class TensorShapeDims {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;  // dereferencing makes a value
    using value_type = TensorShapeDim;
    using difference_type = std::ptrdiff_t;
    using pointer = const TensorShapeDim*;
    using reference = TensorShapeDim;

    Iterator() = default;
    explicit Iterator(const Index* at) : at_(at) {}
    TensorShapeDim operator*() const { return {*at_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const Index* at_ = nullptr;
  };

  explicit TensorShapeDims(Span<const Index> sizes) : sizes_(sizes) {}
  Iterator begin() const { return Iterator(sizes_.data()); }
  Iterator end() const { return Iterator(sizes_.data() + sizes_.size()); }
  int size() const { return static_cast<int>(sizes_.size()); }

 private:
  Span<const Index> sizes_;
};

inline TensorShapeDims DimsOf(const TensorShape& shape) { return TensorShapeDims(shape.dim_sizes()); }
inline TensorShapeDims DimsOf(const PartialTensorShape& shape) { return TensorShapeDims(shape.dim_sizes()); }
TensorShapeDims DimsOf(const TensorShape&& shape) = delete;         // would be gone
TensorShapeDims DimsOf(const PartialTensorShape&& shape) = delete;  // before its dimensions are read

// The sizes as an array of N, for views of a fixed rank. InvalidArgument if the shape has another rank.
template <std::size_t N>
Result<Array<Index, N>> DimsAsArray(const TensorShape& shape) {
  if (static_cast<std::size_t>(shape.dims()) != N) {
    return errors::InvalidArgument("Asking for tensor of ", N, " dimensions from a tensor of ", shape.dims(),
                                   " dimensions");
  }
  Array<Index, N> sizes{};
  for (std::size_t d = 0; d < N; ++d) sizes[d] = shape.dim_size(static_cast<int>(d));
  return sizes;
}
// The sizes as an array of N, with ones added at the end. InvalidArgument if the shape has more than N dimensions.
template <std::size_t N>
Result<Array<Index, N>> DimsAsPaddedArray(const TensorShape& shape) {
  const auto rank = static_cast<std::size_t>(shape.dims());
  if (rank > N) {
    return errors::InvalidArgument("Asking for tensor of at most ", N, " dimensions from a tensor of ", rank,
                                   " dimensions");
  }
  Array<Index, N> sizes{};
  for (std::size_t d = 0; d < N; ++d) sizes[d] = d < rank ? shape.dim_size(static_cast<int>(d)) : 1;
  return sizes;
}

namespace detail {
inline std::uint64_t HashDims(Span<const Index> dims, std::uint64_t hash) {
  hash = HashCombine(hash, dims.size());
  for (const Index size : dims) hash = HashCombine(hash, static_cast<std::uint64_t>(size));
  return hash;
}
}  // namespace detail

// Equal shapes have equal hashes. Not for storing: they may change with the version.
inline std::uint64_t ShapeHash(const TensorShape& shape) { return detail::HashDims(shape.dim_sizes(), kHash64Seed); }
inline std::uint64_t ShapeHash(const PartialTensorShape& shape) {
  return detail::HashDims(shape.dim_sizes(), shape.unknown_rank() ? ~kHash64Seed : kHash64Seed);
}

TENON_DETAIL_NAMESPACE_END
