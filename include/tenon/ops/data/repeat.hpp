// SPDX-License-Identifier: Apache-2.0
#pragma once
// RepeatDataset, TakeDataset, SkipDataset, ShardDataset: some elements of a dataset, or all of them again and again.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The input `count` times; for ever when it is negative.
class RepeatData final : public UnaryDataset {
 public:
  RepeatData(Ref<const DatasetBase> input, std::int64_t rounds) : UnaryDataset(std::move(input)), count(rounds) {}
  std::string_view TypeString() const override { return "Repeat"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    if (count < 0) return n == 0 ? 0 : kInfiniteCardinality;
    if (count == 0) return 0;
    return n < 0 ? n : ProductOrUnknown(n, count);
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t count;

 private:
  class Iterator final : public UnaryIterator<RepeatData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Initialize(IteratorContext& context) override {
      return dataset().count == 0 ? OkStatus() : UnaryIterator::Initialize(context);
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      while (dataset().count < 0 || done_ < dataset().count) {
        if (input_ == nullptr) TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
        TENON_RETURN_IF_ERROR(input_->GetNext(context, element, end));
        if (!*end) {
          is_empty_ = false;
          return OkStatus();
        }
        input_.reset();
        if (dataset().count < 0) {
          if (is_empty_) return OkStatus();  // would go on for ever
          is_empty_ = true;
          TENON_RETURN_IF_ERROR(context.CheckWanted());
          continue;
        }
        ++done_;
        TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
      }
      input_.reset();
      *end = true;
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(done_);
      writer->Add(is_empty_ ? 1 : 0);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t empty = 0;
      TENON_RETURN_IF_ERROR(reader->Take(&done_));
      TENON_RETURN_IF_ERROR(reader->Take(&empty));
      is_empty_ = empty != 0;
      return UnaryIterator::Restore(context, reader);
    }

   private:
    std::int64_t done_ = 0;  // whole rounds
    bool is_empty_ = true;   // this round has given nothing yet
  };
};

inline Status MakeRepeat(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t count = 0;
  Ref<const DatasetBase> input;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("count", &count));
  *out = Own(new RepeatData(std::move(input), count));
  return OkStatus();
}

// The elements [begin, end) of the input; end -1: all.
class RangeOfData final : public UnaryDataset {
 public:
  RangeOfData(Ref<const DatasetBase> input, std::string_view type, std::int64_t first, std::int64_t last)
      : UnaryDataset(std::move(input)), type_(type), begin(first), end(last) {}
  std::string_view TypeString() const override { return type_; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    if (n == kUnknownCardinality) return n;
    if (end < 0 && n == kInfiniteCardinality) return n;
    const std::int64_t last = n == kInfiniteCardinality || (end >= 0 && end < n) ? end : n;
    return last <= begin ? 0 : last - begin;
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public UnaryIterator<RangeOfData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Initialize(IteratorContext& context) override {
      const bool empty = dataset().end == 0 || dataset().begin == INT64_MAX;
      return empty ? OkStatus() : UnaryIterator::Initialize(context);
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* is_end) override {
      if (input_ != nullptr && next_ < dataset().begin) {
        std::int64_t skipped = 0;
        // As in TensorFlow, elements before one that fails do not count.
        TENON_RETURN_IF_ERROR(input_->Skip(context, dataset().begin - next_, is_end, &skipped));
        next_ += skipped;
        if (*is_end) input_.reset();
      }
      if (dataset().end >= 0 && next_ >= dataset().end) input_.reset();
      TENON_RETURN_IF_ERROR(NextOfInput(context, element, is_end));
      if (!*is_end) ++next_;
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(next_);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &next_));
      return UnaryIterator::Restore(context, reader);
    }

   private:
    std::int64_t next_ = 0;  // number of the input's next element
  };

  const std::string_view type_;

 public:
  const std::int64_t begin, end;
};

