// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorSlice: a box of a tensor's elements, a start and a length in every dimension, as checkpoints name the parts of
// a variable that is stored in pieces.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// externally synchronised.
//
//   TENON_ASSIGN_OR_RETURN(TensorSlice slice, TensorSlice::Parse("0,2:-"));   // rows 0 and 1, all columns
//   TensorShape part;
//   TENON_RETURN_IF_ERROR(slice.SliceShape({4, 3}, &part));                   // [2,3]
class TensorSlice {
 public:
  static constexpr Index kFull = -1;  // the length of a dimension that is there as a whole

  TensorSlice() = default;
  // The whole of a tensor of `rank` dimensions.
  explicit TensorSlice(int rank) : extents_(static_cast<std::size_t>(rank)) {}

  // "start,length" or "-" for every dimension, with ':' between them; "" has no dimensions. InvalidArgument for
  // anything else, as for a negative start and a length below 1.
  static Result<TensorSlice> Parse(std::string_view text);

  int dims() const { return static_cast<int>(extents_.size()); }
  Index start(int d) const { return at(d).start; }
  Index length(int d) const { return at(d).length; }  // kFull: to the end
  bool IsFullAt(int d) const { return at(d).length == kFull; }
  bool IsFull() const {
    for (int d = 0; d < dims(); ++d)
      if (!IsFullAt(d)) return false;
    return true;
  }
  // At most 2^63 - 1.
  Index end(int d, Index size) const {
    if (IsFullAt(d)) return size;
    return length(d) > 0 && start(d) > INT64_MAX - length(d) ? INT64_MAX : start(d) + length(d);
  }
  // Numbers below zero are refused by SliceShape, as a box that leaves the tensor.
  void Add(Index start, Index length) { extents_.push_back({length == kFull ? 0 : start, length}); }

  // The sizes of the box in a tensor of `shape`. Internal where the ranks differ or the box leaves the tensor.
  Status SliceShape(const TensorShape& shape, TensorShape* result) const;

  // Whether both have elements in common, and then which. False for slices of different rank.
  bool Intersect(const TensorSlice& other, TensorSlice* both) const;

  // "0,2:-"
  std::string DebugString() const {
    std::string text;
    for (int d = 0; d < dims(); ++d) {
      if (d > 0) text += ':';
      IsFullAt(d) ? StrAppend(&text, "-") : StrAppend(&text, start(d), ",", length(d));
    }
    return text;
  }
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;

 private:
  struct Extent {
    Index start = 0;
    Index length = kFull;
    friend bool operator==(const Extent&, const Extent&) = default;
  };
  const Extent& at(int d) const { return extents_[static_cast<std::size_t>(d)]; }

  SlimVector<Extent> extents_;
};

// "4 3 0,2:-", as the ops that save and restore take it: the sizes of the whole tensor, and a slice of it.
// InvalidArgument when the string has another form, Internal when the slice leaves the tensor.
struct ShapeAndSlice {
  TensorShape shape;  // the whole tensor's
  TensorSlice slice;
  TensorShape part;  // the slice's

  static Result<ShapeAndSlice> Parse(std::string_view text);
};

inline Result<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colon = text.find(':', at);
    const std::size_t end = colon == std::string_view::npos ? text.size() : colon;
    const std::string_view item = text.substr(at, end - at);
    at = end + 1;
    if (item.empty()) continue;  // as TensorFlow has it
    if (item == "-") {
      slice.Add(0, kFull);
      continue;
    }
    const std::size_t comma = item.find(',');
    Index start = 0, length = 0;
    if (comma == std::string_view::npos || !ParseInt64(item.substr(0, comma), &start) ||
        !ParseInt64(item.substr(comma + 1), &length))
      return errors::InvalidArgument("Expected a pair of numbers or '-' but got '", item, "': string = ", text);
    if (start < 0 || length <= 0)
      return errors::InvalidArgument("Expected non-negative start and positive length but got start = ", start,
                                     ", length = ", length, ": string = ", text);
    slice.Add(start, length);
  }
  return slice;
}

inline Status TensorSlice::SliceShape(const TensorShape& shape, TensorShape* result) const {
  if (shape.dims() != dims())
    return errors::Internal("Mismatching ranks: shape = ", shape, ", slice = ", DebugString());
  SlimVector<Index> sizes;
  for (int d = 0; d < dims(); ++d) {
    const Index size = shape.dim_size(d);
    if (!IsFullAt(d) && (start(d) < 0 || length(d) < 0 || start(d) > size || length(d) > size - start(d)))
      return errors::Internal("Extent in dimension ", d, " out of bounds: shape = ", shape,
                              ", slice = ", DebugString());
    sizes.push_back(IsFullAt(d) ? size : length(d));
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, result);
}

inline bool TensorSlice::Intersect(const TensorSlice& other, TensorSlice* both) const {
  if (dims() != other.dims()) return false;
  TensorSlice result;
  for (int d = 0; d < dims(); ++d) {
    if (IsFullAt(d)) {
      result.Add(other.start(d), other.length(d));
    } else if (other.IsFullAt(d)) {
      result.Add(start(d), length(d));
    } else {
      const Index from = start(d) > other.start(d) ? start(d) : other.start(d);
      const Index mine = length(d) - (from - start(d)), others = other.length(d) - (from - other.start(d));
      if (mine <= 0 || others <= 0) return false;
      result.Add(from, mine < others ? mine : others);
    }
  }
  *both = static_cast<TensorSlice&&>(result);
  return true;
}

inline Result<ShapeAndSlice> ShapeAndSlice::Parse(std::string_view text) {
  const std::size_t last = text.rfind(' ');
  if (last == std::string_view::npos)
    return errors::InvalidArgument("Need least two elements in shape_and_slice specification: ", text);
  ShapeAndSlice result;
  TENON_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(text.substr(last + 1)));
  SlimVector<Index> sizes;
  for (std::size_t at = 0; at <= last;) {
    const std::size_t end = text.find(' ', at);
    Index size = 0;
    if (!ParseInt64(text.substr(at, end - at), &size))
      return errors::InvalidArgument("Non numerical dimension in shape_and_slice: ", text);
    sizes.push_back(size);
    at = end + 1;
  }
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &result.shape));
  TENON_RETURN_IF_ERROR(result.slice.SliceShape(result.shape, &result.part));
  return result;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
