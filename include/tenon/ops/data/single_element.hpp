// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetToSingleElement, GetElementAtIndex, DatasetCardinality, WrapDatasetVariant, UnwrapDatasetVariant, GetOptions:
// facts of datasets.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/scan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class SingleElementKernel : public OpKernel {
 public:
  explicit SingleElementKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    Ref<const DatasetBase> dataset;
    Owned<IteratorBase> iterator;
    ElementSpec spec;
    DatasetElement element, second;
    bool end = false;
    TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(op->input(0), &dataset));
    TENON_RETURN_IF_ERROR(DatasetMaker(op).Spec(&spec));
    IteratorContext context(op->environment());
    TENON_RETURN_IF_ERROR(dataset->MakeIterator(context, &iterator));
    TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
    if (end) return errors::InvalidArgument("Dataset was empty.");
    TENON_RETURN_IF_ERROR(VerifyElement(spec, element));
    TENON_RETURN_IF_ERROR(iterator->GetNext(context, &second, &end));
    if (!end) return errors::InvalidArgument("Dataset had more than one element.");
    for (std::size_t i = 0; i < element.size(); ++i) op->set_output(static_cast<int>(i), std::move(element[i]));
    return OkStatus();
  }
};

// Gives an element by its number, of the datasets for which TensorFlow does. The iterator passes the elements before.
class ElementAtKernel : public OpKernel {
 public:
  explicit ElementAtKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(DatasetMaker(context))); }

 private:
  static bool IsServed(std::string_view type) {
    for (const std::string_view served :
         {"AssertCardinality", "Batch", "Cache", "Concatenate", "List", "Map", "Options", "Prefetch", "Range", "Repeat",
          "Shard", "Skip", "Take", "Tensor", "TensorSlice", "Zip"})
      if (type == served) return true;
    return false;
  }
  static Status Run(const DatasetMaker& m) {
    Ref<const DatasetBase> dataset;
    Owned<IteratorBase> iterator;
    ElementSpec spec;
    std::int64_t index = 0;
    TENON_RETURN_IF_ERROR(m.Dataset(0, &dataset));
    TENON_RETURN_IF_ERROR(m.Scalar("index", &index));
    TENON_RETURN_IF_ERROR(m.Spec(&spec));
    const std::int64_t count = dataset->Cardinality();
    if (!IsServed(dataset->TypeString()))
      return errors::Unimplemented("Random access is not implemented for dataset ", dataset->DebugString());
    if (count < 0)
      return errors::FailedPrecondition("Dataset of type ", dataset->DebugString(), " has ",
                                        count == kInfiniteCardinality ? "infinite" : "unknown",
                                        " cardinality, which does not support random access.");
    if (index < 0 || index >= count) return errors::OutOfRange("Index out of range [0, ", count, "):", index);
    IteratorContext context(m.context().environment());
    DatasetElement element;
    bool end = false;
    TENON_RETURN_IF_ERROR(dataset->MakeIterator(context, &iterator));
    for (std::int64_t passed = 0, n = 0; passed < index && !end; passed += n) {
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      if (!iterator->Skip(context, index - passed, &end, &n).ok()) ++n;  // an element that fails
    }
    if (!end) TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
    if (end) return errors::OutOfRange("Index out of range: ", index);
    TENON_RETURN_IF_ERROR(VerifyElement(spec, element));
    for (std::size_t i = 0; i < element.size(); ++i) m.context().set_output(static_cast<int>(i), std::move(element[i]));
    return OkStatus();
  }
};

class CardinalityKernel : public OpKernel {
 public:
  explicit CardinalityKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override {
    Ref<const DatasetBase> dataset;
    context->SetStatus(GetDatasetFromVariantTensor(context->input(0), &dataset));
    if (context->status().ok()) context->set_output(0, Tensor::Scalar(dataset->Cardinality()));
  }
};

class GetOptionsKernel : public OpKernel {
 public:
  explicit GetOptionsKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override {
    Ref<const DatasetBase> dataset;
    context->SetStatus(GetDatasetFromVariantTensor(context->input(0), &dataset));
    if (context->status().ok()) context->set_output(0, Tensor::Scalar(dataset->options()));
  }
};

// A variant that holds the variant of a dataset.
struct WrappedDataset {
  Tensor dataset;
  std::string_view TypeName() const { return "tensorflow::WrappedDatasetVariant"; }
  std::string DebugString() const { return "WrappedDatasetVariantWrapper"; }
};

class WrapDatasetKernel : public OpKernel {
 public:
  explicit WrapDatasetKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    const Tensor& input = op->input(0);
    if (input.dims() != 0 || !input.IsInitialized())
      return errors::InvalidArgument("Dataset tensor must be a scalar of dtype DT_VARIANT.");
    const Variant& variant = input.data<Variant>()[0];
    if (op->op_kernel().type_string() == "WrapDatasetVariant") {
      if (!variant.is<DatasetVariant>()) return errors::InvalidArgument("Tensor must be a Dataset object.");
      TENON_ASSIGN_OR_RETURN(Tensor out, Tensor::Make(DataType::kVariant, TensorShape()));
      out.data<Variant>()[0] = WrappedDataset{input};
      op->set_output(0, std::move(out));
      return OkStatus();
    }
    const WrappedDataset* const wrapped = variant.get<WrappedDataset>();
    if (wrapped == nullptr) return errors::InvalidArgument("Tensor must be a WrappedDataset variant object.");
    op->set_output(0, wrapped->dataset);
    return OkStatus();
  }
};

}  // namespace detail

// The only element of a dataset; InvalidArgument where it has none or more.
struct DatasetToSingleElement {
  static constexpr auto signature = Op("DatasetToSingleElement")
                                        .Input("dataset: variant")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ElementShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SingleElementKernel {
    explicit kernel(OpKernelConstruction* c) : SingleElementKernel(c) {}
  };
};

// The number of elements; -1: no end, -2: not known.
struct DatasetCardinality {
  static constexpr auto signature = Op("DatasetCardinality")
                                        .Input("input_dataset: variant")
                                        .Output("cardinality: int64")
                                        .Attr("cardinality_options: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CardinalityKernel {
    explicit kernel(OpKernelConstruction* c) : CardinalityKernel(c) {}
  };
};

// The options of a dataset, serialised.
struct GetOptions {
  static constexpr auto signature = Op("GetOptions")
                                        .Input("input_dataset: variant")
                                        .Output("serialized_options: string")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::GetOptionsKernel {
    explicit kernel(OpKernelConstruction* c) : GetOptionsKernel(c) {}
  };
};

// A variant that holds a dataset's.
struct WrapDatasetVariant {
  static constexpr auto signature = Op("WrapDatasetVariant")
                                        .Input("input_handle: variant")
                                        .Output("output_handle: variant")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::WrapDatasetKernel {
    explicit kernel(OpKernelConstruction* c) : WrapDatasetKernel(c) {}
  };
};

// The dataset of such a variant.
struct UnwrapDatasetVariant {
  static constexpr auto signature = Op("UnwrapDatasetVariant")
                                        .Input("input_handle: variant")
                                        .Output("output_handle: variant")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::WrapDatasetKernel {
    explicit kernel(OpKernelConstruction* c) : WrapDatasetKernel(c) {}
  };
};

// The element with a number. FailedPrecondition, Unimplemented: the dataset has no such numbers. OutOfRange.
struct GetElementAtIndex : detail::CpuOp<detail::ElementAtKernel> {
  static constexpr auto signature = Op("GetElementAtIndex")
                                        .Input("dataset: variant")
                                        .Input("index: int64")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::ElementShapes);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
