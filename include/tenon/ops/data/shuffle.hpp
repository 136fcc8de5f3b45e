// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShuffleDataset, ShuffleDatasetV2, ShuffleDatasetV3, ShuffleAndRepeatDataset, ShuffleAndRepeatDatasetV2: elements in
// the random order of TensorFlow for equal seeds.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/seed_generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// `count` rounds of the input, each in an order of its own; -1: rounds without end.
class ShuffleData final : public SeededDataset {
 public:
  ShuffleData(Ref<const DatasetBase> input, std::int64_t buffer, std::int64_t rounds, Ref<SeedGenerator> seeds)
      : SeededDataset(std::move(input), std::move(seeds)), buffer_size(buffer), count(rounds) {}
  std::string_view TypeString() const override { return count == 1 ? "Shuffle" : "ShuffleAndRepeat"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    if (count == -1 || n == kInfiniteCardinality) return n == 0 ? 0 : kInfiniteCardinality;
    return n == kUnknownCardinality ? n : ProductOrUnknown(n, count);
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t buffer_size;  // kUnknownCardinality: all elements of a round
  const std::int64_t count;

 private:
  class Iterator final : public UnaryIterator<ShuffleData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Initialize(IteratorContext&) override {
      words_ = SeededWords(dataset().generator->Next());
      return OkStatus();
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      TENON_RETURN_IF_ERROR(Fill(context));
      if (held_ == 0) {
        *end = true;
        return OkStatus();
      }
      // The first round that has elements left.
      while (rounds_.front().begin == rounds_.front().end) {
        rounds_.erase(rounds_.begin());
        words_ = SeededWords(dataset().generator->Next());
      }
      Round& round = rounds_.front();
      const std::int64_t offset = static_cast<std::int64_t>(words_.Next()) % (round.end - round.begin);
      DatasetElement& drawn = At(round.begin + offset);
      std::swap(*element, drawn);
      std::swap(drawn, At(round.begin));
      ++round.begin;
      --held_;
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      dataset().generator->Save(writer);
      words_.Save(writer);
      for (const std::int64_t number :
           {epoch_, held_, has_produced_ ? std::int64_t{1} : std::int64_t{0}, static_cast<std::int64_t>(buffer_.size()),
            static_cast<std::int64_t>(rounds_.size())})
        writer->Add(number);
      for (const Round& round : rounds_) {
        writer->Add(round.begin);
        writer->Add(round.end);
      }
      for (const DatasetElement& element : buffer_) writer->AddElement(element);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t produced = 0, size = 0, rounds = 0;
      TENON_RETURN_IF_ERROR(dataset().generator->Restore(reader));
      TENON_RETURN_IF_ERROR(words_.Restore(reader));
      TENON_RETURN_IF_ERROR(reader->Take(&epoch_));
      TENON_RETURN_IF_ERROR(reader->Take(&held_));
      TENON_RETURN_IF_ERROR(reader->Take(&produced));
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &size));
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &rounds));
      has_produced_ = produced != 0;
      std::int64_t sum = 0;
      rounds_.clear();
      for (; rounds > 0; --rounds) {
        Round& round = rounds_.emplace_back();
        TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &round.begin));
        TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &round.end));
        if (round.begin > round.end || round.end - round.begin > size - sum) return IteratorStateReader::Unfit();
        sum += round.end - round.begin;
      }
      if (sum != held_ || (held_ == 0 && epoch_ > 0 && rounds_.empty())) return IteratorStateReader::Unfit();
      buffer_.resize(static_cast<std::size_t>(size));
      for (DatasetElement& element : buffer_)
        TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().spec().types, &element));
      for (const Round& round : rounds_)
        for (std::int64_t i = round.begin; i < round.end; ++i)
          if (At(i).empty()) return IteratorStateReader::Unfit();
      TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
      TENON_RETURN_IF_ERROR(RestoreInput(context, reader, &input_));
      return input_ != nullptr && rounds_.empty() ? IteratorStateReader::Unfit() : OkStatus();
    }

   private:
    // Elements of one round: numbers [begin, end) modulo the size of the buffer.
    struct Round {
      std::int64_t begin = 0, end = 0;
    };
    static constexpr std::size_t kMostRounds = 3;  // in the buffer at a time

    bool TakesAll() const { return dataset().buffer_size == kUnknownCardinality; }
    DatasetElement& At(std::int64_t number) { return buffer_[static_cast<std::size_t>(number) % buffer_.size()]; }
    bool WantsMore() const {
      if (input_ == nullptr && dataset().count != -1 && epoch_ >= dataset().count) return false;
      if (rounds_.size() > kMostRounds && held_ > 0) return false;
      return TakesAll() ? input_ != nullptr || held_ == 0 : held_ < dataset().buffer_size;
    }
    Status Fill(IteratorContext& context) {
      while (WantsMore()) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        DatasetElement element;
        bool end = false;
        if (input_ == nullptr) {
          const std::int64_t first = rounds_.empty() ? 0 : rounds_.back().end;
          TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
          if (epoch_++ == 0) rounds_.clear();
          rounds_.push_back({first, first});
        }
        TENON_RETURN_IF_ERROR(input_->GetNext(context, &element, &end));
        if (!end) {
          has_produced_ = true;
          Add(std::move(element));
          continue;
        }
        input_.reset();
        if (dataset().count == -1 && !has_produced_) return OkStatus();  // would go on for ever
      }
      return OkStatus();
    }
    void Add(DatasetElement element) {
      const std::size_t limit = TakesAll() ? SIZE_MAX : static_cast<std::size_t>(dataset().buffer_size);
      // The buffer grows up to its size as elements come.
      if (buffer_.size() < limit && static_cast<std::size_t>(rounds_.back().end) == buffer_.size())
        buffer_.push_back(std::move(element));
      else if (static_cast<std::size_t>(held_) == buffer_.size())
        Grow(std::move(element));
      else
        At(rounds_.back().end) = std::move(element);
      ++held_;
      ++rounds_.back().end;
    }
    // A full buffer without a limit: the elements in order, from number 0 on.
    void Grow(DatasetElement element) {
      SlimVector<DatasetElement> grown;
      const std::int64_t first = rounds_.front().begin;
      for (std::int64_t i = first; i < rounds_.back().end; ++i) grown.push_back(std::move(At(i)));
      grown.push_back(std::move(element));
      buffer_ = std::move(grown);
      for (Round& round : rounds_) {
        round.begin -= first;
        round.end -= first;
      }
    }

    SeededWords words_;
    SlimVector<DatasetElement> buffer_;
    SlimVector<Round> rounds_;
    std::int64_t epoch_ = 0;  // rounds begun
    std::int64_t held_ = 0;   // elements in the buffer
    bool has_produced_ = false;
  };
};

