// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/input/dataset.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/checkpoint.hpp>
#include <tenon/io/record_writer.hpp>
#include <tenon/runtime/input/dataset_iterator.hpp>

#include "temp_folder.hpp"

namespace input_dataset_test {
using namespace tenon;

namespace {

using Numbers = std::vector<std::int32_t>;
using Batches = std::vector<Numbers>;

Tensor Range(Index count) {
  Tensor tensor(DataType::kInt32, {count});
  for (Index i = 0; i < count; ++i) tensor.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return tensor;
}
Dataset Ten() { return Dataset::FromTensorSlices({Range(10)}); }

Numbers NumbersOf(const Tensor& tensor) {
  const std::int32_t* const data = tensor.data<std::int32_t>();
  return Numbers(data, data + tensor.NumElements());
}
// The rest of the elements, of component 0.
Batches Rest(DatasetIterator& iterator) {
  Batches rest;
  std::vector<Tensor> element;
  for (bool end = false;;) {
    const Status status = iterator.Next(&element, &end);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    if (end) break;
    rest.push_back(NumbersOf(element[0]));
  }
  CHECK(element.empty());
  return rest;
}
Batches All(const Dataset& dataset) {
  Result<DatasetIterator> iterator = dataset.MakeIterator();
  REQUIRE_MESSAGE(iterator.ok(), iterator.status().ToString());
  return Rest(*iterator);
}
Numbers Flat(const Batches& batches) {
  Numbers all;
  for (const Numbers& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}
Numbers Flat(const Dataset& dataset) { return Flat(All(dataset)); }

// An error shows in the dataset, in what is made of it, and in MakeIterator.
void CheckError(const Dataset& dataset, Code code, std::string_view text) {
  const Dataset later = dataset.Repeat(2).Shuffle(3, 1).Batch(2).Prefetch(1).Shard(2, 0).Take(1).Skip(0);
  for (const Status& status : {dataset.status(), later.status(), later.MakeIterator().status()}) {
    CHECK(status.code() == code);
    CHECK_MESSAGE(status.message().find(text) != std::string_view::npos, status.ToString());
  }
  CHECK(dataset.Cardinality() == kUnknownCardinality);
  CHECK(dataset.spec().types.empty());
}

// Adds 100 to a number.
Status AddHundred(Span<const Tensor> element, Span<Tensor> results) {
  Tensor sum(DataType::kInt32, element[0].shape());
  for (Index i = 0; i < sum.NumElements(); ++i) sum.data<std::int32_t>()[i] = element[0].data<std::int32_t>()[i] + 100;
  results[0] = sum;
  return OkStatus();
}

}  // namespace

TEST_SUITE("Dataset") {
  TEST_CASE("rows come in order, component by component") {
    Tensor images(DataType::kFloat, {3, 2, 1});
    for (Index i = 0; i < 6; ++i) images.data<float>()[i] = static_cast<float>(i);
    const Dataset dataset = Dataset::FromTensorSlices({images, Range(3)});
    CHECK(dataset.Cardinality() == 3);
    REQUIRE(dataset.spec().types.size() == 2);
    CHECK(dataset.spec().types[0] == DataType::kFloat);
    CHECK(dataset.spec().shapes[0].DebugString() == "[2,1]");
    DatasetIterator iterator = *dataset.MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    for (int i = 0; i < 3; ++i) {
      REQUIRE(iterator.Next(&element, &end).ok());
      REQUIRE(element.size() == 2);
      CHECK(!end);
      CHECK(element[0].shape() == TensorShape({2, 1}));
      CHECK(element[0].data<float>()[1] == static_cast<float>(2 * i + 1));
      CHECK(element[1].scalar<std::int32_t>()() == i);
    }
    for (int i = 0; i < 2; ++i) {
      REQUIRE(iterator.Next(&element, &end).ok());
      CHECK(end);
    }
  }
  // Recorded from TensorFlow 2.21: [int(x) for x in Dataset.range(10)...as_numpy_iterator()].
  TEST_CASE("random orders are those of tf.data") {
    const Numbers first{1, 4, 2, 3, 5, 0, 6, 8, 7, 9}, second{3, 4, 2, 0, 1, 8, 5, 7, 9, 6};
    const Dataset shuffled = Ten().Shuffle(4, 42);
    CHECK(Flat(shuffled) == first);
    CHECK(Flat(shuffled) == second);
    Numbers both = first;
    both.insert(both.end(), second.begin(), second.end());
    CHECK(Flat(Ten().Shuffle(4, 42).Repeat(2)) == both);
    CHECK(Flat(Ten().Shuffle(100, -7, false).Repeat(2)) ==
          Numbers{9, 5, 2, 1, 3, 8, 0, 7, 6, 4, 9, 5, 2, 1, 3, 8, 0, 7, 6, 4});
    CHECK(Flat(Ten().Shuffle(100, (std::int64_t{1} << 40) + 3)) == Numbers{5, 7, 2, 9, 8, 3, 1, 4, 6, 0});
    CHECK(All(Ten().Shard(2, 1).Shuffle(3, 0).Repeat(2).Batch(4)) == Batches{{1, 5, 7, 9}, {3, 1, 7, 5}, {9, 3}});
    CHECK(Flat(Ten().Shuffle(10, INT64_MIN)).size() == 10);
    CHECK(Flat(Ten().Shuffle(10)).size() == 10);
  }
  TEST_CASE("batches, rounds, parts and shards") {
    CHECK(All(Ten().Batch(4)) == Batches{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}});
    CHECK(All(Ten().Batch(4, true)) == Batches{{0, 1, 2, 3}, {4, 5, 6, 7}});
    CHECK(Ten().Batch(4).spec().shapes[0].DebugString() == "[?]");
    CHECK(Ten().Batch(4, true).spec().shapes[0].DebugString() == "[4]");
    CHECK(Ten().Repeat().Batch(4).spec().shapes[0].DebugString() == "[4]");
    CHECK(All(Ten().Take(2).Repeat(2).Batch(3)) == Batches{{0, 1, 0}, {1}});
    CHECK(Flat(Ten().Skip(7)) == Numbers{7, 8, 9});
    CHECK(Flat(Ten().Repeat().Skip(8).Take(4)) == Numbers{8, 9, 0, 1});
    CHECK(All(Ten().Repeat(0)).empty());
    CHECK(All(Ten().Take(-1).Skip(-1)).empty());
    CHECK(Flat(Ten().Shard(3, 0)) == Numbers{0, 3, 6, 9});
    CHECK(Flat(Ten().Shard(3, 2)) == Numbers{2, 5, 8});
    CHECK(Ten().Repeat(3).Cardinality() == 30);
    CHECK(Ten().Repeat().Cardinality() == kInfiniteCardinality);
    CHECK(Ten().Repeat(INT64_MAX).Batch(2).Cardinality() == kUnknownCardinality);
    CHECK(Ten().Shuffle(4, 1).Batch(3).Prefetch(2).Cardinality() == 4);
    CHECK(All(Dataset::FromTensorSlices({Range(0)}).Repeat().Batch(2)).empty());
  }
  TEST_CASE("a function of the program maps elements, here and on the thread of a prefetch") {
    const std::vector<DataType> types{DataType::kInt32};
    CHECK(Flat(Ten().Map(AddHundred, types).Take(3)) == Numbers{100, 101, 102});
    CHECK(All(Ten().Batch(4).Map(AddHundred, types).Prefetch(2).Skip(2)) == Batches{{108, 109}});
    int calls = 0;
    const auto pairs = [&calls](Span<const Tensor> element, Span<Tensor> results) -> Status {
      ++calls;
      results[0] = element[0];
      results[1] = Tensor::Scalar(2.5f);
      return OkStatus();
    };
    const Dataset mapped = Ten().Map(pairs, {DataType::kInt32, DataType::kFloat});
    CHECK(mapped.Cardinality() == 10);
    CHECK(mapped.spec().shapes[1].unknown_rank());
    CHECK(Flat(mapped).size() == 10);
    CHECK(calls == 10);
  }
  TEST_CASE("a function's error is that of one element") {
    const auto odd = [](Span<const Tensor> element, Span<Tensor> results) -> Status {
      const std::int32_t number = element[0].scalar<std::int32_t>()();
      if (number == 1) return errors::DataLoss("one is bad");
      if (number == 2) return errors::OutOfRange("two is the end");
      if (number != 3) results[0] = number == 4 ? Tensor::Scalar(1.0f) : element[0];
      return OkStatus();
    };
    for (const std::int64_t prefetched : {0, 2}) {
      DatasetIterator iterator = *Ten().Map(odd, {DataType::kInt32}).Prefetch(prefetched).MakeIterator();
      std::vector<Tensor> element;
      bool end = false;
      REQUIRE(iterator.Next(&element, &end).ok());
      for (const Code code :
           {Code::kDataLoss, Code::kInvalidArgument, Code::kInvalidArgument, Code::kInvalidArgument}) {
        CHECK(iterator.Next(&element, &end).code() == code);
        CHECK(element.empty());
        CHECK(!end);
      }
      CHECK(Flat(Rest(iterator)) == Numbers{5, 6, 7, 8, 9});
    }
  }
#if defined(__cpp_exceptions)
  TEST_CASE("a function's exception is an error") {
    const auto thrower = [](Span<const Tensor>, Span<Tensor>) -> Status { throw std::runtime_error("thrown"); };
    for (const std::int64_t prefetched : {0, 1}) {
      DatasetIterator iterator = *Ten().Map(thrower, {DataType::kInt32}).Prefetch(prefetched).MakeIterator();
      std::vector<Tensor> element;
      bool end = false;
      const Status status = iterator.Next(&element, &end);
      CHECK(status.code() == Code::kInternal);
      CHECK(status.message().find("thrown") != std::string_view::npos);
    }
  }
#endif
  TEST_CASE("a Callable maps elements by a graph") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kInt32, {});
    b.Add("Mul", "square", {x, x});
    const Session session = *Session::FromGraph(b);
    const Callable square = *session.MakeCallable({.feeds = {"x"}, .fetches = {"square"}});
    const Dataset dataset = Ten().Map(square, {DataType::kInt32}).Batch(5).Prefetch(1);
    CHECK(All(dataset) == Batches{{0, 1, 4, 9, 16}, {25, 36, 49, 64, 81}});
    // Its errors are those of the run.
    DatasetIterator iterator =
        *Dataset::FromTensorSlices({Range(3), Range(3)}).Map(square, {DataType::kInt32}).MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    CHECK(iterator.Next(&element, &end).code() == Code::kInvalidArgument);
  }
  TEST_CASE("arrays come from .npy files") {
    const TempFolder folder;
    const std::string numbers = folder.path() + "/numbers.npy", texts = folder.path() + "/texts.npy";
    Tensor names(DataType::kString, {3});
    for (Index i = 0; i < 3; ++i) names.data<tstring>()[i].assign(StrCat("row ", i));
    REQUIRE(WriteNpy(numbers, Range(3)).ok());
    REQUIRE(WriteNpy(texts, names).ok());
    DatasetIterator iterator = *Dataset::FromNpy({texts, numbers}).MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    for (std::int32_t i = 0; i < 3; ++i) {
      REQUIRE(iterator.Next(&element, &end).ok());
      CHECK(element[0].scalar<tstring>()().view() == StrCat("row ", i));
      CHECK(element[1].scalar<std::int32_t>()() == i);
    }
    REQUIRE(WriteNpy(texts, Tensor::Scalar(1.0f)).ok());
    CheckError(Dataset::FromNpy({texts}), Code::kInvalidArgument, "component 0");
    CheckError(Dataset::FromNpy({folder.path() + "/none.npy"}), Code::kNotFound, "none.npy");
    CheckError(Dataset::FromNpy({}), Code::kInvalidArgument, "no components");
  }
  TEST_CASE("records come from files, and a position in them is restored") {
    const TempFolder folder;
    std::vector<std::string> files;
    for (const std::string_view compression : {"", "ZLIB", "GZIP"}) {
      files.clear();
      for (int file = 0; file < 2; ++file) {
        files.push_back(StrCat(folder.path(), "/", compression, file));
        RecordWriter writer = *RecordWriter::Open(files.back(), {.compression = std::string(compression)});
        for (int i = 0; i < 3; ++i) REQUIRE(writer.Write(StrCat("record ", 3 * file + i)).ok());
        REQUIRE(writer.Close().ok());
      }
      for (int taken = 0; taken <= 6; ++taken) {
        DatasetIterator iterator = *Dataset::FromRecords(files, compression).MakeIterator();
        std::vector<Tensor> element;
        bool end = false;
        for (int i = 0; i < taken; ++i) REQUIRE(iterator.Next(&element, &end).ok());
        const Tensor state = *iterator.Save();
        DatasetIterator other = *Dataset::FromRecords(files, compression).MakeIterator();
        REQUIRE(other.Restore(state).ok());
        for (int i = taken; i < 6; ++i) {
          REQUIRE(other.Next(&element, &end).ok());
          CHECK(element[0].scalar<tstring>()().view() == StrCat("record ", i));
        }
        REQUIRE(other.Next(&element, &end).ok());
        CHECK(end);
      }
    }
    std::vector<Tensor> element;
    bool end = false;
    CHECK(Dataset::FromRecords({folder.path() + "/none"}).MakeIterator()->Next(&element, &end).code() ==
          Code::kNotFound);
    CheckError(Dataset::FromRecords(files, "LZ4"), Code::kInvalidArgument, "LZ4");
    CHECK(Dataset::FromRecords(files, "GZIP").Cardinality() == kUnknownCardinality);
  }
  TEST_CASE("wrong arguments are errors of the dataset") {
    CheckError(Dataset(), Code::kFailedPrecondition, "no source");
    CheckError(Dataset::FromTensorSlices({}), Code::kInvalidArgument, "no components");
    CheckError(Dataset::FromTensorSlices({Tensor::Scalar(1)}), Code::kInvalidArgument, "needs a dimension");
    CheckError(Dataset::FromTensorSlices({Tensor(DataType::kInvalid)}), Code::kInvalidArgument, "component 0");
    CheckError(Dataset::FromTensorSlices({Range(3), Range(4)}), Code::kInvalidArgument, "component 1 has 4 rows");
    for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
      CheckError(Ten().Shuffle(wrong, 1), Code::kInvalidArgument, "buffer_size must be positive");
      CheckError(Ten().Batch(wrong), Code::kInvalidArgument, "size must be positive");
      CheckError(Ten().Shard(wrong, 0), Code::kInvalidArgument, "is not in [0, count)");
    }
    CheckError(Ten().Shard(2, 2), Code::kInvalidArgument, "index 2");
    CheckError(Ten().Shard(2, -1), Code::kInvalidArgument, "index -1");
    CheckError(Ten().Prefetch(-1), Code::kInvalidArgument, "must not be negative");
    CheckError(Ten().Map(AddHundred, {}), Code::kInvalidArgument, "no types");
    CHECK(Ten().Shuffle(INT64_MAX, 1).Batch(INT64_MAX).MakeIterator().ok());
    // Ranks above the highest, and batches of elements that differ.
    const auto grow = [](Span<const Tensor> element, Span<Tensor> results) -> Status {
      results[0] = Tensor(DataType::kInt32, {element[0].scalar<std::int32_t>()()});
      return OkStatus();
    };
    std::vector<Tensor> element;
    bool end = false;
    CHECK(Ten().Map(grow, {DataType::kInt32}).Batch(2).MakeIterator()->Next(&element, &end).code() ==
          Code::kInvalidArgument);
    const auto high = [](Span<const Tensor>, Span<Tensor> results) -> Status {
      TensorShape shape;
      for (int i = 0; i < kMaxTensorRank; ++i) shape.AddDim(1);
      results[0] = Tensor::Zeros<std::int32_t>(shape);
      return OkStatus();
    };
    CHECK(Ten().Map(high, {DataType::kInt32}).Batch(2).MakeIterator()->Next(&element, &end).code() == Code::kInternal);
    TensorShape shape({2});
    for (int i = 1; i < kMaxTensorRank; ++i) shape.AddDim(1);
    CheckError(Dataset::FromTensorSlices({Tensor::Zeros<float>(shape)}).Batch(1).Batch(1), Code::kInvalidArgument,
               "rank 254");
  }
}
}  // namespace input_dataset_test