inline Status MakeTake(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t count = 0;
  Ref<const DatasetBase> input;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("count", &count));
  *out = Own(new RangeOfData(std::move(input), "Take", 0, count < 0 ? -1 : count));
  return OkStatus();
}
inline Status MakeSkip(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t count = 0;
  Ref<const DatasetBase> input;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("count", &count));
  *out = Own(new RangeOfData(std::move(input), "Skip", count < 0 ? INT64_MAX : count, -1));
  return OkStatus();
}

// Every num_shards-th element of the input, from number `index` on.
class ShardData final : public UnaryDataset {
 public:
  ShardData(Ref<const DatasetBase> input, std::int64_t shards, std::int64_t shard, bool non_empty)
      : UnaryDataset(std::move(input)), num_shards(shards), index(shard), require_non_empty(non_empty) {}
  std::string_view TypeString() const override { return "Shard"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    return n < 0 ? n : n / num_shards + (index < n % num_shards ? 1 : 0);
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t num_shards, index;
  const bool require_non_empty;

 private:
  class Iterator final : public UnaryIterator<ShardData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const ShardData& data = dataset();
      if (input_ == nullptr) {
        *end = true;
        return OkStatus();
      }
      std::int64_t skipped = 0, to_skip = (data.index - next_) % data.num_shards;
      if (to_skip < 0) to_skip += data.num_shards;
      TENON_RETURN_IF_ERROR(input_->Skip(context, to_skip, end, &skipped));
      next_ += skipped;
      if (*end) input_.reset();
      TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
      if (*end) return OkStatus();
      ++next_;
      if (!data.require_non_empty || next_ >= data.num_shards) return OkStatus();
      // Every shard must get an element, this one as well as the others.
      TENON_RETURN_IF_ERROR(input_->Skip(context, data.num_shards - next_, end, &skipped));
      next_ += skipped;
      return *end ? TooFew(next_, data.num_shards) : OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(next_);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &next_));
      return UnaryIterator::Restore(context, reader);
    }

   private:
    TENON_DETAIL_COLD static Status TooFew(std::int64_t files, std::int64_t shards) {
      return errors::InvalidArgument("Could not apply FILE based sharding: the dataset only has ", files,
                                     " file(s), which is not enough for the required ", shards,
                                     " shards/workers. Split the input files into more files, or shard by elements.");
    }
    std::int64_t next_ = 0;
  };
};

inline Status MakeShard(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  std::int64_t shards = 0, index = 0;
  bool non_empty = false;
  Ref<const DatasetBase> input;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("num_shards", &shards));
  TENON_RETURN_IF_ERROR(m.Scalar("index", &index));
  TENON_RETURN_IF_ERROR(m.Attr("require_non_empty", &non_empty));
  if (shards == -1)
    return errors::FailedPrecondition(
        "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
        "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
        "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
        "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.");
  if (shards <= 0)
    return errors::InvalidArgument("Number of shards must be greater than zero (currently num_shards = ", shards, ").");
  if (index < 0 || index >= shards)
    return errors::InvalidArgument("Index must be between 0 and ", shards - 1, " (currently index = ", index,
                                   ", num_shards = ", shards, ").");
  *out = Own(new ShardData(std::move(input), shards, index, non_empty));
  return OkStatus();
}

}  // namespace detail

// The input `count` times; for ever when that is negative.
struct RepeatDataset {
  static constexpr auto signature = Op("RepeatDataset")
                                        .Input("input_dataset: variant")
                                        .Input("count: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeRepeat> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The first `count` elements; all when that is negative.
struct TakeDataset {
  static constexpr auto signature = Op("TakeDataset")
                                        .Input("input_dataset: variant")
                                        .Input("count: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeTake> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// All elements but the first `count`; none when that is negative.
struct SkipDataset {
  static constexpr auto signature = Op("SkipDataset")
                                        .Input("input_dataset: variant")
                                        .Input("count: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSkip> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Every num_shards-th element, from number `index` on.
struct ShardDataset {
  static constexpr auto signature = Op("ShardDataset")
                                        .Input("input_dataset: variant")
                                        .Input("num_shards: int64")
                                        .Input("index: int64")
                                        .Output("handle: variant")
                                        .Attr("require_non_empty: bool = false")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn((detail::ScalarsShape<1, 2>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeShard> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
