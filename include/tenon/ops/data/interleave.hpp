// SPDX-License-Identifier: Apache-2.0
#pragma once
// FlatMapDataset, InterleaveDataset and its parallel forms: the elements of datasets that a function makes of elements.
// Elements come in the deterministic order, one after the other.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/map.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The dataset that a function returned.
inline Status DatasetOfResults(const DatasetElement& results, Ref<const DatasetBase>* dataset) {
  if (results.size() != 1 || results[0].dtype() != DataType::kVariant || results[0].dims() != 0)
    return errors::InvalidArgument("Function must return a single scalar of dtype DT_VARIANT.");
  return GetDatasetFromVariantTensor(results[0], dataset);
}

// cycle_length datasets are open at a time; each gives block_length elements in turn. FlatMap: 1 and any.
class InterleaveData final : public FunctionData {
 public:
  InterleaveData(Ref<const DatasetBase> input, std::string_view type, ElementSpec spec, CapturedFunction f,
                 std::int64_t cycle, std::int64_t block)
      : FunctionData(std::move(input), std::move(spec), std::move(f)),
        cycle_length(cycle),
        block_length(block),
        type_(type) {}
  std::string_view TypeString() const override { return type_; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t cycle_length, block_length;

 private:
  class Iterator final : public FunctionIterator<InterleaveData> {
   public:
    using FunctionIterator::FunctionIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      while (input_ != nullptr || open_ > 0) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (at_ == slots_.size()) slots_.emplace_back();
        Slot& slot = slots_[at_];
        if (slot.iterator == nullptr) {
          if (input_ == nullptr) {
            Advance();
            continue;
          }
          TENON_RETURN_IF_ERROR(NextOfInput(context, &slot.args, end));
          if (*end) {
            *end = false;
            continue;
          }
          TENON_RETURN_IF_ERROR(Open(context, &slot));
        }
        TENON_RETURN_IF_ERROR(slot.iterator->GetNext(context, element, end));
        if (!*end) {
          if (++taken_ == dataset().block_length) Advance();
          return OkStatus();
        }
        *end = false;
        slot = Slot();
        --open_;
        Advance();
      }
      *end = true;
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      TENON_RETURN_IF_ERROR(FunctionIterator::Save(writer));
      writer->Add(static_cast<std::int64_t>(at_));
      writer->Add(taken_);
      writer->Add(static_cast<std::int64_t>(slots_.size()));
      for (const Slot& slot : slots_) {
        if (slot.iterator != nullptr)
          writer->AddElement(slot.args);
        else
          writer->AddElement({});
        TENON_RETURN_IF_ERROR(SaveInput(slot.iterator, writer));
      }
      return OkStatus();
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t at = 0, count = 0;
      TENON_RETURN_IF_ERROR(FunctionIterator::Restore(context, reader));
      TENON_RETURN_IF_ERROR(reader->TakeCount(dataset().cycle_length, &at));
      TENON_RETURN_IF_ERROR(reader->Take(&taken_));
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      if (at > count) return IteratorStateReader::Unfit();
      at_ = static_cast<std::size_t>(at);
      for (; count > 0; --count) {
        Slot& slot = slots_.emplace_back();
        TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().input().spec().types, &slot.args));
        if (!slot.args.empty()) TENON_RETURN_IF_ERROR(Open(context, &slot));
        TENON_RETURN_IF_ERROR(RestoreInput(context, reader, &slot.iterator));
      }
      return OkStatus();
    }

   private:
    struct Slot {
      DatasetElement args;  // arguments of the function that made the dataset
      Owned<IteratorBase> iterator;
    };
    Status Open(IteratorContext& context, Slot* slot) {
      DatasetElement results;
      Ref<const DatasetBase> made;
      TENON_RETURN_IF_ERROR(function_.Run(context, slot->args, &results));
      TENON_RETURN_IF_ERROR(DatasetOfResults(results, &made));
      TENON_RETURN_IF_ERROR(VerifyTypesMatch(dataset().spec().types, Span<const DataType>(made->spec().types)));
      TENON_RETURN_IF_ERROR(made->MakeIterator(context, &slot->iterator));
      ++open_;
      return OkStatus();
    }
    void Advance() {
      taken_ = 0;
      if (++at_ == static_cast<std::size_t>(dataset().cycle_length) || (at_ == slots_.size() && input_ == nullptr))
        at_ = 0;
    }

    SlimVector<Slot> slots_;  // made as the cycle reaches them
    std::size_t at_ = 0;
    std::int64_t taken_ = 0;  // elements of this turn
    std::int64_t open_ = 0;
  };

  const std::string_view type_;
};

