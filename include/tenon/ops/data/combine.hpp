// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConcatenateDataset, ZipDataset, DirectedInterleaveDataset: one dataset of several.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using DatasetList = SlimVector<Ref<const DatasetBase>>;

// A dataset of several inputs, whose iterators the class I combines.
template <class I>
class CombinedData final : public DatasetBase {
 public:
  CombinedData(ElementSpec spec, DatasetList list, bool first_end_ends = false)
      : DatasetBase(std::move(spec)), inputs(std::move(list)), stop_on_empty(first_end_ends) {}
  std::string_view TypeString() const override { return I::kType; }
  std::int64_t Cardinality() const override { return I::Count(*this); }
  std::string_view options() const override { return inputs[0]->options(); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    auto made = MakeOwned<I>(this);
    for (const Ref<const DatasetBase>& input : inputs)
      TENON_RETURN_IF_ERROR(input->MakeIterator(context, &made->inputs_.emplace_back()));
    *iterator = std::move(made);
    return OkStatus();
  }
  void SaveShared(IteratorStateWriter* writer) const override {
    for (const Ref<const DatasetBase>& input : inputs) input->SaveShared(writer);
  }
  Status RestoreShared(IteratorStateReader* reader) const override {
    for (const Ref<const DatasetBase>& input : inputs) TENON_RETURN_IF_ERROR(input->RestoreShared(reader));
    return OkStatus();
  }
  const DatasetList inputs;
  const bool stop_on_empty;
};

// The base of such iterators. An input is null when it has come to its end.
template <class I>
class CombinedIterator : public IteratorBase {
 public:
  explicit CombinedIterator(const CombinedData<I>* dataset) : dataset_(Ref<const CombinedData<I>>::Share(dataset)) {}
  Status Save(IteratorStateWriter* writer) const override {
    for (const Owned<IteratorBase>& input : inputs_) TENON_RETURN_IF_ERROR(SaveInput(input, writer));
    return OkStatus();
  }
  Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
    for (Owned<IteratorBase>& input : inputs_) TENON_RETURN_IF_ERROR(RestoreInput(context, reader, &input));
    return OkStatus();
  }

 protected:
  friend class CombinedData<I>;
  void EndAll() {
    for (Owned<IteratorBase>& input : inputs_) input.reset();
  }
  const Ref<const CombinedData<I>> dataset_;
  SlimVector<Owned<IteratorBase>> inputs_;
};

class ConcatenateIterator final : public CombinedIterator<ConcatenateIterator> {
 public:
  static constexpr std::string_view kType = "Concatenate";
  using CombinedIterator::CombinedIterator;
  static std::int64_t Count(const CombinedData<ConcatenateIterator>& data) {
    std::int64_t sum = 0;
    for (const Ref<const DatasetBase>& input : data.inputs)
      if (input->Cardinality() == kInfiniteCardinality) return kInfiniteCardinality;
    for (const Ref<const DatasetBase>& input : data.inputs) {
      const std::int64_t n = input->Cardinality();
      if (n == kUnknownCardinality || n > std::numeric_limits<std::int64_t>::max() - sum) return kUnknownCardinality;
      sum += n;
    }
    return sum;
  }
  Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
    for (Owned<IteratorBase>& input : inputs_) {
      if (input == nullptr) continue;
      TENON_RETURN_IF_ERROR(input->GetNext(context, element, end));
      if (!*end) return OkStatus();
      input.reset();
    }
    *end = true;
    return OkStatus();
  }
};

inline Status MakeConcatenate(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  DatasetList inputs(2);
  for (int i = 0; i < 2; ++i) TENON_RETURN_IF_ERROR(m.Dataset(i, &inputs[static_cast<std::size_t>(i)]));
  const ElementSpec &a = inputs[0]->spec(), &b = inputs[1]->spec();
  if (!(a.types == b.types))
    return errors::InvalidArgument("input dataset and dataset to concatenate have different output_types ",
                                   StrJoin(a.types, ", "), " and ", StrJoin(b.types, ", "));
  ElementSpec spec;
  spec.types = a.types;
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    const PartialTensorShape &one = a.shapes[i], &other = b.shapes[i];
    PartialTensorShape both;
    if (one.dims() == other.dims() && !one.unknown_rank()) {
      both = TensorShape();
      for (int d = 0; d < one.dims(); ++d) both.AddDim(one.dim_size(d) == other.dim_size(d) ? one.dim_size(d) : -1);
    }
    spec.shapes.push_back(std::move(both));
  }
  *out = Own(new CombinedData<ConcatenateIterator>(std::move(spec), std::move(inputs)));
  return OkStatus();
}

class ZipIterator final : public CombinedIterator<ZipIterator> {
 public:
  static constexpr std::string_view kType = "Zip";
  using CombinedIterator::CombinedIterator;
  static std::int64_t Count(const CombinedData<ZipIterator>& data) {
    std::int64_t least = kInfiniteCardinality;
    for (const Ref<const DatasetBase>& input : data.inputs) {
      const std::int64_t n = input->Cardinality();
      if (n == kUnknownCardinality) return n;
      if (n != kInfiniteCardinality && (least == kInfiniteCardinality || n < least)) least = n;
    }
    return least;
  }
  // All inputs go on together, also when one of them fails.
  Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
    Status status;
    DatasetElement part;
    for (Owned<IteratorBase>& input : inputs_) {
      bool part_end = input == nullptr;
      if (input != nullptr) status.Update(input->GetNext(context, &part, &part_end));
      *end = *end || part_end;
      if (!status.ok()) continue;
      if (*end) break;
      for (Tensor& tensor : part) element->push_back(std::move(tensor));
    }
    if (*end || !status.ok()) element->clear();
    if (*end) EndAll();
    return status;
  }
};

