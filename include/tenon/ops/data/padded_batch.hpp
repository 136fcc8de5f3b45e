// SPDX-License-Identifier: Apache-2.0
#pragma once
// PaddedBatchDataset, PaddedBatchDatasetV2: batches of elements of different sizes, filled up.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/copies.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/batch.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/rows.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class PaddedBatchData final : public UnaryDataset {
 public:
  PaddedBatchData(Ref<const DatasetBase> input, ElementSpec spec, std::int64_t batch_size, bool drop,
                  SlimVector<PartialTensorShape> padded_shapes, DatasetElement padding_values)
      : UnaryDataset(std::move(input), std::move(spec)),
        size(batch_size),
        drop_remainder(drop),
        shapes(std::move(padded_shapes)),
        values(std::move(padding_values)) {}
  std::string_view TypeString() const override { return "PaddedBatch"; }
  std::int64_t Cardinality() const override { return CountBatches(input().Cardinality(), size, drop_remainder); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t size;
  const bool drop_remainder;
  const SlimVector<PartialTensorShape> shapes;
  const DatasetElement values;

 private:
  class Iterator final : public UnaryIterator<PaddedBatchData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      SlimVector<DatasetElement> rows;
      while (!*end && static_cast<std::int64_t>(rows.size()) < dataset().size) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        DatasetElement row;
        TENON_RETURN_IF_ERROR(NextOfInput(context, &row, end));
        if (!*end) rows.push_back(std::move(row));
      }
      *end = rows.empty() || (dataset().drop_remainder && static_cast<std::int64_t>(rows.size()) < dataset().size);
      if (*end) return OkStatus();
      for (std::size_t c = 0; c < rows[0].size(); ++c) {
        TensorShape padded;
        TENON_RETURN_IF_ERROR(ShapeOf(rows, c, &padded));
        TENON_RETURN_IF_ERROR(Join(context, rows, c, padded, &element->emplace_back()));
      }
      return OkStatus();
    }

   private:
    // The shape that all rows of component c are filled up to.
    Status ShapeOf(const SlimVector<DatasetElement>& rows, std::size_t c, TensorShape* padded) const {
      const PartialTensorShape& wanted = dataset().shapes[c];
      for (int d = 0; d < wanted.dims(); ++d)
        TENON_RETURN_IF_ERROR(padded->AddDimWithStatus(wanted.dim_size(d) < 0 ? 0 : wanted.dim_size(d)));
      for (const DatasetElement& row : rows) {
        const TensorShape& shape = row[c].shape();
        if (shape.dims() != wanted.dims())
          return errors::InvalidArgument(
              "All elements in a batch must have the same rank as the padded shape for component", c,
              ": expected rank ", wanted.dims(), " but got element with rank ", shape.dims());
        for (int d = 0; d < shape.dims(); ++d) {
          if (shape.dim_size(d) <= padded->dim_size(d)) continue;
          if (wanted.dim_size(d) >= 0)
            return errors::DataLoss("Attempted to pad to a smaller size than the input element.");
          padded->set_dim(d, shape.dim_size(d));
        }
      }
      return OkStatus();
    }
    Status Join(const IteratorContext& context, const SlimVector<DatasetElement>& rows, std::size_t c,
                const TensorShape& padded, Tensor* out) const {
      TensorShape shape = padded;
      shape.InsertDim(0, static_cast<Index>(rows.size()));
      TENON_RETURN_IF_ERROR(context.Allocate(rows[0][c].dtype(), shape, out));
      const Tensor& value = dataset().values[c];
      for (Index i = 0; i < out->NumElements(); ++i)
        tenon::detail::CopyElements(out->dtype(), value.raw_data(), tenon::detail::ElementAt(*out, i), 1);
      for (std::size_t r = 0; r < rows.size(); ++r)
        CopyInto(rows[r][c], padded, static_cast<Index>(r) * padded.num_elements(), out);
      return OkStatus();
    }
    // The elements of `from` at their places in a box of shape `padded`, which begins at `at`.
    static void CopyInto(const Tensor& from, const TensorShape& padded, Index at, Tensor* out) {
      const int rank = from.dims();
      const Index line = rank == 0 ? 1 : from.dim_size(rank - 1);
      if (from.NumElements() == 0) return;
      for (Index i = 0; i < from.NumElements(); i += line) {
        Index rest = i / line, to = 0, stride = rank == 0 ? 1 : padded.dim_size(rank - 1);
        for (int d = rank - 2; d >= 0; --d) {
          to += rest % from.dim_size(d) * stride;
          rest /= from.dim_size(d);
          stride *= padded.dim_size(d);
        }
        tenon::detail::CopyElements(from.dtype(), tenon::detail::ElementAt(from, i),
                                    tenon::detail::ElementAt(*out, at + to), static_cast<std::size_t>(line));
      }
    }
  };
};

