// SPDX-License-Identifier: Apache-2.0
#pragma once
// GlobalShuffleDataset: all elements of a dataset in a random order. ComputeBatchSize: how many elements a batch has.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/ops/data/batch.hpp>
#include <tenon/ops/data/combine.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/map_and_batch.hpp>
#include <tenon/ops/data/padded_batch.hpp>
#include <tenon/ops/data/seed_generator.hpp>
#include <tenon/ops/random/index_shuffle.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Whether `type` is one of `names`, which have spaces around them.
inline bool IsTypeIn(std::string_view names, std::string_view type) {
  return names.find(StrCat(" ", type, " ")) != names.npos;
}
inline constexpr std::string_view kSourcesByIndex = " Range Tensor TensorSlice List ";
inline constexpr std::string_view kUnariesByIndex =
    " Map Take Skip Repeat Prefetch Shard Cache AssertCardinality Options GlobalShuffle Batch ";

// The inputs of a Zip or a Concatenate; null: it is another dataset.
inline const DatasetList* InputsOf(const DatasetBase& dataset) {
  if (dataset.wrapped() != nullptr) return nullptr;
  if (dataset.TypeString() == ZipIterator::kType) return &static_cast<const CombinedData<ZipIterator>&>(dataset).inputs;
  if (dataset.TypeString() == ConcatenateIterator::kType)
    return &static_cast<const CombinedData<ConcatenateIterator>&>(dataset).inputs;
  return nullptr;
}

// Whether TensorFlow finds elements by number in the dataset; FailedPrecondition: it does not.
inline Status CheckRandomAccess(const DatasetBase& dataset) {
  const std::string_view type = dataset.TypeString();
  if (const DatasetList* const inputs = InputsOf(dataset); inputs != nullptr) {
    for (const Ref<const DatasetBase>& input : *inputs) TENON_RETURN_IF_ERROR(CheckRandomAccess(*input));
    return OkStatus();
  }
  if (dataset.wrapped() == nullptr && IsTypeIn(kSourcesByIndex, type)) return OkStatus();
  const bool is_short = type == "Batch" && !static_cast<const BatchData&>(dataset).drop_remainder;
  const bool is_endless = type == "Repeat" && dataset.Cardinality() == kInfiniteCardinality;
  if (dataset.wrapped() != nullptr || !IsTypeIn(kUnariesByIndex, type) || is_short || is_endless)
    return errors::FailedPrecondition(
        "`global_shuffle` requires all upstream transformations be compatible with random access. Got: ", type,
        is_short     ? " without `drop_remainder=True`"
        : is_endless ? " without an end"
                     : "");
  return CheckRandomAccess(static_cast<const UnaryDataset&>(dataset).input());
}

// An iterator reads all elements when it is asked for the first one.
class GlobalShuffleData final : public SeededDataset {
 public:
  using SeededDataset::SeededDataset;
  std::string_view TypeString() const override { return "GlobalShuffle"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public UnaryIterator<GlobalShuffleData> {
   public:
    explicit Iterator(const GlobalShuffleData* dataset)
        : UnaryIterator(dataset), seeds_(dataset->generator->Next()), third_(dataset->generator->Next().seed) {}
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      constexpr std::int64_t kRounds = 8;
      TENON_RETURN_IF_ERROR(Load(context));
      *end = next_ >= static_cast<std::int64_t>(elements_.size());
      if (*end) return OkStatus();
      const std::uint32_t seed[3] = {static_cast<std::uint32_t>(seeds_.seed), static_cast<std::uint32_t>(seeds_.seed2),
                                     static_cast<std::uint32_t>(third_)};
      const std::uint64_t place =
          ShuffledIndex(static_cast<std::uint64_t>(next_++), seed, elements_.size() - 1, kRounds);
      *element = elements_[static_cast<std::size_t>(place)];
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(seeds_.seed);
      writer->Add(seeds_.seed2);
      writer->Add(third_);
      writer->Add(next_);
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(reader->Take(&seeds_.seed));
      TENON_RETURN_IF_ERROR(reader->Take(&seeds_.seed2));
      TENON_RETURN_IF_ERROR(reader->Take(&third_));
      return reader->TakeCount(INT64_MAX, &next_);
    }

   private:
    Status Load(IteratorContext& context) {
      while (input_ != nullptr) {
        DatasetElement element;
        bool end = false;
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        TENON_RETURN_IF_ERROR(NextOfInput(context, &element, &end));
        if (!end) elements_.push_back(std::move(element));
      }
      return OkStatus();
    }
    Seeds seeds_;
    std::int64_t third_;  // the third word of the permutation's seed
    SlimVector<DatasetElement> elements_;
    std::int64_t next_ = 0;
  };
};

