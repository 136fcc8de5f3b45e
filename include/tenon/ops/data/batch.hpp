// SPDX-License-Identifier: Apache-2.0
#pragma once
// BatchDataset, BatchDatasetV2, ParallelBatchDataset: elements joined along a new first dimension.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/map.hpp>
#include <tenon/ops/data/rows.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Batches of n elements of `size`.
inline std::int64_t CountBatches(std::int64_t n, std::int64_t size, bool drop_remainder) {
  return n < 0 ? n : n / size + (n % size == 0 || drop_remainder ? 0 : 1);
}

class BatchData final : public UnaryDataset {
 public:
  BatchData(Ref<const DatasetBase> input, ElementSpec spec, std::int64_t batch_size, bool drop, bool of_map)
      : UnaryDataset(std::move(input), std::move(spec)), size(batch_size), drop_remainder(drop), fused(of_map) {}
  std::string_view TypeString() const override { return "Batch"; }
  std::int64_t Cardinality() const override { return CountBatches(input().Cardinality(), size, drop_remainder); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t size;
  const bool drop_remainder;
  const bool fused;  // as TensorFlow's MapAndBatch: an element that fails takes its batch with it

 private:
  class Iterator final : public UnaryIterator<BatchData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      SlimVector<DatasetElement> rows;
      Status failed;
      for (std::int64_t i = 0; i < dataset().size && !*end; ++i) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        DatasetElement row;
        const Status status = NextOfInput(context, &row, end);
        if (!dataset().fused) TENON_RETURN_IF_ERROR(status);
        failed.Update(status);
        if (status.ok() && !*end) rows.push_back(std::move(row));
      }
      TENON_RETURN_IF_ERROR(failed);
      *end = rows.empty() || (dataset().drop_remainder && static_cast<std::int64_t>(rows.size()) < dataset().size);
      return *end ? OkStatus() : BatchElements(context, rows, element);
    }
  };
};

inline Status MakeBatch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t size = 0;
  bool drop = false;
  Ref<const DatasetBase> input;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("batch_size", &size));
  if (size <= 0) return errors::InvalidArgument("Batch size must be greater than zero.");
  TENON_RETURN_IF_ERROR(CheckDeterminism(m));
  if (!m.IsOp("BatchDataset")) TENON_RETURN_IF_ERROR(m.Scalar("drop_remainder", &drop));
  ElementSpec spec = BatchSpec(input->spec(), drop || input->Cardinality() == kInfiniteCardinality ? size : -1);
  const bool fused = input->TypeString() == "Map" && !m.IsOp("ParallelBatchDataset");
  *out = Own(new BatchData(std::move(input), std::move(spec), size, drop, fused));
  return OkStatus();
}

}  // namespace detail

// Batches of batch_size elements; the last one may be smaller.
struct BatchDataset {
  static constexpr auto signature = Op("BatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Batches of batch_size elements; a smaller last one can be left out.
struct BatchDatasetV2 {
  static constexpr auto signature = Op("BatchDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("parallel_copy: bool = false")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn((detail::ScalarsShape<1, 2>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As BatchDatasetV2. Batches are made one after the other.
struct ParallelBatchDataset {
  static constexpr auto signature = Op("ParallelBatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Input("num_parallel_calls: int64")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("parallel_copy: bool = false")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn((detail::ScalarsShape<1, 3>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
