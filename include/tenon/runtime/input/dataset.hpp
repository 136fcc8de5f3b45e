// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dataset: the input of a training program as a value: elements from memory, .npy files or record files, and what is
// done to them. It is a view of the datasets that the ops of tf.data make, without a graph.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/io/npy.hpp>
#include <tenon/ops/data/batch.hpp>
#include <tenon/ops/data/files.hpp>
#include <tenon/ops/data/map.hpp>
#include <tenon/ops/data/prefetch.hpp>
#include <tenon/ops/data/repeat.hpp>
#include <tenon/ops/data/shuffle.hpp>
#include <tenon/ops/data/source.hpp>
#include <tenon/runtime/input/dataset_iterator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// function(element, results), which fills the results.
using ElementFunction = Function<Status(Span<const Tensor>, Span<Tensor>)>;

// A dataset that applies a function of the program to its input.
class ProgramMapData final : public UnaryDataset {
 public:
  ProgramMapData(Ref<const DatasetBase> input, ElementSpec spec, ElementFunction f)
      : UnaryDataset(std::move(input), std::move(spec)), function(std::move(f)) {}
  std::string_view TypeString() const override { return "Map"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const ElementFunction function;

 private:
  class Iterator final : public UnaryIterator<ProgramMapData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      DatasetElement args;
      TENON_RETURN_IF_ERROR(NextOfInput(context, &args, end));
      if (*end) return OkStatus();
      const std::size_t count = dataset().spec().types.size();
      element->resize(count, Tensor(DataType::kInvalid));
      Status status = CatchAll("The function of Dataset::Map", [&]() -> Status {
        return dataset().function(Span<const Tensor>(args.data(), args.size()), {element->data(), count});
      });
      if (status.ok()) status = VerifyTypesMatch(dataset().spec().types, *element);
      if (status.ok())
        for (const Tensor& tensor : *element)
          if (!tensor.IsInitialized()) status = errors::InvalidArgument("A result of Dataset::Map's function is empty");
      if (!status.ok()) element->clear();
      return ops::detail::EndOrError(std::move(status), true, end);
    }
  };
};

}  // namespace detail

// A sequence of elements. An element has one tensor for each component. Functions that change a dataset return a new
// one; a wrong argument shows in status() and in MakeIterator. immutable; copies share the elements.
//
//   const Dataset train = Dataset::FromNpy({"images.npy", "labels.npy"}).Shuffle(1000, 42).Repeat(3).Batch(32);
//   TENON_ASSIGN_OR_RETURN(DatasetIterator iterator, train.MakeIterator());
//   std::vector<Tensor> element, fetches(step.num_fetches());
//   for (bool end = false;;) {
//     TENON_RETURN_IF_ERROR(iterator.Next(&element, &end));
//     if (end) break;
//     TENON_RETURN_IF_ERROR(step.Run(element, fetches));
//   }
//
// Elements come in the order of tf.data, and random orders are TensorFlow's for equal seeds.
class Dataset {
 public:
  // A dataset without a source: its iterators are FailedPrecondition.
  Dataset() : status_(errors::FailedPrecondition("Dataset: it has no source; FromTensorSlices makes one that has")) {}

  // Returns the rows of tensors, which all have one first dimension: [n, ...] gives n elements [...].
  // InvalidArgument: there are no tensors, one is a scalar or has no type or memory, or first dimensions
  // differ. The dataset shares the memory of the tensors.
  static Dataset FromTensorSlices(std::vector<Tensor> tensors) {
    return FromRows(std::move(tensors), "Dataset::FromTensorSlices");
  }
  // Returns the rows of the arrays of .npy files, one component for each file. The files are mapped, not copied, and
  // must not change. NotFound: a file is missing. InvalidArgument: a file does not hold an array, or as for
  // FromTensorSlices.
  static Dataset FromNpy(const std::vector<std::string>& files) {
    std::vector<Tensor> tensors;
    for (const std::string& file : files) {
      Result<Tensor> tensor = ReadNpy(file);
      if (!tensor.ok()) return Dataset(tensor.status());
      tensors.push_back(*std::move(tensor));
    }
    return FromRows(std::move(tensors), "Dataset::FromNpy");
  }
  // Returns the records of TFRecord files, one file after the other: a string scalar []. `compression` is "", "ZLIB"
  // or "GZIP". InvalidArgument: another compression. DatasetIterator::Next has the errors of the files.
  static Dataset FromRecords(const std::vector<std::string>& files, std::string_view compression = "") {
    if (!compression.empty() && compression != "ZLIB" && compression != "GZIP")
      return Dataset(errors::InvalidArgument("Dataset::FromRecords: the compression is '", compression,
                                             "'; there are '', 'ZLIB' and 'GZIP'"));
    ops::detail::FileList list;
    for (const std::string& file : files) list.names.push_back(file);
    list.compression = compression;
    return Dataset(new ops::detail::FileData<ops::detail::TfRecords>(ops::detail::OneText(), std::move(list)),
                   StrCat("Records(", files.size(), ")"));
  }

