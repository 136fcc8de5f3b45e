// SPDX-License-Identifier: Apache-2.0
#pragma once
// UnbatchDataset, RebatchDataset, RebatchDatasetV2: rows of the elements, one by one or in batches of other sizes.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/rows.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The base of iterators that give rows of the input's elements.
template <class D>
class RowsIterator : public UnaryIterator<D> {
 public:
  using UnaryIterator<D>::UnaryIterator;
  Status Save(IteratorStateWriter* writer) const override {
    writer->Add(row_);
    writer->AddElement(rows_);
    return UnaryIterator<D>::Save(writer);
  }
  Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
    TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &row_));
    TENON_RETURN_IF_ERROR(reader->TakeElement(this->dataset().input().spec().types, &rows_));
    if (!Check(rows_).ok() || (!rows_.empty() && row_ > rows_[0].dim_size(0))) return IteratorStateReader::Unfit();
    return UnaryIterator<D>::Restore(context, reader);
  }

 protected:
  std::int64_t Left() const { return rows_.empty() ? 0 : rows_[0].dim_size(0) - row_; }
  // Reads another element where no row is left.
  Status Refill(IteratorContext& context, bool* end) {
    while (Left() == 0) {
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      rows_.clear();
      row_ = 0;
      TENON_RETURN_IF_ERROR(this->NextOfInput(context, &rows_, end));
      if (*end) return OkStatus();
      const Status status = Check(rows_);
      if (!status.ok()) rows_.clear();
      TENON_RETURN_IF_ERROR(status);
    }
    return OkStatus();
  }
  static Status Check(const DatasetElement& rows) {
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (rows[c].dims() == 0)
        return errors::InvalidArgument("Input element must have a non-scalar value in each component.");
      if (rows[c].dim_size(0) != rows[0].dim_size(0))
        return errors::InvalidArgument(
            "Input element must have the same batch size in each component. Component 0 had size ", rows[0].dim_size(0),
            " but component ", c, " had size, ", rows[c].dim_size(0), ".");
    }
    return OkStatus();
  }

  DatasetElement rows_;   // the element that is being read; empty: none
  std::int64_t row_ = 0;  // its next row
};

class UnbatchData final : public UnaryDataset {
 public:
  UnbatchData(Ref<const DatasetBase> input, ElementSpec spec, std::int64_t rows)
      : UnaryDataset(std::move(input), std::move(spec)), rows_(rows) {}
  std::string_view TypeString() const override { return "Unbatch"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    return n < 0 ? n : rows_ > 0 ? ProductOrUnknown(n, rows_) : kUnknownCardinality;
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public RowsIterator<UnbatchData> {
   public:
    using RowsIterator::RowsIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      TENON_RETURN_IF_ERROR(Refill(context, end));
      if (*end) return OkStatus();
      for (const Tensor& rows : rows_) TENON_RETURN_IF_ERROR(CopyRow(context, rows, row_, &element->emplace_back()));
      ++row_;
      return OkStatus();
    }
  };
  const std::int64_t rows_;  // rows of every element; -1: not known
};

inline Status MakeUnbatch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  std::int64_t rows = -1;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  spec.types = input->spec().types;
  for (const PartialTensorShape& shape : input->spec().shapes) {
    PartialTensorShape row;
    if (!shape.unknown_rank() && shape.dims() > 0) {  // rows of scalars fail when they are read
      row = PartialTensorShape(TensorShape());
      for (int d = 1; d < shape.dims(); ++d) row.AddDim(shape.dim_size(d));
      if (shape.dim_size(0) >= 0) rows = shape.dim_size(0);
    }
    spec.shapes.push_back(std::move(row));
  }
  *out = Own(new UnbatchData(std::move(input), std::move(spec), rows));
  return OkStatus();
}

// Batches of the sizes, which come again and again.
class RebatchData final : public UnaryDataset {
 public:
  RebatchData(Ref<const DatasetBase> input, ElementSpec spec, SlimVector<std::int64_t> batch_sizes, bool drop)
      : UnaryDataset(std::move(input), std::move(spec)), sizes(std::move(batch_sizes)), drop_remainder(drop) {}
  std::string_view TypeString() const override { return "RebatchV2"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const SlimVector<std::int64_t> sizes;
  const bool drop_remainder;

 private:
  class Iterator final : public RowsIterator<RebatchData> {
   public:
    using RowsIterator::RowsIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const std::int64_t wanted = dataset().sizes[static_cast<std::size_t>(at_)];
      SlimVector<DatasetElement> parts;
      std::int64_t count = 0;
      bool input_end = false;
      while (count < wanted) {
        TENON_RETURN_IF_ERROR(Refill(context, &input_end));
        if (input_end) break;
        const std::int64_t taken = Left() < wanted - count ? Left() : wanted - count;
        DatasetElement& part = parts.emplace_back();
        for (const Tensor& rows : rows_)
          TENON_RETURN_IF_ERROR(CopyRows(context, rows, row_, row_ + taken, &part.emplace_back()));
        row_ += taken;
        count += taken;
      }
      at_ = (at_ + 1) % static_cast<std::int64_t>(dataset().sizes.size());
      *end = (input_end && (count == 0 || (dataset().drop_remainder && count < wanted))) ||
             (wanted == 0 && input_ == nullptr && Left() == 0);
      if (*end) return OkStatus();
      return parts.empty() ? Empty(context, element) : Join(context, parts, count, element);
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(at_);
      return RowsIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(reader->TakeCount(static_cast<std::int64_t>(dataset().sizes.size()) - 1, &at_));
      return RowsIterator::Restore(context, reader);
    }

   private:
    static Status Join(const IteratorContext& context, SlimVector<DatasetElement>& parts, std::int64_t count,
                       DatasetElement* element) {
      if (parts.size() == 1) {
        *element = std::move(parts[0]);
        return OkStatus();
      }
      for (std::size_t c = 0; c < parts[0].size(); ++c) {
        TensorShape shape = parts[0][c].shape();
        shape.set_dim(0, count);
        Tensor& joined = element->emplace_back();
        TENON_RETURN_IF_ERROR(context.Allocate(parts[0][c].dtype(), shape, &joined));
        Index row = 0;
        for (const DatasetElement& part : parts) {
          if (!tenon::detail::SameRows(part[c].shape(), shape))
            return errors::InvalidArgument("RebatchDataset: rows of shapes ", part[c].shape(), " and ", shape,
                                           " cannot be in one batch");
          TENON_RETURN_IF_ERROR(tenon::tensor::CopyContiguousSlices(part[c], 0, row, part[c].dim_size(0), &joined));
          row += part[c].dim_size(0);
        }
      }
      return OkStatus();
    }
    // No rows, in the shapes that the dataset declares.
    Status Empty(const IteratorContext& context, DatasetElement* element) const {
      const ElementSpec& spec = dataset().spec();
      for (std::size_t c = 0; c < spec.types.size(); ++c) {
        TensorShape shape({0});
        for (int d = 1; d < spec.shapes[c].dims(); ++d)
          shape.AddDim(spec.shapes[c].dim_size(d) < 0 ? 0 : spec.shapes[c].dim_size(d));
        TENON_RETURN_IF_ERROR(context.Allocate(spec.types[c], shape, &element->emplace_back()));
      }
      return OkStatus();
    }
    std::int64_t at_ = 0;  // number of the next size
  };
};

