// SPDX-License-Identifier: Apache-2.0
#pragma once
// RangeDataset, TensorDataset, TensorSliceDataset, ListDataset: datasets of the values of tensors.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/rows.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The base of iterators of class D that only count their elements.
template <class D>
class CountingIterator : public IteratorBase {
 public:
  explicit CountingIterator(const D* dataset) : dataset_(Ref<const D>::Share(dataset)) {}
  Status Initialize(IteratorContext&) { return OkStatus(); }
  Status Save(IteratorStateWriter* writer) const override {
    writer->Add(next_);
    return OkStatus();
  }
  Status Restore(IteratorContext&, IteratorStateReader* reader) override {
    return reader->TakeCount(dataset_->Cardinality(), &next_);
  }
  Status Skip(IteratorContext&, std::int64_t count, bool* end, std::int64_t* skipped) override {
    const std::int64_t left = dataset_->Cardinality() - next_;
    *skipped = count < left ? count : left;
    *end = count > left;
    next_ += *skipped;
    return OkStatus();
  }

 protected:
  Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
    if (next_ < 0 || next_ >= dataset_->Cardinality()) {
      *end = true;
      return OkStatus();
    }
    return dataset_->Element(context, next_++, element);
  }

 private:
  const Ref<const D> dataset_;
  std::int64_t next_ = 0;  // number of the next element
};

class RangeData final : public DatasetBase {
 public:
  RangeData(ElementSpec spec, std::int64_t start, std::int64_t stop, std::int64_t step)
      : DatasetBase(std::move(spec)), start_(start), step_(step), count_(Count(start, stop, step)) {}
  std::string_view TypeString() const override { return "Range"; }
  std::int64_t Cardinality() const override { return count_; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<CountingIterator<RangeData>>(context, this, iterator);
  }
  Status Element(IteratorContext& context, std::int64_t i, DatasetElement* element) const {
    const std::int64_t value = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(start_) + static_cast<std::uint64_t>(step_) * static_cast<std::uint64_t>(i));
    for (const DataType type : spec_.types) {
      Tensor& tensor = element->emplace_back();
      TENON_RETURN_IF_ERROR(context.Allocate(type, TensorShape(), &tensor));
      TENON_RETURN_IF_ERROR(Set(value, &tensor));
    }
    return OkStatus();
  }

 private:
  static std::int64_t Count(std::int64_t start, std::int64_t stop, std::int64_t step) {
    if (step > 0 ? start >= stop : start <= stop) return 0;
    const std::uint64_t first = static_cast<std::uint64_t>(start), last = static_cast<std::uint64_t>(stop);
    const std::uint64_t gap = step > 0 ? last - first : first - last;
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    const std::uint64_t count = (gap - 1) / stride + 1;
    return count > std::uint64_t{INT64_MAX} ? INT64_MAX : static_cast<std::int64_t>(count);
  }
  static Status Set(std::int64_t value, Tensor* tensor) {
    switch (tensor->dtype()) {
      case DataType::kInt64: *tensor->data<std::int64_t>() = value; return OkStatus();
      case DataType::kInt32: *tensor->data<std::int32_t>() = static_cast<std::int32_t>(value); return OkStatus();
      case DataType::kInt16: *tensor->data<std::int16_t>() = static_cast<std::int16_t>(value); return OkStatus();
      case DataType::kInt8: *tensor->data<std::int8_t>() = static_cast<std::int8_t>(value); return OkStatus();
      case DataType::kUint64: *tensor->data<std::uint64_t>() = static_cast<std::uint64_t>(value); return OkStatus();
      case DataType::kUint32: *tensor->data<std::uint32_t>() = static_cast<std::uint32_t>(value); return OkStatus();
      case DataType::kUint16: *tensor->data<std::uint16_t>() = static_cast<std::uint16_t>(value); return OkStatus();
      case DataType::kUint8: *tensor->data<std::uint8_t>() = static_cast<std::uint8_t>(value); return OkStatus();
      case DataType::kFloat: *tensor->data<float>() = static_cast<float>(value); return OkStatus();
      case DataType::kDouble: *tensor->data<double>() = static_cast<double>(value); return OkStatus();
      case DataType::kHalf: *tensor->data<half>() = half(static_cast<float>(value)); return OkStatus();
      case DataType::kBfloat16: *tensor->data<bfloat16>() = bfloat16(static_cast<float>(value)); return OkStatus();
      case DataType::kBool: *tensor->data<bool>() = value != 0; return OkStatus();
      default: return errors::InvalidArgument("Unsupported data type: ", tensor->dtype());
    }
  }

  const std::int64_t start_, step_, count_;
};

inline Status MakeRange(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t start = 0, stop = 0, step = 0;
  ElementSpec spec;
  TENON_RETURN_IF_ERROR(m.Scalar("start", &start));
  TENON_RETURN_IF_ERROR(m.Scalar("stop", &stop));
  TENON_RETURN_IF_ERROR(m.Scalar("step", &step));
  if (step == 0) return errors::InvalidArgument("step must be a non-zero integer.");
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  spec.shapes.clear();
  for (std::size_t i = 0; i < spec.types.size(); ++i) spec.shapes.push_back(PartialTensorShape(TensorShape()));
  *out = Own(new RangeData(std::move(spec), start, stop, step));
  return OkStatus();
}