inline Status MakeGlobalShuffle(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  Ref<SeedGenerator> generator;
  Seeds seeds;
  bool varies = true;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(CheckRandomAccess(*input));
  if (input->Cardinality() <= 0)
    return errors::InvalidArgument(
        "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality ",
        input->Cardinality(), " for dataset ", input->DebugString());
  TENON_RETURN_IF_ERROR(m.Scalar("seed", &seeds.seed));
  TENON_RETURN_IF_ERROR(m.Scalar("seed2", &seeds.seed2));
  TENON_RETURN_IF_ERROR(m.Attr("reshuffle_each_iteration", &varies));
  TENON_RETURN_IF_ERROR(FindSeedGenerator(m, "seed_generator", seeds, varies, &generator));
  *out = Own(new GlobalShuffleData(std::move(input), std::move(generator)));
  return OkStatus();
}

// As in TensorFlow, -1 where batches may differ or pass through a function.
inline std::int64_t BatchSizeOf(const DatasetBase& dataset) {
  constexpr std::string_view kPassing =
      " AssertCardinality Cache Filter GlobalShuffle Options Prefetch Repeat Shard Shuffle ShuffleAndRepeat Skip Take ";
  const std::string_view type = dataset.TypeString();
  if (dataset.wrapped() != nullptr) return -1;
  if (type == "Batch") return static_cast<const BatchData&>(dataset).size;
  if (type == "PaddedBatch") return static_cast<const PaddedBatchData&>(dataset).size;
  if (type == "MapAndBatch") return static_cast<const MapAndBatchData&>(dataset).size;
  if (const DatasetList* const inputs = InputsOf(dataset); inputs != nullptr) {
    const std::int64_t first = inputs->empty() ? -1 : BatchSizeOf(*(*inputs)[0]);
    for (const Ref<const DatasetBase>& input : *inputs)
      if (BatchSizeOf(*input) != first) return -1;
    return first;
  }
  return IsTypeIn(kPassing, type) ? BatchSizeOf(static_cast<const UnaryDataset&>(dataset).input()) : -1;
}

class BatchSizeKernel : public OpKernel {
 public:
  explicit BatchSizeKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override {
    Ref<const DatasetBase> dataset;
    context->SetStatus(GetDatasetFromVariantTensor(context->input(0), &dataset));
    if (context->status().ok()) context->set_output(0, Tensor::Scalar(BatchSizeOf(*dataset)));
  }
};

}  // namespace detail

// The elements in a random order, each once. The input gives its elements by number and has an end.
struct GlobalShuffleDataset : detail::DatasetOp<&detail::MakeGlobalShuffle> {
  static constexpr auto signature = Op("GlobalShuffleDataset")
                                        .Input("input_dataset: variant")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Input("seed_generator: resource")
                                        .Output("handle: variant")
                                        .Attr("reshuffle_each_iteration: bool = true")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<1, 3>));
};

// The elements of each batch; -1: not known.
struct ComputeBatchSize : detail::CpuOp<detail::BatchSizeKernel> {
  static constexpr auto signature = Op("ComputeBatchSize")
                                        .Input("input_dataset: variant")
                                        .Output("batch_size: int64")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
