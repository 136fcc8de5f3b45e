// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of a batch, one at a time or several; no memory is allocated. TensorFlow's batch_util.

#include <cstddef>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/copies.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A batch and one row of it fit together?
inline Status CheckRow(std::string_view where, const Tensor& element, const Tensor& batch, Index row) {
  if (element.dtype() != batch.dtype()) {
    return errors::InvalidArgument(where, ": both tensors must have the same type, got ", Name(element.dtype()),
                                   " and ", Name(batch.dtype()));
  }
  TensorShape shape = batch.shape();
  if (batch.dims() == 0) return errors::InvalidArgument(where, ": the batch must have a dimension, got shape []");
  shape.RemoveDim(0);
  if (element.NumElements() != shape.num_elements()) {
    return errors::Internal(where, " Cannot perform copy: number of elements does not match.  Shapes are: [element]: ",
                            element.shape(), ", [parent slice]: ", shape);
  }
  if (row < 0 || row >= batch.dim_size(0)) {
    return errors::InvalidArgument(where, ": the row must be in [0,", batch.dim_size(0), "), got ", row);
  }
  TENON_RETURN_IF_ERROR(CheckReadable(where, element));
  return CheckReadable(where, batch);
}

}  // namespace detail

namespace tensor {

// (*batch)[row] = element, which has as many elements as a row.
inline Status CopyElementToSlice(const Tensor& element, Tensor* batch, Index row) {
  TENON_RETURN_IF_ERROR(detail::CheckRow("CopyElementToSlice", element, *batch, row));
  const Index count = element.NumElements();
  detail::CopyElements(element.dtype(), element.raw_data(), detail::ElementAt(*batch, row * count),
                       static_cast<std::size_t>(count));
  return OkStatus();
}
// *element = batch[row]; *element has its memory already.
inline Status CopySliceToElement(const Tensor& batch, Tensor* element, Index row) {
  TENON_RETURN_IF_ERROR(detail::CheckRow("CopySliceToElement", *element, batch, row));
  const Index count = element->NumElements();
  detail::CopyElements(batch.dtype(), detail::ElementAt(batch, row * count), element->raw_data(),
                       static_cast<std::size_t>(count));
  return OkStatus();
}
// Rows [to_row, to_row + rows) of *to = rows [from_row, from_row + rows) of from. The two may share memory.
inline Status CopyContiguousSlices(const Tensor& from, Index from_row, Index to_row, Index rows, Tensor* to) {
  if (from.dtype() != to->dtype()) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: src and dst have different dtypes. ",
                                      "Source dtype: ", Name(from.dtype()), " dstination dtype: ", Name(to->dtype()),
                                      ".");
  }
  if (from.dims() < 1 || to->dims() < 1) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: both tensors must have a dimension, ",
                                      "got shapes ", from.shape(), " and ", to->shape());
  }
  const Index row = from.dim_size(0) == 0 ? 0 : from.NumElements() / from.dim_size(0);
  const Index to_size = to->dim_size(0) == 0 ? 0 : to->NumElements() / to->dim_size(0);
  if (from_row < 0 || rows < 0 || rows > from.dim_size(0) - from_row || from_row > from.dim_size(0)) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: requested ", rows, " rows from row ",
                                      from_row, " on of a source of shape ", from.shape());
  }
  if (to_row < 0 || to_row > to->dim_size(0) || rows > to->dim_size(0) - to_row) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: requested ", rows, " rows to row ",
                                      to_row, " on of a destination of shape ", to->shape());
  }
  if (rows == 0) return OkStatus();
  if (row != to_size) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: the rows of ", from.shape(), " have ",
                                      row, " elements, those of ", to->shape(), " have ", to_size);
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CopyContiguousSlices", from));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CopyContiguousSlices", *to));
  detail::CopyElements(from.dtype(), detail::ElementAt(from, from_row * row), detail::ElementAt(*to, to_row * row),
                       static_cast<std::size_t>(rows * row));
  return OkStatus();
}

}  // namespace tensor

TENON_DETAIL_NAMESPACE_END