inline Status MakeZip(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  DatasetList inputs(static_cast<std::size_t>(m.context().num_inputs()));
  ElementSpec spec;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TENON_RETURN_IF_ERROR(m.Dataset(static_cast<int>(i), &inputs[i]));
    const ElementSpec& part = inputs[i]->spec();
    for (const DataType type : part.types) spec.types.push_back(type);
    for (const PartialTensorShape& shape : part.shapes) spec.shapes.push_back(shape);
  }
  *out = Own(new CombinedData<ZipIterator>(std::move(spec), std::move(inputs)));
  return OkStatus();
}

// Input 0 says which of the others gives the next element.
class DirectedIterator final : public CombinedIterator<DirectedIterator> {
 public:
  static constexpr std::string_view kType = "DirectedInterleave";
  using CombinedIterator::CombinedIterator;
  static std::int64_t Count(const CombinedData<DirectedIterator>& data) {
    for (std::size_t i = 1; i < data.inputs.size(); ++i)
      if (data.inputs[i]->Cardinality() == kInfiniteCardinality) return kInfiniteCardinality;
    return kUnknownCardinality;
  }
  Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
    while (inputs_[0] != nullptr) {
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      TENON_RETURN_IF_ERROR(inputs_[0]->GetNext(context, element, end));
      if (*end) break;
      if (element->size() != 1 || (*element)[0].dtype() != DataType::kInt64 || (*element)[0].NumElements() != 1)
        return errors::InvalidArgument("The selector input must be a dataset of scalar int64 elements.");
      const std::int64_t chosen = *(*element)[0].data<std::int64_t>();
      const auto count = static_cast<std::int64_t>(inputs_.size()) - 1;
      if (chosen < 0 || chosen >= count)
        return errors::InvalidArgument("Selector index out of range: ", chosen, " >= ", count);
      Owned<IteratorBase>& input = inputs_[static_cast<std::size_t>(chosen) + 1];
      if (input == nullptr) continue;
      TENON_RETURN_IF_ERROR(input->GetNext(context, element, end));
      if (!*end) return OkStatus();
      input.reset();
      bool any = false;
      for (std::size_t i = 1; i < inputs_.size(); ++i) any = any || inputs_[i] != nullptr;
      if (!any || dataset_->stop_on_empty) break;
    }
    EndAll();
    element->clear();
    *end = true;
    return OkStatus();
  }
};

inline Status MakeDirectedInterleave(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  DatasetList inputs(static_cast<std::size_t>(m.context().num_inputs()));
  for (std::size_t i = 0; i < inputs.size(); ++i) TENON_RETURN_IF_ERROR(m.Dataset(static_cast<int>(i), &inputs[i]));
  const ElementSpec& selector = inputs[0]->spec();
  if (selector.types.size() != 1 || selector.types[0] != DataType::kInt64 || selector.shapes.size() != 1 ||
      !selector.shapes[0].IsCompatibleWith(PartialTensorShape(TensorShape())))
    return errors::InvalidArgument("The selector input must be a dataset of scalar int64 elements.");
  ElementSpec spec = inputs[1]->spec();
  for (std::size_t i = 2; i < inputs.size(); ++i) {
    const ElementSpec& other = inputs[i]->spec();
    if (!(other.types == spec.types))
      return errors::InvalidArgument("All inputs must have the same output_dtypes. First input has types ",
                                     StrJoin(spec.types, ", "), ", and input ", i - 1, " has types ",
                                     StrJoin(other.types, ", "), ".");
    for (std::size_t s = 0; s < spec.shapes.size(); ++s)
      if (!other.shapes[s].IsIdenticalTo(spec.shapes[s])) spec.shapes[s] = PartialTensorShape();
  }
  bool stop_on_empty = false;
  if (m.HasAttr("stop_on_empty_dataset")) TENON_RETURN_IF_ERROR(m.Attr("stop_on_empty_dataset", &stop_on_empty));
  *out = Own(new CombinedData<DirectedIterator>(std::move(spec), std::move(inputs), stop_on_empty));
  return OkStatus();
}

}  // namespace detail

// The elements of one dataset and, behind them, those of another.
struct ConcatenateDataset {
  static constexpr auto signature = Op("ConcatenateDataset")
                                        .Input("input_dataset: variant")
                                        .Input("another_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeConcatenate> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Elements that join one of each input.
struct ZipDataset {
  static constexpr auto signature = Op("ZipDataset")
                                        .Input("input_datasets: N * variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("N: int >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeZip> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Elements of the inputs in the order that the selector says.
struct DirectedInterleaveDataset {
  static constexpr auto signature = Op("DirectedInterleaveDataset")
                                        .Input("selector_input_dataset: variant")
                                        .Input("data_input_datasets: N * variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("N: int >= 1")
                                        .Attr("stop_on_empty_dataset: bool = false")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeDirectedInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