inline Status MakeShuffle(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  Ref<SeedGenerator> generator;
  std::int64_t buffer = 0, count = 1;
  Seeds seeds;
  bool reshuffle = true;
  const bool repeats = m.HasAttr("count") || m.IsOp("ShuffleAndRepeatDataset") || m.IsOp("ShuffleAndRepeatDatasetV2");
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("buffer_size", &buffer));
  if (buffer <= 0 && buffer != kUnknownCardinality)
    return errors::InvalidArgument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  if (repeats) {
    TENON_RETURN_IF_ERROR(m.Scalar("count", &count));
    if (count <= 0 && count != -1) return errors::InvalidArgument("count must be greater than zero or equal to -1.");
  }
  if (!m.IsOp("ShuffleDatasetV2")) {
    TENON_RETURN_IF_ERROR(m.Scalar("seed", &seeds.seed));
    TENON_RETURN_IF_ERROR(m.Scalar("seed2", &seeds.seed2));
    TENON_RETURN_IF_ERROR(m.Attr("reshuffle_each_iteration", &reshuffle));
  }
  if (m.IsOp("ShuffleDataset") || m.IsOp("ShuffleAndRepeatDataset"))
    generator = Ref<SeedGenerator>::Adopt(new SeedGenerator(seeds, reshuffle));
  else
    TENON_RETURN_IF_ERROR(FindSeedGenerator(m, "seed_generator", seeds, reshuffle, &generator));
  *out = Own(new ShuffleData(std::move(input), buffer, count, std::move(generator)));
  return OkStatus();
}