inline Status MakeRebatch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  const Tensor* tensor = nullptr;
  ElementSpec spec;
  SlimVector<std::int64_t> sizes;
  bool drop = false;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Input("batch_sizes", &tensor));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  if (tensor->dims() > 1) return errors::InvalidArgument("`batch_sizes` must be a scalar or a vector.");
  std::int64_t sum = 0;
  for (Index i = 0; i < tensor->NumElements(); ++i) {
    sizes.push_back(tensor->data<std::int64_t>()[i]);
    if (sizes.back() < 0) return errors::InvalidArgument("`batch_sizes` must not be negative, got ", sizes.back());
    sum += sizes.back() > 0 ? 1 : 0;
  }
  if (sizes.empty() || sum == 0) return errors::InvalidArgument("`batch_sizes` must have a size greater than zero");
  TENON_RETURN_IF_ERROR(m.Scalar("drop_remainder", &drop));
  *out = Own(new RebatchData(std::move(input), std::move(spec), std::move(sizes), drop));
  return OkStatus();
}

// Every element in `parts` slices, component by component.
class SlicesData final : public UnaryDataset {
 public:
  SlicesData(Ref<const DatasetBase> input, ElementSpec spec, std::int64_t slices)
      : UnaryDataset(std::move(input), std::move(spec)), parts(slices) {}
  std::string_view TypeString() const override { return "Rebatch"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t parts;

 private:
  class Iterator final : public UnaryIterator<SlicesData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      if (part_ == 0) {
        rows_.clear();
        TENON_RETURN_IF_ERROR(NextOfInput(context, &rows_, end));
        if (*end) return OkStatus();
        for (std::size_t c = 0; c < rows_.size(); ++c)
          if (rows_[c].dims() == 0)
            return errors::InvalidArgument(
                "Cannot rebatch dataset: All components must have at least one dimension. Perhaps your input dataset "
                "is not batched? Component ",
                c, " is scalar.");
      }
      const std::int64_t part = part_;
      part_ = (part_ + 1) % dataset().parts;
      for (const Tensor& rows : rows_) {
        const Index n = rows.dim_size(0), each = n / dataset().parts + (n % dataset().parts == 0 ? 0 : 1);
        const Index begin = each == 0 || part > n / each ? n : part * each;
        TENON_RETURN_IF_ERROR(
            CopyRows(context, rows, begin, n - begin < each ? n : begin + each, &element->emplace_back()));
      }
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(part_);
      writer->AddElement(part_ == 0 ? DatasetElement() : rows_);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(reader->TakeCount(dataset().parts - 1, &part_));
      TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().input().spec().types, &rows_));
      for (const Tensor& rows : rows_)
        if (rows.dims() == 0) return IteratorStateReader::Unfit();
      if (part_ != 0 && rows_.empty()) return IteratorStateReader::Unfit();
      return UnaryIterator::Restore(context, reader);
    }

   private:
    DatasetElement rows_;
    std::int64_t part_ = 0;  // number of the next slice of rows_
  };
};

inline Status MakeSlices(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  std::int64_t parts = 0;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Scalar("num_replicas", &parts));
  if (parts <= 0) return errors::InvalidArgument("num_replicas must be greater than zero.");
  *out = Own(new SlicesData(std::move(input), std::move(spec), parts));
  return OkStatus();
}

}  // namespace detail

// The elements, each cut into num_replicas slices of its rows.
struct RebatchDataset : detail::DatasetOp<&detail::MakeSlices> {
  static constexpr auto signature = Op("RebatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("num_replicas: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("use_fallback: bool = true")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// The rows of the elements.
struct UnbatchDataset {
  static constexpr auto signature = Op("UnbatchDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeUnbatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The rows of the elements in batches of batch_sizes, again and again.
struct RebatchDatasetV2 {
  static constexpr auto signature = Op("RebatchDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("batch_sizes: int64")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeRebatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
