// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseTensorSliceDataset, DenseToSparseBatchDataset: rows of sparse tensors, and batches as sparse tensors.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/copies.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/batch.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/source.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Types and shapes of a sparse tensor of rank `rank` as three components.
inline ElementSpec SparseSpec(DataType values, Index rank) {
  ElementSpec spec;
  for (const DataType type : {DataType::kInt64, values, DataType::kInt64}) spec.types.push_back(type);
  spec.shapes.push_back(PartialTensorShape({-1, rank}));
  spec.shapes.push_back(PartialTensorShape({-1}));
  spec.shapes.push_back(PartialTensorShape({rank}));
  return spec;
}

class SparseSliceData final : public DatasetBase {
 public:
  SparseSliceData(Tensor indices, Tensor values, Tensor dense_shape)
      : DatasetBase(SparseSpec(values.dtype(), dense_shape.NumElements() - 1)),
        indices_(std::move(indices)),
        values_(std::move(values)),
        dense_shape_(std::move(dense_shape)) {}
  std::string_view TypeString() const override { return "SparseTensorSlice"; }
  std::int64_t Cardinality() const override { return *dense_shape_.data<std::int64_t>(); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<CountingIterator<SparseSliceData>>(context, this, iterator);
  }
  Status Element(IteratorContext& context, std::int64_t row, DatasetElement* element) const {
    const Index rank = indices_.dim_size(1);
    const std::int64_t* const at = indices_.data<std::int64_t>();
    // Rows are in order: the first and last entry of this one by bisection.
    const auto begin_of = [&](std::int64_t wanted) {
      Index low = 0, high = values_.NumElements();
      while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (at[middle * rank] < wanted)
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    const Index begin = begin_of(row), count = begin_of(row + 1) - begin;
    element->resize(3);
    TENON_RETURN_IF_ERROR(context.Allocate(DataType::kInt64, TensorShape({count, rank - 1}), &(*element)[0]));
    TENON_RETURN_IF_ERROR(context.Allocate(values_.dtype(), TensorShape({count}), &(*element)[1]));
    TENON_RETURN_IF_ERROR(context.Allocate(DataType::kInt64, TensorShape({rank - 1}), &(*element)[2]));
    for (Index i = 0; i < count; ++i)
      for (Index d = 1; d < rank; ++d)
        (*element)[0].data<std::int64_t>()[i * (rank - 1) + d - 1] = at[(begin + i) * rank + d];
    tenon::detail::CopyElements(values_.dtype(), tenon::detail::ElementAt(values_, begin), (*element)[1].raw_data(),
                                static_cast<std::size_t>(count));
    for (Index d = 1; d < rank; ++d) (*element)[2].data<std::int64_t>()[d - 1] = dense_shape_.data<std::int64_t>()[d];
    return OkStatus();
  }

 private:
  const Tensor indices_, values_, dense_shape_;
};

inline Status MakeSparseSlice(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const Tensor &indices = m.context().input(0), &values = m.context().input(1), &dense_shape = m.context().input(2);
  if (indices.dims() != 2) return errors::InvalidArgument("Input indices must be a matrix. Got: ", indices.shape());
  if (values.dims() != 1) return errors::InvalidArgument("Input values must be a vector. Got: ", values.shape());
  if (dense_shape.dims() != 1)
    return errors::InvalidArgument("Input shape must be a vector. Got: ", dense_shape.shape());
  if (values.dim_size(0) != indices.dim_size(0))
    return errors::InvalidArgument("Number of values must match first dimension of indices. Got ", values.dim_size(0),
                                   " values, indices shape: ", indices.shape());
  if (dense_shape.dim_size(0) != indices.dim_size(1))
    return errors::InvalidArgument("Number of dimensions must match second dimension of indices. Got ",
                                   dense_shape.dim_size(0), " dimensions, indices shape: ", indices.shape());
  if (dense_shape.NumElements() < 1)
    return errors::InvalidArgument("The shape argument requires at least one element.");
  for (Index i = 0; i < dense_shape.NumElements(); ++i)
    if (dense_shape.data<std::int64_t>()[i] < 0)
      return errors::InvalidArgument("Dimension ", i, " of the shape must not be negative, got ",
                                     dense_shape.data<std::int64_t>()[i]);
  std::int64_t before = -1;
  for (Index i = 0; i < indices.dim_size(0); ++i) {
    const std::int64_t row = indices.data<std::int64_t>()[i * indices.dim_size(1)];
    if (row < before)
      return errors::Unimplemented(
          "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not "
          "currently supported.");
    before = row;
  }
  *out = Own(new SparseSliceData(indices, values, dense_shape));
  return OkStatus();
}

// Batches of dense elements of up to row_shape as sparse tensors; sizes of -1 are the batch's largest.
class SparseBatchData final : public UnaryDataset {
 public:
  SparseBatchData(Ref<const DatasetBase> input, ElementSpec spec, std::int64_t batch_size, PartialTensorShape row)
      : UnaryDataset(std::move(input), std::move(spec)), size(batch_size), row_shape(std::move(row)) {}
  std::string_view TypeString() const override { return "DenseToSparseBatch"; }
  std::int64_t Cardinality() const override { return CountBatches(input().Cardinality(), size, false); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t size;
  const PartialTensorShape row_shape;

 private:
  class Iterator final : public UnaryIterator<SparseBatchData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      DatasetElement rows, row;
      Index count = 0;
      while (!*end && static_cast<std::int64_t>(rows.size()) < dataset().size) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        TENON_RETURN_IF_ERROR(NextOfInput(context, &row, end));
        if (*end) break;
        count += row[0].NumElements();
        rows.push_back(std::move(row[0]));
      }
      *end = rows.empty();
      if (*end) return OkStatus();
      const int rank = dataset().row_shape.dims() + 1;
      Tensor indices, values, dense_shape;
      TENON_RETURN_IF_ERROR(context.Allocate(DataType::kInt64, TensorShape({count, rank}), &indices));
      TENON_RETURN_IF_ERROR(context.Allocate(rows[0].dtype(), TensorShape({count}), &values));
      TENON_RETURN_IF_ERROR(context.Allocate(DataType::kInt64, TensorShape({rank}), &dense_shape));
      std::int64_t* const shape = dense_shape.data<std::int64_t>();
      shape[0] = static_cast<std::int64_t>(rows.size());
      for (int d = 1; d < rank; ++d)
        shape[d] = dataset().row_shape.dim_size(d - 1) < 0 ? 0 : dataset().row_shape.dim_size(d - 1);
      std::int64_t* index = indices.data<std::int64_t>();
      Index at = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        TENON_RETURN_IF_ERROR(Fits(rows[r], shape + 1));
        tenon::detail::CopyElements(rows[r].dtype(), rows[r].raw_data(), tenon::detail::ElementAt(values, at),
                                    static_cast<std::size_t>(rows[r].NumElements()));
        at += rows[r].NumElements();
        for (Index i = 0; i < rows[r].NumElements(); ++i, index += rank) {
          index[0] = static_cast<std::int64_t>(r);
          Index rest = i;
          for (int d = rank - 1; d > 0; --d) {
            index[d] = rest % rows[r].dim_size(d - 1);
            rest /= rows[r].dim_size(d - 1);
          }
        }
      }
      TENON_RETURN_IF_ERROR(context.Allocate(DataType::kVariant, TensorShape({3}), &element->emplace_back()));
      Variant* const parts = (*element)[0].data<Variant>();
      parts[0] = std::move(indices);
      parts[1] = std::move(values);
      parts[2] = std::move(dense_shape);
      return OkStatus();
    }

   private:
    // Makes shape[0:] large enough where it is not given.
    Status Fits(const Tensor& row, std::int64_t* shape) const {
      const PartialTensorShape& wanted = dataset().row_shape;
      if (row.dims() != wanted.dims())
        return errors::InvalidArgument("Input element had shape (", row.shape(),
                                       ") that is incompatible with the row shape (", wanted, ").");
      for (int d = 0; d < row.dims(); ++d) {
        if (wanted.dim_size(d) >= 0 && row.dim_size(d) > wanted.dim_size(d))
          return errors::DataLoss("Input element had shape (", row.shape(), ") that is larger than the row shape (",
                                  wanted, ").");
        if (row.dim_size(d) > shape[d]) shape[d] = row.dim_size(d);
      }
      return OkStatus();
    }
  };
};

