// SPDX-License-Identifier: Apache-2.0
#pragma once
// MapAndBatchDataset: batches of a function of every element.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/batch.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/map.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class MapAndBatchData final : public FunctionData {
 public:
  MapAndBatchData(Ref<const DatasetBase> input, ElementSpec spec, CapturedFunction f, std::int64_t batch_size,
                  bool drop, bool preserve)
      : FunctionData(std::move(input), std::move(spec), std::move(f)),
        size(batch_size),
        drop_remainder(drop),
        preserve_cardinality(preserve) {}
  std::string_view TypeString() const override { return "MapAndBatch"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    if (!preserve_cardinality && n != kInfiniteCardinality) return kUnknownCardinality;
    return CountBatches(n, size, drop_remainder);
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t size;
  const bool drop_remainder, preserve_cardinality;

 private:
  class Iterator final : public FunctionIterator<MapAndBatchData> {
   public:
    using FunctionIterator::FunctionIterator;
    // A batch takes its elements even when the function fails for some.
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      SlimVector<DatasetElement> rows;
      Status status;
      bool any = false, ended = false;
      for (std::int64_t i = 0; i < dataset().size && !ended; ++i) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        DatasetElement args, row;
        bool row_end = false;
        Status of_row = NextOfInput(context, &args, &ended);
        if (of_row.ok() && ended) break;
        if (of_row.ok())
          of_row = EndOrError(function_.Run(context, args, &row), dataset().preserve_cardinality, &row_end);
        if (of_row.ok() && !row_end) of_row = VerifyTypesMatch(dataset().spec().types, row);
        if (of_row.ok() && !row_end) {
          any = true;
          rows.push_back(std::move(row));
          continue;
        }
        if (row_end) {  // the function ended the dataset
          input_.reset();
          break;
        }
        if (status.ok()) status = std::move(of_row);
      }
      TENON_RETURN_IF_ERROR(status);
      *end = !any || (dataset().drop_remainder && static_cast<std::int64_t>(rows.size()) < dataset().size);
      return *end ? OkStatus() : Join(context, rows, element);
    }

   private:
    static Status Join(IteratorContext& context, const SlimVector<DatasetElement>& rows, DatasetElement* element) {
      for (std::size_t c = 0; c < rows[0].size(); ++c) {
        TensorShape shape = rows[0][c].shape();
        shape.InsertDim(0, static_cast<Index>(rows.size()));
        Tensor& batch = element->emplace_back();
        TENON_RETURN_IF_ERROR(context.Allocate(rows[0][c].dtype(), shape, &batch));
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const Tensor& row = rows[i][c];
          if (row.NumElements() != rows[0][c].NumElements())
            return errors::InvalidArgument(
                "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: ",
                row.shape(), ", [batch]: ", rows[0][c].shape());
          TENON_RETURN_IF_ERROR(tenon::tensor::CopyElementToSlice(row, &batch, static_cast<Index>(i)));
        }
      }
      return OkStatus();
    }
  };
};

inline Status MakeMapAndBatch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  CapturedFunction function;
  std::int64_t size = 0, calls = 0;
  bool drop = false, preserve = false;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("f", "other_arguments", &function));
  TENON_RETURN_IF_ERROR(m.Scalar("batch_size", &size));
  if (size <= 0) return errors::InvalidArgument("batch_size must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Scalar("num_parallel_calls", &calls));
  TENON_RETURN_IF_ERROR(CheckParallelCalls(calls));
  TENON_RETURN_IF_ERROR(m.Scalar("drop_remainder", &drop));
  TENON_RETURN_IF_ERROR(m.Attr("preserve_cardinality", &preserve));
  *out = Own(new MapAndBatchData(std::move(input), std::move(spec), std::move(function), size, drop, preserve));
  return OkStatus();
}

// The last three inputs are scalars.
constexpr Status MapAndBatchShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = c->num_inputs() - 3; i < c->num_inputs(); ++i)
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return shape_inference::ScalarShape(c);
}

}  // namespace detail

// Batches of f(element, other_arguments).
struct MapAndBatchDataset {
  static constexpr auto signature = Op("MapAndBatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("batch_size: int64")
                                        .Input("num_parallel_calls: int64")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("preserve_cardinality: bool = false")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::MapAndBatchShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeMapAndBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