// The components once, or their rows.
class TensorData final : public DatasetBase {
 public:
  TensorData(ElementSpec spec, DatasetElement components, bool rows)
      : DatasetBase(std::move(spec)), components_(std::move(components)), rows_(rows) {}
  std::string_view TypeString() const override { return rows_ ? "TensorSlice" : "Tensor"; }
  std::int64_t Cardinality() const override { return rows_ ? components_[0].dim_size(0) : 1; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<CountingIterator<TensorData>>(context, this, iterator);
  }
  Status Element(IteratorContext& context, std::int64_t i, DatasetElement* element) const {
    for (const Tensor& component : components_) {
      Tensor& tensor = element->emplace_back(component);
      if (rows_) TENON_RETURN_IF_ERROR(CopyRow(context, component, i, &tensor));
    }
    return OkStatus();
  }

 private:
  const DatasetElement components_;
  const bool rows_;
};

inline Status MakeTensorData(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const bool rows = !m.IsOp("TensorDataset");
  DatasetElement components;
  ElementSpec declared, made;
  TENON_RETURN_IF_ERROR(m.List("components", &components));
  TENON_RETURN_IF_ERROR(m.Spec(&declared, "Toutput_types"));
  for (const Tensor& component : components) {
    TensorShape shape = component.shape();
    if (rows && component.dims() == 0) return errors::InvalidArgument("All components must be at least 1-dimensional");
    if (rows && component.dim_size(0) != components[0].dim_size(0))
      return errors::InvalidArgument("All components must have the same size in the 0th dimension");
    if (rows) shape.RemoveDim(0);
    made.types.push_back(component.dtype());
    made.shapes.push_back(PartialTensorShape(shape));
  }
  TENON_RETURN_IF_ERROR(VerifyTypesMatch(made.types, declared.types));
  TENON_RETURN_IF_ERROR(VerifyShapesCompatible(made.shapes, declared.shapes));
  *out = Own(new TensorData(std::move(made), std::move(components), rows));
  return OkStatus();
}

// Elements of as many tensors as there are types; tensors that are left over are not read.
class ListData final : public DatasetBase {
 public:
  ListData(ElementSpec spec, DatasetElement tensors) : DatasetBase(std::move(spec)), tensors_(std::move(tensors)) {}
  std::string_view TypeString() const override { return "List"; }
  std::int64_t Cardinality() const override { return static_cast<std::int64_t>(tensors_.size() / spec_.types.size()); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<CountingIterator<ListData>>(context, this, iterator);
  }
  Status Element(IteratorContext&, std::int64_t i, DatasetElement* element) const {
    const std::size_t width = spec_.types.size();
    for (std::size_t c = 0; c < width; ++c)
      if (const DataType type = tensors_[static_cast<std::size_t>(i) * width + c].dtype(); type != spec_.types[c])
        return errors::InvalidArgument("Data type mismatch at component ", c, ": expected ", spec_.types[c],
                                       " but got ", type, ".");
    for (std::size_t c = 0; c < width; ++c) element->push_back(tensors_[static_cast<std::size_t>(i) * width + c]);
    return OkStatus();
  }

 private:
  const DatasetElement tensors_;
};

inline Status MakeList(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  DatasetElement tensors;
  ElementSpec spec;
  TENON_RETURN_IF_ERROR(m.List(m.IsOp("WindowOp") ? "inputs" : "tensors", &tensors));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  *out = Own(new ListData(std::move(spec), std::move(tensors)));
  return OkStatus();
}

}  // namespace detail

// start, start + step, ... before stop, as scalars.
struct RangeDataset {
  static constexpr auto signature = Op("RangeDataset")
                                        .Input("start: int64")
                                        .Input("stop: int64")
                                        .Input("step: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .Attr("replicate_on_split: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<0, 2>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeRange> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The components as one element.
struct TensorDataset {
  static constexpr auto signature = Op("TensorDataset")
                                        .Input("components: Toutput_types")
                                        .Output("handle: variant")
                                        .Attr("Toutput_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeTensorData> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The tensors, a row of output_types after the other.
struct ListDataset {
  static constexpr auto signature = Op("ListDataset")
                                        .Input("tensors: Tinput_types")
                                        .Output("handle: variant")
                                        .Attr("Tinput_types: list(type) >= 1")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeList> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The rows of the components.
struct TensorSliceDataset {
  static constexpr auto signature = Op("TensorSliceDataset")
                                        .Input("components: Toutput_types")
                                        .Output("handle: variant")
                                        .Attr("Toutput_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("is_files: bool = false")
                                        .Attr("metadata: string = ''")
                                        .Attr("replicate_on_split: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeTensorData> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
