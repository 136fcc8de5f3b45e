// SPDX-License-Identifier: Apache-2.0
#pragma once
// BCastList, BCast and MatMulBCast: how shapes are broadcast against each other.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tenon/compat/tensorflow/tensor_shape.hpp>

namespace tensorflow {

// N shapes: the sizes of each after reshape, its repetitions, the shape of the result and the dimensions over which its
// gradient is summed. With `fewer_dims`, adjacent dimensions that are broadcast alike are joined. With
// `flattened_indices`, batch_indices(i) has for each element of the output the element of shape i.
template <int N>
class BCastList {
 public:
  typedef gtl::InlinedVector<int64_t, 4> Vec;

  explicit BCastList(const Vec (&x)[N], bool fewer_dims = true, bool flattened_indices = false) {
    std::size_t rank = 0;
    for (const Vec& sizes : x) rank = std::max(rank, sizes.size());
    for (const Vec& sizes : x) required_ = required_ || sizes != x[0];
    std::array<bool, kCount> before{}, is_one{};
    for (std::size_t d = 0; d < rank; ++d) {
      const auto size_of = [&](std::size_t i) {
        return d + x[i].size() >= rank ? x[i][d + x[i].size() - rank] : int64_t{1};
      };
      int64_t out = 1;
      bool any = false, one_of_some = false;  // a size other than 1; of some shapes only
      for (std::size_t i = 0; i < kCount; ++i) {
        const int64_t size = size_of(i);
        is_one[i] = size == 1;
        one_of_some = one_of_some || is_one[i];
        if (is_one[i]) continue;
        if (any && size != out) {
          valid_ = false;
          return;
        }
        out = size;
        any = true;
      }
      output_.push_back(out);
      const bool reduces = one_of_some && (required_ || !fewer_dims);  // equal shapes reduce nothing
      for (std::size_t i = 0; i < kCount; ++i)
        if (is_one[i] && reduces) reduced_[i].push_back(static_cast<int64_t>(d));
      if (!any && fewer_dims) continue;
      const bool joins = any && fewer_dims && !result_.empty() && is_one == before;
      if (!joins) result_.push_back(1);
      result_.back() = Product(result_.back(), out);
      for (std::size_t i = 0; i < kCount; ++i) {
        if (!joins) reshape_[i].push_back(1), bcast_[i].push_back(1);
        reshape_[i].back() = Product(reshape_[i].back(), size_of(i));
        if (is_one[i]) bcast_[i].back() = Product(bcast_[i].back(), out);
      }
      before = is_one;
    }
    if (result_.empty()) {
      result_.push_back(1);
      for (std::size_t i = 0; i < kCount; ++i) reshape_[i].push_back(1), bcast_[i].push_back(1);
    }
    output_size_ = 1;
    for (const int64_t size : output_) output_size_ = Product(output_size_, size);
    if (flattened_indices && required_ && output_size_ > 0)
      for (std::size_t i = 0; i < kCount; ++i) FlattenIndices(i);
  }

  bool IsValid() const { return valid_; }
  bool IsBroadcastingRequired() const { return required_; }
  const Vec& reshape(int i) const { return reshape_[static_cast<std::size_t>(i)]; }
  const Vec& bcast(int i) const { return bcast_[static_cast<std::size_t>(i)]; }
  const Vec& result_shape() const { return result_; }
  const Vec& output_shape() const { return output_; }
  const Vec& grad_reduce_idx(int i) const { return reduced_[static_cast<std::size_t>(i)]; }
  int64_t output_batch_size() const { return output_size_; }
  const std::vector<int64_t>& batch_indices(int i) const { return indices_[static_cast<std::size_t>(i)]; }

 private:
  static constexpr std::size_t kCount = static_cast<std::size_t>(N);

  // -1: a size is not known, or the product is too large.
  static int64_t Product(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    return a < 0 || b < 0 ? -1 : MultiplyWithoutOverflow(a, b);
  }
  // Appends the dimensions from the outermost on: each multiplies the indices of those before it.
  void FlattenIndices(std::size_t i) {
    std::vector<int64_t>& all = indices_[i];
    all.assign(1, 0);
    for (std::size_t d = 0; d < result_.size(); ++d) {
      std::vector<int64_t> outer;
      outer.swap(all);
      for (const int64_t base : outer)
        for (int64_t k = 0; k < result_[d]; ++k) all.push_back(base * reshape_[i][d] + (reshape_[i][d] == 1 ? 0 : k));
    }
  }

