// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniqueDataset, SamplingDataset, AssertCardinalityDataset, IgnoreErrorsDataset: some elements, or a check of them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/log.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/seed_generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class UniqueData final : public UnaryDataset {
 public:
  using UnaryDataset::UnaryDataset;
  std::string_view TypeString() const override { return "Unique"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public UnaryIterator<UniqueData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      for (;;) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
        if (*end) {
          seen_.clear();
          return OkStatus();
        }
        if (seen_.try_emplace(KeyOf((*element)[0]), true).second) return OkStatus();
      }
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(static_cast<std::int64_t>(seen_.size()));
      for (const auto& key : seen_) writer->AddText(key.first);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t count = 0;
      std::string key;
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        TENON_RETURN_IF_ERROR(reader->TakeText(&key));
        seen_.try_emplace(key, true);
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    static std::string KeyOf(const Tensor& tensor) {
      std::string key;
      for (Index i = 0; tensor.dtype() == DataType::kString && i < tensor.NumElements(); ++i) {
        const std::string_view text = tensor.data<tstring>()[i];
        StrAppend(&key, text.size(), ":");
        key += text;
      }
      if (tensor.dtype() != DataType::kString) key = std::string(tensor.tensor_data());
      return StrCat(tensor.shape(), key);
    }
    FlatMap<std::string, bool> seen_;
  };
};

inline Status MakeUnique(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  const SlimVector<DataType>& types = input->spec().types;
  if (types.size() != 1) return errors::InvalidArgument("UniqueDataset only supports inputs with a single component.");
  if (types[0] != DataType::kInt32 && types[0] != DataType::kInt64 && types[0] != DataType::kString)
    return errors::InvalidArgument(
        "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` component.");
  *out = Own(new UniqueData(std::move(input)));
  return OkStatus();
}

// Each element with probability `rate`.
class SamplingData final : public UnaryDataset {
 public:
  SamplingData(Ref<const DatasetBase> input, float chance, Seeds of)
      : UnaryDataset(std::move(input)), rate(chance), seeds(of) {}
  std::string_view TypeString() const override { return "Sampling"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const float rate;
  const Seeds seeds;

 private:
  class Iterator final : public UnaryIterator<SamplingData> {
   public:
    explicit Iterator(const SamplingData* dataset) : UnaryIterator(dataset), words_(dataset->seeds) {}
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      for (;;) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
        if (*end) return OkStatus();
        // The 23 low bits as a number in [0, 1).
        const float drawn = static_cast<float>(words_.Next() & 0x7fffffu) * 0x1p-23f;
        if (drawn < dataset().rate) return OkStatus();
      }
    }
    Status Save(IteratorStateWriter* writer) const override {
      words_.Save(writer);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(words_.Restore(reader));
      return UnaryIterator::Restore(context, reader);
    }

   private:
    SeededWords words_;
  };
};

inline Status MakeSampling(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  float rate = 0;
  Seeds seeds;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("rate", &rate));
  TENON_RETURN_IF_ERROR(m.Scalar("seed", &seeds.seed));
  TENON_RETURN_IF_ERROR(m.Scalar("seed2", &seeds.seed2));
  *out = Own(new SamplingData(std::move(input), rate, ChooseSeeds(seeds)));
  return OkStatus();
}

// Fails unless the input has so many elements.
class AssertCardinalityData final : public UnaryDataset {
 public:
  AssertCardinalityData(Ref<const DatasetBase> input, std::int64_t n) : UnaryDataset(std::move(input)), count(n) {}
  std::string_view TypeString() const override { return "AssertCardinality"; }
  std::int64_t Cardinality() const override { return count; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t count;

 private:
  class Iterator final : public UnaryIterator<AssertCardinalityData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const std::int64_t wanted = dataset().count;
      TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
      if (!*end) ++seen_;
      if (!*end && wanted >= 0 && seen_ > wanted) return Differs("at least ");
      if (*end && wanted != seen_ && wanted != kUnknownCardinality) return Differs(wanted >= 0 ? "" : "only ");
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(seen_);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(reader->Take(&seen_));
      return UnaryIterator::Restore(context, reader);
    }

   private:
    TENON_DETAIL_COLD Status Differs(std::string_view how_many) const {
      const auto elements = [](std::int64_t n) {
        return n == kInfiniteCardinality ? std::string("an infinite number of elements")
                                         : StrCat(n, n == 1 ? " element" : " elements");
      };
      return errors::FailedPrecondition("Input dataset was expected to contain ", elements(dataset().count),
                                        " but contained ", how_many, elements(seen_), ".");
    }
    std::int64_t seen_ = 0;
  };
};

inline Status MakeAssertCardinality(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::int64_t count = 0;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("cardinality", &count));
  *out = Own(new AssertCardinalityData(std::move(input), count));
  return OkStatus();
}

// Leaves out elements that cannot be made.
class IgnoreErrorsData final : public UnaryDataset {
 public:
  IgnoreErrorsData(Ref<const DatasetBase> input, bool log) : UnaryDataset(std::move(input)), log_warning(log) {}
  std::string_view TypeString() const override { return "IgnoreErrors"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const bool log_warning;

 private:
  class Iterator final : public UnaryIterator<IgnoreErrorsData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      for (;;) {
        const Status status = NextOfInput(context, element, end);
        if (status.ok()) return status;
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (dataset().log_warning)
          TENON_LOG(kWarning, "Error raised with error message ", status.message(), "; the element is left out");
      }
    }
  };
};

inline Status MakeIgnoreErrors(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  bool log = false;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Attr("log_warning", &log));
  *out = Own(new IgnoreErrorsData(std::move(input), log));
  return OkStatus();
}

}  // namespace detail

// The elements, each value once.
struct UniqueDataset {
  static constexpr auto signature = Op("UniqueDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeUnique> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Each element with probability `rate`.
struct SamplingDataset {
  static constexpr auto signature = Op("SamplingDataset")
                                        .Input("input_dataset: variant")
                                        .Input("rate: float")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn((detail::ScalarsShape<1, 3>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSampling> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The elements; FailedPrecondition unless there are `cardinality` of them.
struct AssertCardinalityDataset {
  static constexpr auto signature = Op("AssertCardinalityDataset")
                                        .Input("input_dataset: variant")
                                        .Input("cardinality: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeAssertCardinality> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The elements that can be made.
struct IgnoreErrorsDataset {
  static constexpr auto signature = Op("IgnoreErrorsDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("log_warning: bool = false")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeIgnoreErrors> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