// The arguments of parallel forms.
inline Status CheckInterleave(const DatasetMaker& m, bool legacy, std::int64_t most_calls) {
  TENON_RETURN_IF_ERROR(CheckDeterminism(m));
  if (!legacy) {
    std::int64_t calls = 0;
    TENON_RETURN_IF_ERROR(m.Scalar("num_parallel_calls", &calls));
    TENON_RETURN_IF_ERROR(CheckParallelCalls(calls));
    if (calls > most_calls)
      return errors::InvalidArgument(
          "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or less "
          "than or equal to `cycle_length` (",
          most_calls, "), got ", calls);
  }
  if (!legacy && !m.IsOp("ParallelInterleaveDatasetV4")) return OkStatus();
  for (const std::string_view name : {"buffer_output_elements", "prefetch_input_elements"}) {
    const std::int64_t least = name == "buffer_output_elements" && legacy ? 1 : 0;
    std::int64_t elements = 0;
    TENON_RETURN_IF_ERROR(m.Scalar(name, &elements));
    if (elements < least && (legacy || elements != -1))
      return errors::InvalidArgument("`", name, "` must be >= ", least, legacy ? "" : " or -1", ", got ", elements);
  }
  return OkStatus();
}

inline Status MakeInterleave(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const bool flat = m.IsOp("FlatMapDataset"), parallel = !flat && !m.IsOp("InterleaveDataset");
  Ref<const DatasetBase> input;
  ElementSpec spec;
  CapturedFunction function;
  std::int64_t cycle = 1, block = INT64_MAX;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("f", "other_arguments", &function));
  if (!flat) {
    TENON_RETURN_IF_ERROR(m.Scalar("cycle_length", &cycle));
    TENON_RETURN_IF_ERROR(m.Scalar("block_length", &block));
  }
  const bool legacy = m.IsOp("ParallelInterleaveDataset") || m.IsOp("ExperimentalParallelInterleaveDataset") ||
                      m.IsOp("LegacyParallelInterleaveDatasetV2");
  const std::int64_t most_calls = cycle == -1 ? INT64_MAX : cycle;
  if (!legacy && cycle == -1) cycle = Thread::HardwareThreads();
  if ((cycle <= 0 || block <= 0) && !parallel)
    return errors::InvalidArgument(cycle <= 0 ? "cycle_length" : "block_length", " must be greater than zero.");
  if (cycle <= 0)
    return errors::InvalidArgument("`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is ", cycle);
  if (block <= 0) return errors::InvalidArgument("`block_length` must be greater than 0 but is ", block);
  if (parallel) TENON_RETURN_IF_ERROR(CheckInterleave(m, legacy, most_calls));
  const std::string_view type = flat ? "FlatMap" : parallel ? "ParallelInterleave" : "Interleave";
  *out = Own(new InterleaveData(std::move(input), type, std::move(spec), std::move(function), cycle, block));
  return OkStatus();
}

}  // namespace detail

// The elements of the datasets f(element, other_arguments), one dataset after the other.
struct FlatMapDataset {
  static constexpr auto signature = Op("FlatMapDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The elements of the datasets f(element, other_arguments), of cycle_length datasets in turn.
struct InterleaveDataset {
  static constexpr auto signature = Op("InterleaveDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As InterleaveDataset.
struct ParallelInterleaveDataset {
  static constexpr auto signature = Op("ParallelInterleaveDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Input("sloppy: bool")
                                        .Input("buffer_output_elements: int64")
                                        .Input("prefetch_input_elements: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As InterleaveDataset.
struct LegacyParallelInterleaveDatasetV2 {
  static constexpr auto signature = Op("LegacyParallelInterleaveDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Input("buffer_output_elements: int64")
                                        .Input("prefetch_input_elements: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As InterleaveDataset.
struct ParallelInterleaveDatasetV2 {
  static constexpr auto signature = Op("ParallelInterleaveDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Input("num_parallel_calls: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("sloppy: bool = false")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As InterleaveDataset.
struct ParallelInterleaveDatasetV3 {
  static constexpr auto signature = Op("ParallelInterleaveDatasetV3")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Input("num_parallel_calls: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As InterleaveDataset.
struct ParallelInterleaveDatasetV4 {
  static constexpr auto signature = Op("ParallelInterleaveDatasetV4")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Input("buffer_output_elements: int64")
                                        .Input("prefetch_input_elements: int64")
                                        .Input("num_parallel_calls: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