  bool valid_ = true, required_ = false;
  int64_t output_size_ = 0;
  Vec reshape_[kCount], bcast_[kCount], reduced_[kCount], result_, output_;
  std::vector<int64_t> indices_[kCount];
};

class BCast : public BCastList<2> {
 public:
  BCast(const Vec& x, const Vec& y, bool fewer_dims = true, bool flattened_indices = false)
      : BCastList<2>({x, y}, fewer_dims, flattened_indices) {}

  const Vec& x_reshape() const { return reshape(0); }
  const Vec& x_bcast() const { return bcast(0); }
  const Vec& y_reshape() const { return reshape(1); }
  const Vec& y_bcast() const { return bcast(1); }
  const Vec& grad_x_reduce_idx() const { return grad_reduce_idx(0); }
  const Vec& grad_y_reduce_idx() const { return grad_reduce_idx(1); }
  const std::vector<int64_t>& x_batch_indices() const { return batch_indices(0); }
  const std::vector<int64_t>& y_batch_indices() const { return batch_indices(1); }

  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  static Eigen::array<IndexType, NDIMS> ToIndexArrayType(const Vec& sizes) {
    Eigen::array<IndexType, NDIMS> out;
    for (std::size_t d = 0; d < static_cast<std::size_t>(NDIMS); ++d) out[d] = static_cast<IndexType>(sizes[d]);
    return out;
  }
  template <int NDIMS>
  static Eigen::array<Eigen::DenseIndex, NDIMS> ToIndexArray(const Vec& sizes) {
    return ToIndexArrayType<NDIMS>(sizes);
  }
  static Vec FromShape(const tenon::TensorShape& shape) { return Vec(shape.begin(), shape.end()); }
  static TensorShape ToShape(const Vec& sizes) { return TensorShape(sizes); }
};

// The batches of two lists of matrices: all dimensions but the last two.
class MatMulBCast {
 public:
  using Vec = BCast::Vec;

  // Not valid: a shape of fewer than two dimensions beside one of more, or batches that do not fit.
  MatMulBCast(const Vec& x, const Vec& y)
      : batch_(BatchOf(x), BatchOf(y), true, true),
        x_size_(ProductOf(BatchOf(x))),
        y_size_(ProductOf(BatchOf(y))),
        valid_(std::max(x.size(), y.size()) == 2 || (x.size() >= 2 && y.size() >= 2 && batch_.IsValid())),
        shape_(valid_ ? TensorShape(batch_.output_shape()) : TensorShape()) {}

  bool IsValid() const { return valid_; }
  // Whether x or y has fewer matrices than the output.
  bool IsBroadcastingRequired() const { return !valid_ || std::min(x_size_, y_size_) != output_batch_size(); }
  int64_t output_batch_size() const { return batch_.output_batch_size(); }
  int64_t x_batch_size() const { return x_size_; }
  int64_t y_batch_size() const { return y_size_; }
  const TensorShape& output_batch_shape() const { return shape_; }
  // The matrix of x, or y, for each matrix of the output; empty where nothing is broadcast.
  const std::vector<int64_t>& x_batch_indices() const { return Indices(batch_.x_batch_indices()); }
  const std::vector<int64_t>& y_batch_indices() const { return Indices(batch_.y_batch_indices()); }

 private:
  const std::vector<int64_t>& Indices(const std::vector<int64_t>& all) const {
    static const std::vector<int64_t> kNone;
    return IsBroadcastingRequired() ? all : kNone;
  }
  static Vec BatchOf(const Vec& sizes) {
    return sizes.size() < 2 ? Vec() : Vec(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - 2));
  }
  static int64_t ProductOf(const Vec& sizes) {
    int64_t product = 1;
    for (const int64_t size : sizes) product *= size;
    return product;
  }
  BCast batch_;
  int64_t x_size_, y_size_;
  bool valid_;
  TensorShape shape_;
};

}  // namespace tensorflow
