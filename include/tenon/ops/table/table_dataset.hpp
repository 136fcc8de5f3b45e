// SPDX-License-Identifier: Apache-2.0
#pragma once
// InitializeTableFromDataset: a table whose entries are the elements of a dataset.

#include <cstddef>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/table/table_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// A vector of single elements of `dtype`.
inline Result<Tensor> VectorOf(DataType dtype, const SlimVector<Tensor>& elements) {
  TENON_ASSIGN_OR_RETURN(Tensor vector, Tensor::Make(dtype, TensorShape({static_cast<Index>(elements.size())})));
  const ElementMover mover = MoverOf(dtype);
  for (std::size_t i = 0; i < elements.size(); ++i)
    CopyRun(mover, elements[i].raw_data(), mover.At(vector.raw_data(), static_cast<Index>(i)), 1);
  return vector;
}

inline Status InitializeTableFromElements(OpKernelContext& op) {
  Ref<LookupTable> table;
  Ref<const DatasetBase> dataset;
  Owned<IteratorBase> iterator;
  DatasetElement element;
  SlimVector<Tensor> keys, values;
  bool end = false;
  TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(op.input(1), &dataset));
  TENON_RETURN_IF_ERROR(LookupEither<LookupTable>(op, 0, &table));
  if (!table->once()) return errors::InvalidArgument("Table ", table->name(), " is not initializable");
  IteratorContext context(op.environment());
  TENON_RETURN_IF_ERROR(dataset->MakeIterator(context, &iterator));
  for (;;) {
    TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
    if (end) break;
    if (element.size() != 2 || element[0].dtype() != table->key_dtype() || element[1].dtype() != table->value_dtype() ||
        element[0].NumElements() != 1 || element[1].NumElements() != 1)
      return errors::InvalidArgument("InitializeTableFromDataset: an element must be a key of ", table->key_dtype(),
                                     " and a value of ", table->value_dtype(), ", one number each");
    keys.push_back(std::move(element[0]));
    values.push_back(std::move(element[1]));
    element.clear();
  }
  if (keys.empty()) return errors::OutOfRange("end of iterator: the dataset has no elements");
  TENON_ASSIGN_OR_RETURN(const Tensor all_keys, VectorOf(table->key_dtype(), keys));
  TENON_ASSIGN_OR_RETURN(const Tensor all_values, VectorOf(table->value_dtype(), values));
  return table->Initialize(all_keys, all_values);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// dataset: elements of two components, a key and its value.
struct InitializeTableFromDataset {
  static constexpr auto signature = Op("InitializeTableFromDataset")
                                        .Input("table_handle: resource")
                                        .Input("dataset: variant")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          return c->WithRank(c->input(1), 0, &unused);
                                        });

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&) const {
      return detail::InitializeTableFromElements(context.op());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
