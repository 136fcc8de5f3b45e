// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of tensors as elements of datasets: taken apart and put together.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/dataset/dataset.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// *row = tensor[i], in memory of its own.
inline Status CopyRow(const IteratorContext& context, const Tensor& tensor, Index i, Tensor* row) {
  TensorShape shape = tensor.shape();
  TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(0));
  Tensor made;
  TENON_RETURN_IF_ERROR(context.Allocate(tensor.dtype(), shape, &made));
  TENON_RETURN_IF_ERROR(tenon::tensor::CopySliceToElement(tensor, &made, i));
  *row = std::move(made);
  return OkStatus();
}

// *rows = tensor[begin:end].
inline Status CopyRows(const IteratorContext& context, const Tensor& tensor, Index begin, Index end, Tensor* rows) {
  TensorShape shape = tensor.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, end - begin));
  Tensor made;
  TENON_RETURN_IF_ERROR(context.Allocate(tensor.dtype(), shape, &made));
  TENON_RETURN_IF_ERROR(tenon::tensor::CopyContiguousSlices(tensor, begin, 0, end - begin, &made));
  *rows = std::move(made);
  return OkStatus();
}

// The elements as one, component by component. InvalidArgument: their shapes differ.
inline Status BatchElements(const IteratorContext& context, const SlimVector<DatasetElement>& elements,
                            DatasetElement* batch) {
  const DatasetElement& first = elements[0];
  for (std::size_t c = 0; c < first.size(); ++c) {
    TensorShape shape = first[c].shape();
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, static_cast<Index>(elements.size())));
    Tensor& out = batch->emplace_back();
    TENON_RETURN_IF_ERROR(context.Allocate(first[c].dtype(), shape, &out));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Tensor& element = elements[i][c];
      if (!(element.shape() == first[c].shape()))
        return errors::InvalidArgument("Cannot batch tensors with different shapes in component ", c,
                                       ". First element had shape ", first[c].shape(), " and element ", i,
                                       " had shape ", element.shape(), ".");
      TENON_RETURN_IF_ERROR(tenon::tensor::CopyElementToSlice(element, &out, static_cast<Index>(i)));
    }
  }
  return OkStatus();
}

// The shapes of elements that are `size` elements each; -1: any number.
inline ElementSpec BatchSpec(const ElementSpec& element, Index size) {
  ElementSpec spec;
  spec.types = element.types;
  for (const PartialTensorShape& shape : element.shapes)
    spec.shapes.push_back(PartialTensorShape({size}).Concatenate(shape));
  return spec;
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