inline Status MakeSparseBatch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::int64_t size = 0;
  const Tensor* tensor = nullptr;
  PartialTensorShape row;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  if (input->spec().types.size() != 1)
    return errors::InvalidArgument("DenseToSparseBatchDataset only supports inputs with a single component.");
  TENON_RETURN_IF_ERROR(m.Scalar("batch_size", &size));
  if (size <= 0) return errors::InvalidArgument("Batch size must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Input("row_shape", &tensor));
  if (tensor->dims() != 1) return errors::InvalidArgument("row_shape must be a vector");
  TENON_RETURN_IF_ERROR(PartialTensorShape::Build(
      Span<const Index>(tensor->data<std::int64_t>(), static_cast<std::size_t>(tensor->NumElements())), &row));
  ElementSpec spec;
  spec.types.push_back(DataType::kVariant);
  spec.shapes.push_back(PartialTensorShape({-1}).Concatenate(row));
  *out = Own(new SparseBatchData(std::move(input), std::move(spec), size, std::move(row)));
  return OkStatus();
}

constexpr Status SparseBatchShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  return ScalarsShape<1>(c);
}

}  // namespace detail

// The rows of a sparse tensor as sparse tensors.
struct SparseTensorSliceDataset {
  static constexpr auto signature = Op("SparseTensorSliceDataset")
                                        .Input("indices: int64")
                                        .Input("values: Tvalues")
                                        .Input("dense_shape: int64")
                                        .Output("handle: variant")
                                        .Attr("Tvalues: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSparseSlice> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Batches of dense elements as sparse tensors, each a vector of three variants for DeserializeSparse.
struct DenseToSparseBatchDataset {
  static constexpr auto signature = Op("DenseToSparseBatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Input("row_shape: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::SparseBatchShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSparseBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