// Random int64 numbers below 2**32.
class RandomData final : public DatasetBase {
 public:
  RandomData(ElementSpec spec, Ref<SeedGenerator> seeds) : DatasetBase(std::move(spec)), generator(std::move(seeds)) {}
  std::string_view TypeString() const override { return "Random"; }
  std::int64_t Cardinality() const override { return kInfiniteCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  void SaveShared(IteratorStateWriter* writer) const override { generator->Save(writer); }
  Status RestoreShared(IteratorStateReader* reader) const override { return generator->Restore(reader); }
  const Ref<SeedGenerator> generator;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const RandomData* dataset) : dataset_(Ref<const RandomData>::Share(dataset)) {}
    Status Initialize(IteratorContext&) {
      words_ = SeededWords(dataset_->generator->Next());
      return OkStatus();
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool*) override {
      TENON_RETURN_IF_ERROR(context.Allocate(DataType::kInt64, TensorShape(), &element->emplace_back()));
      *(*element)[0].data<std::int64_t>() = words_.Next();
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      dataset_->generator->Save(writer);
      words_.Save(writer);
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(dataset_->generator->Restore(reader));
      return words_.Restore(reader);
    }

   private:
    const Ref<const RandomData> dataset_;
    SeededWords words_;
  };
};

inline Status MakeRandom(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<SeedGenerator> generator;
  Seeds seeds;
  bool varies = false;
  TENON_RETURN_IF_ERROR(m.Scalar("seed", &seeds.seed));
  TENON_RETURN_IF_ERROR(m.Scalar("seed2", &seeds.seed2));
  if (m.IsOp("RandomDatasetV2")) {
    TENON_RETURN_IF_ERROR(m.Attr("rerandomize_each_iteration", &varies));
    TENON_RETURN_IF_ERROR(FindSeedGenerator(m, "seed_generator", seeds, varies, &generator));
  } else {
    generator = Ref<SeedGenerator>::Adopt(new SeedGenerator(seeds, false));
  }
  ElementSpec spec;
  spec.types.push_back(DataType::kInt64);
  spec.shapes.push_back(PartialTensorShape(TensorShape()));
  *out = Own(new RandomData(std::move(spec), std::move(generator)));
  return OkStatus();
}

}  // namespace detail

// The elements in a random order, drawn from a buffer of buffer_size of them.
struct ShuffleDataset {
  static constexpr auto signature = Op("ShuffleDataset")
                                        .Input("input_dataset: variant")
                                        .Input("buffer_size: int64")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Output("handle: variant")
                                        .Attr("reshuffle_each_iteration: bool = true")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn((detail::ScalarsShape<1, 3>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeShuffle> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As ShuffleDataset, with the seeds of a generator.
struct ShuffleDatasetV2 {
  static constexpr auto signature = Op("ShuffleDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("buffer_size: int64")
                                        .Input("seed_generator: resource")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<1, 2>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeShuffle> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As ShuffleDataset, with the seeds of a generator if there is one.
struct ShuffleDatasetV3 {
  static constexpr auto signature = Op("ShuffleDatasetV3")
                                        .Input("input_dataset: variant")
                                        .Input("buffer_size: int64")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Input("seed_generator: resource")
                                        .Output("handle: variant")
                                        .Attr("reshuffle_each_iteration: bool = true")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<1, 4>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeShuffle> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// `count` rounds of the input, each in a random order; -1: without end.
struct ShuffleAndRepeatDataset {
  static constexpr auto signature = Op("ShuffleAndRepeatDataset")
                                        .Input("input_dataset: variant")
                                        .Input("buffer_size: int64")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Input("count: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("reshuffle_each_iteration: bool = true")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn((detail::ScalarsShape<1, 4>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeShuffle> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As ShuffleAndRepeatDataset, with the seeds of a generator if there is one.
struct ShuffleAndRepeatDatasetV2 {
  static constexpr auto signature = Op("ShuffleAndRepeatDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("buffer_size: int64")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Input("count: int64")
                                        .Input("seed_generator: resource")
                                        .Output("handle: variant")
                                        .Attr("reshuffle_each_iteration: bool = true")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<1, 5>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeShuffle> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Random numbers without end.
struct RandomDataset {
  static constexpr auto signature = Op("RandomDataset")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<0, 1>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeRandom> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As RandomDataset, with the seeds of a generator if there is one.
struct RandomDatasetV2 {
  static constexpr auto signature = Op("RandomDatasetV2")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Input("seed_generator: resource")
                                        .Output("handle: variant")
                                        .Attr("rerandomize_each_iteration: bool = false")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<0, 2>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeRandom> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