  // Returns the elements in a random order, drawn from a buffer of `buffer_size` elements, in the order of tf.data's
  // shuffle(buffer_size, seed). Each iterator and each round of Repeat has another order, unless
  // `reshuffle_each_iteration` is false. InvalidArgument: buffer_size is not positive.
  Dataset Shuffle(std::int64_t buffer_size, std::int64_t seed, bool reshuffle_each_iteration = true) const {
    // As tf.data makes two seeds of one.
    constexpr std::int64_t kGraphSeed = 87654321, kSeeds = INT32_MAX;
    return ShuffleBy(buffer_size, {kGraphSeed, (seed % kSeeds + kSeeds) % kSeeds}, reshuffle_each_iteration);
  }
  // Does so with seeds that differ from dataset to dataset.
  Dataset Shuffle(std::int64_t buffer_size) const { return ShuffleBy(buffer_size, {0, 0}, true); }
  // Returns the elements `count` times; -1: without end.
  Dataset Repeat(std::int64_t count = -1) const {
    return Changed([&] { return new ops::detail::RepeatData(base_, count); }, StrCat("Repeat(", count, ")"));
  }
  // Returns `size` elements as one, [size, ...]. The last one may be smaller, or is left out. InvalidArgument: size is
  // not positive, or the elements have the highest rank.
  Dataset Batch(std::int64_t size, bool drop_remainder = false) const {
    if (!status_.ok()) return *this;
    if (size <= 0) return Dataset(errors::InvalidArgument("Dataset::Batch: size must be positive, got ", size));
    for (const PartialTensorShape& shape : spec().shapes)
      if (shape.dims() >= kMaxTensorRank)
        return Dataset(errors::InvalidArgument("Dataset::Batch: elements have the rank ", shape.dims(),
                                               "; a batch has at most the rank ", kMaxTensorRank));
    const bool is_full = drop_remainder || Cardinality() == kInfiniteCardinality;
    return Changed(
        [&] {
          return new ops::detail::BatchData(base_, ops::detail::BatchSpec(spec(), is_full ? size : -1), size,
                                            drop_remainder, /*of_map=*/false);
        },
        StrCat("Batch(", size, drop_remainder ? ", drop)" : ")"));
  }
  // Returns the elements, of which a thread of the iterator makes up to `elements` ahead. 0: there is no thread.
  // InvalidArgument: elements is negative.
  Dataset Prefetch(std::int64_t elements) const {
    if (elements < 0 && status_.ok())
      return Dataset(errors::InvalidArgument("Dataset::Prefetch: elements must not be negative, got ", elements));
    return Changed([&] { return new ops::detail::PrefetchData(base_, elements); }, StrCat("Prefetch(", elements, ")"));
  }
  // Returns the elements number index, index + count, ... for one of `count` programs. InvalidArgument: count is not
  // positive, or index is not in [0, count).
  Dataset Shard(std::int64_t count, std::int64_t index) const {
    if (status_.ok() && (count <= 0 || index < 0 || index >= count))
      return Dataset(
          errors::InvalidArgument("Dataset::Shard: index ", index, " is not in [0, count) for count ", count));
    return Changed([&] { return new ops::detail::ShardData(base_, count, index, false); },
                   StrCat("Shard(", count, ", ", index, ")"));
  }
  // Returns the first `count` elements; -1: all.
  Dataset Take(std::int64_t count) const {
    return Changed([&] { return new ops::detail::RangeOfData(base_, "Take", 0, count < 0 ? -1 : count); },
                   StrCat("Take(", count, ")"));
  }
  // Returns the elements after the first `count`; -1: none.
  Dataset Skip(std::int64_t count) const {
    return Changed([&] { return new ops::detail::RangeOfData(base_, "Skip", count < 0 ? INT64_MAX : count, -1); },
                   StrCat("Skip(", count, ")"));
  }
  // Returns function(element) of every element; results have `types`. The function is a Callable of a session, whose
  // feeds are the components and whose fetches are the results, or f(Span<const Tensor> element, Span<Tensor> results)
  // -> Status. Iterators call it on their thread, or on that of a later Prefetch: it must be thread-safe, and have one
  // result for one element, or resumed programs differ. InvalidArgument: there are no types. The dataset keeps
  // the function; objects that the function refers to outlive all iterators.
  template <class F>
  Dataset Map(F function, const std::vector<DataType>& types) const {
    if constexpr (requires(Span<const Tensor> in, Span<Tensor> out) { Status(function.Run(in, out)); }) {
      return MapBy(
          [run = std::move(function)](Span<const Tensor> in, Span<Tensor> out) -> Status { return run.Run(in, out); },
          types);
    } else {
      static_assert(std::is_invocable_r_v<Status, F&, Span<const Tensor>, Span<Tensor>>,
                    "tenon: Dataset::Map takes a Callable or f(Span<const Tensor>, Span<Tensor>) -> Status");
      return MapBy(std::move(function), types);
    }
  }

