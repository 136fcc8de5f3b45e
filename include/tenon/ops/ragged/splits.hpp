// SPDX-License-Identifier: Apache-2.0
#pragma once
// Row splits of ragged tensors: row i of a dimension is [splits[i], splits[i + 1]) of the next. What the ragged ops
// share.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/array/places.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// A vector of int32 or int64, read as Index.
class Splits {
 public:
  explicit Splits(const Tensor& tensor) : tensor_(&tensor) {}
  Index operator[](Index i) const {
    return tensor_->dtype() == DataType::kInt32 ? tensor_->data<std::int32_t>()[i] : tensor_->data<std::int64_t>()[i];
  }
  Index size() const { return tensor_->NumElements(); }
  Index rows() const { return size() - 1; }
  Index back() const { return (*this)[size() - 1]; }
  const TensorShape& shape() const { return tensor_->shape(); }

 private:
  const Tensor* tensor_;
};

// Splits that cut `values` rows: from 0 on, never smaller, up to the last.
inline Status CheckSplits(const Splits& splits, Index values) {
  if (splits.shape().dims() != 1)
    return errors::InvalidArgument("Invalid ragged splits: ragged splits must be a vector, got shape ", splits.shape());
  if (splits.size() == 0)
    return errors::InvalidArgument("Invalid ragged splits: ragged splits must have at least one splits, but is empty");
  if (splits[0] != 0)
    return errors::InvalidArgument("Invalid ragged splits: first element of ragged splits  must be 0 but is ",
                                   splits[0]);
  for (Index i = 1; i < splits.size(); ++i)
    if (splits[i] < splits[i - 1])
      return errors::InvalidArgument(
          "Invalid ragged splits: ragged splits must be monotonically increasing, but ragged_splits[", i,
          "]=", splits[i], " is smaller than row_splits[", i - 1, "]=", splits[i - 1]);
  if (splits.back() != values)
    return errors::InvalidArgument(
        "Invalid ragged splits: last element of ragged splits must be the number of ragged values(", values,
        ") but is ", splits.back());
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
