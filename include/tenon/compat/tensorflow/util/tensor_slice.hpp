// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorSlice: a part of a tensor, by a start and a length in each dimension.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tenon/tensor/slice.hpp>
#include <tenon/compat/tensorflow/proto/tensor.hpp>
#include <tenon/compat/tensorflow/tensor_shape.hpp>

namespace tensorflow {

class TensorSlice {
 public:
  static constexpr int64_t kFullExtent = -1;
  TensorSlice() = default;
  explicit TensorSlice(int dims) { SetFullSlice(dims); }
  // Takes the extents as they are; BuildTensorSlice checks them.
  explicit TensorSlice(const TensorSliceProto& proto) {
    for (const TensorSliceProto_Extent& extent : proto.extent())
      extents_.push_back({extent.start(), GetExtentLength(extent)});
  }
  explicit TensorSlice(const TensorSliceProto_Extent&) = delete;
  TensorSlice(std::initializer_list<std::pair<int64_t, int64_t>> extents) {
    for (const auto& [start, length] : extents) extents_.push_back({start, length});
  }
  static Status BuildTensorSlice(const TensorSliceProto& proto, TensorSlice* out) {
    for (const TensorSliceProto_Extent& extent : proto.extent()) {
      const int64_t length = GetExtentLength(extent);
      if (extent.start() < 0 || (extent.has_length() ? length <= 0 : extent.start() != 0) ||
          (length > 0 && extent.start() > kint64max - length))
        return errors::InvalidArgument(
            "Expected non-negative start and positive length but got start = ", extent.start(), ", length = ", length);
    }
    *out = TensorSlice(proto);
    return Status();
  }
  static Status Parse(const std::string& text, TensorSlice* out) {
    TF_ASSIGN_OR_RETURN(const tenon::TensorSlice parsed, tenon::TensorSlice::Parse(text));
    *out = TensorSlice();
    for (int d = 0; d < parsed.dims(); ++d)
      out->extents_.push_back({parsed.start(d), parsed.IsFullAt(d) ? kFullExtent : parsed.length(d)});
    return Status();
  }
  static TensorSlice ParseOrDie(const std::string& text) {
    TensorSlice out;
    TF_CHECK_OK(Parse(text, &out));
    return out;
  }
  static bool HasExtentLength(const TensorSliceProto_Extent& extent) { return extent.has_length(); }
  static int64_t GetExtentLength(const TensorSliceProto_Extent& extent) {
    return extent.has_length() ? extent.length() : kFullExtent;
  }

  void Clear() { extents_.clear(); }
  int dims() const { return static_cast<int>(extents_.size()); }
  int64_t start(int d) const { return at(d).start; }
  int64_t length(int d) const { return at(d).length; }
  int64_t end(int d) const {  // at most 2^63 - 1
    return length(d) > 0 && start(d) > kint64max - length(d) ? kint64max : start(d) + length(d);
  }
  void set_start(int d, int64_t value) { extents_[static_cast<std::size_t>(d)].start = value; }
  void set_length(int d, int64_t value) { extents_[static_cast<std::size_t>(d)].length = value; }
  bool IsFullAt(int d) const { return length(d) == kFullExtent && start(d) == 0; }
  bool IsFull() const {
    for (int d = 0; d < dims(); ++d)
      if (!IsFullAt(d)) return false;
    return true;
  }
  void SetFullSlice(int dims) { extents_.assign(static_cast<std::size_t>(dims), Extent()); }
  // Adds full dimensions up to `dims`.
  void Extend(int dims) { extents_.resize(static_cast<std::size_t>(dims)); }
  void AsProto(TensorSliceProto* proto) const {
    proto->Clear();
    for (int d = 0; d < dims(); ++d) {
      TensorSliceProto_Extent* const extent = proto->add_extent();
      if (IsFullAt(d)) continue;
      extent->set_start(start(d));
      extent->set_length(length(d));
    }
  }
  std::string DebugString() const {
    std::string out;
    for (int d = 0; d < dims(); ++d) {
      if (d > 0) out += ':';
      out += IsFullAt(d) ? "-" : strings::StrCat(start(d), ",", length(d));
    }
    return out;
  }
  // False: the slices have no element in common; *result is empty then.
  bool Intersect(const TensorSlice& other, TensorSlice* result) const {
    if (result != nullptr) result->Clear();
    if (dims() != other.dims()) return false;
    TensorSlice both;
    for (int d = 0; d < dims(); ++d) {
      if (IsFullAt(d)) {
        both.extents_.push_back(other.at(d));
      } else if (other.IsFullAt(d)) {
        both.extents_.push_back(at(d));
      } else {
        const int64_t begin = std::max(start(d), other.start(d)), stop = std::min(end(d), other.end(d));
        if (stop <= begin) return false;
        both.extents_.push_back({begin, stop - begin});
      }
    }
    if (result != nullptr) *result = both;
    return true;
  }
  bool Overlaps(const TensorSlice& other) const { return Intersect(other, nullptr); }
  bool Covers(const TensorSlice& other) const {
    TensorSlice both;
    return Intersect(other, &both) && both == other;
  }
  // `sub`, which lies in this slice, from the start of this slice.
  void ComputeRelative(const TensorSlice& sub, TensorSlice* relative) const {
    *relative = sub;
    for (int d = 0; d < dims(); ++d)
      if (!IsFullAt(d)) relative->set_start(d, sub.start(d) - start(d));
  }
  void UpdateToCover(const TensorSlice& other) {
    for (int d = 0; d < dims(); ++d) {
      if (IsFullAt(d)) continue;
      if (other.IsFullAt(d)) {
        extents_[static_cast<std::size_t>(d)] = Extent();
        continue;
      }
      const int64_t stop = std::max(end(d), other.end(d));
      set_start(d, std::min(start(d), other.start(d)));
      set_length(d, stop - start(d));
    }
  }
  Status SliceTensorShape(const tenon::TensorShape& shape, TensorShape* result) const {
    result->Clear();
    if (shape.dims() != dims())
      return errors::Internal("Mismatching ranks: shape = ", shape.DebugString(), ", slice = ", DebugString());
    for (int d = 0; d < dims(); ++d) {
      if (IsFullAt(d)) {
        result->AddDim(shape.dim_size(d));
      } else if (end(d) <= shape.dim_size(d)) {
        result->AddDim(length(d));
      } else {
        result->Clear();
        return errors::Internal("Extent in dimension ", d, " out of bounds: shape = ", shape.DebugString(),
                                ", slice = ", DebugString());
      }
    }
    return Status();
  }
  template <int NDIMS>
  void FillIndicesAndSizes(const tenon::TensorShape& shape, Eigen::DSizes<Eigen::DenseIndex, NDIMS>* indices,
                           Eigen::DSizes<Eigen::DenseIndex, NDIMS>* sizes) const {
    for (int d = 0; d < NDIMS; ++d) {
      (*indices)[d] = d < dims() ? start(d) : 0;
      (*sizes)[d] = d >= dims() ? 1 : IsFullAt(d) ? shape.dim_size(d) : length(d);
    }
  }

 private:
  struct Extent {
    int64_t start = 0, length = kFullExtent;
    friend bool operator==(const Extent&, const Extent&) = default;
  };
  const Extent& at(int d) const { return extents_[static_cast<std::size_t>(d)]; }
  std::vector<Extent> extents_;

 public:
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

}  // namespace tensorflow
