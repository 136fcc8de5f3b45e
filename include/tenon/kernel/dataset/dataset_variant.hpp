// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetVariant: a dataset as the value of a variant tensor, on its way from one op to the next.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/kernel/dataset/dataset.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A handle of an immutable dataset. It cannot be serialised.
struct DatasetVariant {
  Ref<const DatasetBase> dataset;

  std::string_view TypeName() const { return "tensorflow::DatasetVariantWrapper"; }
  std::string DebugString() const { return dataset ? dataset->DebugString() : "<Uninitialized DatasetVariantWrapper>"; }
};

// InvalidArgument: the tensor does not hold one dataset.
inline Status GetDatasetFromVariantTensor(const Tensor& tensor, Ref<const DatasetBase>* dataset) {
  if (tensor.dtype() != DataType::kVariant || tensor.dims() != 0 || !tensor.IsInitialized())
    return errors::InvalidArgument("Dataset tensor must be a scalar of dtype DT_VARIANT.");
  const DatasetVariant* const variant = tensor.data<Variant>()[0].get<DatasetVariant>();
  if (variant == nullptr) return errors::InvalidArgument("Tensor must be a Dataset object.");
  if (!variant->dataset) return errors::Internal("Read uninitialized Dataset variant.");
  *dataset = variant->dataset;
  return OkStatus();
}
inline Status StoreDatasetInVariantTensor(Ref<const DatasetBase> dataset, Tensor* tensor) {
  TENON_ASSIGN_OR_RETURN(*tensor, Tensor::Make(DataType::kVariant, TensorShape()));
  tensor->data<Variant>()[0] = DatasetVariant{std::move(dataset)};
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
