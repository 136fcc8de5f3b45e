// SPDX-License-Identifier: Apache-2.0
#pragma once
// sparse::SparseTensor: indices, values and shape of a tensor with few elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/tensor.hpp>
#include <tenon/compat/tensorflow/util/sparse_group.hpp>

namespace tensorflow {
namespace sparse {

class SparseTensor {
 public:
  typedef gtl::ArraySlice<int64_t> VarDimArray;
  typedef gtl::InlinedVector<int64_t, 8> ShapeArray;

  SparseTensor() = default;
  SparseTensor(Tensor indices, Tensor values, const tenon::TensorShape& shape)
      : SparseTensor(std::move(indices), std::move(values), ShapeArray(shape.begin(), shape.end())) {}
  SparseTensor(Tensor indices, Tensor values, const ShapeArray& shape)
      : indices_(std::move(indices)), values_(std::move(values)), shape_(shape), order_(shape.size()) {
    std::iota(order_.begin(), order_.end(), int64_t{0});
  }
  SparseTensor(Tensor indices, Tensor values, const tenon::TensorShape& shape, const VarDimArray order)
      : SparseTensor(std::move(indices), std::move(values), shape) {
    order_.assign(order.begin(), order.end());
  }
  // InvalidArgument: indices, values and shape do not fit each other.
  static Status Create(Tensor indices, Tensor values, const VarDimArray shape, const VarDimArray order,
                       SparseTensor* result) {
    if (indices.dtype() != DT_INT64)
      return errors::InvalidArgument("indices must be type int64 but got: ", DataTypeString(indices.dtype()));
    if (!TensorShapeUtils::IsVector(values.shape()))
      return errors::InvalidArgument("vals must be a vec, but got: ", values.shape().DebugString());
    if (!TensorShapeUtils::IsMatrix(indices.shape()))
      return errors::InvalidArgument("indices must be a matrix, but got: ", indices.shape().DebugString());
    if (indices.dim_size(0) != values.dim_size(0))
      return errors::InvalidArgument("indices and values rows (indexing dimension) must match. (indices = ",
                                     indices.dim_size(0), ", values = ", values.dim_size(0), ")");
    if (indices.dim_size(1) != static_cast<int64_t>(shape.size()))
      return errors::InvalidArgument("Shape rank (", shape.size(), ") and index rank (", indices.dim_size(1),
                                     ") don't match");
    *result = SparseTensor(std::move(indices), std::move(values), ShapeArray(shape.begin(), shape.end()));
    if (!order.empty()) result->order_.assign(order.begin(), order.end());
    return Status();
  }
  static Status Create(Tensor indices, Tensor values, const tenon::TensorShape& shape, SparseTensor* result) {
    return Create(std::move(indices), std::move(values), ShapeArray(shape.begin(), shape.end()), ShapeArray(), result);
  }
  static Status Create(Tensor indices, Tensor values, const VarDimArray shape, SparseTensor* result) {
    return Create(std::move(indices), std::move(values), shape, ShapeArray(), result);
  }
  static Status Create(Tensor indices, Tensor values, const tenon::TensorShape& shape, const VarDimArray order,
                       SparseTensor* result) {
    return Create(std::move(indices), std::move(values), ShapeArray(shape.begin(), shape.end()), order, result);
  }

  std::size_t num_entries() const { return static_cast<std::size_t>(indices_.dim_size(0)); }
  int dims() const { return static_cast<int>(shape_.size()); }
  VarDimArray shape() const { return shape_; }
  VarDimArray order() const { return order_; }
  const Tensor& indices() const { return indices_; }
  const Tensor& values() const { return values_; }
  DataType dtype() const { return values_.dtype(); }
  // The entries must be sorted by these dimensions.
  GroupIterable group(const VarDimArray& dimensions) const {
    return GroupIterable(indices_, values_, dims(), dimensions);
  }
  std::vector<int64_t> PickDims(gtl::ArraySlice<int64_t> dimensions) const {
    std::vector<int64_t> out;
    for (const int64_t d : dimensions) out.push_back(shape_[static_cast<std::size_t>(d)]);
    return out;
  }
  // InvalidArgument: an index outside of the shape, or indices out of order or repeated.
  Status IndicesValid() const {
    const auto at = indices_.matrix<std::int64_t>();
    for (int64_t i = 0; i < at.dimension(0); ++i) {
      int order = i == 0 ? -1 : 0;
      for (int d = 0; d < dims(); ++d)
        if (at(i, d) < 0 || at(i, d) >= shape_[static_cast<std::size_t>(d)])
          return errors::InvalidArgument(IndexText(i), " is out of bounds: need 0 <= index < [",
                                         str_util::Join(shape_, ","), "]");
      for (std::size_t k = 0; k < order_.size() && order == 0; ++k) {
        const int64_t d = order_[k];
        order = at(i - 1, d) < at(i, d) ? -1 : at(i - 1, d) > at(i, d) ? 1 : 0;
      }
      if (order > 0)
        return errors::InvalidArgument(IndexText(i), " is out of order. Many sparse ops require sorted indices.");
      if (order == 0) return errors::InvalidArgument(IndexText(i), " is repeated");
    }
    return Status();
  }
  // Sorts the entries by the dimensions in that order.
  template <class T>
  void Reorder(const VarDimArray& order) {
    const auto at = indices_.matrix<std::int64_t>();
    const auto from = values_.vec<T>();
    std::vector<int64_t> places(num_entries());
    std::iota(places.begin(), places.end(), int64_t{0});
    std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
      for (const int64_t d : order)
        if (at(a, d) != at(b, d)) return at(a, d) < at(b, d);
      return false;
    });
    Tensor indices(DT_INT64, indices_.shape()), values(values_.dtype(), values_.shape());
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (int d = 0; d < dims(); ++d) indices.matrix<std::int64_t>()(static_cast<int64_t>(i), d) = at(places[i], d);
      values.vec<T>()(static_cast<int64_t>(i)) = from(places[i]);
    }
    indices_ = indices;
    values_ = values;
    order_.assign(order.begin(), order.end());
  }
  // Writes the values to their places; `initialize` zeroes the other places. False: another shape, or an index
  // outside.
  template <class T>
  bool ToDense(Tensor* out, bool initialize = true) const {
    if (out->dtype() != DataTypeToEnum<T>::value || out->dims() != dims()) return false;
    auto to = out->flat<T>();
    if (initialize) std::fill_n(out->base<T>(), out->NumElements(), T());
    const auto at = indices_.matrix<std::int64_t>();
    const auto from = values_.vec<T>();
    for (int64_t i = 0; i < at.dimension(0); ++i) {
      int64_t place = 0;
      for (int d = 0; d < dims(); ++d) {
        if (at(i, d) < 0 || at(i, d) >= out->dim_size(d)) return false;
        place = place * out->dim_size(d) + at(i, d);
      }
      to(place) = from(i);
    }
    return true;
  }

 private:
  std::string IndexText(int64_t i) const {
    std::vector<int64_t> sizes;
    for (int d = 0; d < dims(); ++d) sizes.push_back(indices_.matrix<std::int64_t>()(i, d));
    return strings::StrCat("indices[", i, "] = [", str_util::Join(sizes, ","), "]");
  }
  Tensor indices_, values_;
  ShapeArray shape_, order_;
};

}  // namespace sparse
}  // namespace tensorflow
