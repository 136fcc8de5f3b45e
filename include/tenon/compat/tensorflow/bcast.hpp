// SPDX-License-Identifier: Apache-2.0
#pragma once
// BCast: how two shapes are broadcast against each other.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tenon/compat/tensorflow/tensor_shape.hpp>

namespace tensorflow {

// The sizes of x and y after reshape, the repetitions of each, the shape of the result and the dimensions over which
// gradients are summed. Adjacent dimensions that are broadcast alike are joined.
class BCast {
 public:
  typedef gtl::InlinedVector<int64_t, 4> Vec;

  BCast(const Vec& x, const Vec& y, bool fewer_dims = true, bool return_flattened_batch_indices = false) {
    static_cast<void>(return_flattened_batch_indices);
    const std::size_t rank = std::max(x.size(), y.size());
    enum Side { kNone, kSame, kX, kY } before = kNone;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool in_x = d + x.size() >= rank, in_y = d + y.size() >= rank;
      const int64_t a = in_x ? x[d + x.size() - rank] : 1, b = in_y ? y[d + y.size() - rank] : 1;
      if (a != b && a != 1 && b != 1) {
        valid_ = false;
        return;
      }
      const int64_t out = a == 1 ? b : a;
      output_.push_back(out);
      const bool reduces = x != y || !fewer_dims;  // equal shapes reduce nothing
      if (a == 1 && reduces) grad_x_.push_back(static_cast<int64_t>(d));
      if (b == 1 && reduces) grad_y_.push_back(static_cast<int64_t>(d));
      if (a == 1 && b == 1 && fewer_dims) continue;
      const Side side = a == b ? kSame : a == 1 ? kX : kY;
      if (side == before && fewer_dims) {
        result_.back() *= out;
        x_reshape_.back() *= a;
        y_reshape_.back() *= b;
        x_bcast_.back() *= side == kX ? b : 1;
        y_bcast_.back() *= side == kY ? a : 1;
      } else {
        result_.push_back(out);
        x_reshape_.push_back(a);
        y_reshape_.push_back(b);
        x_bcast_.push_back(side == kX ? b : 1);
        y_bcast_.push_back(side == kY ? a : 1);
      }
      before = side;
    }
    if (result_.empty())
      for (Vec* sizes : {&result_, &x_reshape_, &y_reshape_, &x_bcast_, &y_bcast_}) sizes->push_back(1);
    required_ = output_ != x || output_ != y;
  }

  bool IsValid() const { return valid_; }
  bool IsBroadcastingRequired() const { return required_; }
  const Vec& x_reshape() const { return x_reshape_; }
  const Vec& x_bcast() const { return x_bcast_; }
  const Vec& y_reshape() const { return y_reshape_; }
  const Vec& y_bcast() const { return y_bcast_; }
  const Vec& result_shape() const { return result_; }
  const Vec& output_shape() const { return output_; }
  const Vec& grad_x_reduce_idx() const { return grad_x_; }
  const Vec& grad_y_reduce_idx() const { return grad_y_; }

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

 private:
  bool valid_ = true, required_ = false;
  Vec x_reshape_, x_bcast_, y_reshape_, y_bcast_, result_, output_, grad_x_, grad_y_;
};

}  // namespace tensorflow