  // OK, or the error of the first wrong argument.
  const Status& status() const { return status_; }
  // Types and shapes of the components, [-1] where a size is not known; without a source none.
  const ElementSpec& spec() const {
    static const ElementSpec none;
    return base_ ? base_->spec() : none;
  }
  // The number of elements, kInfiniteCardinality, or kUnknownCardinality where only reading tells it.
  std::int64_t Cardinality() const { return base_ ? base_->Cardinality() : kUnknownCardinality; }

  // Returns a position before the first element. Iterators of one Shuffle take its random numbers in turn, as in
  // TensorFlow. The errors are those of status().
  Result<DatasetIterator> MakeIterator() const {
    TENON_RETURN_IF_ERROR(status_);
    Owned<detail::DatasetPosition> position;
    const Status started = detail::CatchAll("Dataset::MakeIterator", [&] {
      position = MakeOwned<detail::DatasetPosition>(base_, description_);
      return position->Start();
    });
    TENON_RETURN_IF_ERROR(started);
    return DatasetIterator(std::move(position));
  }

 private:
  explicit Dataset(Status status) : status_(std::move(status)) {}
  Dataset(const DatasetBase* base, std::string description)
      : base_(Ref<const DatasetBase>::Adopt(base)), description_(std::move(description)) {}

  template <class Make>
  Dataset Changed(const Make& make, std::string_view how) const {
    return status_.ok() ? Dataset(make(), StrCat(description_, ".", how)) : *this;
  }
  static Dataset FromRows(std::vector<Tensor> tensors, std::string_view where) {
    if (tensors.empty()) return Dataset(errors::InvalidArgument(where, ": there are no components"));
    ElementSpec spec;
    DatasetElement components;
    std::string description = "Rows(";
    for (Tensor& tensor : tensors) {
      if (tensor.dtype() == DataType::kInvalid)
        return Dataset(errors::InvalidArgument(where, ": component ", components.size(), " has no type"));
      if (!tensor.IsInitialized() || tensor.dims() == 0)
        return Dataset(errors::InvalidArgument(where, ": component ", components.size(), " is ", tensor.dtype(),
                                               tensor.shape(), "; its rows are elements, so it needs a dimension"));
      if (!components.empty() && tensor.dim_size(0) != components[0].dim_size(0))
        return Dataset(errors::InvalidArgument(where, ": component ", components.size(), " has ", tensor.dim_size(0),
                                               " rows, component 0 has ", components[0].dim_size(0)));
      TensorShape row = tensor.shape();
      row.RemoveDim(0);
      spec.types.push_back(tensor.dtype());
      spec.shapes.push_back(PartialTensorShape(row));
      StrAppend(&description, components.empty() ? "" : ", ", tensor.dtype(), tensor.shape());
      components.push_back(std::move(tensor));
    }
    return Dataset(new ops::detail::TensorData(std::move(spec), std::move(components), true), StrCat(description, ")"));
  }
  Dataset ShuffleBy(std::int64_t buffer_size, ops::detail::Seeds seeds, bool reshuffle) const {
    if (buffer_size <= 0 && status_.ok())
      return Dataset(errors::InvalidArgument("Dataset::Shuffle: buffer_size must be positive, got ", buffer_size));
    return Changed(
        [&] {
          return new ops::detail::ShuffleData(
              base_, buffer_size, 1,
              Ref<ops::detail::SeedGenerator>::Adopt(new ops::detail::SeedGenerator(seeds, reshuffle)));
        },
        StrCat("Shuffle(", buffer_size, reshuffle ? ")" : ", once)"));
  }
  Dataset MapBy(detail::ElementFunction function, const std::vector<DataType>& types) const {
    if (!status_.ok()) return *this;
    if (types.empty()) return Dataset(errors::InvalidArgument("Dataset::Map: there are no types of results"));
    ElementSpec spec;
    std::string how = "Map(";
    for (const DataType type : types) {
      StrAppend(&how, spec.types.empty() ? "" : ", ", type);
      spec.types.push_back(type);
      spec.shapes.push_back(PartialTensorShape());
    }
    return Changed([&] { return new detail::ProgramMapData(base_, std::move(spec), std::move(function)); },
                   StrCat(how, ")"));
  }

  Status status_;
  Ref<const DatasetBase> base_;  // null: status_ says why
  std::string description_;  // a saved position has it: equal datasets have equal ones
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