inline Status MakePaddedBatch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t size = 0;
  bool drop = false;
  Ref<const DatasetBase> input;
  DatasetElement shape_tensors, values;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("batch_size", &size));
  if (size <= 0) return errors::InvalidArgument("Batch size must be greater than zero.");
  if (!m.IsOp("PaddedBatchDataset")) TENON_RETURN_IF_ERROR(m.Scalar("drop_remainder", &drop));
  TENON_RETURN_IF_ERROR(m.List("padded_shapes", &shape_tensors));
  TENON_RETURN_IF_ERROR(m.List("padding_values", &values));
  const ElementSpec& spec = input->spec();
  if (shape_tensors.size() != spec.shapes.size())
    return errors::InvalidArgument("Number of padded shapes (", shape_tensors.size(),
                                   ") must match the number of components in the input dataset's elements (",
                                   spec.shapes.size(), ")");
  SlimVector<PartialTensorShape> shapes;
  for (const Tensor& tensor : shape_tensors) {
    if (tensor.dims() != 1)
      return errors::InvalidArgument("All padded shapes must be vectors, got shape ", tensor.shape());
    PartialTensorShape& shape = shapes.emplace_back();
    TENON_RETURN_IF_ERROR(PartialTensorShape::Build(
        Span<const Index>(tensor.data<std::int64_t>(), static_cast<std::size_t>(tensor.NumElements())), &shape));
  }
  if (values.size() != spec.shapes.size())
    return errors::InvalidArgument("Number of padding values (", values.size(),
                                   ") must match the number of components in the input dataset's elements (",
                                   spec.shapes.size(), ")");
  ElementSpec padded;
  padded.types = spec.types;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].dims() != 0) return errors::InvalidArgument("All padding values must be scalars");
    if (values[i].dtype() != spec.types[i])
      return errors::InvalidArgument("Mismatched type between padding value ", i, " and input dataset's component ", i,
                                     ": ", values[i].dtype(), " vs. ", spec.types[i]);
    padded.shapes.push_back(
        PartialTensorShape({drop || input->Cardinality() == kInfiniteCardinality ? size : -1}).Concatenate(shapes[i]));
  }
  *out =
      Own(new PaddedBatchData(std::move(input), std::move(padded), size, drop, std::move(shapes), std::move(values)));
  return OkStatus();
}

// batch_size and drop_remainder, the last input, are scalars.
constexpr Status PaddedBatchShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(c->num_inputs() - 1), 0, &unused));
  return ScalarsShape<1>(c);
}

}  // namespace detail

// Batches of elements that are filled up to one shape; -1 in padded_shapes: up to the largest of the batch.
struct PaddedBatchDataset {
  static constexpr auto signature = Op("PaddedBatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Input("padded_shapes: N * int64")
                                        .Input("padding_values: Toutput_types")
                                        .Output("handle: variant")
                                        .Attr("Toutput_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("N: int >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakePaddedBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As PaddedBatchDataset; a smaller last batch can be left out.
struct PaddedBatchDatasetV2 {
  static constexpr auto signature = Op("PaddedBatchDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Input("padded_shapes: N * int64")
                                        .Input("padding_values: Toutput_types")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("parallel_copy: bool = false")
                                        .Attr("Toutput_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("N: int >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::PaddedBatchShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakePaddedBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
